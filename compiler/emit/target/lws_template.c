/*
 * lws_template.c - makes one role of those of all copies of a cell, for a target whose copies share a template. Texts
 * that differ only in the number of the copy, or in the number of the pod in its copy, become texts that refer to it;
 * the pod reads both numbers from its labels. Whatever differs otherwise is reported.
 */
#include "emit/each.h"

/* The texts of a place in the role, such as a variable, in all copies; per_replica is NULL where it is not computed. */
struct variant {
	const struct text *text, *per_replica;
};

struct group_merging {
	struct arena *arena;
	const struct plan_job *job;
	const struct plan_role **roles; /* the role in each copy */
	size_t n;
	struct variant *variants;       /* n of them, for the text that is being merged */
	struct group_conflict conflict;
};

/* ---- texts without hosts and ports, whose plain parts are joined ---- */

struct flat_text {
	struct arena *arena;
	struct buf run;
	struct piece *at;
	size_t n;
};

static void flat_end(struct flat_text *f)
{
	if (!f->run.n)
		return;
	struct piece text = { .kind = PIECE_TEXT, .u.text = buf_take(&f->run, f->arena) };
	ARENA_PUSH(f->arena, f->at, f->n, text);
}

static void flat_add(struct flat_text *f, struct piece p)
{
	flat_end(f);
	ARENA_PUSH(f->arena, f->at, f->n, p);
}

static struct text flat_take(struct flat_text *f, struct span from)
{
	flat_end(f);
	buf_release(&f->run);
	return (struct text){ f->at, f->n, from };
}

/* Adds the own host of a pod whose number is not known: its name, and the Service of all pods of the cell. */
static void flat_own_host(struct flat_text *f, const struct plan_role *r)
{
	struct piece name = { .kind = PIECE_FIELD, .u.field = POD_NAME };

	flat_add(f, name);
	buf_char(&f->run, '.');
	buf_str(&f->run, plan_group_name(f->arena, r));
}

/* Adds a piece of the text of replica I, or of all replicas if I is OWN_INDEX. False: pods cannot compute it. */
static bool flat_piece(struct flat_text *f, const struct plan_job *j, const struct plan_role *r, int64_t i,
	const struct piece *p)
{
	int64_t own = i == OWN_INDEX && r->max == 1 ? 0 : i, index;

	switch (p->kind) {
	case PIECE_TEXT:
		buf_str(&f->run, p->u.text);
		return true;
	case PIECE_INDEX:
		if (own != OWN_INDEX)
			buf_int(&f->run, own);
		else if (!r->before)
			flat_add(f, *p);
		return own != OWN_INDEX || !r->before;
	case PIECE_HOST:
		index = p->u.peer.index == OWN_INDEX ? own : p->u.peer.index;
		if (index != OWN_INDEX)
			plan_host(j, &j->roles[p->u.peer.role], index, &f->run);
		else if (&j->roles[p->u.peer.role] == r)
			flat_own_host(f, r);
		return index != OWN_INDEX || &j->roles[p->u.peer.role] == r;
	case PIECE_PORT:
		buf_int(&f->run, placement_cluster.port(NULL, j, &j->roles[p->u.peer.role], p->u.peer.index,
			p->u.peer.port));
		return true;
	case PIECE_FIELD: case PIECE_ENV:
		flat_add(f, *p);
		return true;
	}
	return false;
}

static bool flatten(const struct group_merging *m, const struct plan_role *r, int64_t i, const struct text *t,
	struct text *ret)
{
	struct flat_text f = { .arena = m->arena };
	bool ok = true;

	for (size_t k = 0; k < t->n && ok; k++)
		ok = flat_piece(&f, m->job, r, i, &t->at[k]);
	*ret = flat_take(&f, t->from);
	return ok;
}

static bool same_piece(const struct piece *a, const struct piece *b)
{
	if (a->kind != b->kind)
		return false;
	return a->kind == PIECE_FIELD ? a->u.field == b->u.field : a->kind == PIECE_INDEX ||
		str_eq(a->u.text, b->u.text);
}

static bool same_text(const struct text *a, const struct text *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (!same_piece(&a->at[i], &b->at[i]))
			return false;
	return true;
}

/* ---- texts that differ in a number ---- */

static bool is_digit(struct str s, size_t at) { return at < s.n && s.p[at] >= '0' && s.p[at] <= '9'; }

