/*
 * emit_volume.c - writes the volumes of a pod and the mounts of its containers. Mounts of the same content share a
 * volume. A volume is named after its content; if the name is already in use, a number is appended.
 */
#include "emit/emit_build.h"
#include "kube/limits.h"
#include "plan/code.h"

static bool same_volume(const struct plan_volume *a, const struct plan_volume *b)
{
	if (a->kind != b->kind || !str_eq(a->name, b->name))
		return false;
	return (a->kind != VOLUME_HOST_PATH && a->kind != VOLUME_NFS) || str_eq(a->path, b->path);
}

/* Returns the number of V among the pod's volumes, counted from 1; 0 if the pod does not have V. */
static size_t volume_number(const struct emit_volumes *vs, const struct plan_volume *v)
{
	size_t i = (size_t)(uintptr_t)map_get(&vs->known, v->name);

	while (i && !same_volume(vs->at[i - 1].volume, v))
		i = vs->at[i - 1].other;
	return i;
}

static const struct emit_volume *emit_volume_find(const struct emit_volumes *vs, const struct plan_volume *v)
{
	size_t i = volume_number(vs, v);

	return i ? &vs->at[i - 1] : NULL;
}

/* Returns the last component of a path. */
static struct str last_part(struct str path)
{
	size_t end = path.n;

	while (end && path.p[end - 1] == '/')
		end--;
	size_t start = end;
	while (start && path.p[start - 1] != '/')
		start--;
	return (struct str){ path.p + start, end - start };
}

/* Makes a DNS label of a text: other characters become `-`, and dashes at the ends are removed. */
static struct str as_label(struct arena *a, struct str text, struct str otherwise)
{
	enum { ROOM = 4 };              /* leaves room for a number */
	struct str label = plan_label(a, text);
	char *p = arena_copy(a, label.p, label.n);
	struct str s = { p, label.n };

	for (size_t i = 0; i < s.n; i++)
		if (!(p[i] >= 'a' && p[i] <= 'z') && !(p[i] >= '0' && p[i] <= '9'))
			p[i] = '-';
	if (s.n > LIMIT_LABEL - ROOM)
		s.n = LIMIT_LABEL - ROOM;
	while (s.n && s.p[s.n - 1] == '-')
		s.n--;
	for (; s.n && *s.p == '-'; s.n--)
		s.p++;
	return s.n ? s : otherwise;
}

static struct str unique(struct arena *a, struct emit_volumes *vs, struct str base)
{
	size_t number = (size_t)(uintptr_t)map_get(&vs->numbers, base);
	struct str name = base;

	while (map_get(&vs->taken, name))
		name = str_printf(a, "%.*s-%zu", STR_ARG(base), number = number ? number + 1 : 2);
	if (number)
		map_put(&vs->numbers, a, base, (void *)(uintptr_t)number);
	map_put(&vs->taken, a, name, vs);
	return name;
}

static void gather_volumes(struct arena *a, struct emit_volumes *vs, const struct plan_container *c)
{
	for (size_t i = 0; i < c->nmounts; i++) {
		const struct plan_volume *v = c->mounts[i].volume;
		size_t known = volume_number(vs, v);
		if (known) {
			vs->at[known - 1].readonly = vs->at[known - 1].readonly && v->readonly;
			continue;
		}
		struct str what = v->kind == VOLUME_HOST_PATH || v->kind == VOLUME_NFS ? last_part(v->path) : v->name;
		struct emit_volume added = { v, unique(a, vs, as_label(a, what, STR("volume"))), v->readonly, 0 };
		ARENA_PUSH(a, vs->at, vs->n, added);
		vs->at[vs->n - 1].other = (size_t)(uintptr_t)map_put(&vs->known, a, v->name, (void *)(uintptr_t)vs->n);
	}
}

