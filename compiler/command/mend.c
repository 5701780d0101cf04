/*
 * mend.c - applies fixes. Texts in memory replace the files until all edits are settled. A round first tries all
 * edits together. If they cause a new error, it tries half of them, and so on down to the edit that causes the error.
 * Rounds are repeated as long as something changes, up to a number of trials. That number is smaller for a large
 * text, and if many misspelled names have to be compared with many names.
 */
#include "command/mend.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/path.h"
#include "command/fix.h"

/*
 * Limits for one program: a file of random text must not take long, and n errors in a file must not cost n
 * compilations of the file.
 */
enum { TRIALS = 400, TRIALS_OF_ANY = 32, TRIED_BYTES = 4 << 20, COMPARISONS = 1 << 23 };

/* The new text of a file that is being fixed. */
struct draft {
	struct str name, text;
	size_t fixed;
};

/* A compilation of the drafts, and what it reported. */
struct look {
	struct trainc *compile;
	/* number of errors in the syntax, of errors in names and types, and of all others */
	size_t errors[3], warnings;
};

struct mend {
	struct session session;         /* the session of the caller, with a reader that returns drafts */
	struct reader reader;
	const struct reader *files;
	struct str path;
	struct map drafts;              /* name -> struct draft */
	struct map refused;             /* edits that failed when they were tried alone */
	size_t trials, tried;           /* number of trials, and the total length of their texts */
	size_t compared;                /* number of names that were compared with misspelled ones, in all trials */
	size_t errors;                  /* number of errors before the first trial */
	size_t made;                    /* successful trials since `refused` was last emptied */
	struct look now;
	bool usable;                    /* false if options of the command are wrong */
	bool warnings;                  /* fixes of warnings are applied too */
};

static bool read_draft(void *context, struct arena *arena, struct str path, struct str *ret, struct str *why)
{
	struct mend *m = context;
	const struct draft *d = map_get(&m->drafts, path_join(arena, STR("."), path));

	if (!d)
		return m->files->read(m->files->context, arena, path, ret, why);
	*ret = str_copy(arena, d->text);
	return true;
}

static bool mended_leaves(void *context, struct arena *arena, struct str directory, struct str path)
{
	const struct mend *m = context;

	return m->files->leaves && m->files->leaves(m->files->context, arena, directory, path);
}

static bool mended_exists(void *context, struct str path)
{
	const struct mend *m = context;

	return m->files->exists(m->files->context, path);
}

static void mended_list(void *context, struct arena *arena, struct str directory,
	void (*each)(void *to, struct str name), void *to)
{
	const struct mend *m = context;

	m->files->list(m->files->context, arena, directory, each, to);
}

/* ---- finding the errors in the drafts ---- */

static bool counts(const struct diag *d)
{
	return d->severity == SEVERITY_ERROR && !d->denied;
}

/* The phase of an error: syntax errors hide errors in names, which hide errors in values. */
static int depth_of(enum diag_code code)
{
	char phase = diag_code_name(code)[3];

	return diag_code_name(code)[2] != '0' || phase > '3' ? 2 : phase > '1';
}

static bool look_at_errors(struct mend *m, struct look *ret)
{
	*ret = (struct look){ .compile = session_open(&m->session) };
	if (!ret->compile)
		return false;
	/* library modules are read whole, because there are diagnostics to report */
	ret->compile->options.parts = false;
	trainc_compile(ret->compile, m->path.p);
	trainc_finish(ret->compile);
	m->compared += ret->compile->arena.compared;
	for (size_t i = 0; i < ret->compile->diags.n; i++) {
		const struct diag *d = ret->compile->diags.at[i];
		if (counts(d))
			ret->errors[depth_of(d->code)]++;
		else
			ret->warnings++;
	}
	return true;
}

static size_t total(const struct look *l) { return l->errors[0] + l->errors[1] + l->errors[2]; }

static int compare_looks(const struct look *a, const struct look *b)
{
	for (int i = 0; i < 3; i++)
		if (a->errors[i] != b->errors[i])
			return a->errors[i] < b->errors[i] ? -1 : 1;
	return a->warnings < b->warnings ? -1 : a->warnings > b->warnings;
}

/* ---- how edits move errors ---- */

/* The position of an earlier error after the edits: its file and its offset in the edited text. */
struct old {
	struct str name;
	uint32_t offset;
	enum diag_code code;
};

