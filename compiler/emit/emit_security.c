/*
 * emit_security.c - writes `security` of containers, and checks the pods of roles that ask for the level "restricted"
 * of Pod Security. The check reads the complete pod, so it also sees raw blocks, volumes, and the parts that a
 * framework or an accelerator adds.
 */
#include "emit/emit_build.h"

/* ---- writing ---- */

static void put_said_flag(struct emit *e, struct object *o, const char *key, const struct plan_bool *b)
{
	if (b->set)
		object_append_word(e->arena, o, str_of(key), object_boolean(e->arena, b->value, b->from));
}

static void put_said_number(struct emit *e, struct object *o, const char *key, const struct plan_int *n)
{
	if (n->set)
		object_append_word(e->arena, o, str_of(key), object_integer(e->arena, n->value, n->from));
}

static void put_said_names(struct emit *e, struct object *o, const char *key, const struct plan_str *at, size_t n)
{
	if (!n)
		return;
	struct object *list = object_put_list(e->arena, o, str_of(key), at[0].from);
	for (size_t i = 0; i < n; i++)
		object_add(e->arena, list, object_string(e->arena, at[i].value, at[i].from));
}

void emit_security(struct emit *e, const struct plan_container *c, struct object *container)
{
	const struct plan_security *s = c->security;
	struct object *o = s ? object_map(e->arena, s->from) : NULL;

	if (!s)
		return;
	put_said_flag(e, o, "privileged", &s->privileged);
	put_said_flag(e, o, "allowPrivilegeEscalation", &s->escalation);
	if (s->ncapabilities || s->ndrop) {
		struct object *names = PUT_MAP(e->arena, o, "capabilities", s->from);
		put_said_names(e, names, "add", s->capabilities, s->ncapabilities);
		put_said_names(e, names, "drop", s->drop, s->ndrop);
	}
	put_said_flag(e, o, "readOnlyRootFilesystem", &s->read_only_root);
	put_said_flag(e, o, "runAsNonRoot", &s->non_root);
	put_said_number(e, o, "runAsUser", &s->run_as);
	put_said_number(e, o, "runAsGroup", &s->run_as_group);
	if (s->seccomp.set)
		PUT_STR(e->arena, PUT_MAP(e->arena, o, "seccompProfile", s->seccomp.from), "type",
			str_is(s->seccomp.value, "unconfined") ? STR("Unconfined") : STR("RuntimeDefault"),
			s->seccomp.from);
	if (o->u.map.n)
		object_append(e->arena, container, STR("securityContext"), o);
}

void emit_pod_security(struct emit *e, const struct plan_role *r, struct object *pod)
{
	const struct plan_security *s = r->main.security;

	if (s && s->fs_group.set)
		put_said_number(e, PUT_MAP(e->arena, pod, "securityContext", s->from), "fsGroup", &s->fs_group);
}

/* ---- checking the level "restricted" ---- */

struct restricting {
	struct emit *e;
	const struct plan_security *level;      /* where the role asks for the level */
	const struct object *pod_context;       /* the security context of the pod, or NULL */
	struct span container;                  /* where the container is, for what it lacks */
};

/* Reports what the level does not allow at a place. */
static void refuse_at(struct restricting *k, struct span at, const char *what, struct str name, const char *help)
{
	struct diags *ds = k->e->diags;
	struct diag *d;

	if (!ds)
		return;
	d = diag_report(ds, TJ0632, span_known(at) ? at : k->level->from,
		"pods of the level \"restricted\" cannot have %s%s%.*s%s", what, name.n ? "'" : "", STR_ARG(name),
		name.n ? "'" : "");
	if (span_known(at) && at.start != k->level->from.start)
		diag_note(ds, d, k->level->from, "the role asks for the level here");
	diag_help(ds, d, "%s", help);
}

/* Reports PART, or, if it is NULL, what the container lacks. */
static void refuse_part(struct restricting *k, const struct object *part, const char *what, struct str name,
	const char *help)
{
	refuse_at(k, part && span_known(part->from) ? part->from : k->container, what, name, help);
}

static struct str text_under(const struct object *map, const char *key)
{
	const struct object *o = map && map->kind == OBJECT_MAP ? object_get(map, str_of(key)) : NULL;

