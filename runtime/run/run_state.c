/*
 * run_state.c - what happens to a run's state, and its state file. The rows of run_state.def say what is in the file.
 */
#include "runtime/run/run_state.h"

#include <stdio.h>


#include "base/words.h"
#include "data/data_read.h"
#include "runtime/run/run_shape.h"

bool run_phase_final(enum run_phase phase)
{
	return phase == RUN_FAILED || phase == RUN_SUCCEEDED || phase == RUN_UNKNOWN;
}

void run_state_observe(struct run_state *s, int64_t now)
{
	if (s->since && s->phase == s->observed)
		return;
	s->observed = s->phase;
	s->since = now;
}

void run_state_running(struct run_state *s, bool running, bool restarting, int64_t now)
{
	if (running && !s->running)
		s->ran = now;
	if (restarting && !s->restarting)
		s->restarted = now;
	s->running = running;
	s->restarting = restarting;
}

struct run_count run_count(const struct run_role *r)
{
	struct run_count c = { 0 };

	for (int64_t i = 0; i < r->max; i++) {
		const struct run_replica *p = &r->at[i];
		c.ready += p->state == REPLICA_READY;
		c.active += replica_runs(p->state);
		c.succeeded += p->state == REPLICA_SUCCEEDED;
		c.failed += p->state == REPLICA_FAILED;
		c.restarts += p->attempts - 1 > p->resumed ? p->attempts - 1 - p->resumed : 0;
	}
	return c;
}

bool run_is_active(const struct run_state *s)
{
	for (size_t k = 0; k < s->nroles; k++)
		for (int64_t i = 0; i < s->roles[k].max; i++)
			if (replica_runs(s->roles[k].at[i].state))
				return true;
	return false;
}

void run_replica_span_begin(struct arena *a, struct run_replica *r, int64_t now)
{
	if (!r->spans)
		r->spans = ARENA_ARRAY(a, struct run_span, RUN_SPANS_MAX);
	if (r->nspans == RUN_SPANS_MAX)
		memmove(r->spans, r->spans + 1, --r->nspans * sizeof *r->spans);
	r->spans[r->nspans++] = (struct run_span){ SPAN_RUNNING, now, 0 };
}

void run_replica_span_end(struct run_replica *r, enum span_kind kind, int64_t now)
{
	struct run_span *last = r->nspans ? &r->spans[r->nspans - 1] : NULL;

	if (!last || last->end)
		return;
	last->kind = kind;
	last->end = now;
}

/* The rest of ADDRESS after CELL/COPY of the role; p is NULL if it does not begin with that. */
static struct str after_copy(const struct run_role *r, struct str address)
{
	char copy[24];
	int digits = snprintf(copy, sizeof copy, "/%lld", (long long)r->copy);
	size_t n = r->cell.n + (size_t)digits;

	if (!r->cell.n || address.n < n || !str_starts(address, r->cell) ||
		memcmp(address.p + r->cell.n, copy, (size_t)digits) != 0)
		return (struct str){ 0 };
	return (struct str){ address.p + n, address.n - n };
}

bool run_role_meant(const struct run_role *r, struct str address)
{
	struct str rest = after_copy(r, address);
	/* the name of the role is CELL-ROLE-COPY, as long as CELL/COPY/ROLE */
	bool role = rest.n > 1 && *rest.p == '/' && address.n == r->name.n &&
		memcmp(rest.p + 1, r->name.p + r->cell.n + 1, rest.n - 1) == 0;

	return str_eq(r->name, address) || (r->cell.n && (str_eq(r->cell, address) || (rest.p && !rest.n) || role));
}

const struct run_role *run_find_role(const struct run_state *s, struct str name)
{
	const struct run_role *found = NULL;
	size_t n = 0;

	for (size_t i = 0; i < s->nroles; i++) {
		if (!run_role_meant(&s->roles[i], name))
			continue;
		found = &s->roles[i];
		n++;
	}
	return n == 1 ? found : NULL;
}

struct str run_lacks_role(struct arena *a, struct str run, struct str name, const struct str *roles, size_t n)
{
	enum { SHOWN_MOST = 8 };
	struct buf b = { 0 };

	buf_printf(&b, "run '%.*s' has no role '%.*s'", STR_ARG(run), STR_ARG(name));
	for (size_t i = 0; i < n && i < SHOWN_MOST; i++) {
		buf_z(&b, i ? ", " : n == 1 ? "; its only role is " : "; its roles are ");
		put_escaped(&b, roles[i]);
	}
	if (n > SHOWN_MOST)
		buf_printf(&b, " and %zu more", n - SHOWN_MOST);
	struct str text = buf_take(&b, a);
	buf_release(&b);
	return text;
}

/* ---- the state file ---- */

void run_state_write(const struct run_state *s, struct buf *out)
{
	struct shape_out o = { .json = { .out = out }, .use = IN_RECORD };

	json_open(&o.json, '{');
	json_add_int(&o.json, "schemaVersion", 1);
	shape_write(&o, &shape_run_state, s);
	json_close(&o.json, '}');
}

/* Adds the text in B to a digest, and empties B. */
static uint64_t digest_more(uint64_t digest, struct buf *b)
{
	for (size_t i = 0; i < b->n; i++)
		digest = (digest ^ (unsigned char)b->p[i]) * UINT64_C(0x100000001B3);
	b->n = 0;
	return digest;
}

uint64_t run_state_digest(const struct run_state *s)
{
	uint64_t digest = UINT64_C(0xCBF29CE484222325);
	struct buf b = { 0 };
	struct shape_out o = { .json = { .out = &b }, .use = IN_IDENTITY };

	shape_write(&o, &shape_run_state, s);
	for (size_t i = 0; i < s->nroles; i++) {
		const struct run_role *r = &s->roles[i];
		shape_write(&o, &shape_run_role, r);
		for (int64_t k = 0; k < r->max; k++) {
			shape_write(&o, &shape_run_replica, &r->at[k]);
			digest = digest_more(digest, &b);
		}
	}
	if (s->failure.known)
		shape_write(&o, &shape_run_failure, &s->failure);
	digest = digest_more(digest, &b);
	buf_release(&b);
	return digest;
}

static bool read_run(struct shape_reader *in, const struct data *d, struct run_state *ret)
{
	const struct data *version = data_get(d, STR("schemaVersion")), *roles = data_get(d, STR("roles"));

	if (!version || version->kind != DATA_INT || version->u.integer != 1)
		return shape_bad(in, "schemaVersion", "is not 1: another version of trainc wrote it");
	if (roles && roles->kind != DATA_LIST)
		return shape_bad(in, "roles", "is not a list");
	return shape_read(in, &shape_run_state, d, 0, ret);
}

bool run_state_read(struct arena *a, struct str text, struct run_state *ret, struct str *why)
{
	struct shape_reader in = { .arena = a, .use = IN_RECORD, .strict = true };
	/* the state borrows from the text, so the text is copied into the arena */
	struct source source = { .text = str_copy(a, text), .base = 1 };
	struct run_state s = { 0 };
	struct data_error error;
	struct data *d;

	if (!data_read_json(a, &source, &d, &error)) {
		*why = str_printf(a, "byte %u: %.*s", error.at.start - 1, STR_ARG(error.what));
		return false;
	}
	if (!read_run(&in, d, &s)) {
		*why = in.why;
		return false;
	}
	*ret = s;
	return true;
}

struct run_state run_state_copy(struct arena *a, const struct run_state *s)
{
	struct run_state c = *s;

	shape_copy(a, &shape_run_state, &c);
	return c;
}
