/*
 * apply_preflight.c - checks everything that can be known before the first write: permissions, the namespace, and the
 * kinds that the server serves.
 */
#include "runtime/cluster/apply.h"

#include "data/data_write.h"
#include "runtime/command/runs.h"
#include "runtime/status/look.h"

/* ---- permissions ---- */

struct review {
	const char *verb;
	struct resource resource;
	struct str ns;
	struct answer *answer;
};

struct reviews {
	struct review *at;
	size_t n;
};

/* The key under which an allowed access review is remembered: the next job of the program needs the same review. */
static struct str review_key(struct applying *p, const struct review *x)
{
	return str_printf(p->arena, "%s %.*s.%.*s %.*s", x->verb, STR_ARG(x->resource.plural),
		STR_ARG(x->resource.group), STR_ARG(x->ns));
}

static void add_review(struct applying *p, struct reviews *all, const char *verb, const struct resource *r,
	struct str ns)
{
	struct review x = { verb, *r, ns, NULL };

	for (size_t i = 0; i < all->n; i++)
		if (!strcmp(all->at[i].verb, verb) && str_eq(all->at[i].resource.plural, r->plural) &&
			str_eq(all->at[i].resource.group, r->group) &&
		    str_eq(all->at[i].ns, ns))
			return;
	if (!map_get(&p->cluster->permitted, review_key(p, &x)))
		ARENA_PUSH(p->arena, all->at, all->n, x);
}

static struct str review_body(struct applying *p, const struct review *x)
{
	const char *slash = memchr(x->resource.plural.p, '/', x->resource.plural.n);
	struct str plural = x->resource.plural, part = STR("");
	struct buf b = { 0 };

	if (slash) {
		plural.n = (size_t)(slash - plural.p);
		part = (struct str){ slash + 1, x->resource.plural.n - plural.n - 1 };
	}
	buf_z(&b, "{\"apiVersion\":\"authorization.k8s.io/v1\",\"kind\":\"SelfSubjectAccessReview\",\"spec\":{"
		"\"resourceAttributes\":{\"namespace\":");
	data_write_text(&b, x->ns);
	buf_printf(&b, ",\"verb\":\"%s\",\"group\":", x->verb);
	data_write_text(&b, x->resource.group);
	buf_z(&b, ",\"resource\":");
	data_write_text(&b, plural);
	if (part.n) {
		buf_z(&b, ",\"subresource\":");
		data_write_text(&b, part);
	}
	buf_z(&b, "}}}");
	struct str body = buf_take(&b, p->arena);
	buf_release(&b);
	return body;
}

bool apply_follows(const struct session *s)
{
	return !option_given(s->options, OPTION_NO_WAIT) && !str_is(option_value(s->options, OPTION_FOR), "created");
}

bool apply_shows_state(const struct session *s)
{
	return !apply_follows(s) && str_is(option_value(s->options, OPTION_OUTPUT), "json");
}

/* Does this command attend the run until its end, that is, does it do the work that plain Jobs cannot do? */
static bool attends(const struct applying *p)
{
	const struct options *o = p->session->options;
	struct plan_needs needs = plan_needs_runtime(p->arena, p->job);
	bool whole = o->command == COMMAND_RUN ? !option_given(o, OPTION_DETACH)
		: str_is(option_value(o, OPTION_FOR), "complete");

	return p->mode == APPLY_REAL && whole && !apply_wants_controller(p) &&
		needs.n - needs.undone > needs.generated;
}

static void review_watch(struct applying *p, struct reviews *all, const struct resource *r, struct str ns)
{
	add_review(p, all, "list", r, ns);
	add_review(p, all, "watch", r, ns);
}

/* Adds the requests that delete objects of a kind and watch until they are gone. */
static void review_delete(struct applying *p, struct reviews *all, const struct resource *r, struct str ns)
{
	add_review(p, all, "delete", r, ns);
	if (p->mode == APPLY_REAL)
		review_watch(p, all, r, ns);
}

/*
 * Adds the requests for one object: requests that send or replace the object, and requests that an attendant sends
 * later.
 */
