/*
 * custom.c - makes a plan from a custom resource: runs the import, the checker, the evaluator and the rules of objects,
 * in memory.
 */
#include "import/custom.h"

#include "data/data_write.h"
#include "emit/emit.h"
#include "import/operator.h"

static const struct custom_kind kinds[] = {
	{ "kubeflow.org", "v1", "TFJob", "tfjobs", "kubeflow.org.v1.TFJob", "tfReplicaSpecs", false },
	{ "kubeflow.org", "v1", "PyTorchJob", "pytorchjobs", "kubeflow.org.v1.PyTorchJob", "pytorchReplicaSpecs",
		true },
	{ "kubeflow.org", "v1", "MXJob", "mxjobs", "kubeflow.org.v1.MXJob", "mxReplicaSpecs", false },
	{ "kubeflow.org", "v1", "XGBoostJob", "xgboostjobs", "kubeflow.org.v1.XGBoostJob", "xgbReplicaSpecs", false },
	{ "kubeflow.org", "v1", "MPIJob", "mpijobs", "kubeflow.org.v1.MPIJob", "mpiReplicaSpecs", false },
	{ "kubeflow.org", "v1", "PaddleJob", "paddlejobs", "kubeflow.org.v1.PaddleJob", "paddleReplicaSpecs", true },
	{ "kubeflow.org", "v1", "JAXJob", "jaxjobs", "kubeflow.org.v1.JAXJob", "jaxReplicaSpecs", true },
};

const struct custom_kind *custom_kind(size_t i) { return i < sizeof kinds / sizeof *kinds ? &kinds[i] : NULL; }

struct str custom_role(const struct custom_kind *k, struct str role)
{
	const struct operator_kind *o = operator_find(str_of(k->kind));

	for (size_t i = 0; o && i < OPERATOR_ROLES && o->roles[i].key; i++)
		if (str_is(role, o->roles[i].word))
			return str_of(o->roles[i].key);
	return role;
}

struct str custom_container(const struct custom_kind *k)
{
	return str_of(operator_find(str_of(k->kind))->role.container);
}

/* ---- the text of a resource ---- */

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

/* Writes the part of a resource that its author wrote: without status and without what the API server adds. */
static void put_resource(struct buf *b, const struct data *object)
{
	const struct data *metadata = data_get(object, STR("metadata"));
	bool first = true;

	buf_char(b, '{');
	put_member(b, "apiVersion", data_get(object, STR("apiVersion")), &first);
	put_member(b, "kind", data_get(object, STR("kind")), &first);
	buf_z(b, first ? "\"metadata\":{" : ",\"metadata\":{");
	first = true;
	put_member(b, "name", data_get(metadata, STR("name")), &first);
	put_member(b, "namespace", data_get(metadata, STR("namespace")), &first);
	put_member(b, "labels", data_get(metadata, STR("labels")), &first);
	if (!first)
		put_annotations(b, data_get(metadata, STR("annotations")));
	buf_char(b, '}');
	first = false;
	put_member(b, "spec", data_get(object, STR("spec")), &first);
	buf_char(b, '}');
}

/* ---- errors ---- */

static void one_line(struct buf *b, struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		buf_char(b, (unsigned char)s.p[i] < ' ' ? ' ' : s.p[i]);
}

/* The first error as a sentence; DS must have been finished. */
static struct str first_fault(struct arena *a, const struct diags *ds)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < ds->n; i++) {
		const struct diag *d = ds->at[i];
		if (d->severity != SEVERITY_ERROR)
			continue;
		one_line(&b, d->message);
		buf_printf(&b, " [%s]", diag_code_name(d->code));
		if (d->help.n) {
			buf_z(&b, "; ");
			one_line(&b, d->help);
		}
		break;
	}
	struct str text = b.n ? buf_take(&b, a) : STR("it cannot be read");
	buf_release(&b);
	return text;
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

/* Makes the program of the resource; false with the error. */
static bool import_resource(struct custom_plan *p, struct arena *a, const struct data *object, unsigned minor,
	struct str *ret)
{
	struct sources sources = { .arena = a };
	struct diags diags = { .arena = a, .sources = &sources };
	struct import *im = import_new(a, &sources, &diags, (struct import_options){ .operator_minor = minor });
	struct buf b = { 0 };

	put_resource(&b, object);
	import_read(im, source_add(&sources, STR("the object"), buf_text(&b)));
	import_finish(im);
	b.n = 0;
	bool ok = diags_ok(&diags) && import_count(im) == 1 && import_program(im, IMPORT_ALL, &b) && diags_ok(&diags);
	*ret = buf_take(&b, &p->program.arena);
	buf_release(&b);
	if (ok)
		return true;
	diags_finish(&diags);
	p->fault = str_copy(&p->program.arena, first_fault(a, &diags));
	return false;
}

void custom_compile(struct custom_plan *p, const struct data *object, unsigned minor, struct str gang)
{
	struct arena scratch = { 0 };
	struct emit_options emit = { 0 };

	*p = (struct custom_plan){ .reader.read = read_program };
	p->reader.context = &p->text;
	compile_init(&p->program, &p->reader);
	p->program.options.target = STR("pods");
	p->program.options.parts = true;
	if (gang.n)
		p->program.options.job.gang = gang;
	if (import_resource(p, &scratch, object, minor, &p->text)) {
		compile_plan(&p->program, STR("job.tj"));
		bool ok = diags_ok(&p->program.diags) && p->program.plan.njobs == 1 &&
			emit_check(&emit, &p->program.plan, &p->program.diags);
		diags_finish(&p->program.diags);
		if (ok)
			p->job = &p->program.plan.jobs[0];
		else
			p->fault = first_fault(&p->program.arena, &p->program.diags);
	}
	arena_release(&scratch);
}

void custom_release(struct custom_plan *p)
{
	compile_release(&p->program);
	*p = (struct custom_plan){ 0 };
}