/* Does the number start at this place of the text? WHOLE: no other digit is beside it. */
static bool number_at(struct str s, size_t at, struct str number, bool whole)
{
	return at + number.n <= s.n && memcmp(s.p + at, number.p, number.n) == 0 &&
		(!whole || ((!at || !is_digit(s, at - 1)) && !is_digit(s, at + number.n)));
}

/*
 * Writes the text of which A is the form for number NA and B that for NB, with HOLE in place of the number. A number
 * that is a word in both texts is found first, since two numbers may begin with the same digit.
 */
static bool pattern_of(struct flat_text *f, struct str a, struct str b, struct str na, struct str nb, struct piece hole)
{
	size_t i = 0, k = 0;

	while (i < a.n || k < b.n) {
		bool word = number_at(a, i, na, true) && number_at(b, k, nb, true);
		if (!word && i < a.n && k < b.n && a.p[i] == b.p[k]) {
			buf_char(&f->run, a.p[i]);
			i++;
			k++;
			continue;
		}
		if (!word && !(number_at(a, i, na, false) && number_at(b, k, nb, false)))
			return false;
		flat_add(f, hole);
		i += na.n;
		k += nb.n;
	}
	return true;
}

/* The text with HOLE filled by the number. */
static struct text filled(struct arena *a, const struct text *t, struct piece hole, int64_t number)
{
	struct flat_text f = { .arena = a };

	for (size_t i = 0; i < t->n; i++)
		if (same_piece(&t->at[i], &hole))
			buf_int(&f.run, number);
		else if (t->at[i].kind == PIECE_TEXT)
			buf_str(&f.run, t->at[i].u.text);
		else
			flat_add(&f, t->at[i]);
	return flat_take(&f, t->from);
}

/*
 * Finds the text of which texts[i] is the form for the number first + i; false if there is none. The first two decide,
 * and the others must have that form, too.
 */
static bool merge_numbered(struct arena *arena, const struct text *texts, size_t n, int64_t first, struct piece hole,
	struct text *ret)
{
	const struct text *a = &texts[0], *b = &texts[1];
	struct flat_text f = { .arena = arena };
	bool ok = true;

	*ret = *a;
	if (n < 2)
		return true;
	if (a->n != b->n)
		return false;
	struct str na = str_int(arena, first), nb = str_int(arena, first + 1);
	for (size_t i = 0; i < a->n && ok; i++) {
		bool plain = a->at[i].kind == PIECE_TEXT && b->at[i].kind == PIECE_TEXT;
		ok = plain ? pattern_of(&f, a->at[i].u.text, b->at[i].u.text, na, nb, hole) :
			same_piece(&a->at[i], &b->at[i]);
		if (ok && !plain)
			flat_add(&f, a->at[i]);
	}
	*ret = flat_take(&f, a->from);
	for (size_t i = 2; i < n && ok; i++) {
		struct text t = filled(arena, ret, hole, first + (int64_t)i);
		ok = same_text(&t, &texts[i]);
	}
	return ok;
}

/* ---- the text of all copies ---- */

/* The text of one copy, in which the number of the pod is a piece. */
static bool merge_replicas(struct group_merging *m, size_t c, struct text *ret)
{
	const struct plan_role *r = m->roles[c];
	const struct variant *v = &m->variants[c];
	size_t n = v->per_replica ? (size_t)r->max : 0;
	struct text *texts = ARENA_ARRAY(m->arena, struct text, n);
	struct piece rank = { .kind = PIECE_INDEX };
	bool ok = true;

	if (!v->per_replica)
		return flatten(m, r, OWN_INDEX, v->text, ret);
	for (size_t i = 0; i < n && ok; i++)
		ok = !text_is_absent(&v->per_replica[i]) && flatten(m, r, (int64_t)i, &v->per_replica[i], &texts[i]);
	return ok && merge_numbered(m->arena, texts, n, r->before, rank, ret);
}

static bool absent_everywhere(const struct group_merging *m)
{
	for (size_t c = 0; c < m->n; c++) {
		const struct variant *v = &m->variants[c];
		for (int64_t i = 0; i < m->roles[c]->max; i++)
			if (!v->per_replica || !text_is_absent(&v->per_replica[i]))
				return false;
	}
	return true;
}

