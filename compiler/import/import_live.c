/*
 * import_live.c - cleans objects that were read from a cluster: what the API server and the controllers wrote into them
 * is left out, and so are objects that a controller made for the job. An object with a uid was read from an API server.
 * Defaults are those of Kubernetes' API (pkg/apis/core/v1/defaults.go and its neighbors): a field with its default
 * value is dropped, whoever wrote it.
 */
#include <stdio.h>

#include "import/import_live.h"
#include "import/import_role.h"
#include "import/import_tree.h"

/* A value that means the same as a missing field. */
struct usual {
	const char *in, *key;           /* `in`: the key of the map that contains the field; NULL: any map */
	const char *text;               /* the value, as YAML text */
};

static const struct usual usuals[] = {
	{ NULL, "terminationMessagePath", "/dev/termination-log" }, { NULL, "terminationMessagePolicy", "File" },
	{ NULL, "dnsPolicy", "ClusterFirst" }, { NULL, "schedulerName", "default-scheduler" },
	{ NULL, "enableServiceLinks", "true" }, { NULL, "preemptionPolicy", "PreemptLowerPriority" },
	{ NULL, "terminationGracePeriodSeconds", "30" }, { NULL, "serviceAccountName", "default" },
	{ NULL, "securityContext", "{}" }, { NULL, "resources", "{}" }, { NULL, "affinity", "{}" },
	{ NULL, "protocol", "TCP" }, { NULL, "defaultMode", "420" }, { NULL, "volumeMode", "Filesystem" },
	{ "fieldRef", "apiVersion", "v1" }, { "resourceFieldRef", "divisor", "0" },
	{ "hostPath", "type", "" }, { "httpGet", "scheme", "HTTP" }, { "httpGet", "path", "/" },
	{ "grpc", "service", "" },
	{ "spec", "podReplacementPolicy", "TerminatingOrFailed" }, { "spec", "completionMode", "NonIndexed" },
	{ "spec", "suspend", "false" }, { "spec", "manualSelector", "false" },
	{ "spec", "progressDeadlineSeconds", "600" }, { "spec", "revisionHistoryLimit", "10" },
	{ "spec", "podManagementPolicy", "OrderedReady" },
	{ "spec", "restartPolicy", "Always" }, { "spec", "internalTrafficPolicy", "Cluster" },
	{ "spec", "ipFamilyPolicy", "SingleStack" }, { "spec", "sessionAffinity", "None" },
	{ "spec", "type", "ClusterIP" }, { "metadata", "creationTimestamp", "null" },
};

static const struct usual usuals_of_probes[] = {
	{ NULL, "timeoutSeconds", "1" }, { NULL, "periodSeconds", "10" }, { NULL, "successThreshold", "1" },
	{ NULL, "failureThreshold", "3" },
};

/* Maps whose keys belong to the user, so that none of their keys is a field. */
static const char *const free_maps[] = { "labels", "nodeSelector", "matchLabels", "limits", "requests",
	"data", "binaryData", "stringData", "selector" };

/* Was it read from an API server? If so, it has a uid and a resource version. */
static bool live_is(const struct data *object)
{
	const struct data *metadata = member(object, "metadata");

	return member_text(metadata, "uid").n && member_text(metadata, "resourceVersion").n;
}

/* ---- defaults ---- */

static bool is_same_text(const struct data *d, const char *text)
{
	char number[24];

	switch (d->kind) {
	case DATA_NULL: return strcmp(text, "null") == 0;
	case DATA_BOOL: return strcmp(text, d->u.boolean ? "true" : "false") == 0;
	case DATA_STRING: return str_is(d->u.string, text);
	case DATA_MAP: return !d->u.map.n && strcmp(text, "{}") == 0;
	case DATA_INT:
		snprintf(number, sizeof number, "%lld", (long long)d->u.integer);
		return strcmp(text, number) == 0;
	default: return false;
	}
}

