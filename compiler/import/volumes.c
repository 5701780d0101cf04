/*
 * volumes.c - reads volumes and their mounts. In the language, a volume is described where it is mounted. A volume
 * with other settings stays in `raw pod`, and so do its mounts.
 */
#include "import/compiled.h"
#include "import/import_role.h"

#include "base/quantity.h"
#include "kube/limits.h"

struct role_volume {
	struct str name;
	const struct data *data;
	const struct data *source;      /* the source of the volume: the only member besides `name` */
	struct str kind;                /* the key of the source: "persistentVolumeClaim" */
	const struct data *files;       /* the texts by key, if the compiler made the volume for `files` */
	struct str generated;           /* what the Secret holds, if the compiler generates it: "ssh-keypair" */
	/* a function of the language can make the volume, and every mount of it can be expressed */
	bool plain;
	size_t mounts;
};

/* Does SOURCE have no members but A, B and C? A volume with any other member stays raw. */
static bool only(const struct data *source, const char *a, const char *b, const char *c)
{
	for (size_t i = 0; i < data_count(source); i++) {
		struct str key = source->u.map.at[i].key;
		if (!str_is(key, a) && !(b && str_is(key, b)) && !(c && str_is(key, c)))
			return false;
	}
	return true;
}

static struct str size_text(struct arena *a, const struct role_volume *v)
{
	return amount_literal(a, member(v->source, "sizeLimit"), true);
}

/* The spec of the claim that an ephemeral volume makes; NULL when its template sets anything else. */
static const struct data *ephemeral_spec(const struct role_volume *v)
{
	const struct data *template = member(v->source, "volumeClaimTemplate");

	return only(v->source, "volumeClaimTemplate", NULL, NULL) && template && only(template, "spec", NULL, NULL) ?
		member(template, "spec") : NULL;
}

static struct str claim_size(struct arena *a, const struct role_volume *v)
{
	const struct data *spec = ephemeral_spec(v);

	return spec ? amount_literal(a, member(member(member(spec, "resources"), "requests"), "storage"), true) :
		STR("");
}

/*
 * Can own_claim() express the claim? It must have the access mode for one node, a size, and a named storage class or
 * the default class. An empty class is different: the cluster provisions no volume for it.
 */
static bool is_own_claim(struct arena *a, const struct role_volume *v)
{
	const struct data *spec = ephemeral_spec(v), *modes = member(spec, "accessModes"),
		*resources = member(spec, "resources"),
		*class = member(spec, "storageClassName");

	return spec && only(spec, "accessModes", "resources", "storageClassName") && data_count(modes) == 1 &&
		modes->kind == DATA_LIST && modes->u.list.at[0]->kind == DATA_STRING &&
		str_is(modes->u.list.at[0]->u.string, "ReadWriteOnce") && resources &&
		only(resources, "requests", NULL, NULL) &&
		only(member(resources, "requests"), "storage", NULL, NULL) && claim_size(a, v).n &&
		(!class || (class->kind == DATA_STRING && class->u.string.n));
}

/* Can csi() express the volume? A driver and its attributes, and a Secret in the pod's namespace. */
static bool is_csi(const struct data *source)
{
	static const char *const known[] = { "driver", "volumeAttributes", "readOnly", "nodePublishSecretRef" };
	const struct data *secret = member(source, "nodePublishSecretRef"),
		*attributes = member(source, "volumeAttributes");

	for (size_t i = 0; i < data_count(source); i++) {
		bool is = false;
		for (size_t k = 0; k < sizeof known / sizeof *known; k++)
			is = is || str_is(source->u.map.at[i].key, known[k]);
		if (!is)
			return false;
	}
	for (size_t i = 0; i < data_count(attributes); i++)
		if (attributes->kind != DATA_MAP || attributes->u.map.at[i].value->kind != DATA_STRING)
			return false;
	return kube_object_name(member_text(source, "driver")) && (!secret ||
		(only(secret, "name", NULL, NULL) && kube_object_name(member_text(secret, "name"))));
}

