/*
 * check_member.c - checks x.name and x[i]: members of modules, records, roles and the built-in values.
 */
#include "check/context.h"
#include "diag/suggest.h"
#include "syntax/fields.h"

/* ---- modules ---- */

static bool exported(const struct decl *d)
{
	switch (d->kind) {
	case DECL_LET: case DECL_FN: case DECL_TYPE: case DECL_FRAMEWORK: case DECL_ACCELERATOR: case DECL_BAD:
	case DECL_PARAM: return true;
	default: return false;
	}
}

static const char *member_word(bool accelerator)
{
	return accelerator ? "accelerator" : "member";
}

static void report_no_member(struct check *c, struct module *m, struct str name, struct span at, bool accelerator)
{

	struct str shown = m->dotted.n ? m->dotted : m->path;
	bool frameworks = c->framework_wanted;
	struct diag *d;
	struct suggest s;
	if (accelerator)
		d = diag_report(c->diags, TJ0601, at, "'%.*s' has no %s '%.*s'", STR_ARG(shown), member_word(true),
			STR_ARG(name));
	else
		d = diag_report(c->diags, TJ0211, at, "'%.*s' has no '%.*s'", STR_ARG(shown), STR_ARG(name));
	suggest_init(&s, c->arena, name);
	for (size_t i = 0; i < m->values.n; i++) {
		const struct decl *other = m->values.entries[i].value;
		bool fits = exported(other) && other->kind != DECL_BAD && other->name.p[0] != '_';
		bool kind = accelerator ? other->kind == DECL_ACCELERATOR :
			!frameworks || other->kind == DECL_FRAMEWORK;
		if (fits && kind)
			suggest_add(&s, other->name);
	}
	if (accelerator && !suggest_sentence(&s).n)
		advise_device(c, d, m, name);
	else
		help_suggest(c, d, &s, frameworks ? "its frameworks are" : "its members are", at);
}

struct decl *module_member(struct check *c, struct module *m, struct str name, struct span at, bool accelerator)
{
	struct decl *d = map_get(&m->values, name);
	if (d && d->kind == DECL_BAD)
		return d;
	if (d && d->kind != DECL_IMPORT && name.p[0] == '_') {
		struct diag *g = diag_report(c->diags, TJ0212, at, "'%.*s' is private to '%.*s'", STR_ARG(name),
			STR_ARG(m->path));
		diag_note(c->diags, g, d->span, "declared here");
		diag_help(c->diags, g, "names that begin with _ are not exported");
		return NULL;
	}
	if (!d || !exported(d)) {
		report_no_member(c, m, name, at, accelerator);
		return NULL;
	}
	decl_use(c, d);
	mention_decl(c, d, at);
	return d;
}

