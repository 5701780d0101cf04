/*
 * import_pod.c - reads a pod template as the body of a role: its containers, fields that they share, and `raw pod` for
 * the rest.
 */
#include "import/import_role.h"

#include <ctype.h>

#include "kube/limits.h"

static struct line *set_role_field(struct role_reading *r, const char *field, struct expr *value,
	const struct data_member *m)
{
	struct line *line = lines_set(r->im->arena, r->role, str_of(field), value, member_span(m));

	import_comments(r->im, line, member_span(m));
	return line;
}

static void keep_pod_raw(struct role_reading *r, const struct data_member *m)
{
	bool affinity = str_is(m->key, "affinity"), selects = affinity || str_is(m->key, "topologySpreadConstraints");
	struct data_member kept = *m;

	if (affinity && !(kept.value = node_affinity_read(r, m->value)))
		return;
	raw_member(r->im, role_raw(r, m->key_at), m->key, selects ? selectors_read(r, &kept) : m->value, m->key_at);
}

/* ---- containers ---- */

static const struct data *main_container(const struct role_reading *r, const struct data *containers)
{
	for (size_t i = 0; i < data_count(containers); i++)
		if (!r->kind->container || str_is(member_text(containers->u.list.at[i], "name"), r->kind->container))
			return containers->u.list.at[i];
	return NULL;
}

/* Reads a container other than the main one. */
static void other_container(struct role_reading *r, const struct data *container, enum container_kind kind)
{
	struct import *im = r->im;
	struct str name = member_text(container, "name");
	struct container_reading c = { .role = r, .kind = kind, .container = container };

	if (!is_block_name(name)) {
		const char *list = kind == CONTAINER_INIT ? "initContainers" : "containers";
		struct lines *to = raw_list(im, role_raw(r, container->from), list, container->from);
		import_comments(im, lines_add(im->arena, to, raw_expr(im, container), container->from),
			container->from);
		return;
	}
	struct str key = str_cat(im->arena, kind == CONTAINER_INIT ? STR("init ") : STR("sidecar "),
		word_text(im->arena, name), STR(""));
	c.to = lines_extend(im->arena, r->role, key, container->from);
	struct line *line = r->role->at[r->role->n - 1];
	container_read(&c);
	lines_sort(c.to);
	import_comments(im, line, container->from);
}

/*
 * Is init container I a sidecar, one that keeps running? It is written as a sidecar only if all later init containers
 * are sidecars too, because a program starts sidecars last. Pods of the operators belong to no Job: there it stays an
 * init container.
 */
static bool goes_on(const struct role_reading *r, const struct data *list, size_t i)
{
	for (; i < list->u.list.n; i++)
		if (!str_is(member_text(list->u.list.at[i], "restartPolicy"), "Always") ||
		    !is_block_name(member_text(list->u.list.at[i], "name")))
			return false;
	return !r->kind->restart;
}

static void read_containers(struct role_reading *r, const struct data *list, enum container_kind kind)
{
	for (size_t i = 0; i < data_count(list); i++)
		if (list->u.list.at[i] != r->main)
			other_container(r, list->u.list.at[i],
				kind == CONTAINER_INIT && goes_on(r, list, i) ? CONTAINER_SIDECAR : kind);
}

static void main_read(struct role_reading *r)
{
	struct import *im = r->im;
	struct container_reading c = { .role = r, .kind = CONTAINER_MAIN, .container = r->main, .to = r->role };
	struct str name = member_text(r->main, "name");

	if (name.n && !str_is(name, r->kind->usual ? r->kind->usual : "main"))
		lines_set(im->arena, r->role, STR("container"), expr_string(im->arena, name),
			member_at(r->main, "name"));
	container_read(&c);
}

/* ---- reading fields of the pod ---- */

static void grace(struct role_reading *r, const struct data_member *m)
{
	if (m->value->u.integer == 30)
		return;
	if (m->value->u.integer < 1)
		diag_report(r->im->diags, TJ1111, m->value->from,
			"the shortest time between TERM and KILL is a second; the program says grace = 1s");
	set_role_field(r, "grace", expr_text(r->im->arena,
		str_printf(r->im->arena, "%llds", (long long)(m->value->u.integer < 1 ? 1 : m->value->u.integer))), m);
}

