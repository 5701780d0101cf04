#include "eval/pieces.h"

#include "eval/internal.h"

void pieces_init(struct pieces *p, struct arena *a)
{
	*p = (struct pieces){ .arena = a };
}

static void flush(struct pieces *p)
{
	if (!p->text.n)
		return;
	struct piece piece = { .kind = PIECE_TEXT };
	p->flushed += p->text.n;
	piece.u.text = buf_take(&p->text, p->arena);
	ARENA_PUSH(p->arena, p->at, p->n, piece);
}

void pieces_add(struct pieces *p, const struct piece *piece)
{
	if (piece->kind == PIECE_TEXT) {
		buf_str(&p->text, piece->u.text);
		return;
	}
	flush(p);
	ARENA_PUSH(p->arena, p->at, p->n, *piece);
}

void pieces_text(struct pieces *p, const struct text *t)
{
	for (size_t i = 0; i < t->n; i++)
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
		buf_printf(&p->text, "%lld", (long long)v->u.integer);
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

	if (!eval_spend_text(ev, p->flushed + p->text.n, from))
		ret = &value_bad;
	else if (p->n == 0)
		ret = value_string(p->arena, buf_take(&p->text, p->arena), from);
	else {
		flush(p);
		struct value *v = value_new(p->arena, VALUE_TEXT, from);
		v->u.text = (struct text){ p->at, p->n, from };
		ret = v;
	}
	pieces_release(p);
	return ret;
}

void pieces_release(struct pieces *p) { buf_release(&p->text); }

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