static void review_object(struct applying *p, struct reviews *all, const struct wanted *w)
{
	bool workload = w->stage == STAGE_WORKLOAD, again = p->rerun && workload;

	if (w->stale || again) {
		add_review(p, all, "get", &w->resource, w->ns);
		add_review(p, all, "list", &w->resource, w->ns);
		add_review(p, all, "create", &w->resource, w->ns);
		add_review(p, all, "patch", &w->resource, w->ns);
	}
	if (w->exists && (again || (p->recreate && w->stale)))
		review_delete(p, all, &w->resource, w->ns);
	if (!workload || !attends(p))
		return;
	add_review(p, all, "patch", &w->resource, w->ns);
	if (p->job->nroles > 1 || apply_restarts(p))
		add_review(p, all, "delete", &w->resource, w->ns);
}

/* Adds the watches of cluster_watch.c, except the watch of Events, which the server may refuse. */
static void review_following(struct applying *p, struct reviews *all)
{
	bool queued = p->job->queue.value.n || str_is(p->job->gang.value, "kueue");
	const struct resource *workload = queued ? discovery_any(&p->cluster->discovery, STR("kueue.x-k8s.io"),
		STR("Workload")) : NULL;

	review_watch(p, all, resource_known(STR(""), STR("Pod")), p->ns);
	review_watch(p, all, resource_known(STR("batch"), STR("Job")), p->ns);
	if (apply_wants_controller(p) || apply_restarts(p))
		review_watch(p, all, resource_known(STR(""), STR("ConfigMap")), p->ns);
	if (workload)
		review_watch(p, all, workload, p->ns);
	for (size_t i = 0; i < p->wanted.n; i++) {
		const struct wanted *w = &p->wanted.at[i];
		if (cluster_watches_kind(&w->resource))
			review_watch(p, all, &w->resource, p->ns);
	}
}

/* Lists every request that this command is going to make. */
static struct reviews reviews_of(struct applying *p)
{
	const struct resource *config = resource_known(STR(""), STR("ConfigMap"));
	const struct options *o = p->session->options;
	struct resource logs = *resource_known(STR(""), STR("Pod"));
	struct reviews all = { 0 };

	add_review(p, &all, "get", config, p->ns);
	add_review(p, &all, "patch", config, p->ns);
	add_review(p, &all, "create", config, p->ns);
	for (size_t i = 0; i < p->wanted.n; i++)
		review_object(p, &all, &p->wanted.at[i]);
	for (size_t i = 0; i < p->surplus.n; i++)
		review_delete(p, &all, &p->surplus.at[i].resource, p->surplus.at[i].ns);
	if (p->mode == APPLY_REAL && apply_follows(p->session))
		review_following(p, &all);
	else if (p->mode == APPLY_REAL && apply_shows_state(p->session))
		add_review(p, &all, "list", resource_known(STR(""), STR("Pod")), p->ns);
	logs.plural = STR("pods/log");
	if (o->command == COMMAND_RUN && !option_given(o, OPTION_DETACH) &&
		!str_is(option_value(o, OPTION_OUTPUT), "json"))
		add_review(p, &all, "get", &logs, p->ns);
	return all;
}

/* Asks who the user is, for messages and for the history of the run. API servers before 1.28 do not say it. */
static struct answer *ask_user(struct batch *b)
{
	return batch_add(b, &(struct transport_request){ .method = TRANSPORT_POST, .kind = TRANSPORT_READ,
		.path = STR("/apis/authentication.k8s.io/v1/selfsubjectreviews"),
		.body = STR("{\"apiVersion\":\"authentication.k8s.io/v1\",\"kind\":\"SelfSubjectReview\"}") },
		CALL_ONCE);
}

static bool is_denied(const struct review *x)
{
	return x->answer->class == CALL_DONE && x->answer->data && !status_true(x->answer->data, "status.allowed");
}

/* Appends "create, patch jobs.batch; list pods": each resource once, with the verbs that are missing. */
static void put_denied(const struct reviews *all, struct str ns, struct buf *out)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct review *x = &all->at[i];
		bool first = is_denied(x) && str_eq(x->ns, ns);
		for (size_t k = 0; k < i && first; k++)
			first = !is_denied(&all->at[k]) || !str_eq(all->at[k].ns, ns) ||
				!str_eq(all->at[k].resource.plural, x->resource.plural);
		if (!first)
			continue;
		buf_z(out, out->n ? "; " : "");
		bool any = false;
		for (size_t k = i; k < all->n; k++) {
			const struct review *y = &all->at[k];
			if (!is_denied(y) || !str_eq(y->ns, ns) || !str_eq(y->resource.plural, x->resource.plural))
				continue;
			buf_printf(out, "%s%s", any ? ", " : "", y->verb);
			any = true;
		}
		buf_printf(out, " %.*s%s%.*s", STR_ARG(x->resource.plural), x->resource.group.n ? "." : "",
			STR_ARG(x->resource.group));
	}
}

