/*
 * report.c - the tables; sentences are in report_words.c, JSON in report_json.c, drawings in timeline.c.
 */
#include "runtime/run/report.h"

#include <signal.h>

#include "base/system.h"
#include "base/words.h"
#include "runtime/run/cells.h"
#include "runtime/run/table.h"
#include "runtime/run/timeline.h"

static struct str run_age(struct report_table *t, const struct run_state *s, int64_t now)
{
	return s->begin ? table_age(t, now - s->begin) : STR("");
}

static void put_role_row(struct report_table *t, const struct run_state *s, const struct run_role *r)
{
	int64_t stopped = report_stopped(s, r);
	struct str *row = t->rows[t->n - 1];
	struct run_count c = run_count(r);
	int64_t counts[] = { r->desired, c.active, c.ready, c.succeeded, c.failed, c.restarts };

	row[2] = r->name;
	for (size_t i = 0; i < 6; i++)
		row[3 + i] = table_number(t, counts[i]);
	row[9] = report_role_cause(&t->arena, s, r);
	if (stopped && !row[9].n)
		row[9] = str_printf(&t->arena, "%lld stopped", (long long)stopped);
}

/* ---- cells ---- */

/*
 * Returns the cause of the first copy that has one, of the cell whose first role is FIRST. Adds the counts of all roles
 * of the cell to COUNTS.
 */
static struct str cell_cause(struct report_table *t, const struct run_state *s, size_t first, int64_t counts[6])
{
	struct str found = STR("");

	for (size_t k = first; k < s->nroles; k++) {
		const struct run_role *r = &s->roles[k];
		if (!r->max || !str_eq(r->cell, s->roles[first].cell))
			continue;
		struct run_count c = run_count(r);
		int64_t mine[] = { r->desired, c.active, c.ready, c.succeeded, c.failed, c.restarts };
		for (size_t i = 0; i < 6; i++)
			counts[i] += mine[i];
		struct str cause = found.n || !run_role_wanted(s, r) ? STR("") : report_role_cause(&t->arena, s, r);
		if (cause.n)
			found = str_printf(&t->arena, "%.*s %lld: %.*s", STR_ARG(r->cell), (long long)r->copy,
				STR_ARG(cause));
	}
	return found;
}

/* Writes the line of a cell; RUN is the cause of the run, to be told in this line if it is not empty. */
static void put_cell_row(struct report_table *t, const struct run_state *s, size_t first, struct str run)
{
	int64_t counts[6] = { 0 };
	struct cell_sum sum = run_cell_sum(s, s->roles[first].cell);
	struct str *row = t->rows[t->n - 1], cause = cell_cause(t, s, first, counts);
	bool done = sum.done && sum.done + sum.lost == sum.copies && counts[3];
	struct str lost = sum.lost ? str_printf(&t->arena, ", %lld lost", (long long)sum.lost) : STR("");

	cause = cause.n ? cause : run;
	row[2] = s->roles[first].cell;
	for (size_t i = 0; i < 6; i++)
		row[3 + i] = table_number(t, counts[i]);
	row[9] = str_printf(&t->arena, "%lld/%lld copies %s%.*s%s%.*s", (long long)(done ? sum.done : sum.ready),
		(long long)sum.copies, done ? "done" : "ready", STR_ARG(lost), cause.n ? "; " : "", STR_ARG(cause));
}

/* Is role K of a cell whose line is that of an earlier role? */
static bool is_in_cell_row(const struct run_state *s, size_t k)
{
	for (size_t i = 0; s->roles[k].cell.n && i < k; i++)
		if (s->roles[i].max && str_eq(s->roles[i].cell, s->roles[k].cell))
			return true;
	return false;
}

/*
 * The name of a run. The namespace is added if the runs of all namespaces are listed, or if the runs are in several
 * namespaces.
 */
static struct str shown_name(const struct report *r, struct arena *a, const struct run_state *s)
{
	if (r->everywhere && s->ns.n)
		return str_cat(a, s->ns, STR("/"), s->name);
	for (size_t i = 1; i < r->n; i++)
		if (!str_eq(r->runs[i]->ns, r->runs[0]->ns))
			return str_cat(a, s->ns, STR("/"), s->name);
	return s->name;
}

/*
 * Is role K shown although it has no replicas? If no role has replicas, one role is shown, so that the run has a line.
 */
