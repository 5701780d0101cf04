/* kube_schema_test.c - tables of schemas: built from text, looked up, described in words. */

#include "kube/schema_text.h"
#include "unit.h"

static const struct schema_type *type_of(const char *api_version, const char *kind)
{
	const struct schema_kind *k = schema_find_kind(&schema_builtin, str_of(api_version), str_of(kind));
	return k ? &schema_builtin.types[k->type] : NULL;
}

static void builtin(void)
{
	const struct schema_kind *job = schema_find_kind(&schema_builtin, STR("batch/v1"), STR("Job"));
	const struct schema_type *container = schema_find_type(&schema_builtin, STR("core.v1.Container"));
	const struct schema_type *pod = schema_find_type(&schema_builtin, STR("core.v1.PodSpec"));

	CHECK(job && job->namespaced && schema_in(job->versions, 28) && schema_in(job->versions, 37));
	CHECK(!schema_find_kind(&schema_builtin, STR("batch/v1beta1"), STR("Job")));
	CHECK(schema_find_kind(&schema_builtin, STR("v1"), STR("Namespace"))->namespaced == 0);
	CHECK(type_of("v1", "Pod") != NULL);
	CHECK(container && pod);
	const struct schema_field *ports = schema_find_field(&schema_builtin, container, STR("ports"), 30);
	CHECK(ports && ports->list == SCHEMA_KEYED);
	CHECK(str_is(schema_text(&schema_builtin, ports->keys), "containerPort,protocol"));
	CHECK(str_is(schema_text(&schema_builtin, ports->merge), "containerPort"));
	CHECK(schema_builtin.refs[ports->ref].word == SCHEMA_LIST);
	CHECK(!schema_find_field(&schema_builtin, container, STR("port"), 30));
	/* the field `resources` of a pod was added in a later version */
	CHECK(!schema_find_field(&schema_builtin, pod, STR("resources"), 28));
	CHECK(schema_find_field(&schema_builtin, pod, STR("resources"), 34) != NULL);
	CHECK(schema_newest_field(&schema_builtin, pod, STR("resources")) != NULL);
}

static bool is_sorted(void)
{
	const struct schema *s = &schema_builtin;

	for (size_t t = 0; t < s->ntypes; t++) {
		if (t && str_cmp(schema_text(s, s->types[t - 1].name), schema_text(s, s->types[t].name)) >= 0)
			return false;
		for (size_t i = s->types[t].first + 1; i < s->types[t].first + s->types[t].n; i++)
			if (str_cmp(schema_text(s, s->fields[i - 1].name), schema_text(s, s->fields[i].name)) > 0)
				return false;
	}
	return s->ntypes > 400;
}

/* In each version a field has at most one form, and exists only if its type does. */
static bool forms_are_apart(void)
{
	const struct schema *s = &schema_builtin;

	for (size_t t = 0; t < s->ntypes; t++)
		for (size_t i = s->types[t].first; i < s->types[t].first + s->types[t].n; i++) {
			if (s->fields[i].versions & ~s->types[t].versions)
				return false;
			if (i > s->types[t].first && s->fields[i - 1].name == s->fields[i].name &&
				s->fields[i - 1].versions & s->fields[i].versions)
				return false;
		}
	return true;
}

static void words(void)
{
	struct buf out = { 0 };
	const struct schema_type *container = schema_find_type(&schema_builtin, STR("core.v1.Container"));

	schema_ref_text(&schema_builtin, &schema_builtin.refs[schema_find_field(&schema_builtin, container,
		STR("ports"), 30)->ref], &out);
	CHECK(str_is(buf_text(&out), "list of ContainerPort"));
	out.n = 0;
	schema_versions_text(0x3ff, &out);
	CHECK(str_is(buf_text(&out), "all versions"));
	out.n = 0;
	schema_versions_text(0x3c0, &out);
	CHECK(str_is(buf_text(&out), "1.34 and later"));
	out.n = 0;
	schema_versions_text(0x00e, &out);
	CHECK(str_is(buf_text(&out), "1.29 to 1.31"));
	out.n = 0;
	schema_versions_text(0x004, &out);
	CHECK(str_is(buf_text(&out), "1.30"));
	buf_release(&out);
}

static void from_text(void)
{
	struct arena a = { 0 };
	struct schema_builder *b = schema_builder_new(&a, NULL);
	struct schema s;
	struct str why;

	CHECK(schema_read(b, STR("# a project's own\nkind acme.io/v1 Widget namespaced acme.Widget\ntype acme.Widget\n\tspec acme.Spec required\ntype acme.Spec\n"
		"\tsizes []int set\n\tlabels {}string\n"), &why));
	CHECK(schema_build(b, &s, &why));
	const struct schema_kind *k = schema_find_kind(&s, STR("acme.io/v1"), STR("Widget"));
	CHECK(k && schema_in(k->versions, 28) && schema_in(k->versions, 40));
	const struct schema_field *spec = k ? schema_find_field(&s, &s.types[k->type], STR("spec"), 33) : NULL;
	CHECK(spec && spec->required && s.refs[spec->ref].word == SCHEMA_OBJECT);
	static const char *const bad[] = { "kind acme.io/v1 Widget somewhere acme.Widget\n", "\tname string\n",
		"version 2.1\n", "nonsense\n",
		"type\n", "-type acme.Widget\n", "-kind a/v1 B\n", "type a.B\n\t-gone\n", "type a.B\n\tname\n" };
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		why = STR("");
		CHECK(!schema_read(schema_builder_new(&a, NULL), str_of(bad[i]), &why) &&
			str_starts(why, STR("line ")));
	}
	b = schema_builder_new(&a, NULL);
	CHECK(schema_read(b, STR("type a.B\n\tx []c.D\n"), &why));
	CHECK(!schema_build(b, &s, &why) && str_is(why, "nothing describes the type 'c.D'"));
	/* versions: a field that changes, disappears and returns */
	b = schema_builder_new(&a, NULL);
	CHECK(schema_read(b, STR("version 1.28\ntype a.B\n\tx string\n\ty int\nversion 1.29\ntype a.B\n\tx int\n\t-y\nversion 1.30\ntype a.B\n\ty int\n"), &why));
	CHECK(schema_build(b, &s, &why));
	const struct schema_type *t = schema_find_type(&s, STR("a.B"));
	CHECK(t->versions == 7);
	CHECK(s.refs[schema_find_field(&s, t, STR("x"), 28)->ref].word == SCHEMA_STRING);
	CHECK(s.refs[schema_find_field(&s, t, STR("x"), 30)->ref].word == SCHEMA_INT);
	CHECK(schema_find_field(&s, t, STR("y"), 28) && !schema_find_field(&s, t, STR("y"), 29) &&
		schema_find_field(&s, t, STR("y"), 30));
	arena_release(&a);
}

int main(void)
{
	builtin();
	CHECK(is_sorted());
	CHECK(forms_are_apart());
	words();
	from_text();
	return unit_end();
}
