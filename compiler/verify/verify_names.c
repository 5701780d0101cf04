/*
 * verify_names.c - checks names that must not be too long, and names that must differ.
 */
#include "verify/verify.h"

#include "kube/limits.h"

/* ---- TJ0801: the name of the last replica, J-R-(n-1), must be valid as a host name ---- */

/* Room for the suffix that Kubernetes adds to the names of a set's pods: "-abcde". */
enum { SET_SUFFIX = 6 };

static size_t most_characters(const struct plan_role *r) { return r->in_set ? LIMIT_LABEL - SET_SUFFIX : LIMIT_LABEL; }

static size_t digit_count(int64_t n)
{
	size_t count = 1;

	for (; n >= 10; n /= 10)
		count++;
	return count;
}

static size_t longest_name(const struct plan_role *r, int64_t replicas)
{
	struct plan_name around = plan_pod_name(r);
	size_t n = r->object.n + strlen(around.before) + strlen(around.after);

	if (r->one_name)
		return r->object.n;
	if (!around.sliced)
		return n + digit_count(replicas - 1);
	return n + 1 + digit_count(plan_slice_of(r, replicas - 1)) + digit_count(plan_slice_size(r) - 1);
}

static int64_t replicas_that_fit(const struct plan_role *r)
{
	int64_t most = 0;

	for (int64_t n = 10; !plan_is_sliced(r) && n < r->max && longest_name(r, n) <= most_characters(r); n *= 10)
		most = n;
	return most;
}

static size_t excess(const struct plan_role *r)
{
	size_t n = longest_name(r, r->max), most = most_characters(r);

	return n > most ? n - most : 0;
}

static struct diag *report_length(struct checking *c, const struct plan_role *r, struct span at)
{
	struct buf last = { 0 };

	plan_replica_name(r, r->max - 1, &last);
	struct str name = check_short(c->arena, buf_take(&last, c->arena));
	buf_release(&last);
	return diag_report(c->diags, TJ0801, at, "'%.*s' is %zu characters; at most %zu", STR_ARG(name),
		longest_name(r, r->max), most_characters(r));
}

static void help_length(struct checking *c, struct diag *d, const struct plan_role *r)
{
	if (r->in_set)
		diag_note(c->diags, d, (struct span){ 0 },
			"the target '%.*s' numbers the Jobs of a role too, and keeps %d of 63 characters for what "
			"Kubernetes adds to the name of a pod",
			STR_ARG(c->plan->target), SET_SUFFIX);
	diag_help(c->diags, d, "shorten %s by %zu", c->options->named ? "--name" : "the job's name", excess(r));
}

/* Reports a name that is too long because of its index: with fewer replicas in this role it would fit. */
static void length_of_index(struct checking *c, const struct plan_job *j, const struct plan_role *r, int64_t fewer)
{
	struct span at = check_place(c, r->replicas_at, j->name_at, j->name_at);
	struct diag *d = report_length(c, r, at);

	diag_label(c->diags, d, "the names of up to %.*s replicas would fit",
		STR_ARG(check_count(c->arena, (size_t)fewer)));
	if (at.start == j->name_at.start)
		diag_note(c->diags, d, check_place(c, r->at, j->name_at, j->name_at), "role '%.*s' makes it longer",
			STR_ARG(r->name));
	help_length(c, d, r);
}

/*
 * Reports that the job's name is too long for N roles. R is the role whose names are longest, so a name that fits R
 * fits all roles.
 */
static void length_of_job(struct checking *c, const struct plan_job *j, const struct plan_role *r, size_t n)
{
	struct span at = check_place(c, j->name_at, r->at, r->at);
	struct diag *d = report_length(c, r, at);
	struct str count = check_count(c->arena, (size_t)r->max);

	if (r->max == 1)
		diag_label(c->diags, d, "the name of its replica is too long");
	else
		diag_label(c->diags, d, "the name of the last of %.*s replicas is too long", STR_ARG(count));
	if (at.start == j->name_at.start)
		diag_note(c->diags, d, check_place(c, r->at, j->name_at, j->name_at),
			n > 1 ? "role '%.*s' makes it longest" : "role '%.*s' makes it longer", STR_ARG(r->name));
	help_length(c, d, r);
}