static bool is_last_unused(const struct run_state *s, size_t k, bool first)
{
	return first && k + 1 == s->nroles;
}

/* Does the cause of the run begin with the name of the role, as in "worker-1 restarted" and "worker 1: exit code 3"? */
static bool is_of_role(struct str cause, const struct run_role *r)
{
	return r->name.n && str_starts(cause, r->name) && cause.n > r->name.n && memchr("- /", cause.p[r->name.n], 3);
}

/* The role in whose line the cause of the run is shown: the one that it begins with, or the first. */
static size_t role_of_cause(const struct run_state *s)
{
	for (size_t k = 0; k < s->nroles; k++)
		if (s->roles[k].max && !s->roles[k].cell.n && is_of_role(s->cause, &s->roles[k]))
			return k;
	return SIZE_MAX;
}

static void roles_table(const struct report *r, struct buf *out)
{
	static const char *const words[] = { "RUN", "STATE", "ROLE", "DESIRED", "ACTIVE", "READY", "SUCCEEDED",
		"FAILED", "RESTARTS", "CAUSE" };
	struct report_table t = { 0 };

	table_head(&t, words, 10, 0x1F8);
	t.spare = 1u << 4 | 1u << 6 | 1u << 7 | 1u << 8;        /* ACTIVE, SUCCEEDED, FAILED, RESTARTS */
	for (size_t i = 0; i < r->n; i++) {
		const struct run_state *s = r->runs[i];
		size_t of_cause = role_of_cause(s);
		bool first = true;
		for (size_t k = 0; k < (s->nroles ? s->nroles : 1); k++) {
			/* the framework has the role, but the job does not use it */
			if (k < s->nroles && !s->roles[k].max && !is_last_unused(s, k, first))
				continue;
			if (k < s->nroles && is_in_cell_row(s, k))
				continue;
			struct str *row = table_row(&t);
			if (first) {
				row[0] = shown_name(r, &t.arena, s);
				row[1] = str_of(run_phase_word(s->phase));
			}
			if (k < s->nroles && s->roles[k].cell.n)
				put_cell_row(&t, s, k, first && of_cause == SIZE_MAX ? s->cause : STR(""));
			else if (k < s->nroles)
				put_role_row(&t, s, &s->roles[k]);
			/* a line that has a cause of its own keeps it */
			bool here = of_cause == SIZE_MAX ? first : k == of_cause;
			if (here && s->cause.n && !t.rows[t.n - 1][9].n)
				t.rows[t.n - 1][9] = s->cause;
			first = false;
		}
	}
	t.cells = r->context.n > 0;
	table_put(&t, r->width, out);
}

static void runs_table(const struct report *r, struct buf *out)
{
	static const char *const words[] = { "RUN", "STATE", "READY", "AGE", "FILE", "CAUSE" };
	struct report_table t = { 0 };

	table_head(&t, words, 6, 0);
	for (size_t i = 0; i < r->n; i++) {
		const struct run_state *s = r->runs[i];
		int64_t ready = 0, desired = 0;
		for (size_t k = 0; k < s->nroles; k++) {
			ready += run_count(&s->roles[k]).ready;
			desired += s->roles[k].desired;
		}
		struct str *row = table_row(&t);
		row[0] = shown_name(r, &t.arena, s);
		row[1] = str_of(run_phase_word(s->phase));
		row[2] = run_phase_final(s->phase) ? STR("-") :
			str_printf(&t.arena, "%lld/%lld", (long long)ready, (long long)desired);
		row[3] = run_age(&t, s, r->now);
		row[4] = s->file;
		row[5] = s->cause;
	}
	t.cells = r->context.n > 0;
	table_put(&t, r->width, out);
}

static struct str replica_exit(struct report_table *t, const struct run_replica *r)
{
	const char *name = r->signal ? system_signal_name(r->signal) : NULL;

	if (name)
		return str_printf(&t->arena, "SIG%s", name);
	return r->exit_code >= 0 ? table_number(t, r->exit_code) : STR("");
}

/* Adds the location of a replica in a cluster, and with CODE its code.  Returns the next column. */
static struct str *put_pod_place(struct report_table *t, struct str *row, const struct run_replica *p, bool code)
{
	row[0] = p->pod;
	row[1] = p->ip;
	row[2] = p->node;
	if (code)
		row[3] = str_cat(&t->arena, p->code, p->pod.n && p->other_code ? STR("*") : STR(""), STR(""));
	return row + 3 + code;
}

