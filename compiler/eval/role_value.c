/*
 * role_value.c - values of roles, the cluster and the pod. Host names and ports become pieces, not text, because
 * plan_env() turns them into text for each placement.
 */
#include "diag/suggest.h"
#include "eval/internal.h"
#include "eval/job.h"

static struct value *text_value(struct eval *ev, struct span from, const struct piece *pieces, size_t n, bool number)
{
	struct value *v = value_new(ev->arena, VALUE_TEXT, from);
	struct piece *copy = ARENA_ARRAY(ev->arena, struct piece, n);
	memcpy(copy, pieces, n * sizeof *pieces);
	v->u.text = (struct text){ .at = copy, .n = n, .from = from };
	v->number = number;
	return v;
}

static struct piece peer_piece(enum piece_kind kind, const struct role *r, int64_t i, struct str port)
{
	return (struct piece){ .kind = kind, .u.peer = { .port = port, .role = r->number, .index = (int32_t)i } };
}

static struct piece host_piece(const struct role *r, int64_t i)
{
	if (r->job->plan->hosts == HOSTS_SERVICE)
		r->job->plan->namespace_in_address = true;
	return peer_piece(PIECE_HOST, r, i, (struct str){ 0 });
}

/* ---- ports ---- */

/* Adds help on how to declare a port, which the program refers to by its name or its number. */
static void help_declare(struct eval *ev, struct diag *d, struct str name)
{
	bool number = name.n > 0;
	for (size_t i = 0; i < name.n; i++)
		number = number && name.p[i] >= '0' && name.p[i] <= '9';
	if (number)
		diag_help(ev->diags, d,
			"refer to a port by its name: declare 'ports { http = %.*s }', and write \"http\"",
			STR_ARG(name));
	else
		diag_help(ev->diags, d, "declare it: ports { %.*s = 8000 }", STR_ARG(name));
}

static const struct value *role_port(struct eval *ev, struct role *r, struct str name, struct span at)
{
	const struct value *ports = role_field(ev, r, FIELD_PORTS);
	if (ports->kind != VALUE_MAP)
		return &value_bad;
	const struct value *port = value_get(ports, name);
	if (port)
		return port;
	if (r->torn)
		return &value_bad;
	struct diag *d = diag_report(ev->diags, TJ0514, at, "role '%.*s' has no port '%.*s'", STR_ARG(r->name),
		STR_ARG(name));
	struct suggest s;
	suggest_init(&s, ev->arena, name);
	for (size_t i = 0; i < ports->u.map.index.n; i++)
		suggest_add(&s, ports->u.map.index.entries[i].key);
	struct str help = suggest_or_list(&s, "its ports are");
	if (help.n)
		diag_help(ev->diags, d, "%.*s", STR_ARG(help));
	else
		help_declare(ev, d, name);
	return &value_bad;
}

const struct value *role_port_number(struct eval *ev, struct role *r, struct str name, struct node *at)
{
	const struct value *port = role_port(ev, r, name, at->kind == NODE_MEMBER ? at->u.member.name_span : at->span);
	eval_read(ev, role_field_at(ev, r, FIELD_PORTS),
		str_printf(ev->arena, "%.*s.ports.%.*s", STR_ARG(r->name), STR_ARG(name)), port);
	return port;
}

/* ---- hosts and addresses ---- */

static const struct value *all_hosts(struct eval *ev, struct role *r, struct span from)
{
	int64_t lo, hi;
	if (r->hosts)
		return r->hosts;
	if (!role_replicas(ev, r, &lo, &hi))
		return &value_bad;
	struct value *list = value_new(ev->arena, VALUE_LIST, from);
	list->u.list.at = ARENA_ARRAY(ev->arena, const struct value *, (size_t)hi);
	for (int64_t i = 0; i < hi; i++) {
		struct piece host = host_piece(r, i);
		list->u.list.at[list->u.list.n++] = text_value(ev, from, &host, 1, false);
	}
	return r->hosts = list;
}

static const struct piece colon = { .kind = PIECE_TEXT, .u.text = { ":", 1 } };

