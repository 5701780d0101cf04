/*
 * hints.c - shows values next to the source text, and the number of objects of a job. Nothing is shown for a
 * declaration with an error, since its values are not final.
 */
#include <inttypes.h>

#include "emit/emit.h"
#include "lsp/defaults.h"
#include "lsp/describe.h"
#include "lsp/describe_role.h"
#include "plan/totals.h"
#include "syntax/walk.h"

struct hinting {
	struct request *r;
	struct analysis *an;
	const struct lsp_lines *lines;
	uint32_t base;
	size_t from, to;                /* the range of offsets for which the client requests hints */
};

static void put_hint(struct hinting *h, uint32_t at, struct str label, struct str tooltip)
{
	size_t offset = at - h->base;

	if (offset < h->from || offset > h->to || !label.n)
		return;
	msg_open(h->r->out, '{');
	msg_add_position(h->r->out, "position", lines_position(h->lines, offset));
	msg_add_text(h->r->out, "label", label);
	msg_add_bool(h->r->out, "paddingLeft", true);
	if (tooltip.n)
		msg_add_markup(h->r->out, "tooltip", h->r->lsp->client.markdown, tooltip);
	msg_close(h->r->out, '}');
}

/* Is there an error in the declaration? */
static bool has_error(const struct analysis *an, struct span at)
{
	for (size_t i = 0; i < an->compile->diags.n; i++) {
		const struct diag *d = an->compile->diags.at[i];
		if (d->severity == SEVERITY_ERROR && d->at.start >= at.start && d->at.start <= at.end)
			return true;
	}
	return false;
}

static const struct node *set_value(const struct node *body, const char *field)
{
	for (size_t i = 0; body && body->kind == NODE_BODY && i < body->u.body.items.n; i++) {
		const struct node *item = body->u.body.items.at[i];
		if (item->kind == NODE_SET && str_is(item->u.item.key.text, field))
			return item->u.item.value;
	}
	return NULL;
}

static bool is_plain_literal(const struct node *n)
{
	struct str text;

	return n->kind == NODE_INT || n->kind == NODE_QUANTITY || n->kind == NODE_FLOAT || n->kind == NODE_BOOL ||
		n->kind == NODE_NONE || n->kind == NODE_ELASTIC || node_static_text(n, &text);
}

/* ---- roles ---- */

static int64_t per_replica(const struct plan_role *r)
{
	return r->accelerator && r->accelerator->per_pod > 0 ? r->accelerator->per_pod : 1;
}

static struct str world_size(struct arena *a, const struct plan_role *r)
{
	int64_t each = per_replica(r);

	if (r->elastic)
		return str_printf(a, "world size %" PRId64 " to %" PRId64, r->min * each, r->max * each);
	return str_printf(a, "world size %" PRId64, r->max * each);
}

static struct str environment_tip(struct arena *a, const struct env_values *env, struct str defaults)
{
	struct buf b = { 0 };

	buf_str(&b, defaults_text(a, defaults));
	buf_z(&b, "```sh\n");
	for (size_t i = 0; i < env->n && i < 60; i++) {
		buf_printf(&b, "%.*s=", STR_ARG(env->at[i].name));
		struct str value = describe_env(a, &env->at[i]);
		buf_put(&b, value.p, value.n < 120 ? value.n : 120);
		buf_char(&b, '\n');
	}
	buf_z(&b, "```\n");
	struct str text = buf_take(&b, a);
	buf_release(&b);
	return text;
}

/*
 * Returns where to show the hint of a job or role whose name ends at NAME. It is after the opening brace, so that the
 * brace stays next to the name, or after the closing brace at END if both braces are on the same line.
 */
static uint32_t place_of_block(const struct hinting *h, uint32_t name, const struct node *body, uint32_t end)
{
	uint32_t start = body->span.start;

	if (start < name || h->an->compile->program.root->source->text.p[start - h->base] != '{')
		return name;
	bool one_line = lines_number(h->lines, name - h->base) == lines_number(h->lines, end - h->base);
	return one_line ? end : start + 1;
}

/*
 * Shows what the role gets without any mention in the program: settings of a framework or the project, variables.
 */
static void hint_defaults(struct hinting *h, const struct plan_job *j, const struct plan_role *r,
	const struct node *block)
{
	struct arena *a = h->r->arena;
	struct env_values env = plan_env(a, j, r, &r->main, 0, &placement_cluster);
	struct lsp_defaults defaults = defaults_of_role(a, h->an, r);
	size_t derived = 0;
	struct buf b = { 0 };

	for (size_t i = 0; i < env.n; i++)
		derived += env.at[i].from && env.at[i].from->framework;
	buf_str(&b, world_size(a, r));
	if (defaults.decided.n)
		buf_printf(&b, ", %.*s", STR_ARG(defaults.decided));
	if (derived)
		buf_printf(&b, ", %zu variables", derived);
	put_hint(h, place_of_block(h, block->u.block.name_span.end, block->u.block.body, block->span.end),
		buf_take(&b, a), environment_tip(a, &env, defaults.all));
	buf_release(&b);
}

