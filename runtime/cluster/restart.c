/*
 * restart.c - one pass over a restart: reads the record, starts or continues the restart, examines each Job, deletes
 * old Jobs, creates missing Jobs, and records the Jobs that exist. A pass ends when it has to wait for something; the
 * caller repeats it.
 *
 * Anybody who may write ConfigMaps may have written the record. Therefore a restart only starts if the live Jobs vouch
 * for the record and have the form of the stored Jobs, and it only continues if its voucher exists: vouch.h.
 */
#include "runtime/cluster/restart.h"

#include "base/words.h"
#include "data/data_read.h"
#include "data/data_write.h"
#include "runtime/cluster/vouch.h"
#include "runtime/cluster/wanted.h"
#include "runtime/status/attempts.h"
#include "runtime/status/copies.h"

/*
 * TRIES_MOST: maximum number of passes while others write the record in between. EVIDENCE: longest time of
 * restart_patience() in seconds. VOUCHER_YOUNG: seconds in which a voucher of another restart may belong to another
 * attendant that is about to record it.
 */
enum { TRIES_MOST = 6, EVIDENCE = 5, VOUCHER_YOUNG = 60 };
#define NO_VOUCHER "the record says that a restart is in progress, but no Job vouches for it"

struct restart_job {
	struct restart *restart;
	struct replaced *replaced;      /* entry of the Job in the record */
	struct data *tree;              /* the object to send */
	bool there;                     /* the new Job exists */
	bool owned;                     /* the new Job is still owned by the record */
	struct str ours;                /* uid of the Job that this pass has created */
	bool old, deleting;             /* the old Job still exists; the old Job is being deleted */
};

static void read_record(struct restart *r);

/* ---- requests ---- */

static struct str job_path(const struct restart *r, struct str name)
{
	return resource_path(r->arena, resource_known(STR("batch"), STR("Job")), r->ns, name);
}

static void send_restart(struct restart *r, struct transport_request q,
	void (*done)(void *to, const struct transport_result *x), void *to)
{
	q.done = done;
	q.to = to;
	q.share = r->share;
	r->pending++;
	call_start(r->calls, &q, CALL_REPEAT, NULL);
}

/* Ends the pass. R may have been freed when this returns. */
static void end_restart(struct restart *r, enum restart_end end)
{
	r->end = r->error.n ? RESTART_FAILED : end;
	r->done(r);
}

static void note_refusal(struct restart *r, const struct transport_result *x)
{
	if (!r->error.n)
		r->error = str_copy(r->arena, x->error.n ? x->error : STR("the API server gave no answer"));
}

/* Refuses a restart because no live object vouches for what the record says: nothing is created or deleted. */
static void note_unvouched(struct restart *r, struct str why)
{
	r->unvouched = true;
	if (!r->error.n)
		r->error = why;
}

/* The object in an answer, or NULL. */
static struct data *object_of(struct restart *r, const struct transport_result *x)
{
	struct source source = { .text = str_copy(r->arena, x->body), .base = 1 };
	struct data_error error;
	struct data *d;

	return transport_ok(x) && data_read_json(r->arena, &source, &d, &error) && d->kind == DATA_MAP ? d : NULL;
}

/* ---- the record ---- */

/* Patches the record if it still has the version that was read. */
static void write_record(struct restart *r, void (*done)(void *to, const struct transport_result *x))
{
	struct transport_pair data = { STR("restart"), parent_restart_text(r->arena, &r->parent) };

	send_restart(r, parent_patch(r->arena, &r->parent, r->manager, &data, 1), done, r);
}

/*
 * Handles a refused write of the record. After a conflict the record is read again, since this pass may have created
 * Jobs of a run that was deleted meanwhile.
 */
static void record_refused(struct restart *r, const struct transport_result *x)
{
	if ((x->code == 409 || x->code == 404) && ++r->tries < TRIES_MOST) {
		read_record(r);
		return;
	}
	if (x->code != 409 && x->code != 404)
		note_refusal(r, x);
	end_restart(r, RESTART_NOTHING);
}

