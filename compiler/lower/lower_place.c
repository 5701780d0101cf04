/*
 * lower_place.c - lowers `place = near("rack")` and similar places, segments of a role, and the project's topology. A
 * level is named by the key of the node label whose values are its domains, or by the last part of that key. The levels
 * that `spread` uses, hosts and zones, always exist.
 */
#include "lower/lower.h"

#include "diag/suggest.h"
#include "eval/plan_value.h"
#include "kube/limits.h"
#include "syntax/help/foreign.h"

#define HOST_KEY STR("kubernetes.io/hostname")
#define ZONE_KEY STR("topology.kubernetes.io/zone")

/* ---- the levels ---- */

struct levels {
	struct str *keys;               /* label keys, outermost first, with those of zones and hosts */
	size_t n;
	size_t first, listed;           /* the project lists the `listed` levels from `first` on */
};

static bool lists(const struct project *p, struct str key)
{
	for (size_t i = 0; i < p->nlevels; i++)
		if (str_eq(p->levels[i].key, key))
			return true;
	return false;
}

static struct levels levels_of(struct eval *ev)
{
	const struct project *p = &ev->program->project;
	struct levels l = { ARENA_ARRAY(ev->arena, struct str, p->nlevels + 2), 0, 0, p->nlevels };

	if (!lists(p, ZONE_KEY))
		l.keys[l.n++] = ZONE_KEY;
	l.first = l.n;
	for (size_t i = 0; i < p->nlevels; i++)
		l.keys[l.n++] = p->levels[i].key;
	if (!lists(p, HOST_KEY))
		l.keys[l.n++] = HOST_KEY;
	return l;
}

static struct str key_end(struct str key)
{
	const char *slash = key.n ? memrchr(key.p, '/', key.n) : NULL;

	return slash ? (struct str){ slash + 1, key.n - (size_t)(slash + 1 - key.p) } : key;
}

static bool is_host(struct str key) { return str_eq(key, HOST_KEY); }
/* The name that a program uses for the level. */
static struct str level_name(struct str key) { return is_host(key) ? STR("host") : key_end(key); }
static bool is_called(struct str key, struct str name)
{
	return str_eq(key, name) || str_eq(key_end(key), name) || str_eq(level_name(key), name);
}

/*
 * The position of the level called NAME; l->n if no level has that name. A whole key takes precedence over the last
 * part of another key.
 */
static size_t find_level(const struct levels *l, struct str name, bool *ret_twice)
{
	size_t found = l->n;

	*ret_twice = false;
	for (size_t i = 0; i < l->n; i++)
		if (str_eq(l->keys[i], name))
			return i;
	for (size_t i = 0; i < l->n; i++) {
		bool listed = i >= l->first && i < l->first + l->listed;
		if (!is_called(l->keys[i], name) || (found < l->n && !listed))
			continue;
		*ret_twice = found >= l->first && found < l->first + l->listed;
		found = i;
	}
	return found;
}

/* ---- invalid places ---- */

static struct str names_of(struct eval *ev, const struct levels *l)
{
	struct buf out = { 0 };

	for (size_t i = 0; i < l->n; i++) {
		struct str name = level_name(l->keys[i]);
		buf_printf(&out, "%s\"%.*s\"", i == 0 ? "" : i + 1 < l->n ? ", " : " and ", STR_ARG(name));
	}
	struct str s = buf_take(&out, ev->arena);
	buf_release(&out);
	return s;
}

/* A label key that help can propose for a level that the project does not list. */
static struct str some_key(struct eval *ev, struct str name)
{
	const char *why;
	bool whole = memchr(name.p, '/', name.n) && kube_label_key(name, &why);
	struct str key = str_printf(ev->arena, "example.com/%.*s", STR_ARG(name));

	return whole ? name : name.n && kube_label_key(key, &why) ? key : STR("example.com/rack");
}

/* A level that a program names, and what names it. */
struct named_level {
	struct str level, words;
	struct span from;
};