static bool may_do_it(struct applying *p)
{
	struct reviews all = reviews_of(p);
	struct batch b = batch_new(&p->cluster->client, p->arena);
	struct buf denied = { 0 };

	for (size_t i = 0; i < all.n; i++)
		all.at[i].answer = batch_add(&b, &(struct transport_request){ .method = TRANSPORT_POST,
			.kind = TRANSPORT_READ,
			.path = STR("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"), .body = review_body(p,
				&all.at[i]) }, CALL_REPEAT);
	struct answer *who = all.n && !p->cluster->user.n ? ask_user(&b) : NULL;
	if (!batch_wait(&b))
		return false;
	if (who && who->data)
		p->cluster->user = text_line(p->arena, status_text(who->data, "status.userInfo.username"));
	for (size_t i = 0; i < all.n; i++)
		if (all.at[i].answer->class == CALL_DENIED || all.at[i].answer->class == CALL_UNAVAILABLE) {
			p->status = cluster_say(p->cluster, all.at[i].answer);
			return false;
		}
	put_denied(&all, p->ns, &denied);
	for (size_t i = 0; i < all.n; i++)
		if (!is_denied(&all.at[i]))
			map_put(&p->cluster->permitted, p->arena, review_key(p, &all.at[i]), p->cluster);
	struct str verbs = buf_take(&denied, p->arena);
	buf_release(&denied);
	if (!verbs.n)
		return true;
	p->status = STATUS_DENIED;
	if (map_put(&p->cluster->denied, p->arena, str_cat(p->arena, p->ns, STR(" "), verbs), p->cluster))
		return false;                   /* the missing permissions were already reported for another job of the
						 * program */
	struct str user = p->cluster->user;
	session_say(p->session, "%s%.*s%s may not do in namespace '%.*s' what this needs: %.*s",
		user.n ? "user '" : "you", STR_ARG(user), user.n ? "'" : "",
		STR_ARG(p->ns), STR_ARG(verbs));
	session_say(p->session,
		"nothing was changed; ask for a Role that has these verbs (docs/runtime.md has one that suffices)");
	return false;
}

/* ---- the namespace ---- */

static bool makes_namespace(const struct applying *p)
{
	for (size_t i = 0; i < p->wanted.n; i++)
		if (p->wanted.at[i].stage == STAGE_NAMESPACE && str_eq(p->wanted.at[i].from->name, p->ns))
			return true;
	return false;
}

static bool create_namespace(struct applying *p)
{
	struct buf b = { 0 };

	buf_z(&b, "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"labels\":{"
		"\"app.kubernetes.io/managed-by\":\"trainc\"},\"name\":");
	data_write_text(&b, p->ns);
	buf_z(&b, "}}");
	struct transport_request r = { .method = TRANSPORT_PATCH, .kind = TRANSPORT_WRITE, .body = buf_take(&b,
		p->arena),
		.path = resource_path(p->arena, resource_known(STR(""), STR("Namespace")), STR(""), p->ns),
			.content_type = STR("application/apply-patch+yaml"),
		.query = (struct transport_pair[]){ { STR("fieldManager"), STR(APPLYSET_MANAGER) }, { STR("force"),
			STR("true") } }, .nquery = 2 };
	buf_release(&b);
	struct answer *x = request_send(&p->cluster->client, p->arena, &r, CALL_BY_METHOD);
	if (x->class != CALL_DONE) {
		p->status = cluster_say(p->cluster, x);
		return false;
	}
	apply_tell(p, str_printf(p->arena, "Namespace/%.*s", STR_ARG(p->ns)), "created");
	return true;
}

/*
 * Does the namespace exist? If not, creates it if --create-namespace is given, otherwise reports an error and returns
 * false. If the user may not read namespaces, returns true: then the first write fails if the namespace does not exist.
 */