static void end_recorded(void *to, const struct transport_result *x)
{
	struct restart *r = to;

	r->pending--;
	if (transport_ok(x))
		end_restart(r, r->abandoned ? RESTART_NOTHING : RESTART_DONE);
	else
		record_refused(r, x);
}

/* ---- deleting ---- */

static void note_deleted(struct restart *r, const struct transport_result *x)
{
	if (!transport_ok(x) && x->code != 404 && x->code != 409)
		note_refusal(r, x);
	r->pending--;
}

static void job_deleted(void *to, const struct transport_result *x)
{
	struct restart *r = to;

	note_deleted(r, x);
	if (!r->pending)
		end_restart(r, RESTART_WAITS);
}

static void delete_job(struct restart *r, struct str name, struct str uid,
	void (*done)(void *to, const struct transport_result *x))
{
	struct buf b = { 0 };

	buf_z(&b, "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\",\"propagationPolicy\":\"Foreground\","
		"\"preconditions\":{\"uid\":");
	data_write_text(&b, uid);
	buf_z(&b, "}}");
	send_restart(r, (struct transport_request){ .method = TRANSPORT_DELETE, .kind = TRANSPORT_WRITE,
		.path = job_path(r, name), .body = buf_take(&b, r->arena) }, done, r);
	buf_release(&b);
}

/* ---- the end: the new Jobs lose their owner, the voucher is deleted, and the new Jobs are recorded ---- */

static void voucher_dismissed(void *to, const struct transport_result *x)
{
	struct restart *r = to;

	note_deleted(r, x);
	if (r->error.n)
		end_restart(r, RESTART_FAILED);
	else
		write_record(r, end_recorded);
}

/* Deletes the voucher. From now on the restart is complete, because the new Jobs themselves show its number. */
static void dismiss_voucher(struct restart *r)
{
	struct str uid = r->voucher;

	r->voucher = STR("");
	if (uid.n)
		delete_job(r, voucher_name(r->arena, r->judged.run), uid, voucher_dismissed);
	else
		write_record(r, end_recorded);
}

static void job_released(void *to, const struct transport_result *x)
{
	struct restart *r = to;

	note_deleted(r, x);             /* a Job that is gone or was replaced does not matter here */
	if (r->pending)
		return;
	if (r->error.n)
		end_restart(r, RESTART_FAILED);
	else
		dismiss_voucher(r);
}

/*
 * Ends a restart whose new Jobs all exist. They have been owned by the record, so that the cluster would have deleted
 * them if the run had been deleted meanwhile. From now on, whoever may only delete ConfigMaps cannot have them deleted.
 */
static void release_jobs(struct restart *r)
{
	static const struct transport_pair query = { { "fieldManager", 12 }, { APPLYSET_MANAGER,
		sizeof APPLYSET_MANAGER - 1 } };

	for (size_t i = 0; i < r->njobs; i++) {
		const struct replaced *x = r->jobs[i].replaced;
		struct transport_request q = { .method = TRANSPORT_PATCH, .kind = TRANSPORT_WRITE, .query = &query,
			.nquery = 1, .path = job_path(r, x->name),
			.content_type = STR("application/merge-patch+json") };
		q.body = str_printf(r->arena, "{\"metadata\":{\"uid\":\"%.*s\",\"ownerReferences\":null}}",
			STR_ARG(x->uid));
		if (r->jobs[i].owned)
			send_restart(r, q, job_released, r);
	}
	if (!r->pending)
		dismiss_voucher(r);
}

/* ---- the Jobs ---- */

static void job_created(void *to, const struct transport_result *x)
{
	struct restart_job *j = to;
	struct restart *r = j->restart;
	struct data *o = object_of(r, x);
	struct str uid = status_text(o, "metadata.uid");

	if (!transport_ok(x))
		note_refusal(r, x);
	j->there = uid.n && !str_eq(uid, j->replaced->old);
	j->ours = j->replaced->uid = j->there ? uid : STR("");
	j->owned = j->there && status_owned_by(o, r->parent.uid);
	if (--r->pending)
		return;
	bool all = true;
	for (size_t i = 0; i < r->njobs; i++)
		all = all && r->jobs[i].there;
	if (all)
		release_jobs(r);
	else
		end_restart(r, RESTART_WAITS);
}