	return o && o->kind == OBJECT_STRING ? o->u.string : STR("");
}

static const struct object *part_under(const struct object *map, const char *key, enum object_kind kind)
{
	const struct object *o = map && map->kind == OBJECT_MAP ? object_get(map, str_of(key)) : NULL;

	return o && o->kind == kind ? o : NULL;
}

static const struct object *true_under(const struct object *map, const char *key)
{
	const struct object *o = part_under(map, key, OBJECT_BOOL);

	return o && o->u.boolean ? o : NULL;
}

/* The space-separated list WORDS has NAME. */
static bool is_word_in(const char *words, struct str name)
{
	for (const char *p = words; *p; p += strcspn(p, " "), p += *p == ' ')
		if (str_eq(name, (struct str){ p, strcspn(p, " ") }))
			return true;
	return false;
}

/* The parts of a security context that a pod and its containers both may have. */
static void test_context(struct restricting *k, const struct object *c)
{
	static const char types[] = "container_t container_init_t container_kvm_t container_engine_t";
	const struct object *user = part_under(c, "runAsUser", OBJECT_INT),
		*linux = part_under(c, "seLinuxOptions", OBJECT_MAP),
		*windows = part_under(c, "windowsOptions", OBJECT_MAP),
		*armor = part_under(c, "appArmorProfile", OBJECT_MAP);
	struct str type = text_under(linux, "type");

	if (user && !user->u.integer)
		refuse_part(k, user, "the user 0, which is root", STR(""), "write another number: run_as = 1000");
	if (linux && ((type.n && !is_word_in(types, type)) ||
		text_under(linux, "user").n || text_under(linux, "role").n))
		refuse_part(k, linux, "these options of SELinux", STR(""), "remove them");
	if (true_under(windows, "hostProcess"))
		refuse_part(k, windows, "processes of the host", STR(""), "remove 'hostProcess'");
	if (str_is(text_under(armor, "type"), "Unconfined"))
		refuse_part(k, armor, "an unconfined profile of AppArmor", STR(""), "remove it");
}

static void test_sysctls(struct restricting *k, const struct object *list)
{
	static const char safe[] = "kernel.shm_rmid_forced net.ipv4.ip_local_port_range net.ipv4.tcp_syncookies "
		"net.ipv4.ip_unprivileged_port_start net.ipv4.ping_group_range net.ipv4.ip_local_reserved_ports "
		"net.ipv4.tcp_keepalive_time net.ipv4.tcp_fin_timeout net.ipv4.tcp_keepalive_intvl "
		"net.ipv4.tcp_keepalive_probes net.ipv4.tcp_rmem net.ipv4.tcp_wmem";

	for (size_t i = 0; list && i < list->u.list.n; i++) {
		struct str name = text_under(list->u.list.at[i], "name");
		if (name.n && !is_word_in(safe, name))
			refuse_part(k, list->u.list.at[i], "the sysctl ", name, "remove it");
	}
}

/* Reports what the security context of the pod says itself: the level refuses it even if no container inherits it. */
static void test_pod_context(struct restricting *k)
{
	const struct object *c = k->pod_context, *root = part_under(c, "runAsNonRoot", OBJECT_BOOL),
		*profile = part_under(c, "seccompProfile", OBJECT_MAP);

	test_context(k, c);
	if (root && !root->u.boolean)
		refuse_part(k, root, "runAsNonRoot = false", STR(""), "remove it");
	if (str_is(text_under(profile, "type"), "Unconfined"))
		refuse_part(k, profile, "an unconfined profile of seccomp", STR(""), "remove it");
	test_sysctls(k, part_under(c, "sysctls", OBJECT_LIST));
}

/* Reports annotations by which a container has no profile of AppArmor. */
static void test_annotations(struct restricting *k, const struct plan_pairs *said)
{
	for (size_t i = 0; i < said->n; i++) {
		struct str value = said->at[i].value;
		if (str_starts(said->at[i].key, STR("container.apparmor.security.beta.kubernetes.io/")) && value.n &&
			!str_is(value, "runtime/default") && !str_starts(value, STR("localhost/")))
			refuse_at(k, said->at[i].key_at, "the annotation ", said->at[i].key, "remove it");
	}
}

