/*
 * import_set.c - turns sets of pods into roles.
 */
#include "import/import_set.h"

#include "import/device.h"

/* ---- names ---- */

void set_label(struct set *s, const struct set_role *r, struct str value)
{
	struct str *word = ARENA_NEW(s->m.im->arena, struct str);

	*word = r->word;
	map_put(&s->job->role_words, s->m.im->arena, value, word);
}

void set_words(struct set *s)
{
	struct arena *a = s->m.im->arena;
	struct map seen = { 0 };

	for (size_t i = 0; i < s->n; i++) {
		struct set_role *r = &s->roles[i];
		struct str word = str_lower(a, word_text(a, r->name)), base;
		if (device_word_is_taken(s->m.im, word) || key_text(a, word).p != word.p)
			word = str_cat(a, word, STR("_role"), STR(""));
		base = word;
		for (unsigned n = 2; map_put(&seen, a, word, r); n++)
			word = str_printf(a, "%.*s_%u", STR_ARG(base), n);
		r->word = word;
		map_put(&s->m.im->words, a, word, s->m.im);
		set_label(s, r, r->name);
	}
}

struct set_role *set_find(const struct set *s, struct str name)
{
	for (size_t i = 0; i < s->n; i++)
		if (str_eq(s->roles[i].name, name))
			return &s->roles[i];
	return NULL;
}

void set_hosts(struct set *s, const struct set_role *r, struct str head, enum pod_form form, struct str subdomain)
{
	struct host_name *h = ARENA_NEW(s->m.im->arena, struct host_name);

	*h = (struct host_name){ .form = form, .word = r->inner.n ? r->inner : r->word, .jobs = r->jobs, .per = r->per,
		.cell = r->inner.n ? r->word : (struct str){ 0 } };
	s->job->subdomain = subdomain;
	map_put(&s->job->hosts, s->m.im->arena, head, h);
}

/* ---- roles ---- */

bool set_role_open(struct set *s, struct set_role *r)
{
	struct import *im = s->m.im;
	struct lines top = { 0 };
	struct str word = r->inner.n ? r->inner : r->word;
	struct role_reading reading = { .im = im, .job = s->job, .kind = &r->kind, .fields = r->fields, .word = word,
		.replicas = r->inner.n ? r->per : r->jobs * r->per };

	r->body = reading.role = lines_extend(im->arena, &top, str_cat(im->arena, STR("role "), word, STR("")),
		r->place);
	r->line = top.at[0];
	if (reading.replicas != 1 || s->all_replicas) {
		struct line *line = lines_set(im->arena, r->body, STR("replicas"),
			expr_int(im->arena, reading.replicas), r->count_at);
		import_comments(im, line, r->count_at);
	}
	if (!role_can_run(im, r->template, r->place) || !role_read(&reading, r->template))
		return false;
	if (s->recreated)
		lines_take(r->body, STR("restart"));
	else
		role_restart(im, r->body, true, r->place);
	return true;
}

void set_condition(struct buf *out, const char *what, const struct set_role *r, bool any, const char *joint)
{
	if (out->n)
		buf_printf(out, " %s ", joint);
	buf_printf(out, "%s(%.*s%s)", what, STR_ARG(r->word), any ? ", any = true" : "");
}

/* Reports a gang whose roles start one after the other: they cannot start together. */
static void no_gang(struct set *s)
{
	bool ordered = false;

	for (size_t i = 0; i < s->n; i++)
		ordered = ordered || lines_find(s->roles[i].body, STR("start_after"));
	struct line *gang = ordered ? lines_take(s->body, STR("gang")) : NULL;
	if (!gang)
		return;
	diag_help(s->m.im->diags, diag_report(s->m.im->diags, TJ1111, gang->from,
		"replicas that start one after another cannot start all together, so the program has no 'gang'"),
		"remove the order, or make room for all of them");
	import_comments(s->m.im, s->job->job, gang->from);
	/* without a gang, this would become a queue of Kueue */
	struct line *queue = lines_take(s->body, STR("queue"));
	if (queue)
		import_left_out(s->m.im, queue->from, STR("queue"), "only a gang waits in a queue of Volcano");
	if (str_is(gang->value->pieces[0].text, "volcano"))
		lines_set(s->m.im->arena, s->body, STR("scheduler"), gang->value, gang->from);
}