/* The request body for a Job. The record owns it, so that the cluster deletes it if the record is deleted meanwhile. */
static struct str job_body(struct restart *r, struct restart_job *j)
{
	const struct status_restart *now = &r->parent.restart;
	struct buf b = { 0 };

	wanted_own(r->arena, j->tree, applyset_parent_name(r->arena, r->judged.run), r->parent.uid);
	wanted_annotate(r->arena, j->tree, STR(VOUCH_ANNOTATION), vouch_digest(r->arena, &r->parent));
	if (now->number)
		wanted_annotate(r->arena, j->tree, STR(VOUCH_RESTARTED), str_int(r->arena, now->number));
	if (now->copy.n)
		wanted_annotate(r->arena, j->tree, STR(COPY_RESTARTS_ANNOTATION), str_printf(r->arena, "%lld %lld",
			(long long)now->count, (long long)now->series));
	if (j->replaced->attempts)
		wanted_annotate(r->arena, j->tree, STR(ATTEMPTS_ANNOTATION), str_int(r->arena, j->replaced->attempts));
	data_write(&b, j->tree);
	struct str body = buf_take(&b, r->arena);
	buf_release(&b);
	return body;
}

/*
 * Creates the new Jobs that do not exist yet. The old Jobs and their pods are gone by now. The requests do not force:
 * if somebody has just created another Job of that name, the fields conflict.
 */
static void create_jobs(struct restart *r)
{
	static const struct transport_pair query[] = { { { "fieldManager", 12 }, { APPLYSET_MANAGER,
		sizeof APPLYSET_MANAGER - 1 } }, { { "force", 5 }, { "false", 5 } } };
	size_t missing = 0;

	for (size_t i = 0; i < r->njobs; i++)
		missing += !r->jobs[i].there;
	if (!missing) {
		release_jobs(r);
		return;
	}
	if (!r->voucher.n) {
		note_unvouched(r, STR(NO_VOUCHER));
		end_restart(r, RESTART_FAILED);
		return;
	}
	for (size_t i = 0; i < r->njobs && missing; i++) {
		struct restart_job *j = &r->jobs[i];
		if (j->there)
			continue;
		send_restart(r, (struct transport_request){ .method = TRANSPORT_PATCH, .kind = TRANSPORT_WRITE,
			.path = job_path(r, j->replaced->name), .query = query, .nquery = 2, .body = job_body(r, j),
			.content_type = STR("application/apply-patch+yaml") }, job_created, j);
	}
}


/*
 * Ends the restart of a copy of a run that has a verdict meanwhile: the Jobs that it has created are Jobs of the run,
 * and end like the others. No more are created.
 */
static void abandon_restart(struct restart *r)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->njobs; i++) {
		if (!r->jobs[i].there)
			continue;
		r->parent.replaced[kept] = *r->jobs[i].replaced;
		r->jobs[kept] = r->jobs[i];
		r->jobs[kept].replaced = &r->parent.replaced[kept];
		kept++;
	}
	r->njobs = r->parent.nreplaced = kept;
	release_jobs(r);
}

/* Deletes the old Jobs that exist, or creates the new Jobs if no old Job exists. */
static void replace_jobs(struct restart *r)
{
	bool old = false;

	if (r->abandoned && !r->error.n) {
		abandon_restart(r);
		return;
	}

	for (size_t i = 0; i < r->njobs; i++)
		old = old || r->jobs[i].old;
	if (r->error.n) {
		end_restart(r, RESTART_FAILED);
		return;
	}
	if (!old) {
		create_jobs(r);
		return;
	}
	for (size_t i = 0; i < r->njobs; i++)
		if (r->jobs[i].old && !r->jobs[i].deleting)
			delete_job(r, r->jobs[i].replaced->name, r->jobs[i].replaced->old, job_deleted);
	if (!r->pending)
		end_restart(r, RESTART_WAITS);
}

