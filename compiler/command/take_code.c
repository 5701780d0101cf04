/*
 * take_code.c - one pass over the roles of a complete plan. The packed archive stays in the memory of the program.
 */
#include "command/take_code.h"

#include <stdlib.h>

#include "plan/code.h"

static struct str *code_texts(struct arena *a, const struct plan_str *list, size_t n)
{
	struct str *at = ARENA_ARRAY(a, struct str, n);

	for (size_t i = 0; i < n; i++)
		at[i] = list[i].value;
	return at;
}

/* The directory of the state of local runs, which may be in the project; empty if the environment does not say it. */
static struct str state_directory(struct arena *a)
{
	const char *own = getenv("TRAINC_STATE_DIR"), *xdg = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

	if (own && *own)
		return str_of(own);
	if (xdg && *xdg)
		return str_cat(a, str_of(xdg), STR("/trainc"), STR(""));
	return home && *home ? str_cat(a, str_of(home), STR("/.local/state/trainc"), STR("")) : STR("");
}

struct snapshot_wish code_wish(struct trainc *t, const struct plan_code *code)
{
	struct arena *a = &t->arena;

	return (struct snapshot_wish){ .project = t->program.project.root,
		.dir = str_is(code->dir, ".") ? STR("") : code->dir, .state = state_directory(a),
		.outputs = t->options.outputs, .noutputs = t->options.noutputs,
		.exclude = code_texts(a, code->exclude, code->nexclude), .nexclude = code->nexclude,
		.include = code_texts(a, code->include, code->ninclude), .ninclude = code->ninclude,
		.allow = code_texts(a, code->allow, code->nallow), .nallow = code->nallow,
		.max = (uint64_t)(code->max.value.nano / QUANTITY_UNIT),
		.most_packed = t->options.job.here || t->options.shows_code || code->claim.set ? SIZE_MAX :
			CODE_PACKED };
}

/* ---- sharing ---- */

/* Snapshots that were taken for the program. */
struct taken {
	const struct plan_code *code;
	struct snapshot snapshot;
	struct str packed;
	bool ok;
	struct taken *next;
};

static bool same_texts(const struct plan_str *a, size_t na, const struct plan_str *b, size_t nb)
{
	bool same = na == nb;

	for (size_t i = 0; same && i < na; i++)
		same = str_eq(a[i].value, b[i].value);
	return same;
}

static bool same_wish(const struct plan_code *a, const struct plan_code *b)
{
	return str_eq(a->dir, b->dir) && a->claim.set == b->claim.set && a->max.value.nano == b->max.value.nano &&
		same_texts(a->exclude, a->nexclude, b->exclude, b->nexclude) &&
		same_texts(a->include, a->ninclude, b->include, b->ninclude) &&
		same_texts(a->allow, a->nallow, b->allow, b->nallow);
}

static struct taken *take_one(struct trainc *t, const struct plan_code *code, struct taken **all)
{
	struct snapshot_wish wish = code_wish(t, code);

	for (struct taken *known = *all; known; known = known->next)
		if (same_wish(known->code, code))
			return known;
	struct taken *new = ARENA_NEW(&t->arena, struct taken);
	*new = (struct taken){ .code = code, .next = *all };
	*all = new;
	new->ok = snapshot_take(&t->arena, &wish, &new->snapshot);
	if (new->ok)
		new->packed = buf_take(&new->snapshot.packed, &t->arena);
	else
		report_snapshot(t, code, &new->snapshot);
	snapshot_release(&new->snapshot);
	return new;
}

static void complete_code(struct plan_code *code, const struct taken *taken)
{
	/* the words of the step of unpacking share this text, so that it is changed in place */
	memcpy((char *)(uintptr_t)code->id.p, taken->snapshot.id, code->id.n);
	code->files = (int64_t)taken->snapshot.tree.n;
	code->bytes = (int64_t)taken->snapshot.tree.bytes;
	code->packed = taken->packed;
	code->parts = code->claim.set ? 0 : (int64_t)((taken->packed.n + CODE_PART - 1) / CODE_PART);
}

/* Tells the step that unpacks the code of R how large the archive is, which gzip has noted at its end. */
static void complete_step(struct arena *a, const struct plan_role *r)
{
	const struct str packed = r->code->packed;
	uint32_t size = 0;

	for (size_t i = 0; i < 4; i++)
		size = size << 8 | (unsigned char)packed.p[packed.n - 1 - i];
	for (size_t i = 0; i < r->ninits && !r->code->unpack.set; i++) {
		const struct plan_texts *words = &r->inits[i].command;
		struct piece *piece = ARENA_NEW(a, struct piece);
		*piece = (struct piece){ .kind = PIECE_TEXT, .u.text = str_int(a, size) };
		if (code_unpacks(r, &r->inits[i]))
			words->at[words->n - 1] = (struct text){ piece, 1, r->code->from };
	}
}

/* Finds the directory that the replicas of a role will see itself. */
static void find_live(struct trainc *t, struct plan_code *code)
{
	struct snapshot_wish wish = code_wish(t, code);
	struct snapshot found;

	if (!snapshot_find(&t->arena, &wish, &found, &code->live))
		report_snapshot(t, code, &found);
}

void take_code(struct trainc *t)
{
	struct taken *all = NULL;

	for (size_t i = 0; i < t->plan.njobs; i++)
		for (size_t k = 0; k < t->plan.jobs[i].nroles; k++) {
			const struct plan_role *r = &t->plan.jobs[i].roles[k];
			if (!r->code || !r->max)
				continue;
			if (t->options.live_code) {
				find_live(t, r->code);
				continue;
			}
			const struct taken *taken = r->code->packed.n ? NULL : take_one(t, r->code, &all);
			if (taken && taken->ok) {
				complete_code(r->code, taken);
				warn_of_missing(t, r, &taken->snapshot);
			}
			if (r->code->packed.n)
				complete_step(&t->arena, r);
		}
}
