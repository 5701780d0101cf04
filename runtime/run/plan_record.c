/*
 * plan_record.c - writes a plan's names, sizes and rules as JSON, and reads them: the members that are IN_RECORD in
 * plan/plan.def. A member with its zero value is left out. Readers ignore members that they do not know, so that a
 * later version may add members. `schemaVersion` changes when the meaning of an old member changes.
 */
#include "runtime/run/plan_record.h"

#include "data/data_write.h"
#include "plan/plan_shape.h"

enum { RECORD_VERSION = 1, RECORD_REPLICAS = 1000000 };

void plan_record_write(const struct plan_job *j, struct buf *out)
{
	struct plan_shape around = { .job = j };
	struct shape_out o = { .json = { .out = out, .text = data_write_text }, .context = &around, .use = IN_RECORD };

	json_open(&o.json, '{');
	json_add_int(&o.json, "schemaVersion", RECORD_VERSION);
	shape_write(&o, &shape_plan_job, j);
	json_close(&o.json, '}');
}

static bool refuse_record(struct shape_reader *in, const char *member)
{
	return shape_bad(in, member, "of the run's record is missing or malformed");
}

/* Checks the roles of a job that was read from D, and reads what in them refers to other roles. */
static bool read_roles(struct shape_reader *in, const struct data *d, struct plan_job *j)
{
	const struct data *list = data_get(d, STR("roles"));

	if (!list || list->kind != DATA_LIST || list->u.list.n != j->nroles)
		return refuse_record(in, "roles");
	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i];
		if (!r->name.n || !r->object.n || r->min < 0 || r->max < r->min || r->max > RECORD_REPLICAS)
			return refuse_record(in, "roles");
	}
	for (size_t i = 0; i < j->nroles; i++)
		if (!shape_read(in, &shape_plan_role, list->u.list.at[i], LAST, &j->roles[i]))
			return false;
	return true;
}

bool plan_record_read(struct arena *a, const struct data *d, struct plan_job *ret, struct str *why)
{
	struct plan_job job = { 0 };
	struct plan_shape around = { .job = &job };
	struct shape_reader in = { .arena = a, .context = &around, .use = IN_RECORD };
	const struct data *v = d->kind == DATA_MAP ? data_get(d, STR("schemaVersion")) : NULL;
	int64_t version = v && v->kind == DATA_INT ? v->u.integer : 0;

	if (version != RECORD_VERSION) {
		*why = version > RECORD_VERSION ? STR("a later version of trainc wrote the run's record; use that "
			"version") : STR("the run's record was not written by trainc");
		return false;
	}
	if (!shape_read(&in, &shape_plan_job, d, 0, &job) || (!job.name.n && !refuse_record(&in, "name")) ||
	    !read_roles(&in, d, &job) || !shape_read(&in, &shape_plan_job, d, LAST, &job)) {
		*why = in.why;
		return false;
	}
	*ret = job;
	return true;
}