static void pull_secrets(struct role_reading *r, const struct data_member *m)
{
	struct arena *a = r->im->arena;
	struct expr *list = expr_new(a, EXPR_LIST);

	for (size_t i = 0; i < m->value->u.list.n; i++) {
		struct str name = member_text(m->value->u.list.at[i], "name");
		if (name.n && !kube_object_name(name))
			import_left_out(r->im, m->value->u.list.at[i]->from,
				str_cat(r->im->arena, STR("imagePullSecrets: "), name, STR("")),
				"no Secret can have this name, and the kubelet ignores pull secrets that do not exist");
		else if (name.n)
			lines_add(a, &list->items, expr_string(a, name), m->value->u.list.at[i]->from);
	}
	if (list->items.n)
		set_role_field(r, "pull_secrets", list, m);
}

struct str restart_word(struct str policy)
{
	return str_is(policy, "Never") ? STR("never") : str_is(policy, "OnFailure") ? STR("on-failure")
		: str_is(policy, "Always") ? STR("always") : STR("");
}

static void read_pod_restart(struct role_reading *r, const struct data_member *m)
{
	struct str word = restart_word(m->value->u.string);

	if (r->kind->restart) {
		import_left_out(r->im, m->key_at, m->key, "the role's own restart policy counts");
		return;
	}
	if (!m->value->u.string.n)
		return;
	set_role_field(r, "restart", expr_string(r->im->arena, word.n ? word : STR("on-failure")), m);
	if (word.n)
		return;
	struct diag *d = diag_report(r->im->diags, TJ1108, m->value->from, "'%.*s' is not a restart policy",
		STR_ARG(m->value->u.string));
	diag_help(r->im->diags, d, "it is Never, OnFailure or Always");
}

static void read_pod_text(struct role_reading *r, const struct data_member *m, const char *field)
{
	if (m->value->u.string.n)
		set_role_field(r, field, expr_string(r->im->arena, m->value->u.string), m);
}

/* Is it a field of pods that the compiler writes for every role? */
static bool of_compiler(struct role_reading *r, const struct data_member *m)
{
	static const char *const names[] = { "hostname", "subdomain", "setHostnameAsFQDN" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (!str_is(m->key, names[i]))
			continue;
		/* the subdomain is not reported if it was used to translate host names */
		if (i != 1 || !r->job->hosts.n)
			import_left_out(r->im, m->key_at, m->key,
				"each replica has its own host name; texts refer to it by ROLE.host(i)");
		return true;
	}
	return str_is(m->key, "enableServiceLinks") && !m->value->u.boolean;
}

/* ---- variables that describe Services ---- */

static bool is_name_char(char c) { return isupper((unsigned char)c) || isdigit((unsigned char)c) || c == '_'; }

/*
 * Does TEXT name a variable like REDIS_SERVICE_HOST? The variables of the API server's own Service do not count,
 * because they always exist.
 */
static bool names_service(struct str text)
{
	static const char *const ends[] = { "_SERVICE_HOST", "_SERVICE_PORT" };

	for (size_t i = 0; i < text.n; i++) {
		size_t n = i;
		while (n < text.n && is_name_char(text.p[n]))
			n++;
		struct str name = { text.p + i, n - i };
		for (size_t k = 0; k < 2; k++)
			if (str_ends(name, str_of(ends[k])) && name.n > strlen(ends[k]) &&
			    !str_starts(name, STR("KUBERNETES_")))
				return true;
		i = n;
	}
	return false;
}

/* Does a text of the containers in LIST use such a variable? */
static bool reads_services(const struct data *list)
{
	static const char *const keys[] = { "command", "args", "env" };

	for (size_t i = 0; i < data_count(list); i++) {
		for (size_t k = 0; k < 3; k++) {
			const struct data *texts = member(list->u.list.at[i], keys[k]);
			for (size_t n = 0; n < data_count(texts); n++) {
				const struct data *d = texts->u.list.at[n];
				if (names_service(d->kind == DATA_STRING ? d->u.string : member_text(d, "value")))
					return true;
			}
		}
	}
	return false;
}

