/*
 * apply_code.c - writes the ConfigMaps with the code of runs. Their content decides their name, so runs share them, and
 * they do not belong to one run. Each run writes them by server-side apply as a manager of its own, with its record and
 * its workloads as owners: what one manager leaves out does not take away the owners of another run.
 *
 * A ConfigMap that has no owner was written by somebody else, for example from the output of `compile`. It is used, but
 * not written: with owners, it would be deleted together with the runs.
 *
 * A name proves nothing, because anybody who may write ConfigMaps can take it. So the content in the answer is compared
 * with what was sent.
 */
#include "runtime/cluster/apply.h"

#include "base/words.h"
#include "runtime/command/runs.h"
#include "runtime/status/look.h"

static struct str code_path(struct applying *p, const struct wanted *w)
{
	return resource_path(p->arena, &w->resource, w->ns, w->from->name);
}

/* Notes whether the ConfigMap of the answer exists, and who has it; false if the server does not tell. */
static bool note_code(struct applying *p, struct wanted *w)
{
	const struct answer *x = w->answer;
	bool there = x->class == CALL_DONE && x->data;

	if (!there && x->class != CALL_NOT_FOUND) {
		p->status = runs_worse(p->status, cluster_say(p->cluster, x));
		return false;
	}
	const struct data *owners = there ? status_list(x->data, "metadata.ownerReferences") : NULL;
	w->exists = there && !status_text(x->data, "metadata.deletionTimestamp").n;
	w->unowned = w->exists && !(owners && owners->u.list.n);
	w->stale = !w->exists || !(w->unowned || status_owned_by(x->data, p->before.uid));
	return true;
}

void apply_look_at_code(struct fleet *f)
{
	struct batch b = batch_new(&f->at->cluster->client, f->at->arena);

	for (size_t i = 0; i < f->n; i++)
		for (size_t k = 0; f->at[i].going && k < f->at[i].code.n; k++) {
			struct wanted *w = &f->at[i].code.at[k];
			w->answer = batch_add(&b, &(struct transport_request){ .method = TRANSPORT_GET,
				.kind = TRANSPORT_READ, .path = code_path(&f->at[i], w), .accept = STR(
				"application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json") },
				CALL_BY_METHOD);
		}
	if (!b.n)
		return;
	batch_wait(&b);
	for (size_t i = 0; i < f->n; i++) {
		struct applying *p = &f->at[i];
		bool going = p->going;
		for (size_t k = 0; p->going && k < p->code.n; k++)
			p->going = note_code(p, &p->code.at[k]);
		f->going -= going && !p->going;
	}
}

bool apply_has_code(const struct applying *p)
{
	size_t n = 0;

	while (n < p->code.n && !p->code.at[n].stale)
		n++;
	return n == p->code.n;
}

/* ---- writing ---- */

struct str apply_code_manager(const struct applying *p)
{
	return str_cat(p->arena, STR("trainc-code-"), p->job->name, STR(""));
}

static struct transport_request code_request(struct applying *p, const struct wanted *w)
{
	struct transport_pair *query = ARENA_ARRAY(p->arena, struct transport_pair, 2);
	size_t n = 0;

	if (w->unowned)
		return (struct transport_request){ .method = TRANSPORT_GET, .kind = TRANSPORT_READ,
			.path = code_path(p, w) };
	query[n++] = (struct transport_pair){ STR("fieldManager"), apply_code_manager(p) };
	if (p->mode == APPLY_DRY_SERVER)
		query[n++] = (struct transport_pair){ STR("dryRun"), STR("All") };
	return (struct transport_request){ .method = TRANSPORT_PATCH, .kind = TRANSPORT_WRITE,
		.path = code_path(p, w), .query = query, .nquery = n,
		.content_type = STR("application/apply-patch+yaml"), .body = wanted_body(p->arena, w) };
}

