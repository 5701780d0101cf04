/*
 * custom.c - makes a plan from a custom resource: runs the import, the checker, the evaluator and the rules of objects,
 * in memory.
 */
#include "import/custom.h"

#include "data/data_write.h"
#include "emit/emit.h"
#include "import/operator.h"

#define OPERATOR(kind, plural, roles, selects) \
	{ "kubeflow.org", "v1", kind, plural, "kubeflow.org.v1." kind, roles, selects, NULL, false, false }
static const struct custom_kind kinds[] = {
	OPERATOR("TFJob", "tfjobs", "tfReplicaSpecs", false),
	OPERATOR("PyTorchJob", "pytorchjobs", "pytorchReplicaSpecs", true),
	OPERATOR("MXJob", "mxjobs", "mxReplicaSpecs", false),
	OPERATOR("XGBoostJob", "xgboostjobs", "xgbReplicaSpecs", false),
	OPERATOR("MPIJob", "mpijobs", "mpiReplicaSpecs", false),
	OPERATOR("PaddleJob", "paddlejobs", "paddleReplicaSpecs", true),
	OPERATOR("JAXJob", "jaxjobs", "jaxReplicaSpecs", true),
};
static const struct custom_kind ancestors[] = {
	{ "tensorflow.org", "v1alpha1", "TfJob", "tfjobs", "tensorflow.v1alpha1.TfJob", "replicaSpecs", false, "tf_replica_type", true, true },
	{ "mxnet.mlkube.io", "v1beta1", "MxJob", "mxjobs", "mxnet.v1beta1.MxJob", "replicaSpecs", false, "Mx_replica_type", false, false },
};
enum { KINDS = sizeof kinds / sizeof *kinds, ANCESTORS = sizeof ancestors / sizeof *ancestors };

const struct custom_kind *custom_kind(size_t i) { return i < KINDS ? &kinds[i] : NULL; }

const struct custom_kind *custom_kind_among(size_t i, bool operators, bool with_ancestors)
{
	size_t n = operators ? KINDS : 0;

	if (i < n)
		return &kinds[i];
	return with_ancestors && i - n < ANCESTORS ? &ancestors[i - n] : NULL;
}

struct str custom_role(struct arena *a, const struct custom_kind *k, struct str role)
{
	const struct operator_kind *o = operator_find(str_of(k->kind));

	if (k->status_key) {
		struct buf b = { 0 };
		for (size_t i = 0; i < role.n; i++)
			buf_char(&b, role.p[i] >= 'a' && role.p[i] <= 'z' ? role.p[i] - 'a' + 'A' : role.p[i]);
		role = buf_take(&b, a);
		buf_release(&b);
		return role;
	}
	for (size_t i = 0; o && i < OPERATOR_ROLES && o->roles[i].key; i++)
		if (str_is(role, o->roles[i].word))
			return str_of(o->roles[i].key);
	return role;
}

/* ---- copying parts of a resource as text ---- */

static void put_member(struct buf *b, const char *key, const struct data *value, bool *first)
{
	if (!value)
		return;
	buf_z(b, *first ? "" : ",");
	*first = false;
	buf_json(b, str_of(key));
	buf_char(b, ':');
	data_write(b, value);
}

/* Is it an annotation of a tool or controller for its own use? It does not concern pods. */
static bool is_bookkeeping(struct str key)
{
	return str_is(key, "kubectl.kubernetes.io/last-applied-configuration") || str_starts(key, STR("trainc.dev/"));
}

static void put_annotations(struct buf *b, const struct data *annotations)
{
	bool first = true;

	buf_z(b, ",\"annotations\":{");
	for (size_t i = 0; annotations && annotations->kind == DATA_MAP && i < annotations->u.map.n; i++) {
		const struct data_member *m = &annotations->u.map.at[i];
		if (is_bookkeeping(m->key))
			continue;
		buf_z(b, first ? "" : ",");
		first = false;
		data_write_text(b, m->key);
		buf_char(b, ':');
		data_write(b, m->value);
	}
	buf_char(b, '}');
}

/* ---- the kinds of the two ancestors ---- */

static const struct custom_kind *ancestor_of(const struct data *object)
{
	struct str kind = member_text(object, "kind"), version = member_text(object, "apiVersion");

	for (size_t i = 0; i < ANCESTORS; i++) {
		struct str group = str_of(ancestors[i].group);
		if (str_is(kind, ancestors[i].kind) && str_starts(version, group) && version.p[group.n] == '/')
			return &ancestors[i];
	}
	return NULL;
}