static const struct value *address_value(struct eval *ev, struct role *r, int64_t i, struct str port, struct span from)
{
	struct piece pieces[3] = { host_piece(r, i), colon, peer_piece(PIECE_PORT, r, i, port) };
	return text_value(ev, from, pieces, 3, false);
}

static const struct value *all_addresses(struct eval *ev, struct role *r, struct str port, struct node *call)
{
	int64_t lo, hi;
	const struct value *kept = map_get(&r->addresses, port);
	if (kept)
		return kept;
	if (!role_replicas(ev, r, &lo, &hi))
		return &value_bad;
	if (hi > 0 && role_port(ev, r, port, call->span)->kind == VALUE_BAD)
		return &value_bad;
	struct value *list = value_new(ev->arena, VALUE_LIST, call->span);
	list->u.list.at = ARENA_ARRAY(ev->arena, const struct value *, (size_t)hi);
	for (int64_t i = 0; i < hi; i++)
		list->u.list.at[list->u.list.n++] = address_value(ev, r, i, port, call->span);
	map_put(&r->addresses, ev->arena, port, list);
	return list;
}

/* ---- indices: a number, or the pod's own index ---- */

enum index_class { INDEX_BAD, INDEX_COMPUTED, INDEX_KNOWN };

static void report_beyond(struct eval *ev, struct role *r, struct str method, int64_t i, int64_t n, struct span at)
{
	struct diag *d = diag_report(ev->diags, TJ0515, at, "'%.*s.%.*s(%lld)', but there %s %lld %.*s replica%s",
		STR_ARG(r->name),
		STR_ARG(method), (long long)i, n == 1 ? "is" : "are", (long long)n, STR_ARG(r->name),
		n == 1 ? "" : "s");
	diag_note(ev->diags, d, role_field_at(ev, r, FIELD_REPLICAS), "replicas = %lld", (long long)n);
	if (n > 0)
		diag_help(ev->diags, d, "replicas are counted from 0: the last is %.*s(%lld)", STR_ARG(method),
			(long long)(n - 1));
	else
		diag_help(ev->diags, d, "give the role a replica, or do not ask for its %.*s", STR_ARG(method));
}

static enum index_class peer_index(struct eval *ev, struct role *r, struct str method, const struct value *arg,
	struct node *call, int64_t *ret)
{
	int64_t lo, hi;
	if (arg->kind == VALUE_COMPUTED)
		return INDEX_COMPUTED;
	if (arg->kind == VALUE_BAD || !role_replicas(ev, r, &lo, &hi))
		return INDEX_BAD;
	if (arg->kind == VALUE_INT) {
		if (arg->u.integer < 0 || arg->u.integer >= hi) {
			report_beyond(ev, r, method, arg->u.integer, hi, call->span);
			return INDEX_BAD;
		}
		*ret = arg->u.integer;
		return INDEX_KNOWN;
	}
	int64_t own_lo, own_hi;
	*ret = OWN_INDEX;
	if (arg->kind != VALUE_TEXT || arg->u.text.n != 1 || arg->u.text.at[0].kind != PIECE_INDEX)
		return INDEX_COMPUTED;
	if (ev->self && role_slices(ev, ev->self) > 1)          /* the pod only knows its index within the slice, not
								 * within the role */
		return INDEX_COMPUTED;
	if (ev->self && ev->self != r && role_replicas(ev, ev->self, &own_lo, &own_hi) && own_hi > hi) {
		report_beyond(ev, r, method, own_hi - 1, hi, call->span);
		return INDEX_BAD;
	}
	return INDEX_KNOWN;
}

static const struct value *computed(struct eval *ev, struct span at)
{
	struct value *v = value_new(ev->arena, VALUE_COMPUTED, at);
	v->u.computed = at;
	return v;
}

/*
 * Are the fields of a role, and of the job, known yet? They are not while the items of the job, its framework and its
 * roles are still being determined; reports such a read (TJ0529).
 */
