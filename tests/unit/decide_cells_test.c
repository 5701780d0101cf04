/*
 * decide_cells_test.c - the copies of a cell whose roles are Jobs: for every state of three copies of two roles, every
 * least number and every number that the run was scaled to, the verdict of `status` and the Jobs that must end are what
 * one sentence of the language says.
 */
#include "unit.h"

#include "data/data_read.h"
#include "runtime/decide/jobs.h"
#include "runtime/run/cells.h"

enum { COPIES = 3, INNER = 2, ROLES = COPIES * INNER, STATES = 3 * 3 * 3 * 3 * 3 * 3 };
enum job_state { RUNS, COMPLETE, FAILED };

#define CONDITIONS(type) "\"conditions\":[{\"type\":\"" type "\",\"status\":\"True\"}]"
static const char *const bodies[] = {
	[RUNS] = "\"spec\":{\"completions\":1,\"parallelism\":1},\"status\":{\"active\":1,\"startTime\":"
		"\"2026-01-01T00:00:00Z\"}",
	[COMPLETE] = "\"spec\":{\"completions\":1},\"status\":{\"succeeded\":1,\"completedIndexes\":\"0\","
		CONDITIONS("Complete") "}",
	[FAILED] = "\"spec\":{\"completions\":1},\"status\":{\"failed\":1," CONDITIONS("Failed") "}",
};

static struct plan_role roles[ROLES];
static struct plan_cell cell = { .name = { "x", 1 }, .max = COPIES };
static struct plan_condition parts[32];
static struct plan_job job = { .name = { "a", 1 }, .roles = roles, .nroles = ROLES, .cells = &cell, .ncells = 1 };

static const struct plan_condition *part(size_t *n, enum condition_kind kind, unsigned role,
	const struct plan_condition *left, const struct plan_condition *right)
{
	parts[*n] = (struct plan_condition){ .kind = kind, .role = role, .index = CONDITION_ALL, .left = left,
		.right = right };
	return &parts[(*n)++];
}

/* The job has succeeded when done(x) holds, with LEAST copies. */
static void begin(struct arena *a, int64_t least)
{
	const struct plan_condition *done[COPIES], *over = NULL;
	size_t n = 0;

	cell.min = least;
	for (unsigned k = 0; k < ROLES; k++) {
		struct str name = str_printf(a, "x-%s-%u", k % INNER ? "b" : "a", k / INNER);
		roles[k] = (struct plan_role){ .name = name, .label = name,
			.object = str_cat(a, STR("a-"), name, STR("")), .main.name = STR("main"),
			.min = 1, .max = 1, .cell = cell.name, .copy = k / INNER };
	}
	for (unsigned c = 0; c < COPIES; c++) {
		done[c] = part(&n, CONDITION_AND, 0, part(&n, CONDITION_DONE, c * INNER, NULL, NULL),
			part(&n, CONDITION_DONE, c * INNER + 1, NULL, NULL));
		const struct plan_condition *gone = part(&n, CONDITION_GONE, c * INNER, NULL, NULL),
			*ended = part(&n, CONDITION_OR, 0, done[c], gone);
		over = over ? part(&n, CONDITION_AND, 0, over, ended) : ended;
	}
	const struct plan_condition *list = part(&n, CONDITION_LIST, 0, done[0], done[1]);
	struct plan_condition *enough = &parts[n++];
	*enough = (struct plan_condition){ .kind = CONDITION_LEAST, .index = least, .left = list, .right = done[2] };
	job.success = part(&n, CONDITION_AND, 0, enough, over);
}

static struct data *objects_of(struct arena *a, const enum job_state at[ROLES], int64_t wanted)
{
	struct buf b = { 0 };
	struct data_error error;
	struct data *d = NULL;

	buf_z(&b, "{\"kind\":\"List\",\"items\":[{\"kind\":\"ConfigMap\"}");
	for (unsigned k = 0; k < ROLES; k++)
		buf_printf(&b, ",{\"kind\":\"Job\",\"apiVersion\":\"batch/v1\",\"metadata\":{\"name\":"
			"\"%.*s\",\"uid\":\"u%u\","
			"%s\"labels\":{\"trainc.dev/job\":\"a\",\"trainc.dev/role\":\"%.*s\"}},%s}",
			STR_ARG(roles[k].object), k, k / INNER < wanted ? "" :
			"\"annotations\":{\"trainc.dev/scaled-away\":\"true\"},",
			STR_ARG(roles[k].label), bodies[at[k]]);
	buf_z(&b, "]}");
	struct source source = { .text = buf_take(&b, a), .base = 1 };
	buf_release(&b);
	return data_read_json(a, &source, &d, &error) ? d : NULL;
}

/* Do the objects lead to what the language says, when the run has been scaled to WANTED copies? */
static bool agrees(struct arena *a, const enum job_state at[ROLES], int64_t wanted)
{
	struct status_objects objects = { 0 };
	int64_t done = 0, lost = 0;
	bool ok = true;

	for (unsigned c = 0; c < wanted; c++) {
		bool failed = at[c * INNER] == FAILED || at[c * INNER + 1] == FAILED;
		lost += failed;
		done += at[c * INNER] == COMPLETE && at[c * INNER + 1] == COMPLETE;
	}
	bool wins = done >= cell.min && done + lost == wanted, loses = !wins && lost > wanted - cell.min;
	status_add(a, &objects, objects_of(a, at, wanted));
	struct run_state s = status_of(a, &job, &objects, INT64_C(1767225600000000000));
	bool won = s.phase == RUN_SUCCEEDED || s.phase == RUN_COMPLETING;
	ok = ok && won == wins && (s.phase == RUN_FAILED || s.phase == RUN_FAILING) == loses;
	struct cell_sum sum = run_cell_sum(&s, cell.name);
	ok = ok && sum.copies == wanted && (wins || loses || sum.lost == lost);
	struct jobs_decision d = decide_jobs(a, &job, &s, &objects);
	for (unsigned k = 0; k < ROLES; k++) {
		bool failed = at[k / INNER * INNER] == FAILED || at[k / INNER * INNER + 1] == FAILED, ends = false;
		for (size_t i = 0; i < d.n; i++)
			ends = ends || (d.at[i].what == JOBS_END && str_eq(d.at[i].role, roles[k].name));
		bool must = at[k] == RUNS && ((failed && k / INNER < wanted) || wins || loses);
		ok = ok && ends == must;
	}
	return ok;
}

int main(void)
{
	struct arena names = { 0 }, a = { 0 };
	unsigned wrong = 0;

	for (int64_t least = 1; least <= COPIES; least++) {
		begin(&names, least);
		for (int64_t wanted = least; wanted <= COPIES; wanted++)
			for (unsigned state = 0; state < STATES; state++) {
				enum job_state at[ROLES];
				for (unsigned k = 0, rest = state; k < ROLES; k++, rest /= 3)
					at[k] = (enum job_state)(rest % 3);
				bool ok = agrees(&a, at, wanted);
				if (!ok && wrong++ < 5)
					printf("least %lld, wanted %lld, Jobs %d %d  %d %d  %d %d\n", (long long)least,
						(long long)wanted, at[0], at[1], at[2], at[3], at[4], at[5]);
				arena_release(&a);
			}
	}
	CHECK(wrong == 0);
	arena_release(&names);
	return unit_end();
}
