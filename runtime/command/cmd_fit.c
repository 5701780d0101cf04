/* cmd_fit.c - checks whether the replicas of the programs' jobs fit on the nodes. */
#include <unistd.h>

#include "base/words.h"
#include "emit/listed.h"
#include "runtime/command/capacity_report.h"
#include "runtime/command/contexts.h"
#include "runtime/command/runs.h"
#include "runtime/command/saved.h"
#include "runtime/command/why_nodes.h"
#include "runtime/fit/fit.h"
#include "runtime/status/look.h"

struct fitting {
	struct session *session;
	struct programs programs;
	struct status_objects objects;
	struct str *namespaces;         /* namespace of each job, in the order of the jobs */
	size_t n;
};

static void note_namespaces(struct fitting *f)
{
	for (size_t i = 0; i < f->programs.n; i++)
		f->n += f->programs.at[i]->plan.njobs;
	f->namespaces = ARENA_ARRAY(f->session->arena, struct str, f->n);
	f->n = 0;
	for (size_t i = 0; i < f->programs.n; i++)
		for (size_t j = 0; j < f->programs.at[i]->plan.njobs; j++) {
			const struct plan_job *job = &f->programs.at[i]->plan.jobs[j];
			f->namespaces[f->n++] = job->ns.set ? job->ns.value : STR("");
		}
}

static void default_namespaces(struct fitting *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (!f->namespaces[i].n)
			f->namespaces[i] = STR("default");
}

static void put_fit_text(const struct fit_job *job, const struct fit_answer *x, struct buf *out)
{
	buf_printf(out, "%-5s  %.*s%s%.*s\n", fit_word(x->when), STR_ARG(job->name), x->why.n ? ": " : "",
		STR_ARG(x->why));
}

/* CONTEXT: each answer is a line, for a process that prints those of all contexts. */
static void put_fit_json(const struct fit_job *job, const struct fit_answer *x, bool first, struct str context,
	struct buf *out)
{
	buf_z(out, first || context.n ? "{" : ",{");
	if (context.n) {
		buf_z(out, "\"context\":");
		buf_json(out, context);
		buf_char(out, ',');
	}
	buf_z(out, "\"name\":");
	buf_json(out, job->name);
	buf_z(out, ",\"namespace\":");
	buf_json(out, job->ns);
	buf_printf(out, ",\"fits\":\"%s\",\"reason\":", fit_word(x->when));
	buf_json(out, x->why);
	buf_z(out, context.n ? "}\n" : "}");
}

static bool has_kind(const struct status_objects *objects, const char *kind)
{
	for (size_t i = 0; i < objects->n; i++)
		if (str_is(status_text(objects->at[i], "kind"), kind))
			return true;
	return false;
}

/*
 * Warns about a file without pods. Every cluster runs its own pods as well, so a job that fits according to the file
 * may not fit in the cluster.
 */
static void say_no_pods(struct session *s, const struct status_objects *objects)
{
	if (option_given(s->options, OPTION_NODES) && !has_kind(objects, "Pod"))
		session_say(s, "'%.*s' has no pods, so its nodes are counted as empty; save both with 'kubectl get "
			"nodes,pods -A -o json'", STR_ARG(option_value(s->options, OPTION_NODES)));
}

/* ---- elastic copies of cells: what admits each copy, or the least number of them, starts those that fit ---- */

struct fit_trial {
	struct arena *arena;
	struct fit_cluster *cluster;
	const struct plan_job *plan;
	struct emit_listing listing;
	struct fit_job *job;
	int64_t *copies;                /* how many copies of each cell are tried */
};

/* Is the object of a copy that is tried, or of none? */
static bool is_tried(const struct fit_trial *t, const struct data *object)
{
	struct str cell = status_label(object, "trainc.dev/cell");
	int64_t copy = 0;

	for (size_t i = 0; cell.n && str_number(status_label(object, "trainc.dev/copy"), 9, &copy) &&
	     i < t->plan->ncells; i++)
		if (str_eq(plan_label(t->arena, t->plan->cells[i].name), cell))
			return copy < t->copies[i];
	return true;
}

static struct fit_answer judge_tried(struct fit_trial *t)
{
	t->job->shapes = NULL;
	t->job->n = 0;
	t->job->queue = t->job->unknown = STR("");
	for (size_t k = 0; k < t->listing.n; k++)
		if (is_tried(t, t->listing.at[k].tree))
			fit_add_object(t->arena, &t->cluster->resources, t->listing.at[k].tree, t->job);
	return fit_judge(t->cluster, t->job);
}