/* Is it the key of the runtime id? The ancestors' operators ignore the case of keys. */
static bool is_runtime_id(struct arena *a, struct str key) { return str_is(str_lower(a, key), "runtimeid"); }

static bool has_runtime_id(struct arena *a, const struct data *spec)
{
	for (size_t i = 0; spec && spec->kind == DATA_MAP && i < spec->u.map.n; i++) {
		const struct data_member *m = &spec->u.map.at[i];
		if (is_runtime_id(a, m->key) && !(m->value->kind == DATA_STRING && !m->value->u.string.n))
			return true;
	}
	return false;
}

struct str custom_runtime_id(struct arena *a, const struct data *object)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
	uint32_t hash = str_hash_stable(member_text(member(object, "metadata"), "uid"));
	char id[4];

	if (!ancestor_of(object) || has_runtime_id(a, member(object, "spec")))
		return STR("");
	for (size_t i = 0; i < sizeof id; i++, hash /= 36)
		id[i] = digits[hash % 36];
	return str_copy(a, (struct str){ id, sizeof id });
}

/* Writes a member of a map, after a comma. */
static void put_copied(struct buf *b, struct str key, const struct data *value)
{
	buf_char(b, ',');
	data_write_text(b, key);
	buf_char(b, ':');
	data_write(b, value);
}

/* Writes the labels, and the label JOB_LABEL, by which a controller finds the objects of an ancestor's job. */
static void put_labels(struct buf *b, const struct data *metadata, const char *job_label)
{
	const struct data *labels = data_get(metadata, STR("labels"));

	buf_printf(b, ",\"labels\":{\"%s\":", job_label);
	data_write(b, data_get(metadata, STR("name")));
	for (size_t i = 0; labels && labels->kind == DATA_MAP && i < labels->u.map.n; i++) {
		if (str_is(labels->u.map.at[i].key, job_label))
			continue;
		put_copied(b, labels->u.map.at[i].key, labels->u.map.at[i].value);
	}
	buf_char(b, '}');
}

/* Writes the spec with ID as its runtime id, which replaces an empty one. */
static void put_spec(struct buf *b, struct arena *a, const struct data *spec, struct str id)
{
	buf_z(b, ",\"spec\":{\"RuntimeId\":");
	buf_json(b, id);
	for (size_t i = 0; i < spec->u.map.n; i++) {
		if (is_runtime_id(a, spec->u.map.at[i].key))
			continue;
		put_copied(b, spec->u.map.at[i].key, spec->u.map.at[i].value);
	}
	buf_char(b, '}');
}

/*
 * Writes the part of a resource that its author wrote: without status and without what the API server adds. A resource
 * of an ancestor's kind gets its runtime id and the label JOB_LABEL.
 */
static void put_resource(struct buf *b, struct arena *a, const struct data *object, const char *job_label)
{
	struct str id = custom_runtime_id(a, object);
	const struct data *spec = data_get(object, STR("spec"));
	const struct data *metadata = data_get(object, STR("metadata"));
	bool first = true;

	buf_char(b, '{');
	put_member(b, "apiVersion", data_get(object, STR("apiVersion")), &first);
	put_member(b, "kind", data_get(object, STR("kind")), &first);
	buf_z(b, first ? "\"metadata\":{" : ",\"metadata\":{");
	first = true;
	put_member(b, "name", data_get(metadata, STR("name")), &first);
	put_member(b, "namespace", data_get(metadata, STR("namespace")), &first);
	if (ancestor_of(object) && !first)
		put_labels(b, metadata, job_label);
	else
		put_member(b, "labels", data_get(metadata, STR("labels")), &first);
	if (!first)
		put_annotations(b, data_get(metadata, STR("annotations")));
	buf_char(b, '}');
	first = false;
	if (id.n && spec && spec->kind == DATA_MAP)
		put_spec(b, a, spec, id);
	else
		put_member(b, "spec", spec, &first);
	buf_char(b, '}');
}

/* ---- errors ---- */

static void put_on_one_line(struct buf *b, struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		buf_char(b, (unsigned char)s.p[i] < ' ' ? ' ' : s.p[i]);
}

