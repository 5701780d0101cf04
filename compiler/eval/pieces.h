/*
 * pieces.h - builds a text from static text and pieces. Adjacent static text is collected in one growing buffer and
 * becomes one piece, so that even a text about thousands of replicas is built in linear time.
 */
#ifndef TRAINC_EVAL_PIECES_H
#define TRAINC_EVAL_PIECES_H

#include "base/buf.h"
#include "eval/eval.h"

struct pieces {
	struct arena *arena;
	struct piece *at;               /* malloc'd: only the finished array goes into the arena */
	size_t n, size;
	size_t flushed;                 /* number of bytes of static text in `at` */
	/* more than EVAL_WEIGHT pieces: the rest is left out, and pieces_take() reports it */
	bool full;
	struct buf text;                /* static text that has not become a piece yet */
};

void pieces_init(struct pieces *p, struct arena *a);
void pieces_add(struct pieces *p, const struct piece *piece);
/* Appends the text of a scalar; false (nothing appended) for lists, records and the like. */
bool pieces_value(struct pieces *p, const struct value *v);
/*
 * Finishes the text. Returns a string, or a text if it has pieces; VALUE_BAD after reporting that the budget is used
 * up. Also releases the builder.
 */
const struct value *pieces_take(struct pieces *p, struct eval *ev, struct span from);
void pieces_release(struct pieces *p);

/* How much is known about a text at compile time. */
enum text_class {
	TEXT_PLAIN,                     /* all of the text is known */
	TEXT_PLACED,                    /* the text is known except for hosts and ports, which depend on where replicas
					 * run; see text_flatten() */
	TEXT_INDEXED,                   /* the text is known except for the replica's own index */
	TEXT_FACT                       /* only the pod knows the text */
};
enum text_class text_classify(const struct text *t);

#endif
