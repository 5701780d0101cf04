/*
 * workload_test.c - checks the table of kinds that run pods, row by row: for a new kind it reports what else the kind
 * needs.
 */
#include "unit.h"

#include "data/data_read.h"
#include "emit/emit.h"
#include "emit/listed.h"
#include "kube/kube_version.h"
#include "kube/schema.h"
#include "kube/workload.h"
#include "runtime/run/plan_record.h"

static void rows(void)
{
	for (size_t i = 0; workload_at(i); i++) {
		const struct workload *w = workload_at(i);
		CHECK(w->kind && w->api_version && w->argument);        /* these are NULL for an id without a row */
		if (!w->kind)
			continue;
		printf("# %s\n", w->kind);
		CHECK(i < WORKLOADS ? w->id == i && workload_row(w->id) == w : w->id == WORKLOAD_FOREIGN);
		CHECK(schema_find_kind(&schema_builtin, str_of(w->api_version), str_of(w->kind)) != NULL);
		/* LeaderWorkerSets and Jobs of Volcano refuse `raw job`: they are made of several roles */
		CHECK(!w->spec == ((w->traits & WORKLOAD_BARE) || w->id == WORKLOAD_GROUP || w->id == WORKLOAD_TASK));
		CHECK(!w->spec || schema_find_type(&schema_builtin, str_of(w->spec)) != NULL);
		CHECK(!w->index == !w->field);
		/* without an index, each pod of the object would have index 0 */
		CHECK((w->traits & (WORKLOAD_NUMBERED | WORKLOAD_BARE)) != WORKLOAD_NUMBERED || w->index);
		/* pods that can end need a policy for restart = "always" */
		CHECK(!(w->traits & WORKLOAD_ENDS) || w->always || w->id == WORKLOAD_FOREIGN);
	}
}

/*
 * A job succeeds when its pods do. If a target's pods never ended, everything that waits for the end of a role would
 * need rules of its own.
 */
static void targets(void)
{
	for (size_t i = 0; emit_target_name(i); i++) {
		struct str name = str_of(emit_target_name(i));
		printf("# target %s\n", name.p);
		CHECK(workload_row(emit_target_workload(name))->traits & WORKLOAD_ENDS);
	}
}

/*
 * `status` and `decide` read back the kind of workload that was recorded, for each kind. An older record only says
 * whether each replica is an object.
 */
static void records(void)
{
	struct arena a = { 0 };

	for (unsigned id = 0; id < WORKLOADS; id++) {
		struct plan_job j = { .name = STR("j"), .workload = (enum workload_id)id }, back = { 0 };
		struct str why = STR("");
		struct data_error error;
		struct data *d = NULL;
		struct buf b = { 0 };
		plan_record_write(&j, &b);
		struct source source = { .text = buf_text(&b), .base = 1 };
		CHECK(data_read_json(&a, &source, &d, &error) && plan_record_read(&a, d, &back, &why));
		CHECK(str_is(str_of(workload_row(back.workload)->kind), workload_row((enum workload_id)id)->kind));
		buf_release(&b);
	}
	struct source old = { .text = STR("{\"schemaVersion\":1,\"name\":\"j\",\"each_replica\":true,\"roles\":[]}"),
		.base = 1 };
	struct plan_job back = { 0 };
	struct str why = STR("");
	struct data_error error;
	struct data *d = NULL;
	CHECK(data_read_json(&a, &old, &d, &error) && plan_record_read(&a, d, &back, &why));
	CHECK(back.workload == WORKLOAD_POD);
	arena_release(&a);
}

/* Objects that belong to no replica are created separately: a user's own Deployment does not belong to a role. */
static void own_deployment(void)
{
	struct source source = { .text = STR("{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\"}"), .base = 1 };
	struct arena a = { 0 };
	struct data_error error;
	struct data *d = NULL;

	CHECK(data_read_json(&a, &source, &d, &error));
	struct plan_object web = { .name = STR("web"), .data = d };
	struct plan_job j = { .name = STR("j"), .hosts = HOSTS_NAME, .objects = &web, .nobjects = 1 };
	struct plan plan = { .jobs = &j, .njobs = 1, .kubernetes = KUBE_DEFAULT };
	CHECK(emit_list_shared(&a, &plan, &j).n == 1);
	arena_release(&a);
}

int main(void)
{
	own_deployment();
	rows();
	targets();
	records();
	return unit_end();
}
