/* type_test.c - tests equality and spelling of types, and which values have which types. */
#include <stdio.h>

#include "check/context.h"

static int passed, failed;
static struct arena arena;

static void ok(bool good, const char *what, struct str got)
{
	if (good) {
		passed++;
		printf("ok %s\n", what);
		return;
	}
	failed++;
	printf("FAIL %s: %.*s\n", what, STR_ARG(got));
}

static void spelled(const struct type *t, const char *spelling, const char *phrase)
{
	struct str s = type_spell(&arena, t), p = type_phrase(&arena, t);
	ok(str_is(s, spelling), spelling, s);
	ok(str_is(p, phrase), phrase, p);
}

static const struct type *narrow(const struct type *t, int64_t lo, int64_t hi)
{
	struct type *copy = ARENA_NEW(&arena, struct type);
	struct refinement *r = ARENA_NEW(&arena, struct refinement);
	*copy = *t;
	*r = (struct refinement){ .has_lo = true, .has_hi = hi > 0, .lo = lo, .hi = hi };
	copy->refine = r;
	return copy;
}

static const struct type *enum_of(const char *a, const char *b)
{
	struct type *t = ARENA_NEW(&arena, struct type);
	struct str *words = ARENA_ARRAY(&arena, struct str, 2);
	words[0] = str_of(a);
	words[1] = str_of(b);
	*t = (struct type){ .kind = TYPE_ENUM, .words = words, .n = b ? 2 : 1 };
	return t;
}

static const struct type *anon_of(const char *name, const struct type *member)
{
	struct type *t = ARENA_NEW(&arena, struct type);
	struct type_member *m = ARENA_NEW(&arena, struct type_member);
	*m = (struct type_member){ str_of(name), member };
	*t = (struct type){ .kind = TYPE_ANON, .members = m, .n = 1 };
	return t;
}

static void spelling(void)
{
	spelled(&type_int, "int", "an int");
	spelled(&type_elastic, "elastic", "an elastic");
	spelled(&type_port, "port", "a port");
	spelled(&type_memory, "memory", "a memory amount");
	spelled(narrow(&type_int, 1, 64), "int(1..64)", "an int");
	spelled(narrow(&type_elastic, 1, 0), "elastic(1..)", "an elastic");
	spelled(type_list(&arena, type_pod(&arena, &type_string)), "list[pod[string]]", "a list of strings");
	spelled(type_map(&arena, type_list(&arena, &type_int)), "map[list[int]]", "a map of lists");
	spelled(type_map(&arena, &type_env_value), "map[env value]", "a map of environment values");
	spelled(type_optional(&arena, narrow(&type_int, 1, 0)), "int(1..)?", "an int or none");
	spelled(enum_of("a", "b"), "enum(\"a\", \"b\")", "one of \"a\", \"b\"");
	spelled(anon_of("x", &type_cpu), "{ x: cpu }", "a record");
	spelled(type_secret(&arena, &type_string), "secret[string]", "a secret");
}

static void sameness(void)
{
	struct str none = STR("");
	ok(type_same(&type_int, narrow(&type_int, 1, 2)), "refinements are ignored", none);
	ok(type_same(&type_int, &type_port), "a port is an int", none);
	ok(!type_same(&type_int, &type_float), "int is not float", none);
	ok(type_same(type_list(&arena, &type_int), type_list(&arena, &type_int)), "lists by element", none);
	ok(!type_same(type_list(&arena, &type_int), type_list(&arena, &type_string)), "lists of other elements", none);
	ok(type_same(enum_of("a", "b"), enum_of("a", "b")), "enums by words", none);
	ok(!type_same(enum_of("a", "b"), enum_of("b", "a")), "enums in order", none);
	ok(type_same(anon_of("x", &type_int), anon_of("x", &type_int)), "records by members", none);
	ok(!type_same(anon_of("x", &type_int), anon_of("y", &type_int)), "records of other members", none);
	ok(type_optional(&arena, type_optional(&arena, &type_int))->elem == &type_int, "optional once", none);
	ok(type_pod(&arena, type_pod(&arena, &type_int))->elem == &type_int, "pod once", none);
}

static void fits(const char *what, enum fit want, const struct type *place, const struct type *t)
{
	enum fit got = type_fit(place, t);
	ok(got == want, what, str_printf(&arena, "fit %d, not %d", (int)got, (int)want));
}