/* Keeps the variables for Services if the containers use them: by default, pods of a program do not get them. */
static void service_links(struct role_reading *r)
{
	if (!member(r->spec, "enableServiceLinks") &&
	    (reads_services(member(r->spec, "containers")) || reads_services(member(r->spec, "initContainers"))))
		lines_set(r->im->arena, role_raw(r, r->spec->from), STR("enableServiceLinks"),
			expr_text(r->im->arena, STR("true")), r->spec->from);
}

/* Does the pod use the network of its node, with the resolver that `host_network` gives it? */
static bool shares_network(const struct role_reading *r)
{
	const struct data *host = member(r->spec, "hostNetwork");

	return host && host->u.boolean && str_is(member_text(r->spec, "dnsPolicy"), "ClusterFirstWithHostNet");
}

static void read_pod_field(struct role_reading *r, const struct data_member *m)
{
	static const char *const elsewhere[] = { "containers", "initContainers", "volumes", "nodeSelector",
		"tolerations", "securityContext" };

	for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
		if (str_is(m->key, elsewhere[i]))
			return;
	if (of_compiler(r, m))
		return;
	if (str_is(m->key, "terminationGracePeriodSeconds"))
		grace(r, m);
	else if (str_is(m->key, "imagePullSecrets"))
		pull_secrets(r, m);
	else if (str_is(m->key, "restartPolicy"))
		read_pod_restart(r, m);
	else if (str_is(m->key, "serviceAccountName") ||
		(str_is(m->key, "serviceAccount") && !member(r->spec, "serviceAccountName")))
		read_pod_text(r, m, "service_account");
	else if (str_is(m->key, "schedulerName"))
		read_pod_text(r, m, "scheduler");
	else if (str_is(m->key, "priorityClassName"))
		read_pod_text(r, m, "priority");
	else if (str_is(m->key, "runtimeClassName"))
		read_pod_text(r, m, "runtime_class");
	else if (str_is(m->key, "automountServiceAccountToken"))
		set_role_field(r, "automount",
			expr_text(r->im->arena, m->value->u.boolean ? STR("true") : STR("false")), m);
	else if (str_is(m->key, "hostIPC") && m->value->u.boolean)
		set_role_field(r, "host_ipc", expr_text(r->im->arena, STR("true")), m);
	else if (str_is(m->key, "hostNetwork") && shares_network(r))
		set_role_field(r, "host_network", expr_text(r->im->arena, STR("true")), m);
	else if (!str_is(m->key, "serviceAccount") && !(str_is(m->key, "dnsPolicy") && shares_network(r)))
		keep_pod_raw(r, m);
}

/* ---- reading the metadata of the template ---- */

#define KUEUE_PODSET "kueue.x-k8s.io/podset-"

/* Converts an annotation by which Kueue places pods to the value of `place`; NULL if `place` cannot express it. */
static struct expr *place_words(struct arena *a, const struct data_member *pair)
{
	static const char *const functions[][2] = { { "required-topology", "near" },
		{ "preferred-topology", "prefer" } };
	struct str key = { pair->key.p + sizeof KUEUE_PODSET - 1, pair->key.n - (sizeof KUEUE_PODSET - 1) }, value,
		level;

	if (pair->value->kind != DATA_STRING)
		return NULL;
	value = pair->value->u.string;
	level = usual_level(value);
	if (str_is(key, "unconstrained-topology"))
		return str_is(value, "true") ? expr_text(a, STR("pack")) : NULL;
	for (size_t i = 0; level.n && i < sizeof functions / sizeof *functions; i++) {
		if (!str_is(key, functions[i][0]))
			continue;
		struct expr *e = expr_call(a, str_of(functions[i][1]));
		lines_add(a, &e->items, expr_string(a, level), pair->value->from);
		return e;
	}
	return NULL;
}

