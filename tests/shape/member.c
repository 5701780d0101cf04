/*
 * member.c - member.sh compiles this with a plan and a state whose structs have one member more, `surprise`, whose rows
 * say nothing but the type. Prints what is written of a plan and a state in which every surprise is set, and whether it
 * is read back.
 */
#include "unit/shape_world.h"

#include <stdio.h>

#include "data/data_read.h"
#include "plan/print.h"
#include "runtime/run/identity.h"
#include "runtime/run/outcome.h"
#include "runtime/run/plan_record.h"
#include "runtime/run/report.h"
#include "runtime/run/run_history.h"

static void print_texts(const struct plan *p)
{
	struct buf out = { 0 };
	struct sources sources = { 0 };
	const size_t objects[] = { 1 };

	buf_z(&out, "==== identity\n");
	identity_put(p, p->jobs, &out);
	buf_z(&out, "==== dump\n");
	plan_dump(p, &sources, &out);
	buf_z(&out, "==== json\n");
	plan_print_json(p, &sources, objects, &out);
	buf_z(&out, "==== record\n");
	plan_record_write(p->jobs, &out);
	printf("%.*s\n", STR_ARG(buf_text(&out)));
	buf_release(&out);
}

static bool is_read_back(const struct plan_job *j)
{
	struct arena a = { 0 };
	struct buf out = { 0 };
	struct data_error error;
	struct data *d;
	struct plan_job back;
	struct str why;

	plan_record_write(j, &out);
	struct source source = { .text = buf_text(&out), .base = 1 };
	bool ok = data_read_json(&a, &source, &d, &error) && plan_record_read(&a, d, &back, &why) &&
		str_is(back.surprise, "of plan_job") && str_is(back.roles[0].surprise, "of plan_role");
	buf_release(&out);
	arena_release(&a);
	return ok;
}

/* A local run, whose replicas, roles, failure and state have the member; objects and Events only are in -o json. */
static void print_states(void)
{
	struct run_state s = full_state(true);
	struct arena a = { 0 };
	struct buf out = { 0 };
	uint64_t before = run_state_digest(&s);

	state_replicas[0].surprise = STR("of run_replica");
	state_roles[0].surprise = STR("of run_role");
	state_objects[0].surprise = STR("of run_object");
	state_events[0].surprise = STR("of run_event");
	state_code[0].surprise = STR("of run_code");
	static struct run_cell run_cell = { .name = { "pair", 4 }, .max = 2, .desired = 2,
		.surprise = { "of run_cell", 11 } };
	s.cells = &run_cell;
	s.ncells = 1;
	s.failure.surprise = STR("of run_failure");
	s.surprise = STR("of run_state");
	struct run_state copy = run_state_copy(&a, &s);
	const struct run_state *runs[] = { &copy };
	buf_z(&out, "==== state\n");
	run_state_write(&copy, &out);
	buf_z(&out, "\n==== status\n");
	report_json(&(struct report){ .runs = runs, .n = 1, .form = REPORT_JSON_LINE }, &out);
	buf_z(&out, "\n==== outcome\n");
	outcome_write(&copy, 7, copy.end, &out);
	printf("%.*s\n", STR_ARG(buf_text(&out)));
	printf("==== digest differs: %s\n", run_state_digest(&s) != before ? "yes" : "no");
	printf("==== copied: %s\n", copy.surprise.p != s.surprise.p &&
		copy.roles[0].at[0].surprise.p != state_replicas[0].surprise.p ? "yes" : "no");
	out.n = 0;
	run_state_write(&copy, &out);
	struct run_state back;
	struct str why = STR("");
	bool ok = run_state_read(&a, buf_text(&out), &back, &why) && str_is(back.surprise, "of run_state") &&
		str_is(back.roles[0].surprise, "of run_role") && str_is(back.failure.surprise, "of run_failure") &&
		str_is(back.roles[0].at[0].surprise, "of run_replica");
	printf("==== state read back: %s\n", ok ? "yes" : "no");
	buf_release(&out);
	arena_release(&a);
}

/* The history of a run, in its record and in -o json. */
static void print_history(void)
{
	struct run_launch launch = { .state = STR("Failed"), .surprise = STR("of run_launch") };
	struct run_history run = { .name = STR("a") };
	struct run_histories all = { .at = &run, .n = 1 };
	struct arena a = { 0 };
	struct buf out = { 0 };

	launches_add(&a, &run.launches, &launch);
	run.launches = launches_read(&a, launches_text(&a, &run.launches), false);
	history_report(&all, &(struct report){ .form = REPORT_JSON }, true, &out);
	printf("==== history\n%.*s", STR_ARG(buf_text(&out)));
	buf_release(&out);
	arena_release(&a);
}

int main(void)
{
	struct plan p = full_plan();
	struct plan_role *r = &p.jobs->roles[0];

	struct plan_choice choice = { .key = STR("model"), .values = accelerator.tolerate, .nvalues = 1 };

	choice.surprise = STR("of plan_choice");
	accelerator.choices = &choice;
	accelerator.nchoices = 1;
	accelerator.surprise = STR("of plan_accelerator");
	amounts[0].surprise = STR("of plan_amounts");
	env[0].surprise = STR("of plan_env");
	files[0].surprise = STR("of plan_file");
	amounts[0].limits.surprise = STR("of plan_limits");
	mounts[0].surprise = STR("of plan_mount");
	job_objects[0].surprise = STR("of plan_object");
	ports[0].surprise = STR("of plan_port");
	probe.surprise = STR("of plan_probe");
	labels[0].surprise = STR("of plan_replica_label");
	resources[0].surprise = STR("of plan_resource");
	volumes[0].surprise = STR("of plan_volume");
	r->main.asks = amounts[0];
	r->main.surprise = STR("of plan_container");
	static struct plan_source sources[] = { { .name = { "settings", 8 }, .surprise = { "of plan_source", 14 } } };
	r->main.sources = sources;
	r->main.nsources = 1;
	static struct plan_security security = { .restricted = true, .surprise = { "of plan_security", 16 } };
	r->main.security = &security;
	static struct plan_layout layout = { .tp = 1, .surprise = { "of plan_layout", 14 } };
	r->layout = &layout;
	static struct plan_segment segment = { .size = 2, .surprise = { "of plan_segment", 15 } };
	r->place.segments = &segment;
	r->place.nsegments = 1;
	static struct plan_code code = { .id = { "0", 1 }, .surprise = { "of plan_code", 12 } };
	r->code = &code;
	static struct plan_cell cell = { .name = { "c", 1 }, .max = 2, .surprise = { "of plan_cell", 12 } };
	p.jobs->cells = &cell;
	p.jobs->ncells = 1;
	r->place.surprise = STR("of plan_place");
	r->replica.surprise = STR("of plan_replica");
	r->surprise = STR("of plan_role");
	p.jobs->surprise = STR("of plan_job");
	print_texts(&p);
	printf("==== read back: %s\n", is_read_back(p.jobs) ? "yes" : "no");
	print_states();
	print_history();
	return 0;
}