/* Is the Job a Job of this run, for whose record it vouches? A Job without an owner was created by `apply`. */
static bool is_job_of_run(struct restart *r, const struct data *job)
{
	return str_eq(status_label(job, "trainc.dev/job"), r->judged.run) && vouch_owner_fits(job, &r->parent) &&
		vouch_by(job, vouch_digest(r->arena, &r->parent));
}

static void note_foreign(struct restart *r, const struct restart_job *j)
{
	if (!r->error.n)
		r->error = str_printf(r->arena, "Job '%.*s' exists and does not belong to the run",
			STR_ARG(j->replaced->name));
}

/* Has the restart that is in progress created the Job? */
static bool is_new_job(const struct restart *r, const struct data *job)
{
	const struct status_restart *now = &r->parent.restart;

	return vouch_number(job) == now->number && (!now->copy.n || copy_restarts_noted(job).count == now->count);
}

/*
 * Examines a Job while the restart is in progress. A Job that is deleted must be a Job of the run from before the
 * restart, and a Job that counts as new must have been created by this restart.
 */
static void job_seen(void *to, const struct transport_result *x)
{
	struct restart_job *j = to;
	struct restart *r = j->restart;
	struct data *o = object_of(r, x);
	struct str uid = status_text(o, "metadata.uid");
	bool new = is_new_job(r, o);

	if (!transport_ok(x) && x->code != 404)
		note_refusal(r, x);
	j->deleting = status_text(o, "metadata.deletionTimestamp").n > 0;
	j->old = uid.n && (j->deleting || (str_eq(uid, j->replaced->old) && !new));
	j->there = uid.n && !j->old;
	if (j->there && (!new || !is_job_of_run(r, o)))
		note_foreign(r, j);
	else if (j->old && !j->deleting && !is_job_of_run(r, o))
		note_unvouched(r, str_printf(r->arena, "Job '%.*s' does not vouch for the record",
			STR_ARG(j->replaced->name)));
	else if (j->old && !j->deleting && !r->voucher.n)
		note_unvouched(r, STR(NO_VOUCHER));
	if (j->there)
		j->replaced->uid = uid;
	j->owned = j->there && status_owned_by(o, r->parent.uid);
	if (!--r->pending)
		replace_jobs(r);
}

static void look_at_jobs(struct restart *r)
{
	if (!r->njobs) {
		end_restart(r, RESTART_NOTHING);
		return;
	}
	for (size_t i = 0; i < r->njobs; i++)
		send_restart(r, (struct transport_request){ .method = TRANSPORT_GET, .kind = TRANSPORT_READ,
			.path = job_path(r, r->jobs[i].replaced->name) }, job_seen, &r->jobs[i]);
}

/* ---- beginning ---- */

/* Reads the Jobs that the record holds. */
static const struct data *recorded_jobs(struct restart *r)
{
	static const struct data none = { .kind = DATA_LIST };
	struct source source = { .text = str_copy(r->arena, r->parent.jobs), .base = 1 };
	struct data_error error;
	struct data *list;

	return data_read_json(r->arena, &source, &list, &error) && list->kind == DATA_LIST ? list : &none;
}

/* Does the restart replace the Job with this tree: any Job, or one of the copy that restarts? */
static bool is_meant(const struct restart *r, const struct data *tree)
{
	struct str copy = r->parent.restart.copy, cell = status_label(tree, "trainc.dev/cell");

	return !copy.n || (cell.n && str_eq(copy, str_cat(r->arena, cell, STR("/"),
		status_label(tree, "trainc.dev/copy"))));
}

static bool replaces_job(const struct replaced *at, size_t n, struct str name)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(at[i].name, name))
			return true;
	return false;
}