struct trial {
	struct mend *m;
	struct fixes fixes;
	struct map edits;               /* name -> struct fix_edits */
	struct old *old;                /* sorted */
	size_t nold;
	struct look after;
};

static int compare_old(const void *a, const void *b)
{
	const struct old *x = a, *y = b;
	int names = str_cmp(x->name, y->name);

	if (names)
		return names;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return (x->code > y->code) - (x->code < y->code);
}

static void gather_edits(struct trial *t)
{
	struct trainc *c = t->m->now.compile;

	for (size_t i = 0; i < c->sources.n; i++) {
		struct fix_edits *e = ARENA_NEW(&c->arena, struct fix_edits);
		*e = fix_edits(&c->diags, t->fixes, c->sources.at[i]);
		if (e->n)
			map_put(&t->edits, &c->arena, c->sources.at[i]->name, e);
	}
}

static struct old place_after(const struct trial *t, const struct diag *d)
{
	const struct source *source = source_at(t->m->now.compile->diags.sources, d->at.start);
	const struct fix_edits *e = source ? map_get(&t->edits, source->name) : NULL;
	uint32_t offset = source ? d->at.start - source->base : 0;

	return (struct old){ source ? source->name : STR(""), e ? fix_moved(e, offset) : offset, d->code };
}

static void gather_old(struct trial *t)
{
	const struct diags *ds = &t->m->now.compile->diags;

	t->old = ARENA_ARRAY(ds->arena, struct old, ds->n);
	for (size_t i = 0; i < ds->n; i++)
		if (counts(ds->at[i]))
			t->old[t->nold++] = place_after(t, ds->at[i]);
	if (t->nold)
		qsort(t->old, t->nold, sizeof *t->old, compare_old);
}

static bool is_new(const struct trial *t, const struct diag *d, const struct source *source)
{
	struct old key = { source->name, d->at.start - source->base, d->code };

	return !t->nold || !bsearch(&key, t->old, t->nold, sizeof *t->old, compare_old);
}

static bool on_one_line(struct str text, uint32_t from, uint32_t to)
{
	return from <= to && !memchr(text.p + from, '\n', to - from);
}

/*
 * Is an error about text that the edits wrote? With ON_LINE, an error on the same line counts too. Offsets are in the
 * edited text.
 */
static bool is_about(const struct fix_edits *edits, struct str text, uint32_t start, uint32_t end, bool on_line)
{
	size_t i = fix_around(edits, start);    /* all edits before this one end before the error starts */

	if (i < edits->n && edits->now[i] < end)
		return true;
	return on_line && ((i < edits->n && on_one_line(text, start, edits->now[i])) ||
		(i > 0 && on_one_line(text, edits->now[i - 1] + (uint32_t)edits->at[i - 1]->text.n, start)));
}

/*
 * If there are fewer errors than before, is the remaining error D just the next step? It is if it has a fix of its
 * own, if it is an error in values, which earlier errors had hidden, or if it is TJ0201: only the user can correct an
 * unknown name.
 */
static bool is_progress(const struct diag *d)
{
	return d->fixes || depth_of(d->code) == 2 || d->code == TJ0201;
}

/* Returns the part of a message that says what was expected, without the names in it. */
static struct str expectation(struct str message)
{
	static const char *const ends[] = { " after ", " before ", ", found " };

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		const char *end = message.n ? memmem(message.p, message.n, ends[i], strlen(ends[i])) : NULL;
		if (end)
			message.n = (size_t)(end - message.p);
	}
	return message;
}

/*
 * Is D the same mistake at a later position, which the first mistake hid? For example, a list of f-strings is read
 * only up to the first.
 */
static bool is_next(const struct trial *t, const struct diag *d, const struct source *source)
{
	const struct diag *was = t->fixes.at[0];
	struct old o = place_after(t, was);

	return t->fixes.n == 1 && d->fixes && d->code == was->code &&
		str_eq(expectation(d->message), expectation(was->message)) &&
		str_eq(o.name, source->name) && d->at.start - source->base > o.offset;
}

/*
 * Is D a type error about exactly the text that an edit wrote, and without a fix of its own? Then the edit wrote a
 * name that does not fit there.
 */
static bool is_use_of(const struct fix_edits *edits, const struct diag *d, const struct source *source)
{
	uint32_t start = d->at.start - source->base, end = d->at.end - source->base;
	size_t i = fix_around(edits, start);

	return start < end && i < edits->n && !d->fixes && d->code != TJ0201 && edits->now[i] == start &&
		start + edits->at[i]->text.n == end;
}