static void hint_role(struct hinting *h, const struct plan_job *j, const struct plan_role *r, const struct node *block)
{
	const struct node *replicas = set_value(block->u.block.body, "replicas"),
		*device = set_value(block->u.block.body, "accelerator");
	struct arena *a = h->r->arena;
	struct str devices = describe_devices(a, r);

	if (!r->max)
		return;
	hint_defaults(h, j, r, block);
	if (replicas && !is_plain_literal(replicas))
		put_hint(h, replicas->span.end, str_printf(a, "= %.*s", STR_ARG(describe_replicas(a, r))), STR(""));
	if (device && devices.n) {
		const char *equals = memmem(devices.p, devices.n, "= ", 2);
		put_hint(h, device->span.end,
			equals ? (struct str){ equals, devices.n - (size_t)(equals - devices.p) } : devices, devices);
	}
}

static void hint_job(struct hinting *h, const struct node *job)
{
	const struct node *body = job->u.job.body;
	const struct plan_job *whole = describe_job_in(&h->an->compile->plan, job->span);

	if (whole && body && body->kind == NODE_BODY) {
		struct lsp_defaults d = defaults_of_job(h->r->arena, h->an, whole);
		if (d.decided.n)
			put_hint(h, place_of_block(h, body->span.start, body, job->span.end),
				d.decided, defaults_text(h->r->arena, d.all));
	}
	for (size_t i = 0; body && body->kind == NODE_BODY && i < body->u.body.items.n; i++) {
		const struct node *block = body->u.body.items.at[i];
		const struct plan_job *j;
		const struct plan_role *r;
		if (block->kind != NODE_BLOCK || !block->u.block.decl)
			continue;
		describe_place(h->an, block->u.block.name_span.start, &j, &r);
		if (j && r)
			hint_role(h, j, r, block);
	}
}

/* ---- lets ---- */

static void hint_let(struct hinting *h, const struct node *n)
{
	const struct eval *ev = &h->an->compile->eval;
	const struct decl *d = n->u.binding.decl;

	if (!d || !n->u.binding.value || is_plain_literal(n->u.binding.value))
		return;
	const struct slot *slot = eval_known_slot(ev, d);
	bool shown = slot && slot->state == SLOT_DONE && slot->value && value_ok(slot->value) &&
		slot->value->kind != VALUE_MAP && slot->value->kind != VALUE_LIST;
	if (shown)
		put_hint(h, n->span.end, str_printf(h->r->arena, "= %.*s",
			STR_ARG(value_spell(h->r->arena, slot->value))), STR(""));
}

bool hints_answer(struct request *r)
{
	struct analysis *an = analysis_of(r->lsp, r->document);
	struct module *root = an->compile->program.root;
	struct hinting h = { .r = r, .an = an };

	msg_open(r->out, '[');
	if (root && root->source) {
		h.lines = analysis_lines(an, root->source);
		h.base = root->source->base;
		h.from = lines_offset(h.lines, msg_position(r->params, "range.start"));
		h.to = lines_offset(h.lines, msg_position(r->params, "range.end"));
		for (size_t i = 0; i < root->file->u.file.decls.n; i++) {
			const struct node *n = root->file->u.file.decls.at[i];
			if (n->span.end - h.base < h.from || n->span.start - h.base > h.to || has_error(an, n->span))
				continue;
			if (n->kind == NODE_JOB)
				hint_job(&h, n);
			if (n->kind == NODE_LET)
				hint_let(&h, n);
		}
	}
	msg_close(r->out, ']');
	return true;
}

/* ---- lenses ---- */

static void put_lens(struct hinting *h, struct span at, struct str title, const char *command, struct str job)
{
	struct buf *out = h->r->out;

	msg_open(out, '{');
	msg_add_range(out, "range", h->lines, at.start - h->base, at.end - h->base);
	msg_add_object(out, "command");
	msg_add_text(out, "title", title);
	msg_add_z(out, "command", command);
	msg_add_list(out, "arguments");
	msg_open(out, '{');
	msg_add_text(out, "uri", h->r->document->uri);
	msg_add_text(out, "job", job);
	msg_close(out, '}');
	msg_close(out, ']');
	msg_close(out, '}');
	msg_close(out, '}');
}

bool lens_answer(struct request *r)
{
	struct analysis *an = analysis_of(r->lsp, r->document);
	struct module *root = an->compile->program.root;
	struct hinting h = { .r = r, .an = an };

	msg_open(r->out, '[');
	const size_t *counts = an->sound ? emit_counts(r->arena, &an->compile->plan) : NULL;
	for (size_t i = 0; counts && i < an->compile->plan.njobs; i++) {
		const struct plan_job *j = &an->compile->plan.jobs[i];
		h.lines = analysis_lines(an, root->source);
		h.base = root->source->base;
		if (!span_known(j->name_at) || j->name_at.start < h.base ||
		    j->name_at.end > h.base + root->source->text.n)
			continue;
		put_lens(&h, j->name_at, str_printf(r->arena, "objects (%zu)", counts[i]), "trainc.preview", j->name);
		put_lens(&h, j->name_at, STR("environment"), "trainc.environment", j->name);
	}
	msg_close(r->out, ']');
	return true;
}