static void report_level(struct eval *ev, const struct levels *levels, const struct named_level *p)
{
	const struct project *project = &ev->program->project;
	struct str key = some_key(ev, p->level), names = names_of(ev, levels);
	struct suggest s;
	const char *other = foreign_value(STR("topology"), p->level);

	suggest_init(&s, ev->arena, p->level);
	for (size_t i = 0; i < levels->n; i++)
		suggest_add(&s, level_name(levels->keys[i]));
	struct str near = suggest_sentence(&s), help = other ? str_of(other) : near;
	if (!project->nlevels) {
		struct diag *d = diag_report(ev->diags, TJ0626, p->from,
			"%.*s names a level that is not known: the project has no topology",
			STR_ARG(p->words));
		if (help.n)
			diag_help(ev->diags, d, "%.*s", STR_ARG(help));
		diag_help(ev->diags, d, "%slist the labels of the cluster's nodes in project.tj, outermost first: "
			"project { topology = [\"%.*s\"] }",
			help.n ? "for another level " : "", STR_ARG(key));
		diag_help(ev->diags, d, "without it the levels are %.*s", STR_ARG(names));
		return;
	}
	struct diag *d = diag_report(ev->diags, TJ0626, p->from, "the project's topology has no level '%.*s'",
		STR_ARG(p->level));
	diag_note(ev->diags, d, project->levels[0].at, "its topology");
	if (help.n)
		diag_help(ev->diags, d, "%.*s", STR_ARG(help));
	diag_help(ev->diags, d,
		"its levels are %.*s; add the label of the nodes to 'topology' in project.tj for another one",
		STR_ARG(names));
}

static void report_ambiguous(struct eval *ev, const struct levels *levels, const struct named_level *p)
{
	struct diag *d = diag_report(ev->diags, TJ0626, p->from,
		"two levels of the project's topology are called '%.*s'", STR_ARG(p->level));

	for (size_t i = 0; i < levels->n; i++)
		if (str_eq(key_end(levels->keys[i]), p->level)) {
			diag_help(ev->diags, d, "write the whole label: \"%.*s\"", STR_ARG(levels->keys[i]));
			return;
		}
}

/* Finds the level of P. Returns false after reporting that the project has no such level. */
static bool find_named(struct eval *ev, const struct levels *levels, const struct named_level *p, size_t *ret)
{
	bool twice;

	*ret = find_level(levels, p->level, &twice);
	if (twice)
		report_ambiguous(ev, levels, p);
	else if (*ret == levels->n)
		report_level(ev, levels, p);
	return *ret < levels->n && !twice;
}

/* Reports `place` together with `spread` (TJ0627): replicas cannot be both close together and far from each other. */
static void against_spread(struct lowering *l, const struct levels *levels, const struct plan_place *p, size_t level)
{
	const struct plan_role *r = l->plan;
	bool zone = str_is(r->spread.value, "zone"), host = str_is(r->spread.value, "host"), twice;
	size_t apart = find_level(levels, zone ? ZONE_KEY : HOST_KEY, &twice);

	if (!r->spread.set || (!zone && !host) || r->max < 2 || (p->kind == PLACE_PACK ? host : level < apart))
		return;
	struct str words = plan_place_text(l->ev->arena, p);
	struct diag *d = diag_report(l->ev->diags, TJ0627, p->from,
		"'place = %.*s' wants the replicas of '%.*s' together, and 'spread = \"%.*s\"' apart",
		STR_ARG(words), STR_ARG(r->name), STR_ARG(r->spread.value));
	diag_note(l->ev->diags, d, r->spread.from, "'spread' is set here");
	if (host && apart > levels->first)
		diag_help(l->ev->diags, d, "remove one of them, or name a level above hosts: place = %s(\"%.*s\")",
			p->kind == PLACE_NEAR ? "near" : "prefer",
			STR_ARG(level_name(levels->keys[apart - 1])));
	else
		diag_help(l->ev->diags, d, "remove one of them");
}

/* ---- zones ---- */

