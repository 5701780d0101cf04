/*
 * trainc.h - the compiler as a library: the one public header of libtrainc.
 *
 * A `struct trainc` is one program under one set of options.  Open it, set options, compile, check, then ask
 * for diagnostics, the plan, environments or objects, and close it:
 *
 *	struct trainc *t = trainc_open(&files);
 *	trainc_option(t, "target", "jobset");
 *	trainc_compile(t, "job.tj");
 *	if (trainc_check(&t, 1, true))
 *		trainc_emit(&t, 1, TRAINC_YAML, output);
 *	else
 *		trainc_report(&t, 1, TRAINC_TEXT, look, output);
 *	trainc_close(t);
 *
 * Ownership: the caller owns what it passes in, and every function copies what it keeps; only the `context` of
 * `struct trainc_files` is used until trainc_close().  Every text that a function returns belongs to the program
 * and lives until trainc_close().
 * Errors: what is wrong with a program is a diagnostic, never a return code of its own; a function that returns
 * bool says in its contract what false means.  When memory runs out, the function that was called and all later ones
 * for that program answer false, 0 or NULL, and trainc_out_of_memory() says why; programs that were passed to one
 * function together share that fate.  What is left to do is trainc_close(), which frees everything.
 * Threads: the library keeps no global state.  Different programs may be used by different threads at the same time,
 * one program by one thread at a time.
 * Files: the library opens none.  It reads through `struct trainc_files` and writes through `struct trainc_output`.
 * A program with the field `code`, which takes a directory, is therefore refused by trainc_check().
 *
 * Texts are UTF-8 and end with a NUL character where no length is given.
 */
#ifndef TRAINC_H
#define TRAINC_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)    /* these functions, and no others, are exported by libtrainc.so */
#endif

struct trainc;

/* How programs are read. */
struct trainc_files {
	void *context;
	/*
	 * Calls GIVE once with TO and the text of the file, and returns true; or returns false with a sentence in
	 * *WHY ("no such file"), which must live until the next call.
	 */
	bool (*read)(void *context, const char *path, void (*give)(void *to, const char *text, size_t n), void *to,
		const char **why);
	/* Returns whether a file exists, for suggestions. May be NULL. */
	bool (*exists)(void *context, const char *path);
	/* Calls EACH with TO and the names in a directory, in byte order.  May be NULL. */
	void (*list)(void *context, const char *directory, void (*each)(void *to, const char *name), void *to);
};

/* Where results are written. `write` takes N bytes; if it returns false, the function that called it stops. */
struct trainc_output {
	void *context;
	bool (*write)(void *context, const char *bytes, size_t n);
};

enum trainc_form {
	TRAINC_TEXT,                    /* text for people: messages, tables */
	TRAINC_JSON,
	TRAINC_SARIF,                   /* SARIF, for diagnostics */
	TRAINC_YAML,                    /* YAML, for objects */
	TRAINC_YAML_PLACES,             /* YAML with the source position at the end of each line */
	/* formats of an environment: for POSIX shells, for fish, for readers of .env files */
	TRAINC_SHELL, TRAINC_FISH, TRAINC_DOTENV,
	TRAINC_SVG,                     /* SVG: a drawing of a plan */
	/* formats for diagnostics: annotations of GitHub, Code Quality of GitLab, JUnit */
	TRAINC_GITHUB, TRAINC_GITLAB, TRAINC_JUNIT
};

/* How messages for people look. */
struct trainc_look {
	bool color;
	unsigned width;                 /* columns of the terminal; 0 if the output is not a terminal */
	size_t limit;                   /* maximum number of errors, and of warnings, to print in full; 0: 50 */
};

struct trainc_diagnostic {
	const char *code;               /* code of the diagnostic, such as "TJ0502" */
	bool error;                     /* true for an error, false for a warning */
	const char *message, *help;     /* the texts; `help` is "" if the diagnostic has no help */
	const char *file;               /* the file; "" if the diagnostic has no position */
	unsigned line, column, end_line, end_column;    /* the position, counted from 1; columns count characters */
};

/* A job of the plan. */
struct trainc_job {
	const char *name, *ns;          /* name and namespace; `ns` is "" when the program does not name one */
	size_t roles, objects;
};