/* Reports names such as `_w`: they become -w, but neither a label's value nor a name may start or end with '-'. */
static void forms(struct checking *c, const struct plan_job *j)
{
	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i];
		if (!r->label.n || (r->label.p[0] != '-' && r->label.p[r->label.n - 1] != '-'))
			continue;
		struct diag *d = diag_report(c->diags, TJ0802, check_place(c, r->at, j->name_at, j->name_at),
			"role '%.*s' becomes '%.*s' in names and labels, which %s '-'",
			STR_ARG(r->name), STR_ARG(r->label),
			r->label.p[0] == '-' ? "may not begin with" : "may not end with");
		diag_help(c->diags, d, "begin and end the name with a letter or digit");
	}
}

/*
 * Reports names of cells that cannot be a label, and two cells with one label: the roles of each are found by it. The
 * first role of a cell stands for it.
 */
static void cell_labels(struct checking *c, const struct plan_job *j)
{
	struct map known = { 0 };

	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i], *other;
		struct str label = plan_label(c->arena, r->cell);
		if (!r->cell.n)
			continue;
		if ((other = map_get(&known, label))) {
			if (str_eq(other->cell, r->cell))
				continue;
			struct diag *d = diag_report(c->diags, TJ0811, check_place(c, r->at, j->name_at, j->name_at),
				"cells '%.*s' and '%.*s' are both named '%.*s'", STR_ARG(other->cell), STR_ARG(r->cell),
				STR_ARG(label));
			diag_help(c->diags, d, "in Kubernetes '_' becomes '-' and letters are lower case; choose "
				"another name");
			continue;
		}
		map_put_const(&known, c->arena, label, r);
		/* a name that begins so is that of its roles, too, which forms() reports */
		if (label.p[label.n - 1] != '-')
			continue;
		struct diag *d = diag_report(c->diags, TJ0802, check_place(c, r->at, j->name_at, j->name_at),
			"cell '%.*s' becomes '%.*s' in names and labels, which may not end with '-'", STR_ARG(r->cell),
			STR_ARG(label));
		diag_help(c->diags, d, "begin and end the name with a letter or digit");
	}
}

static void lengths(struct checking *c, const struct plan_job *j)
{
	forms(c, j);
	cell_labels(c, j);
	const struct plan_role *worst = NULL;
	size_t n = 0;

	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i];
		if (!r->max || !excess(r) || replicas_that_fit(r))
			continue;
		n++;
		worst = worst && excess(worst) >= excess(r) ? worst : r;
	}
	if (worst)
		length_of_job(c, j, worst, n);
	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i];
		int64_t fewer = r->max && excess(r) ? replicas_that_fit(r) : 0;
		/* if another name is longer, this name will fit once that one does */
		if (fewer && (!worst || excess(r) > excess(worst)))
			length_of_index(c, j, r, fewer);
	}
}

/* ---- TJ0804, and other names within a pod ---- */

static void port_name(struct checking *c, const struct plan_port *p, struct str name)
{
	const char *why;
	struct diag *d;

	if (kube_port_name(name, &why))
		return;
	if (name.n > LIMIT_PORT_NAME)
		d = diag_report(c->diags, TJ0804, p->name_at, "port name '%.*s' becomes %zu characters; at most %d",
			STR_ARG(p->name), name.n, LIMIT_PORT_NAME);
	else
		d = diag_report(c->diags, TJ0804, p->name_at, "port name '%.*s' %s", STR_ARG(p->name), why);
	diag_help(c->diags, d, "use up to 15 letters, digits and '-', at least one of them a letter");
}

