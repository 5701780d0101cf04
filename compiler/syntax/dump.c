/* dump.c - prints tokens and trees. */
#include "syntax/dump.h"

#include "syntax/parse_state.h"
#include "trainc.tab.h"

static void put_span(struct diags *ds, struct buf *out, uint32_t offset)
{
	struct place at = source_place(ds->sources, offset);
	buf_printf(out, "%u:%u", at.line, at.column);
}

static const char *kind_text(int kind)
{
	switch (kind) {
	case TOKEN_END: return "END";
	case TOKEN_EOL: return "EOL";
	case TOKEN_NL: return "NL";
	case TOKEN_IDENT: return "IDENT";
	case TOKEN_INT: return "INT";
	case TOKEN_FLOAT: return "FLOAT";
	case TOKEN_QUANTITY: return "QUANTITY";
	case TOKEN_TOPOLOGY: return "TOPOLOGY";
	case TOKEN_BAD: return "BAD";
	case TOKEN_JUNK: return "JUNK";
	case TOKEN_STRING: return "STRING";
	case TOKEN_STR_OPEN: return "STR_OPEN";
	case TOKEN_STR_TEXT: return "STR_TEXT";
	case TOKEN_STR_CLOSE: return "STR_CLOSE";
	case TOKEN_INTERP_OPEN: return "INTERP_OPEN";
	case TOKEN_INTERP_CLOSE: return "INTERP_CLOSE";
	default: return token_is_word(kind) ? "WORD" : "SIGN";
	}
}

void tokens_dump(struct arena *a, struct diags *ds, const struct source *source, struct buf *out)
{
	struct tokens ts = { .arena = a, .diags = ds, .source = source };
	struct feed f;
	struct token t;

	tokens_scan(&ts);
	tokens_balance(&ts);
	feed_init(&f, &ts, false);
	feed_next(&f);                  /* START_FILE */
	do {
		t = feed_next(&f);
		put_span(ds, out, t.start);
		buf_printf(out, " %s", kind_text(t.kind));
		if (t.end > t.start) {
			buf_char(out, ' ');
			buf_json(out, tokens_text(&ts, t.start, t.end));
		} else if (t.flags & FLAG_VIRTUAL) {
			buf_z(out, " supplied");
		}
		buf_char(out, '\n');
	} while (t.kind != TOKEN_END);
}