/* Adds copies of cell I as long as the job fits. */
static void try_copies(struct fit_trial *t, size_t i)
{
	int64_t lo = t->plan->cells[i].min, hi = t->plan->cells[i].max;

	while (lo < hi) {
		t->copies[i] = lo + (hi - lo + 1) / 2;
		if (judge_tried(t).when == FIT_NOW)
			lo = t->copies[i];
		else
			hi = t->copies[i] - 1;
	}
	t->copies[i] = lo;
}

/* Sets the number of copies of each cell: the least one, or the largest. */
static void set_copies(struct fit_trial *t, bool least)
{
	for (size_t i = 0; i < t->plan->ncells; i++)
		t->copies[i] = least ? t->plan->cells[i].min : t->plan->cells[i].max;
}

static struct fit_answer judge_copies(struct fit_trial *t)
{
	struct buf why = { 0 };

	t->copies = ARENA_ARRAY(t->arena, int64_t, t->plan->ncells);
	set_copies(t, false);
	struct fit_answer all = judge_tried(t);
	set_copies(t, true);
	if (!t->plan->ncells || str_is(t->plan->gang.value, "none") || all.when == FIT_NOW ||
	    judge_tried(t).when != FIT_NOW)
		return all;
	for (size_t i = 0; i < t->plan->ncells; i++)
		try_copies(t, i);
	struct fit_answer x = judge_tried(t);
	for (size_t i = 0; i < t->plan->ncells; i++) {
		const struct plan_cell *c = &t->plan->cells[i];
		if (t->copies[i] < c->max)
			buf_printf(&why, "%s%.*s with %lld of %lld:%lld copies", why.n ? "; " : "", STR_ARG(c->name),
				(long long)t->copies[i], (long long)c->min, (long long)c->max);
	}
	if (x.why.n)
		buf_printf(&why, "; %.*s", STR_ARG(x.why));
	x.why = buf_take(&why, t->arena);
	buf_release(&why);
	return x;
}

/* Each job is tried on its own: the other jobs of the program are assumed not to run. */
static int judge_fits(struct fitting *f)
{
	struct session *s = f->session;
	struct fit_cluster c = fit_cluster_of(s->arena, &f->objects);
	bool json = str_is(option_value(s->options, OPTION_OUTPUT), "json"), all = true, some = false;
	struct buf out = { 0 };
	size_t n = 0;

	c.hints = hints_of(s);
	buf_z(&out, json && !s->context.n ? "{\"schemaVersion\":1,\"jobs\":[" : "");
	for (size_t i = 0; i < f->programs.n; i++)
		for (size_t j = 0; j < f->programs.at[i]->plan.njobs; j++, n++) {
			struct arena a = { 0 };
			const struct plan *plan = &f->programs.at[i]->plan;
			struct fit_job job = { .name = plan->jobs[j].name, .ns = f->namespaces[n] };
			struct fit_trial t = { .arena = &a, .cluster = &c, .plan = &plan->jobs[j], .job = &job,
				.listing = emit_list(&a, plan, &plan->jobs[j]) };
			struct fit_answer x = judge_copies(&t);
			if (json)
				put_fit_json(&job, &x, !n, s->context, &out);
			else
				put_fit_text(&job, &x, &out);
			all = all && x.when == FIT_NOW;
			some = some || x.when == FIT_NOW;
			arena_release(&a);
		}
	buf_z(&out, json && !s->context.n ? "]}\n" : "");
	(json ? session_write : session_print)(s, buf_text(&out));
	buf_release(&out);
	if (some)
		say_no_pods(s, &f->objects);
	return all ? STATUS_DONE : STATUS_FAILED;
}

/* Does the file contain nodes? Without nodes no job fits, so the user probably meant another file. */
static bool has_nodes(struct session *s, struct str path, const struct status_objects *objects)
{
	if (has_kind(objects, "Node"))
		return true;
	session_say(s, "no nodes in '%.*s'; save them with 'kubectl get nodes,pods -A -o json'", STR_ARG(path));
	return false;
}

/* Judges with the nodes of a file instead of the cluster's nodes. */
static int fit_offline(struct session *s)
{
	struct fitting f = { .session = s };
	struct sources sources = { .arena = s->arena };
	struct str path = option_value(s->options, OPTION_NODES);
	int status = STATUS_PROGRAM;

	if (saved_read(s, path, &sources, &f.objects) && has_nodes(s, path, &f.objects) &&
		session_plan(s, false, &f.programs, &status)) {
		note_namespaces(&f);
		default_namespaces(&f);
		status = judge_fits(&f);
	}
	session_release(&f.programs);
	return status;
}

