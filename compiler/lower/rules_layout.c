/*
 * rules_layout.c - compares the layout of a role with where its replicas run, and with the options of its program:
 * groups that nothing keeps together (TJ0645), groups that cross slices (TJ0646), and options that say otherwise
 * (TJ0647). The options are comments of the library, `# layout DIMENSION OPTION`.
 */
#include "check/module.h"
#include "eval/internal.h"
#include "lower/lower_rules.h"

/* ---- places (TJ0645, TJ0646) ---- */

/* Adds the help that proposes a place, at the innermost level of the project's topology. */
static void help_place(struct job *j, struct diag *d)
{
	const struct project *p = &j->ev->program->project;
	struct str level = p->nlevels ? p->levels[p->nlevels - 1].key : STR("rack");
	const char *slash = memrchr(level.p, '/', level.n);

	if (!p->nlevels)
		diag_help(job_diags(j), d,
			"list the labels of the cluster's nodes in project.tj: topology = [\"example.com/rack\"]");
	if (slash)
		level = (struct str){ slash + 1, level.n - (size_t)(slash + 1 - level.p) };
	/* who keeps segments: see verify_place.c */
	bool segments = str_is(j->plan->gang.value, plan_each_replica(j->plan) ? "volcano" : "kueue");
	if (segments && p->nlevels)
		diag_help(job_diags(j), d, "keep each group together: place = near(\"%.*s\", each = \"tp\")",
			STR_ARG(level));
	else
		diag_help(job_diags(j), d, "keep the replicas together: place = near(\"%.*s\")", STR_ARG(level));
}

/* Is the place of all replicas one domain, at least if there is room? */
static bool whole(const struct plan_place *p) { return p->kind != PLACE_ANYWHERE && p->kind != PLACE_EACH; }

/* Compares groups with the smallest segments: those of tp must fit, those of cp and ep should. */
static void crossing(struct job *j, struct role *r, const struct plan_layout *l)
{
	static const enum plan_dimension tested[] = { DIMENSION_TP, DIMENSION_CP, DIMENSION_EP };
	const struct plan_place *p = &r->plan->place;
	const struct plan_segment *s = p->nsegments ? &p->segments[p->nsegments - 1] : NULL;

	for (size_t i = 0; s && i < sizeof tested / sizeof *tested; i++) {
		enum plan_dimension dim = tested[i];
		int64_t extent = plan_layout_extent(l, dim), degree = plan_layout_degree(l, dim);
		const char *name = plan_dimension_name(dim);
		if (degree == 1 || s->size * l->each % extent == 0)
			continue;
		struct diag *d = dim == DIMENSION_TP ?
			diag_report(job_diags(j), TJ0646, s->from,
				"a %s group of %lld crosses segments of %lld replicas", name, (long long)degree,
				(long long)s->size) :
			diag_report(job_diags(j), TJ0645, s->from, "%s groups of %lld cross segments of %lld replicas",
				name, (long long)degree, (long long)s->size);
		diag_note(job_diags(j), d, role_layout_at(j->ev, r, dim), "%s = %lld", name, (long long)degree);
		diag_help(job_diags(j), d, "write each = \"%s\" for segments that hold whole groups", name);
		return;
	}
}

static void groups_apart(struct job *j, struct role *r, const struct plan_layout *l)
{
	const struct plan_accelerator *acc = r->plan->accelerator;
	int64_t extent = plan_layout_extent(l, DIMENSION_TP), hosts = extent / l->each;

	if (l->tp == 1 || hosts < 2 || whole(&r->plan->place) || r->plan->place.nsegments ||
	    (acc && (acc->slice.set || acc->pods > 1)))
		return;
	struct diag *d = diag_report(job_diags(j), TJ0645, role_layout_at(j->ev, r, DIMENSION_TP),
		"tp groups of %lld span %lld hosts that nothing keeps together", (long long)l->tp, (long long)hosts);
	help_place(j, d);
}

static void slices(struct job *j, struct role *r, const struct plan_layout *l)
{
	int64_t extent = plan_layout_extent(l, DIMENSION_TP), ranks = plan_slice_size(r->plan) * l->each;

	if (!plan_is_sliced(r->plan) || l->tp == 1 || ranks % extent == 0)
		return;
	struct diag *d = diag_report(job_diags(j), TJ0646, role_layout_at(j->ev, r, DIMENSION_TP),
		"a tp group of %lld crosses slices of %lld replicas", (long long)l->tp,
		(long long)plan_slice_size(r->plan));
	diag_note(job_diags(j), d, r->plan->slices_at, "slices = %lld", (long long)r->plan->slices);
	diag_help(job_diags(j), d, "write a tp whose groups divide the %lld ranks of a slice", (long long)ranks);
}

