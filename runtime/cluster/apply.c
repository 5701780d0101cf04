/*
 * apply.c - applies the jobs of programs to the cluster. For a run that is unchanged, apply only reads its parent, one
 * list for each kind, its pods, and the metadata of its code. Otherwise everything that can be known is checked first.
 * Then the parent is written with all kinds that members may have, and after it the members. Finally, objects that are
 * no longer wanted are deleted, and the parent is written again with the existing objects. If the process dies in
 * between, the parent lists every object that may exist. All jobs take each of these steps together, so that their
 * requests share the connection; an error in one job stops only that job.
 */
#include "runtime/cluster/apply.h"

#include <unistd.h>

#include "base/file.h"
#include "base/words.h"
#include "runtime/cluster/cluster_watch.h"
#include "runtime/cluster/vouch.h"
#include "runtime/command/runs.h"
#include "runtime/run/plan_record.h"
#include "runtime/run/report.h"
#include "runtime/status/attempts.h"
#include "runtime/status/copies.h"
#include "runtime/status/look.h"
#include "runtime/status/status_job.h"

/* ---- what exists ---- */

/* Are all applied workloads gone although the parent has recorded no verdict? */
static bool is_gone(const struct applying *p)
{
	size_t recorded = 0, there = 0;

	for (size_t i = 0; i < p->wanted.n; i++) {
		const struct wanted *w = &p->wanted.at[i];
		const struct applied *x = parent_find(&p->before, &w->resource, w->ns, w->from->name);
		if (w->stage != STAGE_WORKLOAD || !x || !x->uid.n)
			continue;
		const struct member *m = members_find(&p->members, &w->resource, w->ns, w->from->name);
		recorded++;
		there += m && str_eq(m->uid, x->uid);
	}
	return recorded && !there;
}

/* Is the run still stopping, after its verdict was recorded? Its Jobs may be deleted already. */
static bool is_stopping(const struct applying *p)
{
	return (p->state.phase == RUN_COMPLETING && str_is(p->before.verdict, "Succeeded")) ||
		(p->state.phase == RUN_FAILING && str_is(p->before.verdict, "Failed"));
}

/*
 * Does the program want objects other than those in the record? The hash of a Secret with a salt is different each
 * time, so it is not compared.
 */
static bool differs(const struct applying *p)
{
	for (size_t i = 0; i < p->wanted.n; i++) {
		const struct wanted *w = &p->wanted.at[i];
		const struct applied *x = parent_find(&p->before, &w->resource, w->ns, w->from->name);
		if (!x || (!x->kept && !wanted_has_salt(w) && !str_eq(x->hash, w->hash)))
			return true;
	}
	return p->wanted.n < p->before.napplied;
}

/* Has the run ended, so that it stays as it is? A run that must run again has not ended. */
static bool has_ended(struct applying *p)
{
	/*
	 * If no workload exists, the remaining pods do not count: they are being stopped. A controller first records
	 * the verdict and then deletes the workloads.
	 */
	bool gone = p->before.there && !p->before.restart.going && (is_gone(p) || is_stopping(p) ||
		(parent_is_left(&p->before) && p->before.verdict.n));
	bool final = !gone && (p->state.phase == RUN_SUCCEEDED || p->state.phase == RUN_FAILED);
	struct buf b = { 0 };

	if (!p->before.there || p->rerun || !(final || gone))
		return false;
	struct str verdict = final ? str_of(run_phase_word(p->state.phase)) : p->before.verdict;
	if (final)
		report_headline(&p->state, &b);
	else
		buf_str(&b, verdict.n ? verdict : STR("its objects were removed before anybody saw the verdict"));
	session_say(p->session, "run '%.*s' has ended: %.*s; %s", STR_ARG(p->job->name), STR_ARG(buf_text(&b)),
		differs(p) ? "its program has changed since, and --rerun runs what it is now" :
		"--rerun runs it again");
	buf_release(&b);
	apply_tell(p, str_cat(p->arena, STR("run/"), p->job->name, STR("")), "unchanged");
	cluster_watch_recall(p->arena, &p->before, &p->state);
	p->over = true;
	p->status = str_is(verdict, "Succeeded") ? STATUS_DONE : str_is(verdict,
		"Failed") ? STATUS_FAILED : STATUS_CONFLICT;
	return true;
}

