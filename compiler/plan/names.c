/*
 * names.c - makes the names that roles and replicas have in Kubernetes, and the addresses of replicas.
 */
#include "plan/plan.h"

#include <stdio.h>

struct str plan_label(struct arena *a, struct str name)
{
	char *p = arena_copy(a, name.p, name.n);

	for (size_t i = 0; i < name.n; i++) {
		if (p[i] == '_')
			p[i] = '-';
		else if (p[i] >= 'A' && p[i] <= 'Z')
			p[i] = (char)(p[i] - 'A' + 'a');
	}
	return (struct str){ p, name.n };
}

const struct plan_cell *plan_cell_of(const struct plan_job *j, const struct plan_role *r)
{
	for (size_t i = 0; r->cell.n && i < j->ncells; i++)
		if (str_eq(j->cells[i].name, r->cell))
			return &j->cells[i];
	return NULL;
}

/* The name of a role of a cell is CELL-ROLE-COPY. */
struct str plan_role_inner(const struct plan_role *r)
{
	char copy[24];
	int digits = snprintf(copy, sizeof copy, "-%lld", (long long)r->copy);

	return r->cell.n ? (struct str){ r->name.p + r->cell.n + 1, r->name.n - r->cell.n - 1 - (size_t)digits } :
		r->name;
}

void plan_put_role(const struct plan_role *r, struct buf *out)
{
	if (r->cell.n)
		buf_printf(out, "%.*s[%lld].", STR_ARG(r->cell), (long long)r->copy);
	buf_str(out, plan_role_inner(r));
}

struct str plan_role_address(struct arena *a, const struct plan_role *r)
{
	struct str inner = plan_role_inner(r);

	return r->cell.n ? str_printf(a, "%.*s/%lld/%.*s", STR_ARG(r->cell), (long long)r->copy, STR_ARG(inner)) :
		r->name;
}

bool plan_role_named(const struct plan_role *r, struct str name)
{
	char copy[24];
	int digits = snprintf(copy, sizeof copy, "/%lld/", (long long)r->copy);
	size_t before = r->cell.n + (size_t)digits;

	return str_eq(r->name, name) || (r->cell.n && name.n > before && str_starts(name, r->cell) &&
		memcmp(name.p + r->cell.n, copy, (size_t)digits) == 0 &&
		str_eq(plan_role_inner(r), (struct str){ name.p + before, name.n - before }));
}

/* The length of J-C in J-C-R-c, the name of the object of a role. */
static size_t group_length(const struct plan_role *r)
{
	return r->object.n - (r->name.n - r->cell.n);
}

struct str plan_group_name(struct arena *a, const struct plan_role *r)
{
	return str_copy(a, (struct str){ r->object.p, group_length(r) });
}

struct str plan_group_role(struct arena *a, const struct plan_role *r)
{
	size_t n = r->cell.n + 1 + plan_role_inner(r).n;

	return plan_label(a, (struct str){ r->name.p, n });
}

struct plan_name plan_pod_name(const struct plan_role *r)
{
	if (r->in_tasks && r->unrolled)         /* each of these tasks has one pod, with the number 0 */
		return (struct plan_name){ "-", "-0", false };
	if (!r->in_set || plan_is_sliced(r))
		return (struct plan_name){ "-", "", r->in_set };
	return r->unrolled ? (struct plan_name){ "-", "-0-0", false } : (struct plan_name){ "-0-", "", false };
}

struct plan_name plan_host_name(const struct plan_job *j, const struct plan_role *r)
{
	return j->hosts == HOSTS_SUBDOMAIN ? plan_pod_name(r) : (struct plan_name){ "-", "", false };
}

static void indexed_name(const struct plan_role *r, struct plan_name name, int64_t i, struct buf *out)
{
	if (r->in_group) {
		buf_put(out, r->object.p, group_length(r));
		buf_char(out, '-');
		buf_int(out, r->copy);
		if (!r->before && !i)
			return;
		buf_char(out, '-');
		buf_int(out, r->before + i);
		return;
	}
	buf_str(out, r->object);
	if (r->one_name)
		return;
	if (name.sliced) {
		buf_char(out, '-');
		buf_int(out, plan_slice_of(r, i));
		i = plan_index_in_slice(r, i);
	}
	buf_z(out, name.before);
	buf_int(out, i);
	buf_z(out, name.after);
}

void plan_replica_name(const struct plan_role *r, int64_t i, struct buf *out)
{
	indexed_name(r, plan_pod_name(r), i, out);
}

void plan_host(const struct plan_job *j, const struct plan_role *r, int64_t i, struct buf *out)
{
	indexed_name(r, plan_host_name(j, r), i, out);
	if (r->in_group) {
		buf_char(out, '.');
		buf_put(out, r->object.p, group_length(r));
		return;
	}
	plan_host_tail(j, out);
}

void plan_host_tail(const struct plan_job *j, struct buf *out)
{
	if (j->hosts == HOSTS_NAME)
		return;
	buf_char(out, '.');
	if (j->hosts == HOSTS_SUBDOMAIN) {
		buf_str(out, j->name);
		return;
	}
	buf_str(out, plan_namespace(j));
	buf_put(out, ".svc", 4);
	if (j->domain.n) {
		buf_char(out, '.');
		buf_str(out, j->domain);
	}
}

struct str plan_namespace(const struct plan_job *j)
{
	return j->ns.set ? j->ns.value : STR("default");
}

const struct plan_port *plan_find_port(const struct plan_role *r, struct str name)
{
	for (size_t i = 0; i < r->main.nports; i++)
		if (str_eq(r->main.ports[i].name, name))
			return &r->main.ports[i];
	return NULL;
}

struct str plan_volume_path(struct arena *a, const struct plan_volume *v, int64_t i)
{
	struct buf b = { 0 };

	if (!v->path_text.n)
		return v->path;
	for (size_t k = 0; k < v->path_text.n; k++)
		if (v->path_text.at[k].kind == PIECE_INDEX)
			buf_int(&b, i);
		else
			buf_str(&b, v->path_text.at[k].u.text);
	struct str s = buf_take(&b, a);
	buf_release(&b);
	return s;
}

const struct plan_mount *plan_find_mount(const struct plan_container *c, struct str path)
{
	for (size_t i = 0; i < c->nmounts; i++)
		if (str_eq(c->mounts[i].path, path))
			return &c->mounts[i];
	return NULL;
}

static void cluster_host(void *context, const struct plan_job *j, const struct plan_role *r, int64_t i, struct buf *out)
{
	(void)context;
	plan_host(j, r, i, out);
}

static int64_t cluster_port(void *context, const struct plan_job *j, const struct plan_role *r, int64_t i,
	struct str name)
{
	const struct plan_port *p = plan_find_port(r, name);

	(void)context, (void)j, (void)i;
	return p ? p->port : 0;
}

const struct placement placement_cluster = { NULL, cluster_host, cluster_port };

const struct plan_role *plan_find_role(const struct plan_job *j, struct str name)
{
	for (size_t i = 0; i < j->nroles; i++)
		if (str_eq(j->roles[i].name, name))
			return &j->roles[i];
	return NULL;
}
