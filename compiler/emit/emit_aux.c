/*
 * emit_aux.c - makes Secrets whose content is generated later, and the user's own objects.
 */
#include "emit/emit_build.h"
#include "kube/limits.h"

static const struct {
	const char *kind, *recipe;
} recipes[] = {
	{ "ssh-keypair", "mkdir keys && ssh-keygen -q -t ed25519 -N '' -f keys/id_ed25519 && cp keys/id_ed25519.pub "
		"keys/authorized_keys &&\n"
	                 "  printf 'StrictHostKeyChecking no\\nUserKnownHostsFile /dev/null\\n' >keys/config &&" },
};

const char *emit_generated_recipe(struct str kind)
{
	for (size_t i = 0; i < sizeof(recipes) / sizeof(*recipes); i++)
		if (str_is(kind, recipes[i].kind))
			return recipes[i].recipe;
	return NULL;
}

/*
 * Makes a Secret without keys: a compiler whose output depends only on its inputs cannot generate keys. An annotation
 * says what the content must be.
 */
struct object *emit_generated_make(struct emit *e, const struct manifest *m)
{
	struct object *o = emit_object(e, m),
		*annotations = object_need_map(e->arena, emit_metadata(o), STR("annotations"), m->from);

	object_put(e->arena, annotations, STR("trainc.dev/generated"), object_string(e->arena, m->generated, m->from));
	PUT_STR(e->arena, o, "type", STR("Opaque"), m->from);
	PUT_STR(e->arena, PUT_MAP(e->arena, o, "stringData", m->from), "README",
		str_printf(e->arena,
		"the %.*s is made when the job is applied with trainc; for kubectl see 'trainc explain TJ0817'\n",
		STR_ARG(m->generated)),
		m->from);
	return o;
}

/* Joins trainc's metadata with the metadata that the user wrote; if both set a key, the user's value is kept. */
static void extra_metadata(struct emit *e, const struct manifest *m, struct object *metadata,
	const struct object *written)
{
	const struct object *ours = emit_metadata(emit_object(e, m));

	for (size_t i = 0; i < ours->u.map.n; i++)
		object_append(e->arena, metadata, ours->u.map.at[i].key, ours->u.map.at[i].value);
	/* each key occurs once in `written`, so only the fields so far need a search */
	struct object before = *metadata;
	for (size_t i = 0; written && i < written->u.map.n; i++) {
		const struct object_field *f = &written->u.map.at[i];
		struct object *known = object_get(&before, f->key);
		if (!known)
			object_append(e->arena, metadata, f->key, f->value);
		else if (known->kind != OBJECT_MAP || f->value->kind != OBJECT_MAP)
			object_put(e->arena, metadata, f->key, f->value);
		else
			object_put_all(e->arena, known, f->value->u.map.at, f->value->u.map.n);
	}
}

struct object *emit_extra_make(struct emit *e, const struct manifest *m)
{
	struct object *written = object_from_data(e->arena, m->object->data), *o = object_map(e->arena, m->from);
	static const char *const first[] = { "apiVersion", "kind" };
	struct object *metadata;

	for (size_t i = 0; i < 2; i++) {
		struct object *value = object_get(written, str_of(first[i]));
		if (value)
			object_append(e->arena, o, str_of(first[i]), value);
	}
	metadata = PUT_MAP(e->arena, o, "metadata", m->from);
	struct object *own = object_get(written, STR("metadata"));
	extra_metadata(e, m, metadata, own && own->kind == OBJECT_MAP ? own : NULL);
	struct object before = *o;
	for (size_t i = 0; i < written->u.map.n; i++)
		if (!object_get(&before, written->u.map.at[i].key))
			object_append(e->arena, o, written->u.map.at[i].key, written->u.map.at[i].value);
	return o;
}

struct str emit_data_text(const struct data *d, const char *key)
{
	const struct data *value = data_get(d, str_of(key));

	return value && value->kind == DATA_STRING ? value->u.string : STR("");
}

struct str emit_extra_name(struct arena *a, const struct plan_job *j, const struct plan_object *o)
{
	return plan_object_name(a, j, o);
}