static bool known_yet(struct eval *ev, struct str role, struct str name, struct span at)
{
	if (!ev->job || ev->job->ready)
		return true;
	struct diag *d = eval_report(ev, TJ0529, at, "'%.*s%s%.*s' cannot decide which items a %s has", STR_ARG(role),
		name.n ? "." : "", STR_ARG(name), name.n ? "framework or role" : "job");
	diag_help(ev->diags, d, "put the condition into a value: FIELD = if ... then ... else ...");
	return false;
}

const struct value *role_method(struct eval *ev, struct role *r, struct str name, const struct value **args, size_t n,
	struct node *call)
{
	if (!known_yet(ev, r->name, name, call->span))
		return &value_bad;
	for (size_t i = 0; i < n; i++)
		if (!value_ok(args[i]))
			return args[i];
	if (str_is(name, "addresses"))
		return all_addresses(ev, r, args[0]->u.string, call);
	int64_t i = 0;
	enum index_class class = peer_index(ev, r, name, args[0], call, &i);
	if (class == INDEX_BAD)
		return &value_bad;
	if (class == INDEX_COMPUTED)
		return computed(ev, call->span);
	if (str_is(name, "host")) {
		struct piece host = host_piece(r, i);
		return text_value(ev, call->span, &host, 1, false);
	}
	struct str port = args[1]->u.string;
	if (role_port(ev, r, port, call->span)->kind == VALUE_BAD)
		return &value_bad;
	if (str_is(name, "address"))
		return address_value(ev, r, i, port, call->span);
	struct piece number = peer_piece(PIECE_PORT, r, i, port);       /* port */
	return text_value(ev, call->span, &number, 1, true);
}

/* ---- the command ---- */

/* The word without the parts that only a placement or the pod decides. */
static const struct value *known_word(struct eval *ev, const struct value *v)
{
	struct buf out = { 0 };
	struct text t = { 0 };

	if (v->kind == VALUE_STRING)
		return v;
	if (value_ok(v) && !value_text(ev->arena, v, &t))
		t.n = 0;
	for (size_t i = 0; i < t.n; i++)
		if (t.at[i].kind == PIECE_TEXT)
			buf_str(&out, t.at[i].u.text);
	const struct value *ret = value_string(ev->arena, buf_take(&out, ev->arena), v->from);
	buf_release(&out);
	return ret;
}

/* Adds the words of a command; false if they depend on the image or the replica. */
static bool add_words(struct eval *ev, struct role *r, const struct said *said, struct value *to)
{
	struct self_of before = self_begin(ev, r);
	int64_t index = ev->pod_index;

	ev->pod_index = -1;
	const struct value *v = said_value(ev, said);
	self_end(ev, before);
	ev->pod_index = index;
	for (size_t i = 0; v && v->kind == VALUE_LIST && i < v->u.list.n; i++)
		ARENA_PUSH(ev->arena, to->u.list.at, to->u.list.n, known_word(ev, v->u.list.at[i]));
	return v && v->kind == VALUE_LIST && v->u.list.n;
}

void role_own_args(struct role *r, struct said *args)
{
	struct contribution command;
	if (!role_first(r, FIELD_COMMAND, &command) || command.level >= LEVEL_FRAMEWORK)
		return;
	while (args->n && args->at[args->n - 1].level >= LEVEL_FRAMEWORK)
		args->n--;
}

static const struct value *role_words(struct eval *ev, struct role *r, struct span at)
{
	struct value *list = value_new(ev->arena, VALUE_LIST, at);
	struct said command = role_said(ev, r, FIELD_COMMAND), args = role_said(ev, r, FIELD_ARGS);

	if (!command.n || !add_words(ev, r, &command, list))
		return list;
	list->from = entry_at(command.at[0].entry);
	role_own_args(r, &args);
	if (args.n)
		add_words(ev, r, &args, list);
	return list;
}

/* ---- members ---- */

/*
 * The value of a field that is an amount. If it differs between replicas, a policy gets that of the replica it looks
 * at; elsewhere it is reported, because it is unclear which replica is meant.
 */