/* Reports a label of the place that another field sets as well (TJ0206). */
static void zone_twice(struct lowering *l, const struct plan_pairs *node, struct span at, const char *other)
{
	const struct plan_role *r = l->plan;

	for (size_t i = 0; i < node->n; i++) {
		if (!str_eq(node->at[i].key, ZONE_KEY))
			continue;
		struct diag *d = diag_report(l->ev->diags, TJ0206, r->zones[0].from,
			"'zone' and %s both set the zone of role '%.*s'", other, STR_ARG(r->name));
		diag_note(l->ev->diags, d, span_known(at) ? at : node->at[i].from, "%.*s is \"%.*s\" here",
			STR_ARG(ZONE_KEY), STR_ARG(node->at[i].value));
		diag_help(l->ev->diags, d, "keep one of them");
	}
}

/* Reports a single zone together with `spread` over zones. */
static void zone_against_spread(struct lowering *l)
{
	const struct plan_role *r = l->plan;

	if (r->nzones != 1 || r->max < 2 || !r->spread.set || !str_is(r->spread.value, "zone"))
		return;
	struct diag *d = diag_report(l->ev->diags, TJ0627, r->zones[0].from,
		"'zone = \"%.*s\"' wants the replicas of '%.*s' together, and 'spread = \"zone\"' apart",
		STR_ARG(r->zones[0].value), STR_ARG(r->name));
	diag_note(l->ev->diags, d, r->spread.from, "'spread' is set here");
	diag_help(l->ev->diags, d, "remove one of them, or name several zones");
}

static void zone_repeats(struct lowering *l)
{
	const struct plan_role *r = l->plan;

	for (size_t i = 1; i < r->nzones; i++)
		for (size_t k = 0; k < i; k++) {
			if (!str_eq(r->zones[i].value, r->zones[k].value))
				continue;
			struct diag *d = diag_report(l->ev->diags, TJ0206, r->zones[i].from,
				"'%.*s' is listed twice in 'zone'", STR_ARG(r->zones[i].value));
			diag_note(l->ev->diags, d, r->zones[k].from, "first here");
			diag_help(l->ev->diags, d, "remove one of them");
			break;
		}
}

static void lower_zones(struct lowering *l)
{
	struct plan_role *r = l->plan;

	r->zones = value_strs(l->ev, role_field(l->ev, l->role, FIELD_ZONE), &r->nzones);
	if (!r->nzones)
		return;
	zone_twice(l, &r->node, (struct span){ 0 }, "'node'");
	if (r->accelerator)
		zone_twice(l, &r->accelerator->node, r->accelerator->from, "'accelerator'");
	zone_against_spread(l);
	zone_repeats(l);
}

/* ---- lowering ---- */

static const struct value *what_is(const struct value *place, const char *name)
{
	const struct value *v = value_get(place, str_of(name));
	bool off = !v || v->kind == VALUE_NONE || (v->kind == VALUE_BOOL && !v->u.boolean);

	return off ? NULL : v;
}

static bool read_place(struct lowering *l, const struct value *v, struct plan_place *p)
{
	const struct value *near = what_is(v, "near"), *prefer = what_is(v, "prefer"), *pack = what_is(v, "pack");
	const struct value *level = near ? near : prefer;

	if (!near + !prefer + !pack != 2 || (what_is(v, "each") && !near)) {
		struct diag *d = diag_report(l->ev->diags, TJ0302, p->from, "'place' takes exactly one of its choices");
		diag_help(l->ev->diags, d, "write near(\"host\"), prefer(\"host\") or pack");
		return false;
	}
	p->kind = near ? PLACE_NEAR : prefer ? PLACE_PREFER : PLACE_PACK;
	if (level && level->kind != VALUE_STRING)
		return false;
	p->level = level ? level->u.string : STR("");
	return true;
}

/* Is the place set for the whole job: by the job itself, the project's defaults, or a framework outside its roles? */
static bool of_whole_job(struct lowering *l)
{
	unsigned level = role_field_level(l->ev, l->role, FIELD_PLACE);

	return !l->role->aux && level != LEVEL_ROLE && (level < LEVEL_FRAMEWORK || (level - LEVEL_FRAMEWORK) % 2);
}

/* The number of levels that the project lists from this one inwards, not counting hosts. */
static int64_t tier_of(const struct levels *l, size_t level)
{
	int64_t n = 0;

	if (level < l->first || level >= l->first + l->listed || is_host(l->keys[level]))
		return 0;
	for (size_t i = level; i < l->first + l->listed; i++)
		n += !is_host(l->keys[i]);
	return n;
}