/* Has a person set the size of the object? Only then does the size in the program count again. */
static bool is_sized_by_hand(struct applying *p, const struct member *m)
{
	struct answer *x = request_get(&p->cluster->client, p->arena, resource_path(p->arena, &m->resource, m->ns,
		m->name));
	const struct data *managers = x->class == CALL_DONE && x->data ? status_list(x->data, "metadata.managedFields")
		: NULL;

	for (size_t i = 0; managers && i < managers->u.list.n; i++) {
		const struct data *by = managers->u.list.at[i], *spec = status_path(by, "fieldsV1.f:spec");
		bool size = spec && (data_get(spec, STR("f:parallelism")) || data_get(spec, STR("f:completions")) ||
			data_get(spec, STR("f:replicas")));
		if (size && str_starts(status_text(by, "manager"), STR("kubectl")))
			return true;
	}
	return false;
}

/* Has somebody changed a field of the object that the program writes? */
static bool has_drifted(struct applying *p, struct wanted *w, const struct member *m)
{
	bool ours = m->drift.n && !(w->stage == STAGE_WORKLOAD && apply_is_size(m->drift) && !is_sized_by_hand(p, m));

	w->drift = ours ? m->drift : STR("");
	return ours;
}

/*
 * Must the object W be sent? M is the existing object, X its entry in the record. A Secret without a salt gets a salt.
 * A Secret whose content has changed gets a new salt, so that the record does not show when an old value returns.
 */
static bool is_stale(struct applying *p, struct wanted *w, const struct member *m, const struct applied *x)
{
	bool salted = wanted_has_salt(w);
	struct str salt = salted && m ? status_annotation(m->object, WANTED_SALT) : STR("");

	if (salt.n)
		wanted_salt(p->arena, w, salt);
	bool same = m && x && str_eq(x->hash, w->hash) && str_eq(x->uid, m->uid) && apply_is_vouched(p, w, m);
	bool real = p->mode == APPLY_REAL;
	if (same && has_drifted(p, w, m))
		return true;
	if (same && (salt.n || !salted || !real))
		return p->refresh;
	if (salted && real)
		wanted_salt(p->arena, w, STR(""));
	return true;
}

/*
 * Marks the objects that must be sent again. Returns true if no object must be sent, and the record agrees with the
 * program.
 */
static bool is_unchanged(struct applying *p)
{
	size_t stale = 0;

	for (size_t i = 0; i < p->wanted.n; i++) {
		struct wanted *w = &p->wanted.at[i];
		const struct applied *x = parent_find(&p->before, &w->resource, w->ns, w->from->name);
		const struct member *m = members_find(&p->members, &w->resource, w->ns, w->from->name);
		w->exists = m != NULL;
		w->uid = m ? m->uid : STR("");
		w->stale = is_stale(p, w, m, x);
		stale += w->stale;
	}
	p->wanted.hash = wanted_digest(p->arena, &p->wanted);
	return !stale && apply_has_code(p) && p->before.there && str_eq(p->before.hash, p->wanted.hash) &&
		apply_record_fits(p);
}

/* ---- members to delete ---- */

static bool is_wanted(const struct applying *p, const struct member *m)
{
	for (size_t i = 0; i < p->wanted.n; i++) {
		const struct wanted *w = &p->wanted.at[i];
		if (str_eq(w->from->kind, m->resource.kind) && str_eq(w->resource.group, m->resource.group) &&
			str_eq(w->from->name, m->name) &&
		    (str_eq(w->ns, m->ns) || !m->ns.n))
			return true;
	}
	return false;
}

/* Is the member the voucher of a restart of the whole run? */
static bool is_restart_voucher(const struct applying *p, const struct member *m)
{
	return str_is(m->resource.kind, "Job") && str_eq(m->name, voucher_name(p->arena, p->job->name));
}

/*
 * The members that the program no longer has. Namespaces are never deleted, because other objects live in them, nor the
 * voucher of a restart that goes on.
 */
struct members apply_surplus(const struct applying *p)
{
	struct members all = { 0 };

	for (size_t i = 0; i < p->members.n; i++) {
		const struct member *m = &p->members.at[i];
		bool needed = str_is(m->resource.kind, "Namespace") || (p->before.restart.going && !p->rerun &&
			is_restart_voucher(p, m));
		if (!is_wanted(p, m) && !needed)
			ARENA_PUSH(p->arena, all.at, all.n, *m);
	}
	return all;
}

/* Jobs that must be deleted before a run can start over. */
static struct members ended_of(const struct applying *p)
{
	struct members all = { 0 };

