/*
 * rules_nodes.c - rules about the labels by which nodes say which accelerator they have: the project's `nodes` (TJ0312,
 * TJ0206), an accelerator without labels for these nodes (TJ0629), and `node` against the accelerator (TJ0616).
 */
#include "lower/lower.h"
#include "lower/lower_rules.h"

#include "eval/site.h"
#include "syntax/help/foreign.h"

/* ---- the project's nodes ---- */

static void report_site(struct eval *ev, const struct project_site *site)
{
	struct diag *d = site_unknown(ev, site->name, site->at);
	struct buf names = { 0 };

	if (foreign_value(STR("nodes"), site->name))
		return;                 /* the help says already what to write */
	for (const struct stdlib_site *known = stdlib_sites(); known->name; known++)
		buf_printf(&names, "%s\"%s\"", known == stdlib_sites() ? "" : known[1].name ? ", " : " or ",
			known->name);
	struct str all = buf_take(&names, ev->arena);
	buf_release(&names);
	diag_help(ev->diags, d, "write %.*s; or none, and the label of your nodes in each role: node { "
		"\"example.com/gpu\" = \"h100\" }", STR_ARG(all));
}

void lower_sites(struct eval *ev)
{
	const struct project *p = &ev->program->project;

	for (size_t i = 0; i < p->nsites; i++) {
		if (!site_find(p->sites[i].name))
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

/* The names in the project's `nodes`, with BETWEEN between them. */
static struct str site_names(struct job *j, const char *between)
{
	const struct project *p = &j->ev->program->project;
	struct buf out = { 0 };

	for (size_t i = 0; i < p->nsites; i++)
		buf_printf(&out, "%s\"%.*s\"", i ? between : "", STR_ARG(p->sites[i].name));
	struct str text = buf_take(&out, j->ev->arena);
	buf_release(&out);
	return text;
}

static void unlabelled(struct job *j, const struct plan_role *r)
{
	const struct project *p = &j->ev->program->project;
	const struct plan_accelerator *acc = r->accelerator;
	const struct stdlib_site *site = site_find(p->sites[0].name);
	struct str names = site_names(j, " or ");

	for (size_t i = 0; i < p->nsites; i++)
		if (!site_find(p->sites[i].name))
			return;                 /* reported already */
	struct diag *d = diag_report(job_diags(j), TJ0629, acc->from,
		"no label is known by which nodes of %.*s say that they have '%.*s'", STR_ARG(names),
		STR_ARG(acc->name));
	diag_note(job_diags(j), d, p->sites[0].at, "the nodes of the project");
	if (acc->slice.set) {           /* neither one label nor none finds a slice */
		diag_help(job_diags(j), d, "its nodes are known on \"%.*s\": write nodes = [%.*s, \"%.*s\"] in "
			"project.tj if the cluster has them", STR_ARG(acc->known_on), STR_ARG(site_names(j, ", ")),
			STR_ARG(acc->known_on));
		return;
	}
	diag_help(job_diags(j), d, "if there are such nodes, write the label that they have into the role: node { "
		"\"%s\" = \"...\" }", site->labels[0]);
	diag_help(job_diags(j), d, "with 'nodes = none' in project.tj, accelerators choose no product; 'trainc explain "
		"%.*s' lists the labels that are known", STR_ARG(acc->name));
}

/* ---- `node` against the accelerator (TJ0616) ---- */

/* Do all ways to find the device that have the label KEY ask for other values than VALUE? False if none has it. */
static bool differs(const struct plan_accelerator *acc, struct str key, struct str value)
{
	bool named = false;

	for (size_t i = 0; i < acc->nchoices; i++)
		if (str_eq(acc->choices[i].key, key)) {
			if (plan_choice_takes(&acc->choices[i], value))
				return false;
			named = true;
		}
	return named;
}

/* The values that will do for a label: "a or b". */
static struct str values_text(struct job *j, const struct plan_accelerator *acc, struct str key)
{
	struct buf out = { 0 };

	for (size_t i = 0; i < acc->nchoices; i++)
		for (size_t k = 0; str_eq(acc->choices[i].key, key) && k < acc->choices[i].nvalues; k++)
			buf_printf(&out, "%s%.*s", out.n ? " or " : "", STR_ARG(acc->choices[i].values[k].value));
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
		if (differs(acc, mine->key, mine->value))
			report_against(j, r, mine, values_text(j, acc, mine->key), true);
	}
}
