/* pieces.c - collects static text and pieces of one text. */
#include "eval/pieces.h"

#include <stdlib.h>

#include "eval/internal.h"

void pieces_init(struct pieces *p, struct arena *a)
{
	*p = (struct pieces){ .arena = a };
}

static void push_piece(struct pieces *p, struct piece piece)
{
	if (p->n >= EVAL_WEIGHT) {
		p->full = true;
		return;
	}
	if (p->n == p->size) {
		p->size = p->size ? p->size * 2 : 16;
		p->at = memory_hold(p->at, p->size * sizeof(*p->at));
	}
	p->at[p->n++] = piece;
}

/*
 * A copy of S, shared with a recent piece if that has the same text, because a list of addresses repeats the same
 * separators.
 */
static struct str shared_text(const struct pieces *p, struct str s)
{
	for (size_t back = 2; back <= 4 && back <= p->n; back += 2) {
		const struct piece *before = &p->at[p->n - back];
		if (before->kind == PIECE_TEXT && str_eq(before->u.text, s))
			return before->u.text;
	}
	return str_copy(p->arena, s);
}

static void flush(struct pieces *p)
{
	if (!p->text.n)
		return;
	struct piece piece = { .kind = PIECE_TEXT };
	p->flushed += p->text.n;
	piece.u.text = shared_text(p, buf_text(&p->text));
	p->text.n = 0;
	push_piece(p, piece);
}

void pieces_add(struct pieces *p, const struct piece *piece)
{
	if (piece->kind == PIECE_TEXT) {
		buf_str(&p->text, piece->u.text);
		return;
	}
	flush(p);
	push_piece(p, *piece);
}

static void pieces_text(struct pieces *p, const struct text *t)
{
	for (size_t i = 0; i < t->n && !p->full; i++)
		pieces_add(p, &t->at[i]);
}

bool pieces_value(struct pieces *p, const struct value *v)
{
	struct str plain;

	if (v->kind == VALUE_TEXT) {
		pieces_text(p, &v->u.text);
		return true;
	}
	if (v->kind == VALUE_INT) {
		buf_int(&p->text, v->u.integer);
		return true;
	}
	if (!value_plain_text(p->arena, v, &plain))
		return false;
	buf_str(&p->text, plain);
	return true;
}

const struct value *pieces_take(struct pieces *p, struct eval *ev, struct span from)
{
	const struct value *ret;

	if (!eval_text_fits(ev, p->full, from) || !eval_spend_text(ev, p->flushed + p->text.n, from))
		ret = &value_bad;
	else if (p->n == 0)
		ret = value_string(p->arena, buf_take(&p->text, p->arena), from);
	else {
		flush(p);
		struct value *v = value_new(p->arena, VALUE_TEXT, from);
		struct piece *at = ARENA_ARRAY(p->arena, struct piece, p->n);
		memcpy(at, p->at, p->n * sizeof(*at));
		v->u.text = (struct text){ at, p->n, from };
		ret = v;
	}
	pieces_release(p);
	return ret;
}

void pieces_release(struct pieces *p)
{
	buf_release(&p->text);
	memory_drop(p->at);
	p->at = NULL;
	p->n = p->size = 0;
}

enum text_class text_classify(const struct text *t)
{
	enum text_class class = TEXT_PLAIN;

	for (size_t i = 0; i < t->n; i++) {
		enum text_class c = TEXT_PLAIN;
		switch (t->at[i].kind) {
		case PIECE_TEXT: break;
		case PIECE_INDEX: c = TEXT_INDEXED; break;
		case PIECE_HOST:
		case PIECE_PORT: c = t->at[i].u.peer.index == OWN_INDEX ? TEXT_INDEXED : TEXT_PLACED; break;
		case PIECE_FIELD:
		case PIECE_ENV: return TEXT_FACT;
		}
		if (c > class)
			class = c;
	}
	return class;
}
