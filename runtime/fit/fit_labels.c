/*
 * fit_labels.c - says which labels the pods of a shape ask for that no node has, and what the nodes have instead.
 */
#include "runtime/fit/fit.h"
#include "runtime/status/look.h"

enum { SHOWN_VALUES = 4 };

static struct str node_label(const struct fit_node *n, struct str key)
{
	const struct data *d = n->labels && n->labels->kind == DATA_MAP ? data_get(n->labels, key) : NULL;

	return d && d->kind == DATA_STRING ? d->u.string : STR("");
}

/* Appends the values of a label with the number of nodes that have each, the most frequent first: "a (3), b (2)". */
static size_t put_values(const struct fit_cluster *c, struct str key, struct buf *out)
{
	struct seen { struct str value; size_t nodes; } *seen = ARENA_ARRAY(c->arena, struct seen, c->nnodes + 1);
	size_t n = 0, shown = 0;

	for (size_t i = 0; i < c->nnodes; i++) {
		struct str value = node_label(&c->nodes[i], key);
		size_t k = 0;
		while (k < n && !str_eq(seen[k].value, value))
			k++;
		if (!value.n || (k == n && n > c->nnodes))
			continue;
		n += k == n;
		seen[k] = (struct seen){ value, seen[k].nodes + 1 };
	}
	for (; shown < n && shown < SHOWN_VALUES; shown++) {
		size_t most = shown;
		for (size_t k = shown + 1; k < n; k++)
			most = seen[k].nodes > seen[most].nodes ? k : most;
		struct seen x = seen[most];
		seen[most] = seen[shown];
		seen[shown] = x;
		buf_printf(out, "%s%.*s (%zu)", shown ? ", " : "", STR_ARG(text_line(c->arena, x.value)), x.nodes);
	}
	if (n > shown)
		buf_printf(out, " and %zu more", n - shown);
	return n;
}

static bool is_on_nodes(const struct fit_cluster *c, struct str key)
{
	for (size_t i = 0; i < c->nnodes; i++)
		if (node_label(&c->nodes[i], key).n)
			return true;
	return false;
}

static bool lists_label(const struct fit_hint *h, const char *label)
{
	for (size_t i = 0; h->labels[i]; i++)
		if (str_is(str_of(h->labels[i]), label))
			return true;
	return false;
}

/* Does another provider list the label, too, and not the second one? Then nodes that have it may be that provider's. */
static bool is_shared(const struct fit_cluster *c, const struct fit_hint *of, const char *label)
{
	for (const struct fit_hint *h = c->hints; h->name; h++)
		if (h != of && lists_label(h, label) && !(of->labels[1] && lists_label(h, of->labels[1])))
			return true;
	return false;
}

/* Is the label one by which some provider's nodes name their devices? */
static bool is_known(const struct fit_cluster *c, struct str label)
{
	for (const struct fit_hint *h = c->hints; h->name; h++)
		if (str_is(label, h->labels[0]))
			return true;
	return false;
}

/* Names the provider whose labels the nodes have, and the values of its first label. */
static void put_hints(const struct fit_cluster *c, struct str missing, struct buf *out)
{
	struct buf values = { 0 };

	if (!c->hints || !is_known(c, missing))
		return;
	for (const struct fit_hint *h = c->hints; h->name; h++) {
		bool found = false;
		for (size_t i = 0; h->labels[i] && !found; i++)
			found = !str_is(missing, h->labels[i]) && !is_shared(c, h, h->labels[i]) &&
				is_on_nodes(c, str_of(h->labels[i]));
		if (!found)
			continue;
		if (put_values(c, str_of(h->labels[0]), &values))
			buf_printf(out, "; nodes have %s: %.*s", h->labels[0], STR_ARG(buf_text(&values)));
		buf_printf(out, "; their labels are chosen by 'nodes = \"%s\"' in project.tj", h->name);
		break;
	}
	buf_release(&values);
}

/* Says that no node has one of VALUES for the label, if that is so. */
static bool put_missing(const struct fit_cluster *c, struct str key, const struct str *values, size_t n, bool device,
	struct buf *out)
{
	struct buf have = { 0 };

	for (size_t i = 0; i < c->nnodes; i++)
		for (size_t k = 0; k < n; k++)
			if (str_eq(node_label(&c->nodes[i], key), values[k]))
				return false;
	struct str shown = text_line(c->arena, key);
	buf_printf(out, "; no node has %.*s = ", STR_ARG(shown));
	for (size_t k = 0; k < n; k++)
		buf_printf(out, "%s%.*s", k ? " or " : "", STR_ARG(text_line(c->arena, values[k])));
	if (put_values(c, key, &have))
		buf_printf(out, "; nodes have %.*s: %.*s", STR_ARG(shown), STR_ARG(buf_text(&have)));
	else if (device)
		put_hints(c, key, out);
	buf_release(&have);
	return true;
}

/* The texts of a list, joined by " or ". */
static struct str joined_or(const struct fit_cluster *c, const struct data *list)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < list->u.list.n; i++)
		if (list->u.list.at[i]->kind == DATA_STRING)
			buf_printf(&b, "%s%.*s", b.n ? " or " : "", STR_ARG(text_line(c->arena,
				list->u.list.at[i]->u.string)));
	struct str ret = buf_take(&b, c->arena);
	buf_release(&b);
	return ret;
}

static size_t nodes_with(const struct fit_cluster *c, const struct data *e)
{
	size_t n = 0;

	for (size_t i = 0; i < c->nnodes; i++)
		n += fit_expression(e, c->nodes[i].labels);
	return n;
}

