/*
 * fit_place.c - places pods on nodes. Pods of a role are identical, so a node takes as many of them as its scarcest
 * resource permits, and the order of nodes does not matter. Roles are placed one after the other: first those with
 * devices, then the others, which use nodes without devices first. In a cluster that is so full that the order of roles
 * matters, the answer is the best that the scheduler can achieve.
 */
#include "runtime/fit/fit.h"
#include "runtime/status/look.h"

struct apart;

struct placing {
	const struct fit_cluster *cluster;
	const struct fit_job *job;
	const struct data *const *flavors;
	bool empty;
	struct apart *ports;            /* for each shape, the nodes where a port that its pods take is taken */
	struct apart *apart;            /* for each shape, the domains where its pods must not run */
	struct str *domains;            /* for each shape that needs a domain and has been placed, that domain */
	size_t *touched;                /* nodes that have pods of this job */
	size_t ntouched;
	struct arena *arena;
};

/* The domains of nodes where pods of a shape must not run, and the labels that make these domains. */
struct apart {
	struct str *keys;
	size_t nkeys;
	struct map domains;             /* a set of "KEY DOMAIN" */
};

/* The reasons why a role did not fit. */
struct shortage {
	size_t labels, affinity, taints, cordoned, apart, ports, full[FIT_RESOURCES], small[FIT_RESOURCES];
	int64_t placed;
	int64_t parts;                  /* pods that find nodes, but not as whole segments */
	const struct fit_node *example; /* the node that, when empty, takes the most pods of the role */
	int64_t example_takes;
};

static struct str domain_of(const struct fit_node *n, struct str key)
{
	const struct data *d = n->labels && n->labels->kind == DATA_MAP ? data_get(n->labels, key) : NULL;

	if (d && d->kind == DATA_STRING)
		return d->u.string;
	return str_is(key, "kubernetes.io/hostname") ? n->name : STR("");
}

/* The number of times that NEED fits into FREE. If NEED does not fit at all, RET_RESOURCE is the scarcest resource. */
static int64_t times(const struct fit_cluster *c, const int64_t *free, const int64_t *need, size_t *ret_resource)
{
	int64_t least = INT64_MAX;

	for (size_t i = 0; i < c->resources.n; i++) {
		if (!need[i])
			continue;
		int64_t n = free[i] > 0 ? free[i] / need[i] : 0;
		if (n < least) {
			least = n;
			*ret_resource = i;
		}
	}
	return least;
}

/* ---- pods that keep away from each other ---- */

static struct str apart_key(const struct placing *p, struct str key, struct str domain)
{
	return str_cat(p->arena, key, STR(" "), domain);
}

/* Notes that pods of a shape must not run in the domain of NODE: an anti-affinity term has KEY as its topologyKey. */
static void keep_away(const struct placing *p, struct apart *x, struct str key, const struct fit_node *node)
{
	struct str domain = domain_of(node, key);
	bool known = false;

	if (!domain.n)
		return;
	for (size_t i = 0; i < x->nkeys && !known; i++)
		known = str_eq(x->keys[i], key);
	if (!known)
		ARENA_PUSH(p->arena, x->keys, x->nkeys, key);
	map_put(&x->domains, p->arena, apart_key(p, key, domain), x);
}

/*
 * Notes where pods of the SHAPE and a pod with LABELS and SPEC on NODE keep away from each other, or need the same
 * port.
 */
static void note_pod(const struct placing *p, size_t shape, const struct data *labels, const struct data *spec,
	const struct fit_node *node)
{
	const struct fit_shape *s = &p->job->shapes[shape];
	struct apart *x = &p->apart[shape];
	const struct data *ours = fit_anti_terms(s->spec), *theirs = fit_anti_terms(spec);

	for (size_t i = 0; i < ours->u.list.n; i++)
		if (fit_selects(status_path(ours->u.list.at[i], "labelSelector"), labels))
			keep_away(p, x, status_text(ours->u.list.at[i], "topologyKey"), node);
	for (size_t i = 0; i < theirs->u.list.n; i++)
		if (fit_selects(status_path(theirs->u.list.at[i], "labelSelector"), s->labels))
			keep_away(p, x, status_text(theirs->u.list.at[i], "topologyKey"), node);
	if (fit_ports_clash(s->spec, spec))
		map_put(&p->ports[shape].domains, p->arena, node->name, &p->ports[shape]);
}

/*
 * Notes where pods of S and existing pods keep away from each other. There is nothing to note if neither has
 * anti-affinity terms.
 */