static void port_names(struct checking *c, const struct plan_container *pc)
{
	struct map known = { 0 };

	for (size_t i = 0; i < pc->nports; i++) {
		const struct plan_port *p = &pc->ports[i], *other;
		struct str name = plan_label(c->arena, p->name);
		port_name(c, p, name);
		other = map_get(&known, name);
		if (!other)
			map_put_const(&known, c->arena, name, p);
		if (!other || str_eq(other->name, p->name))
			continue;
		struct diag *d = diag_report(c->diags, TJ0811, p->name_at,
			"ports '%.*s' and '%.*s' are both named '%.*s'",
			STR_ARG(other->name), STR_ARG(p->name), STR_ARG(name));
		diag_note(c->diags, d, other->name_at, "the other one");
		diag_help(c->diags, d, "in Kubernetes '_' becomes '-' and letters are lower case; choose another name");
	}
}

static void container_name(struct checking *c, const struct plan_container *mine, struct map *known)
{
	const struct plan_container *other;
	struct str name = plan_label(c->arena, mine->name);
	struct diag *d;

	if (name.n && !kube_dns_label(name)) {
		d = diag_report(c->diags, TJ0802, mine->name_at,
			"container name '%.*s' becomes '%.*s', which must begin and end with a letter or digit",
			STR_ARG(check_short(c->arena, mine->name)), STR_ARG(check_short(c->arena, name)));
		diag_help(c->diags, d, "in Kubernetes '_' becomes '-': choose another name");
	}
	if (name.n > LIMIT_LABEL) {
		d = diag_report(c->diags, TJ0801, mine->name_at, "container '%.*s' is %zu characters; at most 63",
			STR_ARG(check_short(c->arena, name)), name.n);
		diag_help(c->diags, d, "shorten it by %zu", name.n - LIMIT_LABEL);
	}
	other = map_get(known, name);
	if (!other) {
		map_put_const(known, c->arena, name, mine);
		return;
	}
	d = diag_report(c->diags, TJ0811, mine->name_at, "two containers of one pod are named '%.*s'", STR_ARG(name));
	if (span_known(other->name_at))
		diag_note(c->diags, d, other->name_at, "the other one");
	diag_help(c->diags, d, "give one of them another name");
}

/* Checks the end of a role's name: '_' becomes '-', and J-R, the name of a Job, must not end with '-'. */
static void role_name(struct checking *c, const struct plan_role *r)
{
	if (!str_ends(r->label, STR("-")))
		return;
	struct diag *d = diag_report(c->diags, TJ0802, r->at,
		"role name '%.*s' becomes '%.*s', which must end with a letter or digit",
		STR_ARG(check_short(c->arena, r->name)), STR_ARG(check_short(c->arena, r->label)));
	diag_help(c->diags, d, "in Kubernetes '_' becomes '-': choose another name");
}

static void verify_container_names(struct checking *c, const struct plan_role *r)
{
	struct map known = { 0 };
	size_t n = 0;
	const struct plan_container **all = ARENA_ARRAY(c->arena, const struct plan_container *,
		1 + r->nsidecars + r->ninits);

	all[n++] = &r->main;
	for (size_t i = 0; i < r->ninits; i++)
		all[n++] = &r->inits[i];
	for (size_t i = 0; i < r->nsidecars; i++)
		all[n++] = &r->sidecars[i];
	for (size_t i = 0; i < n; i++) {
		container_name(c, all[i], &known);
		port_names(c, all[i]);
	}
}

void check_names(struct checking *c, const struct plan_job *j)
{
	lengths(c, j);
	for (size_t i = 0; i < j->nroles; i++) {
		if (!j->roles[i].max)
			continue;
		role_name(c, &j->roles[i]);
		verify_container_names(c, &j->roles[i]);
	}
}

/* ---- TJ0812, TJ0811: objects with the same identity ---- */

struct identity {
	const struct sources *sources;  /* positions in another program's sources cannot be shown */
	struct str program;             /* the file name of the program */
	struct span from;
	const struct plan_job *job;
};

/* Returns the file name of the program: that of the first file that was read. */
static struct str program_of(struct checking *c)
{
	if (!c->program.p)
		c->program = str_copy(c->seen_arena, c->diags->sources->n ? c->diags->sources->at[0]->name : STR(""));
	return c->program;
}

