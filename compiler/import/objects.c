/*
 * objects.c - reads the objects next to a job in a manifest: Services, ConfigMaps, claims, accounts. Each becomes an
 * `object` of the job that refers to it. Objects alone do not make a program, and the data of a Secret must not be in
 * one.
 */
#include "import/compiled.h"
#include "import/hosts.h"
#include "import/import_role.h"
#include "import/objects.h"

#include "kube/workload.h"
#include "syntax/reserved.h"

struct beside {
	struct str kind, name, ns;
	struct span at;                 /* position of the kind */
	const struct data *object;      /* fitted */
	bool namespaced, ours;
	struct line *line;              /* `object NAME { }`; NAME is set once it is known which job owns the object */
	const struct source *source;
	struct imported *owner;
};

/* ---- contents ---- */

static bool is_object_noise(struct str key)
{
	return str_is(key, "kubectl.kubernetes.io/last-applied-configuration") ||
		str_starts(key, STR("pv.kubernetes.io/bind-completed")) ||
		str_starts(key, STR("pv.kubernetes.io/bound-by")) || member_is_record(key);
}

static bool is_own_member(const struct data_member *m)
{
	return str_is(m->key, "app.kubernetes.io/managed-by") && m->value->kind == DATA_STRING &&
		str_is(m->value->u.string, "trainc");
}

/* Writes a map of the object as a block. */
static void block(struct import *im, struct lines *to, const struct data_member *m)
{
	raw_member(im, to, m->key, m->value, m->key_at);
	if (m->value->kind == DATA_MAP && m->value->u.map.n)
		to->at[to->n - 1]->form = LINE_EXTEND;
}

/* Labels and annotations, without those that belong to other tools. */
static void read_object_pairs(struct import *im, struct lines *to, const struct data_member *m)
{
	struct data *left = ARENA_NEW(im->arena, struct data);
	struct data_member *at = ARENA_ARRAY(im->arena, struct data_member, m->value->u.map.n);
	size_t n = 0;

	for (size_t i = 0; i < m->value->u.map.n; i++)
		if (!is_object_noise(m->value->u.map.at[i].key) && !is_own_member(&m->value->u.map.at[i]))
			at[n++] = m->value->u.map.at[i];
	*left = (struct data){ .kind = DATA_MAP, .from = m->value->from, .u.map = { at, n } };
	if (n)
		raw_member(im, to, m->key, left, m->key_at);
}

static void metadata(struct import *im, struct lines *to, const struct data_member *m)
{
	struct lines *in = lines_extend(im->arena, to, m->key, m->key_at);

	for (size_t i = 0; i < m->value->u.map.n; i++) {
		const struct data_member *field = &m->value->u.map.at[i];
		if (is_servers(field->key))
			continue;
		if (str_is(field->key, "ownerReferences"))
			import_left_out(im, field->key_at, field->key, "the objects of a program belong to its job");
		else if (str_is(field->key, "labels") || str_is(field->key, "annotations"))
			read_object_pairs(im, in, field);
		else
			raw_member(im, in, field->key, field->value, field->key_at);
	}
}

/* Removes addresses that a cluster gave to a Service: they would not be valid in another cluster. */
static const struct data *without_addresses(struct import *im, const struct beside *b, const struct data *spec)
{
	static const char *const given[] = { "clusterIP", "clusterIPs" };
	struct data *ret = ARENA_NEW(im->arena, struct data);
	struct data_member *at = ARENA_ARRAY(im->arena, struct data_member, spec->u.map.n);
	size_t n = 0;

	for (size_t i = 0; i < spec->u.map.n; i++) {
		const struct data_member *m = &spec->u.map.at[i];
		bool address = str_is(m->key, given[0]) || str_is(m->key, given[1]);
		bool none = str_is(member_text(spec, "clusterIP"), "None") ||
			!member(member(b->object, "metadata"), "uid");
		if (address && !none)
			import_left_out(im, m->key_at, m->key, "the cluster gives a Service its address");
		else
			at[n++] = *m;
	}
	*ret = (struct data){ .kind = DATA_MAP, .from = spec->from, .u.map = { at, n } };
	return ret;
}

