/*
 * apply_controller.c - leaves runs to a controller. The record of such a run has a label, which stays until
 * `--controller=off`. A controller that takes the run over writes the generation into the record.
 */
#include "base/words.h"
#include "runtime/status/look.h"
#include "runtime/cluster/apply.h"

/*
 * the records are read LOOKS times, LOOK_EVERY_MS apart: a running controller responds within a fraction of a second
 */
enum { LOOKS = 12, LOOK_EVERY_MS = 250 };

bool apply_wants_controller(const struct applying *p)
{
	if (option_given(p->session->options, OPTION_CONTROLLER))
		return !str_is(option_value(p->session->options, OPTION_CONTROLLER), "off");
	return parent_is_left(&p->before);
}

bool apply_may_control(struct applying *p)
{
	const struct plan_job *j = p->job;

	if (!apply_wants_controller(p) || (!j->controller && !plan_each_replica(j)))
		return true;
	session_say(p->session, j->controller
		? "run '%.*s' cannot be left to 'trainc supervise': the cluster has a controller for the kind that "
		"its target writes; apply it without --controller"
		: "run '%.*s' cannot be left to 'trainc supervise': its target has pods and no Jobs, and the record "
		"of the run does not hold what is needed to create pods again; apply it with --target jobs",
		STR_ARG(j->name));
	if (parent_is_left(&p->before) && !option_given(p->session->options, OPTION_CONTROLLER))
		session_say(p->session, "an earlier apply left the run to it; --controller=off takes that back");
	p->status = STATUS_USAGE;
	return false;
}

static bool awaits(const struct applying *p)
{
	return p->mode == APPLY_REAL && p->wait && p->now.there && p->written && parent_is_left(&p->now) &&
		!parent_is_attended(&p->now);
}

/* Reads the records of the runs that no controller has taken yet; returns the number of these runs. */
static size_t look_at_records(struct fleet *f)
{
	struct cluster *k = f->at->cluster;
	struct batch b = batch_new(&k->client, f->at->arena);
	size_t waiting = 0;

	for (size_t i = 0; i < f->n; i++) {
		struct applying *p = &f->at[i];
		if (awaits(p))
			p->answer = batch_add(&b, &(struct transport_request){ .method = TRANSPORT_GET,
				.kind = TRANSPORT_READ, .path = resource_path(p->arena,
				resource_known(STR(""), STR("ConfigMap")), p->ns,
				applyset_parent_name(p->arena, p->job->name)) }, CALL_BY_METHOD);
	}
	batch_wait(&b);
	for (size_t i = 0; i < f->n; i++) {
		struct applying *p = &f->at[i];
		struct parent now;
		struct str why;
		if (!awaits(p))
			continue;
		if (p->answer->class == CALL_DONE && p->answer->data && parent_read(p->arena, p->answer->data, &now,
			&why) && now.generation == p->now.generation)
			p->now.attended = now.attended;
		waiting += !parent_is_attended(&p->now);
	}
	return waiting;
}

/* Does the namespace NS lack the label? Unknown, and so false, if the user may not read it. */
static bool lacks_label(struct applying *p)
{
	struct answer *x = request_get(&p->cluster->client, p->arena, resource_path(p->arena,
		resource_known(STR(""), STR("Namespace")), STR(""), p->ns));

	return x->class == CALL_DONE && x->data &&
		!str_is(status_label(x->data, APPLYSET_SPACE_LABEL), APPLYSET_SPACE_ENABLED);
}

/* Finds out why no controller has taken some runs: most often their namespace was never left to it. */
static void look_at_labels(struct fleet *f)
{
	const struct applying *before = NULL;

	for (size_t i = 0; i < f->n; i++) {
		struct applying *p = &f->at[i];
		if (!awaits(p))
			continue;
		p->unlabelled = before && str_eq(before->ns, p->ns) ? before->unlabelled : lacks_label(p);
		before = p;
	}
}

void apply_await_controllers(struct fleet *f)
{
	struct cluster *k = f->at->cluster;
	size_t waiting = 0;

	for (size_t i = 0; i < f->n; i++)
		waiting += awaits(&f->at[i]);
	for (unsigned n = 0; n < LOOKS && waiting && !k->interrupted; n++) {
		cluster_pause(k, LOOK_EVERY_MS * (NS_PER_SECOND / 1000));
		if (!k->interrupted)
			waiting = look_at_records(f);
	}
	if (waiting && !k->interrupted)
		look_at_labels(f);
}
