/*
 * apply_replace.c - implements --recreate for an object whose immutable fields have changed. First a dry run under
 * another name shows that the server accepts the new object. Only then is the old object deleted, by its uid. When it
 * is gone, the new object is applied. A TrainJob is recreated for another reason: its controller reads the runtime that
 * the TrainJob refers to only once, when it creates the JobSet (Kubeflow Trainer 2.0: seen in tests/e2e/operators.py).
 */
#include "runtime/cluster/apply.h"

#include "runtime/command/runs.h"
#include "runtime/status/look.h"

/* Would the server accept the object if the old object did not exist? */
static bool is_valid(struct applying *p, const struct wanted *w)
{
	struct data *name = wanted_value(w, "metadata.name");
	struct str old = name->u.string;

	name->u.string = old.n > 50 ? (struct str){ old.p, 50 } : old;
	name->u.string = str_cat(p->arena, name->u.string, STR("-dryrun"), STR(""));
	struct transport_request r = { .method = TRANSPORT_POST, .kind = TRANSPORT_WRITE,
		.path = resource_path(p->arena, &w->resource, w->ns, STR("")),
		.body = wanted_body(p->arena, w), .nquery = 2,
		.query = (struct transport_pair[]){ { STR("dryRun"), STR("All") }, { STR("fieldManager"),
			STR(APPLYSET_MANAGER) } } };
	name->u.string = old;
	struct answer *x = request_send(&p->cluster->client, p->arena, &r, CALL_BY_METHOD);
	if (x->class == CALL_DONE)
		return true;
	session_say(p->session, "%.*s stays as it is: the API server would refuse the new one too: %.*s",
		STR_ARG(wanted_name(p->arena, &p->wanted, w)),
		STR_ARG(x->error));
	p->status = runs_worse(p->status, STATUS_REFUSED);
	return false;
}

static bool agreed(struct applying *p, const struct wanted *w)
{
	if (option_given(p->session->options, OPTION_YES))
		return true;
	session_say(p->session, "%.*s will be deleted with its pods and created again", STR_ARG(wanted_name(p->arena,
		&p->wanted, w)));
	return runs_agreed(p->session, "recreate", "recreated", &p->status);
}

/* Is W a TrainJob that was made from RUNTIME? */
static bool is_made_from(const struct wanted *w, const struct wanted *runtime)
{
	const struct data *name = wanted_value(w, "spec.runtimeRef.name"),
		*kind = wanted_value(w, "spec.runtimeRef.kind");

	return name && kind && name->kind == DATA_STRING && kind->kind == DATA_STRING &&
		str_eq(name->u.string, runtime->from->name) && str_eq(kind->u.string, runtime->from->kind);
}

static void report_outdated(struct applying *p, const struct wanted *w, const struct wanted *runtime)
{
	struct diag *d = diag_report(&p->diags, TJ1202, w->from->from, "%.*s cannot be changed while it exists",
		STR_ARG(wanted_name(p->arena, &p->wanted, w)));

	diag_label(&p->diags, d, "it was made from %.*s, and its controller does not read that again",
		STR_ARG(wanted_name(p->arena, &p->wanted, runtime)));
	apply_help_recreate(p, d, w);
	p->status = runs_worse(p->status, STATUS_CONFLICT);
}

bool apply_find_outdated(struct applying *p)
{
	for (size_t i = 0; i < p->wanted.n; i++)
		for (size_t k = 0; k < p->wanted.n; k++) {
			struct wanted *w = &p->wanted.at[i];
			const struct wanted *runtime = &p->wanted.at[k];
			if (w->stale || !w->exists || !runtime->stale || !runtime->exists || !is_made_from(w, runtime))
				continue;
			if (!p->recreate) {
				report_outdated(p, w, runtime);
				return false;
			}
			w->stale = w->outdated = true;
		}
	return true;
}

bool apply_replace(struct applying *p, struct wanted *w)
{
	const struct member *m = members_find(&p->members, &w->resource, w->ns, w->from->name);
	struct members one = { 0 };

	if (!m || !is_valid(p, w) || !agreed(p, w) || !apply_renew_record(p))
		return false;
	ARENA_PUSH(p->arena, one.at, one.n, *m);
	struct removal removal = { .members = &one };
	int status = cluster_delete(p->cluster, &removal);
	if (status != STATUS_DONE) {
		p->status = runs_worse(p->status, status);
		return false;
	}
	if (!apply_renew_record(p)) {
		session_say(p->session, "the old %.*s is gone and the new one was not created",
			STR_ARG(wanted_name(p->arena, &p->wanted, w)));
		return false;
	}
	struct transport_request r = apply_request(p, w, true);
	w->answer = request_send(&p->cluster->client, p->arena, &r, CALL_BY_METHOD);
	w->outcome = WANTED_RECREATED;
	if (w->answer->class == CALL_DONE) {
		apply_taken(p, w);
		return true;
	}
	session_say(p->session, "the old %.*s is gone and the new one was refused", STR_ARG(wanted_name(p->arena,
		&p->wanted, w)));
	w->outcome = WANTED_FAILED;
	p->status = runs_worse(p->status, apply_refused(p, w));
	return false;
}