static bool is_plain(struct arena *a, const struct role_volume *v)
{
	const struct data *s = v->source;

	if (str_is(v->kind, "ephemeral"))
		return is_own_claim(a, v);

	if (str_is(v->kind, "persistentVolumeClaim"))
		return only(s, "claimName", "readOnly", NULL) && member_text(s, "claimName").n;
	if (str_is(v->kind, "emptyDir")) {
		struct str medium = member_text(s, "medium");
		return only(s, "medium", "sizeLimit", NULL) && (size_text(a, v).n || !member(s, "sizeLimit")) &&
			(!medium.n || str_is(medium, "Memory"));
	}
	if (str_is(v->kind, "secret"))
		return only(s, "secretName", NULL, NULL) && member_text(s, "secretName").n;
	if (str_is(v->kind, "configMap"))
		return only(s, "name", NULL, NULL) && member_text(s, "name").n;
	if (str_is(v->kind, "hostPath"))
		return only(s, "path", "type", NULL) && !member_text(s, "type").n && member_text(s, "path").n;
	if (str_is(v->kind, "csi"))
		return is_csi(s);
	return str_is(v->kind, "nfs") && only(s, "server", "path", "readOnly") && member_text(s, "server").n &&
		member_text(s, "path").n;
}

/* ---- mounts ---- */

static struct expr *text_expr(struct arena *a, struct str s) { return expr_string(a, s); }

static void add_named_argument(struct arena *a, struct expr *call, const char *name, struct expr *value)
{
	lines_set(a, &call->items, str_of(name), value, (struct span){ 0, 0 });
}

static struct expr *truth(struct arena *a, bool value) { return expr_text(a, value ? STR("true") : STR("false")); }

static struct expr *claim_call(struct arena *a, const struct role_volume *v, struct str path, bool readonly)
{
	struct expr *e = expr_call(a, STR("pvc"));

	lines_add(a, &e->items, text_expr(a, member_text(v->source, "claimName")), v->data->from);
	if (path.n)
		add_named_argument(a, e, "path", text_expr(a, path));
	if (readonly)
		add_named_argument(a, e, "readonly", truth(a, true));
	return e;
}

static struct expr *scratch(struct arena *a, const struct role_volume *v)
{
	struct expr *e = expr_call(a, STR("scratch"));

	lines_add(a, &e->items, text_expr(a, v->name), v->data->from);
	if (size_text(a, v).n)
		lines_add(a, &e->items, expr_text(a, size_text(a, v)), v->data->from);
	if (member_text(v->source, "medium").n)
		add_named_argument(a, e, "medium", text_expr(a, STR("memory")));
	return e;
}

static struct expr *own_claim(struct arena *a, const struct role_volume *v)
{
	struct expr *e = expr_call(a, STR("own_claim"));
	struct str class = member_text(ephemeral_spec(v), "storageClassName");

	lines_add(a, &e->items, text_expr(a, v->name), v->data->from);
	lines_add(a, &e->items, expr_text(a, claim_size(a, v)), v->data->from);
	if (class.n)
		add_named_argument(a, e, "class", text_expr(a, class));
	return e;
}

static struct expr *one(struct arena *a, const char *function, const struct role_volume *v, const char *key)
{
	struct expr *e = expr_call(a, str_of(function));

	lines_add(a, &e->items, text_expr(a, member_text(v->source, key)), v->data->from);
	return e;
}

static struct expr *csi_call(struct arena *a, const struct role_volume *v, bool readonly)
{
	struct expr *e = expr_call(a, STR("csi")), *map = expr_new(a, EXPR_BODY);
	const struct data *attributes = member(v->source, "volumeAttributes");
	struct str secret = member_text(member(v->source, "nodePublishSecretRef"), "name");

	lines_add(a, &e->items, text_expr(a, v->name), v->data->from);
	lines_add(a, &e->items, text_expr(a, member_text(v->source, "driver")), v->data->from);
	for (size_t i = 0; i < data_count(attributes); i++)
		lines_set(a, &map->items, key_text(a, attributes->u.map.at[i].key),
			text_expr(a, attributes->u.map.at[i].value->u.string), attributes->u.map.at[i].key_at);
	if (map->items.n)
		lines_add(a, &e->items, map, v->data->from);
	if (readonly)
		add_named_argument(a, e, "readonly", truth(a, true));
	if (secret.n)
		add_named_argument(a, e, "secret", text_expr(a, secret));
	return e;
}

static struct expr *volume_call(struct arena *a, const struct role_volume *v, struct str path, bool readonly)
{
	struct expr *e;