/* Merges the texts in `variants`; the result is absent if it is absent in every pod. False after a conflict. */
static bool merge_text(struct group_merging *m, struct text *ret)
{
	struct text *texts = ARENA_ARRAY(m->arena, struct text, m->n);
	struct piece copy = { .kind = PIECE_FIELD, .u.field = POD_COPY };
	struct span from = m->variants[0].per_replica ? m->variants[0].per_replica[0].from :
		m->variants[0].text->from;
	bool ok = true;

	if (m->variants[0].per_replica && absent_everywhere(m)) {
		*ret = (struct text){ .at = &piece_absent };
		return true;
	}
	for (size_t c = 0; c < m->n && ok; c++)
		ok = merge_replicas(m, c, &texts[c]);
	ok = ok && merge_numbered(m->arena, texts, m->n, 0, copy, ret);
	ret->from = from;
	if (!ok && !m->conflict.what)
		m->conflict = (struct group_conflict){ "a text", from, true };
	return ok;
}

/* ---- the parts of a container ---- */

/* A container of the role in copy C: the main one, or number AT of a list. */
enum part { PART_MAIN, PART_INIT, PART_SIDECAR };

static const struct plan_container *variant_of(const struct plan_role *r, enum part part, size_t at)
{
	return part == PART_MAIN ? &r->main : part == PART_INIT ? &r->inits[at] : &r->sidecars[at];
}

static bool group_refuse(struct group_merging *m, const char *what, struct span at)
{
	if (!m->conflict.what)
		m->conflict = (struct group_conflict){ what, at, false };
	return false;
}

static bool merge_env(struct group_merging *m, enum part part, size_t at, struct plan_container *ret)
{
	const struct plan_container *first = variant_of(m->roles[0], part, at);
	struct plan_env *env = ARENA_ARRAY(m->arena, struct plan_env, first->nenv);

	ret->env = env;
	ret->nenv = 0;
	for (size_t i = 0; i < first->nenv; i++) {
		struct plan_env *e = &env[ret->nenv];
		*e = first->env[i];
		e->per_replica = NULL;
		for (size_t c = 0; c < m->n; c++) {
			const struct plan_container *of = variant_of(m->roles[c], part, at);
			const struct plan_env *other = i < of->nenv ? &of->env[i] : NULL;
			if (!other || of->nenv != first->nenv || !str_eq(other->name, e->name) ||
			    other->kind != e->kind || !str_eq(other->object, e->object) ||
			    !str_eq(other->key, e->key))
				return group_refuse(m, "a variable", e->from);
			m->variants[c] = (struct variant){ &other->text, other->per_replica };
		}
		if (e->kind == ENV_TEXT && !merge_text(m, &e->text))
			return false;
		ret->nenv += !text_is_absent(&e->text);
	}
	return true;
}

/* The list of words of replica I of copy C. */
static const struct plan_texts *words_of(const struct plan_texts *t, int64_t i)
{
	return t->per_replica ? &t->per_replica[i] : t;
}

/* Merges one word of a command, whose list has the same length in every pod. */
static bool merge_word(struct group_merging *m, enum part part, size_t at, bool args, size_t word, struct text *ret)
{
	for (size_t c = 0; c < m->n; c++) {
		const struct plan_container *of = variant_of(m->roles[c], part, at);
		const struct plan_texts *t = args ? &of->args : &of->command;
		struct text *each = t->per_replica ?
			ARENA_ARRAY(m->arena, struct text, (size_t)m->roles[c]->max) : NULL;
		for (int64_t i = 0; each && i < m->roles[c]->max; i++)
			each[i] = words_of(t, i)->at[word];
		m->variants[c] = (struct variant){ each ? NULL : &t->at[word], each };
	}
	return merge_text(m, ret);
}

static bool merge_words(struct group_merging *m, enum part part, size_t at, bool args, struct plan_texts *ret)
{
	const struct plan_texts *first = args ? &variant_of(m->roles[0], part, at)->args :
		&variant_of(m->roles[0], part, at)->command;
	size_t n = words_of(first, 0)->n;

	for (size_t c = 0; c < m->n; c++) {
		const struct plan_container *of = variant_of(m->roles[c], part, at);
		for (int64_t i = 0; i < m->roles[c]->max; i++)
			if (words_of(args ? &of->args : &of->command, i)->n != n)
				return group_refuse(m, "the number of words", first->from);
	}
	*ret = (struct plan_texts){ .set = first->set, .from = first->from };
	for (size_t w = 0; w < n; w++) {
		struct text t;
		if (!merge_word(m, part, at, args, w, &t))
			return false;
		ARENA_PUSH(m->arena, ret->at, ret->n, t);
	}
	return true;
}