static void note_pods(const struct placing *p, size_t shape)
{
	const struct fit_cluster *c = p->cluster;
	const struct fit_shape *s = &p->job->shapes[shape];
	bool ours = fit_anti_terms(s->spec)->u.list.n > 0, ports = fit_has_ports(s->spec);

	for (size_t i = 0; i < c->npods; i++) {
		const struct fit_pod *x = &c->pods[i];
		const struct fit_node *node = &c->nodes[x->node];
		if (x->lower || (p->empty && !x->kept))
			continue;
		if (!p->empty && (ours || x->guarded) && str_eq(x->ns, p->job->ns))
			note_pod(p, shape, x->labels, x->spec, node);
		else if (ports && x->ports && fit_ports_clash(s->spec, x->spec))
			map_put(&p->ports[shape].domains, p->arena, node->name, &p->ports[shape]);
	}
}

/* The number of pods of S that anti-affinity allows on the node: many, one, or none. */
static int64_t limit_apart(const struct placing *p, const struct apart *x, const struct fit_shape *s,
	const struct fit_node *node)
{
	const struct data *terms = fit_anti_terms(s->spec);
	int64_t most = INT64_MAX;

	for (size_t i = 0; i < x->nkeys; i++)
		if (map_get(&x->domains, apart_key(p, x->keys[i], domain_of(node, x->keys[i]))))
			return 0;
	for (size_t i = 0; i < terms->u.list.n; i++)
		if (fit_selects(status_path(terms->u.list.at[i], "labelSelector"), s->labels) &&
			domain_of(node, status_text(terms->u.list.at[i], "topologyKey")).n)
			most = 1;
	return most;
}

/* ---- one role ---- */

static void note_obstacle(struct shortage *x, enum fit_obstacle why)
{
	x->labels += why == FIT_LABELS;
	x->affinity += why == FIT_AFFINITY;
	x->taints += why == FIT_TAINT;
	x->cordoned += why == FIT_CORDONED;
}

/* The number of pods of a shape that node I takes now. */
static int64_t takes(struct placing *p, size_t shape, size_t i, struct shortage *x)
{
	const struct fit_shape *s = &p->job->shapes[shape];
	const struct fit_cluster *c = p->cluster;
	const struct fit_node *n = &c->nodes[i];
	enum fit_obstacle why = fit_obstacle(n, s->spec, p->flavors[shape]);
	int64_t whole[FIT_RESOURCES] = { 0 }, left[FIT_RESOURCES] = { 0 };
	size_t scarce = 0, never = 0;

	if (why != FIT_TAKES) {
		note_obstacle(x, why);
		return 0;
	}
	for (size_t k = 0; k < c->resources.n; k++) {
		whole[k] = n->all[k] - n->kept[k];
		left[k] = n->all[k] - n->ours[k] - (p->empty ? n->kept[k] : n->used[k]);
	}
	int64_t room = times(c, left, s->need, &scarce), ever = times(c, whole, s->need, &never);
	if (!ever) {
		x->small[never]++;
		return 0;
	}
	if (ever > x->example_takes) {
		x->example = n;
		x->example_takes = ever;
	}
	if (!room) {
		x->full[scarce]++;
		return 0;
	}
	int64_t apart = limit_apart(p, &p->apart[shape], s, n);
	x->apart += !apart;
	if (apart == 1)
		x->example_takes = x->example_takes > 1 ? 1 : x->example_takes;
	if (fit_has_ports(s->spec)) {           /* one pod takes the ports of the node from all others */
		bool taken = map_get(&p->ports[shape].domains, n->name) != NULL;
		x->ports += taken;
		apart = taken ? 0 : apart < 1 ? apart : 1;
		x->example_takes = x->example_takes > 1 ? 1 : x->example_takes;
	}
	return room < apart ? room : apart;
}

static void put_on(struct placing *p, size_t shape, size_t node, int64_t n)
{
	struct fit_node *on = &p->cluster->nodes[node];
	const struct fit_shape *s = &p->job->shapes[shape];

	for (size_t k = 0; k < p->cluster->resources.n; k++)
		on->ours[k] += n * s->need[k];
	ARENA_PUSH(p->arena, p->touched, p->ntouched, node);
	for (size_t i = 0; i < p->job->n; i++)
		note_pod(p, i, s->labels, s->spec, on);
}

/* Places a role on the nodes of DOMAIN that have devices or, if DEVICES is false, on its nodes that have no devices. */
static void place_on(struct placing *p, size_t shape, struct str domain, bool devices, struct shortage *x)
{
	const struct fit_shape *s = &p->job->shapes[shape];

	for (size_t i = 0; i < p->cluster->nnodes && x->placed < s->count; i++) {
		const struct fit_node *n = &p->cluster->nodes[i];
		if (n->devices != devices)
			continue;
		if (s->topology.n && !(domain.n && str_eq(domain_of(n, s->topology), domain))) {
			x->labels += !domain_of(n, s->topology).n;
			continue;
		}
		int64_t room = takes(p, shape, i, x), left = s->count - x->placed;
		int64_t here = room < left ? room : left;
		if (here > 0)
			put_on(p, shape, i, here);
		x->placed += here;
	}
}