	for (size_t i = 0; p->rerun && i < p->members.n; i++)
		for (size_t k = 0; k < p->wanted.n; k++) {
			const struct wanted *w = &p->wanted.at[k];
			if (w->stage == STAGE_WORKLOAD && str_eq(w->from->name, p->members.at[i].name) &&
				str_eq(w->from->kind, p->members.at[i].resource.kind))
				ARENA_PUSH(p->arena, all.at, all.n, p->members.at[i]);
		}
	return all;
}

static bool may_delete(struct applying *p, const struct members *surplus)
{
	size_t n = 0;

	if (p->mode != APPLY_REAL || option_given(p->session->options, OPTION_YES))
		return true;
	for (size_t i = 0; i < surplus->n; i++) {
		if (is_restart_voucher(p, &surplus->at[i]))
			continue;
		n++;
		session_say(p->session, "%.*s/%.*s will be deleted: the program no longer has it",
			STR_ARG(surplus->at[i].resource.kind), STR_ARG(surplus->at[i].name));
	}
	return !n || runs_agreed(p->session, "delete", "changed", &p->status);
}

static bool delete_members(struct applying *p, struct members *m)
{
	struct removal r = { .members = m, .dry_run = p->mode != APPLY_REAL };
	int status;

	if (!m->n)
		return true;
	status = cluster_delete(p->cluster, &r);
	p->status = runs_worse(p->status, status);
	return status == STATUS_DONE;
}

/* ---- live values ---- */

/*
 * Keeps values that were added to a live object after it was applied: the number of attempts, the mark of a Job that
 * was started when its turn came, and the record as owner after a restart of the whole run.
 */
static void share_added_values(struct applying *p, struct wanted *w, const struct data *live)
{
	struct str attempts = status_annotation(live, ATTEMPTS_ANNOTATION);

	if (attempts.n)
		wanted_annotate(p->arena, w->tree, STR(ATTEMPTS_ANNOTATION), attempts);
	if (vouch_number(live) && p->before.restart.number)
		wanted_annotate(p->arena, w->tree, STR(VOUCH_RESTARTED), str_int(p->arena, vouch_number(live)));
	struct str copy = status_annotation(live, COPY_RESTARTS_ANNOTATION);
	if (copy.n && p->before.restart.copies)
		wanted_annotate(p->arena, w->tree, STR(COPY_RESTARTS_ANNOTATION), copy);
	if (status_annotation(live, STARTED_ANNOTATION).n)
		wanted_annotate(p->arena, w->tree, STR(STARTED_ANNOTATION), STR("true"));
	if (status_owned_by(live, p->before.uid))
		wanted_own(p->arena, w->tree, applyset_parent_name(p->arena, p->job->name), p->before.uid);
}

void apply_share_live_values(struct applying *p)
{
	for (size_t i = 0; i < p->wanted.n && !p->rerun; i++) {
		struct wanted *w = &p->wanted.at[i];
		const struct member *m = members_find(&p->members, &w->resource, w->ns, w->from->name);
		struct data *suspend = w->stale ? wanted_value(w, "spec.suspend") : NULL;
		const struct data *live = m ? status_path(m->object, "spec.suspend") : NULL;
		if (suspend && suspend->kind == DATA_BOOL && live && live->kind == DATA_BOOL)
			suspend->u.boolean = live->u.boolean;
		if (m && w->stale)
			share_added_values(p, w, m->object);
	}
}

/* ---- all steps ---- */

static void tell_unchanged(struct applying *p)
{
	for (size_t i = 0; i < p->wanted.n; i++)
		if (!p->wanted.at[i].stale)
			apply_tell(p, wanted_name(p->arena, &p->wanted, &p->wanted.at[i]), "unchanged");
}

static void tell_drift(struct applying *p)
{
	for (size_t i = 0; i < p->wanted.n; i++)
		if (p->wanted.at[i].drift.n)
			session_say(p->session,
				"%.*s was changed after it was applied: %.*s is not as the program says",
				STR_ARG(wanted_name(p->arena, &p->wanted, &p->wanted.at[i])),
				STR_ARG(name_escaped(p->arena, p->wanted.at[i].drift)));
}

/* A signal determines the exit status; a timeout determines it only if no other error has occurred. */
static void take_interruption(struct applying *p)
{
	p->status = runs_worse(p->status, cluster_interrupted(p->cluster));
}