static const struct value *amount_field(struct eval *ev, struct role *r, enum field_id id, struct node *at)
{
	const struct value *v = role_field(ev, r, id);
	struct span because = { 0 }, decided;

	if (!value_differs(v, &because))
		return v;
	if (r->seen >= 0)
		return role_field_of(ev, r, id, r->seen, &decided);
	const char *name = schema_field(id)->name;
	struct diag *d = eval_report(ev, TJ0708, at->span,
		"replicas of role '%.*s' differ in '%s', so it has no one value", STR_ARG(r->name), name);
	diag_note(ev->diags, d, span_known(because) ? because : role_field_at(ev, r, id),
		"decided for each replica here");
	diag_help(ev->diags, d, "only a policy, which is evaluated for each replica, can read it; give replicas that "
		"differ a "
		"role of their own, or write what is read here in a 'let' that both use");
	return &value_bad;
}

/* What is read as `place` of a role: the first place of the list, which contains the others. */
static const struct value *outermost_place(const struct value *v)
{
	if (v->kind != VALUE_LIST)
		return v;
	return v->u.list.n ? v->u.list.at[0] : &value_none;
}

static const struct value *plain_member(struct eval *ev, struct role *r, struct str name, struct node *at,
	enum field_id *ret_field)
{
	const struct plan_accelerator *acc;
	*ret_field = FIELDS;
	if (str_is(name, "name"))
		return value_string(ev->arena, r->name, at->span);
	if (str_is(name, "given"))
		return value_bool(ev->arena, r->block != NULL, r->block ? r->at : at->span);
	if (str_is(name, "hosts")) {
		*ret_field = FIELD_REPLICAS;
		return all_hosts(ev, r, at->span);
	}
	if (str_is(name, "ports")) {
		struct value *v = value_new(ev->arena, VALUE_PORTS, at->span);
		v->u.role = r;
		return v;
	}
	if (str_is(name, "layout")) {
		struct value *v = value_new(ev->arena, VALUE_LAYOUT, at->span);
		v->u.role = r;
		return v;
	}
	if (str_is(name, "words"))              /* a broken item may be the command */
		return r->torn ? &value_bad : role_words(ev, r, at->span);
	if (str_is(name, "containers") || str_is(name, "volumes") || str_is(name, "tolerations") ||
		str_is(name, "node_labels") || str_is(name, "raw") || str_is(name, "cell"))
		return planned_role_member(ev, r, name, at->span);
	/* in policies and tests, `code` is what the plan says, which has other members than the field */
	if (str_is(name, "code") && at->type && type_strip_optional(at->type)->kind == TYPE_ANON)
		return planned_role_member(ev, r, name, at->span);
	*ret_field = FIELD_ACCELERATOR;
	if (str_is(name, "devices") || str_is(name, "accelerator_pods")) {
		if (role_field(ev, r, FIELD_ACCELERATOR)->kind == VALUE_BAD)
			return &value_bad;
		acc = role_accelerator(ev, r);
		if (str_is(name, "devices"))
			return value_int(ev->arena, acc ? acc->per_pod : 0, acc ? acc->from : at->span);
		return value_int(ev->arena, acc ? acc->pods : 1, acc ? acc->from : at->span);
	}
	const struct field *f = schema_find(BLOCK_ROLE, name);
	if (!f)
		f = schema_find(BLOCK_FRAMEWORK_ROLE, name);
	if (!f)
		return &value_bad;
	*ret_field = f->id;
	if (f->id == FIELD_PLACE)
		return outermost_place(role_field(ev, r, f->id));
	return schema_differs(f->id) ? amount_field(ev, r, f->id, at) : role_field(ev, r, f->id);
}

/* Reports `worker.replicas` when it is a range such as 1:8 and a number is needed (TJ0506). */
static const struct value *one_number(struct eval *ev, struct role *r, const struct value *v, struct node *at)
{
	if (v->kind != VALUE_ELASTIC || type_strip_optional(at->type)->kind == TYPE_ELASTIC)
		return v;
	/* a framework may set a fixed size where the framework that it wraps is elastic */
	if (v->u.range.lo == v->u.range.hi)
		return value_int(ev->arena, v->u.range.lo, v->from);
	struct diag *d = diag_report(ev->diags, TJ0506, at->span,
		"'%.*s.replicas' is %lld:%lld; which number is meant?", STR_ARG(r->name),
		(long long)v->u.range.lo, (long long)v->u.range.hi);
	diag_note(ev->diags, d, role_field_at(ev, r, FIELD_REPLICAS), "elastic here");
	diag_help(ev->diags, d, "write '%.*s.replicas.min' or '%.*s.replicas.max'", STR_ARG(r->name), STR_ARG(r->name));
	return &value_bad;
}