/* Is each Job of the list that the restart replaces among the Jobs to replace, and no other Job? */
static bool replaces_all(const struct restart *r, const struct data *list)
{
	size_t meant = 0, found = 0;

	for (size_t i = 0; i < list->u.list.n; i++) {
		bool is = is_meant(r, list->u.list.at[i]);
		meant += is;
		found += is && replaces_job(r->parent.replaced, r->parent.nreplaced,
			status_text(list->u.list.at[i], "metadata.name"));
	}
	return found == meant && found == r->parent.nreplaced;
}

/* Finds the object of each Job to replace; false with `error`. */
static bool find_trees(struct restart *r)
{
	const struct data *list = recorded_jobs(r);
	const struct restart_job *before = r->jobs;
	size_t nbefore = r->njobs;

	r->njobs = r->parent.nreplaced;
	r->jobs = ARENA_ARRAY(r->arena, struct restart_job, r->njobs);
	for (size_t i = 0; i < r->njobs; i++) {
		struct restart_job *j = &r->jobs[i];
		*j = (struct restart_job){ .restart = r, .replaced = &r->parent.replaced[i],
			.ours = i < nbefore ? before[i].ours : STR("") };
		j->replaced->uid = STR("");
		for (size_t k = 0; k < list->u.list.n; k++)
			if (str_eq(status_text(list->u.list.at[k], "metadata.name"), j->replaced->name))
				j->tree = (struct data *)(uintptr_t)list->u.list.at[k];
		if (j->tree)
			continue;
		r->error = str_printf(r->arena, "the record of run '%.*s' does not hold Job '%.*s', so that it cannot "
			"be created again; 'trainc apply --rerun' with the program starts the run again",
			STR_ARG(r->judged.run), STR_ARG(j->replaced->name));
		return false;
	}
	if (!replaces_all(r, list))
		note_unvouched(r, STR("the record names other Jobs to replace than it holds"));
	return !r->error.n;
}

static int64_t attempts_of_role(const struct restart *r, const struct data *job)
{
	struct str role = status_label(job, "trainc.dev/role");

	for (size_t i = 0; i < r->nattempts; i++)
		if (str_eq(r->attempts[i].role, role))
			return r->attempts[i].n;
	return 0;
}

/* Keeps of the restarts before which Jobs they have created, but for those that are replaced now. */
static void list_earlier(struct restart *r, const struct parent *before)
{
	struct parent *p = &r->parent;
	const struct replaced *lists[] = { before->earlier, before->replaced };
	const size_t sizes[] = { before->nearlier, before->nreplaced };

	p->earlier = NULL;
	p->nearlier = 0;
	for (size_t k = 0; k < 2 && p->restart.copy.n; k++)
		for (size_t i = 0; i < sizes[k]; i++) {
			const struct replaced *x = &lists[k][i];
			bool again = replaces_job(p->replaced, p->nreplaced, x->name) ||
				(k == 0 && replaces_job(before->replaced, before->nreplaced, x->name));
			if (!again)
				ARENA_PUSH(r->arena, p->earlier, p->nearlier, *x);
		}
}

/*
 * Sets the Jobs to replace: all Jobs of the run, or of the copy. Returns false if a Job has no uid in the inventory,
 * because an apply is under way.
 */
static bool list_replaced(struct restart *r)
{
	const struct data *list = recorded_jobs(r);
	struct parent *p = &r->parent;
	const struct parent before = *p;

	p->replaced = NULL;
	p->nreplaced = 0;
	for (size_t i = 0; i < list->u.list.n; i++) {
		const struct data *tree = list->u.list.at[i];
		if (!is_meant(r, tree))
			continue;
		const struct applied *x = parent_find(p, resource_known(STR("batch"), STR("Job")), p->ns,
			status_text(tree, "metadata.name"));
		if (!x || !x->uid.n) {
			r->error = str_printf(r->arena, "the record lists no Job '%.*s'; apply the run again",
				STR_ARG(status_text(tree, "metadata.name")));
			return false;
		}
		struct replaced one = { .name = x->name, .old = x->uid, .attempts = attempts_of_role(r, tree) };
		ARENA_PUSH(r->arena, p->replaced, p->nreplaced, one);
	}
	list_earlier(r, &before);
	return p->nreplaced > 0;
}

