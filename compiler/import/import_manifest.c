/*
 * import_manifest.c - reads texts as objects: documents, lists of objects, and the reader of each kind.
 */
#include "import/compiled.h"
#include "import/import_live.h"
#include "import/import_manifest.h"
#include "import/import_tree.h"
#include "import/objects.h"
#include "import/slurm.h"
#include "import/template.h"

#include "data/data_read.h"
#include "diag/suggest.h"
#include "kube/limits.h"

struct import *import_new(struct arena *a, struct sources *sources, struct diags *diags, struct import_options options)
{
	struct import *im = ARENA_NEW(a, struct import);

	im->arena = a;
	im->sources = sources;
	im->diags = diags;
	im->names = ARENA_NEW(a, struct names);
	im->names->arena = a;
	im->options = options;
	return im;
}

/* ---- kinds ---- */

/*
 * Does the group of an API version contain a kind of job? Then an unknown kind in that group may be a misspelled one.
 */
static bool has_jobs(struct str api_version)
{
	const char *slash = memchr(api_version.p, '/', api_version.n);
	struct str group = { api_version.p, slash ? (size_t)(slash - api_version.p) + 1 : 0 };

	for (size_t i = 0; import_kind_at(i); i++) {
		const char *known = import_kind_at(i)->api_version;
		if (group.n ? str_starts(str_of(known), group) : !strchr(known, '/'))
			return true;
	}
	return false;
}

/* An object of an unknown kind: reported once it is known whether there is a job at all. */
struct stranger {
	struct str kind, name;
	struct span at;
};

static void known_versions(struct import *im, struct diag *d, const struct import_kind *first)
{
	const struct import_kind *second = NULL;

	for (size_t i = 0; import_kind_at(i); i++)
		if (str_is(str_of(import_kind_at(i)->kind), first->kind) && import_kind_at(i) != first)
			second = import_kind_at(i);
	if (second)
		diag_help(im->diags, d, "trainc reads 'apiVersion: %s' and 'apiVersion: %s'", first->api_version,
			second->api_version);
	else
		diag_help(im->diags, d, "trainc reads 'apiVersion: %s'", first->api_version);
}

static void unknown_kind(struct import *im, const struct data *object, struct str kind, struct str api_version,
	const struct import_kind *other)
{
	struct diags *ds = im->diags;
	struct span at = data_get(object, STR("kind"))->from;
	struct stranger *stranger;
	struct suggest near;

	if (other) {
		struct diag *d = diag_report(ds, TJ1102, at, "%.*s of '%.*s' cannot be imported", STR_ARG(kind),
			STR_ARG(api_version));
		known_versions(im, d, other);
		return;
	}
	suggest_init(&near, im->arena, kind);
	for (size_t i = 0; has_jobs(api_version) && import_kind_at(i); i++)
		suggest_add(&near, str_of(import_kind_at(i)->kind));
	struct str sentence = suggest_sentence(&near);
	if (sentence.n) {
		diag_help(ds, diag_report(ds, TJ1102, at, "%.*s is not a kind that can be imported", STR_ARG(kind)),
			"%.*s", STR_ARG(sentence));
		return;
	}
	stranger = ARENA_NEW(im->arena, struct stranger);
	*stranger = (struct stranger){ kind, member_text(data_get(object, STR("metadata")), "name"), at };
	ARENA_PUSH(im->arena, im->strangers, im->nstrangers, stranger);
}

static void report_strangers(struct import *im)
{
	for (size_t i = 0; i < im->nstrangers; i++) {
		const struct stranger *s = im->strangers[i];
		struct diag *d;
		if (im->njobs) {
			d = diag_report(im->diags, TJ1120, s->at, "%.*s '%.*s' is left out: its kind is not known",
				STR_ARG(s->kind), STR_ARG(s->name));
			diag_help(im->diags, d, "apply it as it is; or write it as an 'object' of the job, in a "
				"project to which 'trainc vendor crd' has added its kind");
		} else {
			d = diag_report(im->diags, TJ1102, s->at, "%.*s is not a kind that can be imported",
				STR_ARG(s->kind));
			diag_help(im->diags, d, "only jobs become programs; apply other objects as they are");
		}
	}
	im->nstrangers = 0;
}