const struct value *role_member(struct eval *ev, struct role *r, struct str name, struct node *at)
{
	enum field_id field;
	if (ev->in_policy)
		ev->policy_role = r;
	if (!str_is(name, "name") && !str_is(name, "given") && !known_yet(ev, r->name, name, at->span))
		return &value_bad;
	const struct value *v = plain_member(ev, r, name, at, &field);
	if (field == FIELD_REPLICAS && str_is(name, "replicas"))
		v = one_number(ev, r, v, at);
	if (str_is(name, "words"))
		eval_read_words(ev, v->from, str_cat(eval_work(ev), r->name, STR("."), name), v);
	else if (field != FIELDS && v->kind != VALUE_BAD && (ev->reads || ev->running))
		eval_read(ev, role_field_at(ev, r, field), str_cat(eval_work(ev), r->name, STR("."), name), v);
	return v;
}

const struct value *role_value(struct eval *ev, struct role *r, struct span from)
{
	struct value *v = value_new(eval_passing(ev), VALUE_ROLE, from);
	v->u.role = r;
	return v;
}

/* The role of J itself, not of its cells, that D declares; NULL if it has none. */
static struct role *role_of_decl(const struct job *j, const struct decl *d)
{
	for (size_t i = 0; i < j->nroles; i++) {
		struct role *r = j->roles[i];
		bool named = r->job == j && r->job_decl == d;
		for (unsigned l = 0; r->job == j && l < j->nlayers && !named; l++)
			named = r->decls[l] == d;
		if (named)
			return r;
	}
	return NULL;
}

const struct value *role_by_decl(struct eval *ev, const struct decl *d, struct span at)
{
	for (struct job *j = ev->job; j; j = j->outer) {
		struct role *r = role_of_decl(j, d);
		if (r)
			return role_value(ev, r, at);
	}
	known_yet(ev, d->name, STR(""), at);
	return &value_bad;
}

static const struct value *cluster_roles(struct eval *ev, bool all, struct span from)
{
	struct value *list = value_new(ev->arena, VALUE_LIST, from);

	ev->self_reads += job_root(ev->job)->ncells > 0;        /* each copy has roles of its own */
	for (size_t i = 0; i < ev->job->nroles; i++) {
		struct role *r = ev->job->roles[i];
		int64_t lo, hi;
		/* a policy applies to the roles of cells, too */
		if ((r->aux && !all) || (r->job != ev->job && !ev->in_policy && !ev->test))
			continue;
		if (!role_replicas(ev, r, &lo, &hi))
			return &value_bad;
		if (hi > 0)
			ARENA_PUSH(ev->arena, list->u.list.at, list->u.list.n, role_value(ev, r, from));
	}
	return list;
}

const struct value *cluster_member(struct eval *ev, struct str name, struct node *at)
{
	struct job *j = ev->job;
	if (!j)
		return &value_bad;
	if (str_is(name, "name")) {
		ev->pass_reads++;
		return value_string(ev->arena, j->name, j->plan->name_at);
	}
	if (str_is(name, "namespace")) {
		const struct value *v = value_string(ev->arena, j->plan->ns.set ? j->plan->ns.value : STR("default"),
			j->plan->ns.set ? j->plan->ns.from : at->span);
		if (!ev->asking || ev->reads != ev->asking)     /* it is read by more than the condition of a check */
			j->plan->namespace_in_address = true;
		eval_read(ev, v->from, STR("namespace"), v);
		return v;
	}
	if (str_is(name, "domain"))
		return j->plan->domain.n ? value_string(ev->arena, j->plan->domain, at->span) : &value_none;
	if (str_is(name, "run_id"))
		return j->options->run_id.p ? value_string(ev->arena, j->options->run_id, at->span) : &value_none;
	if (str_is(name, "roles"))
		return cluster_roles(ev, false, at->span);
	if (str_is(name, "all_roles"))
		return cluster_roles(ev, true, at->span);
	return planned_cluster_member(ev, j, name, at->span);
}

