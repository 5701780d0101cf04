/*
 * report.h - the states of runs for people and scripts.  Everything is appended to a buffer,
 * nothing is printed.
 */
#ifndef TRAINC_RUNTIME_RUN_REPORT_H
#define TRAINC_RUNTIME_RUN_REPORT_H

#include "runtime/run/run_state.h"

enum report_form {
	REPORT_TABLE,                   /* a line for each role */
	REPORT_LIST,                    /* a line for each run */
	REPORT_WIDE,                    /* a line for each replica */
	REPORT_NAME,                    /* run/NAME */
	REPORT_JSON,
	REPORT_JSON_LINE,               /* the same in one line */
	REPORT_SVG, REPORT_HTML         /* a time line of each replica */
};

struct report {
	const struct run_state *const *runs;
	size_t n;
	enum report_form form;
	int64_t now;                    /* of the real-time clock: ages */
	/* columns of the terminal: causes are clipped; 0: no terminal, and nothing is escaped */
	unsigned width;
};
void report_runs(const struct report *r, struct buf *out);

/* The conditions that an operator's job would have, with reason "Run" and the type. */
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

/* "Succeeded in 3.2 s", "Failed: worker 2 exited with code 3": how a run has ended. */
void report_headline(const struct run_state *s, struct buf *out);
/* The last lines of the first failing rank, each behind "  worker/2 | ". */
void report_last_lines(const struct run_state *s, bool escape, struct buf *out);
/*
 * What a person asks next about a run in a cluster: the first failing rank with its last lines,
 * objects with problems, and the newest warnings.  Nothing when all is well.
 */
void report_details(const struct report *r, const struct run_state *s, struct buf *out);
/* "worker 3/4 ready, ps 2/2 ready, 1 restart" */
void report_counts(const struct run_state *s, struct buf *out);
/* One run as it is in "runs", in one line and without its braces. */
void report_json_run(const struct run_state *s, struct buf *out);
/* "waiting", "ready": what a replica does.  After a local run has ended, "waiting" becomes "stopped" or "unstarted". */
const char *report_replica_word(const struct run_state *s, const struct run_replica *r);
/* How many replicas of a role ended only because their local run ended. */
int64_t report_stopped(const struct run_state *s, const struct run_role *r);
/* report_runs() of the JSON forms. */
void report_json(const struct report *r, struct buf *out);
/* The worst cause that any replica of the role has: "2 of 4 replicas: exit code 3"; empty when all is well. */
struct str report_role_cause(struct arena *a, const struct run_state *s, const struct run_role *r);

/* So much memory, short: "812Ki", "1.4Gi". */
void put_memory(struct buf *out, int64_t bytes);
/* Ports of a replica, "http=20017,metrics=20018", as a member of a JSON object and the comma behind it. */
void report_json_ports(struct str ports, struct buf *out);
/* Takes one of a replica's published ports, "http=6006,8080=8081", from the front of REST: false when there is none. */
bool report_published(struct str *rest, struct str *ret_port, struct str *ret_host);

#endif