/* The name that starts at START, with '_' instead of '-'; RET_END is its end. */
static struct str joined_name(struct check *c, uint32_t start, uint32_t *ret_end)
{
	const struct source *source = source_at(c->program->sources, start);
	struct str rest = { source->text.p + (start - source->base), source->text.n - (start - source->base) };
	size_t n = strspn(rest.p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
	char *name = arena_alloc(c->arena, n + 1);

	for (size_t i = 0; i < n; i++)
		name[i] = rest.p[i] == '-' ? '_' : rest.p[i];
	*ret_end = start + (uint32_t)n;
	return (struct str){ name, n };
}

bool report_parted_name(struct check *c, const struct node *difference)
{
	const struct node *left = difference->u.op.left;
	if (left->kind != NODE_MEMBER)
		return false;
	struct module *m = module_base(c, left->u.member.base);
	if (!m || map_get(&m->values, left->u.member.name))
		return false;
	struct span at = left->u.member.name_span;
	struct str name = joined_name(c, at.start, &at.end);
	const struct decl *meant = map_get(&m->values, name);
	if (!meant || !exported(meant))
		return false;
	struct str words = source_text(c->program->sources, at), base = node_words(c, left->u.member.base);
	struct str shown = m->dotted.n ? m->dotted : m->path;
	struct diag *d = diag_report(c->diags, TJ0211, at, "'%.*s' has no '%.*s'", STR_ARG(shown), STR_ARG(words));
	diag_help(c->diags, d, "names are joined by '_': write '%.*s.%.*s'", STR_ARG(base), STR_ARG(name));
	diag_fix(c->diags, d, at, name, "write '%.*s'", STR_ARG(name));
	return true;
}

static bool wants_accelerator(const struct type *want)
{
	return want && type_strip_optional(want)->kind == TYPE_ACCELERATOR;
}

static const struct type *type_module_member(struct check *c, struct node *n, struct module *m, const struct type *want)
{
	struct decl *d = module_member(c, m, n->u.member.name, n->u.member.name_span, wants_accelerator(want));
	if (!d)
		return mark_bad(n);
	n->u.member.decl = d;
	return type_of_decl(c, n, d);
}

/* ---- records ---- */

static const struct type *report_no_field(struct check *c, struct node *n, const char *what, struct suggest *s)
{
	struct diag *d = diag_report(c->diags, TJ0202, n->u.member.name_span, "%s has no field '%.*s'", what,
		STR_ARG(n->u.member.name));
	if (s)
		help_suggest(c, d, s, "its fields are", n->u.member.name_span);
	return mark_bad(n);
}

static const struct type *record_member(struct check *c, struct node *n, struct decl *record)
{
	struct str name = n->u.member.name;
	struct suggest s;
	for (size_t i = 0; i < record->nfields; i++)
		if (name_eq(record->fields[i].name, name))
			return record->partial ? type_optional(c->arena, record->fields[i].type) :
				record->fields[i].type;
	if (map_put(&record->unknown, c->arena, name, record) || record->lost)
		return mark_bad(n);                  /* reported before, or the declaration of the record is broken */
	suggest_init(&s, c->arena, name);
	for (size_t i = 0; i < record->nfields; i++)
		suggest_add(&s, record->fields[i].name);
	return report_no_field(c, n, str_printf(c->arena, "%.*s", STR_ARG(record->name)).p, &s);
}

static const struct type *anon_member(struct check *c, struct node *n, const struct type *t)
{
	struct suggest s;
	for (size_t i = 0; i < t->n; i++)
		if (str_eq(t->members[i].name, n->u.member.name))
			return t->members[i].type;
	suggest_init(&s, c->arena, n->u.member.name);
	for (size_t i = 0; i < t->n; i++)
		suggest_add(&s, t->members[i].name);
	return report_no_field(c, n, "the record", &s);
}

/* ---- built-in members, which all values of a type have ---- */

struct builtin_member {
	const char *name;
	const struct type *type;
	const char *doc;
};

static const struct type *find_member(struct check *c, struct node *n, const char *what,
	const struct builtin_member *members, size_t count)
{
	struct suggest s;
	for (size_t i = 0; i < count; i++)
		if (str_is(n->u.member.name, members[i].name))
			return members[i].type;
	suggest_init(&s, c->arena, n->u.member.name);
	for (size_t i = 0; i < count; i++)
		suggest_add(&s, str_of(members[i].name));
	return report_no_field(c, n, what, &s);
}

static const struct type list_of_roles = { .kind = TYPE_LIST, .elem = &type_role };
static const struct type list_of_strings = { .kind = TYPE_LIST, .elem = &type_string };
static const struct type optional_string = { .kind = TYPE_OPTIONAL, .elem = &type_string };
static const struct type optional_duration = { .kind = TYPE_OPTIONAL, .elem = &type_duration };
static const struct type strings = { .kind = TYPE_LIST, .elem = &type_string };
static const struct type map_of_lists = { .kind = TYPE_MAP, .elem = &strings };
static const struct type map_of_strings = { .kind = TYPE_MAP, .elem = &type_string };
static const struct type pod_int = { .kind = TYPE_POD, .elem = &type_int };
static const struct type pod_string = { .kind = TYPE_POD, .elem = &type_string };

/* Types of the members of a planned job that policies and tests see; eval/policy_value.c computes their values. */
static const struct type optional_cpu = { .kind = TYPE_OPTIONAL, .elem = &type_cpu };
static const struct type optional_memory = { .kind = TYPE_OPTIONAL, .elem = &type_memory };
static const struct type map_of_data = { .kind = TYPE_MAP, .elem = &type_data };
static const struct type optional_int = { .kind = TYPE_OPTIONAL, .elem = &type_int };
static const struct type_member security_fields[] = {
	{ { "restricted", 10 }, &type_bool }, { { "run_as", 6 }, &optional_int },
	{ { "run_as_group", 12 }, &optional_int }, { { "fs_group", 8 }, &optional_int },
	{ { "non_root", 8 }, &type_bool }, { { "read_only_root", 14 }, &type_bool },
	{ { "escalation", 10 }, &type_bool }, { { "privileged", 10 }, &type_bool },
	{ { "capabilities", 12 }, &list_of_strings }, { { "drop", 4 }, &list_of_strings },
	{ { "seccomp", 7 }, &type_string }
};
#define PLANNED(fields) { .kind = TYPE_ANON, .members = fields, .n = sizeof (fields) / sizeof *(fields), \
	.weight = sizeof (fields) / sizeof *(fields) }
static const struct type planned_security = PLANNED(security_fields);
static const struct type_member container_fields[] = {
	{ { "name", 4 }, &type_string }, { { "kind", 4 }, &type_string }, { { "role", 4 }, &type_string },
	{ { "image", 5 }, &type_string }, { { "words", 5 }, &list_of_strings }, { { "env", 3 }, &list_of_strings },
	{ { "env_from", 8 }, &list_of_strings }, { { "mounts", 6 }, &list_of_strings },
	{ { "cpu", 3 }, &optional_cpu }, { { "memory", 6 }, &optional_memory },
	{ { "resources", 9 }, &map_of_data }, { { "security", 8 }, &planned_security }, { { "raw", 3 }, &type_data }
};
static const struct type_member volume_fields[] = {
	{ { "kind", 4 }, &type_string }, { { "name", 4 }, &type_string }, { { "source", 6 }, &type_string },
	{ { "path", 4 }, &type_string }, { { "readonly", 8 }, &type_bool }
};
static const struct type_member raw_fields[] = {
	{ { "pod", 3 }, &type_data }, { { "container", 9 }, &type_data }, { { "job", 3 }, &type_data }
};
static const struct type_member code_fields[] = {
	{ { "dir", 3 }, &type_string }, { { "at", 2 }, &type_string }, { { "max", 3 }, &type_memory },
	{ { "sync", 4 }, &type_bool }, { { "via", 3 }, &type_string }
};
static const struct type_member object_fields[] = {
	{ { "name", 4 }, &type_string }, { { "api", 3 }, &type_string }, { { "kind", 4 }, &type_string },
	{ { "data", 4 }, &type_data }
};
static const struct type container = PLANNED(container_fields), planned_volume = PLANNED(volume_fields),
	raw_blocks = PLANNED(raw_fields),
	extra_object = PLANNED(object_fields);
static const struct type planned_code = PLANNED(code_fields);
static const struct type optional_code = { .kind = TYPE_OPTIONAL, .elem = &planned_code };
static const struct type containers = { .kind = TYPE_LIST, .elem = &container },
	planned_volumes = { .kind = TYPE_LIST, .elem = &planned_volume },
	extra_objects = { .kind = TYPE_LIST, .elem = &extra_object };

