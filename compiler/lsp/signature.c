/*
 * signature.c - shows the parameters of the call around the cursor.
 */
#include "lsp/describe.h"
#include "lsp/lsp_context.h"

/* A signature label that is being written, and the range of each parameter in it. */
struct label {
	struct buf text;
	size_t starts[64], ends[64];
	size_t n;
};

static void add_part(struct label *l, const char *comma, struct str part)
{
	buf_z(&l->text, l->n ? comma : "");
	if (l->n == sizeof l->starts / sizeof *l->starts)
		return;
	l->starts[l->n] = l->text.n;
	buf_str(&l->text, part);
	l->ends[l->n++] = l->text.n;
}

static void make_label(struct context *c, const struct place_at *call, struct label *l)
{
	struct context_formal f;

	if (call->method.p) {
		bool address = !str_is(call->method, "addresses"), port = !str_is(call->method, "host");
		buf_printf(&l->text, "%.*s(", STR_ARG(call->method));
		if (address)
			add_part(l, ", ", STR("i: int"));
		if (port)
			add_part(l, ", ", STR("port: string"));
		buf_char(&l->text, ')');
		return;
	}
	buf_printf(&l->text, "%.*s", STR_ARG(call->callee->name));
	if (call->callee->kind == DECL_BUILTIN_FN && !context_formal(c, call->callee, 0, &f)) {
		buf_z(&l->text, schema_function((enum function)call->callee->function)->signature);
		return;
	}
	buf_char(&l->text, '(');
	for (size_t i = 0; context_formal(c, call->callee, i, &f); i++)
		add_part(l, ", ", f.text);
	buf_char(&l->text, ')');
	const struct type *result = call->callee->kind == DECL_FRAMEWORK ? NULL : context_result(c, call->callee);
	if (result)
		buf_printf(&l->text, " -> %.*s", STR_ARG(type_spell(c->arena, result)));
}

/* Returns the number of the argument that is being written: found by its name, else by its position. */
static size_t active(struct context *c, const struct place_at *call)
{
	struct context_formal f;
	bool named = call->item + 1 < c->tokens.n && str_is(context_token(c, call->item + 1), "=");

	for (size_t i = 0; named && call->callee && context_formal(c, call->callee, i, &f); i++)
		if (str_eq(f.name, context_token(c, call->item)))
			return i;
	return call->index;
}

static struct str callee_doc(const struct decl *d)
{
	if (!d)
		return STR("");
	if (d->kind == DECL_BUILTIN_FN)
		return str_of(schema_function((enum function)d->function)->doc);
	return d->kind == DECL_FN ? d->node->u.fn.doc : d->node ? d->node->u.blueprint_decl.doc : STR("");
}

static void put_call_signature(struct request *r, struct context *c, const struct place_at *call)
{
	struct label l = { 0 };
	struct str doc = callee_doc(call->callee);

	make_label(c, call, &l);
	msg_open(r->out, '{');
	msg_add_list(r->out, "signatures");
	msg_open(r->out, '{');
	msg_add_text(r->out, "label", buf_text(&l.text));
	if (doc.n)
		msg_add_markup(r->out, "documentation", r->lsp->client.markdown, doc);
	msg_add_list(r->out, "parameters");
	for (size_t i = 0; i < l.n; i++) {
		struct str before = { l.text.p, l.starts[i] }, through = { l.text.p, l.ends[i] };
		msg_open(r->out, '{');
		msg_add_list(r->out, "label");
		/* offsets in labels are counted in UTF-16 by the protocol, whatever encoding was agreed on */
		msg_put_int(r->out, (int64_t)lines_units(ENCODING_UTF16, before));
		msg_put_int(r->out, (int64_t)lines_units(ENCODING_UTF16, through));
		msg_close(r->out, ']');
		msg_close(r->out, '}');
	}
	msg_close(r->out, ']');
	msg_close(r->out, '}');
	msg_close(r->out, ']');
	msg_add_int(r->out, "activeSignature", 0);
	msg_add_int(r->out, "activeParameter", (int64_t)active(c, call));
	msg_close(r->out, '}');
	buf_release(&l.text);
}

bool signature_answer(struct request *r)
{
	struct analysis *an = analysis_of(r->lsp, r->document);
	struct str text = document_text(r->document);
	struct lsp_lines lines = lines_of(r->arena, text, r->lsp->client.encoding);
	struct context *c = ARENA_NEW(r->arena, struct context);

	context_at(c, r->lsp, r->arena, an, text, lines_offset(&lines, msg_position(r->params, "position")));
	const struct place_at *call = context_around(c, PLACE_CALL);
	if (call && (call->callee || call->method.p) && (!call->callee || call->callee->kind != DECL_IMPORT))
		put_call_signature(r, c, call);
	else
		msg_put_raw(r->out, "null");
	return true;
}
