/*
 * compiled.c - reads Jobs, Pods and Deployments that trainc compiled. The labels `trainc.dev/job` and
 * `trainc.dev/role` say to which job and role an object belongs, `trainc.dev/index` which replica it is.
 */
#include "import/compiled.h"
#include "import/import_set.h"
#include "import/import_tree.h"

#include "import/import_role.h"
#include "plan/plan.h"

#include <stdlib.h>

#define OWN "trainc.dev/"

struct compiled_part {                           /* one object: a whole role, or one replica of it */
	struct str kind, name, role;
	const struct data *metadata, *spec, *template;
	int64_t index;                  /* index of the replica; -1: the object has all replicas */
};

struct compiled {
	struct set set;
	struct compiled_part *parts;
	size_t n;
	const struct compiled_part **first;      /* the first object of each role */
};

static const char *const kinds[][3] = {
	{ "Job", "batch/v1", "batch.v1.Job" }, { "Pod", "v1", "core.v1.Pod" },
	{ "Deployment", "apps/v1", "apps.v1.Deployment" },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const char *const *compiled_kind_of(const struct data *object)
{
	for (size_t i = 0; i < KINDS; i++)
		if (str_is(member_text(object, "kind"), kinds[i][0]) &&
		    str_is(member_text(object, "apiVersion"), kinds[i][1]))
			return kinds[i];
	return NULL;
}

/* ---- which objects ---- */

/* Is it an object that the compiler adds to a job again: the Service of its replicas, or the group of a gang? */
static bool is_added_again(const struct data *object, struct str job)
{
	static const char *const groups[] = { "PodGroup", "Workload" };
	struct str kind = member_text(object, "kind");

	if (!str_eq(member_text(member(object, "metadata"), "name"), job))
		return false;
	for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
		if (str_is(kind, groups[i]))
			return true;
	return str_is(kind, "Service") && str_is(member_text(member(object, "spec"), "clusterIP"), "None");
}

static struct compiled_job *find_job(struct import *im, struct str key)
{
	struct compiled_job *c = map_get(&im->compiled, key);

	if (c)
		return c;
	c = ARENA_NEW(im->arena, struct compiled_job);
	*c = (struct compiled_job){ .source = im->source };
	map_put(&im->compiled, im->arena, key, c);
	return c;
}

static void add_object(struct arena *a, struct compiled_job *c, const struct data *object)
{
	if (!c->objects) {
		c->objects = ARENA_NEW(a, struct data);
		*c->objects = (struct data){ .kind = DATA_LIST, .from = object->from };
	}
	ARENA_PUSH(a, c->objects->u.list.at, c->objects->u.list.n, object);
}

/*
 * Returns the first job of that name without an object of this kind and name. So a second copy of a manifest becomes
 * a job of its own, which jobs_differ() reports.
 */
static struct compiled_job *job_of(struct import *im, struct str key, const struct data *object)
{
	struct compiled_job *first = find_job(im, key);
	struct str name = str_cat(im->arena, member_text(object, "kind"), STR("/"),
		member_text(member(object, "metadata"), "name"));
	size_t *copies = map_get(&first->copies, name);

	if (!copies) {
		copies = ARENA_NEW(im->arena, size_t);
		*copies = 0;
		map_put(&first->copies, im->arena, name, copies);
	}
	return (*copies)++ ? find_job(im, str_printf(im->arena, "%.*s/%zu", STR_ARG(key), *copies)) : first;
}

bool compiled_keep(struct import *im, const struct data *object)
{
	const struct data *metadata = member(object, "metadata"), *labels = member(metadata, "labels");
	struct str job = member_text(labels, OWN "job"), key;
	struct compiled_job *c;

	if (!job.n || !str_is(member_text(labels, "app.kubernetes.io/managed-by"), "trainc"))
		return false;
	if (member_text(member(metadata, "annotations"), OWN "generated").n) {
		map_put_const(&im->generated, im->arena, member_text(metadata, "name"),
			member(member(metadata, "annotations"), OWN "generated"));
		return true;
	}
	if (files_keep(im, object))
		return false;           /* in case that no mount becomes a line of `files` */
	if (!compiled_kind_of(object) || !member_text(labels, OWN "role").n)
		return is_added_again(object, job);
	key = str_cat(im->arena, member_text(metadata, "namespace"), STR("/"), job);
	c = job_of(im, key, object);
	add_object(im->arena, c, object);
	for (size_t i = 0; i < im->comments.n; i++)
		if (im->comments.at[i].anchor.start >= object->from.start &&
		    im->comments.at[i].anchor.start <= object->from.end)
			ARENA_PUSH(im->arena, c->comments.at, c->comments.n, im->comments.at[i]);
	return true;
}

/* ---- objects ---- */

static int by_index(const void *a, const void *b)
{
	int64_t x = ((const struct compiled_part *)a)->index, y = ((const struct compiled_part *)b)->index;

	return (x > y) - (x < y);
}

/* Marks of a gang on pods, which the compiler writes again. */
static bool is_mark(const struct data_member *m, const struct data *of)
{
	static const char *const marks[] = { "kueue.x-k8s.io/pod-group-name", "kueue.x-k8s.io/pod-group-total-count",
		"scheduling.k8s.io/group-name", "scheduling.x-k8s.io/pod-group", "volcano.sh/task-spec",
		"kueue.x-k8s.io/queue-name" };

	(void)of;
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		if (str_is(m->key, marks[i]))
			return true;
	return str_is(m->key, OWN "index");
}

/* Fields of pods by which the compiler names them and holds them back. */
static bool is_pods_name(const struct data_member *m, const struct data *of)
{
	return str_is(m->key, "hostname") || str_is(m->key, "subdomain") || str_is(m->key, "schedulingGates") ||
		(str_is(m->key, "schedulerName") && of) ||
		/* the policy of every Deployment */
		(str_is(m->key, "restartPolicy") && str_is(m->value->u.string, "Always")) ||
		/* the compiler writes it into every pod */
		(str_is(m->key, "enableServiceLinks") && !m->value->u.boolean);
}

struct str compiled_gang(const struct data *metadata)
{
	return member(member(metadata, "annotations"), "scheduling.k8s.io/group-name") ? STR("volcano") :
		member(member(metadata, "labels"), "scheduling.x-k8s.io/pod-group") ? STR("coscheduling") :
		(struct str){ 0 };
}

const struct data *compiled_template(struct arena *a, const struct data *metadata, const struct data *spec)
{
	static const char *const fields[] = { "labels", "annotations" };
	const struct data *left = NULL, *ret;

	for (size_t i = 0; i < 2; i++) {
		const struct data *pairs = tree_without(a, member(metadata, fields[i]), is_mark, NULL);
		if (pairs)
			left = tree_with(a, left, fields[i], pairs, member_at(metadata, fields[i]));
	}
	if (spec)
		spec = tree_without(a, spec, is_pods_name, compiled_gang(metadata).n ? metadata : NULL);
	ret = spec ? tree_with(a, NULL, "spec", spec, spec->from) : NULL;
	return left ? tree_with(a, ret, "metadata", left, left->from) : ret;
}

static bool read_part(struct import *im, const struct data *object, struct compiled_part *p)
{
	const char *const *kind = compiled_kind_of(object);
	const struct data *fitted = kind ? import_fit(im, object, kind[2], false) : NULL, *labels;
	struct str index;

	if (!fitted)
		return false;
	*p = (struct compiled_part){ .kind = str_of(kind[0]), .metadata = member(fitted, "metadata"),
		.spec = member(fitted, "spec") };
	labels = member(p->metadata, "labels");
	index = member_text(labels, OWN "index");
	p->name = member_text(p->metadata, "name");
	p->role = member_text(labels, OWN "role");
	p->index = index.n ? strtoll(str_copy(im->arena, index).p, NULL, 10) : -1;
	const struct data *template = member(p->spec, "template");
	p->template = str_is(p->kind, "Pod") ? compiled_template(im->arena, p->metadata, p->spec)
		: compiled_template(im->arena, member(template, "metadata"), member(template, "spec"));
	return role_can_run(im, p->template, fitted->from) &&
		(!str_is(p->kind, "Job") || batch_rule(im, p->spec, p->name));
}

/* Labels or annotations that all objects have: those of the job. */
static const struct data *shared_pairs(struct compiled *c, const char *field)
{
	struct arena *a = c->set.m.im->arena;
	const struct data *all = member(c->parts[0].metadata, field), *ret = NULL;

	for (size_t i = 0; i < data_count(all); i++) {
		const struct data_member *m = &all->u.map.at[i];
		bool shared = !str_starts(m->key, STR(OWN)) &&
			(str_is(m->key, "kueue.x-k8s.io/queue-name") || !is_mark(m, NULL));
		for (size_t k = 1; k < c->n && shared; k++) {
			const struct data *other = data_get(member(c->parts[k].metadata, field), m->key);
			shared = other && tree_same(m->value, other);
		}
		if (shared)
			ret = tree_with(a, ret, str_copy(a, m->key).p, m->value, m->key_at);
	}
	return ret;
}

static struct str annotation(const struct compiled_part *p, const char *key)
{
	return member_text(member(p->metadata, "annotations"), key);
}

/* ---- roles ---- */

/* The template of a role whose replicas are objects of their own. */
static const struct data *role_template(struct compiled *c, const struct compiled_part *p, size_t n)
{
	struct import *im = c->set.m.im;
	const struct data **templates = ARENA_ARRAY(im->arena, const struct data *, n), *lost, *ret;

	for (size_t i = 0; i < n; i++)
		templates[i] = p[i].template;
	ret = replicas_join(im->arena, templates, n, &lost);
	if (lost)
		replicas_differ(im, lost, p->role);
	return ret;
}

static void find_role(struct compiled *c, const struct compiled_part *p, size_t n)
{
	struct set *s = &c->set;
	struct set_role *r = &s->roles[s->n];

	*r = (struct set_role){ .name = p->role, .place = p->metadata->from, .count_at = p->metadata->from, .jobs = 1 };
	r->per = p->index >= 0 ? (int64_t)n : str_is(p->kind, "Job") ? batch_replicas(s->m.im, p->spec)
		: member_int(p->spec, "replicas", 1);
	r->template = p->index >= 0 ? role_template(c, p, n) : p->template;
	r->fields[0] = (struct role_field){ "metadata.annotations['batch.kubernetes.io/job-completion-index']",
		STR("pod.index"), "JOB_COMPLETION_INDEX" };
	r->fields[1] = (struct role_field){ "metadata.labels['batch.kubernetes.io/job-completion-index']",
		STR("pod.index"), NULL };
	r->fields[2] = (struct role_field){ "metadata.labels['" OWN "index']", STR("pod.index"), NULL };
	c->first[s->n++] = p;
}

/* The number of objects of the same role from I on, if each is a replica; otherwise 1. */
static size_t replicas_from(const struct compiled *c, size_t i)
{
	size_t n = 1;

	while (c->parts[i].index >= 0 && i + n < c->n && str_eq(c->parts[i + n].role, c->parts[i].role))
		n++;
	return n;
}

static void find_roles(struct compiled *c)
{
	struct set *s = &c->set;

	s->roles = ARENA_ARRAY(s->m.im->arena, struct set_role, c->n);
	c->first = ARENA_ARRAY(s->m.im->arena, const struct compiled_part *, c->n);
	for (size_t i = 0, n; i < c->n; i += n) {
		n = replicas_from(c, i);
		qsort(c->parts + i, n, sizeof *c->parts, by_index);
		find_role(c, &c->parts[i], n);
	}
	set_words(s);
	for (size_t i = 0; i < s->n; i++)
		set_hosts(s, &s->roles[i], str_printf(s->m.im->arena, "%.*s-%.*s-", STR_ARG(s->m.name),
			STR_ARG(s->roles[i].name)), POD_PLAIN, s->m.name);
}

/* Appends `WORD(ROLE...)` of a condition; for the name of a cell, the conditions of all roles in it. */
static bool put_leaf(struct compiled *c, struct str word, struct str name, struct str rest, struct buf *out)
{
	struct set *s = &c->set;
	struct str prefix = str_cat(s->m.im->arena, plan_label(s->m.im->arena, name), STR("-"), STR(""));
	size_t n = 0, most = 0;

	for (size_t i = 0; i < s->n; i++) {
		if (str_eq(s->roles[i].word, name)) {
			buf_printf(out, "%.*s(%.*s%.*s)", STR_ARG(word), STR_ARG(name), STR_ARG(rest));
			return true;
		}
		most += str_starts(s->roles[i].name, prefix);
	}
	for (size_t i = 0; i < s->n; i++) {
		if (!str_starts(s->roles[i].name, prefix))
			continue;
		buf_printf(out, "%s%.*s(%.*s)%s", n ? " and " : most > 1 ? "(" : "", STR_ARG(word),
			STR_ARG(s->roles[i].word), n + 1 == most && most > 1 ? ")" : "");
		n++;
	}
	return n > 0;
}

/* The first of these characters in TEXT from FROM on; its length, if none is there. */
static size_t next_of(struct str text, size_t from, const char *stops)
{
	while (from < text.n && (!text.p[from] || !strchr(stops, text.p[from])))
		from++;
	return from;
}

/* A condition of an annotation, with the roles of this program; empty, after a report, if one of them is missing. */
static struct str condition(struct compiled *c, struct str text, struct span at)
{
	struct import *im = c->set.m.im;
	struct buf out = { 0 };
	bool ok = true;

	for (size_t i = 0; i < text.n && ok;) {
		size_t word = next_of(text, i, "( ") - i, from = i + word + 1;
		if (!word || from > text.n || text.p[i + word] != '(') {
			buf_put(&out, text.p + i, word + 1 <= text.n - i ? word + 1 : text.n - i);
			i += word + 1;
			continue;
		}
		size_t name = next_of(text, from, ",)") - from, rest = next_of(text, from, ")") - from;
		ok = put_leaf(c, (struct str){ text.p + i, word }, (struct str){ text.p + from, name },
			(struct str){ text.p + from + name, rest - name }, &out);
		i = from + rest + 1;
	}
	if (!ok)
		diag_report(im->diags, TJ1111, at, "'%.*s' is left out: it names a role that is not among the objects",
			STR_ARG(text));
	struct str ret = ok ? str_copy(im->arena, buf_text(&out)) : (struct str){ 0 };
	buf_release(&out);
	return ret;
}

static bool is_aux(const struct compiled_part *p) { return !annotation(p, OWN "clean").n; }

static void set_text(struct compiled *c, struct lines *to, const char *key, struct str text, struct span at)
{
	struct arena *a = c->set.m.im->arena;

	if (text.n && !lines_find(to, str_of(key)))
		lines_set(a, to, str_of(key), expr_text(a, text), at);
}

static void set_codes(struct compiled *c, struct lines *to, struct str codes, struct span at)
{
	struct arena *a = c->set.m.im->arena;

	if (codes.n)
		set_text(c, to, "retry_on", str_cat(a, STR("["), codes, STR("]")), at);
}

static struct str with_blanks(struct arena *a, struct str codes)
{
	struct buf out = { 0 };

	for (size_t i = 0; i < codes.n; i++) {
		buf_char(&out, codes.p[i]);
		if (codes.p[i] == ',')
			buf_char(&out, ' ');
	}
	struct str ret = str_copy(a, buf_text(&out));
	buf_release(&out);
	return ret;
}

/* Reads what the object of a role says beside its pods. */
static void role_rest(struct compiled *c, size_t i)
{
	struct set_role *r = &c->set.roles[i];
	const struct compiled_part *p = c->first[i];
	struct arena *a = c->set.m.im->arena;
	struct str range = annotation(p, OWN "replicas"), retries = annotation(p, OWN "retries");

	if (str_is(p->kind, "Job")) {
		if (batch_read(c->set.m.im, p->spec, r->body))
			lines_drop(a, r->line, STR("restart"));
	}
	if (str_is(p->kind, "Deployment")) {
		lines_take(r->body, STR("restart"));
		lines_set(a, r->body, STR("restart"), expr_string(a, STR("always")), r->place);
	}
	if (retries.n)
		set_text(c, r->body, "retries", retries, r->place);
	set_codes(c, r->body, with_blanks(a, annotation(p, OWN "retry-on")), r->place);
	if (range.n) {
		lines_take(r->body, STR("replicas"));
		set_text(c, r->body, "replicas", range, r->place);
	}
	set_text(c, r->body, "start_after", condition(c, annotation(p, OWN "start-after"), r->place), r->place);
	if (is_aux(p)) {
		r->line->key = str_cat(a, STR("aux "), r->word, STR(""));
		lines_take(r->body, STR("replicas"));
	}
}

/* ---- the job ---- */

/* The condition that a job without a framework has by default: all its roles are done. */
static struct str usual_success(struct compiled *c)
{
	struct buf out = { 0 };

	for (size_t i = 0; i < c->set.n; i++)
		if (!is_aux(c->first[i]))
			set_condition(&out, "done", &c->set.roles[i], false, "and");
	struct str ret = str_copy(c->set.m.im->arena, buf_text(&out));
	buf_release(&out);
	return ret;
}

static void job_duration(struct compiled *c, const char *key, struct str seconds, struct span at)
{
	if (seconds.n)
		set_text(c, c->set.body, key, str_cat(c->set.m.im->arena, seconds, STR("s"), STR("")), at);
}

static bool is_held(const struct compiled_part *p)
{
	if (member_among(member(p->spec, "schedulingGates"), "name", STR(OWN "suspend")))
		return true;
	return member_bool(p->spec, "suspend", false) && !annotation(p, OWN "start-after").n;
}

static void job_rest(struct compiled *c)
{
	struct import *im = c->set.m.im;
	struct lines *to = c->set.body;
	bool held = true;

	for (size_t i = 0; i < c->set.n; i++) {
		const struct compiled_part *p = c->first[i];
		struct span at = p->metadata->from;
		struct str success = condition(c, annotation(p, OWN "success"), at), clean = annotation(p, OWN "clean"),
			gang = compiled_gang(str_is(p->kind, "Pod") ? p->metadata : member(member(p->spec, "template"),
				"metadata")), restarts = annotation(p, OWN "restarts");
		if (!annotation(p, OWN "success").n && !is_aux(p))
			set_text(c, to, "success", STR("none"), at);
		else if (!str_eq(success, usual_success(c)))
			set_text(c, to, "success", success, at);
		if (clean.n && !str_is(clean, "running") && !lines_find(to, STR("clean")))
			lines_set(im->arena, to, STR("clean"), expr_string(im->arena, clean), at);
		if (!str_is(restarts, "0"))
			set_text(c, to, "restarts", restarts, at);
		if (gang.n && !lines_find(to, STR("gang")))
			lines_set(im->arena, to, STR("gang"), expr_string(im->arena, gang), at);
		job_duration(c, "ttl", annotation(p, OWN "ttl"), at);
		job_duration(c, "timeout", annotation(p, OWN "timeout"), at);
		if (!lines_find(to, STR("ttl")))
			job_seconds(im, to, "ttl", p->spec, "ttlSecondsAfterFinished");
		if (str_is(p->kind, "Job") && !lines_find(to, STR("timeout")))
			job_seconds(im, to, "timeout", p->spec, "activeDeadlineSeconds");
		held = held && (is_held(p) || annotation(p, OWN "start-after").n || is_aux(p));
	}
	if (held && is_held(c->first[0]) && !lines_find(to, STR("queue")))
		set_text(c, to, "suspend", STR("true"), c->first[0]->metadata->from);
}

static void open_manifest(struct compiled *c, struct import *im, const struct data *object, struct imported *job)
{
	const struct compiled_part *p = &c->parts[0];
	static const char *const fields[] = { "labels", "annotations" };
	const struct data *metadata = NULL, *ns = member(p->metadata, "namespace");

	c->set.job = job;
	c->set.m = (struct import_manifest){ .im = im, .object = object, .kind = p->kind, .at = p->metadata->from,
		.name = member_text(member(p->metadata, "labels"), OWN "job"),
		.ns = member_text(p->metadata, "namespace"),
		.name_at = member(p->metadata, "name") ? member(p->metadata, "name")->from : p->metadata->from,
		.spec = p->spec };
	for (size_t i = 0; i < 2; i++) {
		const struct data *pairs = shared_pairs(c, fields[i]);
		if (pairs)
			metadata = tree_with(im->arena, metadata, fields[i], pairs, member_at(p->metadata, fields[i]));
	}
	if (ns)
		metadata = tree_with(im->arena, metadata, "namespace", ns, member_at(p->metadata, "namespace"));
	c->set.m.metadata = metadata;
}

static bool read_compiled(struct import *im, const struct import_kind *k, const struct data *object,
	struct imported *job)
{
	struct compiled c = { .n = data_count(object),
		.parts = ARENA_ARRAY(im->arena, struct compiled_part, data_count(object)) };
	size_t errors = im->diags->errors;

	(void)k;
	for (size_t i = 0; i < c.n; i++)
		if (!read_part(im, object->u.list.at[i], &c.parts[i]))
			return false;
	if (im->diags->errors != errors)
		return false;
	open_manifest(&c, im, object, job);
	find_roles(&c);
	c.set.body = job_new(&c.set.m, job, NULL);
	job_rest(&c);
	for (size_t i = 0; i < c.set.n; i++) {
		if (!set_role_open(&c.set, &c.set.roles[i]))
			return false;
		role_rest(&c, i);
	}
	set_finish(&c.set);
	return true;
}

const struct import_kind compiled_kind = { "Job", "batch/v1", read_compiled, false, IMPORT_JOB };