const struct emit_volumes *emit_volumes_of(struct arena *a, const struct plan_role *r)
{
	struct emit_volumes *vs = ARENA_NEW(a, struct emit_volumes);
	gather_volumes(a, vs, &r->main);
	for (size_t i = 0; i < r->ninits; i++)
		gather_volumes(a, vs, &r->inits[i]);
	for (size_t i = 0; i < r->nsidecars; i++)
		gather_volumes(a, vs, &r->sidecars[i]);
	if (r->shm.set)
		vs->shm = unique(a, vs, STR("shm"));
	if (r->nfiles)
		vs->files = unique(a, vs, STR("files"));
	if (r->code && !r->code->claim.set)
		vs->code = unique(a, vs, STR("code-parts"));
	return vs;
}

struct str emit_generated_name(struct arena *a, const struct plan_job *j, struct str kind)
{
	return str_printf(a, "%.*s-%.*s", STR_ARG(j->name), STR_ARG(kind));
}

static void empty_dir(struct emit *e, struct object *volume, bool memory, struct quantity size, struct span from)
{
	struct object *o = PUT_MAP(e->arena, volume, "emptyDir", from);

	if (memory)
		PUT_STR(e->arena, o, "medium", STR("Memory"), from);
	if (size.nano)
		PUT_STR(e->arena, o, "sizeLimit", quantity_text(e->arena, size), from);
}

static void emit_claim(struct emit *e, const struct emit_volume *ev, struct object *volume)
{
	struct object *o = PUT_MAP(e->arena, volume, "persistentVolumeClaim", ev->volume->from);

	PUT_STR(e->arena, o, "claimName", ev->volume->name, ev->volume->from);
	if (ev->readonly)
		PUT_BOOL(e->arena, o, "readOnly", true, ev->volume->from);
}

/* ---- claims that each replica has for itself ---- */

struct str emit_claim_name(struct arena *a, const struct plan_role *r, const struct plan_volume *v)
{
	return str_printf(a, "%.*s-%.*s", STR_ARG(v->name), STR_ARG(r->object));
}

static void claim_spec(struct emit *e, const struct plan_volume *v, struct object *to)
{
	struct object *spec = PUT_MAP(e->arena, to, "spec", v->from),
		*modes = PUT_LIST(e->arena, spec, "accessModes", v->from);
	struct object *resources = PUT_MAP(e->arena, spec, "resources", v->from);

	object_add(e->arena, modes, object_string(e->arena, STR("ReadWriteOnce"), v->from));
	PUT_STR(e->arena, PUT_MAP(e->arena, resources, "requests", v->from), "storage",
		quantity_text(e->arena, v->size), v->from);
	if (v->class.n)
		PUT_STR(e->arena, spec, "storageClassName", v->class, v->from);
}

void emit_claim_templates(struct emit *e, const struct plan_role *r, struct object *into)
{
	const struct emit_volumes *vs = emit_volumes_of(e->arena, r);

	for (size_t i = 0; i < vs->n; i++) {
		const struct plan_volume *v = vs->at[i].volume;
		if (!v->keep)
			continue;
		struct object *list = object_need_list(e->arena, into, STR("volumeClaimTemplates"), v->from);
		struct object *o = object_add_map(e->arena, list, v->from);
		PUT_STR(e->arena, PUT_MAP(e->arena, o, "metadata", v->from), "name", vs->at[i].name, v->from);
		claim_spec(e, v, o);
	}
}

struct object *emit_claim_make(struct emit *e, const struct manifest *m)
{
	struct object *o = emit_object(e, m);

	claim_spec(e, m->claim, o);
	return o;
}

/*
 * Writes a replica's own claim. Its name cannot contain variables, so the index is a literal unless there is only one
 * replica.
 */
static void own_claim(struct emit *e, const struct plan_role *r, const struct plan_volume *v, struct object *volume)
{
	if (!v->keep) {
		claim_spec(e, v, PUT_MAP(e->arena, PUT_MAP(e->arena, volume, "ephemeral", v->from),
			"volumeClaimTemplate", v->from));
		return;
	}
	struct str base = emit_claim_name(e->arena, r, v), first = str_cat(e->arena, base, STR("-0"), STR(""));
	bool literal = r->unrolled && r->max > 1;
	struct object *name = literal ? emit_indexed(e->arena, base, "-", v->from)
	                              : object_string(e->arena, r->one_name ? base : first, v->from);

	object_append(e->arena, PUT_MAP(e->arena, volume, "persistentVolumeClaim", v->from), STR("claimName"), name);
}