	readonly = readonly || member_bool(v->source, "readOnly", false);
	if (str_is(v->kind, "persistentVolumeClaim"))
		return claim_call(a, v, path, readonly);
	if (str_is(v->kind, "emptyDir"))
		return scratch(a, v);
	if (str_is(v->kind, "ephemeral"))
		return own_claim(a, v);
	if (v->generated.n) {
		e = expr_call(a, STR("generated"));
		lines_add(a, &e->items, text_expr(a, v->generated), v->data->from);
		return e;
	}
	if (str_is(v->kind, "secret"))
		return one(a, "secret_files", v, "secretName");
	if (str_is(v->kind, "configMap"))
		return one(a, "config_files", v, "name");
	if (str_is(v->kind, "hostPath")) {
		e = one(a, "host_path", v, "path");
		if (!readonly)
			add_named_argument(a, e, "readonly", truth(a, false));
		return e;
	}
	if (str_is(v->kind, "csi"))
		return csi_call(a, v, readonly);
	e = one(a, "nfs", v, "server");
	lines_add(a, &e->items, text_expr(a, member_text(v->source, "path")), v->data->from);
	if (readonly)
		add_named_argument(a, e, "readonly", truth(a, true));
	return e;
}

/* Is the path absolute, without `.` and `..`, and in the form that the language keeps? */
static bool clean_path(struct str p)
{
	if (!p.n || p.p[0] != '/' || p.n < 2)
		return false;
	for (size_t i = 0, n; i < p.n; i += n + 1) {
		const char *slash = memchr(p.p + i + 1, '/', p.n - i - 1);
		n = slash ? (size_t)(slash - p.p) - i - 1 : p.n - i - 1;
		struct str name = { p.p + i + 1, n };
		if ((!n && i + 1 < p.n) || str_is(name, ".") || str_is(name, ".."))
			return false;
	}
	return true;
}

/* Is the volume empty for each new pod? A program cannot express an empty volume that is read-only. */
static bool made_for_pod(const struct role_volume *v)
{
	return str_is(v->kind, "emptyDir") || str_is(v->kind, "ephemeral");
}

static bool mount_is_plain(const struct role_volume *v, const struct data *mount)
{
	bool claimed = str_is(v->kind, "persistentVolumeClaim");

	for (size_t i = 0; i < mount->u.map.n; i++) {
		struct str key = mount->u.map.at[i].key;
		bool said = str_is(key, "name") || str_is(key, "mountPath") || (str_is(key, "subPath") && (claimed ||
			data_get(v->files, mount->u.map.at[i].value->u.string))) ||
			(str_is(key, "readOnly") &&
			(!made_for_pod(v) || !mount->u.map.at[i].value->u.boolean));
		if (!said)
			return false;
	}
	return clean_path(member_text(mount, "mountPath"));
}

/* Is it a memory-backed /dev/shm that only the main container mounts? */
static bool is_shm(struct container_reading *c, const struct role_volume *v, const struct data *mount)
{
	struct quantity shm, memory;
	struct str size = size_text(c->role->im->arena, v);

	if (c->kind != CONTAINER_MAIN || !str_is(v->kind, "emptyDir") ||
	    !str_is(member_text(v->source, "medium"), "Memory") || !str_is(member_text(mount, "mountPath"), "/dev/shm"))
		return false;
	if (!size.n)
		return false;                   /* the field `shm` needs a size */
	if (!c->role->memory.n)
		return true;
	return quantity_parse(size, &shm) == QUANTITY_OK && quantity_parse(c->role->memory, &memory) == QUANTITY_OK &&
		shm.nano <= memory.nano;
}

static struct str trimmed_path(struct str p)
{
	while (p.n > 1 && p.p[p.n - 1] == '/')
		p.n--;
	return p;
}

/* ---- the volumes of a pod template ---- */

static struct role_volume *volume_new(struct role_reading *r, const struct data *d)
{
	struct role_volume *v = ARENA_NEW(r->im->arena, struct role_volume);

	v->data = d;
	v->name = member_text(d, "name");
	for (size_t k = 0; k < d->u.map.n; k++) {
		if (str_is(d->u.map.at[k].key, "name"))
			continue;
		v->kind = d->u.map.at[k].key;
		v->source = d->u.map.at[k].value;
	}
	const struct data *generated = str_is(v->kind, "secret") ?
		map_get(&r->im->generated, member_text(v->source, "secretName")) : NULL;
	if (generated)
		v->generated = generated->u.string;
	v->files = files_of(r->im, v->kind, v->source);
	v->plain = generated || v->files || (d->u.map.n == 2 && v->source && is_plain(r->im->arena, v));
	return v;
}

