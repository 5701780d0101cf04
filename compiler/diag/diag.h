/*
 * diag.h - collect what the compiler has to say; print it once, in order.
 *
 * A phase calls diag_report() and continues with a harmless placeholder (a NODE_BAD, TYPE_BAD,
 * VALUE_BAD) that later phases accept in silence, so one mistake is reported once.  Nothing here
 * prints: see diag_text.c and diag_json.c.
 *
 * The severity is that of codes.def.  Parts of a report: the headline states one fact in the words
 * of the problem, lower case, no full stop, names in single quotes; the primary span points at
 * what the user must change, with a short label; notes show the other places that matter; help
 * says what to do; a fix is an edit that is certain.
 *
 * Memory: everything lives in the arena of its `struct diags`; formats are expanded at once.
 * Fails: never.  Past DIAGS_KEPT the rest are counted.
 */
#ifndef TRAINC_DIAG_DIAG_H
#define TRAINC_DIAG_DIAG_H

#include "base/source.h"

enum severity { SEVERITY_ERROR, SEVERITY_WARNING };

enum diag_code {
#define DIAG(code, severity, slug, meaning) code,
#include "diag/codes.def"
#undef DIAG
	DIAG_CODES
};

struct diag_note {                      /* another place of a diagnostic, with a text; `at` unknown: only the text */
	struct span at;
	struct str text;
	struct diag_note *next;
};

struct diag_edit {                      /* an edit that replaces the text at `at` */
	struct span at;
	struct str text;
	struct diag_edit *next;
};

struct diag_fix {
	struct str title;
	struct diag_edit *edits;
	struct diag_fix *next;
};

struct diag {
	enum diag_code code;
	enum severity severity;
	bool denied;                    /* a warning that --deny-warnings made an error */
	struct span at;
	struct str message, label, help;
	struct diag_note *notes;
	struct diag_fix *fixes;
	size_t order;                   /* order of arrival: decides between equal places */
	const void *group;              /* the group of `struct diags` at the time of the report */
	size_t pass;
};

struct diags {
	struct arena *arena;
	struct sources *sources;
	struct diag **at;
	size_t n;
	size_t errors, warnings;        /* numbers of errors and warnings found so far, duplicates included */
	bool deny_warnings;
	bool hold_warnings;             /* drop warnings: they would follow from an error that already exists */
	/*
	 * While `muted` is not 0 nothing is recorded (speculative evaluation); the
	 * counters `errors` and `warnings` stay as they are, `muted_errors` counts.
	 */
	int muted;
	size_t muted_errors;
	/*
	 * One text may be evaluated several times, once for each `group` (NULL otherwise): what
	 * one pass has said about a place is not said again by another.
	 */
	const void *group;
	size_t pass;
	/*
	 * Codes of warnings that this run does not look for: a comment that allows one of them is
	 * not reported as unused.
	 */
	bool unasked[DIAG_CODES];
	/* diag.c's own */
	size_t kept[2];                         /* number of diagnostics of each severity in `at` */
	size_t lost_errors, lost_warnings;      /* diagnostics that were counted but not kept: see DIAGS_KEPT */
	struct diag throw_away;                 /* the object that diag_report() returns when nothing is recorded */
};

/*
 * The number of errors kept, and of warnings, so that warnings cannot crowd out an error; bounded, so that a file
 * of noise cannot fill the memory.
 */
enum { DIAGS_KEPT = 10000 };

/*
 * Record a diagnostic.  State the fact, without advice.  Always returns an
 * object (a throw-away one while muted), so that labels can be added blindly.
 */
struct diag *diag_report(struct diags *ds, enum diag_code code, struct span at, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* The few words under the primary span: "2 is outside 1..1". */
void diag_label(struct diags *ds, struct diag *d, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Point at a second place and say why it matters: "declared here". */
void diag_note(struct diags *ds, struct diag *d, struct span at, const char *fmt,
	...) __attribute__((format(printf, 4, 5)));
/* Say what to do about it: "did you mean 'gpus'?"  At most one; a second call appends "; ...". */
void diag_help(struct diags *ds, struct diag *d, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* One certain edit: replace the text of `at` by `text` (empty deletes). */
void diag_fix(struct diags *ds, struct diag *d, struct span at, struct str text, const char *title_fmt, ...)
	__attribute__((format(printf, 5, 6)));

static inline bool diags_ok(const struct diags *ds) { return ds->errors == 0; }

/*
 * Prepare for printing (once): drop duplicates (same code, place and message; in
 * different passes of one group, same code and place), apply
 * the `# allow CODE: reason` comments of the sources (TJ1009 for those without
 * reason or effect), apply deny_warnings, order by file (in order of reading)
 * and position.  `errors` and `warnings` are recounted.
 */
void diags_finish(struct diags *ds);

const char *diag_code_name(enum diag_code code);        /* returns "TJ0502" */
const char *diag_slug(enum diag_code code);             /* returns "role-replicas" */
const char *diag_meaning(enum diag_code code);
enum severity diag_severity(enum diag_code code);
/* By code or slug, any case; false if there is none. */
bool diag_code_find(struct str text, enum diag_code *ret);

#endif