static void tell_interrupted(struct applying *p)
{
	size_t done = 0;

	for (size_t i = 0; i < p->wanted.n; i++)
		done += !p->wanted.at[i].stale;
	/* tell_late() says how to continue when the time is up */
	session_say(p->session, "run '%.*s': %zu of %zu objects are as the program says%s", STR_ARG(p->job->name), done,
		p->wanted.n, p->cluster->late ? "" : "; run the same command again to continue");
	take_interruption(p);
}

/* Stops the steps of a run that cannot continue. The run leaves the fleet, and the other runs do not wait for it. */
static void stop(struct applying *p, struct fleet *f)
{
	if (p->going)
		f->going--;
	p->going = false;
}

/*
 * Reports a workload of the run that is still being deleted, for example after an interrupted `delete`: changes to such
 * a workload would be lost. --rerun and --recreate wait until it is gone.
 */
static bool loses_workload(struct applying *p)
{
	for (size_t i = 0; i < p->wanted.n && !p->rerun && !p->recreate; i++) {
		const struct wanted *w = &p->wanted.at[i];
		const struct member *m = members_find(&p->members, &w->resource, w->ns, w->from->name);
		if (w->stage != STAGE_WORKLOAD || !m || !m->deleting)
			continue;
		session_say(p->session,
			"run '%.*s' cannot be applied while %.*s/%.*s is being deleted; apply it again when it is "
			"gone", STR_ARG(p->job->name), STR_ARG(m->resource.kind), STR_ARG(m->name));
		p->status = STATUS_CONFLICT;
		return true;
	}
	return false;
}

/* Removes a run that needs no step from the fleet: the run has ended, is unchanged, or cannot be applied. */
static void leave_alone(struct applying *p, struct fleet *f)
{
	apply_forget_restart(p);
	bool ended = has_ended(p), unchanged = !ended && is_unchanged(p);

	if (!ended && !apply_restart_under_way(p) && !loses_workload(p)) {
		if (!unchanged || apply_surplus(p).n || p->rerun ||
		    apply_wants_controller(p) != parent_is_left(&p->before) ||
		    !apply_keeps_restarts(p))
			return;
		tell_unchanged(p);
		apply_tell(p, str_cat(p->arena, STR("run/"), p->job->name, STR("")), "unchanged");
		p->wait = true;
	}
	stop(p, f);
}

/* Before a run starts over, deletes its Jobs that have ended. */
static bool delete_ended(struct applying *p)
{
	p->ended = ended_of(p);
	if (!delete_members(p, &p->ended))
		return false;
	p->sent = p->ended.n > 0;       /* and waiting for the end of their pods may have taken long */
	for (size_t i = 0; p->ended.n && i < p->wanted.n; i++)
		if (p->wanted.at[i].stage == STAGE_WORKLOAD) {
			p->wanted.at[i].stale = true;
			p->wanted.at[i].outcome = WANTED_RECREATED;
		}
	return true;
}

static void finish_apply(struct applying *p)
{
	p->complete = p->complete && delete_members(p, &p->surplus);
	if (p->cluster->interrupted && (!p->complete || p->mode == APPLY_REAL))
		tell_interrupted(p);            /* a run whose record was not written is not finished */
	apply_end_record(p, p->complete && !p->cluster->interrupted);
}

/* Ends the steps of a run that is applied and recorded. Later events of other runs do not change its status. */
static void tell_done(struct applying *p, struct fleet *f)
{
	p->wait = true;
	stop(p, f);
	apply_tell(p, str_cat(p->arena, STR("run/"), p->job->name, STR("")),
		p->ended.n ? "recreated" : p->before.there ? "configured" : "created");
}

#define EACH_GOING(f, p) \
	for (struct applying *p = (f)->at; p < (f)->at + (f)->n; p++) \
		if (p->going)

/* Checks everything that can be known, for all runs, before the first write. */
static void check_all(struct fleet *f)
{
	EACH_GOING(f, p) {
		p->surplus = apply_surplus(p);
		if (!apply_preflight(p)) {
			if (p->cluster->interrupted)
				take_interruption(p);
			stop(p, f);
		}
	}
	apply_find_names(f);
	EACH_GOING(f, p)
		if (p->status != STATUS_DONE || !may_delete(p, &p->surplus))
			stop(p, f);
}

/*
 * Writes the records at the end. If the command was interrupted, they only say that nobody applies the runs any more,
 * so that another program can be applied at once.
 */
static void write_ends(struct fleet *f)
{
	struct cluster *k = f->at->cluster;
	bool interrupted = k->interrupted;

	if (interrupted)
		cluster_last_requests(k, true);
	apply_write_records(f);
	if (interrupted)
		cluster_last_requests(k, false);
	EACH_GOING(f, p)
		if (p->written && p->complete && !(interrupted && p->mode == APPLY_REAL))
			tell_done(p, f);
}