/* Returns the object that already has the same identity, or NULL. */
static const struct identity *identify(struct checking *c, struct str key, struct span from, const struct plan_job *j)
{
	struct identity *known = map_get(c->seen, key);

	if (known)
		return known;
	known = ARENA_NEW(c->seen_arena, struct identity);
	*known = (struct identity){ c->diags->sources, program_of(c), from, j };
	map_put(c->seen, c->seen_arena, str_copy(c->seen_arena, key), known);
	return NULL;
}

static void other_place(struct checking *c, struct diag *d, const struct identity *other)
{
	if (other->sources == c->diags->sources && span_known(other->from))
		diag_note(c->diags, d, other->from, "the other one");
	else
		diag_note(c->diags, d, (struct span){ 0 }, "the other one is in '%.*s'", STR_ARG(other->program));
}

static void report_name_twice(struct checking *c, const struct identity *other, const char *kind, struct str name,
	struct span from)
{
	bool later = other->sources != c->diags->sources || other->from.start <= from.start;
	struct identity first = { c->diags->sources, program_of(c), from, NULL };
	struct span at = later ? from : other->from;
	struct diag *d = diag_report(c->diags, TJ0811, at, "%s '%.*s' is emitted twice", kind, STR_ARG(name));

	other_place(c, d, later ? other : &first);
	diag_help(c->diags, d, "give one of them another name");
}

/*
 * Returns the group of an API version, such as "batch" of "batch/v1". Identities contain the group, because an object
 * can be written in several versions.
 */
static struct str version_group(const char *api_version)
{
	const char *slash = strchr(api_version, '/');

	return (struct str){ api_version, slash ? (size_t)(slash - api_version) : 0 };
}

/* Writes the start of an identity, GROUP/KIND/NAMESPACE/; the caller appends the name. */
static void identity_begin(struct buf *key, const char *api_version, const char *kind, struct str ns)
{
	buf_str(key, version_group(api_version));
	buf_char(key, '/');
	buf_z(key, kind);
	buf_char(key, '/');
	buf_str(key, ns);
	buf_char(key, '/');
}

/* Returns the object's own namespace if it has one, else the job's. */
static struct str namespace_of(const struct plan_job *j, const struct manifest *m)
{
	struct str written = m->object ? emit_data_text(data_get(m->object->data, STR("metadata")), "namespace")
		: STR("");

	if (m->cluster_wide)
		return STR("");
	return written.n ? written : j->ns.value;
}

static bool identify_manifest(struct emit *e, const struct manifest *m, void *context)
{
	struct checking *c = context;
	struct buf key = { 0 };

	identity_begin(&key, m->api_version, m->kind, namespace_of(e->job, m));
	size_t name = key.n;
	buf_str(&key, m->name);
	for (int64_t i = m->first; i < m->first + m->count; i++) {
		key.n = name + m->name.n;
		if (m->indexed_name) {
			buf_char(&key, '-');
			buf_int(&key, i);
		}
		const struct identity *other = identify(c, buf_text(&key), m->from, e->job);
		if (!other || m->code || (other->job != e->job && str_eq(other->job->name, e->job->name)))
			/*
			 * if two jobs have the same name, all their objects occur twice, which TJ0812 has already
			 * reported for the jobs
			 */
			continue;
		report_name_twice(c, other, m->kind, (struct str){ key.p + name, key.n - name }, m->from);
		break;
	}
	buf_release(&key);
	return true;
}

static void report_in_two_programs(struct checking *c, const struct plan_job *j, const struct identity *other)
{
	struct diag *d;

	if (str_eq(other->program, program_of(c))) {
		d = diag_report(c->diags, TJ0812, j->name_at, "'%.*s' is given twice, so its job '%.*s' exists twice",
			STR_ARG(other->program), STR_ARG(j->name));
		diag_help(c->diags, d, "pass the file once");
		return;
	}
	d = diag_report(c->diags, TJ0812, j->name_at, "'%.*s' has a job '%.*s', too",
		STR_ARG(other->program), STR_ARG(j->name));
	diag_help(c->diags, d, "rename one of the jobs; if they are variants of one job, pass only one of the files");
}