/* Does the object of the answer hold exactly the bytes that were sent? */
static bool has_content(const struct wanted *w)
{
	const struct data *ours = data_get(w->tree, STR("binaryData")), *theirs = w->answer->data ?
		data_get(w->answer->data, STR("binaryData")) : NULL;
	const struct data *others = w->answer->data ? data_get(w->answer->data, STR("data")) : NULL;

	if (!theirs || theirs->kind != DATA_MAP || theirs->u.map.n != ours->u.map.n || (others && others->u.map.n))
		return false;
	for (size_t i = 0; i < ours->u.map.n; i++) {
		const struct data *value = data_get(theirs, ours->u.map.at[i].key);
		if (!value || value->kind != DATA_STRING || !str_eq(value->u.string, ours->u.map.at[i].value->u.string))
			return false;
	}
	return true;
}

static void say_squatter(struct applying *p, const struct wanted *w)
{
	session_say(p->session, "run '%.*s': ConfigMap/%.*s exists with other content than the code of this program; "
		"its name belongs to that code, so somebody else has made it: delete it, then apply again",
		STR_ARG(p->job->name), STR_ARG(w->from->name));
	p->status = runs_worse(p->status, STATUS_CONFLICT);
}

/* Handles the answer; false if the run does not have its code. */
static bool settle_code(struct applying *p, struct wanted *w, bool tell)
{
	const struct answer *x = w->answer;

	if (x->stopped)
		return false;
	/* 409: another manager has set other content; 422: that cannot be changed, because the object is immutable */
	if (x->class == CALL_CONFLICT || (x->code == 422 && p->mode == APPLY_REAL) ||
		(x->class == CALL_DONE && !has_content(w))) {
		say_squatter(p, w);
		return false;
	}
	if (x->class != CALL_DONE) {
		p->status = runs_worse(p->status, cluster_say(p->cluster, x));
		return false;
	}
	if (tell)
		apply_tell(p, wanted_name(p->arena, &p->code, w), x->code == 201 ? "created" : "unchanged");
	return true;
}

/* Sends the ConfigMaps of all runs that go on. */
static void send_code(struct fleet *f, bool tell)
{
	struct batch b = batch_new(&f->at->cluster->client, f->at->arena);

	for (size_t i = 0; i < f->n; i++)
		for (size_t k = 0; f->at[i].going && f->at[i].complete && k < f->at[i].code.n; k++) {
			struct wanted *w = &f->at[i].code.at[k];
			if (w->unowned && !tell)        /* it was compared, and gets no owner */
				continue;
			struct transport_request r = code_request(&f->at[i], w);
			w->answer = batch_add(&b, &r, CALL_BY_METHOD);
		}
	if (!b.n)
		return;
	batch_wait(&b);
	for (size_t i = 0; i < f->n; i++) {
		struct applying *p = &f->at[i];
		bool sent = p->going && p->complete;
		for (size_t k = 0; sent && k < p->code.n; k++)
			p->complete = settle_code(p, &p->code.at[k], tell) && p->complete;
	}
}

void apply_code(struct fleet *f)
{
	for (size_t i = 0; i < f->n; i++) {
		struct applying *p = &f->at[i];
		for (size_t k = 0; p->going && p->now.uid.n && k < p->code.n; k++)
			wanted_own(p->arena, p->code.at[k].tree, applyset_parent_name(p->arena, p->job->name),
				p->now.uid);
	}
	send_code(f, true);
}

void apply_code_owners(struct fleet *f)
{
	for (size_t i = 0; i < f->n; i++) {
		struct applying *p = &f->at[i];
		for (size_t k = 0; p->going && p->complete && p->code.n && k < p->wanted.n; k++) {
			const struct wanted *w = &p->wanted.at[k];
			for (size_t c = 0; w->stage == STAGE_WORKLOAD && w->uid.n && c < p->code.n; c++)
				wanted_own_by(p->arena, p->code.at[c].tree, w->from->api_version, w->from->kind,
					w->from->name, w->uid);
		}
	}
	if (f->at->mode == APPLY_REAL)
		send_code(f, false);
}
