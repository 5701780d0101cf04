/*
 * supervised.h - the common parts of passes over custom resources and of passes over runs: the end of a pass, and the
 * subject itself.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_SUPERVISED_H
#define TRAINC_RUNTIME_SUPERVISE_SUPERVISED_H

#include "runtime/supervise/supervise_control.h"

/* The suffix that follows the name of a run in the name of its record. */
#define RUN_RECORD_SUFFIX ".trainc"

/*
 * The size of the largest resource, in bytes of JSON without managed fields and without the annotation that kubectl
 * writes for its own use. `kubectl apply` cannot write larger ones, because that annotation contains the whole object.
 */
enum { SUPERVISED_LARGEST = 256 << 10 };

struct pass_end {
	int64_t begun;                  /* by the steady clock: when the pass started */
	bool ok;                        /* no request failed */
	bool changed;                   /* another pass is needed at once */
	bool rests;                     /* nothing more is to be done until the resource changes, or until `again` */
	bool waits;                     /* there was no memory for a plan: the next pass comes at `again` in any case */
	int64_t again;                  /* the latest time for the next pass, by controller_now(); or RULES_NEVER */
};

/*
 * May a pass over J send more requests? Not if the resource was deleted meanwhile, nor while no pass may start: the
 * watches may lack such a deletion, or another controller may hold the Lease soon.
 */
bool supervised_may_act(const struct supervised *j);
/* Ends the pass over J, and frees J if its resource was deleted meanwhile. */
void supervised_done(struct supervised *j, const struct pass_end *e);
/* Frees OLD and returns a copy of S that outlives the pass. */
char *supervised_keep(char *old, struct str s);
/* As supervised_keep(), but returns NULL when S is empty. */
char *supervised_keep_filled(char *old, struct str s);
/* Keeps STATUS as the status that J should have. */
void supervised_want(struct supervised *j, struct str status);
/* Writes the resource OBJECT as it is kept: without managed fields and kubectl's own annotation. */
void supervised_print(struct buf *b, const struct data *object);
/* Writes of a resource that is too large what is needed to refuse it: its names and its status. */
void supervised_print_outline(struct buf *b, const struct data *object);
/*
 * Frees what is kept of J beside its name and its version, because nothing is to be done for it now. The next pass
 * reads it again.
 */
void supervised_rest(struct supervised *j);
/* Frees the data of J; J must not be in the queue or have a pass under way. */
void supervised_free(struct supervised *j);

#endif
