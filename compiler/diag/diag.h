/*
 * diag.h - collects the diagnostics of the compiler and puts them in order. A phase calls diag_report() and continues
 * with a harmless placeholder (a NODE_BAD, TYPE_BAD, VALUE_BAD) that later phases accept silently, so one mistake is
 * reported once. Nothing here prints: see diag_text.c and diag_json.c. The severity of a code is in codes.def.
 *
 * Parts of a report: the headline states one fact in the terms of the problem, in lower case, without a full stop, with
 * names in single quotes. The primary span is the text that the user must change, with a short label. Notes show other
 * parts of the text that matter. Help says what to do. A fix is an edit that is certainly right.
 *
 * Memory: everything lives in the arena of its `struct diags`; formats are expanded at once. Functions never fail.
 * After DIAGS_KEPT diagnostics the rest are only counted.
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

struct diag_note {                      /* a note with the span that it is about; if `at` is unknown, it is only a text
					 */
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
	size_t order;                   /* order of arrival, which decides between equal positions */
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
	bool hold_warnings;             /* drop warnings, because they would only follow from an earlier error */
	/*
	 * While `muted` is not 0 (speculative evaluation), nothing is recorded. The counters `errors` and `warnings` do
	 * not change; `muted_errors` counts the errors.
	 */
	int muted;
	size_t muted_errors;
	/*
	 * Set while the same text is evaluated in several passes, which then have the same `group` (NULL otherwise). A
	 * report that one pass has made about a position is not repeated by another pass.
	 */
	const void *group;
	size_t pass;
	/*
	 * Codes of warnings that this run does not check: a comment that allows one of them is not reported as unused.
	 */
	bool unasked[DIAG_CODES];
	/* diag.c's own */
	size_t kept[2];                         /* number of diagnostics of each severity in `at` */
	size_t lost_errors, lost_warnings;      /* diagnostics that were counted but not kept: see DIAGS_KEPT */
	struct diag throw_away;                 /* what diag_report() returns when it records nothing */
};

/*
 * The maximum number of errors that are kept, and separately of warnings, so that warnings cannot displace errors. The
 * limit prevents a file of random text from filling the memory.
 */
enum { DIAGS_KEPT = 10000 };

/*
 * Records a diagnostic. FMT states the fact, without advice. Never returns NULL: while muted, it returns a temporary
 * object, so that callers can always add labels.
 */
struct diag *diag_report(struct diags *ds, enum diag_code code, struct span at, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Sets the few words under the primary span: "2 is outside 1..1". */
void diag_label(struct diags *ds, struct diag *d, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Adds a note about another span that says why it matters: "declared here". */
void diag_note(struct diags *ds, struct diag *d, struct span at, const char *fmt,
	...) __attribute__((format(printf, 4, 5)));
/* Adds advice: "did you mean 'gpus'?" There is at most one help; a second call appends "; ...". */
void diag_help(struct diags *ds, struct diag *d, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Adds an edit that is certainly right: replaces the text at AT with TEXT, or deletes it if TEXT is empty. */
void diag_fix(struct diags *ds, struct diag *d, struct span at, struct str text, const char *title_fmt, ...)
	__attribute__((format(printf, 5, 6)));

/* Drops diagnostics with CODE inside AT, because a later phase has found a better explanation. */
void diags_drop(struct diags *ds, enum diag_code code, struct span at);

static inline bool diags_ok(const struct diags *ds) { return ds->errors == 0; }

/*
 * Prepares the collection for printing, once: drops duplicates (same code, position and message, or between passes of
 * one group, same code and position), applies the `# allow CODE: reason` comments of the sources (TJ1009 for those
 * without reason or effect), applies deny_warnings, and sorts by file (in order of reading) and position. Recounts
 * `errors` and `warnings`.
 */
void diags_finish(struct diags *ds);

const char *diag_code_name(enum diag_code code);        /* returns "TJ0502" */
const char *diag_slug(enum diag_code code);             /* returns "role-replicas" */
const char *diag_meaning(enum diag_code code);
enum severity diag_severity(enum diag_code code);
/* Finds a diagnostic by its code or slug, in any case; false if no diagnostic has it. */
bool diag_code_find(struct str text, enum diag_code *ret);

#endif