/* Merges the paths in claims. */
static bool merge_mounts(struct group_merging *m, enum part part, size_t at, struct plan_container *ret)
{
	const struct plan_container *first = variant_of(m->roles[0], part, at);
	struct plan_mount *mounts = ARENA_ARRAY(m->arena, struct plan_mount, first->nmounts);

	ret->mounts = mounts;
	for (size_t i = 0; i < first->nmounts; i++) {
		struct plan_volume *v = ARENA_NEW(m->arena, struct plan_volume);
		struct text *plain = ARENA_ARRAY(m->arena, struct text, m->n);
		bool path = false;
		mounts[i] = first->mounts[i];
		*v = *first->mounts[i].volume;
		for (size_t c = 0; c < m->n; c++) {
			const struct plan_container *of = variant_of(m->roles[c], part, at);
			const struct plan_volume *other = i < of->nmounts ? of->mounts[i].volume : NULL;
			if (!other || other->kind != v->kind || !str_eq(other->name, v->name))
				return group_refuse(m, "a volume", v->from);
			struct piece *text = ARENA_NEW(m->arena, struct piece);
			*text = (struct piece){ .kind = PIECE_TEXT, .u.text = other->path };
			plain[c] = other->path_text.n ? other->path_text : (struct text){ text, other->path.n > 0,
				other->from };
			m->variants[c] = (struct variant){ &plain[c], NULL };
			path = path || other->path_text.n || !str_eq(other->path, v->path);
		}
		if (path && !merge_text(m, &v->path_text))
			return false;
		mounts[i].volume = v;
	}
	return true;
}

static bool merge_container(struct group_merging *m, enum part part, size_t at, struct plan_container *ret)
{
	*ret = *variant_of(m->roles[0], part, at);
	return merge_env(m, part, at, ret) && merge_words(m, part, at, false, &ret->command) &&
		merge_words(m, part, at, true, &ret->args) && merge_mounts(m, part, at, ret);
}

/* ---- the role ---- */

static bool merge_list(struct group_merging *m, enum part part, size_t n, struct plan_container *into)
{
	for (size_t i = 0; i < n; i++)
		if (!merge_container(m, part, i, &into[i]))
			return false;
	return true;
}

/* Files are in an object of their own, which all pods share: they must be the same in each. */
static bool same_files(struct group_merging *m)
{
	const struct plan_role *first = m->roles[0];

	for (size_t i = 0; i < first->nfiles; i++) {
		const struct plan_file *f = &first->files[i];
		struct text mine, other;
		if (f->per_replica || !flatten(m, first, OWN_INDEX, &f->text, &mine) ||
		    (emit_text_uses(&mine) & USES_INDEX))
			return group_refuse(m, "a file", f->from);
		for (size_t c = 1; c < m->n; c++) {
			const struct plan_file *of = i < m->roles[c]->nfiles ? &m->roles[c]->files[i] : NULL;
			if (!of || of->per_replica || !flatten(m, m->roles[c], OWN_INDEX, &of->text, &other) ||
			    !same_text(&mine, &other))
				return group_refuse(m, "a file", f->from);
		}
	}
	return true;
}

bool emit_group_role(struct arena *a, const struct plan_job *j, const struct plan_role *first, struct plan_role *ret,
	struct group_conflict *why)
{
	struct group_merging m = { .arena = a, .job = j };

	for (size_t i = 0; i < j->nroles; i++)
		if (str_eq(j->roles[i].cell, first->cell) &&
		    str_eq(plan_role_inner(&j->roles[i]), plan_role_inner(first)))
			ARENA_PUSH(a, m.roles, m.n, &j->roles[i]);
	m.variants = ARENA_ARRAY(a, struct variant, m.n);
	*ret = *first;
	ret->inits = ARENA_ARRAY(a, struct plan_container, first->ninits);
	ret->sidecars = ARENA_ARRAY(a, struct plan_container, first->nsidecars);
	bool ok = merge_container(&m, PART_MAIN, 0, &ret->main) &&
		merge_list(&m, PART_INIT, first->ninits, ret->inits) &&
		merge_list(&m, PART_SIDECAR, first->nsidecars, ret->sidecars) && same_files(&m);
	if (ok && plan_role_differs(first))
		ok = group_refuse(&m, "an amount", first->main.name_at);
	*why = m.conflict;
	return ok;
}