/* ---- options (TJ0647) ---- */

struct option {
	struct str name, value;         /* without dashes before the name; the value may be empty */
	unsigned dashes;
};

static bool ends_word(char c) { return strchr(" \t\n\"'\\", c) != NULL; }

/* The next word of TEXT from *I on; empty at its end. */
static struct str next_word(struct str text, size_t *i)
{
	while (*i < text.n && ends_word(text.p[*i]))
		++*i;
	size_t start = *i;
	while (*i < text.n && !ends_word(text.p[*i]))
		++*i;
	return (struct str){ text.p + start, *i - start };
}

static struct option option_of(struct str word)
{
	struct option o = { 0 };
	const char *equals;

	for (; word.n && word.p[0] == '-' && o.dashes < 2; o.dashes++)
		word = (struct str){ word.p + 1, word.n - 1 };
	equals = word.n ? memchr(word.p, '=', word.n) : NULL;
	o.name = (struct str){ word.p, equals ? (size_t)(equals - word.p) : word.n };
	if (equals)
		o.value = (struct str){ equals + 1, word.n - o.name.n - 1 };
	return o;
}

/* Is NAME, perhaps in a section, the option WORD of the table? */
static bool is_option(const struct option *o, const char *word)
{
	unsigned dashes = word[1] == '-' ? 2 : 1;
	size_t n = strlen(word += dashes);
	bool long_name = strchr(word, '-') != NULL;

	if (o->name.n < n || (o->dashes != dashes && !(long_name && !o->dashes && o->value.n)))
		return false;
	const char *p = o->name.p + o->name.n - n;
	if (o->name.n > n && p[-1] != '.')
		return false;
	for (size_t i = 0; i < n; i++)
		if (word[i] != (p[i] == '_' ? '-' : p[i]))
			return false;
	return true;
}

static void option_against(struct job *j, struct role *r, struct span at, struct str word, const struct option *o)
{
	for (const struct layout_option *t = stdlib_layout_options(); t->word; t++) {
		int64_t n, have;
		if (!is_option(o, t->word) || !str_number(o->value, 9, &n))
			continue;
		enum plan_dimension dim = plan_dimension_find(str_of(t->dimension));
		have = plan_layout_degree(r->plan->layout, dim);
		if (n == have)
			return;
		struct str spelt = { word.p, (size_t)(o->name.p + o->name.n - word.p) };
		struct diag *d = diag_report(job_diags(j), TJ0647, at, "%.*s=%lld contradicts layout.%s = %lld",
			STR_ARG(spelt), (long long)n, t->dimension, (long long)have);
		diag_note(job_diags(j), d, role_layout_at(j->ev, r, dim), "the layout is here");
		bool joined = o->value.p == o->name.p + o->name.n + 1;
		diag_help(job_diags(j), d, "take the number from the layout: %.*s%s${%.*s.layout.%s}%s",
			STR_ARG(joined ? spelt : STR("")), joined ? "=" : "\"", STR_ARG(r->name), t->dimension,
			joined ? "" : "\"");
		return;
	}
}

/* Compares the options in a list of words: each word is an option, its value, or a script with both. */
static void options_of(struct job *j, struct role *r, const struct plan_texts *list)
{
	struct option before = { 0 };
	struct str option = { 0 };

	for (size_t k = 0; k < list->n; k++) {
		const struct text *t = &list->at[k];
		if (t->n != 1 || t->at[0].kind != PIECE_TEXT) {
			before = (struct option){ 0 };
			continue;
		}
		struct str word;
		for (size_t i = 0; (word = next_word(t->at[0].u.text, &i)).n;) {
			int64_t n;
			if (before.dashes && !before.value.n && str_number(word, 9, &n)) {
				before.value = word;
				option_against(j, r, t->from, option, &before);
			}
			before = option_of(word);
			option = word;
			if (before.value.n)
				option_against(j, r, t->from, option, &before);
		}
	}
}

void rules_layout(struct job *j)
{
	for (size_t i = 0; i < j->nroles; i++) {
		struct role *r = j->roles[i];
		const struct plan_layout *l = r->plan->layout;
		if (!l)
			continue;
		slices(j, r, l);
		crossing(j, r, l);
		groups_apart(j, r, l);
		options_of(j, r, &r->plan->main.command);
		options_of(j, r, &r->plan->main.args);
	}
}
