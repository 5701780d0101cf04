/*
 * plan_source.c - objects of which every key becomes a variable (env_from). The keys of objects that the program has
 * itself are known; those of other objects only the cluster knows.
 */
#include "plan/plan.h"

static struct str source_member(const struct data *d, const char *key)
{
	const struct data *m = d && d->kind == DATA_MAP ? data_get(d, str_of(key)) : NULL;

	return m && m->kind == DATA_STRING ? m->u.string : STR("");
}

struct str plan_object_name(struct arena *a, const struct plan_job *j, const struct plan_object *o)
{
	struct str written = source_member(data_get(o->data, STR("metadata")), "name");

	return written.n ? written : str_cat(a, j->name, STR("-"), plan_label(a, o->name));
}

const struct data *plan_source_data(struct arena *a, const struct plan_job *j, const struct plan_source *s)
{
	const char *kind = s->secret ? "Secret" : "ConfigMap", *texts = s->secret ? "stringData" : "data";

	for (size_t i = 0; i < j->nobjects; i++) {
		const struct plan_object *o = &j->objects[i];
		if (!str_is(source_member(o->data, "kind"), kind) || !str_eq(plan_object_name(a, j, o), s->name))
			continue;
		const struct data *data = data_get(o->data, str_of(texts));
		bool encoded = s->secret && data_get(o->data, STR("data"));
		return data && data->kind == DATA_MAP && !encoded ? data : NULL;
	}
	return NULL;
}

struct str plan_source_text(struct arena *a, const struct plan_source *s)
{
	struct buf out = { 0 };

	buf_printf(&out, "%s_env(", s->secret ? "secret" : "config");
	buf_json(&out, s->name);
	if (s->prefix.n) {
		buf_z(&out, ", prefix = ");
		buf_json(&out, s->prefix);
	}
	buf_z(&out, s->optional ? ", optional = true)" : ")");
	struct str text = buf_take(&out, a);
	buf_release(&out);
	return text;
}