static void look_at_mounts(struct role_reading *r, const struct data *containers)
{
	for (size_t i = 0; i < data_count(containers); i++) {
		const struct data *mounts = member(containers->u.list.at[i], "volumeMounts");
		for (size_t k = 0; k < data_count(mounts); k++) {
			struct role_volume *v = map_get(&r->volumes, member_text(mounts->u.list.at[k], "name"));
			if (!v)
				continue;
			v->mounts++;
			v->plain = v->plain && mount_is_plain(v, mounts->u.list.at[k]);
		}
	}
}

/* Approximates the name that the compiler gives to the volume of a line. */
static struct str line_name(struct arena *a, const struct role_volume *v)
{
	static const char *const keys[] = { "claimName", "secretName", "name", "path" };
	struct str s = made_for_pod(v) ? v->name : (struct str){ 0 };

	for (size_t i = 0; i < sizeof keys / sizeof *keys && !s.n; i++)
		s = member_text(v->source, keys[i]);
	for (size_t i = s.n; i > 0; i--) {
		if (s.p[i - 1] == '/') {
			s = (struct str){ s.p + i, s.n - i };
			break;
		}
	}
	return str_replace(a, s, "._", '-');
}

/* Renames raw volumes whose name the compiler will give to another volume. */
static void rename_raw(struct role_reading *r)
{
	struct arena *a = r->im->arena;
	struct map taken = { 0 };

	map_put(&taken, a, STR("shm"), r);
	map_put(&taken, a, STR("files"), r);
	for (size_t i = 0; i < r->volumes.n; i++) {
		struct role_volume *v = r->volumes.entries[i].value;
		if (v->plain && v->mounts)
			map_put(&taken, a, line_name(a, v), v);
	}
	for (size_t i = 0; i < r->volumes.n; i++) {
		struct role_volume *v = r->volumes.entries[i].value;
		for (unsigned n = 2; !(v->plain && v->mounts) && map_get(&taken, v->name); n++)
			v->name = str_printf(a, "%.*s-%u", STR_ARG(r->volumes.entries[i].key), n);
	}
}

/* The memory that the main container may use. */
static bool main_memory(const struct role_reading *r, struct quantity *ret)
{
	const struct data *resources = member(r->main, "resources"), *d = member(member(resources, "limits"), "memory");
	struct str text = amount_literal(r->im->arena, d ? d : member(member(resources, "requests"), "memory"), true);

	return text.n && quantity_parse(text, ret) == QUANTITY_OK;
}

/*
 * Keeps volumes in memory in a raw block if they may hold more than the container has: Kubernetes accepts such volumes,
 * but the language does not.
 */
static void too_large(struct role_reading *r)
{
	struct quantity memory, size;
	bool limited = main_memory(r, &memory);

	for (size_t i = 0; i < r->volumes.n && limited; i++) {
		struct role_volume *v = r->volumes.entries[i].value;
		if (!v->plain || !v->mounts || !str_is(v->kind, "emptyDir") || v->files ||
		    !str_is(member_text(v->source, "medium"), "Memory") ||
		    quantity_parse(size_text(r->im->arena, v), &size) != QUANTITY_OK || size.nano <= memory.nano)
			continue;
		v->plain = false;
		struct diag *d = diag_report(r->im->diags, TJ1111, member_at(v->source, "sizeLimit"),
			"the volume '%.*s' may take %.*s of memory, and the container has less: it is killed before "
			"the volume is full", STR_ARG(v->name), STR_ARG(size_text(r->im->arena, v)));
		diag_help(r->im->diags, d, "ask for more 'memory', or lower 'sizeLimit', and import again");
	}
}

void volumes_read(struct role_reading *r, const struct data *volumes)
{
	struct import *im = r->im;

	for (size_t i = 0; i < data_count(volumes); i++) {
		struct role_volume *v = volume_new(r, volumes->u.list.at[i]), *first = map_get(&r->volumes, v->name);
		if (!first) {
			map_put(&r->volumes, im->arena, v->name, v);
			continue;
		}
		struct diag *d = diag_report(im->diags, TJ1103, v->data->from, "two volumes are named '%.*s'",
			STR_ARG(v->name));
		diag_note(im->diags, d, first->data->from, "the other one");
	}
	look_at_mounts(r, member(r->spec, "containers"));
	look_at_mounts(r, member(r->spec, "initContainers"));
	too_large(r);
	rename_raw(r);
}