static bool namespace_is_there(struct applying *p)
{
	struct answer *x;

	if (makes_namespace(p) || map_get(&p->cluster->namespaces, p->ns))
		return true;
	x = request_get(&p->cluster->client, p->arena, resource_path(p->arena, resource_known(STR(""),
		STR("Namespace")), STR(""), p->ns));
	if (x->class == CALL_NOT_FOUND && option_given(p->session->options, OPTION_CREATE_NAMESPACE) &&
		p->mode == APPLY_REAL)
		return create_namespace(p);
	if (x->class == CALL_NOT_FOUND) {
		p->status = STATUS_REFUSED;
		if (map_put(&p->cluster->denied, p->arena, str_copy(p->arena, p->ns), p->cluster))
			return false;           /* the missing namespace was already reported for another job */
		session_say(p->session,
			"namespace '%.*s' does not exist; --create-namespace creates it, --namespace chooses another "
			"one", STR_ARG(p->ns));
		return false;
	}
	if (x->class == CALL_DONE && x->data && str_is(status_text(x->data, "status.phase"), "Terminating")) {
		session_say(p->session,
			"namespace '%.*s' is being deleted; wait until it is gone, or choose another one with "
			"--namespace", STR_ARG(p->ns));
		p->status = STATUS_REFUSED;
		return false;
	}
	map_put(&p->cluster->namespaces, p->arena, str_copy(p->arena, p->ns), p->cluster);
	return true;
}

/* ---- which kinds are served ---- */

/* The name of the add-on that installs the kinds of a group; NULL if unknown. */
static const char *addon_of(struct str group)
{
	static const struct {
		const char *group, *name;
	} addons[] = { { "jobset.x-k8s.io", "JobSet" }, { "leaderworkerset.x-k8s.io", "LeaderWorkerSet" },
		{ "kueue.x-k8s.io", "Kueue" }, { "trainer.kubeflow.org", "Kubeflow Trainer" },
		{ "kubeflow.org", "the Kubeflow training operator" }, { "scheduling.volcano.sh", "Volcano" },
		{ "batch.volcano.sh", "Volcano" },
		{ "scheduling.x-k8s.io", "the coscheduling plugin" },
		{ "scheduling.k8s.io", "the feature gate of gang scheduling" } };

	for (size_t i = 0; i < sizeof addons / sizeof *addons; i++)
		if (str_is(group, addons[i].group))
			return addons[i].name;
	return NULL;
}

static void say_missing(struct applying *p, const struct wanted *w)
{
	const char *addon = addon_of(w->resource.group);
	bool gang = w->stage == STAGE_GANG && !w->from->extra;
	struct buf b = { 0 };

	buf_printf(&b, "the cluster does not serve %.*s of %.*s", STR_ARG(w->resource.kind),
		STR_ARG(w->from->api_version));
	if (discovery_has_group(&p->cluster->discovery, w->resource.group))
		buf_printf(&b, ", but other versions or kinds of %.*s", STR_ARG(w->resource.group));
	if (addon)
		buf_printf(&b, "; it comes with %s", addon);
	struct diag *d = diag_report(&p->diags, TJ1201, w->from->from, "%.*s", STR_ARG(buf_text(&b)));
	diag_label(&p->diags, d, "%.*s", STR_ARG(wanted_name(p->arena, &p->wanted, w)));
	if (!w->from->extra)
		diag_help(&p->diags, d, "%s", gang ? "install it, or apply with --gang none, which needs no add-on"
		                                   : "install it, or apply with --target jobs, which needs no add-on");
	buf_release(&b);
	p->status = runs_worse(p->status, STATUS_REFUSED);
}

bool apply_find_kinds(struct applying *p)
{
	bool ok = true;

	for (size_t i = 0; i < p->wanted.n; i++) {
		struct wanted *w = &p->wanted.at[i];
		const struct resource *r = discovery_find(&p->cluster->discovery, w->from->api_version, w->from->kind);
		if (r) {
			w->resource = *r;
			w->ns = r->namespaced ? w->ns : STR("");
			continue;
		}
		if (p->cluster->discovery.failed) {
			p->status = cluster_say(p->cluster, p->cluster->discovery.failed);
			return false;
		}
		bool told = false;
		for (size_t k = 0; k < i && !told; k++)
			told = str_eq(p->wanted.at[k].from->kind, w->from->kind) && !p->wanted.at[k].resource.plural.n;
		if (!told)
			say_missing(p, w);
		ok = false;
	}
	return ok;
}

bool apply_preflight(struct applying *p)
{
	return apply_may_control(p) && apply_find_outdated(p) && apply_find_kinds(p) && may_do_it(p) &&
		namespace_is_there(p);
}