/* ---- jobs ---- */

/* Limits for the input: each is far above what users apply at once, and reading that much takes less than a second. */
enum { MOST_OBJECTS = 50000, MOST_COMMENTS = 500000, OBJECT_LARGEST = 8 << 20 };

/*
 * A job that has to be read again: the meaning of its references depends on the variables that the framework sets,
 * which are only known later.
 */
struct again {
	struct imported *job;
	const struct import_kind *k;
	const struct data *object;
	const struct source *source;
	struct comments comments;       /* all comments of the document, before lines of the program take some */
	struct span rest;               /* comments in this range that no line took are put above the job */
};

/*
 * Is there room for one more job? A program has a limited number of objects, and every job has at least one, so more
 * jobs are refused before they are read.
 */
static bool has_room(struct import *im, const struct data *object)
{
	if (im->njobs < LIMIT_OBJECTS)
		return true;
	if (!im->full) {
		struct diag *d = diag_report(im->diags, TJ1102, object->from, "more than %d jobs are imported",
			LIMIT_OBJECTS);
		diag_help(im->diags, d, "a program has at most %d objects: import them in several commands",
			LIMIT_OBJECTS);
	}
	im->full = true;
	return false;
}

static void read_job_manifest(struct import *im, const struct import_kind *k, const struct data *object)
{
	if (!has_room(im, object))
		return;
	struct imported *job = ARENA_NEW(im->arena, struct imported);
	struct again again = { job, k, object, im->source, im->comments, { object->from.start, object->from.end + 1 } };

	again.comments.at = ARENA_ARRAY(im->arena, struct import_comment, im->comments.n);
	if (im->comments.n)
		memcpy(again.comments.at, im->comments.at, im->comments.n * sizeof *im->comments.at);
	if (!k->read(im, k, object, job))
		return;
	if (job->has_references) {
		struct again *kept = ARENA_NEW(im->arena, struct again);
		*kept = again;
		ARENA_PUSH(im->arena, im->again, im->nagain, kept);
	}
	job->object = object;
	job->source = im->source;
	job->header = im->header;
	ARENA_PUSH(im->arena, im->jobs, im->njobs, job);
}

static void read_again(struct import *im, const struct again *a)
{
	const struct map *set = a->job->set;
	struct str header = a->job->header;

	*a->job = (struct imported){ .set = set, .header = header };
	im->source = a->source;
	im->comments = a->comments;
	im->diags->muted++;
	a->k->read(im, a->k, a->object, a->job);
	im->diags->muted--;
	a->job->object = a->object;
	a->job->source = a->source;
	import_comments(im, a->job->job, a->rest);
	im->comments = (struct comments){ 0 };
}

/*
 * Reads jobs with references again. The variables that their frameworks set are determined together, for as many jobs
 * as one program can have.
 */
static void read_references(struct import *im)
{
	struct imported **jobs = ARENA_ARRAY(im->arena, struct imported *, im->nagain);

	for (size_t i = 0; i < im->nagain && (im->options.separate || diags_ok(im->diags));) {
		struct map names = { 0 };
		size_t n = 0;
		while (i + n < im->nagain && n < 1000 && !map_put(&names, im->arena, im->again[i + n]->job->name, im)) {
			jobs[n] = im->again[i + n]->job;
			n++;
		}
		job_framework_names(im, jobs, n);
		for (size_t k = 0; k < n; k++)
			read_again(im, im->again[i + k]);
		i += n;
	}
	im->nagain = 0;
}

struct later {
	const struct import_kind *k;
	const struct data *object;
	const struct source *source;
	struct comments comments;
};

static void keep_manifest(struct import *im, const struct import_kind *k, const struct data *object)
{
	struct later *l = ARENA_NEW(im->arena, struct later);

	*l = (struct later){ k, object, im->source, im->comments };
	ARENA_PUSH(im->arena, im->later, im->nlater, l);
	struct str job = member_text(member(member(object, "metadata"), "labels"), "trainc.dev/job");
	size_t n = job.n ? (size_t)(uintptr_t)map_get(&im->later_jobs, job) : 0;
	if (job.n)
		map_put(&im->later_jobs, im->arena, job, (void *)(uintptr_t)(n + 1));
}