static void test_seccomp(struct restricting *k, const struct object *c)
{
	const struct object *own = part_under(c, "seccompProfile", OBJECT_MAP);
	const struct object *profile = own ? own : part_under(k->pod_context, "seccompProfile", OBJECT_MAP);

	if (!is_word_in("RuntimeDefault Localhost", text_under(profile, "type")))
		refuse_part(k, profile, profile ? "an unconfined profile of seccomp" :
			"a container without a profile of seccomp", STR(""),
			"write seccomp = \"runtime-default\", or leave it out in a role of the level");
}

static void test_capabilities(struct restricting *k, const struct object *c)
{
	const struct object *both = part_under(c, "capabilities", OBJECT_MAP),
		*add = part_under(both, "add", OBJECT_LIST), *drop = part_under(both, "drop", OBJECT_LIST);
	bool all = false;

	for (size_t i = 0; add && i < add->u.list.n; i++)
		if (add->u.list.at[i]->kind == OBJECT_STRING &&
			!str_is(add->u.list.at[i]->u.string, "NET_BIND_SERVICE"))
			refuse_part(k, add->u.list.at[i], "the capability ", add->u.list.at[i]->u.string,
				"remove it; a role that needs it cannot have the level: write security = { "
				"capabilities = [...] } there");
	for (size_t i = 0; drop && i < drop->u.list.n; i++)
		all |= drop->u.list.at[i]->kind == OBJECT_STRING && str_is(drop->u.list.at[i]->u.string, "ALL");
	if (!all)
		refuse_part(k, drop, "the capabilities that a container has by default", STR(""),
			"write drop = [\"ALL\"], or leave the container's 'security' to the role");
}

static void test_ports(struct restricting *k, const struct object *ports)
{
	for (size_t i = 0; ports && i < ports->u.list.n; i++) {
		const struct object *host = part_under(ports->u.list.at[i], "hostPort", OBJECT_INT);
		if (host && host->u.integer)
			refuse_part(k, host, "a port of the host", STR(""), "remove 'hostPort'");
	}
}

/* Reports a host in the probes and hooks of a container: the kubelet would connect to it from the node. */
static void test_hosts(struct restricting *k, const struct object *container)
{
	static const char *const probes[] = { "livenessProbe", "readinessProbe", "startupProbe" },
		*const hooks[] = { "postStart", "preStop" }, *const ways[] = { "httpGet", "tcpSocket" };
	const struct object *lifecycle = part_under(container, "lifecycle", OBJECT_MAP);

	for (size_t i = 0; i < 5; i++) {
		const struct object *probe = i < 3 ? part_under(container, probes[i], OBJECT_MAP) :
			part_under(lifecycle, hooks[i - 3], OBJECT_MAP);
		for (size_t w = 0; w < 2; w++) {
			const struct object *way = part_under(probe, ways[w], OBJECT_MAP);
			if (text_under(way, "host").n)
				refuse_part(k, object_get(way, STR("host")), "the host ", text_under(way, "host"),
					"remove it: then the container itself is asked");
		}
	}
}

static void test_container(struct restricting *k, const struct object *container)
{
	const struct object *c = part_under(container, "securityContext", OBJECT_MAP),
		*escalation = part_under(c, "allowPrivilegeEscalation", OBJECT_BOOL),
		*privileged = true_under(c, "privileged"), *root = part_under(c, "runAsNonRoot", OBJECT_BOOL);

	k->container = container->from;
	if (!c && !k->pod_context) {
		refuse_part(k, NULL, "a container without a security context", STR(""),
			"remove its security = none; in a raw block, write a sidecar or init block instead");
		return;
	}
	if (privileged)
		refuse_part(k, privileged, "a privileged container", STR(""), "remove 'privileged'; a role that "
			"needs it cannot have the level: write security = { privileged = true } there");
	if (!escalation || escalation->u.boolean)
		refuse_part(k, escalation, "a container that may gain privileges", STR(""),
			"write escalation = false, or leave the container's 'security' to the role");
	if (root ? !root->u.boolean : !true_under(k->pod_context, "runAsNonRoot"))
		refuse_part(k, root, "a container that may run as root", STR(""),
			"write non_root = true, or leave the container's 'security' to the role");
	if (text_under(c, "procMount").n && !str_is(text_under(c, "procMount"), "Default"))
		refuse_part(k, object_get(c, STR("procMount")), "this kind of /proc", STR(""), "remove 'procMount'");
	test_context(k, c);
	test_seccomp(k, c);
	test_capabilities(k, c);
	test_ports(k, part_under(container, "ports", OBJECT_LIST));
	test_hosts(k, container);
}