static bool find_place(struct lowering *l, const struct levels *levels, const struct plan_place *p, size_t *ret)
{
	struct named_level named = { p->level, plan_place_text(l->ev->arena, p), p->from };

	return find_named(l->ev, levels, &named, ret);
}

/* The place of all replicas; *RET is the position of its level, which is that of hosts for `pack`. */
static bool whole_place(struct lowering *l, const struct levels *levels, struct plan_place *p, size_t *ret)
{
	size_t level = levels->n;

	if (p->kind == PLACE_PACK) {
		/* starts at the levels that the project lists, which may not include zones */
		p->keys = levels->keys + levels->first;
		p->nkeys = levels->n - levels->first;
		if (str_is(l->plan->spread.value, "host"))
			p->nkeys--;
		*ret = 0;
	} else {
		if (!find_place(l, levels, p, &level)) {
			p->kind = PLACE_ANYWHERE;
			return false;
		}
		size_t outermost = p->kind == PLACE_NEAR || level < levels->first ? level : levels->first;
		p->keys = levels->keys + outermost;
		p->nkeys = level - outermost + 1;
		p->tier = tier_of(levels, level);
		*ret = level;
	}
	against_spread(l, levels, p, level);
	return true;
}

/* ---- segments: near("rack", each = 16) ---- */

static int64_t common_divisor(int64_t a, int64_t b) { return b ? common_divisor(b, a % b) : a; }

/* The largest divisor of N that is at most MOST. */
static int64_t divisor(int64_t n, int64_t most)
{
	int64_t d = most < n ? most : n;

	while (d > 1 && n % d)
		d--;
	return d > 1 ? d : 1;
}

/* The number of replicas of a segment: a number, or the hosts of a dimension of the layout; 0 after a report. */
static int64_t segment_size(struct lowering *l, const struct value *each, struct span at)
{
	struct span from = span_known(each->from) ? each->from : at;

	if (each->kind == VALUE_STRING && role_field_level(l->ev, l->role, FIELD_LAYOUT) == LEVELS) {
		struct diag *none = diag_report(l->ev->diags, TJ0644, from,
			"role '%.*s' has no layout, so it has no groups of '%.*s'", STR_ARG(l->plan->name),
			STR_ARG(each->u.string));
		diag_help(l->ev->diags, none, "write 'layout { %.*s = 8 }' into the role, or a number of replicas: "
			"'each = 8'", STR_ARG(each->u.string));
		return 0;
	}
	if (each->kind == VALUE_STRING)
		return role_layout_hosts(l->ev, l->role, each->u.string, from);
	if (each->kind == VALUE_INT && each->u.integer > 0)
		return each->u.integer;
	struct diag *d;
	if (each->kind == VALUE_INT)
		d = diag_report(l->ev->diags, TJ0311, from, "each = %lld is outside 1..", (long long)each->u.integer);
	else
		d = diag_report(l->ev->diags, TJ0302, from,
			"'each' is a number of replicas, or a dimension of the layout");
	diag_help(l->ev->diags, d, "write 'each = 8', or 'each = \"tp\"' for the hosts of a group of the layout");
	return 0;
}

/* Do the replicas divide into the segments? Reports it otherwise (TJ0630). */
static bool test_division(struct lowering *l, const struct plan_segment *s)
{
	const struct plan_role *r = l->plan;
	int64_t both = common_divisor(r->min, r->max), less = r->max / s->size * s->size;

	if (!(r->min % s->size) && !(r->max % s->size))
		return true;
	struct str replicas = r->min == r->max ? str_printf(l->ev->arena, "the %lld replicas", (long long)r->max) :
		str_printf(l->ev->arena, "both ends of replicas = %lld:%lld", (long long)r->min, (long long)r->max);
	struct diag *d = diag_report(l->ev->diags, TJ0630, s->from, "segments of %lld do not divide %.*s of '%.*s'",
		(long long)s->size, STR_ARG(replicas), STR_ARG(r->name));
	diag_note(l->ev->diags, d, r->replicas_at, "decided here");
	diag_help(l->ev->diags, d, "write near(\"%.*s\", each = %lld)", STR_ARG(s->level),
		(long long)divisor(both, s->size));
	if (r->min == r->max)
		diag_help(l->ev->diags, d, "or write replicas = %lld", (long long)(less ? less : s->size));
	else
		diag_help(l->ev->diags, d, "or a range whose ends are multiples of %lld", (long long)s->size);
	return false;
}