static void nfs(struct emit *e, const struct emit_volume *ev, struct object *volume)
{
	struct object *o = PUT_MAP(e->arena, volume, "nfs", ev->volume->from);

	PUT_STR(e->arena, o, "server", ev->volume->name, ev->volume->from);
	PUT_STR(e->arena, o, "path", ev->volume->path, ev->volume->from);
	if (ev->readonly)
		PUT_BOOL(e->arena, o, "readOnly", true, ev->volume->from);
}

static void emit_csi(struct emit *e, const struct emit_volume *ev, struct object *volume)
{
	const struct plan_volume *v = ev->volume;
	struct object *o = PUT_MAP(e->arena, volume, "csi", v->from);

	PUT_STR(e->arena, o, "driver", v->path, v->from);
	if (ev->readonly)
		PUT_BOOL(e->arena, o, "readOnly", true, v->from);
	if (v->attributes.n)
		emit_pairs(e->arena, PUT_MAP(e->arena, o, "volumeAttributes", v->from), &v->attributes, v->from);
	if (v->secret.n)
		PUT_STR(e->arena, PUT_MAP(e->arena, o, "nodePublishSecretRef", v->from), "name", v->secret, v->from);
}

/* Writes a generated volume with mode 0600: ssh refuses a key that others can read. */
static void generated(struct emit *e, const struct plan_volume *v, struct object *volume)
{
	struct object *o = PUT_MAP(e->arena, volume, "secret", v->from);

	PUT_STR(e->arena, o, "secretName", emit_generated_name(e->arena, e->job, v->name), v->from);
	PUT_INT(e->arena, o, "defaultMode", 0600, v->from);
}

static void volume_put(struct emit *e, const struct plan_role *r, const struct emit_volume *ev, struct object *list)
{
	const struct plan_volume *v = ev->volume;
	struct object *o = object_add_map(e->arena, list, v->from);

	PUT_STR(e->arena, o, "name", ev->name, v->from);
	switch (v->kind) {
	case VOLUME_PVC: emit_claim(e, ev, o); break;
	case VOLUME_SCRATCH: empty_dir(e, o, v->memory, v->size, v->from); break;
	case VOLUME_SECRET: PUT_STR(e->arena, PUT_MAP(e->arena, o, "secret", v->from), "secretName", v->name,
		v->from); break;
	case VOLUME_CONFIG: PUT_STR(e->arena, PUT_MAP(e->arena, o, "configMap", v->from), "name", v->name,
		v->from); break;
	case VOLUME_HOST_PATH: PUT_STR(e->arena, PUT_MAP(e->arena, o, "hostPath", v->from), "path", v->path,
		v->from); break;
	case VOLUME_NFS: nfs(e, ev, o); break;
	case VOLUME_GENERATED: generated(e, v, o); break;
	case VOLUME_CLAIM: own_claim(e, r, v, o); break;
	case VOLUME_CSI: emit_csi(e, ev, o); break;
	}
}

/* Writes all ConfigMaps of the role as one volume, so that a file's path does not depend on its ConfigMap. */
static void files_volume(struct emit *e, const struct plan_role *r, struct str name, struct object *list)
{
	struct span from = r->files[0].from;
	unsigned parts = emit_files_of(e->arena, e->job, r).parts;
	struct object *o = object_add_map(e->arena, list, from), *sources;

	PUT_STR(e->arena, o, "name", name, from);
	sources = PUT_LIST(e->arena, PUT_MAP(e->arena, o, "projected", from), "sources", from);
	for (unsigned i = 0; i < parts; i++) {
		struct object *source = PUT_MAP(e->arena, object_add_map(e->arena, sources, from), "configMap", from);
		PUT_STR(e->arena, source, "name", emit_files_name(e->arena, r, i), from);
	}
}

