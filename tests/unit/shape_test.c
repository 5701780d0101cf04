/*
 * shape_test.c - what is written of plans and states is byte for byte what earlier versions wrote: the samples in
 * tests/shape. `build/unit/shape_test write` writes the samples again.
 */
#include "shape_world.h"

#include <glob.h>

#include "base/file.h"
#include "compile.h"
#include "data/shape.h"
#include "data/data_read.h"
#include "plan/print.h"
#include "runtime/run/identity.h"
#include "runtime/run/outcome.h"
#include "runtime/run/plan_record.h"
#include "runtime/run/report.h"
#include "runtime/run/run_shape.h"
#include "unit.h"

static bool writes;                     /* the samples are written again */

/* Compares the text in OUT with the sample NAME, or writes the sample; empties OUT. */
static void sample(const char *name, struct buf *out)
{
	struct arena a = { 0 };
	struct str path = str_printf(&a, "tests/shape/%s", name), want = STR(""), why;

	if (writes)
		check_at(__LINE__, file_replace(&a, path, buf_text(out), &why) ||
			file_create(&a, path, buf_text(out), &why), path.p);
	bool same = file_read(&a, path, &want, &why) && str_eq(want, buf_text(out));
	check_at(__LINE__, same, path.p);
	if (!same)
		printf("--- got\n%.*s\n---\n", STR_ARG(buf_text(out)));
	out->n = 0;
	arena_release(&a);
}

/* ---- a plan and a state with every member set ---- */

static void full_plan_texts(void)
{
	struct plan p = full_plan();
	struct sources sources = { 0 };
	struct buf out = { 0 };
	const size_t objects[] = { 5 };

	identity_put(&p, p.jobs, &out);
	sample("full.identity", &out);
	plan_record_write(p.jobs, &out);
	sample("full.record", &out);
	plan_dump(&p, &sources, &out);
	sample("full.dump", &out);
	plan_print_json(&p, &sources, objects, &out);
	sample("full.plan.json", &out);
	struct decide_record record = full_record();
	decide_record_print(&record, p.jobs, &out);
	sample("full.decided", &out);
	buf_release(&out);
}

static void full_state_texts(void)
{
	struct buf out = { 0 };

	for (int local = 0; local < 2; local++) {
		struct run_state s = full_state(local);
		const struct run_state *runs[] = { &s, &s };
		struct report r = { .runs = runs, .n = 2, .form = REPORT_JSON };
		report_json(&r, &out);
		sample(local ? "full.local.json" : "full.cluster.json", &out);
		r.form = REPORT_JSON_LINE;
		report_json(&r, &out);
		sample(local ? "full.local.line" : "full.cluster.line", &out);
		report_json_run(&s, &out);
		sample(local ? "full.local.run" : "full.cluster.run", &out);
		s.failure.known = false;
		s.nroles = s.nevents = s.nobjects = s.ncode = 0;
		r.form = REPORT_JSON;
		report_json(&r, &out);
		sample(local ? "bare.local.json" : "bare.cluster.json", &out);
	}
	struct run_state s = full_state(true);
	run_state_write(&s, &out);
	sample("full.state", &out);
	outcome_write(&s, 7, s.end, &out);
	sample("full.outcome", &out);
	buf_release(&out);
}

/* A copy says the same as the state, and keeps saying it when the memory of the state is gone. */
static void copies(void)
{
	struct arena first = { 0 }, second = { 0 };
	struct run_state s = full_state(true);
	struct run_state once = run_state_copy(&first, &s), twice = run_state_copy(&second, &once);
	struct buf want = { 0 }, got = { 0 };

	run_state_write(&s, &want);
	report_json_run(&s, &want);
	for (size_t i = 0; i < once.nobjects; i++)
		memset(&once.objects[i], 0xAA, sizeof *once.objects);
	arena_release(&first);
	run_state_write(&twice, &got);
	report_json_run(&twice, &got);
	CHECK(str_eq(buf_text(&want), buf_text(&got)));
	CHECK(str_is(twice.roles[0].at[0].words.text, "ValueError"));
	buf_release(&want);
	buf_release(&got);
	arena_release(&second);
}