/* Says that no node is as an expression of the node affinity asks, if that is so. */
static bool put_expression(const struct fit_cluster *c, const struct data *e, bool device, struct buf *out)
{
	const struct data *list = status_list(e, "values");
	struct str *values = ARENA_ARRAY(c->arena, struct str, list->u.list.n + 1), op = status_text(e, "operator"),
		key = status_text(e, "key"), shown = text_line(c->arena, key);
	size_t n = 0;

	for (size_t i = 0; i < list->u.list.n; i++)
		if (list->u.list.at[i]->kind == DATA_STRING)
			values[n++] = list->u.list.at[i]->u.string;
	if (str_is(op, "In"))
		return n && put_missing(c, key, values, n, device, out);
	if (nodes_with(c, e) || str_is(op, "Gt") || str_is(op, "Lt"))
		return false;
	if (str_is(op, "Exists")) {
		buf_printf(out, "; no node has the label %.*s", STR_ARG(shown));
		return true;
	}
	buf_printf(out, "; every node has the label %.*s", STR_ARG(shown));
	if (n)
		buf_printf(out, " = %.*s", STR_ARG(joined_or(c, list)));
	buf_z(out, ": ");
	put_values(c, key, out);
	return true;
}

/* One expression as part of a list: "pool = a (3 nodes)", "without spot (1 node)". */
static void put_part(const struct fit_cluster *c, const struct data *e, bool first, struct buf *out)
{
	struct str op = status_text(e, "operator"), values = joined_or(c, status_list(e, "values"));
	bool without = str_is(op, "NotIn") || str_is(op, "DoesNotExist");
	size_t n = nodes_with(c, e);

	buf_printf(out, "%s%s%.*s", first ? "" : ", ", without ? "without " : "",
		STR_ARG(text_line(c->arena, status_text(e, "key"))));
	if (values.n)
		buf_printf(out, " %s %.*s", str_is(op, "Gt") ? ">" : str_is(op, "Lt") ? "<" : "=", STR_ARG(values));
	buf_printf(out, " (%zu %s)", n, n == 1 ? "node" : "nodes");
}

/* The entries of a nodeSelector as expressions. */
static struct data *selector_expressions(struct arena *a, const struct data *selector)
{
	struct data *all = ARENA_NEW(a, struct data);

	all->kind = DATA_LIST;
	for (size_t i = 0; selector && selector->kind == DATA_MAP && i < selector->u.map.n; i++) {
		struct data *e = ARENA_NEW(a, struct data), *values = ARENA_NEW(a, struct data),
			*texts = ARENA_ARRAY(a, struct data, 2);
		struct data_member *m = ARENA_ARRAY(a, struct data_member, 3);
		values->kind = DATA_LIST;
		values->u.list.at = ARENA_ARRAY(a, const struct data *, 1);
		values->u.list.at[values->u.list.n++] = selector->u.map.at[i].value;
		texts[0] = (struct data){ .kind = DATA_STRING, .u.string = selector->u.map.at[i].key };
		texts[1] = (struct data){ .kind = DATA_STRING, .u.string = STR("In") };
		m[0] = (struct data_member){ .key = STR("key"), .value = &texts[0] };
		m[1] = (struct data_member){ .key = STR("operator"), .value = &texts[1] };
		m[2] = (struct data_member){ .key = STR("values"), .value = values };
		*e = (struct data){ .kind = DATA_MAP, .u.map = { m, 3 } };
		ARENA_PUSH(a, all->u.list.at, all->u.list.n, e);
	}
	return all;
}

/* Says that no node has all labels of TERM together, if each of them is on some node. */
static void put_together(const struct fit_cluster *c, const struct data *term, struct buf *out)
{
	for (size_t i = 0; i < c->nnodes; i++) {
		size_t held = 0;
		while (held < term->u.list.n && fit_expression(term->u.list.at[held], c->nodes[i].labels))
			held++;
		if (held == term->u.list.n)
			return;
	}
	buf_z(out, "; no node is all of this: ");
	for (size_t i = 0; i < term->u.list.n; i++)
		put_part(c, term->u.list.at[i], !i, out);
}

void fit_put_labels(const struct fit_cluster *c, const struct fit_shape *s, struct buf *out)
{
	const struct data *terms = status_list(s->spec,
		"affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms");
	struct data *selector = selector_expressions(c->arena, status_path(s->spec, "nodeSelector"));
	bool device = fit_has_devices(c, s->need);
	size_t before = out->n;

	for (size_t i = 0; i < selector->u.list.n; i++)
		if (put_expression(c, selector->u.list.at[i], device, out))
			return;
	for (size_t i = 0; i < terms->u.list.n; i++) {
		const struct data *all = status_list(terms->u.list.at[i], "matchExpressions");
		for (size_t k = 0; k < all->u.list.n; k++)
			if (put_expression(c, all->u.list.at[k], device, out))
				break;
	}
	if (out->n > before || !c->nnodes || terms->u.list.n > 1)
		return;
	for (size_t i = 0; terms->u.list.n && i < status_list(terms->u.list.at[0], "matchExpressions")->u.list.n; i++)
		ARENA_PUSH(c->arena, selector->u.list.at, selector->u.list.n,
			status_list(terms->u.list.at[0], "matchExpressions")->u.list.at[i]);
	if (selector->u.list.n > 1)
		put_together(c, selector, out);
}
