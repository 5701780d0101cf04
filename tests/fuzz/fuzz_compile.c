/*
 * fuzz_compile.c - runs the whole compiler on arbitrary bytes: from text to plan to objects, and every format of its
 * diagnostics. There is no file system: the program only sees itself and the standard library.
 */
#include "compile.h"
#include "diag/render.h"
#include "emit/emit.h"
#include "plan/print.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

struct input {
	const uint8_t *bytes;
	size_t n;
};

static bool read_input(void *context, struct arena *arena, struct str path, struct str *ret, struct str *why)
{
	const struct input *in = context;

	if (!str_is(path, "job.tj")) {
		*why = STR("no such file");
		return false;
	}
	*ret = str_copy(arena, (struct str){ (const char *)in->bytes, in->n });
	return true;
}

static bool exists(void *context, struct str path)
{
	(void)context;
	return str_is(path, "job.tj");
}

/* Output of limited size: a few bytes of input can request millions of replicas. */
struct bucket {
	size_t room;
};

static bool pour(void *context, const char *bytes, size_t n)
{
	struct bucket *b = context;

	(void)bytes;
	if (n > b->room)
		return false;
	b->room -= n;
	return true;
}

static void emit(struct trainc *c, bool json)
{
	struct bucket bucket = { .room = 4 << 20 };
	struct emit_options options = { .json = json, .annotate = !json, .sources = &c->sources,
		.runtime_warning = true };
	struct emit_sink sink = { &bucket, pour };

	const struct plan *plan = &c->plan;
	emit_write(&options, &plan, 1, &sink);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct input in = { bytes, n };
	struct reader reader = { .context = &in, .read = read_input, .exists = exists };
	struct trainc c;
	struct buf out = { .limit = 16 << 20 };

	compile_init(&c, &reader);
	compile_plan(&c, STR("job.tj"));
	if (diags_ok(&c.diags) && emit_check(&(struct emit_options){ .sources = &c.sources }, &c.plan, &c.diags)) {
		emit(&c, false);
		emit(&c, true);
		plan_print_json(&c.plan, &c.sources, ARENA_ARRAY(&c.arena, size_t, c.plan.njobs), &out);
		plan_dump(&c.plan, &c.sources, &out);
	}
	diags_finish(&c.diags);
	diags_text(&c.diags, (struct render_options){ .colour = true, .width = 60 }, &out);
	diags_json(&c.diags, &out);
	diags_sarif((const struct diags *[]){ &c.diags }, 1, &out);
	buf_release(&out);
	compile_release(&c);
	return 0;
}
