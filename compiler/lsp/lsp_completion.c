/*
 * lsp_completion.c - answers a request for completion: the text at the cursor decides which list is offered. It may use
 * the analysis from before the last edit: in a large file, waiting for a new analysis would be noticeable, and a
 * single letter seldom changes what a name means.
 */
#include "lsp/complete.h"

enum { FRESH_MOST = 16 * 1024 };        /* maximum size in bytes of a text that is analyzed before the answer */

static void put_items(struct completing *k)
{
	switch (k->c->cursor) {
	case CURSOR_DECLARATION: complete_declarations(k); break;
	case CURSOR_KEY: complete_keys(k); break;
	case CURSOR_BLOCK_NAME: complete_block_names(k); break;
	case CURSOR_TYPE: complete_types(k); break;
	case CURSOR_VALUE: complete_values(k); break;
	case CURSOR_MEMBER: complete_members(k); break;
	case CURSOR_IMPORT: complete_imports(k); break;
	case CURSOR_FRAMEWORK: complete_frameworks(k); break;
	case CURSOR_TEXT: complete_texts(k); break;
	case CURSOR_OPERATOR:
		if (!k->c->prefix.n)
			break;
		for (const char *const *word = (const char *const[]){ "and", "or", "in", "not in", "then", "else", "if",
		    "for", NULL }; *word; word++)
			complete_word(k, ITEM_KEYWORD, *word, "", 50);
		break;
	case CURSOR_NOWHERE: break;
	}
}

/* The analysis to use: the current one, or the previous one when a new one would take too long. */
static struct analysis *usable(struct lsp *l, struct document *d)
{
	if (d->now && d->stale && d->text.n > FRESH_MOST)
		return d->now;
	return analysis_of(l, d);
}

bool completion_answer(struct request *r)
{
	struct analysis *an = usable(r->lsp, r->document);
	struct str text = document_text(r->document);
	struct lsp_lines lines = lines_of(r->arena, text, r->lsp->client.encoding);
	struct context *c = ARENA_NEW(r->arena, struct context);
	struct completing k = { .r = r, .c = c, .text = text, .lines = &lines };

	context_at(c, r->lsp, r->arena, an, text, lines_offset(&lines, msg_position(r->params, "position")));
	msg_open(r->out, '{');
	msg_add_bool(r->out, "isIncomplete", false);
	msg_add_list(r->out, "items");
	if (c->module)
		put_items(&k);
	msg_close(r->out, ']');
	msg_close(r->out, '}');
	return true;
}
