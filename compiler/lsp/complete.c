/*
 * complete.c - writes one item of a completion list, in the form that the client supports.
 */
#include "lsp/complete.h"

#include "explain/library.h"
#include "lsp/describe.h"

static int label_lower(char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }

/* Does the label contain the characters of the prefix, in that order? */
static bool matches_label(struct str prefix, struct str label)
{
	size_t i = 0;

	for (size_t k = 0; k < label.n && i < prefix.n; k++)
		i += label_lower(label.p[k]) == label_lower(prefix.p[i]);
	return i == prefix.n;
}

/* Does the label have the prefix at AT? Case does not matter. */
static bool begins(struct str prefix, struct str label, size_t at)
{
	size_t i = 0;

	while (i < prefix.n && at + i < label.n && label_lower(label.p[at + i]) == label_lower(prefix.p[i]))
		i++;
	return i == prefix.n;
}

/* Returns how near the label, which contains the letters of the prefix, is to it. Without a prefix all are equal. */
static enum near label_near(struct str prefix, struct str label)
{
	size_t parts = 0, inside = 0;
	bool member = false;

	if (!prefix.n)
		return NEAR_START;
	if (label.n && *label.p == '"')
		label = (struct str){ label.p + 1, label.n - 2 };
	for (size_t at = 0; at + prefix.n <= label.n; at++) {
		bool word = !at || strchr("._- ", label.p[at - 1]);
		if (!begins(prefix, label, at))
			continue;
		if (!at)
			return at + prefix.n == label.n ? NEAR_WHOLE : NEAR_START;
		member = member || (label.p[at - 1] == '.' && at + prefix.n == label.n);
		parts += word;
		inside++;
	}
	if (member)
		return NEAR_MEMBER;
	return parts && inside > 1 ? NEAR_PARTS : parts ? NEAR_PART : inside ? NEAR_INSIDE : NEAR_LETTERS;
}

/* Returns a snippet without its placeholders, for clients that do not support them: ${1:x} becomes x, $0 is removed. */
static struct str plain_snippet(struct arena *a, struct str snippet)
{
	char *p = arena_alloc(a, snippet.n + 1);
	size_t n = 0, open = 0;

	for (size_t i = 0; i < snippet.n; i++) {
		char c = snippet.p[i], next = i + 1 < snippet.n ? snippet.p[i + 1] : 0;
		if (c == '\\' && (next == '$' || next == '}' || next == '\\')) {
			p[n++] = next;
			i++;
		} else if (c == '$' && next == '{') {
			const char *colon = memchr(snippet.p + i, ':', snippet.n - i);
			i = colon ? (size_t)(colon - snippet.p) : snippet.n;
			open++;
		} else if (c == '$' && next >= '0' && next <= '9') {
			i++;
		} else if (c == '}' && open) {
			open--;
		} else {
			p[n++] = c;
		}
	}
	return (struct str){ p, n };
}

static void put_import(struct completing *k, struct str module)
{
	size_t place = catalog_import_place(k->text);

	msg_add_list(k->r->out, "additionalTextEdits");
	msg_put_edit(k->r->out, k->lines, place, place, catalog_import_text(k->r->arena, k->text, place, module));
	msg_close(k->r->out, ']');
}

/* Leaves out what INSERT puts after LABEL if it follows the cursor: "worker" before " {", "cpu" before " = 4". */
static struct str insert_once(const struct completing *k, struct str label, struct str insert)
{
	size_t at = k->c->prefix_start + k->c->prefix.n;

	if (insert.n < label.n + 2 || !str_eq((struct str){ insert.p, label.n }, label) || insert.p[label.n] != ' ')
		return insert;
	while (at < k->text.n && k->text.p[at] == ' ')
		at++;
	return at < k->text.n && k->text.p[at] == insert.p[label.n + 1] ? label : insert;
}