/* The number of pods of each shape that the nodes of a domain take. */
static int64_t *rooms_of(struct placing *p, struct map *rooms, struct str domain)
{
	int64_t *room = map_get(rooms, domain);

	if (!room) {
		room = ARENA_ARRAY(p->arena, int64_t, p->job->n);
		map_put(rooms, p->arena, domain, room);
	}
	return room;
}

/*
 * The label value whose nodes together take the most pods of a shape and of those shapes that need the same domain. If
 * several values are equal, the nodes of the chosen value take the most pods of the shape itself.
 */
static struct str best_domain(struct placing *p, size_t shape)
{
	const struct fit_shape *s = &p->job->shapes[shape];
	struct map rooms = { 0 };
	struct str best = STR("");
	int64_t most = -1, most_own = -1;

	for (size_t i = 0; i < p->cluster->nnodes; i++) {
		struct str domain = domain_of(&p->cluster->nodes[i], s->topology);
		int64_t *room = domain.n ? rooms_of(p, &rooms, domain) : NULL, all = 0;
		for (size_t k = 0; room && k < p->job->n; k++) {
			const struct fit_shape *other = &p->job->shapes[k];
			struct shortage x = { 0 };
			if (!fit_together(s, other))
				continue;
			room[k] += takes(p, k, i, &x);
			all += room[k] < other->count ? room[k] : other->count;
		}
		if (!room || all < most || (all == most && room[shape] <= most_own))
			continue;
		most = all;
		most_own = room[shape];
		best = domain;
	}
	return best;
}

/*
 * The domain for a shape: if a shape that needs the same domain has been placed, its domain; otherwise the best domain.
 */
static struct str domain_for(struct placing *p, size_t shape)
{
	for (size_t i = 0; i < p->job->n; i++)
		if (i != shape && p->domains[i].n && fit_together(&p->job->shapes[shape], &p->job->shapes[i]))
			return p->domains[i];
	return best_domain(p, shape);
}

/* ---- segments: whole groups of pods, each in one domain ---- */

/* Is node I in DOMAIN of the level of segments, and in OUTER, the domain of all pods? */
static bool in_domain(const struct placing *p, const struct fit_shape *s, size_t i, struct str domain, struct str outer)
{
	const struct fit_node *n = &p->cluster->nodes[i];

	return str_eq(domain_of(n, s->slice), domain) && (!s->topology.n || str_eq(domain_of(n, s->topology), outer));
}

/* Places as many whole segments of a role in DOMAIN as it takes. */
static void place_segments_in(struct placing *p, size_t shape, struct str domain, struct str outer, struct shortage *x)
{
	const struct fit_shape *s = &p->job->shapes[shape];
	struct shortage again = { 0 };
	int64_t room = 0, left = s->count - x->placed;

	for (size_t i = 0; i < p->cluster->nnodes; i++)
		room += in_domain(p, s, i, domain, outer) ? takes(p, shape, i, x) : 0;
	int64_t whole = (room < left ? room : left) / s->size * s->size;
	x->parts += room - whole;
	for (size_t i = 0; i < p->cluster->nnodes && whole > 0; i++) {
		int64_t here = in_domain(p, s, i, domain, outer) ? takes(p, shape, i, &again) : 0;
		here = here < whole ? here : whole;
		if (here > 0)
			put_on(p, shape, i, here);
		x->placed += here;
		whole -= here;
	}
}

static void place_segments(struct placing *p, size_t shape, struct str outer, struct shortage *x)
{
	const struct fit_shape *s = &p->job->shapes[shape];
	struct map seen = { 0 };

	for (size_t i = 0; i < p->cluster->nnodes && x->placed < s->count; i++) {
		struct str domain = domain_of(&p->cluster->nodes[i], s->slice);
		x->labels += !domain.n;
		if (domain.n && map_put(&seen, p->arena, domain, p) == NULL)
			place_segments_in(p, shape, domain, outer, x);
	}
}

/* ---- the reason why a job does not fit ---- */

static void put_count(struct buf *out, bool *any, size_t n, const char *what)
{
	if (!n)
		return;
	buf_printf(out, "%s%zu %s", *any ? ", " : "", n, what);
	*any = true;
}

