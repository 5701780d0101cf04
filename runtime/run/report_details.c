/*
 * report_details.c - explains why a run in a cluster has a problem, to a person whom the problem may just have woken
 * up. All texts from the cluster are escaped.
 */
#include "runtime/run/report.h"
#include "base/words.h"

#include <stdio.h>

static bool is_well(enum run_phase phase)
{
	return phase == RUN_RUNNING || phase == RUN_SUCCEEDED || phase == RUN_COMPLETING;
}

static bool text_in(struct str text, struct str part)
{
	return part.n && text.n >= part.n && memmem(text.p, text.n, part.p, part.n);
}

static void put_ago(struct buf *out, int64_t now, int64_t time)
{
	put_age(out, now - time);
	buf_z(out, " ago");
}

/* Does the headline already say that this replica failed, and why? */
static bool in_headline(struct str headline, const struct run_failure *f)
{
	char index[32];
	int n = snprintf(index, sizeof index, " %lld: ", (long long)f->index);

	return text_in(headline, f->role) && memmem(headline.p, headline.n, index, (size_t)n) &&
		text_in(headline, f->reason);
}

static void put_failure(const struct report *r, struct str headline, const struct run_failure *f, struct buf *out)
{
	buf_z(out, "  first failure: ");
	put_escaped(out, f->role);
	buf_printf(out, " %lld", (long long)f->index);
	if (!in_headline(headline, f)) {
		buf_z(out, ", ");
		put_escaped(out, f->reason);
		if (f->exit_code >= 0 && !text_in(f->reason, STR("exit code")) &&
			!text_in(f->reason, STR("killed by")))
			buf_printf(out, " (exit code %d)", f->exit_code);
	}
	if (f->time) {
		buf_z(out, ", ");
		put_ago(out, r->now, f->time);
	}
	buf_char(out, '\n');
}

static bool told(const struct run_role *r, int64_t i)
{
	for (int64_t k = 0; k < i; k++)
		if (str_eq(r->at[k].cause, r->at[i].cause))
			return true;
	return false;
}

/* Appends each cause of a role's replicas once, except the worst one, which is in the headline. */
static void put_role(const struct run_role *r, struct str headline, struct buf *out)
{
	enum { MOST = 5 };
	int lines = 0;

	for (int64_t i = 0; i < r->max && lines < MOST; i++) {
		int64_t same = 0;
		if (!r->at[i].cause.n || told(r, i) || text_in(headline, r->at[i].cause))
			continue;
		for (int64_t k = i; k < r->max; k++)
			same += str_eq(r->at[k].cause, r->at[i].cause);
		buf_z(out, "  ");
		put_escaped(out, r->name);
		buf_printf(out, " %lld", (long long)i);
		if (same > 1)
			buf_printf(out, " and %lld more", (long long)same - 1);
		buf_z(out, ": ");
		put_escaped(out, r->at[i].cause);
		buf_char(out, '\n');
		lines++;
	}
}

static void put_object(const struct run_object *o, struct buf *out)
{
	buf_z(out, "  ");
	put_escaped(out, o->kind);
	buf_char(out, ' ');
	put_escaped(out, o->name);
	buf_printf(out, ": %s%s", run_phase_word(o->phase), o->cause.n ? ", " : "");
	put_escaped(out, o->cause);
	buf_char(out, '\n');
}

static void put_event(const struct report *r, const struct run_event *e, struct buf *out)
{
	struct buf ago = { 0 };

	if (e->time)
		put_ago(&ago, r->now, e->time);
	buf_printf(out, "  %-8.*s ", (int)ago.n, ago.p ? ago.p : "");
	buf_release(&ago);
	put_escaped(out, e->kind);
	buf_char(out, ' ');
	put_escaped(out, e->name);
	buf_z(out, ": ");
	put_escaped(out, e->reason);
	if (e->count > 1)
		buf_printf(out, " (%lld times)", (long long)e->count);
	buf_z(out, e->message.n ? ": " : "");
	put_escaped(out, e->message);
	buf_char(out, '\n');
}

bool report_copies_wait(const struct run_state *s)
{
	for (size_t i = 0; s->phase == RUN_RUNNING && s->ncells && i < s->nobjects; i++)
		if (s->objects[i].holds && s->objects[i].phase == RUN_QUEUED)
			return true;
	return false;
}

void report_details(const struct report *r, const struct run_state *s, struct buf *out)
{
	bool waits = report_copies_wait(s), well = is_well(s->phase) && !waits;

	if (well && !s->failure.known)
		return;
	buf_z(out, out->n ? "\n" : "");
	put_escaped(out, s->name);
	buf_printf(out, ": %s", run_phase_word(s->phase));
	if (s->since && s->since <= r->now) {
		buf_z(out, " since ");
		put_time(out, s->since, 0);
	}
	buf_z(out, s->cause.n ? ": " : "");
	put_escaped(out, s->cause);
	buf_char(out, '\n');
	if (s->job_restarts)
		buf_printf(out, "  the whole run was started again %lld time%s\n", (long long)s->job_restarts,
			s->job_restarts == 1 ? "" : "s");
	if (s->failure.known) {
		put_failure(r, s->cause, &s->failure, out);
		report_last_lines(s, true, out);
	}
	for (size_t i = 0; i < s->nroles; i++)
		put_role(&s->roles[i], s->cause, out);
	for (size_t i = 0; i < s->nobjects; i++)
		if (!is_well(s->objects[i].phase) && (!waits || s->objects[i].holds))
			put_object(&s->objects[i], out);
	for (size_t i = 0; i < s->nevents; i++)
		put_event(r, &s->events[i], out);
}
