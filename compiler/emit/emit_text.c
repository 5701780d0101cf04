/*
 * emit_text.c - writes texts with references in Kubernetes' notation. Kubernetes replaces $(NAME) and turns $$ into
 * $, so a `$` of the program is doubled if it would begin either of these. Static pieces are joined before this is
 * decided, because the character after a `$` may be in the next piece.
 */
#include "emit/emit_build.h"

struct text_writing {
	struct arena *arena;
	const struct plan_job *job;
	const struct plan_role *role;
	enum text_use use;
	int64_t index;
	struct buf run;                 /* finished text since the last reference */
	size_t clean;                   /* the first `clean` bytes have already been escaped */
	struct str *segments;
	size_t n;
};

static const char *const field_variables[] = {
	[POD_NAME] = "TRAINC_POD_NAME", [POD_UID] = "TRAINC_POD_UID", [POD_IP] = "TRAINC_POD_IP",
		[POD_NODE] = "TRAINC_NODE",
	[POD_SLICE] = "TRAINC_SLICE", [POD_COPY] = "TRAINC_COPY",
};
const char *emit_field_variable(enum pod_field f) { return field_variables[f]; }

bool emit_literal_index(const struct plan_job *j, const struct plan_role *r)
{
	return r->unrolled || !plan_workload(j, r)->index;
}

/* Doubles each `$` of the collected static text that Kubernetes would replace. REFERENCE: a $(...) follows the text. */
static void escape_static(struct text_writing *w, bool reference)
{
	struct buf *b = &w->run;
	size_t from = w->clean;

	if (w->use != TEXT_COMMAND || b->n == from || !memchr(b->p + from, '$', b->n - from)) {
		w->clean = b->n;
		return;
	}
	struct str plain = str_copy(w->arena, (struct str){ b->p + from, b->n - from });
	b->n = from;
	for (size_t i = 0; i < plain.n; i++) {
		bool last = i + 1 == plain.n;
		char next = last ? '\0' : plain.p[i + 1];
		if (plain.p[i] == '$' && (next == '$' || next == '(' || (last && reference)))
			buf_char(b, '$');
		buf_char(b, plain.p[i]);
	}
	w->clean = b->n;
}

static void write_reference(struct text_writing *w, struct str name)
{
	escape_static(w, true);
	buf_put(&w->run, "$(", 2);
	buf_str(&w->run, name);
	buf_char(&w->run, ')');
	w->clean = w->run.n;
}

static void segment_end(struct text_writing *w)
{
	escape_static(w, false);
	if (w->run.n) {
		struct str text = buf_take(&w->run, w->arena);
		ARENA_PUSH(w->arena, w->segments, w->n, text);
	}
	w->clean = 0;
}

static void own_index(struct text_writing *w)
{
	if (w->use == TEXT_FILE)
		buf_int(&w->run, plan_index_in_slice(w->role, w->index));
	else if (!emit_literal_index(w->job, w->role))
		write_reference(w, STR("TRAINC_INDEX"));
	else {
		struct str hole = { NULL, 0 };
		segment_end(w);
		ARENA_PUSH(w->arena, w->segments, w->n, hole);
	}
}

static void own_slice(struct text_writing *w)
{
	if (w->use == TEXT_FILE)
		buf_int(&w->run, plan_slice_of(w->role, w->index));
	else
		write_reference(w, str_of(field_variables[POD_SLICE]));
}

static void host(struct text_writing *w, const struct piece *p)
{
	const struct plan_role *peer = &w->job->roles[p->u.peer.role];

	if (peer->one_name || p->u.peer.index != OWN_INDEX) {
		plan_host(w->job, peer, p->u.peer.index, &w->run);
		return;
	}
	struct plan_name name = plan_host_name(w->job, peer);
	buf_str(&w->run, peer->object);
	if (name.sliced) {
		buf_char(&w->run, '-');
		own_slice(w);
	}
	buf_z(&w->run, name.before);
	own_index(w);
	buf_z(&w->run, name.after);
	plan_host_tail(w->job, &w->run);
}

static void piece(struct text_writing *w, const struct piece *p)
{
	switch (p->kind) {
	case PIECE_TEXT: buf_str(&w->run, p->u.text); break;
	case PIECE_INDEX: own_index(w); break;
	case PIECE_HOST: host(w, p); break;
	case PIECE_PORT:
		buf_int(&w->run, placement_cluster.port(NULL, w->job, &w->job->roles[p->u.peer.role], p->u.peer.index,
			p->u.peer.port));
		break;
	case PIECE_FIELD:
		if (p->u.field == POD_SLICE)
			own_slice(w);
		else
			write_reference(w, str_of(field_variables[p->u.field]));
		break;
	case PIECE_ENV: write_reference(w, p->u.text); break;
	}
}

struct object *emit_text(struct arena *a, const struct plan_job *j, const struct plan_role *r, const struct text *t,
	enum text_use use, int64_t index)
{
	struct object *o = object_string(a, STR(""), t->from);
	struct text_writing w = { .arena = a, .job = j, .role = r, .use = use, .index = index };

	if (t->n == 1 && t->at[0].kind == PIECE_TEXT &&
		(use == TEXT_FILE || !memchr(t->at[0].u.text.p, '$', t->at[0].u.text.n))) {
		o->u.string = t->at[0].u.text;
		return o;
	}
	for (size_t i = 0; i < t->n; i++)
		piece(&w, &t->at[i]);
	segment_end(&w);
	buf_release(&w.run);
	if (w.n == 1 && w.segments[0].p) {
		o->u.string = w.segments[0];
		return o;
	}
	if (w.n) {
		o->kind = OBJECT_TEXT;
		o->u.text.at = w.segments;
		o->u.text.n = w.n;
	}
	return o;
}

unsigned emit_text_uses(const struct text *t)
{
	unsigned uses = 0;

	for (size_t i = 0; i < t->n; i++) {
		const struct piece *p = &t->at[i];
		if (p->kind == PIECE_INDEX)
			uses |= USES_INDEX;
		else if (p->kind == PIECE_HOST && p->u.peer.index == OWN_INDEX)
			uses |= USES_INDEX | USES_HOST;
		else if (p->kind == PIECE_FIELD)
			uses |= USES_FIELD << p->u.field;
	}
	return uses;
}