/*
 * Do the edits cause new errors? A new error about text that an edit wrote counts. So does a new error on the line of
 * an edit, unless there are now fewer errors and only one edit was made. All other new errors were hidden before.
 */
static bool brings_errors(const struct trial *t)
{
	const struct diags *ds = &t->after.compile->diags;
	bool fewer = compare_looks(&t->after, &t->m->now) < 0;

	for (size_t i = 0; i < ds->n; i++) {
		const struct diag *d = ds->at[i];
		const struct source *source = counts(d) ? source_at(ds->sources, d->at.start) : NULL;
		const struct fix_edits *e = source ? map_get(&t->edits, source->name) : NULL;

		if (!e || (fewer && is_progress(d) && !is_use_of(e, d, source)) || !is_new(t, d, source) ||
			is_next(t, d, source))
			continue;
		if (is_about(e, source->text, d->at.start - source->base, d->at.end - source->base,
			!fewer || t->fixes.n > 1))
			return true;
	}
	return false;
}

/*
 * Does one of the mistakes remain at its position? If there are fewer errors and it has a fix, it is the next of
 * several steps and does not count.
 */
static bool in_vain(const struct trial *t)
{
	bool fewer = compare_looks(&t->after, &t->m->now) < 0;
	const struct diags *ds = &t->after.compile->diags;
	struct map stays = { 0 };

	for (size_t i = 0; i < ds->n; i++) {
		const struct source *source = source_at(ds->sources, ds->at[i]->at.start);
		if (source)
			map_put(&stays, ds->arena, str_printf(ds->arena, "%s %u %.*s", diag_code_name(ds->at[i]->code),
				ds->at[i]->at.start - source->base, STR_ARG(source->name)), ds->at[i]);
	}
	for (size_t i = 0; i < t->fixes.n; i++) {
		struct old o = place_after(t, t->fixes.at[i]);
		const struct diag *again = map_get(&stays,
			str_printf(ds->arena, "%s %u %.*s", diag_code_name(o.code), o.offset, STR_ARG(o.name)));
		if (again && !(again->fixes && fewer))
			return true;
	}
	return false;
}

/* ---- trials ---- */

static struct draft *draft_of(struct mend *m, struct str name)
{
	struct draft *d = map_get(&m->drafts, name);

	if (!d) {
		d = ARENA_NEW(m->session.arena, struct draft);
		d->name = str_copy(m->session.arena, name);
		map_put(&m->drafts, m->session.arena, d->name, d);
	}
	return d;
}

/* Puts the edits of a trial into the drafts; undo() removes them again. */
static void put_edits(struct trial *t, bool undo)
{
	for (size_t i = 0; i < t->edits.n; i++) {
		const struct fix_edits *e = t->edits.entries[i].value;
		struct draft *d = draft_of(t->m, e->source->name);
		struct buf text = { 0 };

		if (undo) {
			d->text = str_copy(t->m->session.arena, e->source->text);
			d->fixed -= e->fixes;
			continue;
		}
		fix_write(e, &text);
		d->text = buf_take(&text, t->m->session.arena);
		t->m->tried += d->text.n;
		d->fixed += e->fixes;
		buf_release(&text);
	}
}

/* Applies the edits, and undoes them if they bring new errors or leave the mistake. */
static bool attempt(struct mend *m, struct fixes fixes)
{
	struct trial t = { .m = m, .fixes = fixes };

	m->trials++;
	gather_edits(&t);
	gather_old(&t);
	put_edits(&t, false);
	m->usable = look_at_errors(m, &t.after);
	if (!m->usable)
		return false;
	bool good = !brings_errors(&t) && !in_vain(&t);
	if (!good)
		put_edits(&t, true);
	trainc_close(good ? m->now.compile : t.after.compile);
	if (good)
		m->now = t.after;
	m->made += good;
	return good;
}

/* Returns a key for an edit: the text that it writes, and its line, without the changes of other edits. */
static struct str key_of(const struct mend *m, const struct diag *d, const struct source *source)
{
	return str_printf(m->session.arena, "%s %.*s: %.*s\n%.*s", diag_code_name(d->code), STR_ARG(source->name),
		STR_ARG(d->fixes->title),
		STR_ARG(source_line(m->now.compile->diags.sources, d->fixes->edits->at.start)));
}

