/*
 * apply.h - applies jobs of programs to the cluster: from their plans to the answers of the server.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_APPLY_H
#define TRAINC_RUNTIME_CLUSTER_APPLY_H

#include "compile.h"
#include "runtime/cluster/cluster.h"
#include "runtime/cluster/wanted.h"

enum apply_mode { APPLY_REAL, APPLY_DRY_SERVER, APPLY_DRY_CLIENT };

struct applying {
	struct cluster *cluster;
	struct session *session;
	struct arena *arena;
	struct trainc *program;
	const struct plan_job *job;
	struct str file;
	enum apply_mode mode;
	bool adopt, force_conflicts, recreate, rerun, refresh;
	bool compares;                  /* nothing is written: objects that another tool applied are compared, too */

	struct str ns, id;
	struct wanted_list wanted;
	struct wanted_list code;        /* the ConfigMaps with code; no members, since other runs may share them */
	struct str jobs;                /* the Jobs as a JSON list, if the whole run may be restarted; else empty */
	struct str plan;                /* the plan as the record holds it */
	struct str jobs_digest;         /* digest of `jobs` */
	size_t jobs_bytes;              /* size of the list of Jobs, even if it is too large for the record */
	struct parent before, now;      /* the parent as it was found, and as it will be written */
	struct members members;         /* the members that exist */
	struct run_state state;         /* state of the run before anything is changed; empty if the run does not
					 * exist */
	struct members surplus, ended;  /* members to delete: the program no longer has them, or the run starts over */
	bool going;                     /* no error has stopped the run yet */
	bool looked;
	struct str goal;                /* wanted_goal() */
	bool due;                       /* the run's parent is to be written now */
	bool sent;                      /* a stage of the run was sent */
	bool lost;                      /* another command has written the run's parent meanwhile: nothing more is
					 * changed */
	bool written;                   /* the last write of the run's parent succeeded */
	bool complete;                  /* every member exists and is unchanged */
	struct answer *answer;          /* answer to the last request about the run's parent */
	bool again;                     /* the parent must be written once more */
	bool unlabelled;                /* the namespace lacks the label with which controllers attend it by default */
	int64_t known_generation;       /* generation of the parent when it was last read or written */
	struct diags diags;             /* refusals of the server, with source positions in the program */
	int status;                     /* the worst status so far */
	bool wait;                      /* the command may wait for the run */
	bool forgot;                    /* the record said that a restart is in progress, and no Job vouched for that */
	bool over;                      /* the run has ended and stays as it is */
	bool brings_claim;              /* its code is written once the objects that the run brings for that exist */
	bool seen;                      /* `state` was read again after the run was applied, to be shown */
};

/* Jobs that are applied together, in one cluster. */
struct fleet {
	struct applying *at;
	size_t n;
	size_t going;                   /* number of runs that no error has stopped */
};

/* Applies all runs, step by step; sets the `status` of each. */
void apply_fleet(struct fleet *f);

/* ---- its parts ---- */

/* Reads the parents, members and states of all runs; a run that cannot be read is not applied. */
void apply_look_at(struct fleet *f);
/* Does the command watch its runs once they are applied? */
bool apply_follows(const struct session *s);
/* Does the command show the states of runs that it does not watch? */
bool apply_shows_state(const struct session *s);
/* Reads the states of runs that were just applied, to show them. */
void apply_look_again(struct fleet *f);
/*
 * Reads one run, and marks the objects that must be sent. KINDS: also finds the kinds and the owners of new names.
 * False: P->status has the reason.
 */
bool apply_look(struct applying *p, bool kinds);
/* Is the field of an object its size, which `scale` and autoscalers change? */
bool apply_is_size(struct str path);
/* Members that the program no longer has. */
struct members apply_surplus(const struct applying *p);
/* Prints the server's refusals. */
void apply_show_refusals(struct applying *p);
/* Finds the kinds of the objects on the server. */
bool apply_find_kinds(struct applying *p);
/*
 * Reports new objects whose names are already taken by other objects, over all runs, and sets the status of the runs
 * with such objects. Returns false if a name is taken.
 */
bool apply_find_names(struct fleet *f);

/* Should a controller attend the run, because of the option or of an earlier apply? */
bool apply_wants_controller(const struct applying *p);
/* Reports a run that cannot be left to a controller, and returns false: such a run is not applied. */
bool apply_may_control(struct applying *p);
/*
 * Sets `jobs`, from which an attendant restarts the whole run. It stays empty when the job has no restarts, when
 * another controller creates its Jobs, and when the Jobs are too large for the record.
 */
void apply_set_restarts(struct applying *p);
/* The maximum number of restarts of the whole run that will be recorded. */
int64_t apply_restarts(const struct applying *p);
/* Does the record permit the restarts that the program has? */
bool apply_keeps_restarts(const struct applying *p);
/*
 * Forgets a restart in the record that no Job vouches for: anybody who may write ConfigMaps may have written it. Must
 * be called when the members of the run are known.
 */