/* Reports a place with `each` that has no single role to divide (TJ0627). */
static bool test_owner(struct lowering *l, struct span at)
{
	const struct job *j = l->role->job;
	const struct role *first = NULL;
	unsigned n = 0;

	for (size_t i = 0; of_whole_job(l) && i < j->nroles; i++) {
		int64_t lo, hi;
		if (j->roles[i]->aux || !role_replicas(l->ev, j->roles[i], &lo, &hi) || !hi)
			continue;
		n++;
		first = first && first->plan->max > hi ? first : j->roles[i];
	}
	if (n > 1) {
		struct diag *d = diag_report(l->ev->diags, TJ0627, at,
			"'place' with 'each' divides the replicas of one role, and %u roles would inherit it", n);
		diag_help(l->ev->diags, d, "write it in 'role %.*s'", STR_ARG(first->name));
		return false;
	}
	if (role_slices(l->ev, l->role) > 1) {
		struct diag *d = diag_report(l->ev->diags, TJ0627, at,
			"'place' with 'each' divides replicas that 'slices' divides already");
		diag_note(l->ev->diags, d, role_field_at(l->ev, l->role, FIELD_SLICES), "'slices' is set here");
		diag_help(l->ev->diags, d, "remove one of them");
		return false;
	}
	return true;
}

struct nesting {                        /* the place around a segment */
	size_t level;
	int64_t size;                   /* number of replicas; 0: all */
	struct str words;
};

/* Reports a segment that is not inside of the place before it in the list (TJ0631). */
static bool test_nesting(struct lowering *l, const struct levels *levels, const struct nesting *outer,
	const struct plan_segment *s, size_t level)
{
	struct diag *d;

	if (outer->words.n && level <= outer->level) {
		struct str name = level_name(levels->keys[outer->level]);
		d = diag_report(l->ev->diags, TJ0631, s->from, "the level '%.*s' is not inside of '%.*s'",
			STR_ARG(s->level), STR_ARG(name));
		diag_help(l->ev->diags, d, "list the outer level first, and each level once: project.tj has the order "
			"of levels in 'topology'");
		return false;
	}
	if (outer->size && outer->size % s->size) {
		d = diag_report(l->ev->diags, TJ0631, s->from, "segments of %lld do not divide those of %lld in %.*s",
			(long long)s->size, (long long)outer->size, STR_ARG(outer->words));
		diag_help(l->ev->diags, d, "write near(\"%.*s\", each = %lld)", STR_ARG(s->level),
			(long long)divisor(outer->size, s->size));
		return false;
	}
	return true;
}

/* Adds the segment that V describes to the role's place; false after a report. A segment of one replica is none. */
static bool add_segment(struct lowering *l, const struct levels *levels, struct nesting *outer, struct plan_place *p,
	const struct value *v)
{
	struct plan_place *to = &l->plan->place;
	const struct value *each = what_is(v, "each");
	struct plan_segment s = { .level = p->level, .from = p->from };
	size_t level;

	if (!each) {
		struct diag *d = diag_report(l->ev->diags, TJ0631, p->from,
			"only the first of several places may be without 'each'");
		diag_help(l->ev->diags, d, "write near(\"%.*s\", each = %lld)",
			STR_ARG(p->level.n ? p->level : STR("rack")), (long long)divisor(l->plan->max, 8));
		return false;
	}
	s.size = segment_size(l, each, p->from);
	if (!s.size || !find_place(l, levels, p, &level) || !test_owner(l, p->from) ||
	    !test_division(l, &s) || !test_nesting(l, levels, outer, &s, level))
		return false;
	s.key = levels->keys[level];
	s.tier = tier_of(levels, level);
	if (s.size > 1) {
		against_spread(l, levels, p, level);
		ARENA_PUSH(l->ev->arena, to->segments, to->nsegments, s);
		*outer = (struct nesting){ level, s.size, str_printf(l->ev->arena, "near(\"%.*s\", each = %lld)",
			STR_ARG(s.level), (long long)s.size) };
	}
	return true;
}