static void part(struct import *im, const struct beside *b, struct data_member m)
{
	struct lines *to = &b->line->value->items;

	if (str_is(m.key, "spec") && str_is(b->kind, "Service") && m.value->kind == DATA_MAP)
		m.value = without_addresses(im, b, m.value);
	if (str_is(m.key, "metadata") && m.value->kind == DATA_MAP)
		metadata(im, to, &m);
	else if (!str_is(m.key, "status"))
		block(im, to, &m);
}

/* Writes the object in the usual order: apiVersion, kind, metadata, the rest. */
static void body(struct import *im, const struct beside *b)
{
	static const char *const first[] = { "apiVersion", "kind", "metadata" };
	const struct data *object = b->object;

	/* comments above the object refer to the whole object */
	import_comments(im, b->line, (struct span){ object->from.start, object->from.start + 1 });
	for (size_t k = 0; k < 4; k++) {
		for (size_t i = 0; i < object->u.map.n; i++) {
			const struct data_member *m = &object->u.map.at[i];
			size_t mine = 0;
			while (mine < 3 && !str_is(m->key, first[mine]))
				mine++;
			if (mine == k)
				part(im, b, *m);
		}
	}
	comments_settle(im->arena, &im->comments, b->object->from, b->line);
}

/* ---- reading ---- */

/* Is it a Secret with data? A Secret without data is handled like other objects. */
static bool is_secret(struct import *im, const struct data *object, const struct beside *b)
{
	struct diag *d;

	if (!str_is(b->kind, "Secret") || !(data_count(member(object, "data")) ||
	    data_count(member(object, "stringData"))))
		return false;
	d = diag_report(im->diags, TJ1119, b->at, "the Secret '%.*s' is left out", STR_ARG(b->name));
	diag_help(im->diags, d, "apply it by itself and keep it out of the repository; secret(\"%.*s\", KEY) and "
		"secret_files(\"%.*s\") refer to it", STR_ARG(b->name),
		STR_ARG(b->name));
	return true;
}

bool beside_read(struct import *im, const struct data *object, struct str kind, struct str api_version)
{
	const struct schema_kind *known = schema_find_kind(&schema_builtin, api_version, kind);
	struct beside *b;

	if (!known)
		return false;
	b = ARENA_NEW(im->arena, struct beside);
	*b = (struct beside){ .kind = kind, .at = data_get(object, STR("kind"))->from, .source = im->source,
		.namespaced = known->namespaced,
		.name = member_text(member(object, "metadata"), "name"),
		.ns = member_text(member(object, "metadata"), "namespace") };
	if (is_secret(im, object, b))
		return true;
	if (!b->name.n) {
		diag_report(im->diags, TJ1105, b->at, "this %.*s has no name", STR_ARG(kind));
		return true;
	}
	struct str type = schema_text(&schema_builtin, schema_builtin.types[known->type].name);
	b->object = import_fit(im, object, str_copy(im->arena, type).p, false);
	if (!b->object)
		return true;
	b->ours = str_is(member_text(member(member(object, "metadata"), "labels"), "app.kubernetes.io/managed-by"),
		"trainc");
	b->line = ARENA_NEW(im->arena, struct line);
	*b->line = (struct line){ .form = LINE_EXTEND, .value = expr_new(im->arena, EXPR_BODY), .from = object->from };
	body(im, b);
	ARENA_PUSH(im->arena, im->beside, im->nbeside, b);
	return true;
}

struct line *beside_last(const struct import *im) { return im->nbeside ? im->beside[im->nbeside - 1]->line : NULL; }

/* ---- finding the job of an object ---- */

