/*
 * runs.h - what the commands for runs share: which runs are meant, waiting for them, and the words
 * for their ends.
 */
#ifndef TRAINC_RUNTIME_COMMAND_RUNS_H
#define TRAINC_RUNTIME_COMMAND_RUNS_H

#include "runtime/command/backend.h"
#include "runtime/run/report.h"

/*
 * The runs that the first N operands mean: a name, or the jobs of a program (which
 * is compiled for that).  Without operands all runs of the backend.  False with the
 * status to leave with, after saying why.
 */
bool runs_choose(struct session *s, const struct backend *b, size_t n, struct chosen *ret, int *ret_status);

/* Of two exit statuses, the one that tells more. */
int runs_worse(int a, int b);
/* --yes, or a person's answer; false with a status.  "--yes VERB without being asked", "nothing was DONE". */
bool runs_agreed(struct session *s, const char *verb, const char *done, int *ret_status);

/* Opens all of them; reports those that do not exist. */
bool runs_watch(struct session *s, const struct chosen *c, struct attend *a, int *ret_status);

/* "ROLE/N"; false after saying that TEXT is none. */
bool runs_replica(struct session *s, struct str text, struct str *role, struct str *number);

/* Prepares the loop that every command uses: descriptors, --progress, --timeout.  False after saying what is wrong. */
bool runs_attend_init(struct session *s, struct attend *a);
/* Adds the progress display; to be called when the runs are known. */
void runs_attend_open(struct session *s, struct attend *a);

/* --timeout, --backoff and the like: "500ms", "30s", "2min"; false after saying that the value is no duration. */
bool runs_duration(struct session *s, enum option option, int64_t *ret);

/* --for: how far a run is to come. */
enum run_goal { GOAL_CREATED, GOAL_SCHEDULED, GOAL_RUNNING, GOAL_COMPLETE };
enum run_goal runs_goal(const struct session *s, enum run_goal usual);
/* Has the run reached the state?  `ret_failed`: it never will. */
bool goal_reached(const struct run_watch *w, enum run_goal goal, bool *ret_failed);

/*
 * Waits until all have reached it, or one never will: returns the status to leave with; everything
 * has been printed (cmd_wait.c).
 */
int runs_wait(struct session *s, struct attend *a, enum run_goal goal);

/* 128 + the signal, after saying that the runs go on and what can be done about them. */
int runs_interrupted(struct session *s, const struct attend *a);
/* The verdict of each run on standard error; 0, or 8 when one has not succeeded. */
int runs_verdict(struct session *s, const struct attend *a, bool tell_success);
/* The states as --output says, on standard output. */
void runs_report(struct session *s, struct attend *a, enum report_form form);
enum report_form runs_form(const struct session *s, enum report_form usual);

/* A digest of a job and of the options that change what runs (runtime/run/identity.h). */
struct str runs_digest(struct session *s, const struct plan *plan, const struct plan_job *j);
/* An option of COMMAND for which nobody has decided whether it is part of the identity; NULL when all are decided. */
const char *runs_undecided(enum command command);

#endif
