/*
 * runs.h - what the commands for runs share: finding the runs that are meant, waiting for them, and reporting their
 * ends.
 */
#ifndef TRAINC_RUNTIME_COMMAND_RUNS_H
#define TRAINC_RUNTIME_COMMAND_RUNS_H

#include "runtime/command/backend.h"
#include "runtime/run/report.h"

/*
 * Finds the runs that the first N operands name. An operand is the name of a run, or a program, which is compiled to
 * find its jobs. Without operands: all runs of the backend. Returns false and sets the exit status after reporting an
 * error.
 */
bool runs_choose(struct session *s, const struct backend *b, size_t n, struct chosen *ret, int *ret_status);

/* Does the operand have the form of a file's name? */
bool runs_is_file(struct str operand);

/* Reports that namespace NS has no runs. If NS is empty, the report is about all namespaces. */
void runs_say_none(struct session *s, const struct backend *b, struct str ns);

/* The more serious of two exit statuses. A signal (128 and its number) is more serious than any other status. */
int runs_worse(int a, int b);
/*
 * Has the user agreed, by --yes or by an answer? If not, returns false and sets a status. VERB and DONE complete the
 * messages "--yes VERB without being asked" and "nothing was DONE".
 */
bool runs_agreed(struct session *s, const char *verb, const char *done, int *ret_status);

/* Opens all runs of the list; reports runs that do not exist. */
bool runs_watch(struct session *s, const struct chosen *c, struct attend *a, int *ret_status);
/* Opens the one run that the first operand means; false with a status after a report, also if it means several. */
bool runs_watch_one(struct session *s, const struct backend *b, struct attend *a, int *ret_status);
/* Is the state of the runs unknown because they cannot be watched? If so, this has already been reported. */
static inline bool runs_unknown(const struct attend *a) { return a->n && a->runs[0].lost; }

/* The name of the role that ROLE means in the run, if it is an address such as CELL/COPY/ROLE; otherwise ROLE. */
struct str runs_role_name(const struct run_watch *w, struct str role);
/* Parses "ROLE/N"; false after reporting that TEXT does not have this form. */
bool runs_replica(struct session *s, struct str text, struct str *role, struct str *number);

/*
 * Prepares the loop that every command uses: descriptors, --progress, --timeout. Returns false after reporting an
 * error.
 */
bool runs_attend_init(struct session *s, struct attend *a);
/* Adds the progress display; must be called after the runs are known. */
void runs_attend_open(struct session *s, struct attend *a);

/*
 * Reads a duration such as "500ms", "30s", "2min" or, in kubectl's form, "1h30m" from --timeout, --backoff or a similar
 * option. Returns false after reporting that the value is not a duration.
 */
bool runs_duration(struct session *s, enum option option, int64_t *ret);

/* The states that --for can name. */
enum run_goal { GOAL_CREATED, GOAL_SCHEDULED, GOAL_RUNNING, GOAL_COMPLETE };
enum run_goal runs_goal(const struct session *s, enum run_goal usual);
/* Has the run reached the state? Sets RET_FAILED when it is certain that the run never will. */
bool goal_reached(const struct run_watch *w, enum run_goal goal, bool *ret_failed);

/*
 * Waits until all runs have reached the state, or until it is certain that one of them never will. Prints the result
 * and returns the exit status (cmd_wait.c).
 */
int runs_wait(struct session *s, struct attend *a, enum run_goal goal);

/* Reports that the runs continue and how to stop or follow them; returns 128 + the number of the signal. */
int runs_interrupted(struct session *s, const struct attend *a);
/* After ATTEND_LOST: reports which runs continue unobserved, and why; returns the exit status. */
int runs_lost(struct session *s, const struct attend *a);
/*
 * Prints the verdict of each run that has ended on standard error. Returns 0, 8 if a run has not succeeded, or 5 if a
 * run was replaced.
 */
int runs_verdict(const struct attend *a, bool tell_success);
/* Prints a table of how each run has ended on standard error. */
void runs_results(const struct attend *a);
/* Prints the states on standard output in the form that --output selects. */
void runs_report(struct session *s, struct attend *a, enum report_form form);
/* Writes a report, which report_runs() has made, to standard output. */
void runs_write_report(struct session *s, enum report_form form, struct str text);
enum report_form runs_form(const struct session *s, enum report_form usual);

/* A digest of a job and of the options that affect its processes (runtime/run/identity.h). */
struct str runs_digest(struct session *s, const struct plan *plan, const struct plan_job *j);
/*
 * An option of COMMAND that runs.c lists neither as part of a run's identity nor as irrelevant to it; NULL if all
 * options are listed.
 */
const char *runs_undecided(enum command command);

#endif
