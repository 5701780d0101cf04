/*
 * local.h - reads the options for runs on this machine, and starts such runs.
 */
#ifndef TRAINC_RUNTIME_COMMAND_LOCAL_H
#define TRAINC_RUNTIME_COMMAND_LOCAL_H

#include "runtime/local/keeper.h"
#include "runtime/command/backend.h"

/* Reads --isolate, --mount and the other options for local runs; false after reporting an error (status 2). */
bool local_options(struct session *s, struct engine_options *ret);

/*
 * Parses [HOSTPORT:]ROLE/N:PORT. On failure, reports the form that WHO, an option or a command, expects, and returns
 * false.
 */
bool local_published(struct session *s, const char *who, struct str text, struct published_port *ret);

/* Starts one job and prints the notes about the job. On an error, returns false and sets the exit status. */
bool local_start(struct session *s, const struct keeper_start *start, struct keeper *ret, int *ret_status);

/* The state directory; valid after backend_local.begin(). */
struct str local_state_dir(const struct session *s);

/* Functions of backend_local that are in files of their own. */
int local_apply(struct session *s, struct programs *all, struct attend *ret);
int local_preview(struct session *s, struct programs *all);
int local_forward(struct session *s, struct run_watch *w, const struct forward_order *o);
bool local_attach(struct attached *x, struct programs *all, int *ret_status);
void local_attach_changed(struct attached *x, size_t i);
bool local_attach_signal(struct attached *x, int signal);
int local_attach_end(struct attached *x, enum attend_end end, int status);
int local_remove(struct session *s, struct attend *a, struct changes *c);
int local_sync(struct session *s, struct run_watch *w, struct code_sync *what);

/* Prints each sentence of TEXT on a separate line, as a message of trainc. */
void local_say_lines(struct session *s, struct str text);

#endif
