/*
 * plan_record_test.c - what a run records of its plan: the plan of every example survives conversion to JSON and back,
 * and status_of() returns the same for both; damaged records are rejected.
 */
#include "unit.h"

#include <glob.h>
#include <stdlib.h>

#include "base/file.h"
#include "compile.h"
#include "data/data_read.h"
#include "runtime/run/plan_record.h"
#include "runtime/status/status.h"

static bool read_record(struct arena *a, struct str text, struct plan_job *ret, struct str *why)
{
	struct source source = { .text = text, .base = 1 };
	struct data_error error;
	struct data *d;

	return data_read_json(a, &source, &d, &error) && plan_record_read(a, d, ret, why);
}

static struct str record_of(struct arena *a, const struct plan_job *j)
{
	struct buf b = { 0 };

	plan_record_write(j, &b);
	struct str text = buf_take(&b, a);
	buf_release(&b);
	return text;
}

/* Returns the state of a run with a failed pod in each role: rules, names and containers of the plan affect it. */
static struct str state_of(struct arena *a, const struct plan_job *j)
{
	struct status_objects objects = { 0 };
	struct buf b = { 0 };

	buf_z(&b, "{\"kind\":\"List\",\"items\":[");
	for (size_t i = 0; i < j->nroles; i++) {
		struct buf name = { 0 };
		if (!j->roles[i].max)
			continue;
		plan_replica_name(&j->roles[i], 0, &name);
		buf_printf(&b, "%s{\"kind\":\"Pod\",\"metadata\":{\"name\":\"%.*s\"},\"status\":{\"phase\":\"Failed\",\"containerStatuses\":[{\"name\":\"%.*s\","
			"\"state\":{\"terminated\":{\"exitCode\":3,\"finishedAt\":\"2026-01-01T00:00:00Z\"}}}]}}",
			b.p[b.n - 1] == '[' ? "" : ",",
			STR_ARG(buf_text(&name)), STR_ARG(plan_label(a, j->roles[i].main.name)));
		buf_release(&name);
	}
	buf_z(&b, "]}");
	struct source source = { .text = str_copy(a, buf_text(&b)), .base = 1 };
	struct data_error error;
	struct data *d;
	CHECK(data_read_json(a, &source, &d, &error));
	status_add(a, &objects, d);
	struct run_state s = status_of(a, j, &objects, INT64_C(1767225600000000000));
	b.n = 0;
	s.ns = STR("");         /* the namespace comes from the plan itself, which is not recorded */
	run_state_write(&s, &b);
	struct str text = buf_take(&b, a);
	buf_release(&b);
	return text;
}

static void examples(void)
{
	glob_t all;
	size_t jobs = 0;

	CHECK(glob("examples/*/*.tj", 0, NULL, &all) == 0);
	CHECK(glob("tests/emit/codes.tj", GLOB_APPEND, NULL, &all) == 0);
	for (size_t i = 0; i < all.gl_pathc; i++) {
		struct trainc c;
		compile_init(&c, &file_reader);
		compile_plan(&c, str_of(all.gl_pathv[i]));
		for (size_t k = 0; k < c.plan.njobs; k++) {
			struct plan_job back, *j = &c.plan.jobs[k];
			struct str why = STR(""), text = record_of(&c.arena, j);
			bool read = read_record(&c.arena, text, &back, &why);
			CHECK(read);
			if (!read)
				continue;
			CHECK(str_eq(text, record_of(&c.arena, &back)));
			struct str before = state_of(&c.arena, j), after = state_of(&c.arena, &back);
			CHECK(before.n && str_eq(before, after));
			jobs++;
		}
		compile_release(&c);
	}
	CHECK(jobs > 15);
	globfree(&all);
}

static void damage(void)
{
	static const char *const bad[] = { "{}", "[]", "{\"schemaVersion\":2,\"name\":\"a\",\"roles\":[]}",
		"{\"schemaVersion\":1,\"roles\":[]}",
		"{\"schemaVersion\":1,\"name\":\"a\"}",
		"{\"schemaVersion\":1,\"name\":\"a\",\"roles\":[{\"name\":\"w\"}]}",
		"{\"schemaVersion\":1,\"name\":\"a\",\"roles\":[{\"name\":\"w\",\"object\":\"a-w\",\"max\":-1}]}",
		"{\"schemaVersion\":1,\"name\":\"a\",\"roles\":[{\"name\":\"w\",\"object\":\"a-w\",\"max\":99999999999}]}", "{\"schemaVersion\":1,\"name\":\"a\",\"roles\":[{\"name\":\"w\",\"object\":\"a-w\",\"max\":1}],\"success\":{\"done\":\"x\"}}",
		"{\"schemaVersion\":1,\"name\":\"a\",\"roles\":[{\"name\":\"w\",\"object\":\"a-w\",\"max\":1}],\"success\":{\"done\":\"w\",\"index\":5}}",
		"{\"schemaVersion\":1,\"name\":\"a\",\"roles\":[{\"name\":\"w\",\"object\":\"a-w\",\"max\":1}],\"success\":{\"and\":[{\"done\":\"w\"}]}}" };
	struct arena a = { 0 };

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct plan_job j;
		struct str why = STR("");
		CHECK(!read_record(&a, str_of(bad[i]), &j, &why));
		CHECK(why.n > 0);
	}
	arena_release(&a);
}

int main(void)
{
	examples();
	damage();
	return unit_end();
}
