/* run_history.c - the launches of a run: what is noted, written, read and kept after the run was deleted. */
#include "runtime/run/run_history.h"

#include "base/words.h"
#include "data/data_read.h"
#include "data/data_write.h"
#include "plan/code.h"
#include "runtime/run/plan_facts.h"
#include "runtime/run/run_shape.h"
#include "runtime/status/look.h"

enum {
	TEXT_MOST = 256, CAUSE_MOST = 512, PARTS_MOST = 8, FACTS_MOST = 400,    /* of one launch */
	NUMBER_MOST = 1000000, NAMES_MOST = 10000, NAME_MOST = 253
};

/* ---- bounds ---- */

/* TEXT as one line of at most MOST bytes, which ends with a whole character. */
static struct str short_text(struct arena *a, struct str text, size_t most)
{
	struct str line = text_line(a, text);
	size_t n = line.n < most ? line.n : most;

	while (n && n < line.n && ((unsigned char)line.p[n] & 0xC0) == 0x80)
		n--;
	return str_copy(a, (struct str){ line.p, n });
}

/* The launch with copies of its texts, none of which is longer than it may be. */
static struct run_launch bounded(struct arena *a, const struct run_launch *from)
{
	struct run_launch x = *from;

	x.state = short_text(a, x.state, TEXT_MOST);
	x.cause = short_text(a, x.cause, CAUSE_MOST);
	x.by = short_text(a, x.by, TEXT_MOST);
	x.file = short_text(a, x.file, TEXT_MOST);
	x.program = short_text(a, x.program, TEXT_MOST);
	x.nimages = x.nimages < PARTS_MOST ? x.nimages : PARTS_MOST;
	x.ncode = x.ncode < PARTS_MOST ? x.ncode : PARTS_MOST;
	x.words = x.words > 0 && x.words <= FACT_WORDS ? x.words : 0;
	x.nfacts = x.words && x.nfacts <= FACTS_MOST ? x.nfacts : 0;    /* a part of them would be another program */
	x.facts = ARENA_ARRAY(a, struct str, x.nfacts);
	for (size_t i = 0; i < x.nfacts; i++)
		x.facts[i] = short_text(a, from->facts[i], FACT_BYTES);
	x.images = ARENA_ARRAY(a, struct str, x.nimages);
	x.code = ARENA_ARRAY(a, struct run_code, x.ncode);
	for (size_t i = 0; i < x.nimages; i++)
		x.images[i] = short_text(a, from->images[i], TEXT_MOST);
	for (size_t i = 0; i < x.ncode; i++) {
		x.code[i] = from->code[i];
		x.code[i].role = short_text(a, x.code[i].role, TEXT_MOST);
		x.code[i].id = short_text(a, x.code[i].id, CODE_ID);
		x.code[i].commit = short_text(a, x.code[i].commit, CODE_ID);
	}
	return x;
}

/* ---- what is noted ---- */

void launches_add(struct arena *a, struct run_launches *l, const struct run_launch *launch)
{
	struct run_launch x = bounded(a, launch);

	if (!x.number && l->n && l->at[l->n - 1].number >= NUMBER_MOST)
		for (size_t i = 0; i < l->n; i++)       /* somebody wrote that number: a larger one would not be read */
			l->at[i].number = (int64_t)i + 1;
	x.number = x.number ? x.number : l->n ? l->at[l->n - 1].number + 1 : 1;
	ARENA_PUSH(a, l->at, l->n, x);
}

void launches_end(struct arena *a, struct run_launches *l, const struct run_state *s, const char *state,
	const char *then, int64_t now)
{
	struct run_launch *last = l->n ? &l->at[l->n - 1] : NULL;
	bool final = run_phase_final(s->phase) && s->phase != RUN_UNKNOWN;

	if (!last || last->state.n)
		return;
	last->ended = final && s->end ? s->end : final && s->since ? s->since : now;
	last->state = str_of(final ? run_phase_word(s->phase) : state);
	last->cause = short_text(a, final ? s->cause : str_printf(a, "it was %s%s%.*s %s", run_phase_word(s->phase),
		s->cause.n ? ": " : "", STR_ARG(s->cause), then), CAUSE_MOST);
}

static void note_image(struct arena *a, struct str image, struct run_launch *x)
{
	for (size_t i = 0; i < x->nimages; i++)
		if (str_eq(x->images[i], image))
			return;
	if (image.n)
		ARENA_PUSH(a, x->images, x->nimages, image);
}

void launches_note(struct arena *a, const struct plan_job *j, struct run_launch *ret)
{
	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i];
		if (!r->max)
			continue;
		note_image(a, r->main.image.value, ret);
		if (!r->code)
			continue;
		struct run_code code = { .role = r->name, .id = r->code->live.n ? CODE_LIVE : code_now(r->code),
			.files = r->code->files, .bytes = r->code->bytes, .commit = r->code->commit,
			.dirty = r->code->dirty == CODE_DIRTY };
		ARENA_PUSH(a, ret->code, ret->ncode, code);
	}
	struct plan_facts f = plan_facts_of(a, j, FACTS_BYTES);
	ret->facts = f.at;
	ret->nfacts = f.n;
	ret->words = f.words;
}

struct run_launch launch_of_state(const struct run_state *s)
{
	bool final = run_phase_final(s->phase);

	return (struct run_launch){ .started = s->begin, .ended = final ? s->end : 0, .file = s->file,
		.state = final ? str_of(run_phase_word(s->phase)) : STR(""), .cause = final ? s->cause : STR(""),
		.program = s->digest, .images = s->images, .nimages = s->nimages, .code = s->code,
		.ncode = s->ncode, .words = s->words, .facts = s->facts, .nfacts = s->nfacts };
}