static void read_later(struct import *im, const struct later *l)
{
	size_t first = im->njobs;

	im->source = l->source;
	im->comments = l->comments;
	read_job_manifest(im, l->k, l->object);
	for (size_t i = 0; i < l->comments.n && im->njobs > first; i++)
		import_comments(im, im->jobs[first]->job, l->comments.at[i].anchor);
	im->comments = (struct comments){ 0 };
}

static bool is_list(const struct data *object, struct str kind)
{
	const struct data *items = data_get(object, STR("items"));

	return str_ends(kind, STR("List")) && items && items->kind == DATA_LIST;
}

/* Reports further documents of a configuration: the older controllers read only the first. */
static void further_documents(struct import *im, struct data_reader *r)
{
	struct data_error error;
	struct data *d;
	enum data_step step;

	while ((step = data_next(r, &d, &error)) == DATA_DOCUMENT)
		import_left_out(im, d->from, d->kind == DATA_MAP && d->u.map.n ? d->u.map.at[0].key : STR("---"),
			"the controller reads one document of its configuration, the first");
	if (step == DATA_ERROR)
		diag_report(im->diags, TJ1101, error.at, "%.*s", STR_ARG(error.what));
}

/* Reads the configuration in a ConfigMap as a source of its own, so that messages have positions within that text. */
static const struct data *inner_config(struct import *im, const struct data *text)
{
	struct source *source = source_add(im->sources,
		str_cat(im->arena, im->source->name, STR(" (configuration)"), STR("")), text->u.string);
	struct data_reader *r = source ? data_reader_new(im->arena, source) : NULL;
	struct data_error error;
	struct data *d = NULL;
	enum data_step step = r ? data_next(r, &d, &error) : DATA_END;

	if (step == DATA_ERROR)
		diag_report(im->diags, TJ1101, error.at, "%.*s", STR_ARG(error.what));
	else if (step == DATA_DOCUMENT)
		further_documents(im, r);
	if (r)
		data_reader_release(r);
	return d;
}

static void read_config(struct import *im, const struct data *object)
{
	struct imported *job = ARENA_NEW(im->arena, struct imported);
	const struct data *text = import_config_of(object), *config = text ? inner_config(im, text) : object;

	if (config && import_config(im, config, job))
		ARENA_PUSH(im->arena, im->jobs, im->njobs, job);
}

/* Reports that the input has more than NUMBER of WHAT, and ends the import. */
static void stop(struct import *im, struct span at, int number, const char *what)
{
	if (!im->full)
		diag_help(im->diags, diag_report(im->diags, TJ1102, at, "more than %d %s", number, what),
			"import the objects in several commands");
	im->full = true;
}

static bool is_small(struct import *im, const struct data *object)
{
	struct span at = { object->from.start, object->from.start + 1 };

	if (object->from.end - object->from.start <= OBJECT_LARGEST)
		return true;
	struct diag *d = diag_report(im->diags, TJ1102, at, "this object is larger than %d MiB", OBJECT_LARGEST >> 20);
	diag_help(im->diags, d, "the API server accepts at most 3 MiB: "
		"put long texts into files of the image or of a volume");
	return false;
}

/* Reports a document that is not a map: a list of objects, a script, or a table that kubectl printed. */
static void report_document(struct import *im, const struct data *object)
{
	struct diag *d = diag_report(im->diags, TJ1102, object->from,
		"an object is a map with 'apiVersion' and 'kind', found %s", import_kind_words(object));

	if (object->kind == DATA_LIST)
		diag_help(im->diags, d, "write the objects as 'items' of an object: { \"apiVersion\": \"v1\", "
			"\"kind\": \"List\", \"items\": [...] }");
	else if (str_starts(im->source->text, STR("#!")))
		diag_help(im->diags, d, "of scripts, those of Slurm are imported: their lines begin with '#SBATCH'");
	else
		diag_help(im->diags, d, "'kubectl get KIND NAME -o yaml' prints a manifest");
}

/* The tool for which a file without a kind was written, by the keys of its tasks; NULL if none is known. */
static const char *task_of(const struct data *object)
{
	if (member(object, "type") && (member(object, "commands") || member(object, "gpu")))
		return "dstack";
	return member(object, "run") && (member(object, "resources") || member(object, "setup") ||
		member(object, "num_nodes") || member(object, "workdir")) ? "SkyPilot" : NULL;
}

