/*
 * actions.c - offers the compiler's own fixes as code actions, one by one and all at once.
 */
#include "lsp/actions.h"

#include "lsp/edits.h"

#include "lsp/lsp_publish.h"

/* ---- fixes of diagnostics ---- */

/*
 * Returns the source that all edits of a fix change; NULL if they change several, or one that does not belong to the
 * user.
 */
static const struct source *source_of(const struct acting *a, const struct diag_fix *fix)
{
	const struct source *source = NULL;

	for (const struct diag_edit *e = fix->edits; e; e = e->next) {
		const struct source *s = source_at(&a->an->compile->sources, e->at.start);
		if (!s || s->library || (source && s != source))
			return NULL;
		source = s;
	}
	return source;
}

static void put_fix_edits(struct acting *a, const struct diag_fix *fix, const struct source *s)
{
	for (const struct diag_edit *e = fix->edits; e; e = e->next)
		msg_put_edit(a->r->out, analysis_lines(a->an, s), e->at.start - s->base, e->at.end - s->base, e->text);
}

/* Does another offered fix have the same title? */
static bool title_repeats(const struct acting *a, const struct diag_fix *fix)
{
	const struct diags *ds = &a->an->compile->diags;

	for (size_t i = 0; i < ds->n; i++)
		for (const struct diag_fix *other = action_touches(a, ds->at[i]->at) ? ds->at[i]->fixes : NULL; other;
		    other = other->next)
			if (other != fix && str_eq(other->title, fix->title))
				return true;
	return false;
}

/* The title of a fix, with the source position of its diagnostic if another fix has the same title. */
static struct str title_of(const struct acting *a, const struct diag *d, const struct diag_fix *fix)
{
	if (!title_repeats(a, fix))
		return fix->title;
	struct place place = source_place(&a->an->compile->sources, d->at.start);
	return str_printf(a->r->arena, "%.*s (%u:%u)", STR_ARG(fix->title), place.line, place.column);
}

static void offer_fix(struct acting *a, const struct diag *d, const struct diag_fix *fix)
{
	const struct source *s = source_of(a, fix);

	if (!s)
		return;
	action_head(a, "quickfix", title_of(a, d, fix));
	msg_add_list(a->r->out, "diagnostics");
	publish_diag(a->r->arena, a->r->out, a->an, d);
	msg_close(a->r->out, ']');
	if (fix == d->fixes && !fix->next)
		msg_add_bool(a->r->out, "isPreferred", true);
	action_begin_edit(a);
	edits_begin_document(a->r, analysis_uri(a->r->arena, a->an, s));
	put_fix_edits(a, fix, s);
	edits_end_document(a->r);
	edits_end(a->r);
	msg_close(a->r->out, '}');
}

static void offer_fixes(struct acting *a)
{
	const struct diags *ds = &a->an->compile->diags;

	for (size_t i = 0; i < ds->n; i++)
		for (const struct diag_fix *fix = action_touches(a, ds->at[i]->at) ? ds->at[i]->fixes : NULL; fix;
		    fix = fix->next)
			offer_fix(a, ds->at[i], fix);
}

/*
 * Offers all fixes at once. Diagnostics are sorted by position; a fix that starts before the end of the previous one
 * is left out this time.
 */
static void offer_all(struct acting *a)
{
	const struct diags *ds = &a->an->compile->diags;
	uint32_t done = 0;
	size_t n = 0;

	for (size_t i = 0; i < ds->n; i++) {
		const struct diag_fix *fix = ds->at[i]->fixes;
		if (!fix || source_of(a, fix) != a->source || !fix->edits || fix->edits->next ||
		    fix->edits->at.start < done)
			continue;
		if (!n++)
			action_begin(a, "source.fixAll", STR("apply all safe fixes"));
		put_fix_edits(a, fix, a->source);
		done = fix->edits->at.end + 1;
	}
	if (n)
		action_end(a);
}

bool actions_answer(struct request *r)
{
	struct acting a = { .r = r, .an = analysis_of(r->lsp, r->document) };

	a.root = a.an->compile->program.root;
	msg_open(r->out, '[');
	if (a.root && a.root->source) {
		a.source = a.root->source;
		a.lines = analysis_lines(a.an, a.source);
		a.from = lines_offset(a.lines, msg_position(r->params, "range.start"));
		a.to = lines_offset(a.lines, msg_position(r->params, "range.end"));
		if (action_wanted(&a, "quickfix")) {
			action_import(&a);
			offer_fixes(&a);
			action_required(&a);
			action_convert(&a);
		}
		if (action_wanted(&a, "refactor.extract"))
			action_extract(&a);
		if (action_wanted(&a, "source.organizeImports"))
			action_imports(&a);
		if (action_wanted(&a, "source.fixAll"))
			offer_all(&a);
	}
	msg_close(r->out, ']');
	return true;
}