static void test_volume_kind(struct restricting *k, const struct object *v)
{
	static const char usual[] = "name configMap csi downwardAPI emptyDir ephemeral persistentVolumeClaim projected "
		"secret";

	for (size_t i = 0; v->kind == OBJECT_MAP && i < v->u.map.n; i++) {
		struct str kind = v->u.map.at[i].key;
		if (!is_word_in(usual, kind))
			refuse_part(k, span_known(v->u.map.at[i].value->from) ? v->u.map.at[i].value : v,
				"a volume of the kind ", kind,
				"use a claim, as pvc(\"NAME\"), or scratch space; a role that needs the volume cannot "
				"have the level");
	}
}

/* ---- checking pods of any level ---- */

/* Reports a container that must not run as root and would: the kubelet does not start it. */
static void test_root(struct restricting *k, const struct object *container)
{
	const struct object *c = part_under(container, "securityContext", OBJECT_MAP),
		*user = part_under(c, "runAsUser", OBJECT_INT), *not_root = part_under(c, "runAsNonRoot", OBJECT_BOOL);
	struct str name = text_under(container, "name");

	user = user ? user : part_under(k->pod_context, "runAsUser", OBJECT_INT);
	not_root = not_root ? not_root : part_under(k->pod_context, "runAsNonRoot", OBJECT_BOOL);
	if (!user || user->u.integer || !not_root || !not_root->u.boolean)
		return;
	struct diag *d = diag_report(k->e->diags, TJ0632, span_known(user->from) ? user->from : container->from,
		"the user 0 is root, and container '%.*s' must not run as root", STR_ARG(name));
	diag_note(k->e->diags, d, not_root->from, "decided here");
	diag_help(k->e->diags, d, "write the number of another user, such as run_as = 1000");
}

/* Reports what the level "restricted" refuses in POD. */
static void test_restricted(struct restricting *k, const struct plan_role *r, const struct object *pod)
{
	/* in the pod, and as the program says it; hostPID is not a word of the language */
	const struct { const char *key, *word; } hosts[] = {
		{ "hostNetwork", r->host_network.value ? "host_network" : "hostNetwork" }, { "hostPID", "hostPID" },
		{ "hostIPC", r->host_ipc.value ? "host_ipc" : "hostIPC" },
	};
	const struct object *volumes = part_under(pod, "volumes", OBJECT_LIST);

	for (size_t i = 0; i < 3; i++)
		if (true_under(pod, hosts[i].key))
			refuse_part(k, object_get(pod, str_of(hosts[i].key)), "", str_of(hosts[i].word),
				"remove it; a role that needs it cannot have the level");
	test_pod_context(k);
	test_annotations(k, &k->e->job->annotations);
	test_annotations(k, &r->annotations);
	for (size_t i = 0; volumes && i < volumes->u.list.n; i++)
		test_volume_kind(k, volumes->u.list.at[i]);
}

void emit_check_security(struct emit *e, const struct plan_role *r, const struct object *pod)
{
	static const char *const lists[] = { "initContainers", "containers", "ephemeralContainers" };
	struct restricting k = { .e = e, .level = r->main.security,
		.pod_context = part_under(pod, "securityContext", OBJECT_MAP) };
	bool restricted = k.level && k.level->restricted;

	if (!e->diags)
		return;
	for (size_t l = 0; l < 3; l++) {
		const struct object *list = part_under(pod, lists[l], OBJECT_LIST);
		for (size_t i = 0; list && i < list->u.list.n; i++)
			(restricted ? test_container : test_root)(&k, list->u.list.at[i]);
	}
	if (restricted)
		test_restricted(&k, r, pod);
}
