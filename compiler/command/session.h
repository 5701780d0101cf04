/*
 * session.h - shared by all commands: the program with the options of the command line, the output of results, and
 * messages about them. Results are written to standard output, everything else to standard error. When the reader of
 * standard output has closed it, the command silently ends with 0; when output cannot be written, it reports that and
 * ends with 3.
 */
#ifndef TRAINC_SESSION_H
#define TRAINC_SESSION_H

#include "compile.h"
#include "diag/render.h"
#include "emit/emit.h"
#include "command/options.h"

/* Exit statuses, described in docs/runtime.md. */
enum exit_status {
	STATUS_DONE = 0, STATUS_PROGRAM = 1, STATUS_USAGE = 2,
	STATUS_OUTPUT = 3,              /* an output or the state directory cannot be written */
	STATUS_DENIED = 4,              /* the server refused the credentials, or the user is not allowed to do this */
	STATUS_CONFLICT = 5,            /* an object of that name exists, or is not in the required state */
	STATUS_REFUSED = 6, STATUS_UNREACHABLE = 7, STATUS_FAILED = 8, STATUS_INTERNAL = 70, STATUS_TIMEOUT = 124
};

struct backend;
struct program_half;

struct session {
	struct arena *arena;            /* memory that lives until the program exits */
	const struct options *options;
	const struct reader *reader;    /* reads the files of programs */
	struct render_options render;
	const struct backend *cluster;  /* the backend for clusters; NULL: this executable cannot talk to clusters */
	const struct backend *backend;  /* the backend that the command uses, set by backend_of() */
	void *backend_own;              /* private data of the backend in use */
	const struct program_half *half;        /* the commands for clusters in this executable; NULL if it has no such
						 * commands */
	struct str context;             /* the context that this process shows while another process prints several */
	struct str name;                /* name of the run, from --name, with {n} for the number; empty: the job's */
	int64_t number;                 /* the number in it; 0: none was chosen yet */
	bool taken;                     /* somebody else has taken the name with this number meanwhile */
	bool quiet;                     /* a completion script is asking: the user must not be asked anything */
	bool gone;                      /* the reader of standard output has closed it */
	int error;                      /* errno of the first failed write, or 0; a closed reader does not count */
	struct buf line;                /* for a terminal: the unfinished last line of session_output(), kept until
					 * its line end arrives */
};

/* The commands, one for each row of options.def. */
int cmd_compile(struct session *s);
int cmd_check(struct session *s);
int cmd_env(struct session *s);
int cmd_env_local(struct session *s);
int cmd_plan(struct session *s);
int cmd_code(struct session *s);
int cmd_eval(struct session *s);
int cmd_run(struct session *s);
int cmd_apply(struct session *s);
int cmd_status(struct session *s);
int cmd_wait(struct session *s);
int cmd_logs(struct session *s);
int cmd_list(struct session *s);
int cmd_scale(struct session *s);
int cmd_restart(struct session *s);
int cmd_exec(struct session *s);
int cmd_attach(struct session *s);
int cmd_port_forward(struct session *s);
int cmd_open(struct session *s);
int cmd_top(struct session *s);
int cmd_suspend(struct session *s);
int cmd_resume(struct session *s);
int cmd_delete(struct session *s);
int cmd_diff(struct session *s);
int cmd_why(struct session *s);
int cmd_events(struct session *s);
int cmd_history(struct session *s);
int cmd_cp(struct session *s);
int cmd_sync(struct session *s);
int cmd_fit(struct session *s);
int cmd_fmt(struct session *s);
int cmd_test(struct session *s);
int cmd_import(struct session *s);
int cmd_explain(struct session *s);
int cmd_doc(struct session *s);
int cmd_skill(struct session *s);
int cmd_mcp(struct session *s);
int cmd_init(struct session *s);
int cmd_vendor(struct session *s);
int cmd_lsp(struct session *s);
int cmd_dump(struct session *s);
int cmd_completion(struct session *s);
int cmd_version(struct session *s);
int cmd_supervise(struct session *s);
int cmd_help(struct session *s);

/* ---- out ---- */

/* Should output to a descriptor have colors? This depends on --color, the environment and the terminal. */
bool session_colour(struct str when, int fd);
/* Returns the width in columns of the terminal at a descriptor; 0 if it is not a terminal. */
unsigned session_width(int fd);

/* Prints a message on standard error: "trainc: ...". */
void session_say(const struct session *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Prints what works without a cluster, for a command that needs a cluster and finds no cluster. */
void session_say_without_cluster(const struct session *s);
/* Prints a question on standard error; the caller reads the answer. */
void session_ask(const char *question);
/*
 * Returns false, after a report, if an option was given that requires --from-cluster, and --from-cluster was not
 * given.
 */
bool session_offline(const struct session *s);
/* Writes a result. */
void session_write(struct session *s, struct str text);
/*
 * Writes lines for people to standard output, escaped as by put_escaped_lines(), on a terminal and elsewhere. All text
 * for people that may contain texts of a cluster, a record or a server goes through this function, session_say(), or
 * attend_say(); session_write() is for JSON and files.
 */
void session_print(struct session *s, struct str text);
/* The output for results that contain values of programs: on a terminal, control characters in them are escaped. */
struct trainc_output session_output(struct session *s);
/* Reads --index; -1 is every replica. Returns false after reporting a value that is not a number. */
bool session_index(struct session *s, long long *ret);
/* Writes TEXT to session_output(). */
void session_show(struct session *s, struct str text);
/* Returns the exit status: STATUS, or the one of a failed output. */
int session_end(struct session *s, int status);
/* Blocks signals that end the process, so that they cannot interrupt the replacement of files. */
void session_hold_signals(bool hold);
/* Replaces a file; returns false after reporting why it could not. */
bool session_replace(struct session *s, struct str path, struct str bytes);
/* Does the same for an output that may also be a device or a pipe. */
bool session_pour(struct session *s, struct str path, struct str bytes);

/* ---- manifests ---- */

struct import;
/* Reads the manifests that the command line names into C; its diagnostics say what is wrong with them. */
struct import *session_import(struct session *s, struct trainc *c);

/* ---- programs ---- */

struct programs {
	struct trainc **at;
	size_t n;
	bool ok;                        /* no program has errors */
};

/*
 * Opens a program with the options of the command line, to be closed with trainc_close(). Returns NULL after
 * reporting what is wrong with the options (status 2).
 */
struct trainc *session_open(struct session *s);
/* Compiles every operand up to its plan. Returns false after reporting why it could not (status 2). */
bool session_compile(struct session *s, struct programs *ret);
/*
 * Finishes and prints the diagnostics of all programs: to standard error, or to standard output when MACHINE_TO_STDOUT
 * and the format is for machines. Sets `ok`.
 */
void session_report(struct session *s, struct programs *all, bool machine_to_stdout);
/*
 * Does session_compile(), trainc_check() and session_report(), for commands that need a plan without errors. If it
 * returns false, the command must end with *RET_STATUS.
 */
bool session_plan(struct session *s, bool runtime_warning, struct programs *ret, int *ret_status);
void session_release(struct programs *all);
/*
 * Reads --name into S->name, where {hash} is replaced and {n} is left (run_name.h). For {hash} the programs are
 * compiled. Returns false and sets a status after reporting what is wrong with the name. session_plan() does this, too.
 */
bool session_name(struct session *s, int *ret_status);

#endif