static bool same_place(const struct beside *b, const struct imported *job)
{
	return !b->ns.n || str_eq(b->ns, job->ns) || (!job->ns.n && str_is(b->ns, "default"));
}

/* Gives the object to the first job in which its name occurs. */
static void claim_by_name(struct map *names, struct imported *job, const struct data *d)
{
	if (d->kind == DATA_STRING) {
		for (struct beside **b = map_get(names, d->u.string); b && *b; b++)
			if (!(*b)->owner && same_place(*b, job))
				(*b)->owner = job;
	} else if (d->kind == DATA_LIST) {
		for (size_t i = 0; i < d->u.list.n; i++)
			claim_by_name(names, job, d->u.list.at[i]);
	} else if (d->kind == DATA_MAP) {
		for (size_t i = 0; i < d->u.map.n; i++)
			claim_by_name(names, job, d->u.map.at[i].value);
	}
}

struct namesakes {
	struct beside **at;             /* objects of the same name; the last element is NULL */
	size_t n;
};

/* Collects the objects by name. */
static struct map objects_by_name(struct import *im)
{
	struct map lists = { 0 }, ret = { 0 };

	for (size_t i = 0; i < im->nbeside; i++) {
		struct namesakes *list = map_get(&lists, im->beside[i]->name);
		if (!list) {
			list = ARENA_NEW(im->arena, struct namesakes);
			map_put(&lists, im->arena, im->beside[i]->name, list);
		}
		ARENA_PUSH(im->arena, list->at, list->n, im->beside[i]);
	}
	for (size_t i = 0; i < lists.n; i++) {
		struct namesakes *list = lists.entries[i].value;
		struct beside *end = NULL;
		ARENA_PUSH(im->arena, list->at, list->n, end);
		map_put(&ret, im->arena, lists.entries[i].key, list->at);
	}
	return ret;
}

static struct imported *first_job(struct import *im, const struct source *source)
{
	struct imported *first = NULL;

	for (size_t i = 0; i < im->njobs; i++) {
		if (!im->jobs[i]->job)
			continue;
		if (im->jobs[i]->source == source)
			return im->jobs[i];
		if (!first)
			first = im->jobs[i];
	}
	return first;
}

/* ---- putting an object into its job ---- */

/* Replaces the pod names that the other system gives, in the texts of an object. */
static void look_at_hosts(struct import *im, struct imported *job, const struct data *d)
{
	struct str host;

	for (size_t i = 0; d->kind == DATA_STRING && i < d->u.string.n; i++) {
		size_t n = host_at(im, job, d->u.string, i, &host);
		if (!n)
			continue;
		struct diag *e = diag_report(im->diags, TJ1122, d->from, "no pod of the program is called '%.*s'",
			(int)n, d->u.string.p + i);
		diag_help(im->diags, e,
			"its address is ${%.*s}, which only texts of roles can contain: make it one of the job's "
			"'files'",
			STR_ARG(host));
		return;
	}
	for (size_t i = 0; d->kind == DATA_LIST && i < d->u.list.n; i++)
		look_at_hosts(im, job, d->u.list.at[i]);
	for (size_t i = 0; d->kind == DATA_MAP && i < d->u.map.n; i++)
		look_at_hosts(im, job, d->u.map.at[i].value);
}

/* Collects the names of the blocks in a job, which must all be different. */
static void take_words(struct import *im, struct imported *job)
{
	const struct lines *in = &job->job->value->items;

	for (size_t i = job->words.n ? in->n : 0; i < in->n; i++) {
		struct str key = in->at[i]->key;
		const char *blank = key.n ? memchr(key.p, ' ', key.n) : NULL;
		if (blank)
			map_put(&job->words, im->arena, (struct str){ blank + 1, key.n - (size_t)(blank - key.p) - 1 },
				job);
	}
}

/* Returns the name of the block: `bert-config` of the job bert becomes `config`. */
static struct str object_word(struct import *im, const struct beside *b)
{
	struct arena *a = im->arena;
	struct str name = b->name, job = b->owner->name, kind = str_lower(a, b->kind), word;