void emit_volume_list(struct emit *e, const struct plan_role *r, const struct emit_volumes *vs, struct object *pod)
{
	if (!vs->n && !vs->shm.n && !vs->files.n && !vs->code.n)
		return;
	struct object *list = PUT_LIST(e->arena, pod, "volumes", r->at);
	for (size_t i = 0; i < vs->n; i++)
		if (!r->in_group || !vs->at[i].volume->keep)    /* the controller adds the volumes of claims */
			volume_put(e, r, &vs->at[i], list);
	if (vs->shm.n) {
		struct object *o = object_add_map(e->arena, list, r->shm.from);
		PUT_STR(e->arena, o, "name", vs->shm, r->shm.from);
		empty_dir(e, o, true, r->shm.value, r->shm.from);
	}
	if (vs->files.n)
		files_volume(e, r, vs->files, list);
	if (vs->code.n)
		emit_code_volume(e, r, vs->code, list);
}

/* ---- mounts ---- */

static struct object *mount_put(struct emit *e, struct object *list, struct str name, struct str path, struct span from)
{
	struct object *o = object_add_map(e->arena, list, from);

	PUT_STR(e->arena, o, "name", name, from);
	PUT_STR(e->arena, o, "mountPath", path, from);
	return o;
}

static void file_mounts(struct emit *e, const struct plan_role *r, struct str name, struct object *list)
{
	struct emit_files files = emit_files_of(e->arena, e->job, r);

	for (size_t i = 0; i < files.n; i++) {
		const struct emit_file *f = &files.at[i];
		struct object *o = mount_put(e, list, name, f->file->path, f->file->path_at);
		if (!f->each)
			PUT_STR(e->arena, o, "subPath", f->key, f->file->path_at);
		else if (emit_literal_index(e->job, r))
			object_append(e->arena, o, STR("subPath"),
				emit_indexed(e->arena, f->key, ".", f->file->path_at));
		else
			PUT_STR(e->arena, o, "subPathExpr",
				str_printf(e->arena, plan_is_sliced(r) ? "%.*s.$(TRAINC_SLICE)-$(TRAINC_INDEX)" :
				"%.*s.$(TRAINC_INDEX)", STR_ARG(f->key)), f->file->path_at);
	}
}

static void sub_path(struct emit *e, const struct plan_role *r, const struct plan_volume *v, struct object *mount)
{
	struct str key = v->path_text.n && !emit_literal_index(e->job, r) ? STR("subPathExpr") : STR("subPath");

	if (v->path_text.n)
		object_append(e->arena, mount, key, emit_text(e->arena, e->job, r, &v->path_text, TEXT_COMMAND, 0));
	else
		PUT_STR(e->arena, mount, "subPath", v->path, v->from);
}

void emit_mounts(struct emit *e, const struct plan_role *r, const struct plan_container *c, bool main,
	struct object *container)
{
	const struct emit_volumes *vs = e->volumes;

	bool unpacks = vs->code.n && code_unpacks(r, c);
	if (!c->nmounts && !unpacks && !(main && (vs->shm.n || vs->files.n)))
		return;
	struct object *list = PUT_LIST(e->arena, container, "volumeMounts", c->name_at);
	for (size_t i = 0; i < c->nmounts; i++) {
		const struct plan_mount *m = &c->mounts[i];
		const struct plan_volume *v = m->volume;
		struct object *o = mount_put(e, list, emit_volume_find(vs, v)->name, m->path, m->path_at);
		if (v->kind == VOLUME_PVC && v->path.n)
			sub_path(e, r, v, o);
		if (v->readonly || v->kind == VOLUME_GENERATED)
			PUT_BOOL(e->arena, o, "readOnly", true, v->from);
	}
	if (main && vs->shm.n)
		mount_put(e, list, vs->shm, STR("/dev/shm"), r->shm.from);
	if (unpacks)
		PUT_BOOL(e->arena, mount_put(e, list, vs->code, STR(CODE_PARTS_AT), c->name_at), "readOnly", true,
			c->name_at);
	if (main && vs->files.n)
		file_mounts(e, r, vs->files, list);
}