static void put_shortage(const struct placing *p, const struct fit_shape *s, const struct shortage *x,
	struct str domain, struct buf *out)
{
	const struct fit_cluster *c = p->cluster;
	bool any = false;

	buf_printf(out, "%s%.*s: %lld of %lld fit, each ", out->n ? "; " : "", STR_ARG(s->role), (long long)x->placed,
		(long long)s->count);
	fit_put_amounts(&c->resources, s->need, out);
	if (domain.n)
		buf_printf(out, ", in one %.*s", STR_ARG(s->topology));
	if (s->size > 1)
		buf_printf(out, ", each %lld in one %.*s", (long long)s->size, STR_ARG(s->slice));
	if (!c->nnodes) {
		buf_z(out, "; the cluster has no nodes");
		return;
	}
	buf_printf(out, "; of %zu node%s ", c->nnodes, c->nnodes == 1 ? "" : "s");
	put_count(out, &any, x->labels, "without the labels");
	put_count(out, &any, x->affinity, "excluded by the node affinity");
	put_count(out, &any, x->taints, "tainted");
	put_count(out, &any, x->cordoned, "cordoned");
	put_count(out, &any, x->apart, "with a pod to keep away from");
	put_count(out, &any, x->ports, "where a host port is taken");
	for (size_t i = 0; i < c->resources.n; i++) {
		if (x->small[i])
			buf_printf(out, "%s%zu too small (%.*s)", any ? ", " : "", x->small[i],
				STR_ARG(c->resources.at[i]));
		any = any || x->small[i];
		if (x->full[i])
			buf_printf(out, "%s%zu full (%.*s)", any ? ", " : "", x->full[i], STR_ARG(c->resources.at[i]));
		any = any || x->full[i];
	}
	if (x->parts)
		buf_printf(out, "%sroom for %lld more, but not for %lld in one %.*s", any ? ", " : "",
			(long long)x->parts, (long long)s->size, STR_ARG(s->slice));
	else if (!any && domain.n)
		buf_printf(out, "no %.*s has room for all of them", STR_ARG(s->topology));
	else if (!any)
		buf_z(out, "all are taken by this job");
	if (x->labels + x->affinity)
		fit_put_labels(c, s, out);
	if (x->example) {
		int64_t more = (s->count - x->placed + x->example_takes - 1) / x->example_takes;
		buf_printf(out, "; %lld more node%s such as %.*s would do", (long long)more, more == 1 ? "" : "s",
			STR_ARG(x->example->name));
	}
}

static bool place(struct placing *p, size_t shape, struct buf *why)
{
	const struct fit_shape *s = &p->job->shapes[shape];
	bool devices = fit_has_devices(p->cluster, s->need);
	struct shortage x = { 0 };
	struct str domain = s->topology.n ? domain_for(p, shape) : STR("");

	p->domains[shape] = domain;
	if (s->size > 1) {
		place_segments(p, shape, domain, &x);
	} else {
		place_on(p, shape, domain, devices, &x);
		place_on(p, shape, domain, !devices, &x);
	}
	if (x.placed < s->count)
		put_shortage(p, s, &x, domain, why);
	return x.placed >= s->count;
}

/* Notes whether pods of the job leave too little on a node for the pods of lower priority. */
static void note_taken(const struct fit_cluster *c, struct fit_node *n)
{
	for (size_t k = 0; k < c->resources.n; k++)
		n->taken = n->taken || (n->lower[k] && n->ours[k] + n->used[k] + n->lower[k] > n->all[k]);
}

bool fit_place(const struct fit_cluster *c, const struct fit_job *job, bool empty, const struct data *const *flavors,
	struct buf *why)
{
	struct arena a = { 0 };
	struct placing p = { .cluster = c, .job = job, .flavors = flavors, .empty = empty, .arena = &a };
	bool ok = true;

	p.apart = ARENA_ARRAY(&a, struct apart, job->n);
	p.ports = ARENA_ARRAY(&a, struct apart, job->n);
	p.domains = ARENA_ARRAY(&a, struct str, job->n);
	for (size_t i = 0; i < job->n; i++)
		note_pods(&p, i);
	for (int devices = 1; devices >= 0; devices--)
		for (size_t i = 0; i < job->n; i++)
			if (fit_has_devices(c, job->shapes[i].need) == devices)
				ok = place(&p, i, why) && ok;
	for (size_t i = 0; i < p.ntouched && ok; i++)
		note_taken(c, &c->nodes[p.touched[i]]);
	for (size_t i = 0; i < p.ntouched; i++)
		memset(c->nodes[p.touched[i]].ours, 0, sizeof c->nodes->ours);
	arena_release(&a);
	return ok;
}
