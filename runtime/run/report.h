/*
 * report.h - presents the states of runs to people and scripts. Everything is appended to a buffer; nothing is printed.
 */
#ifndef TRAINC_RUNTIME_RUN_REPORT_H
#define TRAINC_RUNTIME_RUN_REPORT_H

#include "runtime/run/run_state.h"

enum report_form {
	REPORT_TABLE,                   /* table with a line for each role */
	REPORT_LIST,                    /* table with a line for each run */
	REPORT_WIDE,                    /* table with a line for each replica */
	REPORT_NAME,                    /* run/NAME, one per line */
	REPORT_JSON,
	REPORT_JSON_LINE,               /* JSON on one line */
	REPORT_SVG, REPORT_HTML         /* drawing with a time line for each replica */
};

struct report {
	const struct run_state *const *runs;
	size_t n;
	enum report_form form;
	int64_t now;                    /* current time by the real-time clock, for ages */
	/* width of the terminal, to which causes are cut; 0: the output is not a terminal, and nothing is escaped */
	unsigned width;
	struct str context;             /* the context, if another process prints what this one has found: table.h */
	bool everywhere;                /* show the namespace of each run, even if all runs are in the same namespace */
};
void report_runs(const struct report *r, struct buf *out);

/* The conditions that an operator's job would have. The reason of each is "Run" followed by its type. */
struct condition {
	const char *type;
	bool holds;
	int64_t since;
};
struct conditions {
	struct condition at[4];
	size_t n;
};
struct conditions run_conditions(const struct run_state *s);

/* Appends how a run has ended: "Succeeded in 3.2 s", "Failed: worker 2 exited with code 3". */
void report_headline(const struct run_state *s, struct buf *out);
/* Appends the last lines of the first failing rank, each after " worker/2 | ". */
void report_last_lines(const struct run_state *s, bool escape, struct buf *out);
/*
 * Appends details of a run in a cluster that has a problem: the first failing rank with its last lines, objects with
 * problems, and the newest warnings. An empty line comes first if OUT already contains text. Appends nothing if the run
 * has no problem. Of a run whose other copies run, these are the objects that hold copies back.
 */
void report_details(const struct report *r, const struct run_state *s, struct buf *out);
/* Do some copies of the run wait in a queue, while others run? */
bool report_copies_wait(const struct run_state *s);
/* Appends counts: "worker 3/4 ready, ps 2/2 ready, 1 restart". */
void report_counts(const struct run_state *s, struct buf *out);
/* Appends one run in the form of the list "runs", on one line and without braces. */
void report_json_run(const struct run_state *s, struct buf *out);
/*
 * The state of a replica in one word: "waiting", "ready". When its local run has ended, "waiting" becomes "stopped" or
 * "unstarted".
 */
const char *report_replica_word(const struct run_state *s, const struct run_replica *r);
/* The number of replicas of a role that ended only because their local run ended. */
int64_t report_stopped(const struct run_state *s, const struct run_role *r);
/* Does the work of report_runs() for the JSON forms. */
void report_json(const struct report *r, struct buf *out);
/* The worst cause of the replicas of a role: "2 of 4 replicas: exit code 3"; empty if no replica has a problem. */
struct str report_role_cause(struct arena *a, const struct run_state *s, const struct run_role *r);

/* Appends an amount of memory in short form: "812Ki", "1.4Gi". */
void put_memory(struct buf *out, int64_t bytes);
/* Appends the ports of a replica, "http=20017,metrics=20018", as a member of a JSON object, followed by a comma. */
void report_json_ports(struct str ports, struct buf *out);
/*
 * Takes one of a replica's published ports, "http=6006,8080=8081", from the front of REST; false if REST contains no
 * port.
 */
bool report_published(struct str *rest, struct str *ret_port, struct str *ret_host);

#endif