/* ---- the field ---- */

static void lower_list(struct lowering *l, const struct value *list, const struct levels *levels)
{
	struct plan_place *p = &l->plan->place;
	struct nesting outer = { 0 };
	bool ok = true;

	for (size_t i = 0; ok && i < list->u.list.n; i++) {
		const struct value *v = list->u.list.at[i];
		struct plan_place one = { .from = span_known(v->from) && list->u.list.n > 1 ? v->from : p->from };
		if (v->kind != VALUE_MAP || !read_place(l, v, &one))
			return;
		if (i == 0 && !what_is(v, "each")) {
			one.together = list->u.list.n == 1 && of_whole_job(l);
			ok = whole_place(l, levels, &one, &outer.level);
			*p = one;
			if (one.kind != PLACE_PACK)
				outer.words = plan_place_text(l->ev->arena, &one);
			continue;
		}
		ok = add_segment(l, levels, &outer, &one, v);
	}
	if (!ok)
		p->nsegments = 0;
	if (p->kind == PLACE_ANYWHERE && p->nsegments)
		p->kind = PLACE_EACH;
	l->plan->segment = p->nsegments ? p->segments[0].size : 0;
}

void lower_place(struct lowering *l)
{
	enum { MOST = 3 };              /* as many as Kueue reads */
	const struct value *v = role_field(l->ev, l->role, FIELD_PLACE);

	lower_zones(l);
	if (v->kind != VALUE_LIST || !v->u.list.n)
		return;
	struct levels levels = levels_of(l->ev);
	l->plan->place.from = role_field_at(l->ev, l->role, FIELD_PLACE);
	if (v->u.list.n <= MOST) {
		lower_list(l, v, &levels);
		return;
	}
	struct diag *d = diag_report(l->ev->diags, TJ0631, l->plan->place.from,
		"%zu places, and at most %d are possible", v->u.list.n, MOST);
	diag_help(l->ev->diags, d, "remove levels that matter least");
}

/* ---- copies of a cell, each in a domain of its own ---- */

void lower_apart(struct job *first, struct plan_cell *c)
{
	const struct value *v = job_field(first, FIELD_APART);
	struct levels levels = levels_of(first->ev);
	size_t level;

	if (v->kind != VALUE_STRING)
		return;
	struct named_level named = { v->u.string, str_printf(first->ev->arena, "apart = \"%.*s\"",
		STR_ARG(v->u.string)), job_field_at(first, FIELD_APART) };
	if (!find_named(first->ev, &levels, &named, &level))
		return;
	c->apart = (struct plan_str){ v->u.string, named.from, true };
	c->apart_key = levels.keys[level];
}

/* ---- the project's list of levels ---- */

void lower_topology(struct eval *ev)
{
	const struct project *p = &ev->program->project;
	const char *why;

	for (size_t i = 0; i < p->nlevels; i++) {
		const struct project_level *level = &p->levels[i];
		if (!kube_label_key(level->key, &why)) {
			struct diag *d = diag_report(ev->diags, TJ0803, level->at, "level '%.*s' %s",
				STR_ARG(level->key), why);
			diag_help(ev->diags, d,
				"a level is the key of a label that the nodes have: \"example.com/rack\"");
		}
		for (size_t k = 0; k < i; k++)
			if (str_eq(p->levels[k].key, level->key)) {
				struct diag *d = diag_report(ev->diags, TJ0206, level->at,
					"level '%.*s' is listed twice", STR_ARG(level->key));
				diag_note(ev->diags, d, p->levels[k].at, "first here");
				break;
			}
		if (is_host(level->key) && i + 1 < p->nlevels) {
			struct diag *d = diag_report(ev->diags, TJ0626, level->at,
				"hosts are the innermost level, and '%.*s' follows them",
				STR_ARG(p->levels[i + 1].key));
			diag_help(ev->diags, d, "list the levels from the outermost to the innermost; "
				"\"kubernetes.io/hostname\" is known without being listed");
		}
	}
}
