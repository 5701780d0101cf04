/*
 * text.c - computes the text of one replica from the pieces of a text.
 */
#include "plan/plan.h"

const struct piece piece_absent = { .kind = PIECE_TEXT };

static bool piece_text(const struct plan_job *j, const struct plan_role *r, int64_t i, const struct piece *p,
	const struct placement *where, const struct pod_facts *facts, struct buf *out)
{
	int64_t peer;

	switch (p->kind) {
	case PIECE_TEXT:
		buf_str(out, p->u.text);
		return true;
	case PIECE_INDEX:
		buf_int(out, plan_index_in_slice(r, i));
		return true;
	case PIECE_HOST:
		peer = p->u.peer.index == OWN_INDEX ? i : p->u.peer.index;
		where->host(where->context, j, &j->roles[p->u.peer.role], peer, out);
		return true;
	case PIECE_PORT:
		peer = p->u.peer.index == OWN_INDEX ? i : p->u.peer.index;
		buf_int(out, where->port(where->context, j, &j->roles[p->u.peer.role], peer, p->u.peer.port));
		return true;
	case PIECE_FIELD:
		if (p->u.field == POD_SLICE) {
			buf_int(out, plan_slice_of(r, i));
			return true;
		}
		return facts && facts->field && facts->field(facts->context, p->u.field, out);
	case PIECE_ENV:
		return facts && facts->env && facts->env(facts->context, p->u.text, out);
	}
	return false;
}

bool plan_text(const struct plan_job *j, const struct plan_role *r, int64_t i, const struct text *t,
	const struct placement *where, const struct pod_facts *facts, struct buf *out)
{
	for (size_t k = 0; k < t->n; k++)
		if (!piece_text(j, r, i, &t->at[k], where, facts, out))
			return false;
	return true;
}