/* ---- fit --all ---- */

static void show_capacity(struct session *s, struct capacity *c, struct str ns, int64_t now)
{
	bool json = str_is(option_value(s->options, OPTION_OUTPUT), "json");
	struct buf out = { 0 };

	buf_z(&out, json && !s->context.n ? "{\"schemaVersion\":1,\"clusters\":[" : "");
	if (json)
		capacity_json(c, ns, s->context, &out);
	else
		capacity_tables(c, ns, now, s->context.n ? 0 : session_width(STDOUT_FILENO), &out);
	buf_z(&out, !json ? "" : s->context.n ? "\n" : "]}\n");
	for (size_t i = 0; i < c->nunseen; i++)
		session_say(s, "%.*s", STR_ARG(c->unseen[i]));
	(json ? session_write : session_print)(s, buf_text(&out));
	if (!out.n)
		session_say(s, "nothing is known about the cluster");
	buf_release(&out);
}

/* Counts the objects of a file instead of the cluster's. */
static int survey_offline(struct session *s, struct capacity *c)
{
	static const char *const kinds[] = { [CAPACITY_NODES] = "Node", [CAPACITY_PODS] = "Pod",
		[CAPACITY_QUOTAS] = "ResourceQuota", [CAPACITY_LOCAL_QUEUES] = "LocalQueue",
		[CAPACITY_QUEUES] = "ClusterQueue", [CAPACITY_WORKLOADS] = "Workload" };
	struct str path = option_value(s->options, OPTION_NODES), ns = option_value(s->options, OPTION_NAMESPACE);
	struct sources sources = { .arena = s->arena };
	struct status_objects objects = { 0 };

	if (!saved_read(s, path, &sources, &objects) || !has_nodes(s, path, &objects))
		return STATUS_PROGRAM;
	for (size_t i = 0; i < objects.n; i++)
		for (enum capacity_kind k = 0; k < CAPACITY_KINDS; k++)
			if (str_is(status_text(objects.at[i], "kind"), kinds[k])) {
				capacity_add(c, k, objects.at[i]);
				c->read[k] = true;
			}
	capacity_finish(c);
	say_no_pods(s, &objects);
	show_capacity(s, c, ns.n ? ns : STR("default"), clock_real());
	return STATUS_DONE;
}

static int fit_all(struct session *s)
{
	struct capacity c = capacity_new(s->arena, hints_of(s));
	int status = STATUS_USAGE;
	bool known;
	struct str ns;

	if (s->options->noperands) {
		session_say(s, "--all is about the whole cluster; leave '%.*s' out, or leave out --all",
			STR_ARG(s->options->operands[0]));
		return status;
	}
	if (option_given(s->options, OPTION_NODES))
		return survey_offline(s, &c);
	if (contexts_run(s, fit_all, &status))
		return status;
	const struct backend *b = backend_of(s);
	if (!b || !b->begin(s, &status))
		return status;
	if (b->survey(s, &c, &ns, &status)) {
		bool any = false;
		for (size_t k = 0; k < CAPACITY_KINDS; k++)
			any = any || c.read[k];
		show_capacity(s, &c, ns, b->now ? b->now(s, &known) : clock_real());
		status = any ? STATUS_DONE : STATUS_DENIED;
	}
	b->end(s);
	return status;
}

int cmd_fit(struct session *s)
{
	struct fitting f = { .session = s };
	int status = STATUS_USAGE;

	if (option_given(s->options, OPTION_ALL))
		return fit_all(s);
	if (!s->options->noperands) {
		session_say(s, "'fit' needs a program, or --all to show what the cluster has");
		return status;
	}
	if (option_given(s->options, OPTION_NODES))
		return fit_offline(s);
	if (contexts_run(s, cmd_fit, &status))
		return status;
	const struct backend *b = backend_of(s);
	if (!b || !b->begin(s, &status))
		return status;
	if (session_plan(s, false, &f.programs, &status)) {
		note_namespaces(&f);
		if (b->nodes(s, f.namespaces, f.n, &f.objects, &status))
			status = judge_fits(&f);
	}
	session_release(&f.programs);
	b->end(s);
	return status;
}