static const struct builtin_member planned_of_cluster[] = {
	{ "containers", &containers, "In policies and tests: the containers of all roles." },
	{ "objects", &extra_objects, "In policies and tests: the extra objects of the job." },
	{ "timeout", &optional_duration, "In policies and tests: the job's 'timeout', or none." },
	{ "ttl", &optional_duration, "In policies and tests: the job's 'ttl', or none." },
	{ "queue", &optional_string, "In policies and tests: the job's queue, or none." },
	{ "priority", &optional_string, "In policies and tests: the job's priority class, or none." },
	{ "labels", &map_of_strings, "In policies and tests: labels of the job, which all its objects have." },
	{ "annotations", &map_of_strings, "In policies and tests: annotations of the job." }
};
static const struct builtin_member planned_of_role[] = {
	{ "containers", &containers, "In policies and tests: the containers of the role." },
	{ "volumes", &planned_volumes, "In policies and tests: the volumes of its pods." },
	{ "tolerations", &list_of_strings, "In policies and tests: the taints that its pods tolerate." },
	{ "node_labels", &map_of_lists, "In policies and tests: labels of nodes that its pods ask for, each with the "
		"values that will do." },
	{ "raw", &raw_blocks, "In policies and tests: its raw blocks." },
	{ "cell", &optional_string, "In policies and tests: the cell to which the role belongs, or none." },
	{ "code", &optional_code, "In policies and tests: its code, or none: dir, at, max, sync and via "
		"(configmap, or the name of its claim)." }
};

static const struct builtin_member cluster_members[] = {
	{ "name", &type_string, "Name of the job." },
	{ "namespace", &type_string, "Namespace of the objects." },
	{ "domain", &optional_string, "Cluster domain, or none." },
	{ "roles", &list_of_roles, "The framework's roles with at least one replica, in its order." },
	{ "all_roles", &list_of_roles, "The framework's roles and the auxiliary roles." },
	{ "run_id", &optional_string, "What --run-id gives, or none." }
};
static const struct builtin_member pod_members[] = {
	{ "index", &pod_int, "Index of the replica, from 0; not in a role of several slices." },
	{ "copy", &pod_int, "Number of the copy of the cell that the pod belongs to, from 0; 0 in a framework outside of cells." },
	{ "rank", &pod_int, "Number of the pod among the pods of its copy or of the job's own roles, in the order of the roles, from 0." },
	{ "slice", &pod_int, "Number of the pod's slice, from 0; 0 in a role without slices." },
	{ "slice_index", &pod_int, "Index of the replica in its slice, from 0; pod.index in a role without slices." },
	{ "name", &pod_string, "Name of the pod." },
	{ "uid", &pod_string, "UID of the pod." },
	{ "ip", &pod_string, "IP address of the pod." },
	{ "node", &pod_string, "Name of the node." },
	{ "host", &pod_string, "Host name of the replica." }
};
static const struct builtin_member elastic_members[] = {
	{ "min", &type_int, "The lower end." }, { "max", &type_int, "The upper end." }
};
static const struct builtin_member topology_members[] = {
	{ "x", &type_int, "First dimension." }, { "y", &type_int, "Second dimension." },
	{ "z", &type_int, "Third dimension." }
};
static const struct builtin_member role_members[] = {
	{ "name", &type_string, "Name of the role." },
	{ "devices", &type_int, "Devices of one replica." },
	{ "accelerator_pods", &type_int, "Hosts that one unit of the accelerator spans." },
	{ "hosts", &list_of_strings, "Host names of all replicas." },
	{ "ports", &type_ports, "The role's ports by name." },
	{ "given", &type_bool, "Does the job have a block for the role?" },
	{ "words", &list_of_strings, "The words of command and args." }
};
static const struct builtin_member role_methods[] = {
	{ "host", &type_string, "(i: int) -> string: host name of replica i." },
	{ "address", &type_string, "(i: int, port: string) -> string: host name and port of replica i, with a colon between them." },
	{ "addresses", &list_of_strings, "(port: string) -> list[string]: addresses of all replicas." },
	{ "port", &type_int, "(i: int, port: string) -> int: port number of replica i." }
};

static const struct builtin_member layout_members[] = {
	{ "tp", &type_int, "Ranks of a group of tensor parallelism." },
	{ "cp", &type_int, "Ranks of a group of context parallelism." },
	{ "fsdp", &type_int, "Ranks that share one copy of the parameters in shards." },
	{ "dp", &type_int, "Copies of the model: what remains of the ranks." },
	{ "pp", &type_int, "Stages of the pipeline." },
	{ "ep", &type_int, "Ranks of a group of expert parallelism." },
	{ "etp", &type_int, "Ranks of a group of tensor parallelism of the experts." },
	{ "edp", &type_int, "Copies of the experts of a stage." },
	{ "size", &type_int, "Number of all ranks." },
	{ "order", &type_string, "The dimensions, the innermost one first." }
};
static const struct type list_of_ints = { .kind = TYPE_LIST, .elem = &type_int },
	lists_of_ints = { .kind = TYPE_LIST, .elem = &list_of_ints };
static const struct builtin_member layout_methods[] = {
	{ "hosts", &type_int, "(dimension: string) -> int: number of consecutive replicas that hold whole groups of it." },
	{ "ranks", &lists_of_ints, "(dimension: string) -> list[list[int]]: the groups of ranks, by their first rank." }
};