/* Converts D to a raw expression, with NAME as its name. */
static struct expr *raw_named(struct import *im, const struct data *d, struct str name)
{
	struct expr *e = raw_expr(im, d);
	struct line *line = lines_find(&e->items, STR("name"));

	if (line)
		line->value = expr_string(im->arena, name);
	return e;
}

/* Keeps the volumes that no line of the program mounts, as raw volumes. */
void volumes_finish(struct role_reading *r)
{
	struct import *im = r->im;

	for (size_t i = 0; i < r->volumes.n; i++) {
		struct role_volume *v = r->volumes.entries[i].value;
		if (v->plain && v->mounts)
			continue;
		struct lines *list = raw_list(im, role_raw(r, v->data->from), "volumes", v->data->from);
		import_comments(im, lines_add(im->arena, list, raw_named(im, v->data, v->name), v->data->from),
			v->data->from);
	}
}

/* ---- the mounts of each container ---- */

/* Has the job a framework of the library, which may mount a memory of its own at /dev/shm? */
static bool may_mount_shm(const struct imported *job)
{
	struct str key = job->job ? job->job->key : STR("");

	return memmem(key.p, key.n, "\": ", 3) && !str_ends(key, STR(": single.task"));
}

static void mount_raw(struct container_reading *c, const struct data *mount, const struct role_volume *v)
{
	struct import *im = c->role->im;

	if (c->kind == CONTAINER_MAIN && may_mount_shm(c->role->job) && !lines_find(c->to, STR("shm")) &&
	    str_eq(trimmed_path(member_text(mount, "mountPath")), STR("/dev/shm")))
		lines_set(im->arena, c->to, STR("shm"), expr_text(im->arena, STR("none")), mount->from);
	struct lines *list = raw_list(im, container_raw(c, mount->from), "volumeMounts", mount->from);

	import_comments(im, lines_add(im->arena, list, raw_named(im, mount, v->name), mount->from), mount->from);
}

static void mount_line(struct container_reading *c, const struct data *mount, const struct role_volume *v,
	struct lines **mounts)
{
	struct import *im = c->role->im;
	struct arena *a = im->arena;
	struct line *line;

	if (v->files) {
		struct str path = trimmed_path(member_text(mount, "mountPath"));
		line = lines_set(a, lines_block(a, c->to, STR("files"), mount->from), key_text(a, path),
			files_text(im, c->role->job, data_get(v->files, member_text(mount, "subPath"))->u.string),
			mount->from);
	} else if (v->mounts == 1 && is_shm(c, v, mount)) {
		line = lines_set(a, c->to, STR("shm"), expr_text(a, size_text(a, v)), mount->from);
	} else {
		struct str path = trimmed_path(member_text(mount, "mountPath"));
		struct expr *e = volume_call(a, v, member_text(mount, "subPath"),
			member_bool(mount, "readOnly", false));
		if (!*mounts)
			*mounts = lines_block(a, c->to, STR("mounts"), mount->from);
		line = lines_set(a, *mounts, key_text(a, path), e, mount->from);
	}
	import_comments(im, line, mount->from);
	import_comments(im, line, v->data->from);
}

/* Is it a volume that the operator adds to the pods of its jobs, so that a manifest may mount it? */
static bool is_operators_volume(struct str name)
{
	static const char *const names[] = { "mpi-job-config", "mpi-job-kubectl", "ssh-auth", "ray-token" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (str_is(name, names[i]))
			return true;
	return false;
}

void mounts_read(struct container_reading *c, const struct data *mounts)
{
	struct import *im = c->role->im;
	struct lines *lines = NULL;
	struct map paths = { 0 };

	for (size_t i = 0; i < mounts->u.list.n; i++) {
		const struct data *mount = mounts->u.list.at[i];
		struct str name = member_text(mount, "name"), path = trimmed_path(member_text(mount, "mountPath"));
		const struct role_volume *v = map_get(&c->role->volumes, name);

		if (!v && is_operators_volume(name))
			import_left_out(im, mount->from, name,
				"the operator makes this volume; the framework of the program has its own");
		else if (!v)
			diag_report(im->diags, TJ1103, mount->from,
				"the volume '%.*s' is mounted here, but the pod has no such volume", STR_ARG(name));
		else if (map_put(&paths, im->arena, path, c))
			diag_report(im->diags, TJ1103, mount->from, "two volumes are mounted at '%.*s'", STR_ARG(path));
		else if (v->plain)
			mount_line(c, mount, v, &lines);
		else
			mount_raw(c, mount, v);
	}
}