	if (str_starts(name, job) && name.n > job.n + 1 && name.p[job.n] == '-')
		name = (struct str){ name.p + job.n + 1, name.n - job.n - 1 };
	else if (str_eq(name, job))
		name = kind;
	take_words(im, b->owner);
	word = str_lower(a, word_text(a, name));
	if (key_text(a, word).p != word.p || word_is_reserved(word) || map_get(&b->owner->words, word))
		word = str_printf(a, "%.*s_%.*s", STR_ARG(word), STR_ARG(kind));
	struct str base = word;
	for (unsigned i = 2; map_put(&b->owner->words, a, word, b->owner); i++)
		word = str_printf(a, "%.*s_%u", STR_ARG(base), i);
	return word;
}

/* Is it the Service by which a job's pods find each other? The compiler writes such a Service for every job. */
static bool is_own_service(struct import *im, const struct beside *b)
{
	const struct data *spec = member(b->object, "spec");

	bool name = str_eq(b->name, b->owner->name) || (b->owner->subdomain.n && str_eq(b->name, b->owner->subdomain));
	if (!str_is(b->kind, "Service") || !name || !str_is(member_text(spec, "clusterIP"), "None"))
		return false;
	import_left_out(im, b->at, str_cat(im->arena, STR("Service "), b->name, STR("")),
		"every job gets such a Service automatically: its replicas find each other through it");
	return true;
}

/*
 * Reports the label KEY of a selector if the other system's controller writes that label to its pods, but the
 * framework does not.
 */
static void look_at_label(struct import *im, const struct beside *b, struct str key, struct span at)
{
	if (host_is_foreign(key) && !selector_keeps(b->owner, key))
		selector_missing(im, b->owner, at, key);
}

static void look_at_labels(struct import *im, const struct beside *b, const struct data *labels)
{
	for (size_t i = 0; i < data_count(labels); i++)
		look_at_label(im, b, labels->u.map.at[i].key, labels->u.map.at[i].key_at);
}

/* Examines the selectors in D: those of disruption budgets, network policies and affinities. */
static void look_at_selectors(struct import *im, const struct beside *b, const struct data *d)
{
	for (size_t i = 0; d->kind == DATA_LIST && i < d->u.list.n; i++)
		look_at_selectors(im, b, d->u.list.at[i]);
	for (size_t i = 0; d->kind == DATA_MAP && i < d->u.map.n; i++) {
		const struct data_member *m = &d->u.map.at[i];
		if (str_is(m->key, "matchLabels") && m->value->kind == DATA_MAP)
			look_at_labels(im, b, m->value);
		else if (str_is(m->key, "matchExpressions"))
			for (size_t k = 0; m->value->kind == DATA_LIST && k < m->value->u.list.n; k++)
				look_at_label(im, b, member_text(m->value->u.list.at[k], "key"),
					m->value->u.list.at[k]->from);
		else
			look_at_selectors(im, b, m->value);
	}
}

/* Removes labels and annotations of the job: the compiler adds them to every object of a job. */
static void without_pairs(struct import *im, struct line *metadata, const char *key, const struct data *of_job)
{
	struct line *line = lines_find(&metadata->value->items, str_of(key));

	for (size_t i = 0; line && i < data_count(of_job); i++) {
		const struct data_member *m = &of_job->u.map.at[i];
		struct line *mine = lines_find(&line->value->items, key_text(im->arena, m->key));
		if (mine && m->value->kind == DATA_STRING &&
		    expr_same(mine->value, expr_string(im->arena, m->value->u.string)))
			lines_drop(im->arena, line, mine->key);
	}
	if (line && !line->value->items.n)
		lines_drop(im->arena, metadata, line->key);
}