/* ---- the voucher ---- */

static void begin_recorded(void *to, const struct transport_result *x)
{
	struct restart *r = to;
	struct data *o = object_of(r, x);

	r->pending--;
	if (!transport_ok(x) || !o) {
		record_refused(r, x);
		return;
	}
	r->begun = true;
	r->parent.version = status_text(o, "metadata.resourceVersion");
	look_at_jobs(r);
}

/*
 * Uses a voucher that exists. A voucher of an earlier restart or of another content of the record that is not young was
 * left when an attendant was killed: it is deleted, and the next pass begins again.
 */
static void voucher_found(void *to, const struct transport_result *x)
{
	struct restart *r = to;
	const struct data *o = object_of(r, x);
	struct str name = voucher_name(r->arena, r->judged.run), uid = status_text(o, "metadata.uid");
	int64_t now = clock_real() + transport_clock_offset(calls_transport(r->calls));

	r->pending--;
	bool deleting = status_text(o, "metadata.deletionTimestamp").n > 0;
	if (o && !deleting && voucher_fits(r->arena, o, &r->parent, true)) {
		r->voucher = uid;
		write_record(r, begin_recorded);
		return;
	}
	if (o && voucher_fits(r->arena, o, &r->parent, false)) {
		if (deleting || now - status_time(o, "metadata.creationTimestamp") < VOUCHER_YOUNG * NS_PER_SECOND) {
			end_restart(r, RESTART_WAITS);
			return;
		}
		delete_job(r, name, uid, job_deleted);
		return;
	}
	if (o)
		note_unvouched(r, str_printf(r->arena, "Job '%.*s' exists and does not belong to the run",
			STR_ARG(name)));
	else if (x->code != 404)
		note_refusal(r, x);
	end_restart(r, RESTART_WAITS);
}

static void voucher_created(void *to, const struct transport_result *x)
{
	struct restart *r = to;
	struct data *o = object_of(r, x);

	r->pending--;
	if (x->code == 409) {
		send_restart(r, (struct transport_request){ .method = TRANSPORT_GET, .kind = TRANSPORT_READ,
			.path = job_path(r, voucher_name(r->arena, r->judged.run)) }, voucher_found, r);
	} else if (!o) {
		note_refusal(r, x);
		end_restart(r, RESTART_FAILED);
	} else {
		r->voucher = r->made = status_text(o, "metadata.uid");
		write_record(r, begin_recorded);
	}
}

static void create_voucher(struct restart *r)
{
	static const struct transport_pair query = { { "fieldManager", 12 }, { APPLYSET_MANAGER,
		sizeof APPLYSET_MANAGER - 1 } };

	send_restart(r, (struct transport_request){ .method = TRANSPORT_POST, .kind = TRANSPORT_WRITE, .query = &query,
		.nquery = 1, .path = job_path(r, STR("")), .content_type = STR("application/json"),
		.body = voucher_body(r->arena, &r->parent, r->jobs[0].tree) }, voucher_created, r);
}

static void voucher_seen(void *to, const struct transport_result *x)
{
	struct restart *r = to;
	const struct data *o = object_of(r, x);
	bool fits = o && !status_text(o, "metadata.deletionTimestamp").n &&
		voucher_fits(r->arena, o, &r->parent, true);

	r->pending--;
	if (!transport_ok(x) && x->code != 404) {
		note_refusal(r, x);
		end_restart(r, RESTART_FAILED);
		return;
	}
	r->voucher = fits ? status_text(o, "metadata.uid") : STR("");
	look_at_jobs(r);
}

/* ---- what the live Jobs show before a restart ---- */

/* Why the live Job does not permit a restart; empty: it does. */
static struct str job_doubt(struct restart *r, const struct restart_job *j, const struct data *live)
{
	struct str uid = status_text(live, "metadata.uid"), why = STR("");
	const struct status_restart *next = r->next;
	int64_t number = next->copy.n ? copy_restarts_noted(live).count : vouch_number(live);
	int64_t least = next->copy.n ? next->count : next->number;

