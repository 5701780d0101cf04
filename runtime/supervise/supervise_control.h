/*
 * supervise_control.h - what the parts of the controller share: one connection, one queue, the objects that
 * exist, and the supervised jobs.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_SUPERVISE_CONTROL_H
#define TRAINC_RUNTIME_SUPERVISE_SUPERVISE_CONTROL_H

#include "import/custom.h"
#include "runtime/cluster/client.h"
#include "runtime/cluster/object_watch.h"
#include "runtime/supervise/metrics.h"
#include "runtime/supervise/queue.h"
#include "runtime/supervise/shard.h"
#include "runtime/supervise/store.h"

struct supervised;
struct tenant;

/* All tenants (tenant.h), chained by the hash of the namespace. */
struct tenant_table {
	struct tenant **at;
	size_t slots, n;
	size_t named;                   /* number of tenants that the metrics name */
};

struct controller {
	struct session *session;
	void *owner;                    /* private to supervise.c */
	struct client client;
	struct store store;             /* objects of jobs */
	struct store run_objects;       /* objects of runs */
	struct queue queue;
	struct metrics metrics;
	int64_t request_time;           /* running mean, in ns, of the duration of requests about pods, Services and
					 * statuses */
	int64_t created_at;             /* by loop_now(): when a pod or a Service was last created */
	struct loop_timer trim;         /* fires a moment after passes: free memory is returned to the system */
	struct tenant_table tenants;
	struct useless *useless;        /* dependents that cannot be used; see useless.h */
	double useless_tokens;          /* number of useless objects that may still be named at once */
	int64_t useless_at;             /* by loop_now(): when `useless_tokens` was computed */
	size_t useless_unsaid;          /* number of useless objects that were not named */
	/* bytes that may be kept of jobs and their objects, and that are kept: budget.h */
	size_t budget, kept;
	size_t nheld;                   /* number of jobs that are held until there is room for them */
	size_t plan_bytes;              /* memory of all compiled plans: plan_cache.h */
	struct loop_timer room;         /* fires when there may be room for held jobs */
	struct supervised **by_name;    /* jobs, chained by the hash of their names */
	size_t slots, njobs;
	struct pass *passes;            /* all passes over jobs that are under way */
	struct run_pass *run_passes;    /* all passes over runs that are under way */
	struct supervised *plan_first, *plan_last;      /* jobs whose compiled plan is kept, the most recently used
							 * first */
	size_t nplans;
	struct str ns;                  /* the only namespace that this controller looks after; empty: all */
	/*
	 * the label of the namespaces that this controller looks after, as a label selector; empty: `ns`, or all
	 * namespaces
	 */
	struct str selector;
	struct shard shard;             /* selects the namespaces of this process */
	const struct object_watch *pods, *services, *jobs;      /* the watches of dependents; NULL: the kind is not
								 * watched at the moment */
	struct str identity;            /* identity of this process: for the Lease and for Events */
	bool runs;                      /* attend the runs of `trainc apply --controller` */
	bool operators, ancestors;      /* which kinds to look after: the kinds of the training operator, and the kinds
					 * that preceded them */
	unsigned left_out;              /* bit I: the kind custom_kind(I) is left to another controller */
	struct custom_options custom;   /* how custom resources are read */
};

/* A custom resource, or the record of a run, with all known facts about its job. */
struct supervised {
	struct controller *control;
	struct tenant *tenant;          /* the namespace of the job */
	const struct custom_kind *kind; /* the kind of the resource; `run_record_kind` for a run */
	struct queue_item item;
	struct supervised *next;        /* the next job in the same slot of the hash table */
	uint32_t hash;
	char *text;                     /* the resource, as JSON; NULL: the next pass reads it again */
	size_t ntext;
	bool oversized;                 /* the resource is too large; `text` lacks its spec */
	size_t size;                    /* size of the resource as JSON when it was last seen */
	size_t counted;                 /* bytes that are counted as kept of the job: budget.h */
	int64_t created;                /* when the resource was created */
	struct str ns, name, uid;       /* namespace, name and uid, inside `texts` */
	struct str label;               /* "JAXJob ml/bert", or "run ml/bert", for lines of the log */
	char version[24];               /* resourceVersion of the resource when it was last seen */
	/* decide_record_print() of the record after the last pass; NULL: the record must be read from the resource */
	char *record;
	char *durable;                  /* current value of the annotation; NULL: the resource does not have the
					 * annotation */
	/* the status that the last pass wanted, as a merge patch; NULL: no pass has ended yet */
	char *wanted;
	struct custom_plan *plan;       /* compiled from generation `generation`; NULL: no plan is kept */
	struct supervised *plan_next, *plan_before;
	size_t plan_bytes;              /* memory of the plan */
	size_t held_at;                 /* place + 1 among the jobs that wait until there is room; 0: not there */
	size_t need;                    /* if the job is held: the bytes that it waits for */
	size_t reserved;                /* bytes in `counted` that are set aside for a job that was held */
	int64_t generation;             /* generation from which the plan was compiled */
	int64_t seen_generation;        /* generation of the resource as it was last seen */
	char *objects_made;             /* the existing objects except pods and Services, "Kind/name\n" each */
	char *warnings;                 /* the warnings about the job that were written as Events; NULL: none */
	char *configs;                  /* contents of the job's ConfigMaps, as last written; NULL: unknown */
	char *scaler;                   /* spec of the job's autoscaler; empty: it was deleted, NULL: unknown */
	char *refused_copy;             /* the copy of a cell whose restart was refused last; NULL: none was */
	char *rights;                   /* rules of the job's Role (pass_rights.c); empty: no Role, NULL: unknown */
	char *rights_uid;               /* its uid, if there are rules */
	double event_tokens;            /* number of Events that may still be written at once */
	int64_t event_at;               /* by loop_now(): when `event_tokens` was computed */
	int64_t write_by;               /* by loop_now(): when a status that may wait must be written; 0: no status
					 * waits */
	int64_t wait_began;             /* by loop_now(): since when the status waits */
	bool written;                   /* the status of the resource is `wanted` */
	bool group_gone;                /* the PodGroup was deleted and has not been created again */
	bool useless;                   /* the current form of the resource cannot be used */
	bool refused;                   /* the last pass found that the resource does not compile */
	bool doubted;                   /* it was reported that no live object vouches for the record of the run */
	int64_t doubtful;               /* by loop_now(): since when no live object vouches for it; 0: one does */
	uint32_t warned;                /* hash of the last warning that was logged about a pass; 0: none since a pass
					 * without a warning */
	bool rests;                     /* nothing is to be done until the resource changes: its data may be freed */
	bool gone;                      /* the resource was deleted while a pass was under way */
	char texts[];                   /* text of `label`, which contains the namespace and the name, and then the
					 * uid */
};

/* Stands for the kind of run records where a custom resource would have its kind. */
extern const struct custom_kind run_record_kind;

/*
 * The time by the clock of the API server: the API server, and controllers on other machines, wrote the times in
 * objects.
 */
int64_t controller_now(const struct controller *c);

#endif