static bool is_among(const struct usual *at, size_t n, struct str in, const struct data_member *m)
{
	for (size_t i = 0; i < n; i++)
		if (str_is(m->key, at[i].key) && (!at[i].in || str_is(in, at[i].in)) &&
			is_same_text(m->value, at[i].text))
			return true;
	return false;
}

/* Is it the pull policy that Kubernetes chooses for an image without one? */
static bool is_usual_pull(const struct data *container, struct str policy)
{
	struct str image = member_text(container, "image");

	if (!image.n)
		return false;
	const char *slash = memrchr(image.p, '/', image.n), *name = slash ? slash + 1 : image.p;
	const char *end = image.p + image.n, *tag = memchr(name, ':', (size_t)(end - name));
	bool digest = memchr(image.p, '@', image.n);
	bool latest = !digest && (!tag || str_is((struct str){ tag, (size_t)(end - tag) }, ":latest"));

	return str_is(policy, latest ? "Always" : "IfNotPresent");
}

/* Is it the volume of the account's token, which admission mounts into every pod? */
static bool is_token(const struct data *d)
{
	return str_starts(member_text(d, "name"), STR("kube-api-access-"));
}

/* Is it a toleration that admission gives to every pod? */
static bool is_usual_toleration(const struct data *d)
{
	struct str key = member_text(d, "key");

	return member_int(d, "tolerationSeconds", 0) == 300 && str_is(member_text(d, "effect"), "NoExecute") &&
		(str_is(key, "node.kubernetes.io/not-ready") || str_is(key, "node.kubernetes.io/unreachable"));
}

static bool is_default(struct str in, const struct data *map, const struct data_member *m)
{
	bool probe = str_ends(in, STR("Probe"));

	if (str_is(m->key, "imagePullPolicy") && m->value->kind == DATA_STRING)
		return is_usual_pull(map, m->value->u.string);
	/* the older name of serviceAccountName, which the server sets to the same value */
	if (str_is(m->key, "serviceAccount"))
		return member(map, "serviceAccountName");
	if (str_is(in, "annotations"))
		return str_is(m->key, "deployment.kubernetes.io/revision");
	if (str_is(m->key, "ipFamilies"))
		return str_is(member_text(map, "ipFamilyPolicy"), "SingleStack");
	return is_among(usuals, sizeof usuals / sizeof *usuals, in, m) ||
		(probe && is_among(usuals_of_probes, sizeof usuals_of_probes / sizeof *usuals_of_probes, in, m));
}

static const struct data *without_defaults(struct arena *a, struct str in, const struct data *d);

static const struct data *clean_list(struct arena *a, struct str in, const struct data *d)
{
	bool volumes = str_is(in, "volumes") || str_is(in, "volumeMounts");
	struct data *ret = tree_copy(a, d);
	size_t n = 0;

	for (size_t i = 0; i < d->u.list.n; i++) {
		const struct data *one = d->u.list.at[i];
		if (one->kind == DATA_MAP && ((volumes && is_token(one)) ||
			(str_is(in, "tolerations") && is_usual_toleration(one))))
			continue;
		ret->u.list.at[n++] = without_defaults(a, STR(""), one);
	}
	ret->u.list.n = n;
	return ret;
}

/* Returns D, the value of the key IN, without fields that have their default value. */
static const struct data *without_defaults(struct arena *a, struct str in, const struct data *d)
{
	struct data *ret;
	size_t n = 0;

	for (size_t i = 0; i < sizeof free_maps / sizeof *free_maps; i++)
		if (str_is(in, free_maps[i]))
			return d;
	if (d->kind == DATA_LIST)
		return clean_list(a, in, d);
	if (d->kind != DATA_MAP)
		return d;
	ret = ARENA_NEW(a, struct data);
	*ret = (struct data){ .kind = DATA_MAP, .from = d->from,
		.u.map = { ARENA_ARRAY(a, struct data_member, d->u.map.n), 0 } };
	for (size_t i = 0; i < d->u.map.n; i++) {
		struct data_member m = d->u.map.at[i];
		if (is_default(in, d, &m))
			continue;
		m.value = without_defaults(a, m.key, m.value);
		if (!data_count(m.value) && data_count(d->u.map.at[i].value))
			continue;       /* the map is dropped, because the server wrote everything in it */
		ret->u.map.at[n++] = m;
	}
	ret->u.map.n = n;
	return ret;
}