/* Returns the version of the library: "0.1.0". */
const char *trainc_version(void);

/*
 * Opens a program that reads through FILES; with NULL it can read the standard library only. Returns NULL when memory
 * runs out.
 */
struct trainc *trainc_open(const struct trainc_files *files);

/*
 * Sets an option by the word that it has on the command line, before trainc_compile(): target, kubernetes, profile,
 * job, name (of the run, instead of the job's), namespace, domain, gang, run-id, set (VALUE is NAME=VALUE) and params
 * (VALUE is a path) take a value; unroll, no-raw, local and deny-warnings are switches, for which VALUE is ignored; so
 * is brief, which is what `check` does: a warning about what the runtime has to do is one line. `set`, `params` and
 * `profile` can be set several times; otherwise the last value counts. Returns false when NAME is unknown, or when
 * VALUE of `set` is not an assignment; a value that the compiler refuses becomes a diagnostic.
 */
bool trainc_option(struct trainc *t, const char *name, const char *value);

/* Compiles the program at PATH (NULL: an empty one) up to its plan, once. Returns false when it has errors. */
bool trainc_compile(struct trainc *t, const char *path);

/*
 * Checks the objects of N compiled programs that will be applied together; a value that `set` gives to several
 * programs must be a parameter of at least one. With BY_KUBECTL, settings that only the runtime of trainc carries out
 * are warnings. Returns false when a program has errors.
 */
bool trainc_check(struct trainc *const *programs, size_t n, bool by_kubectl);

/*
 * Returns the number of diagnostics of the program: sorted, without duplicates and allowed ones. No diagnostic is added
 * later.
 */
size_t trainc_diagnostics(struct trainc *t);
/* Fills *RET with diagnostic I; returns false if the program has fewer diagnostics. */
bool trainc_diagnostic(struct trainc *t, size_t i, struct trainc_diagnostic *ret);

/*
 * Writes the diagnostics of N programs as TRAINC_TEXT, TRAINC_JSON (lines), TRAINC_SARIF, TRAINC_GITHUB, TRAINC_GITLAB
 * or TRAINC_JUNIT; returns false for other forms.
 */
bool trainc_report(struct trainc *const *programs, size_t n, enum trainc_form form, struct trainc_look look,
	struct trainc_output out);

/* Fills *RET with job I of the plan; returns false if the plan has no such job. */
bool trainc_job(struct trainc *t, size_t i, struct trainc_job *ret);
/*
 * Returns file I of those that were read for the program, including imports and parameter files; NULL after the last.
 */
const char *trainc_file(struct trainc *t, size_t i);

/* The functions below require programs without errors. */

/*
 * Writes the plan as TRAINC_TEXT, TRAINC_JSON or TRAINC_SVG; returns false for other forms, or when the output fails.
 */
bool trainc_plan(struct trainc *t, enum trainc_form form, struct trainc_output out);

/*
 * Writes the finished environment of the replicas of ROLE (NULL: every role) with number INDEX (-1: all) as
 * TRAINC_TEXT, TRAINC_JSON, TRAINC_SHELL, TRAINC_FISH or TRAINC_DOTENV; the last three need exactly one replica.
 * Returns false with a sentence in *WHY when the selection matches no replica or too many; *WHY is "" when the output
 * failed.
 */
bool trainc_env(struct trainc *t, const char *role, long long index, enum trainc_form form, struct trainc_output out,
	const char **why);

/* Writes the objects of N programs as one TRAINC_YAML or TRAINC_YAML_PLACES stream, or one TRAINC_JSON list. */
bool trainc_emit(struct trainc *const *programs, size_t n, enum trainc_form form, struct trainc_output out);

/* Writes TEXT, which is called NAME in diagnostics, in the canonical style. Returns false when it has syntax errors. */
bool trainc_format(struct trainc *t, const char *name, const char *text, size_t n, struct trainc_output out);

/* Has memory run out while the program was being used? Then it can only be closed. */
bool trainc_out_of_memory(const struct trainc *t);

/* Releases the program and every text that it returned.  NULL is allowed. */
void trainc_close(struct trainc *t);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