static const struct builtin_member copy_members[] = {
	{ "copy", &type_int, "Number of the copy, from 0." }
};
static const struct builtin_member cell_members[] = {
	{ "copies", &type_int, "Number of copies of the cell." },
	{ "least", &type_int, "Least number of copies with which the job goes on." }
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct {
	enum type_kind kind;
	const struct builtin_member *members;
	size_t n;
	bool methods, planned;
} member_tables[] = {
	{ .kind = TYPE_ROLE, role_members, COUNT(role_members) },
	{ .kind = TYPE_ROLE, role_methods, COUNT(role_methods), .methods = true },
	{ .kind = TYPE_ROLE, planned_of_role, COUNT(planned_of_role), .planned = true },
	{ .kind = TYPE_CLUSTER, cluster_members, COUNT(cluster_members) },
	{ .kind = TYPE_CLUSTER, planned_of_cluster, COUNT(planned_of_cluster), .planned = true },
	{ .kind = TYPE_POD_FACTS, pod_members, COUNT(pod_members) },
	{ .kind = TYPE_ELASTIC, elastic_members, COUNT(elastic_members) },
	{ .kind = TYPE_TOPOLOGY, topology_members, COUNT(topology_members) },
	{ .kind = TYPE_COPY, copy_members, COUNT(copy_members) },
	{ .kind = TYPE_LIST, cell_members, COUNT(cell_members) },       /* of a list that is a cell */
	{ .kind = TYPE_LAYOUT, layout_members, COUNT(layout_members) },
	{ .kind = TYPE_LAYOUT, layout_methods, COUNT(layout_methods), .methods = true },
};

bool check_member(enum type_kind kind, size_t i, struct check_member *ret)
{
	for (size_t k = 0; k < COUNT(member_tables); k++) {
		if (member_tables[k].kind != kind)
			continue;
		if (i < member_tables[k].n) {
			const struct builtin_member *m = &member_tables[k].members[i];
			*ret = (struct check_member){ m->name, m->type, m->doc, member_tables[k].methods,
				member_tables[k].planned };
			return true;
		}
		i -= member_tables[k].n;
	}
	return false;
}

const char *check_member_doc(enum type_kind kind, struct str name)
{
	struct check_member m;

	for (size_t i = 0; check_member(kind, i, &m); i++)
		if (str_is(name, m.name))
			return m.doc;
	return "";
}

/* Is the planned job known here? It is in policies and tests. */
static bool knows_plan(struct check *c) { return scope_around(c, SCOPE_POLICY) || scope_around(c, SCOPE_TEST); }

/*
 * The type of a member that exists only once the job is planned; NULL when NAME is not such a member. Reports its use
 * outside policies and tests.
 */
static const struct type *planned_member(struct check *c, struct node *n, const struct builtin_member *members,
	size_t count)
{
	size_t i = 0;
	while (i < count && !str_is(n->u.member.name, members[i].name))
		i++;
	if (i == count)
		return NULL;
	if (knows_plan(c))
		return members[i].type;
	struct diag *d = diag_report(c->diags, TJ0202, n->u.member.name_span, "'%s' is known only for a complete job",
		members[i].name);
	diag_help(c->diags, d, "use it in a policy or a test");
	return mark_bad(n);
}

/* Reports `cluster.replicas` in a policy: `replicas` is a member of each role. */
static const struct type *report_member_of_role(struct check *c, struct node *n)
{
	struct str name = n->u.member.name;
	struct diag *d = diag_report(c->diags, TJ0202, n->u.member.name_span, "the cluster has no field '%.*s'",
		STR_ARG(name));

	diag_help(c->diags, d, "'%.*s' belongs to a role: 'for role in cluster.roles { check role.%.*s ... }'",
		STR_ARG(name), STR_ARG(name));
	return mark_bad(n);
}

static const struct type *cluster_member(struct check *c, struct node *n)
{
	const struct type *t = planned_member(c, n, planned_of_cluster, COUNT(planned_of_cluster));
	struct suggest s;

	for (size_t i = 0; !t && i < COUNT(cluster_members); i++)
		if (str_is(n->u.member.name, cluster_members[i].name))
			t = cluster_members[i].type;
	if (t)
		return t;
	suggest_init(&s, c->arena, n->u.member.name);
	for (size_t i = 0; i < COUNT(cluster_members); i++)
		suggest_add(&s, str_of(cluster_members[i].name));
	for (size_t i = 0; knows_plan(c) && i < COUNT(planned_of_cluster); i++)
		suggest_add(&s, str_of(planned_of_cluster[i].name));
	if (knows_plan(c) && field_is_of_role(n->u.member.name) && !suggest_sentence(&s).n)
		return report_member_of_role(c, n);
	return report_no_field(c, n, "the cluster", &s);
}

/* ---- roles ---- */

/* The cell of which the value of N is all copies or, with ONE, a copy; NULL for other values. */
static struct decl *cell_of(const struct node *n, bool one)
{
	const struct type *t = n->type ? type_strip_pod(n->type) : &type_bad;

	return t->kind == (one ? TYPE_COPY : TYPE_LIST) ? t->record : NULL;
}

static struct decl *role_of_cell(const struct decl *cell, struct str name)
{
	for (size_t i = 0; cell && i < cell->nroles; i++)
		if (name_eq(cell->roles[i]->name, name))
			return cell->roles[i];
	return NULL;
}

const struct decl *check_cell_role(const struct type *t, struct str name)
{
	t = t ? type_strip_pod(t) : &type_bad;
	const struct decl *cell = t->kind == TYPE_COPY || t->kind == TYPE_LIST ? t->record : NULL;

	for (size_t i = 0; cell && i < cell->nroles; i++)
		if (str_eq(cell->roles[i]->name, name))
			return cell->roles[i];
	return NULL;
}

bool is_role_of_copy(const struct node *n)
{
	return n->kind == NODE_MEMBER && role_of_cell(cell_of(n->u.member.base, true), n->u.member.name);
}

/* Is N a role of a cell without the number of a copy, as server.worker? */
static bool is_role_of_any_copy(const struct node *n)
{
	return n->kind == NODE_MEMBER && role_of_cell(cell_of(n->u.member.base, false), n->u.member.name);
}

/* The number of copies if it is written as a number; 0 if it is not. */
static int64_t written_copies(const struct decl *cell)
{
	const struct node *n = body_member(cell->node->u.block.body, "copies");

	n = n && n->kind == NODE_ELASTIC ? n->u.op.right : n;
	return n && n->kind == NODE_INT ? (int64_t)n->u.integer.value : 0;
}

const struct type *report_which_copy(struct check *c, struct node *n, const struct node *role, struct span whole)
{
	const struct decl *cell = cell_of(role->u.member.base, false);
	struct str base = node_words(c, role->u.member.base),
		tail = source_text(c->program->sources, (struct span){ role->u.member.base->span.end, whole.end });
	int64_t copies = cell ? written_copies(cell) : 0;
	struct diag *d = copies > 1 ? diag_report(c->diags, TJ0541, role->span, "'%.*s' has %lld copies: which one?",
		STR_ARG(base), (long long)copies) :
		diag_report(c->diags, TJ0541, role->span, "'%.*s' is a cell: which copy is meant?", STR_ARG(base));

	help_which_copy(c, d, role->span, base, tail);
	return mark_bad(n);
}

static const struct type *report_no_role(struct check *c, struct node *n, const struct decl *cell, bool one)
{
	struct suggest s;
	struct diag *d = diag_report(c->diags, TJ0202, n->u.member.name_span, one ?
		"a copy of '%.*s' has no role '%.*s'" : "cell '%.*s' has no role '%.*s'", STR_ARG(cell->name),
		STR_ARG(n->u.member.name));

	suggest_init(&s, c->arena, n->u.member.name);
	for (size_t i = 0; i < cell->nroles; i++)
		suggest_add(&s, cell->roles[i]->name);
	suggest_add(&s, one ? STR("copy") : STR("copies"));
	if (!one)
		suggest_add(&s, STR("least"));
	help_suggest(c, d, &s, "it has", n->u.member.name_span);
	return mark_bad(n);
}

/* The type of server[3].NAME, or of server.NAME. */
static const struct type *cell_member(struct check *c, struct node *n, struct decl *cell, bool one)
{
	struct str name = n->u.member.name;

	if (one ? str_is(name, "copy") : str_is(name, "copies") || str_is(name, "least"))
		return &type_int;
	if (!role_of_cell(cell, name))
		return !cell || (cell->cell->u.job.blueprint && !cell->cell->u.job.framework) ? mark_bad(n) :
			report_no_role(c, n, cell, one);
	/* a role of no particular copy is only of use for a member that all copies have in common */
	if (!one && c->member_base != n)
		return report_which_copy(c, n, n, n->span);
	return &type_role;
}

/* May the member NAME of a role be read without the number of a copy? Texts may differ between copies. */
static bool is_common_member(struct str name)
{
	static const char *const differ[] = { "hosts", "words", "command", "args", "env", "files", "mounts", "labels",
		"annotations", "ready", "containers", "volumes", "raw" };

	for (size_t i = 0; i < COUNT(differ); i++)
		if (str_is(name, differ[i]))
			return false;
	return true;
}

static struct decl *known_role(const struct node *n)
{
	if (n->kind == NODE_MEMBER) {
		struct decl *cell = cell_of(n->u.member.base, true);
		cell = cell ? cell : cell_of(n->u.member.base, false);
		return role_of_cell(cell, n->u.member.name);
	}
	return n->kind == NODE_NAME && n->u.name.decl && n->u.name.decl->kind == DECL_ROLE ? n->u.name.decl : NULL;
}

static struct decl *base_role(struct check *c, const struct node *base)
{
	struct decl *d = known_role(base);
	struct scope *s;
	if (d || base->kind != NODE_NAME || !name_eq(base->u.name.text, c->words.self))
		return d;
	s = scope_around(c, SCOPE_ROLE);
	return s ? s->self : NULL;
}

/* The member of a role that other tools call NAME; NULL if no member corresponds. */
static const char *role_word(struct str name)
{
	static const char *const words[][2] = {
		{ "hostname", "host(0)" }, { "host_name", "host(0)" }, { "fqdn", "host(0)" }, { "dns", "host(0)" },
		{ "dns_name", "host(0)" }, { "ip", "host(0)" }, { "master", "host(0)" }, { "hostnames", "hosts" },
		{ "host_names", "hosts" }, { "nodes", "hosts" }, { "addr", "address(0, \"port\")" },
		{ "endpoint", "address(0, \"port\")" }, { "url", "address(0, \"port\")" },
		{ "endpoints", "addresses(\"port\")" }, { "urls", "addresses(\"port\")" },
		{ "addrs", "addresses(\"port\")" }, { "size", "replicas" }, { "count", "replicas" },
		{ "num_replicas", "replicas" }, { "world_size", "replicas" }, { "length", "replicas" },
		{ "len", "replicas" }, { "gpus", "devices" }, { "num_gpus", "devices" }, { "gpu", "devices" },
		{ "gpu_count", "devices" }, { "nproc", "devices" }, { "nproc_per_node", "devices" },
	};
	for (size_t i = 0; i < COUNT(words); i++)
		if (str_is(name, words[i][0]))
			return words[i][1];
	return NULL;
}

/* Explains that `if pod.index == 0 then first else second` is not one role, because only the pod knows which it is. */
static void help_chosen(struct check *c, struct diag *d, const struct node *base)
{
	struct str words = node_words(c, base);

	diag_help(c->diags, d, "only the pod knows which role '%.*s' is: choose between hosts instead of roles, "
		"if ... then FIRST.host(0) else SECOND.host(0)", STR_ARG(words));
}

/* Is N the argument of done(...)? */
static bool is_argument_of_done(struct check *c, const struct node *n)
{
	const struct source *source = source_at(c->program->sources, n->span.start);
	uint32_t at = source ? n->span.start - source->base : 0;

	return at >= 5 && memcmp(source->text.p + at - 5, "done(", 5) == 0;
}

/* Is it what an author may call the success of a role, as in worker.done? */
static bool is_condition_of_role(struct str word)
{
	return str_is(word, "done") || str_is(word, "succeeded") || str_is(word, "success") ||
		str_is(word, "completed");
}

/* Reports `worker[0].host`: a single replica is not a value. */
static void report_replica(struct check *c, const struct node *n, const struct node *base, const struct node *index,
	struct str member)
{
	struct str role = node_words(c, base), i = node_words(c, index), call;
	const char *other = role_word(member);
	bool list = str_is(member, "hosts") || (other && str_is(str_of(other), "hosts"));
	bool address = str_starts(member, STR("address")) || (other && str_starts(str_of(other), STR("address")));
	bool port = str_is(member, "port") || str_is(member, "ports");
	struct diag *d = diag_report(c->diags, TJ0302, n->span,
		"a role has no elements: its functions take the index of a replica");
	if (base->type && base->type->kind == TYPE_POD) {
		help_chosen(c, d, base);
		return;
	}
	if (is_condition_of_role(member) || is_argument_of_done(c, n)) {
		diag_help(c->diags, d, "write 'done(%.*s, %.*s)'", STR_ARG(role), STR_ARG(i));
	} else if (member.n && (other || str_is(member, "host") || list || address || port)) {
		call = str_printf(c->arena, address ? "%.*s.address(%.*s, \"port\")" :
			port ? "%.*s.port(%.*s, \"port\")" : "%.*s.host(%.*s)",
			STR_ARG(role), STR_ARG(i));
		diag_help(c->diags, d, "write '%.*s'", STR_ARG(call));
		if (str_is(member, "host") || str_is(member, "hostname"))
			diag_fix(c->diags, d, n->span, call, "write '%.*s'", STR_ARG(call));
	} else {
		diag_help(c->diags, d, "write '%.*s.host(%.*s)' or '%.*s.address(%.*s, \"port\")'", STR_ARG(role),
			STR_ARG(i), STR_ARG(role), STR_ARG(i));
	}
}

static void report_role_member(struct check *c, struct node *n)
{
	struct suggest s;
	struct str name = n->u.member.name, words = node_words(c, n->u.member.base);
	for (size_t i = 0; i < COUNT(role_methods); i++) {
		if (!str_is(name, role_methods[i].name))
			continue;
		const struct node *base = n->u.member.base;
		bool chosen = base->type && base->type->kind == TYPE_POD;
		struct diag *d = diag_report(c->diags, TJ0202, n->u.member.name_span, chosen ?
			"a role that is chosen in the pod has no '%.*s'" : "'%.*s' of a role is a function",
			STR_ARG(name));
		if (chosen) {
			help_chosen(c, d, base);
			return;
		}
		diag_help(c->diags, d, str_is(name, "host") ? "write '%.*s.host(0)'" : str_is(name, "addresses") ?
			"write '%.*s.addresses(\"port\")'" : str_is(name, "port") ? "write '%.*s.port(0, \"port\")'" :
			"write '%.*s.address(0, \"port\")'", STR_ARG(words));
		return;
	}
	struct diag *d = diag_report(c->diags, TJ0202, n->u.member.name_span, "a role has no field '%.*s'",
		STR_ARG(name));
	const char *other = role_word(name);
	if (str_is(name, "index") || str_is(name, "rank")) {
		diag_help(c->diags, d, "a role is all of its replicas; the index of this one is 'pod.index'");
		return;
	}
	if (other) {
		diag_help(c->diags, d, "write '%.*s.%s'", STR_ARG(words), other);
		return;
	}
	if (is_condition_of_role(name)) {
		diag_help(c->diags, d, "write 'done(%.*s)'", STR_ARG(words));
		return;
	}
	suggest_init(&s, c->arena, name);
	for (size_t i = 0; i < COUNT(role_members); i++)
		suggest_add(&s, str_of(role_members[i].name));
	for (size_t i = 0; i < COUNT(role_methods); i++)
		suggest_add(&s, str_of(role_methods[i].name));
	for (const struct field *f = schema_next(BLOCK_ROLE, NULL); f; f = schema_next(BLOCK_ROLE, f))
		suggest_add(&s, str_of(f->name));
	for (size_t i = 0; knows_plan(c) && i < COUNT(planned_of_role); i++)
		suggest_add(&s, str_of(planned_of_role[i].name));
	help_suggest(c, d, &s, NULL, n->u.member.name_span);
}

static const struct type *role_member(struct check *c, struct node *n)
{
	struct str name = n->u.member.name;
	struct decl *role = base_role(c, n->u.member.base);
	for (size_t i = 0; i < COUNT(role_members); i++)
		if (str_is(name, role_members[i].name))
			return role_members[i].type;
	const struct type *planned = planned_member(c, n, planned_of_role, COUNT(planned_of_role));
	if (planned)
		return planned;
	const struct field *f = schema_find(BLOCK_ROLE, name);
	if (!f && !str_is(name, "replica"))     /* `replica` is set by blocks, so it has no value */
		f = schema_find(BLOCK_FRAMEWORK_ROLE, name);
	if (!f) {
		report_role_member(c, n);
		return mark_bad(n);
	}
	if (f->id == FIELD_REPLICAS)
		return role && role->replicas ? role->replicas : &type_int;
	return schema_member_type(&c->types, f->id);
}

static const struct type *layout_member(struct check *c, struct node *n)
{
	struct str words = node_words(c, n->u.member.base);

	for (size_t i = 0; i < COUNT(layout_methods); i++) {
		if (!str_is(n->u.member.name, layout_methods[i].name))
			continue;
		struct diag *d = diag_report(c->diags, TJ0202, n->u.member.name_span, "'%s' of a layout is a function",
			layout_methods[i].name);
		diag_help(c->diags, d, "write '%.*s.%s(\"tp\")'", STR_ARG(words), layout_methods[i].name);
		return mark_bad(n);
	}
	return find_member(c, n, "a layout", layout_members, COUNT(layout_members));
}

/* The type of `roles.NAME` in a test: a role of any job of the file. Tests are checked after all jobs. */
static const struct type *roles_member(struct check *c, struct node *n)
{
	struct nodes decls = c->program->root->file->u.file.decls;
	struct suggest s;
	suggest_init(&s, c->arena, n->u.member.name);
	for (size_t i = 0; i < decls.n; i++) {
		const struct node *job = decls.at[i];
		if (job->kind == NODE_BAD)
			return &type_role;      /* this declaration may have been a job with that role */
		if (job->kind != NODE_JOB)
			continue;
		if ((job->u.job.blueprint && !job->u.job.framework) || body_is_broken(job->u.job.body))
			return &type_role;      /* the roles of this job are not all known */
		for (size_t k = 0; k < job->u.job.nroles; k++) {
			if (name_eq(job->u.job.roles[k]->name, n->u.member.name))
				return &type_role;
			suggest_add(&s, job->u.job.roles[k]->name);
		}
	}
	struct diag *d = diag_report(c->diags, TJ0202, n->u.member.name_span, "no job has a role '%.*s'",
		STR_ARG(n->u.member.name));
	if (help_cells_in_test(c, d, decls, n->u.member.name))
		return mark_bad(n);
	help_suggest(c, d, &s, "the roles are", n->u.member.name_span);
	return mark_bad(n);
}

/* ---- members of any value ---- */

static const struct type *report_whole(struct check *c, struct node *n, const struct type *t)
{
	struct str what = type_phrase(c->arena, t), name = n->u.member.name;
	struct decl *base = n->u.member.base->kind == NODE_NAME ? n->u.member.base->u.name.decl : NULL;
	if (base && map_put(&base->unknown, c->arena, STR("."), base))
		return mark_bad(n);                  /* already reported for this declaration */
	struct diag *d = diag_report(c->diags, TJ0202, n->u.member.name_span, "%.*s has no fields", STR_ARG(what));
	struct str words = node_words(c, n->u.member.base);
	enum function f;
	if (str_is(name, "len") || str_is(name, "length"))
		diag_help(c->diags, d, "write 'len(...)'");
	else if (schema_function_find(name, &f))
		diag_help(c->diags, d, "write a call: '%.*s(%.*s%s)'", STR_ARG(name), STR_ARG(words),
			memchr(schema_function(f)->signature, ',', strcspn(schema_function(f)->signature, ")")) ?
			", ..." : "");
	return mark_bad(n);
}

/* Reports pod.copies in a cell. */
static const struct type *report_cell_number(struct check *c, struct node *n)
{
	struct diag *d = diag_report(c->diags, TJ0202, n->u.member.name_span, "the pod has no field 'copies'");

	diag_help(c->diags, d, "write '%.*s.copies'", STR_ARG(cell_around(c)->name));
	return mark_bad(n);
}

static const struct type *type_of_member(struct check *c, struct node *n, const struct type *t)
{
	switch (t->kind) {
	case TYPE_RECORD: return record_member(c, n, t->record);
	case TYPE_ANON: return anon_member(c, n, t);
	case TYPE_MAP: return t->elem;
	case TYPE_COPY: return cell_member(c, n, t->record, true);
	case TYPE_LIST: return t->record ? cell_member(c, n, t->record, false) : report_whole(c, n, t);
	case TYPE_ROLE: return role_member(c, n);
	case TYPE_PORTS: return &type_int;
	case TYPE_CLUSTER: return cluster_member(c, n);
	case TYPE_POD_FACTS:
		return str_is(n->u.member.name, "copies") && cell_around(c) ? report_cell_number(c, n) :
			find_member(c, n, "the pod", pod_members, COUNT(pod_members));
	case TYPE_ELASTIC: return find_member(c, n, "an elastic range", elastic_members, COUNT(elastic_members));
	case TYPE_TOPOLOGY: return find_member(c, n, "a topology", topology_members, COUNT(topology_members));
	case TYPE_LAYOUT: return layout_member(c, n);
	case TYPE_DATA: return &type_data;
	case TYPE_REPLICA_ENV: return &type_string;
	case TYPE_ROLES: return roles_member(c, n);
	default: return report_whole(c, n, t);
	}
}

struct module *module_base(struct check *c, struct node *base)
{
	if (base->kind != NODE_NAME)
		return NULL;
	struct decl *d = scope_peek(c, base->u.name.text);
	if (!d || d->kind != DECL_IMPORT || !d->node->u.import.module)
		return NULL;
	decl_use(c, d);
	base->u.name.decl = d;
	base->type = &type_module;
	return d->node->u.import.module;
}

const struct type *type_base(struct check *c, struct node *base, struct str member)
{
	const struct node *outer = c->member_base;

	if (base->kind == NODE_NAME)
		c->member_of_name = member;
	c->member_base = base;
	const struct type *t = type_expr(c, base, NULL);
	c->member_base = outer;
	c->member_of_name = (struct str){ 0 };
	return t;
}

const struct type *type_member(struct check *c, struct node *n, const struct type *want)
{
	struct module *module = module_base(c, n->u.member.base);
	if (module)
		return type_module_member(c, n, module, want);
	struct node *inner = n->u.member.base;
	if (inner->kind == NODE_INDEX && inner->u.pair.base->kind == NODE_NAME &&
		scope_peek(c, inner->u.pair.base->u.name.text)) {
		const struct type *role = type_expr(c, inner->u.pair.base, NULL);
		if (type_strip_pod(role)->kind == TYPE_ROLE && check_free(c, inner->u.pair.index)->kind != TYPE_BAD) {
			report_replica(c, n, inner->u.pair.base, inner->u.pair.index, n->u.member.name);
			return mark_bad(n);
		}
	}
	const struct type *t = type_base(c, n->u.member.base, n->u.member.name);
	bool pod = t->kind == TYPE_POD;
	if (t->kind == TYPE_BAD)
		return &type_bad;
	if (t->kind == TYPE_OPTIONAL) {
		report_optional(c, n->u.member.base);
		return &type_bad;
	}
	if (is_role_of_any_copy(inner) && !is_common_member(n->u.member.name))
		return report_which_copy(c, n, inner, n->span);
	const struct type *m = type_of_member(c, n, type_strip_pod(t));
	if (m->kind == TYPE_BAD)
		return m;
	if (m->kind == TYPE_OPTIONAL && known_present(c, n))
		m = m->elem;
	return pod ? type_pod(c->arena, m) : m;
}

/* ---- x[i] ---- */

/* Adds to D, which is about `s[0]` or `s[0:2]` on a text, how to get a part of a text. */
static void help_part_of_text(struct check *c, struct diag *d, const struct node *base, const struct node *index)
{
	struct str words = node_words(c, base);
	const struct node *from = index->kind == NODE_ELASTIC ? index->u.op.left : index;
	bool front = from->kind == NODE_INT && from->u.integer.value == 0;

	if (front && index->kind == NODE_ELASTIC)
		diag_help(c->diags, d, "write 'cut(%.*s, %.*s)'", STR_ARG(words),
			STR_ARG(node_words(c, index->u.op.right)));
	else if (front)
		diag_help(c->diags, d, "write 'cut(%.*s, 1)': 'cut(text, n)' is the first n characters",
			STR_ARG(words));
	else
		diag_help(c->diags, d, "of a text 'cut(text, n)' is the first n characters");
}

/* Reports `xs[0:2]` on a list; true if it did. */
static bool report_slice(struct check *c, const struct node *base, const struct node *index)
{
	if (index->kind != NODE_ELASTIC)
		return false;
	struct str words = node_words(c, base);
	struct diag *d = diag_report(c->diags, TJ0302, index->span, "a list has no slices");
	diag_help(c->diags, d, "write '[%.*s[i] for i in range(%.*s, %.*s)]'", STR_ARG(words),
		STR_ARG(node_words(c, index->u.op.left)), STR_ARG(node_words(c, index->u.op.right)));
	return true;
}

const struct type *type_index(struct check *c, struct node *n)
{
	struct node *base = n->u.pair.base, *index = n->u.pair.index;
	if (report_uncalled_accelerator(c, n, base, index))
		return mark_bad(n);
	const struct type *t = check_free(c, base);
	bool pod = t->kind == TYPE_POD;
	const struct type *core = type_strip_pod(t), *elem = NULL;
	if (core->kind == TYPE_OPTIONAL) {
		report_optional(c, base);
		core = &type_bad;
	}
	if (core->kind == TYPE_LIST || core->kind == TYPE_MAP)
		elem = core->elem;
	else if (core->kind == TYPE_DATA || core->kind == TYPE_BAD)
		elem = core;
	else if (core->kind == TYPE_REPLICA_ENV)
		elem = &type_string;
	else if (core->kind == TYPE_ANON) {
		for (size_t i = 0; i < core->n; i++)
			elem = elem ? type_unify(c, elem, core->members[i].type) : core->members[i].type;
	}
	const struct type *i = check_free(c, index);
	if (!elem && core->kind == TYPE_ROLE) {
		report_replica(c, n, base, index, STR(""));
		return mark_bad(n);
	}
	if (!elem) {
		struct str what = type_phrase(c->arena, core);
		struct diag *d = diag_report(c->diags, TJ0302, base->span,
			"only a list or a map has elements, found %.*s", STR_ARG(what));
		if (core->kind == TYPE_PORTS)
			diag_help(c->diags, d, "write the port's name after a dot");
		if (type_is_text(core))
			help_part_of_text(c, d, base, index);
		return mark_bad(n);
	}
	if (core->kind == TYPE_LIST && report_slice(c, base, index))
		return mark_bad(n);
	if (i->kind == TYPE_BAD || elem->kind == TYPE_BAD)
		return &type_bad;
	const struct type *key = core->kind == TYPE_LIST ? &type_int : core->kind == TYPE_DATA ? type_strip_pod(i) :
		&type_string;
	pod = pod || i->kind == TYPE_POD;
	if (type_coerce(c, index, type_pod(c->arena, key), &(struct site){ .what = STR("an index") })->kind == TYPE_BAD)
		return &type_bad;
	index->convert_to = NULL;
	if (elem->kind == TYPE_OPTIONAL && known_present(c, n))
		elem = elem->elem;
	return type_lifted(c, elem, pod);
}