/* ---- labels and selectors of Jobs and pods ---- */

/*
 * Is it a label with which the API server marks a Job and its pods: the Job's uid or name? A label with a uid counts
 * even if the Job's own uid was removed by hand, because the API server refuses a Job that has the uid of another.
 */
static bool is_jobs_label(const struct data_member *m, const struct data *metadata)
{
	bool uid = str_is(m->key, "controller-uid") || str_is(m->key, "batch.kubernetes.io/controller-uid");
	bool name = str_is(m->key, "job-name") || str_is(m->key, "batch.kubernetes.io/job-name");

	if (uid && !member_text(metadata, "uid").n)
		return true;
	return (uid || name) && m->value->kind == DATA_STRING &&
		str_eq(m->value->u.string, member_text(metadata, uid ? "uid" : "name"));
}

/* Returns METADATA without the Job's own labels, and without `labels` if no other label is left. */
static const struct data *without_labels(struct arena *a, const struct data *metadata, const struct data *of)
{
	const struct data *labels = member(metadata, "labels"), *left = tree_without(a, labels, is_jobs_label, of);

	return labels ? tree_with(a, metadata, "labels", left, member_at(metadata, "labels")) : metadata;
}

/* Is it the selector that the API server writes into a Job? It consists of labels of the API server only. */
static bool is_selector(const struct data_member *m, const struct data *metadata)
{
	const struct data *labels = member(m->value, "matchLabels");

	if (!str_is(m->key, "selector") || data_count(m->value) != 1 || !labels || labels->kind != DATA_MAP ||
		!labels->u.map.n)
		return false;
	for (size_t i = 0; i < labels->u.map.n; i++)
		if (!is_jobs_label(&labels->u.map.at[i], metadata))
			return false;
	return true;
}

static bool is_job(const struct data *object)
{
	const struct data *spec = member(object, "spec");

	return spec && spec->kind == DATA_MAP && str_is(member_text(object, "kind"), "Job") &&
		str_is(member_text(object, "apiVersion"), "batch/v1");
}

static const struct data *clean_job(struct arena *a, const struct data *object)
{
	const struct data *metadata = member(object, "metadata"), *spec = member(object, "spec"),
		*template = member(spec, "template");

	if (member_bool(spec, "manualSelector", false))
		return object;
	spec = tree_without(a, spec, is_selector, metadata);
	if (member(template, "metadata")) {
		template = tree_with(a, template, "metadata", without_labels(a, member(template, "metadata"), metadata),
			member_at(template, "metadata"));
		spec = tree_with(a, spec, "template", template, member_at(spec, "template"));
	}
	if (metadata)
		object = tree_with(a, object, "metadata", without_labels(a, metadata, metadata),
			member_at(object, "metadata"));
	return tree_with(a, object, "spec", spec, member_at(object, "spec"));
}

/* Is it a field of pods that the scheduler or admission writes? */
static bool is_pods_own(const struct data_member *m, const struct data *of)
{
	(void)of;
	return str_is(m->key, "nodeName") || str_is(m->key, "priority");
}

