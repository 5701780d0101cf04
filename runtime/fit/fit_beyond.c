/*
 * fit_beyond.c - what the computation does not consider, by its name. A job that fits apart from that may not fit, so
 * the answer is "unknown".
 */
#include "runtime/fit/fit.h"

#include "runtime/status/look.h"

struct beyond {
	struct arena *arena;
	const struct fit_cluster *cluster;
	const struct fit_job *job;
	struct buf text;
};

/* Appends one name, unless the text has it. */
static void add_beyond(struct beyond *b, struct str name)
{
	if (b->text.n && memmem(b->text.p, b->text.n, name.p, name.n))
		return;
	buf_z(&b->text, b->text.n ? ", " : "");
	buf_str(&b->text, name);
}

static void look_at_spread(struct beyond *b, const struct data *spec)
{
	const struct data *all = status_list(spec, "topologySpreadConstraints");

	for (size_t i = 0; i < all->u.list.n; i++)
		if (!str_is(status_text(all->u.list.at[i], "whenUnsatisfiable"), "ScheduleAnyway"))
			add_beyond(b, str_printf(b->arena, "the even spread over %.*s that is required",
				STR_ARG(text_line(b->arena, status_text(all->u.list.at[i], "topologyKey")))));
}

/* Does a term of affinity or anti-affinity look at other namespaces than that of the pod? */
static bool looks_elsewhere(const struct data *term)
{
	return status_path(term, "namespaceSelector") || status_list(term, "namespaces")->u.list.n;
}

static void look_at_affinity(struct beyond *b, const struct fit_shape *s)
{
	const struct data *near = status_list(s->spec,
		"affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution"), *away = fit_anti_terms(s->spec);

	for (size_t i = 0; i < near->u.list.n; i++)
		if (near->u.list.n > 1 || looks_elsewhere(near->u.list.at[i]) ||
			!fit_selects(status_path(near->u.list.at[i], "labelSelector"), s->labels))
			add_beyond(b, STR("affinity to pods of other jobs"));
	for (size_t i = 0; i < away->u.list.n; i++)
		if (looks_elsewhere(away->u.list.at[i]))
			add_beyond(b, STR("anti-affinity to pods of other namespaces"));
}

static const struct data *find_named(const struct status_objects *all, struct str ns, struct str name)
{
	for (size_t i = 0; i < all->n; i++)
		if (str_eq(status_text(all->at[i], "metadata.name"), name) &&
			str_eq(status_text(all->at[i], "metadata.namespace"), ns))
			return all->at[i];
	return NULL;
}

/* Looks at a claim. A claim matters unless its volume exists and can be used on every node. */
static void look_at_claim(struct beyond *b, struct str name)
{
	const struct data *claim = find_named(&b->cluster->claims, b->job->ns, name);
	struct str shown = text_line(b->arena, name);
	struct str bound = claim ? status_text(claim, "spec.volumeName") : STR("");
	const struct data *volume = bound.n ? find_named(&b->cluster->volumes, STR(""), bound) : NULL;

	if (!claim)
		add_beyond(b, str_printf(b->arena, "claim '%.*s', which was not read", STR_ARG(shown)));
	else if (!bound.n)
		add_beyond(b, str_printf(b->arena, "claim '%.*s', which has no volume yet", STR_ARG(shown)));
	else if (!volume)
		add_beyond(b, str_printf(b->arena, "the volume of claim '%.*s', which was not read", STR_ARG(shown)));
	else if (status_path(volume, "spec.nodeAffinity"))
		add_beyond(b, str_printf(b->arena, "the nodes or zone of the volume of claim '%.*s'", STR_ARG(shown)));
}

static void look_at_volumes(struct beyond *b, const struct data *spec)
{
	const struct data *all = status_list(spec, "volumes");

	for (size_t i = 0; i < all->u.list.n; i++) {
		const struct data *v = all->u.list.at[i];
		struct str claim = status_text(v, "persistentVolumeClaim.claimName");
		if (claim.n)
			look_at_claim(b, claim);
		else if (status_path(v, "ephemeral"))
			add_beyond(b, str_printf(b->arena, "the volume '%.*s', which is created for each pod",
				STR_ARG(text_line(b->arena, status_text(v, "name")))));
	}
}

/* Anti-affinity of pods that exist and that look at other namespaces than their own. */
static void look_at_others(struct beyond *b)
{
	for (size_t i = 0; i < b->cluster->npods; i++) {
		const struct fit_pod *p = &b->cluster->pods[i];
		const struct data *away = p->guarded ? fit_anti_terms(p->spec) : NULL;
		for (size_t k = 0; away && k < away->u.list.n; k++)
			if (looks_elsewhere(away->u.list.at[k]))
				add_beyond(b, str_printf(b->arena,
					"anti-affinity of pod %.*s/%.*s to pods of other namespaces",
					STR_ARG(text_line(b->arena, p->ns)), STR_ARG(text_line(b->arena, p->name))));
	}
}

struct str fit_beyond(struct arena *a, const struct fit_cluster *c, const struct fit_job *job)
{
	struct beyond b = { .arena = a, .cluster = c, .job = job };

	for (size_t i = 0; i < job->n; i++) {
		const struct data *spec = job->shapes[i].spec;
		look_at_spread(&b, spec);
		look_at_affinity(&b, &job->shapes[i]);
		look_at_volumes(&b, spec);
		if (status_list(spec, "resourceClaims")->u.list.n)
			add_beyond(&b, STR("resource claims (dynamic resource allocation)"));
		if (status_list(spec, "schedulingGates")->u.list.n)
			add_beyond(&b, STR("scheduling gates"));
	}
	look_at_others(&b);
	struct str text = buf_take(&b.text, a);
	buf_release(&b.text);
	return text;
}