/* Reports an object without a kind or a version, which may be a file of Docker Compose. */
static void report_untyped(struct import *im, const struct data *object, struct str kind)
{
	const struct data *services = member(object, "services");
	bool compose = !kind.n && services && services->kind == DATA_MAP;
	const char *tool = kind.n || compose ? NULL : task_of(object);
	struct diag *d = tool ? diag_report(im->diags, TJ1102, object->from, "this is a task of %s, not a manifest of "
		"Kubernetes", tool) : compose ? diag_report(im->diags, TJ1102, object->from,
		"this is a file of Docker Compose, not a manifest of Kubernetes") :
		diag_report(im->diags, TJ1102, object->from, "this object has no '%s'", kind.n ? "apiVersion" : "kind");

	if (tool)
		diag_help(im->diags, d, "'trainc init' writes a program: 'num_nodes' or 'nodes' is 'replicas', "
			"'run' or 'commands' is 'command', the GPUs are 'accelerator', 'setup' belongs into the image");
	else if (compose)
		diag_help(im->diags, d, "'trainc init' writes a program: a service is a role, with its 'image', "
			"'command' and 'env'");
	else
		diag_help(im->diags, d, "a manifest begins with lines like 'apiVersion: batch/v1' and 'kind: Job'");
}

static void read_object(struct import *im, const struct data *object);

/* Reads the objects in an AppWrapper, an envelope by which a queue admits them together; false for other kinds. */
static bool read_wrapped(struct import *im, const struct data *object, struct str kind)
{
	const struct data *parts = member(member(object, "spec"), "components"),
		*queue = data_get(member(member(object, "metadata"), "labels"), STR("kueue.x-k8s.io/queue-name"));

	if (!str_is(kind, "AppWrapper") || !parts || parts->kind != DATA_LIST)
		return false;
	for (size_t i = 0; i < parts->u.list.n; i++) {
		const struct data *inner = member(parts->u.list.at[i], "template"),
			*metadata = member(inner, "metadata");
		if (!inner || inner->kind != DATA_MAP)
			continue;
		if (queue && metadata) {        /* the queue admits the envelope, and so the job in it */
			const struct data *labels = tree_with(im->arena, member(metadata, "labels"),
				"kueue.x-k8s.io/queue-name", queue, queue->from);
			metadata = tree_with(im->arena, metadata, "labels", labels, queue->from);
			inner = tree_with(im->arena, inner, "metadata", metadata, queue->from);
		}
		read_object(im, inner);
	}
	return true;
}

static void read_object(struct import *im, const struct data *object)
{
	const struct import_kind *other;
	struct str kind = member_text(object, "kind"), api_version = member_text(object, "apiVersion");

	if (im->full)
		return;
	if (++im->nobjects > MOST_OBJECTS) {
		stop(im, object->from, MOST_OBJECTS, "objects");
		return;
	}
	if (!is_list(object, kind) && !is_small(im, object))
		return;
	if (object->kind != DATA_MAP) {
		report_document(im, object);
		return;
	}
	if (is_list(object, kind)) {
		const struct data *items = data_get(object, STR("items"));
		for (size_t i = 0; i < items->u.list.n; i++)
			read_object(im, items->u.list.at[i]);
		if (!items->u.list.n)
			im->empty_list = object->from;
		return;
	}
	if (import_is_config(object) || import_config_of(object)) {
		read_config(im, object);
		return;
	}
	if (template_directory(im, object) || read_wrapped(im, object, kind))
		return;
	if (!kind.n || !api_version.n) {
		report_untyped(im, object, kind);
		return;
	}
	const struct import_kind *k = import_kind_find(kind, api_version, &other);
	if ((k && template_object(im, object)) || live_is_part(im, object))
		return;
	object = live_clean(im->arena, object);
	if (compiled_keep(im, object))
		return;
	if (k && k->last)
		keep_manifest(im, k, object);
	else if (k)
		read_job_manifest(im, k, object);
	else if (!beside_read(im, object, kind, api_version))
		unknown_kind(im, object, kind, api_version, other);
}

/* ---- documents ---- */

