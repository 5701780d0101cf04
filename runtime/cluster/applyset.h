/*
 * applyset.h - the parent of a run: a ConfigMap that lists the objects of the run and stores the facts with which its
 * state can be judged without its program. Membership follows the ApplySet specification, so that other tools
 * understand it: the parent has an id as a label, every member has that id, and the parent lists the kinds that members
 * may have. Before the first member is written, the parent is written with the old and the new kinds; after the last
 * member, with the exact kinds. So every object can be found, whenever this process dies.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_APPLYSET_H
#define TRAINC_RUNTIME_CLUSTER_APPLYSET_H

#include "runtime/cluster/discovery.h"
#include "runtime/status/status_object.h"

#define APPLYSET_PART_OF "applyset.kubernetes.io/part-of"
#define APPLYSET_MANAGER "trainc"
#define APPLYSET_PARENT_MANAGER "trainc-applyset"
/*
 * The label that leaves a run to `trainc supervise`, its value for such a run, and its value after the run was taken
 * back.
 */
#define APPLYSET_CONTROLLER "trainc.dev/controller"
#define APPLYSET_SUPERVISE "supervise"
#define APPLYSET_NOBODY "none"
/* The label with which a namespace lets a controller attend what is in it. */
#define APPLYSET_SPACE_LABEL "trainc.dev/supervise"
#define APPLYSET_SPACE_ENABLED "enabled"

enum { APPLYSET_ID = 9 + 43 + 3 };      /* "applyset-" + base64url of 32 bytes + "-v1" */
/* 60 s during which a write is repeated, 65 s for the answer to the last one, and some seconds for clocks. */
enum { APPLYSET_BUSY_MS = 130000 };

/* The id of a parent: a function of its name, namespace, kind and group. */
struct str applyset_id(struct arena *a, struct str name, struct str ns, struct str kind, struct str group);
/* The name of a run's parent. It contains a dot, unlike any name that the compiler writes. */
struct str applyset_parent_name(struct arena *a, struct str run);
/* The path of a run's parent in the API. */
struct str applyset_parent_path(struct arena *a, struct str ns, struct str run);

/* An object that was applied, as the parent records it. */
struct applied {
	struct resource resource;
	struct str ns, name, uid;
	struct str hash;                /* digest of the object that was sent */
	bool kept;                      /* the object was created once and is never sent again: a generated Secret */
};

/* A Job that a restart of the whole run replaces. */
struct replaced {
	struct str name, old;           /* the Job's name, and the uid of the Job that is deleted */
	struct str uid;                 /* uid of the Job that has replaced the old one; empty: no Job has replaced it
					 * yet, so the restart is in progress */
	int64_t attempts;               /* the highest attempt number that any replica of the Job's role has had */
};

/* The contents of a parent. */
struct parent {
	bool there;
	struct str run, ns, uid, version;       /* name and namespace of the run, uid and resourceVersion of its
						 * parent */
	bool deleting;
	int64_t generation;             /* number of times the run was applied */
	struct str file;                /* the program's file, as given on the command line */
	struct str plan;                /* text of plan_record_write() */
	struct str history;             /* the launches of the run: runtime/run/run_history.h; empty: not known */
	struct str code;                /* the code of each role, as JSON; empty: no role has code */
	struct str hash;                /* digest of all objects that the program wants; parent_applying() while a
					 * command applies them; empty if it ended before all were applied */
	struct str verdict;             /* "Succeeded", "Failed", or empty: no verdict yet */
	struct str controller;          /* value of the label; empty: the parent does not have the label */
	int64_t attended;               /* the last generation that a controller has taken over; 0: no generation */
	struct str outcome;             /* how the run ended, written by the controller: runtime/run/outcome.h */
	/*
	 * restarts: the Jobs as they were sent, as a JSON list, if the run or copies of its cells may be restarted, the
	 * Jobs that the last restart of this generation replaces, and those that earlier restarts of copies replaced
	 */
	struct str jobs;
	struct str jobs_digest;         /* digest of `jobs`, for readers that do not read `jobs`: see vouch.h */
	struct status_restart restart;
	struct replaced *replaced, *earlier;
	size_t nreplaced, nearlier;
	struct applied *applied;        /* the objects; after a restart, the Jobs have the uids of the new Jobs */
	size_t napplied;
	struct resource *kinds;         /* kinds that members have or have had */
	size_t nkinds;
};

/*
 * Reads the parent of a run. Returns false with an explanation in WHY if the object was not written by trainc, or has
 * the name of another run's parent.
 */
bool parent_read(struct arena *a, const struct data *object, struct parent *ret, struct str *why);
/* Is the run left to `trainc supervise`? */
bool parent_is_left(const struct parent *p);
/* Has a controller taken over the current generation of the run? Then commands do not have to attend the run. */
bool parent_is_attended(const struct parent *p);
/*
 * The value of `hash` while a command applies the run. GOAL identifies what the command wants, NOW is the time of the
 * server in ns.
 */
struct str parent_applying(struct arena *a, struct str goal, int64_t now);
/*
 * Does another command than the one with this GOAL apply the run? RET_SINCE: its last sign of life before NOW, in ns.
 * A command that gave no sign for APPLYSET_BUSY_MS does not apply any more: none of its requests can be under way.
 */
bool parent_is_busy(const struct parent *p, struct str goal, int64_t now, int64_t *ret_since);
/* Has the last apply of the run ended, with all objects as its program says? */
bool parent_is_complete(const struct parent *p);
/* Does the parent hold the Jobs of the run, so that it, or a copy of a cell, may be restarted? */
bool parent_may_restart(const struct parent *p);
/* Does the parent list an object with this uid? */
bool parent_lists(const struct parent *p, struct str uid);
/* The text that records the last restart of the whole run. */
struct str parent_restart_text(struct arena *a, const struct parent *p);
/* The request body that applies the parent P. */
struct str parent_body(struct arena *a, const struct parent *p);
/* Adds a kind to the kinds of P, unless P already has it. */
void parent_add_kind(struct arena *a, struct parent *p, const struct resource *r);
/*
 * The request that merges N data, keys and texts, into the parent P if it still has the uid and the version that were
 * read: somebody who has applied or restarted the run since then makes it fail. MANAGER: the field manager.
 */
struct transport_request parent_patch(struct arena *a, const struct parent *p, const char *manager,
	const struct transport_pair *data, size_t n);
const struct applied *parent_find(const struct parent *p, const struct resource *r, struct str ns, struct str name);

#endif