/* ---- cells ---- */

bool set_exclusive(struct set *s, struct str key, struct lines *cell, struct line *comments)
{
	struct arena *a = s->m.im->arena;
	struct line *annotations = lines_find(s->body, STR("annotations"));
	const struct data *label = data_get(member(s->m.metadata, "annotations"), key);
	struct str level = label && label->kind == DATA_STRING ? usual_level(label->u.string) : STR("");

	if (!level.n)
		return !label;
	struct line *mine = annotations ? lines_find(&annotations->value->items, key_text(a, key)) : NULL;
	if (mine) {
		bool last = annotations->value->items.n == 1;
		line_join_comments(a, comments, last ? annotations : mine);
		lines_drop(a, annotations, mine->key);
		if (last)
			lines_take(s->body, STR("annotations"));
	}
	struct expr *near = expr_call(a, STR("near"));
	lines_add(a, &near->items, expr_string(a, level), label->from);
	lines_set(a, cell, STR("place"), near, label->from);
	lines_set(a, cell, STR("apart"), expr_string(a, level), label->from);
	return true;
}

/* Moves the roles whose Jobs are copies into cells. */
static void set_cells(struct set *s)
{
	struct arena *a = s->m.im->arena;

	for (size_t i = 0; i < s->n; i++) {
		struct set_role *r = &s->roles[i];
		if (!r->inner.n)
			continue;
		struct lines *cell = lines_extend(a, s->body, str_cat(a, STR("cell "), r->word, STR("")), r->place);
		lines_set(a, cell, STR("copies"), expr_int(a, r->jobs), r->copies_at);
		if (s->exclusive.n)
			set_exclusive(s, s->exclusive, cell, r->line);
		lines_push(a, cell, lines_take(s->body, r->line->key));
	}
}

void set_finish(struct set *s)
{
	no_gang(s);
	struct job_role *roles = ARENA_ARRAY(s->m.im->arena, struct job_role, s->n);

	for (size_t i = 0; i < s->n; i++) {
		if (s->no_shm && !lines_find(s->roles[i].body, STR("shm")))
			lines_set(s->m.im->arena, s->roles[i].body, STR("shm"),
				expr_text(s->m.im->arena, STR("none")), s->roles[i].place);
		lines_sort(s->roles[i].body);
		roles[i] = (struct job_role){ s->roles[i].line, s->roles[i].place };
	}
	job_finish(&s->m, s->job, s->body, roles, s->n);
	set_cells(s);
}

/* ---- a framework that the program declares ---- */

struct line *framework_new(struct set *s, const char *doc)
{
	struct arena *a = s->m.im->arena;
	struct lines top = { 0 };
	struct lines *body = lines_extend(a, &top, STR(""), s->m.name_at);

	line_comment(a, top.at[0], (struct remark){ .text = str_cat(a, STR("## "), str_of(doc), STR("")),
		.at = UINT32_MAX });
	for (size_t i = 0; i < s->n; i++) {
		struct lines *role = lines_extend(a, body, str_cat(a, STR("role "), s->roles[i].word, STR("")),
			s->roles[i].place);
		lines_set(a, role, STR("replicas: int(0..)"), expr_int(a, 1), s->roles[i].place);
	}
	return top.at[0];
}

struct str framework_done(struct set *s, struct line *framework, const char *word)
{
	struct import *im = s->m.im;
	struct str name = str_of(word);

	for (unsigned i = 2;; i++) {
		const struct line *there = map_get(&im->frameworks, name);
		framework->key = str_cat(im->arena, STR("framework "), name, STR(""));
		if (!there)
			map_put(&im->frameworks, im->arena, name, framework);
		if (!there || line_same(there, framework))
			break;
		name = str_printf(im->arena, "%s_%u", word, i);
	}
	lines_push(im->arena, &s->job->declarations, framework);
	return name;
}
