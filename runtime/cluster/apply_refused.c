/*
 * apply_refused.c - reports refusals of the server at the source positions of the values.
 */
#include "runtime/cluster/apply.h"
#include "runtime/cluster/field_path.h"
#include "runtime/cluster/tree_diff.h"
#include "runtime/status/look.h"

static struct span place_of(const struct wanted *w, struct str path)
{
	return field_find(w->tree, path, w->from->from).from;
}

/*
 * The first field path such as a.b[0].c in the text of a schema error: "failed to create typed patch object (...):
 * .spec.x: ...".
 */
static struct str path_in(struct str message)
{
	const char *at = message.n ? memmem(message.p, message.n, "): .", 4) : NULL;
	size_t n = 0;

	if (!at)
		return STR("");
	struct str rest = { at + 4, (size_t)(message.p + message.n - at - 4) };
	while (n < rest.n && rest.p[n] != ':' && rest.p[n] != ' ')
		n++;
	return (struct str){ rest.p, n };
}

/*
 * The message without the value in Go's notation, for messages such as "spec.template: Invalid value:
 * core.PodTemplateSpec{...}: field is immutable".
 */
static struct str cause_words(struct arena *a, struct str message)
{
	message = text_line(a, message);
	const char *open = message.n > 160 ? memchr(message.p, '{', message.n) : NULL,
		*close = open ? memrchr(message.p, '}', message.n) : NULL;
	if (!open || !close || close < open)
		return message;
	return str_printf(a, "%.*s{\xE2\x80\xA6}%.*s", (int)(open - message.p), message.p,
		(int)(message.p + message.n - close - 1), close + 1);
}

/*
 * The field in a webhook's denial: "admission webhook "x" denied the request: spec.replicatedJobs: Invalid value: ...".
 * Such an answer contains no list of causes. Empty for any other message.
 */
static struct str denied_field(struct str message)
{
	static const char before[] = "denied the request: ";
	const char *at = message.n ? memmem(message.p, message.n, before, sizeof before - 1) : NULL;

	if (!at)
		return STR("");
	const char *field = at + sizeof before - 1, *end = memchr(field, ':', (size_t)(message.p + message.n - field));
	return end ? (struct str){ field, (size_t)(end - field) } : STR("");
}

bool apply_immutable(const struct answer *x)
{
	for (size_t i = 0; i < x->ncauses; i++)
		if (text_holds(x->causes[i].message, "is immutable"))
			return true;
	return !x->ncauses && denied_field(x->message).n && text_holds(x->message, "is immutable");
}

static bool is_at_or_below(struct str path, struct str field)
{
	return field.n && str_starts(path, field) &&
		(path.n == field.n || path.p[field.n] == '.' || path.p[field.n] == '[');
}

/* Is PATH a field that the server calls immutable, or is it below such a field? */
static bool is_below(const struct answer *x, struct str path)
{
	for (size_t i = 0; i < x->ncauses; i++)
		if (is_at_or_below(path, x->causes[i].field))
			return true;
	return !x->ncauses && is_at_or_below(path, denied_field(x->message));
}

/* May the code of running replicas be replaced? */
static bool has_sync(const struct plan_job *j)
{
	size_t n = 0;

	while (n < j->nroles && !(j->roles[n].max && j->roles[n].code && j->roles[n].code->sync))
		n++;
	return n < j->nroles;
}

void apply_help_recreate(struct applying *p, struct diag *d, const struct wanted *w)
{
	if (has_sync(p->job))
		diag_help(&p->diags, d, "'trainc sync %.*s' gives running replicas new code, if nothing else has "
			"changed; 'trainc apply --recreate' deletes the %.*s and its pods and creates it again",
			STR_ARG(p->job->name), STR_ARG(w->from->kind));
	else
		diag_help(&p->diags, d, "'trainc apply --recreate' deletes the %.*s and its pods and creates it again "
			"with the new fields", STR_ARG(w->from->kind));
}

/* Reports the immutable fields that differ, with old and new values, at their source positions. */
static void report_immutable(struct applying *p, struct wanted *w, struct str name)
{
	struct answer *live = request_get(&p->cluster->client, p->arena, resource_path(p->arena, &w->resource, w->ns,
		w->from->name));
	struct tree_differences all = { 0 };
	struct diag *d = NULL;

	if (live->class == CALL_DONE && live->data)
		all = tree_diff(p->arena, w->tree, live->data);
	for (size_t i = 0; i < all.n; i++) {
		struct buf b = { 0 };
		if (!is_below(w->answer, all.at[i].path))
			continue;
		tree_value_of(&b, w->from->kind, all.at[i].path, all.at[i].theirs, 60);
		buf_z(&b, " \xE2\x86\x92 ");
		tree_value_of(&b, w->from->kind, all.at[i].path, all.at[i].ours, 60);
		if (!d) {
			d = diag_report(&p->diags, TJ1202, place_of(w, all.at[i].path),
				"%.*s cannot take %.*s while it exists", STR_ARG(name), STR_ARG(all.at[i].path));
			diag_label(&p->diags, d, "%.*s", STR_ARG(buf_text(&b)));
		} else {
			diag_note(&p->diags, d, place_of(w, all.at[i].path), "%.*s: %.*s", STR_ARG(all.at[i].path),
				STR_ARG(buf_text(&b)));
		}
		buf_release(&b);
	}
	if (!d) {
		d = diag_report(&p->diags, TJ1202, w->from->from, "%.*s cannot be changed while it exists",
			STR_ARG(name));
		diag_label(&p->diags, d, "%.*s", STR_ARG(cause_words(p->arena, w->answer->message)));
	}
	apply_help_recreate(p, d, w);
}