/* What an earlier version wrote is read, and what is written again is the same. */
static void read_again(void)
{
	struct arena a = { 0 };
	struct str text = STR(""), why = STR("");
	struct run_state s, bare = { 0 };
	struct decide_record record;
	struct plan_job job;
	struct plan p = full_plan();
	struct data_error error;
	struct data *d;
	struct buf out = { 0 };

	CHECK(file_read(&a, STR("tests/shape/full.state"), &text, &why) && run_state_read(&a, text, &s, &why));
	run_state_write(&s, &out);
	CHECK(str_eq(text, buf_text(&out)));
	out.n = 0;
	CHECK(file_read(&a, STR("tests/shape/full.outcome"), &text, &why) && outcome_read(&a, text, 7, &bare));
	outcome_write(&bare, 7, bare.end, &out);
	CHECK(str_eq(text, buf_text(&out)));
	out.n = 0;
	CHECK(file_read(&a, STR("tests/shape/full.record"), &text, &why));
	struct source record_text = { .text = text, .base = 1 };
	CHECK(data_read_json(&a, &record_text, &d, &error) && plan_record_read(&a, d, &job, &why));
	CHECK(job.roles[0].retries.value == 3 && job.roles[0].main.nmounts == 2 &&
		plan_codes_has(&job.roles[0].retry_on, 128));
	CHECK(file_read(&a, STR("tests/shape/full.decided"), &text, &why));
	struct source decided = { .text = text, .base = 1 };
	CHECK(data_read_json(&a, &decided, &d, &error) && decide_record_read(&a, d, p.jobs, &record));
	decide_record_print(&record, p.jobs, &out);
	CHECK(str_eq(text, buf_text(&out)));
	buf_release(&out);
	arena_release(&a);
}

/* ---- records of programs ---- */

/* A record that is read and written again is the same. */
static void same_when_read(struct arena *a, struct str record)
{
	struct source source = { .text = record, .base = 1 };
	struct data_error error;
	struct plan_job job;
	struct data *d;
	struct str why;
	struct buf again = { 0 };

	CHECK(data_read_json(a, &source, &d, &error) && plan_record_read(a, d, &job, &why));
	plan_record_write(&job, &again);
	CHECK(str_eq(record, buf_text(&again)));
	buf_release(&again);
}

/* The records of the jobs of all examples, and the identity of jobs that no framework has changed. */
static void programs(void)
{
	struct buf out = { 0 };
	glob_t all;

	CHECK(glob("examples/*/*.tj", 0, NULL, &all) == 0);
	CHECK(glob("tests/std/*.tj", GLOB_APPEND, NULL, &all) == 0);
	CHECK(glob("tests/emit/cells.tj", GLOB_APPEND, NULL, &all) == 0);
	for (size_t i = 0; i < all.gl_pathc; i++) {
		struct trainc c;
		compile_init(&c, &file_reader);
		compile_plan(&c, str_of(all.gl_pathv[i]));
		for (size_t k = 0; k < c.plan.njobs; k++) {
			struct plan_job *j = &c.plan.jobs[k];
			struct buf identity = { 0 };
			buf_printf(&out, "%s %.*s\n", all.gl_pathv[i], STR_ARG(j->name));
			size_t begin = out.n;
			plan_record_write(j, &out);
			same_when_read(&c.arena, str_copy(&c.arena, (struct str){ out.p + begin, out.n - begin }));
			identity_put(&c.plan, j, &identity);
			if (!j->framework.n)
				buf_printf(&out, "\n%.*s", STR_ARG(identity_digest(&c.arena, buf_text(&identity))));
			buf_z(&out, "\n\n");
			buf_release(&identity);
		}
		compile_release(&c);
	}
	sample("programs", &out);
	globfree(&all);
	buf_release(&out);
}

/* ---- the tables ---- */

/*
 * A row whose use needs a function that its type does not have would end in a crash, or be ignored. The digest of a
 * state is made from JSON.
 */
static bool row_complete(const struct shape_row *r, bool is_plan)
{
	unsigned uses = r->uses & (EVERYWHERE | NOWHERE) ? r->uses : EVERYWHERE;
	bool json = uses & (IN_RECORD | IN_JSON | IN_DUMP);

	return r->key && r->type && (!json || (r->type->json && r->type->zero)) &&
		(!(uses & IN_RECORD) || r->type->read || r->ask) &&
		(!(uses & IN_IDENTITY) || !is_plan || (r->type->identity && (!(uses & IF_SET) || r->type->zero)));
}

static void tables(void)
{
	const struct shape *const all[] = { &shape_plan_env, &shape_plan_port, &shape_plan_volume, &shape_plan_mount,
		&shape_plan_file, &shape_plan_limits, &shape_plan_probe, &shape_plan_resource, &shape_plan_amounts,
		&shape_plan_container, &shape_plan_accelerator, &shape_plan_replica_label, &shape_plan_replica,
		&shape_plan_place, &shape_plan_role, &shape_plan_object, &shape_plan_job, &shape_run_replica,
		&shape_run_role, &shape_run_object, &shape_run_code, &shape_run_event, &shape_run_failure,
		&shape_run_state,
		&shape_decide_replica, &shape_decide_role, &shape_decide_record };

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		for (size_t k = 0; k < all[i]->n; k++)
			if (!row_complete(&all[i]->rows[k], strncmp(all[i]->name, "plan_", 5) == 0)) {
				printf("%s.%s\n", all[i]->name, all[i]->rows[k].key);
				CHECK(!"the type of the row has a function for each use");
			}
	CHECK(shape_plan_job.n > 25);
}

int main(int argc, char **argv)
{
	writes = argc > 1 && strcmp(argv[1], "write") == 0;
	full_plan_texts();
	full_state_texts();
	copies();
	read_again();
	programs();
	tables();
	return unit_end();
}