const struct data *live_clean(struct arena *a, const struct data *object)
{
	const struct data *spec;
	struct str kind = member_text(object, "kind");
	bool live = live_is(object);

	if (live)
		object = without_defaults(a, STR(""), object);
	if (is_job(object))
		return clean_job(a, object);
	if (!live)
		return object;
	spec = member(object, "spec");
	if (spec && spec->kind == DATA_MAP && str_is(kind, "Pod"))
		return tree_with(a, object, "spec", tree_without(a, spec, is_pods_own, NULL),
			member_at(object, "spec"));
	return object;
}

/* ---- objects that a controller made for another object ---- */

/* The objects that a controller made for one object. */
struct made {
	struct str kind, name;          /* kind and name of the first of these objects */
	struct span at;
	const struct data *owner;       /* the owner reference to the object */
	size_t more;
};

/*
 * Returns the owner reference to the object whose controller made this one; NULL if no controller made it, or if it
 * was read from a file.
 */
static const struct data *owner_of(const struct data *object)
{
	const struct data *owners = member(member(object, "metadata"), "ownerReferences");

	for (size_t i = 0; live_is(object) && owners && owners->kind == DATA_LIST && i < owners->u.list.n; i++)
		if (member_bool(owners->u.list.at[i], "controller", false))
			return owners->u.list.at[i];
	return NULL;
}

/* Is it the API server's own Service, which every cluster has? */
static bool is_servers_service(const struct data *object)
{
	const struct data *metadata = member(object, "metadata"), *labels = member(metadata, "labels");

	return live_is(object) && str_is(member_text(object, "kind"), "Service") &&
		str_is(member_text(metadata, "name"), "kubernetes") &&
		str_is(member_text(labels, "component"), "apiserver");
}

static void note_part(struct import *im, const struct data *object, const struct data *owner)
{
	struct str uid = member_text(owner, "uid");
	struct made *made = map_get(&im->owners, uid);

	if (made) {
		made->more++;
		return;
	}
	made = ARENA_NEW(im->arena, struct made);
	*made = (struct made){ member_text(object, "kind"), member_text(member(object, "metadata"), "name"),
		data_get(object, STR("kind"))->from, owner, 0 };
	map_put(&im->owners, im->arena, uid, made);
	ARENA_PUSH(im->arena, im->parts, im->nparts, made);
}

bool live_is_part(struct import *im, const struct data *object)
{
	const struct data *owner = owner_of(object);
	struct str kind = member_text(object, "kind");

	if (live_is(object))
		map_put(&im->uids, im->arena, member_text(member(object, "metadata"), "uid"), im);
	if (is_servers_service(object))
		return true;
	if (!owner || !(str_is(kind, "Pod") || str_is(kind, "ReplicaSet") ||
		import_is_kind(member_text(owner, "kind"))))
		return false;
	note_part(im, object, owner);
	return true;
}

void live_finish(struct import *im)
{
	for (size_t i = 0; i < im->nparts; i++) {
		const struct made *p = im->parts[i];
		struct str by = member_text(p->owner, "kind"), name = member_text(p->owner, "name"), more = STR("");
		struct diag *d;
		if (map_get(&im->uids, member_text(p->owner, "uid")))
			continue;
		if (p->more)
			more = str_printf(im->arena, " and %zu more object%s", p->more, p->more > 1 ? "s" : "");
		d = diag_report(im->diags, im->njobs ? TJ1120 : TJ1102, p->at,
			"%.*s '%.*s'%.*s belong%s to %.*s '%.*s'%s",
			STR_ARG(p->kind), STR_ARG(p->name), STR_ARG(more), p->more ? "" : "s", STR_ARG(by),
			STR_ARG(name),
			!im->njobs ? "" : p->more ? " and are left out" : " and is left out");
		if (import_is_kind(by))
			diag_help(im->diags, d, "import %.*s '%.*s' instead, from which its controller makes the rest",
				STR_ARG(by),
				STR_ARG(name));
		else
			diag_help(im->diags, d, "only jobs become programs; apply %.*s '%.*s' as it is", STR_ARG(by),
				STR_ARG(name));
	}
	im->nparts = 0;
}