/* Lets the selector of a Service select the pods of the program, where their own controller has other labels. */
static void service_selector(struct import *im, struct beside *b)
{
	const struct data *labels = member(member(b->object, "spec"), "selector");
	struct line *spec = lines_find(&b->line->value->items, STR("spec"));
	struct line *written = spec ? lines_find(&spec->value->items, STR("selector")) : NULL;
	struct str key, value;

	for (size_t i = 0; written && i < data_count(labels); i++) {
		const struct data_member *m = &labels->u.map.at[i];
		struct line *line = lines_find(&written->value->items, key_text(im->arena, m->key));
		if (!selector_ours(im, b->owner, m, &key, &value) || !line)
			continue;
		line->key = key_text(im->arena, key);
		line->value = expr_string(im->arena, value);
	}
}

static void give_object(struct import *im, struct beside *b)
{
	struct lines *job = &b->owner->job->value->items;
	struct line *metadata_line = lines_find(&b->line->value->items, STR("metadata"));

	if (is_own_service(im, b))
		return;
	if (str_is(b->kind, "Service"))
		service_selector(im, b);
	else if (str_is(b->kind, "ReplicationController"))
		look_at_labels(im, b, member(member(b->object, "spec"), "selector"));
	look_at_selectors(im, b, b->object);
	if (b->owner->hosts.n)
		look_at_hosts(im, b->owner, b->object);
	b->line->key = str_cat(im->arena, STR("object "), object_word(im, b), STR(""));
	if (metadata_line && b->ns.n && str_eq(b->ns, b->owner->ns))
		lines_drop(im->arena, metadata_line, STR("namespace"));
	if (metadata_line && b->ours) {
		without_pairs(im, metadata_line, "labels", b->owner->labels);
		without_pairs(im, metadata_line, "annotations", b->owner->annotations);
	}
	if (b->namespaced && !b->ns.n && b->owner->ns.n)
		diag_report(im->diags, TJ1111, b->at,
			"%.*s '%.*s' names no namespace; the program puts it into that of its job, '%.*s'",
			STR_ARG(b->kind), STR_ARG(b->name), STR_ARG(b->owner->ns));
	lines_push(im->arena, job, b->line);
}

/* Reports that no manifest has a job. */
static void alone(struct import *im, const struct beside *b)
{
	struct diag *d = diag_report(im->diags, TJ1102, b->at, "a %.*s by itself is not a job", STR_ARG(b->kind));
	const struct workload *w = workload_named(b->kind);

	if (w && !(w->traits & WORKLOAD_ENDS))
		diag_help(im->diags, d, "its pods run forever, and a job ends: apply it unchanged, or import it "
			"together with a job to make it an 'object' of that job");
	else if (str_is(b->kind, "CronJob"))
		diag_help(im->diags, d, "a program says what runs, not when; for the Job of a CronJob in the cluster: "
			"'kubectl create job NAME --from=cronjob/%.*s --dry-run=client -o yaml | trainc import -'",
			STR_ARG(b->name));
	else
		diag_help(im->diags, d,
			"imported together with a job, it becomes an 'object' of that job: give both files to one "
			"command");
}

void beside_finish(struct import *im)
{
	struct map names;

	if (!im->nbeside)
		return;
	if (!first_job(im, NULL)) {
		bool ok = diags_ok(im->diags);
		for (size_t i = 0; i < im->nbeside && ok; i++)
			alone(im, im->beside[i]);
		return;
	}
	names = objects_by_name(im);
	for (size_t i = 0; i < im->njobs; i++)
		if (im->jobs[i]->job && im->jobs[i]->object)
			claim_by_name(&names, im->jobs[i], im->jobs[i]->object);
	for (size_t i = 0; i < im->nbeside; i++) {
		struct beside *b = im->beside[i];
		if (b->ours && files_taken(im, b->name) && str_is(b->kind, "ConfigMap"))
			continue;
		if (!b->owner)
			b->owner = first_job(im, b->source);
		give_object(im, b);
	}
	im->nbeside = 0;
}