static void read_document(struct import *im, const struct data *d, uint32_t from)
{
	size_t first = im->njobs, others = im->nbeside, again = im->nagain;

	if (!span_known(im->first))
		im->first = d->from;
	im->comments = comments_read(im->arena, im->source, d, from, d->from.end, MOST_COMMENTS - im->ncomments);
	im->ncomments += im->comments.n;
	if (span_known(im->comments.more)) {
		stop(im, im->comments.more, MOST_COMMENTS, "comments");
		return;
	}
	if (from == im->source->base)
		im->header = comments_header(im->arena, im->source, &im->comments);
	read_object(im, d);
	/* position of comments that belong to no line: a license, or comments at the end */
	struct line *line = NULL;
	if (im->nagain > again && im->again[again]->job == im->jobs[first])
		im->again[again]->rest.start = from;
	if (im->njobs > first)
		line = im->jobs[first]->job ? im->jobs[first]->job : im->jobs[first]->declarations.at[0];
	else if (im->nbeside > others)
		line = beside_last(im);
	if (line)
		import_comments(im, line, (struct span){ from, d->from.end + 1 });
	im->comments = (struct comments){ 0 };
}

static void unreadable(struct import *im, const struct data_error *error)
{
	if (template_unreadable(im, error))
		return;
	struct diag *d = diag_report(im->diags, TJ1101, error->at, "%.*s", STR_ARG(error->what));

	if (span_known(error->first))
		diag_note(im->diags, d, error->first, "the first one");
	diag_help(im->diags, d, "%.*s", STR_ARG(error->help));
}

static void read_script(struct import *im, const struct source *source)
{
	struct imported *job = ARENA_NEW(im->arena, struct imported);

	im->comments = (struct comments){ 0 };
	if (!slurm_read(im, source, job))
		return;
	job->source = source;
	ARENA_PUSH(im->arena, im->jobs, im->njobs, job);
}

void import_read(struct import *im, const struct source *source)
{
	if (slurm_is_script(source->text)) {
		im->source = source;
		read_script(im, source);
		return;
	}

	struct data_reader *r = data_reader_new(im->arena, source);
	uint32_t from = source->base;
	struct data_error error;
	struct data *d;
	enum data_step step = DATA_END;
	size_t n = 0;

	im->source = source;
	im->header = (struct str){ 0 };
	for (; !im->full && (step = data_next(r, &d, &error)) == DATA_DOCUMENT; n++) {
		read_document(im, d, from);
		from = d->from.end;
	}
	if (im->full)
		;                       /* reported already */
	else if (step == DATA_ERROR)
		unreadable(im, &error);
	else if (!n)
		diag_report(im->diags, TJ1102, (struct span){ source->base, source->base + (source->text.n > 0) },
			source->text.n ? "no manifest in %.*s: it holds only comments" : "%.*s is empty",
			STR_ARG(str_is(source->name, "<stdin>") ? STR("standard input") :
				str_printf(im->arena, "'%.*s'", STR_ARG(source->name))));
	data_reader_release(r);
}

void import_finish(struct import *im)
{
	for (size_t i = 0; i < im->compiled.n; i++) {
		const struct compiled_job *c = im->compiled.entries[i].value;
		read_later(im, &(struct later){ &compiled_kind, c->objects, c->source, c->comments });
	}
	for (size_t i = 0; i < im->nlater; i++)
		read_later(im, im->later[i]);
	im->nlater = 0;
	read_references(im);
	runtimes_finish(im);
	beside_finish(im);
	live_finish(im);
	report_strangers(im);
	if (!im->njobs && span_known(im->empty_list) && diags_ok(im->diags))
		diag_help(im->diags, diag_report(im->diags, TJ1102, im->empty_list,
			"nothing to import: this list is empty"),
			"jobs that are gone are not listed; 'kubectl get --all-namespaces' looks in every namespace");
	jobs_differ(im);
	if (!im->njobs && !im->has_server_path && span_known(im->first) && diags_ok(im->diags))
		diag_report(im->diags, TJ1102, im->first, "no job in this manifest");
}

size_t import_count(const struct import *im) { return im->njobs; }
struct str import_name(const struct import *im, size_t i) { return im->jobs[i]->name; }