static void fitting(void)
{
	const struct type *pod = type_pod(&arena, &type_string), *maybe = type_optional(&arena, &type_int);
	const struct type *strings = type_list(&arena, &type_string), *pods = type_list(&arena, pod);
	const struct type *secret = type_secret(&arena, &type_string);
	fits("T in T", FIT_OK, &type_int, narrow(&type_int, 1, 2));
	fits("T in T?", FIT_OK, maybe, &type_int);
	fits("none in T?", FIT_OK, maybe, &type_none);
	fits("T? in T", FIT_OPTIONAL, &type_int, maybe);
	fits("none in T", FIT_NO, &type_int, &type_none);
	fits("T in pod[T]", FIT_OK, pod, &type_string);
	fits("pod[T] in T", FIT_POD, &type_string, pod);
	fits("pod[int] in string", FIT_NO, &type_string, type_pod(&arena, &type_int));
	fits("pod[T] in T?", FIT_POD, type_optional(&arena, &type_string), pod);
	fits("list[T] in list[pod[T]]", FIT_OK, pods, strings);
	fits("list[pod[T]] in list[T]", FIT_POD, strings, pods);
	fits("int in elastic", FIT_OK, &type_elastic, &type_int);
	fits("elastic in int", FIT_NO, &type_int, &type_elastic);
	fits("int in float", FIT_NO, &type_float, &type_int);
	fits("int in cpu", FIT_NO, &type_cpu, &type_int);
	fits("image in string", FIT_OK, &type_string, &type_image);
	fits("string in image", FIT_OK, &type_image, &type_string);
	fits("string in enum", FIT_NO, enum_of("a", "b"), &type_string);
	fits("enum in string", FIT_OK, &type_string, enum_of("a", "b"));
	fits("smaller enum in enum", FIT_OK, enum_of("a", "b"), enum_of("b", NULL));
	fits("larger enum in enum", FIT_NO, enum_of("b", NULL), enum_of("a", "b"));
	fits("memory in cpu", FIT_NO, &type_cpu, &type_memory);
	fits("[] in list", FIT_OK, strings, &type_empty);
	fits("record in map", FIT_OK, type_map(&arena, &type_int), anon_of("x", &type_int));
	fits("record in map of others", FIT_NO, type_map(&arena, &type_int), anon_of("x", &type_string));
	fits("environment: float", FIT_OK, &type_env_value, &type_float);
	fits("environment: pod", FIT_OK, &type_env_value, pod);
	fits("environment: secret", FIT_OK, &type_env_value, secret);
	fits("environment: config", FIT_OK, &type_env_value, &type_config);
	fits("environment: list", FIT_NO, &type_env_value, strings);
	fits("environment: none", FIT_OPTIONAL, &type_env_value, maybe);
	fits("data: list of records", FIT_OK, &type_data, type_list(&arena, anon_of("x", &type_memory)));
	fits("data: none", FIT_OK, &type_data, maybe);
	fits("data: pod inside", FIT_POD, &type_data, anon_of("x", pod));
	fits("data: secret inside", FIT_SECRET, &type_data, anon_of("x", secret));
	fits("data: role", FIT_NO, &type_data, &type_role);
	fits("secret in string", FIT_SECRET, &type_string, secret);
	fits("bad fits", FIT_OK, &type_string, &type_bad);
	fits("in bad fits", FIT_OK, &type_bad, &type_role);
}

static void unified(const char *what, const struct type *a, const struct type *b, const char *want)
{
	struct check c = { .arena = &arena };
	const struct type *t = type_unify(&c, a, b);
	struct str got = t ? type_spell(&arena, t) : STR("nothing");
	ok(str_is(got, want), what, got);
}

static void unifying(void)
{
	const struct type *maybe = type_optional(&arena, &type_int);
	unified("with none", &type_int, &type_none, "int?");
	unified("none first", &type_none, &type_int, "int?");
	unified("optional and not", maybe, &type_int, "int?");
	unified("pod and not", type_pod(&arena, &type_int), &type_int, "pod[int]");
	unified("bounds go", narrow(&type_int, 1, 2), narrow(&type_int, 3, 4), "int");
	unified("texts", enum_of("a", "b"), &type_image, "string");
	unified("elastic", &type_int, &type_elastic, "elastic");
	unified("lists", type_list(&arena, &type_int), type_list(&arena, maybe), "list[int?]");
	unified("empty", &type_empty, type_list(&arena, &type_int), "list[int]");
	unified("unit", &type_unit, &type_memory, "memory");
	unified("records", anon_of("x", &type_int), anon_of("x", &type_none), "{ x: int? }");
	unified("others", &type_int, &type_string, "nothing");
	unified("quantities", &type_cpu, &type_memory, "nothing");
}

int main(void)
{
	spelling();
	sameness();
	fitting();
	unifying();
	arena_release(&arena);
	printf("%d passed, %d failed\n", passed, failed);
	return failed != 0;
}