/* ---- text ---- */

static void put_launches(const struct run_launch *at, size_t n, struct buf *out)
{
	struct shape_out o = { .json = { .out = out, .text = data_write_text }, .use = IN_RECORD };

	out->n = 0;
	json_open(&o.json, '[');
	for (size_t i = 0; i < n; i++) {
		json_open(&o.json, '{');
		shape_write(&o, &shape_run_launch, &at[i]);
		json_close(&o.json, '}');
	}
	json_close(&o.json, ']');
}

/* Leaves out the facts of the oldest launch that has some; false if none has. */
static bool drop_facts(struct run_launch *at, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!at[i].nfacts)
			continue;
		at[i].nfacts = 0;
		at[i].words = 0;
		return true;
	}
	return false;
}

struct str launches_text(struct arena *a, const struct run_launches *l)
{
	size_t from = l->n > LAUNCH_MOST ? l->n - LAUNCH_MOST : 0, n = l->n - from;
	struct run_launch at[LAUNCH_MOST];
	struct buf b = { 0 };

	if (!n)
		return STR("");
	memcpy(at, l->at + from, n * sizeof *at);
	put_launches(at, n, &b);
	for (from = 0; b.n > LAUNCH_BYTES && (drop_facts(at, n) || ++from < n);)
		put_launches(at + from, n - from, &b);
	struct str text = b.n > LAUNCH_BYTES ? STR("") : buf_take(&b, a);
	buf_release(&b);
	return text;
}

static struct data *read_json(struct arena *a, struct str text, enum data_kind kind)
{
	struct source source = { .text = str_copy(a, text), .base = 1 };
	struct data_error error;
	struct data *d;

	return text.n && data_read_json(a, &source, &d, &error) && d->kind == kind ? d : NULL;
}

struct run_launches launches_read(struct arena *a, struct str text, bool over)
{
	const struct data *d = text.n <= 2 * LAUNCH_BYTES ? read_json(a, text, DATA_LIST) : NULL;
	struct shape_reader in = { .arena = a, .use = IN_RECORD };
	struct run_launches l = { 0 };
	size_t n = d ? d->u.list.n : 0;

	for (size_t i = n > LAUNCH_MOST ? n - LAUNCH_MOST : 0; i < n; i++) {
		struct run_launch x = { 0 };
		if (d->u.list.at[i]->kind != DATA_MAP || !shape_read(&in, &shape_run_launch, d->u.list.at[i], 0, &x))
			continue;
		int64_t least = l.n ? l.at[l.n - 1].number + 1 : 1;
		if (x.number >= least && x.number <= NUMBER_MOST)
			launches_add(a, &l, &x);
	}
	for (size_t i = 0; i < l.n; i++)
		if (!l.at[i].state.n && (over || i + 1 < l.n))
			l.at[i].state = str_of(run_phase_word(RUN_UNKNOWN));
	return l;
}

/* ---- histories of deleted runs ---- */

struct launch_shelf shelf_read(struct arena *a, const struct data *map)
{
	struct launch_shelf s = { 0 };

	for (size_t i = 0; map && map->kind == DATA_MAP && i < map->u.map.n && s.n < NAMES_MOST; i++) {
		const struct data_member *m = &map->u.map.at[i];
		struct shelf_entry x = { .name = m->key };
		if (m->value->kind != DATA_STRING || !m->key.n || m->key.n > NAME_MOST)
			continue;
		x.text = m->value->u.string;
		ARENA_PUSH(a, s.at, s.n, x);
	}
	return s;
}

struct str shelf_text(const struct launch_shelf *s, struct str name)
{
	for (size_t i = 0; i < s->n; i++)
		if (!s->at[i].dropped && str_eq(s->at[i].name, name))
			return s->at[i].text;
	return STR("");
}

/* When the last launch of a history ended; 0: the history cannot be read. */
static int64_t shelved_end(struct str text)
{
	struct arena a = { 0 };
	struct run_launches l = launches_read(&a, text, true);
	int64_t end = l.n ? l.at[l.n - 1].ended : 0;

	arena_release(&a);
	return end;
}

static size_t shelf_size(const struct launch_shelf *s)
{
	size_t bytes = 0;

	for (size_t i = 0; i < s->n; i++)
		bytes += s->at[i].dropped ? 0 : s->at[i].name.n + s->at[i].text.n;
	return bytes;
}

/* Drops the histories that ended first, but not KEEP, until the others have room. */
static void make_room(struct arena *a, struct launch_shelf *s, size_t keep)
{
	size_t bytes = shelf_size(s);
	int64_t *ends = bytes > SHELF_BYTES ? ARENA_ARRAY(a, int64_t, s->n) : NULL;

	for (size_t i = 0; ends && i < s->n; i++)
		ends[i] = shelved_end(s->at[i].text);
	while (bytes > SHELF_BYTES) {
		size_t first = s->n;
		for (size_t i = 0; i < s->n; i++)
			if (i != keep && !s->at[i].dropped && (first == s->n || ends[i] < ends[first]))
				first = i;
		if (first == s->n)
			return;
		s->at[first].dropped = true;
		bytes -= s->at[first].name.n + s->at[first].text.n;
	}
}

void shelf_put(struct arena *a, struct launch_shelf *s, struct str name, struct str text)
{
	struct shelf_entry x = { .name = name, .text = text };
	size_t i = 0;

	while (i < s->n && !str_eq(s->at[i].name, name))
		i++;
	if (i < s->n)
		s->at[i] = x;
	else
		ARENA_PUSH(a, s->at, s->n, x);
	make_room(a, s, i);
}