	if (!uid.n)                     /* the Jobs of a copy that was lost have been deleted; others vouch for them */
		return status_label(j->tree, "trainc.dev/cell").n ? STR("") : STR("does not exist any more");
	if (!str_eq(uid, j->replaced->old) || !is_job_of_run(r, live))
		return STR("does not vouch for the record");
	if (next->copy.n && vouch_number(live) > next->number)
		return str_printf(r->arena, "was created by restart %lld of the run, and the record counts fewer",
			(long long)vouch_number(live));
	if (number >= least)
		return str_printf(r->arena, "was created by restart %lld, and the record counts fewer",
			(long long)number);
	if (!vouch_same_job(r->arena, j->tree, live, &why))
		return str_printf(r->arena, "differs from the stored Job in %.*s", STR_ARG(why));
	return STR("");
}

/* Examines a Job of the run before the restart begins: nothing is created that was not admitted in this form. */
static void job_judged(void *to, const struct transport_result *x)
{
	struct restart_job *j = to;
	struct restart *r = j->restart;

	if (!transport_ok(x) && x->code != 404)
		note_refusal(r, x);
	const struct data *live = object_of(r, x);
	struct str why = r->error.n ? STR("") : job_doubt(r, j, live);
	r->seen += live != NULL;
	if (why.n)
		note_unvouched(r, str_printf(r->arena, "Job '%.*s' %.*s", STR_ARG(j->replaced->name), STR_ARG(why)));
	if (--r->pending)
		return;
	if (!r->seen)
		note_unvouched(r, STR("none of its Jobs exists any more"));
	if (r->error.n)
		end_restart(r, RESTART_FAILED);
	else
		create_voucher(r);
}

static void judge_jobs(struct restart *r)
{
	for (size_t i = 0; i < r->njobs; i++)
		send_restart(r, (struct transport_request){ .method = TRANSPORT_GET, .kind = TRANSPORT_READ,
			.path = job_path(r, r->jobs[i].replaced->name) }, job_judged, &r->jobs[i]);
}

/* ---- the record ---- */

/*
 * Ends a restart that must not go on: deletes the voucher that this pass has created and, if the run is GONE, the Jobs
 * that it has created.
 */
static void take_back(struct restart *r, bool gone)
{
	for (size_t i = 0; gone && i < r->njobs; i++)
		if (r->jobs[i].ours.n)
			delete_job(r, r->jobs[i].replaced->name, r->jobs[i].ours, job_deleted);
	if (r->made.n)
		delete_job(r, voucher_name(r->arena, r->judged.run), r->made, job_deleted);
	if (!r->pending)
		end_restart(r, RESTART_NOTHING);
}

/* Are the Jobs that were judged still the Jobs of the run? An apply may have replaced them since. */
static bool has_same_jobs(const struct restart *r, const struct parent *now)
{
	const struct parent *p = &r->judged;

	for (size_t i = 0; i < p->napplied; i++)
		if (str_is(p->applied[i].resource.kind, "Job") && !parent_lists(now, p->applied[i].uid))
			return false;
	return true;
}

/* Does the restart to start follow the last one of the record? */
static bool is_next(const struct restart *r, const struct status_restart *now)
{
	const struct status_restart *next = r->next;

	if (!next)
		return false;
	return next->copy.n ? next->number == now->number
		: next->number == now->number + 1 && next->number <= now->most;
}