static void refuse_mend(struct mend *m, const struct diag *d)
{
	const struct sources *sources = &m->now.compile->sources;
	struct place at = source_place(sources, d->at.start);
	struct str *what = ARENA_NEW(m->session.arena, struct str);

	*what = str_printf(m->session.arena, "%.*s:%u: not fixed, because the fix would cause another error: %.*s",
		STR_ARG(at.source->name), at.line,
		STR_ARG(d->fixes->title));
	map_put(&m->refused, m->session.arena, key_of(m, d, at.source), what);
}

static bool may_be_fixed(const struct trainc *c, const struct source *source)
{
	if (source->library || str_is(source->name, "command line") || str_is(source->name, "<stdin>"))
		return false;
	for (size_t i = 0; i < c->program.n; i++)
		if (c->program.modules[i]->source == source)
			return !c->program.modules[i]->library && !c->program.modules[i]->dotted.n;
	return c->program.project.module && c->program.project.module->source == source;
}

static bool is_mendable(void *context, const struct diag *d, const struct source *source)
{
	const struct mend *m = context;

	if (d->severity == SEVERITY_WARNING && !m->warnings)
		return false;
	return may_be_fixed(m->now.compile, source) && !map_get(&m->refused, key_of(m, d, source));
}

static bool is_tired(const struct mend *m)
{
	return m->trials >= TRIALS || m->compared >= COMPARISONS ||
		(m->trials >= TRIALS_OF_ANY && m->tried >= TRIED_BYTES);
}

/* Makes one round; true if something changed. */
static bool mend_round(struct mend *m)
{
	struct fixes all = fix_choose(&m->now.compile->diags, is_mendable, m);

	/*
	 * Positions of edits refer to the texts in which they were found, so after each success the remaining edits are
	 * searched anew.
	 */
	for (size_t n = all.n; n && m->usable && !is_tired(m); n = n / 2 + n % 2 * (n > 1)) {
		if (attempt(m, (struct fixes){ all.at, n }))
			return true;
		if (n == 1) {
			refuse_mend(m, all.at[0]);
			return m->usable;
		}
	}
	return false;
}

static bool write_drafts(struct mend *m, struct session *s)
{
	for (size_t i = 0; i < m->drafts.n; i++) {
		const struct draft *d = m->drafts.entries[i].value;
		if (!d->fixed)
			continue;
		if (!session_replace(s, d->name, d->text))
			return false;
		session_say(s, "fixed %zu in %.*s", d->fixed, STR_ARG(d->name));
	}
	for (size_t i = 0; i < m->refused.n; i++) {
		const struct str *what = m->refused.entries[i].value;
		session_say(s, "%.*s", STR_ARG(*what));
	}
	if (is_tired(m) && (total(&m->now) || (m->warnings && m->now.warnings)))
		session_say(s, "stopped after %zu attempts: fix the lines above, then run it again", m->trials);
	return true;
}

/* Repeats rounds until the texts of the program, M's drafts, no longer change. */
static void settle_all(struct mend *m, struct session *s, struct str path)
{
	*m = (struct mend){ .session = *s, .files = s->reader, .path = path };
	m->warnings = str_is(option_value(s->options, OPTION_FIX), "warnings");
	m->reader = (struct reader){ m, read_draft, s->reader->exists ? mended_exists : NULL,
		s->reader->list ? mended_list : NULL, mended_leaves,
		s->reader->real };
	m->session.reader = &m->reader;
	m->usable = look_at_errors(m, &m->now);
	m->errors = total(&m->now);
	do {
		m->made = 0;
		/* an edit that failed together with other edits may succeed now */
		m->refused = (struct map){ 0 };
		while (m->usable && !is_tired(m) && mend_round(m))
			continue;
	} while (m->usable && !is_tired(m) && m->made && m->refused.n);
	trainc_close(m->now.compile);
}

bool mend_program(struct session *s, struct str path, size_t *ret_errors)
{
	struct mend m;

	settle_all(&m, s, path);
	*ret_errors = m.errors;
	return m.usable && write_drafts(&m, s);
}

bool mend_texts(struct session *s, struct str path, void (*each)(void *to, struct str name, struct str text), void *to)
{
	struct mend m;

	settle_all(&m, s, path);
	for (size_t i = 0; m.usable && i < m.drafts.n; i++) {
		const struct draft *d = m.drafts.entries[i].value;
		if (d->fixed)
			each(to, d->name, d->text);
	}
	return m.usable && !is_tired(&m);
}
