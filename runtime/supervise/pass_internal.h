/*
 * pass_internal.h - a pass that is under way, and its steps. A step sends at most one request per call and returns true
 * if it has sent a request; it is called until it returns false. The answer to a request is handled by the step that
 * sent it, and the handler ends with pass_answered().
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_PASS_INTERNAL_H
#define TRAINC_RUNTIME_SUPERVISE_PASS_INTERNAL_H

#include "data/data.h"
#include "emit/listed.h"
#include "runtime/decide/decide.h"
#include "runtime/supervise/supervised.h"

/* The value of `managedBy` that selects this controller. */
#define CONTROLLER "kubeflow.org/training-operator"

enum step { STEP_READ, STEP_KEEP, STEP_VERDICT, STEP_SCALER, STEP_SHARED, STEP_CONFIG, STEP_GROUP,
	STEP_WITHDRAW, STEP_ACT, STEP_GRANT, STEP_LEAD, STEP_UNGROUP, STEP_STATUS, STEP_REMOVE, STEP_END };

struct pass {
	struct pass *later, *earlier;   /* links of the list of all passes under way */
	struct supervised *job;
	void (*go_on)(struct pass *p);  /* called after each answer: sends the next requests */
	struct pass_request *requests;  /* all requests of the pass, the newest first */
	struct pass_request *spare;     /* requests that have ended; new requests reuse their memory */
	struct arena arena;
	int64_t begun;                  /* by the steady clock: when the pass started */
	const struct data *resource;    /* NULL: it does not exist any more, or cannot be used */
	struct str text;                /* the text of the resource, in `arena` */
	const struct custom_plan *plan;
	struct seen_list seen;
	struct decision d;
	struct job_conditions before;
	bool was_finished;
	struct str durable, status;     /* the annotation and the status to write; an empty status: no change */
	struct emit_listing shared;
	enum step step;
	size_t next, pending;           /* requests of the step: the next to send, and those under way */
	bool waits;                     /* there was no memory for a plan */
	bool rests;                     /* nothing more is to be done until the resource changes, or `d.again` */
	bool held;                      /* the gang of the job cannot start yet: no pod is created */
	bool granted;                   /* the pods that need the job's Role may be created */
	bool failed;                    /* a request was refused, or its outcome is unknown */
	bool cut_short;                 /* supervised_may_act() was false: the rest is left to another pass */
	/* an answer removed an object; the watch will not report that, so another pass is needed */
	bool changed;
};

/* A request that a step has sent. */
struct pass_request {
	struct pass *pass;
	struct pass_request *next, *next_spare;
	struct transport_request request;
	const struct decide_action *action;     /* the action that the request carries out; NULL: the request belongs to
						 * another step */
	const struct data *tree;        /* the shared object that the request is about; NULL: the request is about no
					 * shared object */
	struct str text;                /* for the use of the step */
	/* memory of this request and its answer alone: a job of a thousand replicas makes thousands of requests */
	struct arena own;
	int64_t begun;                  /* by the steady clock: when the request was sent */
};

/* ---- requests (pass_request.c) ---- */

/* A new request of the pass, all zero. */
struct pass_request *pass_request_new(struct pass *p);
/* Frees a request that nothing refers to any more; the next request reuses its memory. */
void pass_request_over(struct pass_request *s);
/*
 * Sends S->request, whose memory may be in S->own, and then empties S->own. When the answer arrives, DONE is called
 * with S and the answer.
 */
void pass_send(struct pass *p, struct pass_request *s, enum call_repeat repeat,
	void (*done)(void *to, const struct transport_result *r));
/* Notes that a request has been answered, and continues the pass. */
void pass_answered(struct pass *p);
/* Notes that a request failed, and logs why. */
void pass_give_up(struct pass *p, const struct transport_result *r);
/* Updates the running mean of request times: the latest request counts for a sixteenth. */
void pass_note_time(const struct pass_request *s);

/* ---- the resource (pass_read.c) ---- */

enum { PASS_READ_MOST = 1 << 20 };      /* the largest answer about a resource that is read */

/* Reads the resource, from memory or from the API server. */
bool pass_read(struct pass *p);

/* ---- the decision (pass_decide.c) ---- */

/* Decides what happens to a job whose plan is known, and reports new conditions. */
void pass_decide(struct pass *p);
/* Handles a resource that does not compile: its status says why, unless the job continues with an earlier plan. */
void pass_refuse(struct pass *p);

/* ---- steps ---- */

/* Writes the status, or leaves it to a later pass when only counts are new (pass_status.c). */
bool pass_status(struct pass *p);
/*
 * Writes a verdict before pods are deleted, because deleting them destroys the facts from which the verdict was
 * derived.
 */
bool pass_verdict(struct pass *p);

/* Creates the objects that all replicas share, one after the other (pass_shared.c). */
bool pass_shared(struct pass *p);
/*
 * Makes sure that the autoscaler exists from the first pods on, except while the job is suspended. The job owns the
 * autoscaler, so both are deleted together.
 */
bool pass_scaler(struct pass *p);
/*
 * Rewrites the ConfigMaps of the job when their contents change, as the file with the hosts of an MPIJob does when the
 * number of its workers changes.
 */
bool pass_config(struct pass *p);
/* Reads the PodGroup of a gang, which decides whether pods may be created yet. */
bool pass_group(struct pass *p);
/* Deletes the PodGroup of a job that has ended or is suspended, so that it reserves no room. */
bool pass_ungroup(struct pass *p);

/*
 * Carries out the decision about single replicas (pass_act.c): in STEP_ACT about all except pods that need the job's
 * Role, in STEP_LEAD about these.
 */
bool pass_act(struct pass *p);

/* ---- shared objects (pass_shared.c) ---- */

/* Is TREE a Role or a RoleBinding? The functions of pass_rights.c create these. */
bool pass_is_right(const struct data *tree);
/* Sends the request that creates TREE; returns false if it is known that the object exists. */
bool pass_make_shared(struct pass *p, const struct data *tree);
/* Is the owner with the given uid an owner of the object? */
bool pass_is_owned(const struct data *object, struct str uid);
/* Reports that the object TREE has another owner. The job waits until that object is gone. */
void pass_report_foreign(struct pass *p, const struct data *tree);

/* ---- the Role of a job (pass_rights.c) ---- */

/* Does the framework give a Role to some pods of the job? */
bool pass_has_rights(const struct pass *p);
/* Does the Role of the job apply to the pods of a role of the plan? Then they are created after it. */
bool pass_waits_for_rights(struct pass *p, int role);
/* Removes from the Role the names of pods that do not belong to the job any more, or that this pass deletes. */
bool pass_withdraw(struct pass *p);
/*
 * Creates the Role and its RoleBinding if all pods that they are about exist and belong to the job, and adds new pods
 * to the Role. Sets `granted` of the pass.
 */
bool pass_grant(struct pass *p);

#endif