static void record_read(void *to, const struct transport_result *x)
{
	struct restart *r = to;
	struct parent now = { 0 };
	struct data *o = object_of(r, x);
	struct str why = STR("");

	r->pending--;
	if (x->code != 404 && (!o || !parent_read(r->arena, o, &now, &why))) {
		r->error = why;
		note_refusal(r, x);
		end_restart(r, RESTART_FAILED);
		return;
	}
	bool gone = !now.there || !str_eq(now.uid, r->judged.uid) || now.deleting;
	if (gone || (now.generation == r->judged.generation && !parent_may_restart(&now))) {
		take_back(r, true);
		return;
	}
	r->parent = now;
	if (!str_eq(vouch_jobs_digest(r->arena, now.jobs), now.jobs_digest)) {
		note_unvouched(r, STR("the Jobs in the record are not those that 'trainc apply' has recorded"));
		end_restart(r, RESTART_FAILED);
	} else if (now.generation == r->judged.generation && now.restart.going) {
		r->abandoned = now.restart.copy.n && now.verdict.n;
		if (find_trees(r))
			send_restart(r, (struct transport_request){ .method = TRANSPORT_GET, .kind = TRANSPORT_READ,
				.path = job_path(r, voucher_name(r->arena, r->judged.run)) }, voucher_seen, r);
		else
			end_restart(r, RESTART_FAILED);
	} else if (now.generation != r->judged.generation || now.verdict.n || !is_next(r, &now.restart) ||
		!has_same_jobs(r, &now)) {
		take_back(r, false);
	} else if (!parent_is_complete(&now)) {
		r->error = str_printf(r->arena, "an apply of run '%.*s' is under way or was interrupted; in the second "
			"case, apply it again", STR_ARG(r->judged.run));
		end_restart(r, RESTART_FAILED);
	} else {
		r->parent.restart = *r->next;
		r->parent.restart.most = now.restart.most;
		r->parent.restart.copies = now.restart.copies;
		if (list_replaced(r) && find_trees(r))
			judge_jobs(r);
		else
			end_restart(r, RESTART_NOTHING);        /* or it has failed, if there is an error */
	}
}

static void read_record(struct restart *r)
{
	send_restart(r, (struct transport_request){ .method = TRANSPORT_GET, .kind = TRANSPORT_READ,
		.path = applyset_parent_path(r->arena, r->ns, r->judged.run) }, record_read, r);
}

void restart_start(struct restart *r)
{
	r->begun = r->unvouched = r->abandoned = false;
	r->error = r->voucher = r->made = STR("");
	r->jobs = NULL;
	r->njobs = r->pending = r->seen = 0;
	r->tries = 0;
	read_record(r);
}

int64_t restart_patience(const struct run_state *s, int64_t now)
{
	int64_t left = s->since + EVIDENCE * NS_PER_SECOND - now;

	return !s->restart_due || s->failure.known || left < 0 || left > EVIDENCE * NS_PER_SECOND ? 0 : left;
}

/*
 * The number of attempts that a Job itself shows, since a watch may deliver its pods later: the attempts of earlier
 * pods, and one more if the Job has started. In a role with retries, each failed pod may have been another attempt of
 * the same replica.
 */
static int64_t attempts_shown(const struct plan_role *role, const struct data *job)
{
	int64_t noted = attempts_noted(job), failed = status_number(job, "status.failed", 0);
	bool retries = role->retries.set && role->retries.value > 0;

	return !status_text(job, "status.startTime").n ? noted : noted + 1 + (retries && failed > 0 ? failed : 0);
}

void restart_note_attempts(struct restart *r, const struct plan_job *j, const struct run_state *s,
	const struct status_objects *objects)
{
	for (size_t i = 0; i < j->nroles && i < s->nroles; i++) {
		struct restart_attempts one = { .role = str_copy(r->arena, j->roles[i].label) };
		for (int64_t k = 0; k < s->roles[i].max; k++)
			one.n = s->roles[i].at[k].attempts > one.n ? s->roles[i].at[k].attempts : one.n;
		for (size_t k = 0; k < objects->n; k++) {
			const struct data *o = objects->at[k];
			bool ours = str_is(status_text(o, "kind"), "Job") &&
				str_eq(status_label(o, "trainc.dev/role"), one.role);
			if (ours && one.n <= attempts_noted(o))
				one.n = attempts_shown(&j->roles[i], o);
		}
		ARENA_PUSH(r->arena, r->attempts, r->nattempts, one);
	}
}