/* ---- the pod ---- */

static const struct value *pod_field_value(struct eval *ev, enum pod_field field, struct span from)
{
	struct piece p = { .kind = PIECE_FIELD, .u.field = field };
	return text_value(ev, from, &p, 1, false);
}

/* The number of replicas in one slice; larger than any index if the role has no slices or their number is unknown. */
static int64_t slice_size(struct eval *ev, struct role *r)
{
	int64_t lo, hi, slices = role_slices(ev, r);

	return slices > 1 && role_replicas(ev, r, &lo, &hi) && hi >= slices ? hi / slices : INT64_MAX;
}

/* The index of the replica; within its slice, if the role has slices. */
static const struct value *index_value(struct eval *ev, struct span from)
{
	struct piece p = { .kind = PIECE_INDEX };

	if (ev->pod_index < 0)
		return text_value(ev, from, &p, 1, true);
	return value_int(ev->arena, ev->pod_index % slice_size(ev, ev->self), from);
}

/* Is AT in the text of a framework from which the role comes? There every pod has a number of its copy. */
static bool in_framework_of(const struct role *r, struct span at)
{
	for (unsigned l = 0; l < r->job->nlayers; l++) {
		struct span whole = r->job->layers[l].framework->node->span;
		if (at.start >= whole.start && at.end <= whole.end)
			return true;
	}
	return false;
}

static const struct value *copy_value(struct eval *ev, struct span from)
{
	const struct role *r = ev->self;

	ev->copy_reads += r->job->outer != NULL;
	if (r->job->outer || in_framework_of(r, from))
		return value_int(ev->arena, r->job->outer ? r->job->copy : 0, from);
	struct diag *d = eval_report(ev, TJ0543, from, "'pod.copy' is known only in a cell");
	diag_note(ev->diags, d, r->at, "role '%.*s' is in no cell", STR_ARG(r->name));
	diag_help(ev->diags, d, "use it in 'cell NAME { ... }'; the number of a replica is 'pod.index'");
	return &value_bad;
}

static const struct value *report_no_rank(struct eval *ev, struct span at, const char *why, struct str role)
{
	struct diag *d = eval_report(ev, TJ0716, at, "'pod.rank' is not known in role '%.*s'", STR_ARG(ev->self->name));

	diag_note(ev->diags, d, (struct span){ 0 }, why, STR_ARG(role));
	diag_help(ev->diags, d, "the number of a replica in its own role is 'pod.index'");
	return &value_bad;
}

/* The number of the pod among those of its copy, or of the job's own roles. */
static const struct value *rank_value(struct eval *ev, struct span from)
{
	struct role *mine = ev->self;
	const struct job *j = mine->job;
	int64_t before = 0, lo, hi;

	if (mine->aux)
		return report_no_rank(ev, from, "auxiliary roles have no rank", STR(""));
	for (size_t i = 0; i < j->nroles && j->roles[i] != mine; i++) {
		struct role *r = j->roles[i];
		if (r->aux || r->job != j)
			continue;
		if (!role_replicas(ev, r, &lo, &hi))
			return &value_bad;
		if (lo != hi)
			return report_no_rank(ev, from, "the number of '%.*s' before it is not fixed", r->name);
		before += hi;
	}
	if (!before)
		return index_value(ev, from);
	if (!role_replicas(ev, mine, &lo, &hi))
		return &value_bad;
	if (ev->pod_index < 0 && hi > 1)
		return computed(ev, from);
	return value_int(ev->arena, before + (ev->pod_index < 0 ? 0 : ev->pod_index), from);
}

static const struct value *slice_value(struct eval *ev, struct span from)
{
	struct piece p = { .kind = PIECE_FIELD, .u.field = POD_SLICE };

	if (role_slices(ev, ev->self) > 1 && ev->pod_index < 0)
		return text_value(ev, from, &p, 1, true);
	return value_int(ev->arena, ev->pod_index < 0 ? 0 : ev->pod_index / slice_size(ev, ev->self), from);
}

