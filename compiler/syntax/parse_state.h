/*
 * parse_state.h - the state of one parse: shared by the grammar, the constructors, the messages and the driver. No
 * other file includes this.
 */
#ifndef TRAINC_SYNTAX_PARSE_STATE_H
#define TRAINC_SYNTAX_PARSE_STATE_H

#include "syntax/build.h"
#include "syntax/feed.h"
#include "syntax/parse.h"

enum { PARSE_KINDS = 256 };             /* larger than every token kind */

struct parse {
	struct arena *arena;
	struct names *names;
	struct diags *diags;
	const struct source *source;
	struct tokens tokens;
	struct feed feed;
	struct node *file;              /* the result of parsing a file: a NODE_FILE */
	struct node *result;            /* the result of parse_expression */
	size_t head;                    /* number of comments that are the documentation of the file */
	uint32_t deep;                  /* start of the last expression that was reported as too deep */
	struct nodes fields;            /* NODE_FIELD nodes whose block is not known yet */
	struct node *last_set;          /* the last item `key = value` */

	/* set by an error, until the next token is read */
	bool failed;
	size_t resume;                  /* the token that begins another item; 0: continue after the broken item */
	unsigned indent;                /* see feed_recover */
	struct str bad_name;            /* name of the declaration or item that failed */
	struct span bad_name_at;

	/* repairs of brackets: a node that contains the last of them may not be what the author meant */
	uint32_t torn;                  /* end of the last repair that breaks an item */
	uint32_t torn_decl;             /* end of the last repair that breaks a declaration */
	uint32_t negated;               /* position of the last number that followed a unary minus */
	size_t foretold;                /* the token at which the parse will fail because of an error that was reported;
					 * 0: no such error was reported */
	bool one_line;                  /* the last body has both braces on one line */
	uint32_t broken_string;         /* end of the last string with a fault */
	bool words[PARSE_KINDS];        /* reserved words, by token kind, that were reported where a name is needed:
					 * further uses are not reported */
};

/* Marks the last item, which began at START, as broken, although it parsed. */
void forget_item(struct parse *p, uint32_t start);
/* Report a syntax error at the feed's last token; `expected` is indexed by token kind. */
void parse_complain(struct parse *p, int kind, const bool expected[PARSE_KINDS]);
void parse_too_deep(struct parse *p, struct span at);
/* Was something in [start, now) repaired and reported? */
static inline bool parse_is_torn(const struct parse *p, uint32_t start) { return p->torn >= start; }

/* Increases the height of a node to include a child; a node that has become too high is replaced with a leaf. */
void node_grow(struct node *n, const struct node *child);
void node_grow_all(struct node *n, struct nodes children);
struct node *node_limit(struct parse *p, struct node *n);

/* The ## lines before a declaration or field; empty if no ## line comes before it. */
struct str doc_of(struct parse *p, uint32_t start);
/* The number of comments at the head of the file that document the file. */
size_t doc_head(const struct parse *p);
/* The text of the comments that document the file. */
struct str doc_of_file(struct parse *p);

/*
 * Does KEY look like an environment variable, such as LOG_LEVEL? No field is spelled like that, and the value of a
 * variable is text.
 */
static inline bool is_variable(struct str key)
{
	return key.n && strspn(key.p, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") >= key.n;
}

#endif