/*
 * Does each map within D have at most one of Kueue's annotations about where pods run, and can `place` express it? A
 * second annotation could not be kept: a program with `place` must not set such annotations itself.
 */
static bool known_in(struct arena *a, const struct data *d)
{
	size_t said = 0;
	bool known = true;

	if (d && d->kind == DATA_LIST)
		for (size_t i = 0; i < d->u.list.n && known; i++)
			known = known_in(a, d->u.list.at[i]);
	if (!d || d->kind != DATA_MAP)
		return known;
	for (size_t i = 0; i < d->u.map.n && known; i++) {
		const struct data_member *m = &d->u.map.at[i];
		bool theirs = str_starts(m->key, STR(KUEUE_PODSET));
		said += theirs;
		known = theirs ? said == 1 && place_words(a, m) : known_in(a, m->value);
	}
	return known;
}

bool places_known(struct arena *a, const struct data *annotations, const struct data *spec)
{
	for (size_t i = 0; i < data_count(annotations); i++)
		if (str_starts(annotations->u.map.at[i].key, STR(KUEUE_PODSET)))
			return false;           /* on the job itself, the annotation would apply to all roles */
	return known_in(a, spec);
}

static void read_pod_pairs(struct role_reading *r, const struct data_member *m, const char *field)
{
	struct import *im = r->im;
	struct lines *to = NULL;

	for (size_t i = 0; i < m->value->u.map.n; i++) {
		const struct data_member *pair = &m->value->u.map.at[i];
		const struct data *of_job = data_get(str_is(str_of(field), "labels") ? r->job->labels
			: r->job->annotations, pair->key);
		bool same = of_job && of_job->kind == DATA_STRING && str_eq(of_job->u.string, pair->value->u.string);
		if (same || member_is_record(pair->key))
			continue;
		if (member_is_manager(pair->key)) {
			if (!str_is(pair->value->u.string, "trainc"))
				import_left_out(im, pair->key_at, pair->key, "trainc writes its own name there");
			continue;
		}
		struct expr *placed = r->job->queued && str_starts(pair->key, STR(KUEUE_PODSET)) ?
			place_words(im->arena, pair) : NULL;
		if (placed) {
			import_comments(im, lines_set(im->arena, r->role, STR("place"), placed, pair->key_at),
				member_span(pair));
			continue;
		}
		if (!to)
			to = lines_block(im->arena, r->role, str_of(field), m->key_at);
		struct line *line = lines_set(im->arena, to, key_text(im->arena, pair->key),
			expr_string(im->arena, pair->value->u.string), pair->key_at);
		import_comments(im, line, member_span(pair));
	}
}

static void template_metadata(struct role_reading *r, const struct data *metadata)
{
	for (size_t i = 0; i < data_count(metadata); i++) {
		const struct data_member *m = &metadata->u.map.at[i];
		if (str_is(m->key, "labels") || str_is(m->key, "annotations"))
			read_pod_pairs(r, m, m->key.p[0] == 'l' ? "labels" : "annotations");
		else if (!is_servers(m->key) && !str_is(m->key, "ownerReferences"))
			import_left_out(r->im, m->key_at, m->key, "pods get it from the job");
	}
}

bool role_read(struct role_reading *r, const struct data *template)
{
	r->spec = member(template, "spec");
	r->main = main_container(r, member(r->spec, "containers"));
	if (!r->main)
		return false;
	r->pod_said = pod_security_is_said(r);
	volumes_read(r, member(r->spec, "volumes"));
	main_read(r);
	for (size_t i = 0; i < r->spec->u.map.n; i++)
		read_pod_field(r, &r->spec->u.map.at[i]);
	pod_security_read(r);
	service_links(r);
	device_read(r, member(r->spec, "nodeSelector"), member(r->spec, "tolerations"));
	template_metadata(r, member(template, "metadata"));
	read_containers(r, member(r->spec, "initContainers"), CONTAINER_INIT);
	read_containers(r, member(r->spec, "containers"), CONTAINER_SIDECAR);
	volumes_finish(r);
	lines_sort(r->role);
	return true;
}
