/*
 * apply_send.c - server-side apply, stage by stage.
 *
 * Objects of a stage are independent of each other: if one is refused, the others are still sent, but no later stage
 * starts.
 */
#include "runtime/cluster/apply.h"

#include "runtime/cluster/apply_bar.h"
#include "runtime/command/runs.h"
#include "runtime/status/look.h"

/*
 * Are all managers of the conflict our own, from `scale` or `suspend`? Then the program wins. The program also wins for
 * the salt of a Secret if somebody has copied the salt together with the Secret: no program contains a salt, and only
 * trainc reads it.
 */
static bool only_ours(const struct answer *x)
{
	for (size_t i = 0; i < x->ncauses; i++)
		if (!text_holds(x->causes[i].message, "\"trainc") && !apply_is_salt(&x->causes[i]))
			return false;
	return x->ncauses > 0;
}

static bool is_field_conflict(const struct answer *x)
{
	return x->code == 409 && x->ncauses && str_is(x->causes[0].reason, "FieldManagerConflict");
}

/* Handles one answer of a stage; an object in conflict only with our own managers is sent once more, by force. */
static bool settle(struct applying *p, struct wanted *w)
{
	if (is_field_conflict(w->answer) && only_ours(w->answer)) {
		struct transport_request r = apply_request(p, w, true);
		apply_tell_salt(p, w);
		w->answer = request_send(&p->cluster->client, p->arena, &r, CALL_BY_METHOD);
	}
	if (w->answer->class == CALL_DONE && w->outdated && p->mode == APPLY_REAL)
		return apply_replace(p, w);
	if (w->answer->class == CALL_DONE) {
		apply_taken(p, w);
		return true;
	}
	if (w->answer->stopped) {
		w->outcome = WANTED_SKIPPED;
		return false;
	}
	w->outcome = WANTED_FAILED;
	if (is_field_conflict(w->answer))
		apply_conflict(p, w);
	else if (p->recreate && p->mode == APPLY_REAL && w->exists &&
		(w->answer->code == 422 || apply_immutable(w->answer)))
		return apply_replace(p, w);
	else
		p->status = runs_worse(p->status, apply_refused(p, w));
	return false;
}

/* ---- stages ---- */

static void add_stage(struct applying *p, enum wanted_stage stage, struct batch *b)
{
	for (size_t i = 0; i < p->wanted.n; i++) {
		struct wanted *w = &p->wanted.at[i];
		if (w->stage != stage || !w->stale)
			continue;
		struct transport_request r = apply_request(p, w, p->force_conflicts || w->outcome == WANTED_ADOPTED);
		w->answer = batch_add(b, &r, CALL_BY_METHOD);
	}
}

/* Marks the objects of a stage and of the later ones as not sent. */
static void skip_from(struct applying *p, enum wanted_stage stage)
{
	for (size_t i = 0; i < p->wanted.n; i++)
		if (p->wanted.at[i].stage >= stage && p->wanted.at[i].stale)
			p->wanted.at[i].outcome = WANTED_SKIPPED;
}

static void settle_stage(struct applying *p, enum wanted_stage stage)
{
	for (size_t i = 0; i < p->wanted.n; i++) {
		struct wanted *w = &p->wanted.at[i];
		if (w->stage == stage && w->stale && !settle(p, w))
			p->complete = false;
	}
	if (!p->complete)
		skip_from(p, stage + 1);
}

static size_t count_stale(const struct fleet *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++)
		for (size_t k = 0; f->at[i].going && k < f->at[i].wanted.n; k++)
			n += f->at[i].wanted.at[k].stale;
	return n;
}

static bool has_stale(const struct applying *p, enum wanted_stage stage)
{
	for (size_t i = 0; i < p->wanted.n; i++)
		if (p->wanted.at[i].stage == stage && p->wanted.at[i].stale)
			return true;
	return false;
}

/*
 * Writes the records of the runs that have sent a stage already and now send this one. So a run that another command
 * applies or deletes meanwhile is left to that command before the first object of the next stage is sent.
 */
static void renew(struct fleet *f, enum wanted_stage stage)
{
	for (size_t i = 0; i < f->n; i++) {
		bool sends = f->at[i].going && f->at[i].complete && has_stale(&f->at[i], stage);
		f->at[i].due = sends && f->at[i].sent;
		f->at[i].sent = f->at[i].sent || sends;
	}
	apply_renew_records(f);
	for (size_t i = 0; i < f->n; i++)
		if (f->at[i].due && !f->at[i].written)
			skip_from(&f->at[i], stage);
}

void apply_send(struct fleet *f)
{
	struct apply_bar bar = apply_bar_begin(f->at->session, f->going, count_stale(f));

	for (enum wanted_stage stage = 0; stage < STAGES; stage++) {
		if (stage == STAGE_WORKLOAD)
			apply_upload(f, true);
		renew(f, stage);
		struct batch b = batch_new(&f->at->cluster->client, f->at->arena);
		b.progress = apply_bar_show;
		b.to = &bar;
		for (size_t i = 0; i < f->n; i++)
			if (f->at[i].going && f->at[i].complete)
				add_stage(&f->at[i], stage, &b);
		batch_wait(&b);
		apply_bar_hide(&bar, b.n);
		for (size_t i = 0; i < f->n; i++)
			if (f->at[i].going && f->at[i].complete)
				settle_stage(&f->at[i], stage);
	}
}