void apply_forget_restart(struct applying *p);
/* Does an existing object of the run vouch for the record as it will be written? True for kinds that never do. */
bool apply_is_vouched(const struct applying *p, const struct wanted *w, const struct member *m);
/* Does the record say what this apply would write into it, apart from the progress of the run? */
bool apply_record_fits(const struct applying *p);
/* Writes the digest of the run's record into the objects to send that vouch for it: vouch.h. */
void apply_vouch(struct applying *p);
/*
 * Is the whole run being restarted, so that nothing is applied now? A program that has changed is refused until the
 * restart is complete.
 */
bool apply_restart_under_way(struct applying *p);
/*
 * Keeps live values in the objects to send: `suspend`, which a queue or a person may have changed since the last apply,
 * and the values that a restart of the whole run has added.
 */
void apply_share_live_values(struct applying *p);
/*
 * Waits briefly for a controller to take over each run that is left to a controller; sets `attended` of the run's
 * parent.
 */
void apply_await_controllers(struct fleet *f);

/* Writes the parent of a run before the first member, and after the last one. */
void apply_begin_record(struct applying *p);
void apply_end_record(struct applying *p, bool complete);
/* Writes the parents of all runs and reports failures; sets `written` of each. */
void apply_write_records(struct fleet *f);
/*
 * Writes the parents of the runs that are `due` again, before more of their objects are changed. If another command has
 * written a parent meanwhile, its run is `lost`. A run whose parent could not be written is not `complete`.
 */
void apply_renew_records(struct fleet *f);
/* The same for one run; false: no more of its objects may be changed. */
bool apply_renew_record(struct applying *p);
/* Reports that another command applies another program as this run now, and returns true. */
bool apply_is_busy(struct applying *p);
/*
 * Checks everything that can be known before the first write: permissions, the kinds that the server serves, and
 * missing objects.
 */
bool apply_preflight(struct applying *p);
/* Sends the changed objects, stage by stage. If an object of a run is refused, no later stage of that run is sent. */
void apply_send(struct fleet *f);
/* Reports why the server refused an object, at the source position of the field; returns the exit status. */
int apply_refused(struct applying *p, struct wanted *w);
/*
 * Did the server, or a webhook of a controller, refuse the object because a field cannot be changed while the object
 * exists?
 */
bool apply_immutable(const struct answer *x);
/* Adds to D a help that suggests --recreate for the object. */
void apply_help_recreate(struct applying *p, struct diag *d, const struct wanted *w);
/* Is C about the salt of a Secret? Whoever applies a copy of the Secret becomes a manager of its salt, too. */
bool apply_is_salt(const struct transport_cause *c);
/* Reports who else has set the salt of the Secret W; apply overwrites that salt. */
void apply_tell_salt(struct applying *p, const struct wanted *w);
/* Reports fields that other managers own. */
void apply_conflict(struct applying *p, struct wanted *w);
/* Fills the generated Secrets that do not exist yet. */
bool apply_generate(struct applying *p);
/*
 * Marks objects that a controller has created from another object of the run and that only change when they are created
 * again. If --recreate is needed for that, reports it and returns false.
 */
bool apply_find_outdated(struct applying *p);
/* Replaces an object whose immutable fields have changed (--recreate). */
bool apply_replace(struct applying *p, struct wanted *w);
/*
 * Finds out which ConfigMaps with code must be written, by their metadata: those that are missing, or that the record
 * of the run does not own. A run whose code cannot be read is not applied.
 */
void apply_look_at_code(struct fleet *f);
/* Needs no ConfigMap with code to be written? Only after apply_look_at_code(). */
bool apply_has_code(const struct applying *p);
/*
 * Writes the ConfigMaps with code before the workloads that need them, and then once more with the workloads as owners:
 * Kubernetes deletes them when the records and workloads of all runs that share them are gone. A run whose code cannot
 * be written is not `complete`.
 */
void apply_code(struct fleet *f);
void apply_code_owners(struct fleet *f);
/*
 * Writes the code of runs that start pods, as far as it travels by a claim, to that claim. Runs whose code cannot be
 * written are not sent. LATE: of the runs that bring the claim, or an account or Secret, themselves; these have been
 * sent by now. Otherwise of the other runs.
 */
void apply_upload(struct fleet *f, bool late);
/* The manager of the fields that a run sets in ConfigMaps with code. */
struct str apply_code_manager(const struct applying *p);
/*
 * Removes the ConfigMaps with earlier code of the runs that were applied completely, unless other runs need them.
 */
void apply_code_forget(struct fleet *f);
/* Builds the request that applies one object. */
struct transport_request apply_request(struct applying *p, const struct wanted *w, bool force);
/* Records the outcome of an object that the server accepted. */
void apply_taken(struct applying *p, struct wanted *w);
/* Prints "Job/bert-worker created", unless the user asked for another form of output. */
void apply_tell(struct applying *p, struct str name, const char *verb);

#endif