/*
 * Reports `pod.index` in a role with slices (TJ0720): a replica can read the number of its slice and its index within
 * that, but no field of a pod contains its index in the role.
 */
static const struct value *report_index_in_slices(struct eval *ev, struct node *at)
{
	struct role *r = ev->self;
	long long slices = role_slices(ev, r);
	struct span here = role_field_at(ev, r, FIELD_SLICES);
	bool own = in_user_text(ev, at->span);
	struct diag *d;

	if (own) {
		d = diag_report(ev->diags, TJ0720, at->span,
			"no pod of '%.*s' knows its index among the replicas of all %lld slices", STR_ARG(r->name),
			slices);
		diag_note(ev->diags, d, here, "slices = %lld", slices);
		diag_help(ev->diags, d,
			"use pod.slice, the number of the slice, and pod.slice_index, the pod's index in its slice");
		return &value_bad;
	}
	d = diag_report(ev->diags, TJ0720, here,
		"the framework needs the index of each '%.*s' among all %lld slices, which no pod knows",
		STR_ARG(r->name), slices);
	diag_note(ev->diags, d, at->span, "read here");
	diag_help(ev->diags, d, "remove 'slices', or use a framework that reads pod.slice, such as jax.distributed");
	return &value_bad;
}

const struct value *pod_member(struct eval *ev, struct str name, struct node *at)
{
	ev->pod_reads++;
	if (!ev->self) {
		struct diag *d = diag_report(ev->diags, TJ0708, at->span, "'pod.%.*s' is known only inside a role",
			STR_ARG(name));
		diag_help(ev->diags, d, "use it in 'env', 'command', 'args' or 'files' of a role");
		return &value_bad;
	}
	if (str_is(name, "copy"))
		return copy_value(ev, at->span);
	if ((str_is(name, "index") || str_is(name, "rank")) && role_slices(ev, ev->self) > 1)
		return report_index_in_slices(ev, at);
	if (str_is(name, "rank"))
		return rank_value(ev, at->span);
	if (str_is(name, "slice"))
		return slice_value(ev, at->span);
	if (str_is(name, "index") || str_is(name, "slice_index"))
		return index_value(ev, at->span);
	if (str_is(name, "host")) {
		struct piece p = host_piece(ev->self, ev->pod_index >= 0 ? ev->pod_index : OWN_INDEX);
		return text_value(ev, at->span, &p, 1, false);
	}
	if (str_is(name, "name"))
		return pod_field_value(ev, POD_NAME, at->span);
	if (str_is(name, "uid"))
		return pod_field_value(ev, POD_UID, at->span);
	if (str_is(name, "ip"))
		return pod_field_value(ev, POD_IP, at->span);
	if (str_is(name, "node"))
		return pod_field_value(ev, POD_NODE, at->span);
	return &value_bad;
}

/* ---- converting texts to plain text where pieces are not possible ---- */

bool text_flatten(struct eval *ev, const struct text *t, struct str *ret)
{
	struct buf out = { 0 };
	bool ok = true;
	for (size_t i = 0; ok && i < t->n; i++) {
		const struct piece *p = &t->at[i];
		bool peer = p->kind == PIECE_HOST || p->kind == PIECE_PORT;
		if (p->kind == PIECE_TEXT) {
			buf_str(&out, p->u.text);
		} else if (peer && ev->job && p->u.peer.index != OWN_INDEX) {
			struct role *r = job_root(ev->job)->roles[p->u.peer.role];
			const struct value *port = p->kind == PIECE_PORT
				? value_get(role_field(ev, r, FIELD_PORTS), p->u.peer.port) : NULL;
			ev->pass_reads++;       /* a host's name begins with that of the job */
			if (p->kind == PIECE_HOST)
				plan_host(ev->job->plan, r->plan, p->u.peer.index, &out);
			else if (port && port->kind == VALUE_INT)
				buf_int(&out, port->u.integer);
			else
				ok = false;
		} else {
			ok = false;
		}
	}
	*ret = ok ? buf_take(&out, ev->arena) : STR("");
	buf_release(&out);
	return ok;
}