static void send_all_writes(struct fleet *f)
{
	EACH_GOING(f, p) {
		apply_begin_record(p);
		apply_share_live_values(p);
	}
	apply_write_records(f);
	EACH_GOING(f, p) {
		p->complete = true;
		if (!p->written)
			stop(p, f);
	}
	apply_code(f);                  /* if it is refused, what has ended stays */
	apply_upload(f, false);
	EACH_GOING(f, p)
		if (p->complete && !delete_ended(p))
			stop(p, f);
	EACH_GOING(f, p) {
		tell_unchanged(p);
		tell_drift(p);
		apply_vouch(p);
		p->complete = p->complete && apply_generate(p);
	}
	apply_send(f);
	apply_code_owners(f);
	EACH_GOING(f, p) {
		p->due = p->surplus.n > 0;
		if (p->lost)
			stop(p, f);
	}
	apply_renew_records(f);
	EACH_GOING(f, p) {
		if (p->lost)
			stop(p, f);
		else
			finish_apply(p);
	}
	write_ends(f);
	apply_code_forget(f);
}

static void apply_offline(struct applying *p)
{
	for (size_t i = 0; i < p->code.n; i++)
		apply_tell(p, wanted_name(p->arena, &p->code, &p->code.at[i]), "would be applied");
	for (size_t i = 0; i < p->wanted.n; i++)
		apply_tell(p, wanted_name(p->arena, &p->wanted, &p->wanted.at[i]), "would be applied");
}

void apply_show_refusals(struct applying *p)
{
	struct buf out = { 0 };

	if (!p->diags.n)
		return;
	diags_finish(&p->diags);
	if (str_is(option_value(p->session->options, OPTION_FORMAT), "json"))
		diags_json(&p->diags, &out);
	else
		diags_text(&p->diags, p->session->render, &out);
	file_write_all(STDERR_FILENO, out.p, out.n);
	buf_release(&out);
}

static void prepare(struct applying *p)
{
	struct buf record = { 0 };

	p->ns = cluster_namespace(p->cluster, p->job->ns.set ? p->job->ns.value : STR(""));
	p->id = applyset_id(p->arena, applyset_parent_name(p->arena, p->job->name), p->ns, STR("ConfigMap"), STR(""));
	p->wanted = wanted_of(p->arena, &p->program->plan, p->job, p->ns, p->id);
	p->code = wanted_code_of(p->arena, &p->program->plan, p->job, p->ns);
	p->goal = wanted_goal(p->arena, &p->wanted);
	apply_set_restarts(p);
	plan_record_write(p->job, &record);
	p->plan = buf_take(&record, p->arena);
	buf_release(&record);
	p->diags = (struct diags){ .arena = p->arena, .sources = &p->program->sources };
}

bool apply_look(struct applying *p, bool kinds)
{
	struct fleet alone = { .at = p, .n = 1, .going = 1 };

	prepare(p);
	p->going = true;
	apply_look_at(&alone);
	apply_look_at_code(&alone);
	if (!p->going)
		return false;
	is_unchanged(p);
	if (!kinds || (apply_find_kinds(p) && apply_find_names(&alone)))
		return true;
	apply_show_refusals(p);
	return false;
}

/*
 * Reports that the time of --timeout is up, for the runs that are not finished. WRITTEN: has the first write started?
 */
static void tell_late(struct fleet *f, bool written)
{
	if (!f->at->cluster->late)
		return;
	EACH_GOING(f, p)
		take_interruption(p);
	cluster_say_late(f->at->cluster, written ? "run the same command again to continue"
		: "nothing was changed");
}

void apply_fleet(struct fleet *f)
{
	for (size_t i = 0; i < f->n; i++) {
		prepare(&f->at[i]);
		f->at[i].going = f->at[i].mode != APPLY_DRY_CLIENT;
		f->going += f->at[i].going;
		if (!f->at[i].going)
			apply_offline(&f->at[i]);
	}
	apply_look_at(f);
	apply_look_at_code(f);
	EACH_GOING(f, p)
		leave_alone(p, f);
	check_all(f);
	bool written = f->going && !f->at->cluster->interrupted;
	if (written)
		send_all_writes(f);
	for (size_t i = 0; i < f->n; i++)
		apply_show_refusals(&f->at[i]);
	tell_late(f, written);
}