static void job_names(struct checking *c)
{
	for (size_t i = 0; i < c->plan->njobs; i++) {
		const struct plan_job *j = &c->plan->jobs[i];
		struct str after = str_cat(c->arena, STR("/"), j->name, STR(""));
		struct str key = str_cat(c->arena, STR("/"), j->ns.value, after);
		const struct identity *other = identify(c, key, j->name_at, j);
		if (!other)
			continue;
		if (other->sources != c->diags->sources) {
			report_in_two_programs(c, j, other);
			continue;
		}
		bool itself = other->from.start == j->name_at.start;
		struct diag *d = diag_report(c->diags, TJ0812, j->name_at, itself ?
			"'%.*s' is the name of more than one job of this loop" :
			"'%.*s' is the name of two jobs with these parameters", STR_ARG(j->name));
		if (!itself)
			other_place(c, d, other);
		diag_help(c->diags, d, itself ? "let the name depend on the loop variable"
			: "give one of them another name");
	}
}

/* Adds the identity of an object that the controller of a set creates: no other object may have it. */
static void identify_made(struct checking *c, const struct plan_job *j, const char *api_version, const char *kind,
	struct str name, struct span from)
{
	struct buf key = { 0 };

	identity_begin(&key, api_version, kind, j->ns.value);
	buf_str(&key, name);
	const struct identity *other = identify(c, buf_text(&key), from, j);
	buf_release(&key);
	if (other && (other->job == j || !str_eq(other->job->name, j->name)))
		report_name_twice(c, other, kind, name, from);
}

static void identify_set(struct checking *c, const struct plan_job *j)
{
	const struct workload *job = workload_row(WORKLOAD_JOB);
	bool in_set = false;

	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i];
		in_set = in_set || r->in_set || r->in_tasks;
		for (int64_t k = 0; r->in_set && !r->unrolled && k < (r->max ? plan_slices(r) : 0); k++)
			identify_made(c, j, job->api_version, job->kind,
				str_printf(c->arena, "%.*s-%lld", STR_ARG(r->object), (long long)k), r->at);
		for (int64_t k = 0; r->in_set && r->unrolled && k < r->max; k++)
			identify_made(c, j, job->api_version, job->kind,
				str_printf(c->arena, "%.*s-%lld-0", STR_ARG(r->object), (long long)k), r->at);
	}
	if (in_set && j->hosts == HOSTS_SUBDOMAIN && !j->raw_service)
		identify_made(c, j, "v1", "Service", j->name, j->name_at);
}

/* Kueue has no objects of the groups whose pods name them by a label. */
static void identify_groups(struct checking *c, const struct plan_job *j)
{
	for (size_t i = 0; i < j->nroles && emit_kueue(j); i++) {
		const struct plan_role *r = &j->roles[i];
		if (!emit_gang_member(r) || !emit_gang_grouped(j, r))
			continue;
		struct str name = emit_gang_name(c->arena, j, emit_gang_group(j, r));
		struct str key = str_printf(c->arena, "group of pods/%.*s/%.*s", STR_ARG(j->ns.value), STR_ARG(name));
		const struct identity *other = identify(c, key, emit_gang_place(j), j);
		if (other && other->job != j && !str_eq(other->job->name, j->name)) {
			report_name_twice(c, other, "group of pods", name, emit_gang_place(j));
			return;
		}
	}
}

void check_identities(struct checking *c)
{
	struct emit e = { .plan = c->plan };

	job_names(c);
	emit_each(&e, identify_manifest, c);
	for (size_t i = 0; i < c->plan->njobs; i++) {
		identify_set(c, &c->plan->jobs[i]);
		identify_groups(c, &c->plan->jobs[i]);
	}
}
