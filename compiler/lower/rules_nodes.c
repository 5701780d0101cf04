/*
 * rules_nodes.c - rules about the labels by which nodes say which accelerator they have: the project's `nodes` (TJ0312,
 * TJ0206), an accelerator without labels for these nodes (TJ0629), and `node` against the accelerator (TJ0616).
 */
#include "lower/lower.h"
#include "lower/rules.h"

#include "diag/suggest.h"

/* ---- the project's nodes ---- */

static const struct stdlib_site *find_site(struct str name)
{
	for (const struct stdlib_site *s = stdlib_sites(); s->name; s++)
		if (str_is(name, s->name))
			return s;
	return NULL;
}

static void report_site(struct eval *ev, const struct project_site *site)
{
	struct diag *d = diag_report(ev->diags, TJ0312, site->at, "no nodes are known as '%.*s'", STR_ARG(site->name));
	struct buf names = { 0 };
	struct suggest s;

	suggest_init(&s, ev->arena, site->name);
	for (const struct stdlib_site *known = stdlib_sites(); known->name; known++) {
		suggest_add(&s, str_of(known->name));
		buf_printf(&names, "%s\"%s\"", known == stdlib_sites() ? "" : known[1].name ? ", " : " or ",
			known->name);
	}
	struct str near = suggest_sentence(&s), all = buf_take(&names, ev->arena);
	buf_release(&names);
	if (near.n)
		diag_help(ev->diags, d, "%.*s", STR_ARG(near));
	diag_help(ev->diags, d, "write %.*s; or none, and the label of your nodes in each role: node { "
		"\"example.com/gpu\" = \"h100\" }", STR_ARG(all));
}

void lower_sites(struct eval *ev)
{
	const struct project *p = &ev->program->project;

	for (size_t i = 0; i < p->nsites; i++) {
		if (!find_site(p->sites[i].name))
			report_site(ev, &p->sites[i]);
		for (size_t k = 0; k < i; k++)
			if (str_eq(p->sites[k].name, p->sites[i].name)) {
				struct diag *d = diag_report(ev->diags, TJ0206, p->sites[i].at,
					"'%.*s' is listed twice in 'nodes'", STR_ARG(p->sites[i].name));
				diag_note(ev->diags, d, p->sites[k].at, "first here");
				diag_help(ev->diags, d, "remove one of them");
				break;
			}
	}
}

/* ---- an accelerator that these nodes do not name (TJ0629) ---- */

static struct str site_names(struct job *j)
{
	const struct project *p = &j->ev->program->project;
	struct buf out = { 0 };

	for (size_t i = 0; i < p->nsites; i++)
		buf_printf(&out, "%s\"%.*s\"", i ? " or " : "", STR_ARG(p->sites[i].name));
	struct str text = buf_take(&out, j->ev->arena);
	buf_release(&out);
	return text;
}

static void unlabelled(struct job *j, const struct plan_role *r)
{
	const struct project *p = &j->ev->program->project;
	const struct plan_accelerator *acc = r->accelerator;
	const struct stdlib_site *site = find_site(p->sites[0].name);
	struct str names = site_names(j);

	for (size_t i = 0; i < p->nsites; i++)
		if (!find_site(p->sites[i].name))
			return;                 /* reported already */
	struct diag *d = diag_report(job_diags(j), TJ0629, acc->from,
		"no label is known by which nodes of %.*s say that they have '%.*s'", STR_ARG(names),
		STR_ARG(acc->name));
	diag_note(job_diags(j), d, p->sites[0].at, "the nodes of the project");
	diag_help(job_diags(j), d, "if there are such nodes, write the label that they have into the role: node { "
		"\"%s\" = \"...\" }", site->labels[0]);
	diag_help(job_diags(j), d, "with 'nodes = none' in project.tj, accelerators choose no product; 'trainc explain "
		"%.*s' lists the labels that are known", STR_ARG(acc->name));
}

/* ---- `node` against the accelerator (TJ0616) ---- */

static bool is_one_of(const struct plan_choice *c, struct str value)
{
	for (size_t i = 0; i < c->nvalues; i++)
		if (str_eq(c->values[i].value, value))
			return true;
	return false;
}

static struct str values_text(struct job *j, const struct plan_choice *c)
{
	struct buf out = { 0 };

	for (size_t i = 0; i < c->nvalues; i++)
		buf_printf(&out, "%s%.*s", i ? " or " : "", STR_ARG(c->values[i].value));
	struct str text = buf_take(&out, j->ev->arena);
	buf_release(&out);
	return text;
}

static void report_against(struct job *j, const struct plan_role *r, const struct plan_pair *mine, struct str theirs,
	bool several)
{
	const struct plan_accelerator *acc = r->accelerator;
	struct diag *d = diag_report(job_diags(j), TJ0616, mine->from, "'node' asks for %.*s, '%.*s' needs %.*s",
		STR_ARG(mine->value), STR_ARG(acc->spelling), STR_ARG(theirs));

	diag_note(job_diags(j), d, acc->from, "the accelerator");
	if (several)
		diag_help(job_diags(j), d, "write one of these values, or remove '%.*s' from 'node': any of them will "
			"do then", STR_ARG(mine->key));
	else
		diag_help(job_diags(j), d, "remove '%.*s' from 'node': the accelerator sets it", STR_ARG(mine->key));
}

/* Compares a label of `node` with the accelerator's choices: with one way, its value must be one of theirs. */
static void against_choices(struct job *j, const struct plan_role *r, const struct plan_pair *mine)
{
	const struct plan_accelerator *acc = r->accelerator;

	if (!acc->nchoices || acc->choices[acc->nchoices - 1].way)
		return;
	for (size_t k = 0; k < acc->nchoices; k++)
		if (str_eq(mine->key, acc->choices[k].key) && !is_one_of(&acc->choices[k], mine->value))
			report_against(j, r, mine, values_text(j, &acc->choices[k]), true);
}

/*
 * Does `node` have a label by which the user may have chosen nodes with the device? Labels of bundles of the library,
 * such as those of std.spot, and Kubernetes' own for processors and places say nothing about devices.
 */
static bool chooses_device(struct job *j, const struct plan_role *r)
{
	for (size_t i = 0; i < r->node.n; i++) {
		const struct plan_pair *mine = &r->node.at[i];
		const struct source *s = span_known(mine->from) ? source_at(j->ev->program->sources, mine->from.start) :
			NULL;
		bool place = str_is(mine->key, "kubernetes.io/arch") || str_is(mine->key, "kubernetes.io/os") ||
			str_starts(mine->key, STR("topology.kubernetes.io/"));
		if (!place && s && !s->library)
			return true;
	}
	return false;
}

void rules_nodes(struct job *j, const struct plan_role *r)
{
	const struct plan_accelerator *acc = r->accelerator;

	if (acc->unlabelled && !chooses_device(j, r))
		unlabelled(j, r);
	for (size_t i = 0; i < r->node.n; i++) {
		const struct plan_pair *mine = &r->node.at[i];
		for (size_t k = 0; k < acc->node.n; k++)
			if (str_eq(mine->key, acc->node.at[k].key) && !str_eq(mine->value, acc->node.at[k].value))
				report_against(j, r, mine, acc->node.at[k].value, false);
		against_choices(j, r, mine);
	}
}
