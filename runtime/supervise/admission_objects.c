/*
 * admission_objects.c - selects the objects of a policy. Jobs of the operator are checked when they are created and
 * when their spec changes; objects of a run, when they are created and when their containers change. The controller and
 * queues change only other fields. So the API server never refuses their requests because a policy is newer than the
 * object.
 */
#include "runtime/supervise/admission_objects.h"

#include "import/custom.h"

#define RULE(group, version, plural) "{\"apiGroups\":[\"" group "\"],\"apiVersions\":[\"" version "\"]," \
	"\"operations\":[\"CREATE\",\"UPDATE\"],\"resources\":[\"" plural "\"]}"
#define OPERATOR_CONTAINERS "variables.specs[k].template.spec.?containers.orValue([])"

/* ---- jobs of the operator ---- */

static void select_operator(struct buf *b)
{
	buf_printf(b, "\"matchConstraints\":{\"resourceRules\":[{\"apiGroups\":[\"%s\"],"
		"\"apiVersions\":[\"%s\"],\"operations\":[\"CREATE\",\"UPDATE\"],\"resources\":[",
		custom_kind(0)->group, custom_kind(0)->version);
	for (size_t i = 0; custom_kind(i); i++)
		buf_printf(b, "%s\"%s\"", i ? "," : "", custom_kind(i)->plural);
	buf_z(b, "]}]},\"matchConditions\":[{\"name\":\"spec-changed\",\"expression\":"
		"\"request.operation == 'CREATE' || object.spec != oldObject.spec\"}],");
}

/* Writes a CEL expression whose value depends on the kind: KIND ? its value : KIND ? its value : OTHERWISE. */
static void put_by_kind(struct buf *b, bool roles, const char *otherwise)
{
	for (size_t i = 0; custom_kind(i); i++) {
		const struct custom_kind *k = custom_kind(i);
		struct str container = custom_container(k);
		buf_printf(b, "object.kind == '%s' ? ", k->kind);
		if (roles)
			buf_printf(b, "object.spec.?%s.orValue({}) : ", k->roles_key);
		else
			buf_printf(b, "'%.*s' : ", STR_ARG(container));
	}
	buf_z(b, otherwise);
}

static void define_operator(struct buf *b)
{
	buf_z(b, "\"variables\":[{\"name\":\"specs\",\"expression\":\"");
	put_by_kind(b, true, "{}");
	buf_z(b, "\"},{\"name\":\"main\",\"expression\":\"");
	put_by_kind(b, false, "''");
	buf_z(b, "\"},{\"name\":\"roles\",\"expression\":\""
		"variables.specs.map(k, variables.specs[k].?replicas.orValue(1) > 0, {'name': dyn(k.lowerAscii()), "
		"'main': dyn(" OPERATOR_CONTAINERS ".filter(c, variables.main == '' || c.name == variables.main)), "
		"'containers': dyn(" OPERATOR_CONTAINERS " + "
		"variables.specs[k].template.spec.?initContainers.orValue([]))})\"}],");
}

/* ---- objects of a run ---- */

/* The containers of the pods of OBJECT, which is `object` or `oldObject`: a list for each role. */
static void put_containers(struct buf *b, const char *object)
{
	buf_printf(b, "(%s.kind == 'JobSet' ? "
		"dyn(%s).spec.?replicatedJobs.orValue([]).map(j, j.template.spec.template.spec) "
		": [%s.kind == 'Pod' ? dyn(%s).spec : dyn(%s).spec.template.spec])"
		".map(s, s.containers + s.?initContainers.orValue([]))",
		object, object, object, object, object);
}

/* Objects that a controller creates from a checked object, such as the pods of a Job, are not checked again. */
static void select_run(struct buf *b)
{
	buf_z(b, "\"matchConstraints\":{\"objectSelector\":{\"matchExpressions\":["
		"{\"key\":\"trainc.dev/job\",\"operator\":\"Exists\"}]},\"resourceRules\":["
		RULE("batch", "v1", "jobs") "," RULE("apps", "v1", "deployments") "," RULE("", "v1", "pods") ","
		RULE("jobset.x-k8s.io", "*", "jobsets") "]},\"matchConditions\":[{\"name\":\"not-of-a-controller\","
		"\"expression\":\"!object.metadata.?ownerReferences.orValue([])"
		".exists(o, o.?controller.orValue(false))\"},"
		"{\"name\":\"containers-changed\",\"expression\":\"request.operation == 'CREATE' || ");
	put_containers(b, "object");
	buf_z(b, " != ");
	put_containers(b, "oldObject");
	buf_z(b, "\"}],");
}

/*
 * The main container is the first one. Only roles that are not auxiliary have the annotation `trainc.dev/clean`. A
 * JobSet does not show which of its roles are auxiliary.
 */
static void define_run(struct buf *b)
{
	buf_z(b, "\"variables\":[{\"name\":\"job\",\"expression\":"
		"\"object.metadata.?labels[?'trainc.dev/job'].orValue('')\"},"
		"{\"name\":\"own\",\"expression\":"
		"\"object.kind != 'JobSet' && object.metadata.?annotations[?'trainc.dev/clean'].hasValue()\"},"
		"{\"name\":\"pods\",\"expression\":\"(object.kind == 'JobSet' "
		"? dyn(object).spec.?replicatedJobs.orValue([]).map(j, "
		"{'name': dyn(j.name), 'spec': dyn(j.template.spec.template.spec)}) "
		": [{'name': dyn(object.metadata.?labels[?'trainc.dev/role'].orValue('')), "
		"'spec': object.kind == 'Pod' ? dyn(object).spec : dyn(object).spec.template.spec}])"
		".map(p, {'name': dyn(p.name), 'main': dyn([p.spec.containers[0]]), "
		"'containers': dyn(p.spec.containers + p.spec.?initContainers.orValue([]))})\"},"
		"{\"name\":\"all_roles\",\"expression\":\"variables.pods.filter(p, p.name != '')\"},"
		"{\"name\":\"roles\",\"expression\":\"variables.all_roles.filter(p, variables.own)\"}],");
}

void admission_objects_put(struct buf *b, enum cel_objects objects)
{
	if (objects == CEL_OPERATOR_JOBS) {
		select_operator(b);
		define_operator(b);
	} else {
		select_run(b);
		define_run(b);
	}
}