/*
 * Adds facts about a replica of this machine: the processor time and memory of its processes, and its address. Returns
 * the next column.
 */
static struct str *put_local(struct report_table *t, struct str *row, const struct run_replica *p)
{
	struct buf b = { 0 };

	if (p->usage.known) {
		put_duration(&b, p->usage.cpu);
		row[0] = buf_take(&b, &t->arena);
		put_memory(&b, p->usage.memory);
		row[1] = buf_take(&b, &t->arena);
	}
	row[2] = p->host;
	row[3] = p->ports;
	for (struct str rest = p->published, port, host; report_published(&rest, &port, &host);)
		row[3] = str_printf(&t->arena, "%.*s%s127.0.0.1:%.*s->%.*s", STR_ARG(row[3]), row[3].n ? "," : "",
			STR_ARG(host), STR_ARG(port));
	buf_release(&b);
	return row + 4;
}

/* Does one of the runs have code that trainc took? */
static bool has_code(const struct report *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->runs[i]->ncode)
			return true;
	return false;
}

static void replicas_table(const struct report *r, struct buf *out)
{
	static const char *const words[] = { "RUN", "REPLICA", "STATE", "PID", "ATTEMPTS", "EXIT", "SINCE", "CPU",
		"MEMORY", "HOST", "PORTS",
		"CAUSE" };
	static const char *const of_cluster[] = { "RUN", "REPLICA", "STATE", "ATTEMPTS", "EXIT", "SINCE", "POD", "IP",
		"NODE", "CAUSE" };
	static const char *const with_code[] = { "RUN", "REPLICA", "STATE", "ATTEMPTS", "EXIT", "SINCE", "POD", "IP",
		"NODE", "CODE", "CAUSE" };
	struct report_table t = { 0 };
	bool local = r->n && r->runs[0]->isolate.n;     /* in a cluster, replicas use the ports of the program */

	bool code = !local && (r->context.n || has_code(r));     /* all contexts have the same columns */
	table_head(&t, local ? words : code ? with_code : of_cluster, local ? 12 : 10 + code, local ? 0x1B8 : 0x18);
	for (size_t i = 0; i < r->n; i++)
		for (size_t k = 0; k < r->runs[i]->nroles; k++)
			for (int64_t n = 0; n < r->runs[i]->roles[k].max; n++) {
				const struct run_role *role = &r->runs[i]->roles[k];
				const struct run_replica *p = &role->at[n];
				bool runs = replica_runs(p->state);
				if (n >= role->desired && p->state == REPLICA_WAITING)
					continue;       /* scaled down: the replica is not part of the run */
				int64_t since = runs ? p->begin : p->end;
				struct str *row = table_row(&t);

				row[0] = shown_name(r, &t.arena, r->runs[i]);
				row[1] = str_printf(&t.arena, "%.*s-%lld", STR_ARG(role->name), (long long)n);
				row[2] = str_of(report_replica_word(r->runs[i], p));
				row += 3;
				if (local)
					*row++ = p->process.pid ? table_number(&t, p->process.pid) : STR("");
				row[0] = table_number(&t, p->attempts);
				row[1] = replica_exit(&t, p);
				row[2] = since ? table_age(&t, r->now - since) : STR("");
				row += 3;
				row = local ? put_local(&t, row, p) : put_pod_place(&t, row, p, code);
				*row = p->cause;
			}
	t.cells = r->context.n > 0;
	table_put(&t, r->width, out);
}

void report_runs(const struct report *r, struct buf *out)
{
	struct arena names = { 0 };

	switch (r->form) {
	case REPORT_TABLE: roles_table(r, out); break;
	case REPORT_LIST: runs_table(r, out); break;
	case REPORT_WIDE: replicas_table(r, out); break;
	case REPORT_NAME:
		for (size_t i = 0; i < r->n; i++)
			buf_printf(out, "run/%.*s\n", STR_ARG(name_escaped(&names, r->runs[i]->name)));
		arena_release(&names);
		break;
	case REPORT_JSON:
	case REPORT_JSON_LINE: report_json(r, out); break;
	case REPORT_SVG: timeline_svg(r->runs, r->n, r->now, out); break;
	case REPORT_HTML: timeline_html(r->runs, r->n, r->now, out); break;
	}
}