/* Reports the server's message with an explanation for the user. */
static void report_message(struct applying *p, struct wanted *w, struct str name)
{
	const struct answer *x = w->answer;
	struct str path = path_in(x->message);
	struct diag *d = diag_report(&p->diags, TJ1201, path.n ? place_of(w, path) : w->from->from,
		x->code ? "the API server refuses %.*s" : "the API server has not accepted %.*s", STR_ARG(name));
	char size[STR_DIGITS];

	diag_label(&p->diags, d, "%.*s", STR_ARG(cause_words(p->arena, x->message.n ? x->message : x->error)));
	if (x->code == 413 || text_holds(x->message, "request is too large"))
		diag_help(&p->diags, d, "the object has %.*s bytes; a request may have at most 3 MiB, "
			"and etcd stores at most 1.5 MiB",
			STR_ARG(str_digits(size, (int64_t)wanted_body(p->arena, w).n)));
	else if (text_holds(x->message, "exceeded quota"))
		diag_help(&p->diags, d,
			"the namespace's quota is used up: ask for more, or apply less; 'kubectl describe quota -n "
			"%.*s' shows it", STR_ARG(w->ns));
	else if (x->class == CALL_NOT_FOUND && text_holds(x->message, "namespaces \""))
		diag_help(&p->diags, d, "'trainc apply --create-namespace' creates the namespace");
	else if (x->causes && x->ncauses && str_is(x->causes[0].reason, "NamespaceTerminating"))
		diag_help(&p->diags, d,
			"the namespace is being deleted: wait until it is gone, or choose another one with "
			"--namespace");
	else if (text_holds(x->message, "failed calling webhook"))
		diag_help(&p->diags, d,
			"the cluster asks this webhook about each such object, and gets no answer: whoever runs it "
			"must repair it; then run the same command again");
	else if (x->class == CALL_UNAVAILABLE)
		diag_help(&p->diags, d, "nothing is lost: run the same command again");
}

int apply_refused(struct applying *p, struct wanted *w)
{
	struct str name = wanted_name(p->arena, &p->wanted, w);
	const struct answer *x = w->answer;
	bool any = false;

	if (apply_immutable(x)) {
		report_immutable(p, w, name);
		return STATUS_CONFLICT;
	}
	for (size_t i = 0; i < x->ncauses; i++) {
		struct transport_cause *c = &x->causes[i];
		if (!c->field.n)
			continue;
		struct diag *d = diag_report(&p->diags, TJ1201, place_of(w, c->field),
			"the API server refuses %.*s of %.*s", STR_ARG(c->field), STR_ARG(name));
		diag_label(&p->diags, d, "%.*s", STR_ARG(cause_words(p->arena, c->message)));
		any = true;
	}
	if (!any)
		report_message(p, w, name);
	if (x->status == STATUS_TIMEOUT)
		p->cluster->waited = STR("");   /* the timeout has been reported */
	return x->status;
}

/* The manager in a text such as `conflict with "kubectl-edit" using batch/v1`. */
static struct str manager_in(struct str message)
{
	const char *open = message.n ? memchr(message.p, '"', message.n) : NULL;
	const char *close = open ? memchr(open + 1, '"', (size_t)(message.p + message.n - open - 1)) : NULL;

	return close ? (struct str){ open + 1, (size_t)(close - open - 1) } : message;
}

bool apply_is_salt(const struct transport_cause *c) { return text_holds(c->field, WANTED_SALT); }

void apply_tell_salt(struct applying *p, const struct wanted *w)
{
	for (size_t i = 0; i < w->answer->ncauses; i++) {
		const struct transport_cause *c = &w->answer->causes[i];
		struct str owner = manager_in(c->message);
		if (apply_is_salt(c) && !str_starts(owner, STR("trainc")))
			session_say(p->session,
				"'%.*s' has set the annotation " WANTED_SALT " of %.*s; only trainc uses it, and sets "
				"it again: remove it from what '%.*s' applies", STR_ARG(owner),
				STR_ARG(wanted_name(p->arena, &p->wanted, w)), STR_ARG(owner));
	}
}

void apply_conflict(struct applying *p, struct wanted *w)
{
	struct answer *live = request_get(&p->cluster->client, p->arena, resource_path(p->arena, &w->resource, w->ns,
		w->from->name));
	struct str name = wanted_name(p->arena, &p->wanted, w);
	const struct answer *x = w->answer;

	for (size_t i = 0; i < x->ncauses; i++) {
		struct str field = x->causes[i].field, owner = manager_in(x->causes[i].message);
		if (apply_is_salt(&x->causes[i]))
			continue;
		if (field.n && field.p[0] == '.')
			field = (struct str){ field.p + 1, field.n - 1 };
		struct field_place ours = field_find(w->tree, field, w->from->from), theirs = { 0 };
		if (live->data)
			theirs = field_find(live->data, field, (struct span){ 0 });
		struct buf b = { 0 };
		tree_value_of(&b, w->from->kind, field, theirs.value, 60);
		buf_z(&b, " there, ");
		tree_value_of(&b, w->from->kind, field, ours.value, 60);
		buf_z(&b, " here");
		struct diag *d = diag_report(&p->diags, TJ1203, ours.from, "'%.*s' owns %.*s of %.*s", STR_ARG(owner),
			STR_ARG(field), STR_ARG(name));
		diag_label(&p->diags, d, "%.*s", STR_ARG(buf_text(&b)));
		diag_help(&p->diags, d,
			"'trainc apply --force-conflicts' takes the field over; to keep the value of '%.*s', write it "
			"in the program", STR_ARG(owner));
		buf_release(&b);
	}
	p->status = p->status == STATUS_DONE ? STATUS_CONFLICT : p->status;
}
