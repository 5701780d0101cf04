/*
 * schema_test.c - the vocabulary: every field has a type that matches its spelling and its default, and lookups find
 * it.
 */
#include <stdio.h>

#include "check/check_schema.h"

static int passed, failed;
static struct arena arena;

static void ok(bool good, const char *what, const char *name)
{
	if (good) {
		passed++;
		return;
	}
	failed++;
	printf("FAIL %s: %s\n", name, what);
}

static void each_field(struct schema_types *types)
{
	static const char *const names[] = { "env", "limits", "zones", "sites?", "code?", "layout", "places?",
		"sources", "map[values]" };

	for (int i = 0; i < FIELDS; i++) {
		const struct field *f = schema_field((enum field_id)i);
		const struct type *t = schema_type(types, f->id);
		struct str spelling = type_spell(&arena, t);
		bool named = false;             /* is the type given by a name of its own? */
		for (size_t k = 0; k < sizeof names / sizeof *names; k++)
			named = named || str_is(str_of(f->type), names[k]);
		ok(f->id == (enum field_id)i, "the table is in order", f->name);
		ok(t->kind != TYPE_BAD, "has a type", f->name);
		/*
		 * A list with parts that only the pod knows is itself known only to the pod, because the whole list may
		 * differ by replica.
		 */
		struct str whole = str_printf(&arena, "pod[%s]", f->type);
		bool list = str_starts(str_of(f->type), STR("list[pod["));
		ok(named || (list ? str_eq(spelling, whole) : str_is(spelling, f->type)), spelling.p, f->name);
		ok(t == schema_type(types, f->id), "is parsed once", f->name);
		ok(schema_find_anywhere(str_of(f->name)) != NULL, "is found", f->name);
		ok(f->doc[0] && f->doc[strlen(f->doc) - 1] == '.', "has a doc line that is a sentence", f->name);
		for (unsigned b = 1; b <= BLOCK_TEST; b <<= 1)
			if (f->blocks & b)
				ok(schema_find((enum block)b, str_of(f->name)) == f, "is found in its block", f->name);
	}
}

static void lookups(struct schema_types *types)
{
	const struct type *limits = schema_type(types, FIELD_LIMITS), *env = schema_type(types, FIELD_ENV);
	ok(!schema_find(BLOCK_ROLE, STR("timeout")), "timeout is not of a role", "timeout");
	ok(schema_find(BLOCK_JOB, STR("timeout")) != NULL, "timeout is of a job", "timeout");
	ok(schema_find(BLOCK_ACCELERATOR, STR("memory")) != schema_find(BLOCK_ROLE, STR("memory")),
		"two fields of one name", "memory");
	ok(!schema_find_anywhere(STR("memor")), "a part of a name is no name", "memor");
	ok(env->kind == TYPE_MAP && env->elem == &type_env_value, "env is a map of environment values", "env");
	ok(limits->kind == TYPE_RECORD, "limits is a record", "limits");
	size_t n = 0;
	for (const struct field *f = schema_next(BLOCK_SIDECAR, NULL); f; f = schema_next(BLOCK_SIDECAR, f))
		n++;
	ok(n == 14, "a sidecar has fourteen fields", "sidecar");
}

static void functions_and_blocks(void)
{
	enum function id;
	for (int i = 0; i < FUNCTIONS; i++) {
		const struct function_row *f = schema_function((enum function)i);
		ok(schema_function_find(str_of(f->name), &id) && id == (enum function)i, "is found", f->name);
		bool word = id == FUNCTION_PACK;        /* `pack` is written without parentheses */
		ok((word ? strncmp(f->signature, " -> ", 4) == 0 : f->signature[0] == '(') && f->doc[0], "is described",
			f->name);
	}
	ok(!schema_function_find(STR("nothing"), &id), "an unknown function", "nothing");
	ok(schema_block(STR("sidecar")) && !(schema_block(STR("sidecar"))->parents & BLOCK_JOB),
		"a sidecar is not in a job", "sidecar");
	ok(!schema_block(STR("roles")), "an unknown block", "roles");
}

int main(void)
{
	struct names names = { .arena = &arena };
	struct schema_types types = { .arena = &arena, .names = &names };
	each_field(&types);
	lookups(&types);
	functions_and_blocks();
	arena_release(&arena);
	printf("%d passed, %d failed\n", passed, failed);
	return failed != 0;
}