void complete_add(struct completing *k, const struct item *item)
{
	struct buf *out = k->r->out;
	const struct lsp_client *client = &k->r->lsp->client;
	struct str prefix = k->c->prefix;
	struct str insert = insert_once(k, item->label, item->insert.p ? item->insert : item->label);
	bool snippet = item->snippet && client->snippets;

	if (!matches_label(prefix, item->label) || map_put(&k->seen, k->r->arena, item->label, k))
		return;
	msg_open(out, '{');
	msg_add_text(out, "label", item->label);
	msg_add_int(out, "kind", item->kind);
	if (item->detail.n)
		msg_add_text(out, "detail", item->detail);
	if (item->doc.n)
		msg_add_markup(out, "documentation", client->markdown, item->doc);
	msg_add_text(out, "sortText", str_printf(k->r->arena, "%d%02d%04zu",
		item->late ? (int)NEAR_LATE : (int)label_near(prefix, item->label), item->rank, k->n++));
	if (item->label.n && item->label.p[0] == '"')
		msg_add_text(out, "filterText", (struct str){ item->label.p + 1, item->label.n - 2 });
	msg_add_int(out, "insertTextFormat", snippet ? 2 : 1);
	msg_key(out, "textEdit");
	msg_open(out, '{');
	msg_add_range(out, "range", k->lines, k->c->prefix_start, k->c->prefix_start + prefix.n);
	msg_add_text(out, "newText", item->snippet && !snippet ? plain_snippet(k->r->arena, insert) : insert);
	msg_close(out, '}');
	if (item->import.p)
		put_import(k, item->import);
	if (item->deprecated)
		msg_add_raw(out, "tags", "[1]");
	msg_close(out, '}');
}

void complete_word(struct completing *k, enum item_kind kind, const char *word, const char *detail, int rank)
{
	complete_add(k, &(struct item){ .kind = kind, .label = str_of(word), .detail = str_of(detail), .rank = rank });
}

static struct str first_paragraph(struct str doc)
{
	const char *end = doc.n ? memmem(doc.p, doc.n, "\n\n", 2) : NULL;

	return end ? (struct str){ doc.p, (size_t)(end - doc.p) } : doc;
}

static struct str label_doc(const struct decl *d)
{
	const struct node *n = d->node;

	if (d->doc.n || !n)
		return d->doc;
	return n->kind == NODE_FN ? n->u.fn.doc : n->kind == NODE_FRAMEWORK || n->kind == NODE_ACCELERATOR
		? n->u.blueprint_decl.doc : d->doc;
}

/* Makes the snippet `name(${1:a}, ${2:b})`, with a placeholder for each required argument. */
static struct str call_snippet(struct completing *k, const struct decl *d, struct str name)
{
	struct buf b = { 0 };
	struct context_formal f;
	const char *comma = "";

	buf_printf(&b, "%.*s(", STR_ARG(name));
	for (size_t i = 0; context_formal(k->c, d, i, &f); i++) {
		if (f.optional)
			continue;
		buf_printf(&b, "%s${%zu:%.*s}", comma, i + 1, STR_ARG(f.name));
		comma = ", ";
	}
	buf_z(&b, *comma ? ")" : "$1)");
	struct str text = buf_take(&b, k->r->arena);
	buf_release(&b);
	return text;
}

void complete_decl(struct completing *k, const struct decl *d, struct str name, int rank)
{
	struct item item = { .label = name, .rank = rank, .doc = first_paragraph(label_doc(d)) };

	if (d->kind == DECL_BUILTIN_FN)
		item.doc = str_of(schema_function((enum function)d->function)->doc);
	item.detail = describe_signature(k->r->arena, k->c->program->sources, d);
	item.deprecated = str_starts(item.doc, STR("Deprecated:"));
	switch (d->kind) {
	case DECL_FN: case DECL_BUILTIN_FN: case DECL_ACCELERATOR:
		item.kind = d->kind == DECL_ACCELERATOR ? ITEM_CLASS : ITEM_FUNCTION;
		if (d->kind == DECL_BUILTIN_FN && *schema_function((enum function)d->function)->signature != '(')
			break;          /* a word */
		item.insert = call_snippet(k, d, name);
		item.snippet = true;
		break;
	case DECL_IMPORT: item.kind = ITEM_MODULE; break;
	case DECL_FRAMEWORK: item.kind = ITEM_CLASS; break;
	case DECL_TYPE: item.kind = ITEM_STRUCT; break;
	case DECL_PARAM: case DECL_LET: item.kind = ITEM_CONSTANT; break;
	default: item.kind = ITEM_VARIABLE; break;
	}
	complete_add(k, &item);
}