/* Returns a diagnostic as a sentence. */
static struct str diag_sentence(struct arena *a, const struct diag *d)
{
	struct buf b = { 0 };

	put_on_one_line(&b, d->message);
	buf_printf(&b, " [%s]", diag_code_name(d->code));
	if (d->help.n) {
		buf_z(&b, "; ");
		put_on_one_line(&b, d->help);
	}
	struct str text = buf_take(&b, a);
	buf_release(&b);
	return text;
}

/* Returns the first error as a sentence; DS must be finished. */
static struct str first_fault(struct arena *a, const struct diags *ds)
{
	for (size_t i = 0; i < ds->n; i++)
		if (ds->at[i]->severity == SEVERITY_ERROR)
			return diag_sentence(a, ds->at[i]);
	return STR("it cannot be read");
}

enum { WARNINGS_MOST = 16 };            /* maximum number of warnings about one resource that are kept */

static void keep_warnings(struct custom_plan *p, const struct diags *ds)
{
	struct arena *a = &p->program.arena;

	for (size_t i = 0; i < ds->n && p->nwarnings < WARNINGS_MOST; i++)
		if (ds->at[i]->severity == SEVERITY_WARNING)
			ARENA_PUSH(a, p->warnings, p->nwarnings, diag_sentence(a, ds->at[i]));
}

/* ---- compiling ---- */

static bool read_program(void *context, struct arena *arena, struct str path, struct str *ret, struct str *why)
{
	(void)arena;
	if (str_is(path, "job.tj")) {
		*ret = *(const struct str *)context;
		return true;
	}
	*why = STR("no such file");
	return false;
}

/* Makes the program of the one job in MANIFESTS: p->text, or p->fault and false. */
static bool import_job(struct custom_plan *p, struct arena *a, struct str manifests, struct import_options o)
{
	struct sources sources = { .arena = a };
	struct diags diags = { .arena = a, .sources = &sources };
	struct import *im = import_new(a, &sources, &diags, o);
	struct buf b = { 0 };

	import_read(im, source_add(&sources, STR("the object"), manifests));
	import_finish(im);
	bool ok = diags_ok(&diags) && import_count(im) == 1 && import_program(im, IMPORT_ALL, &b) && diags_ok(&diags);
	p->text = buf_take(&b, &p->program.arena);
	buf_release(&b);
	diags_finish(&diags);
	keep_warnings(p, &diags);
	if (ok)
		return true;
	p->fault = str_copy(&p->program.arena, first_fault(a, &diags));
	return false;
}

static void custom_open(struct custom_plan *p)
{
	*p = (struct custom_plan){ .reader.read = read_program };
	p->reader.context = &p->text;
	compile_init(&p->program, &p->reader);
	p->program.options.parts = true;
}

/* Compiles p->text; with a target, also checks the objects. */
static void compile_job(struct custom_plan *p)
{
	struct emit_options emit = { 0 };

	compile_plan(&p->program, STR("job.tj"));
	bool ok = diags_ok(&p->program.diags) && p->program.plan.njobs == 1 && (!p->program.options.target.p ||
		emit_check(&emit, &p->program.plan, &p->program.diags));
	diags_finish(&p->program.diags);
	if (ok)
		p->job = &p->program.plan.jobs[0];
	else
		p->fault = first_fault(&p->program.arena, &p->program.diags);
}

void custom_compile(struct custom_plan *p, const struct data *object, const struct custom_options *o)
{
	struct arena scratch = { 0 };
	struct buf manifest = { 0 };

	custom_open(p);
	p->program.options.target = STR("pods");
	p->program.options.job.domain = o->domain;
	if (o->gang.n)
		p->program.options.job.gang = o->gang;
	put_resource(&manifest, &scratch, object, o->job_label);
	if (import_job(p, &scratch, buf_text(&manifest), (struct import_options){ .operator_minor = o->minor,
		.init_image = o->init_image, .delivery_image = o->delivery_image }))
		compile_job(p);
	buf_release(&manifest);
	arena_release(&scratch);
}

void custom_compile_text(struct custom_plan *p, struct str manifests)
{
	struct arena scratch = { 0 };

	custom_open(p);
	if (import_job(p, &scratch, manifests, (struct import_options){ 0 }))
		compile_job(p);
	arena_release(&scratch);
}

void custom_release(struct custom_plan *p)
{
	compile_release(&p->program);
	*p = (struct custom_plan){ 0 };
}
