/*
 * eval_layout.c - the value of ROLE.layout: how the ranks of a role are divided. The program writes some degrees; `dp`
 * is what remains of the ranks, as in Megatron. Reports degrees that cannot be (TJ0640 to TJ0644).
 */
#include "diag/suggest.h"
#include "eval/internal.h"
#include "eval/job.h"
#include "syntax/help/foreign.h"

enum { MOST_RANKS = 1 << 20 };          /* larger lists of ranks are not made */

static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t common_divisor(int64_t a, int64_t b) { return b ? common_divisor(b, a % b) : a; }

/* The product; INT64_MAX if it is too large, which divides nothing. */
static int64_t times(int64_t a, int64_t b)
{
	int64_t n;

	return __builtin_mul_overflow(a, b, &n) ? INT64_MAX : n;
}

/* ---- what the program writes ---- */

static const struct value *layout_value(struct eval *ev, struct role *r, const char *name)
{
	const struct value *v = role_field(ev, r, FIELD_LAYOUT);
	const struct value *n = v->kind == VALUE_MAP ? value_get(v, str_of(name)) : NULL;

	return n && n->kind != VALUE_NONE ? n : NULL;
}

/* The degree that the program writes for D; 0 if it writes none. */
static int64_t written_degree(struct eval *ev, struct role *r, enum plan_dimension d)
{
	const struct value *v = layout_value(ev, r, plan_dimension_name(d));

	return v && v->kind == VALUE_INT ? v->u.integer : 0;
}

/* The degree of a dimension that needs no ranks: one that is written, or has a default. */
static int64_t own_degree(struct eval *ev, struct role *r, enum plan_dimension d)
{
	int64_t n = written_degree(ev, r, d);

	return n || d != DIMENSION_ETP ? most(n, 1) : own_degree(ev, r, DIMENSION_TP);
}

struct span role_layout_at(struct eval *ev, struct role *r, enum plan_dimension d)
{
	const struct value *v = layout_value(ev, r, plan_dimension_name(d));

	return v && span_known(v->from) ? v->from : role_field_at(ev, r, FIELD_LAYOUT);
}

static struct str own_order(struct eval *ev, struct role *r)
{
	const struct value *v = layout_value(ev, r, "order");

	return v && v->kind == VALUE_STRING ? v->u.string : STR("tp-cp-fsdp-dp-pp");
}

/* ---- the ranks ---- */

struct ranks {
	int64_t replicas, each;         /* number of replicas, and of ranks of each */
	const char *word;               /* what a rank is */
};

/* A rank is a device of a replica, else one of its processes, else the replica itself. */
static bool ranks_of(struct eval *ev, struct role *r, struct ranks *ret)
{
	const struct value *device = role_field(ev, r, FIELD_ACCELERATOR);
	const struct value *processes = r->aux ? &value_none : role_field(ev, r, FIELD_PROCESSES);
	int64_t least;

	*ret = (struct ranks){ .each = 1, .word = "replica" };
	if (device->kind == VALUE_BAD || !role_replicas(ev, r, &least, &ret->replicas))
		return false;
	if (device->kind == VALUE_ACCELERATOR) {
		ret->each = device->u.accelerator->per_pod;
		ret->word = "device";
	} else if (processes->kind == VALUE_INT) {
		ret->each = processes->u.integer;
		ret->word = "process";
	}
	return ret->replicas > 0 && ret->each > 0;
}

static struct str ranks_text(struct eval *ev, const struct ranks *n)
{
	int64_t all = n->replicas * n->each;
	const char *end = all == 1 ? "" : str_is(str_of(n->word), "process") ? "es" : "s";

	return str_printf(ev->arena, "%lld %s%s", (long long)all, n->word, end);
}

/* ---- the order (TJ0644) ---- */

/* The next name of the order, which is removed from *REST. */
static struct str next_name(struct str *rest)
{
	const char *dash = memchr(rest->p, '-', rest->n);
	struct str name = { rest->p, dash ? (size_t)(dash - rest->p) : rest->n };
	size_t skip = name.n + (dash != NULL);

	*rest = (struct str){ rest->p + skip, rest->n - skip };
	return name;
}

/* Can a name be in `order`? `ep` after `tp` or `cp` is Megatron's spelling, and says nothing more. */
static bool can_order(enum plan_dimension d) { return d <= DIMENSION_EP; }

/* The dimension that frameworks call NAME, or that is near to it; DIMENSIONS if none is. */
static enum plan_dimension meant_dimension(struct str name)
{
	const char *other = foreign_dimension(name);
	enum plan_dimension d = plan_dimension_find(other ? str_of(other) : name);

	for (enum plan_dimension k = DIMENSION_TP; k <= DIMENSION_PP && d == DIMENSIONS && name.n > 1; k++)
		if (edit_distance(name, str_of(plan_dimension_name(k))) == 1)
			d = k;
	return d;
}

/* An order with all that L needs: the valid names of ORDER, then the missing ones before a last pp. */
static struct str whole_order(struct eval *ev, const struct plan_layout *l, struct str order)
{
	struct buf out = { 0 };
	bool have[DIMENSIONS] = { 0 }, last = str_ends(order, STR("pp"));

	for (struct str rest = order; rest.n;) {
		enum plan_dimension d = meant_dimension(next_name(&rest));
		if (d > DIMENSION_PP || have[d] || (d == DIMENSION_PP && last))
			continue;
		have[d] = true;
		buf_printf(&out, "%s%s", out.n ? "-" : "", plan_dimension_name(d));
	}
	for (enum plan_dimension d = DIMENSION_TP; d <= DIMENSION_PP; d++)
		if (!have[d] && (plan_layout_degree(l, d) > 1 || (d == DIMENSION_PP && last)))
			buf_printf(&out, "%s%s", out.n ? "-" : "", plan_dimension_name(d));
	struct str s = buf_take(&out, ev->arena);
	buf_release(&out);
	return s;
}

static struct span order_at(struct eval *ev, struct role *r)
{
	const struct value *v = layout_value(ev, r, "order");

	return v && span_known(v->from) ? v->from : role_field_at(ev, r, FIELD_LAYOUT);
}

static bool has_experts(const struct plan_layout *l) { return l->ep > 1 || l->etp != l->tp; }

static bool order_is_wrong(struct eval *ev, struct role *r, const struct plan_layout *l, const char *what,
	struct str name)
{
	struct str order = whole_order(ev, l, str_is(name, "dp") && has_experts(l) ? STR("pp") : l->order);
	struct diag *d = diag_report(ev->diags, TJ0644, order_at(ev, r), "'%.*s' %s the order '%.*s'", STR_ARG(name),
		what, STR_ARG(l->order));

	diag_help(ev->diags, d, "write order = \"%.*s\": the innermost dimension is the first, and those above 1 are "
		"all there", STR_ARG(order.n ? order : STR("tp-cp-fsdp-dp-pp")));
	return false;
}

static bool test_order(struct eval *ev, struct role *r, const struct plan_layout *l)
{
	bool have[DIMENSIONS] = { 0 };
	enum plan_dimension before = DIMENSIONS;

	for (struct str rest = l->order; rest.n;) {
		struct str name = next_name(&rest);
		enum plan_dimension d = plan_dimension_find(name);
		if (d == DIMENSIONS || !can_order(d))
			return order_is_wrong(ev, r, l, "is not a dimension that can be in", name);
		if (have[d])
			return order_is_wrong(ev, r, l, "is twice in", name);
		if (d == DIMENSION_EP && ((before != DIMENSION_TP && before != DIMENSION_CP) || !have[DIMENSION_TP]))
			return order_is_wrong(ev, r, l, "does not follow tp or tp-cp in", name);
		if (d == DIMENSION_TP && have[DIMENSION_DP] && l->dp > 1 && has_experts(l))
			return order_is_wrong(ev, r, l, "is inside of tp, and so of the experts, in", STR("dp"));
		have[d] = true;
		before = d;
	}
	for (enum plan_dimension d = DIMENSION_TP; d <= DIMENSION_PP; d++)
		if (!have[d] && plan_layout_degree(l, d) > 1)
			return order_is_wrong(ev, r, l, "is missing in", str_of(plan_dimension_name(d)));
	return true;
}

/* ---- the number of ranks (TJ0640, TJ0643) ---- */

/* The product of the degrees that make one model, and with DP that of all copies: "tp 8 * pp 4 = 32". */
static struct str product_text(struct eval *ev, const struct plan_layout *l, int64_t dp)
{
	const struct { const char *name; int64_t n; } parts[] = { { "tp", l->tp }, { "cp", l->cp }, { "fsdp", l->fsdp },
		{ "pp", l->pp }, { "dp", dp } };
	struct buf out = { 0 };
	int64_t product = 1;
	unsigned n = 0;

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		if (parts[i].n < 2)
			continue;
		buf_printf(&out, "%s%s %lld", n++ ? " * " : "", parts[i].name, (long long)parts[i].n);
		product = times(product, parts[i].n);
	}
	if (n != 1)
		buf_printf(&out, n ? " = %lld" : "%lld", (long long)product);
	struct str s = buf_take(&out, ev->arena);
	buf_release(&out);
	return s;
}

static bool divides(int64_t a, int64_t b) { return a % b == 0 || b % a == 0; }

/* Adds the help for a tp whose groups would not divide among hosts, however many there are; false if they would. */
static bool help_tp(struct eval *ev, struct diag *d, const struct plan_layout *l, const struct ranks *n, int64_t model)
{
	int64_t tp = l->tp;

	if (divides(l->tp, n->each))
		return false;
	while (n->each % tp || l->size % (model / l->tp * tp))
		tp--;
	diag_help(ev->diags, d, "write tp = %lld: groups of %lld do not divide among hosts of %lld, either",
		(long long)tp, (long long)l->tp, (long long)n->each);
	return true;
}

/* Adds the help that proposes another number of replicas, of which UNIT have whole models. */
static void help_replicas(struct eval *ev, struct diag *d, struct role *r, const struct ranks *n, int64_t unit)
{
	const struct plan_accelerator *acc = role_accelerator(ev, r);
	int64_t below = n->replicas / unit * unit;

	if (!acc && n->each == 1 && role_field_level(ev, r, FIELD_LAYOUT) > LEVEL_ROLE)
		diag_help(ev->diags, d, "'%.*s' has no devices: write the layout into the roles that have them",
			STR_ARG(r->name));
	else if (acc && acc->pods > 1)
		diag_help(ev->diags, d, "the accelerator has %lld hosts: choose degrees whose product divides %lld",
			(long long)n->replicas, (long long)(n->replicas * n->each));
	else if (unit > 100000)
		diag_help(ev->diags, d, "choose degrees whose product divides %lld",
			(long long)(n->replicas * n->each));
	else if (below)
		diag_help(ev->diags, d, "write replicas = %lld or replicas = %lld", (long long)below,
			(long long)(below + unit));
	else
		diag_help(ev->diags, d, "write replicas = %lld", (long long)unit);
}

/* Adds the help for ranks that are not a whole number of models. */
static void help_size(struct eval *ev, struct diag *d, struct role *r, const struct plan_layout *l,
	const struct ranks *n)
{
	int64_t model = times(times(l->tp, l->cp), times(l->fsdp, l->pp));

	diag_note(ev->diags, d, role_field_at(ev, r, FIELD_LAYOUT), "the layout is here");
	if (l->size % (model / l->tp) || !help_tp(ev, d, l, n, model))
		help_replicas(ev, d, r, n, model / common_divisor(model, n->each));
}

/* Sets dp and size, or reports that the ranks are not a whole number of models. */
static bool set_size(struct eval *ev, struct role *r, struct plan_layout *l, const struct ranks *n)
{
	int64_t model = times(times(l->tp, l->cp), times(l->fsdp, l->pp)), dp = written_degree(ev, r, DIMENSION_DP);
	int64_t unit = model / common_divisor(model, n->each);
	struct str text;

	l->each = n->each;
	l->size = n->replicas * n->each;
	l->dp = l->size / model;
	if (role_is_elastic(ev, r) && unit > 1) {
		struct diag *d = diag_report(ev->diags, TJ0643, role_field_at(ev, r, FIELD_REPLICAS),
			"replicas of '%.*s' come one by one, but one model takes %lld of them", STR_ARG(r->name),
			(long long)unit);
		diag_note(ev->diags, d, role_field_at(ev, r, FIELD_LAYOUT), "%.*s",
			STR_ARG(product_text(ev, l, 1)));
		diag_help(ev->diags, d, "write a fixed number: replicas = %lld",
			(long long)most(n->replicas / unit * unit, unit));
		return false;
	}
	if (dp ? times(model, dp) != l->size : l->size % model != 0) {
		struct str all = ranks_text(ev, n);
		text = product_text(ev, l, dp);
		struct diag *d = !dp ? diag_report(ev->diags, TJ0640, role_field_at(ev, r, FIELD_REPLICAS),
			"%.*s %s not a whole number of models of %.*s", STR_ARG(all), l->size == 1 ? "is" : "are",
			STR_ARG(text)) :
			diag_report(ev->diags, TJ0640, role_layout_at(ev, r, DIMENSION_DP),
			"%.*s, but there are %.*s: %lld in each of %lld replicas", STR_ARG(text), STR_ARG(all),
			(long long)n->each, (long long)n->replicas);
		int64_t wanted = times(model, most(dp, 1));
		if (dp && wanted % n->each == 0 && wanted / n->each <= 100000)
			diag_help(ev->diags, d, "write replicas = %lld, or leave 'dp' out: it is what remains",
				(long long)(wanted / n->each));
		else
			help_size(ev, d, r, l, n);
		return false;
	}
	return true;
}

/* ---- groups and hosts (TJ0641) ---- */

/* Reports a group of D that is spread over parts of hosts. */
static bool test_hosts(struct eval *ev, struct role *r, const struct plan_layout *l, enum plan_dimension d,
	struct span at)
{
	int64_t extent = plan_layout_extent(l, d), n = plan_layout_degree(l, d), fits = l->each;

	if (n == 1 || divides(extent, l->each))
		return true;
	while (fits > 1 && (fits > extent || l->each % fits))
		fits--;
	struct diag *g = n == extent ?
		diag_report(ev->diags, TJ0641, at, "a %s group of %lld does not divide among hosts of %lld",
			plan_dimension_name(d), (long long)n, (long long)l->each) :
		diag_report(ev->diags, TJ0641, at,
			"%s groups reach over %lld ranks, which do not divide among hosts of %lld",
			plan_dimension_name(d), (long long)extent, (long long)l->each);
	diag_note(ev->diags, g, role_layout_at(ev, r, d), "%s = %lld", plan_dimension_name(d), (long long)n);
	if (n == extent)
		diag_help(ev->diags, g, "write %s = %lld or %s = %lld", plan_dimension_name(d), (long long)fits,
			plan_dimension_name(d), (long long)((extent + l->each - 1) / l->each * l->each));
	else
		diag_help(ev->diags, g, "choose degrees whose product up to %s divides %lld, or is a multiple of it",
			plan_dimension_name(d), (long long)l->each);
	return false;
}

/* ---- experts (TJ0642) ---- */

static void help_experts(struct eval *ev, struct diag *d, const struct plan_layout *l, int64_t within)
{
	int64_t etp = common_divisor(within, l->etp), ep = l->ep;

	while (within / etp % ep)
		ep--;
	if (etp == l->etp)
		diag_help(ev->diags, d, "write ep = %lld", (long long)ep);
	else
		diag_help(ev->diags, d, "write etp = %lld and ep = %lld", (long long)etp, (long long)ep);
}

/*
 * The number of ranks inside of pp if experts are in the order: etp at tp, edp at dp, and ep where it is written, or at
 * cp. The stages of both are the same ranks if this is also the number of the other dimensions inside of pp.
 */
static int64_t experts_inside(const struct plan_layout *l, int64_t edp)
{
	bool spelt = false;
	int64_t n = 1;

	for (struct str rest = l->order; rest.n;)
		spelt = str_is(next_name(&rest), "ep") || spelt;
	for (struct str rest = l->order; rest.n;) {
		enum plan_dimension d = plan_dimension_find(next_name(&rest));
		if (d == DIMENSION_PP)
			break;
		n *= d == DIMENSION_TP ? l->etp : d == DIMENSION_DP ? edp :
			d == (spelt ? DIMENSION_EP : DIMENSION_CP) ? l->ep : 1;
	}
	return n;
}

/* Reports that pp divides experts into other stages than the rest (TJ0642). */
static void report_stages(struct eval *ev, struct role *r, const struct plan_layout *l, struct span at)
{
	struct diag *d = diag_report(ev->diags, TJ0642, at,
		"with order %.*s the stages of experts and of the rest differ", STR_ARG(l->order));
	struct str order = STR("");

	for (struct str rest = l->order; rest.n;) {
		struct str name = next_name(&rest);
		if (!str_is(name, "pp"))
			order = str_printf(ev->arena, "%.*s%.*s-", STR_ARG(order), STR_ARG(name));
	}
	order = whole_order(ev, l, str_printf(ev->arena, "%.*spp", STR_ARG(order)));
	diag_note(ev->diags, d, order_at(ev, r), "the order is here");
	diag_help(ev->diags, d, "write order = \"%.*s\"", STR_ARG(order));
}

static bool set_experts(struct eval *ev, struct role *r, struct plan_layout *l)
{
	int64_t n = times(l->etp, l->ep), stage = l->size / l->pp, shard = l->tp * l->cp * l->fsdp;
	bool is_ep = l->ep > 1 && written_degree(ev, r, DIMENSION_EP);
	struct span at = role_layout_at(ev, r, is_ep ? DIMENSION_EP : DIMENSION_ETP);
	int64_t inside = plan_layout_extent(l, DIMENSION_PP) / l->pp;

	if (stage % n || (l->fsdp > 1 && shard % n)) {
		bool whole = stage % n != 0;
		struct diag *d = diag_report(ev->diags, TJ0642, at,
			"etp %lld * ep %lld = %lld does not divide the %lld ranks of %s", (long long)l->etp,
			(long long)l->ep, (long long)n, (long long)(whole ? stage : shard),
			whole ? "a stage" : "a group that shares parameters");
		help_experts(ev, d, l, l->fsdp > 1 ? common_divisor(stage, shard) : stage);
		return false;
	}
	if (has_experts(l) && l->pp > 1 && inside * l->pp < l->size && experts_inside(l, stage / n) != inside) {
		report_stages(ev, r, l, at);
		return false;
	}
	l->edp = stage / n;
	return true;
}

/* ---- the whole layout ---- */

static bool make_layout(struct eval *ev, struct role *r, struct plan_layout *l)
{
	struct ranks n;
	const struct value *v = role_field(ev, r, FIELD_LAYOUT);

	*l = (struct plan_layout){ .tp = own_degree(ev, r, DIMENSION_TP), .cp = own_degree(ev, r, DIMENSION_CP),
		.fsdp = own_degree(ev, r, DIMENSION_FSDP), .pp = own_degree(ev, r, DIMENSION_PP), .dp = 1,
		.ep = own_degree(ev, r, DIMENSION_EP), .etp = own_degree(ev, r, DIMENSION_ETP), .edp = 1,
		.order = own_order(ev, r), .from = role_field_at(ev, r, FIELD_LAYOUT) };
	if (v->kind == VALUE_BAD || !ranks_of(ev, r, &n))
		return false;
	return set_size(ev, r, l, &n) && test_order(ev, r, l) && test_hosts(ev, r, l, DIMENSION_TP,
		role_layout_at(ev, r, DIMENSION_TP)) && set_experts(ev, r, l);
}

const struct plan_layout *role_layout(struct eval *ev, struct role *r)
{
	if (!r->laid_out) {
		struct plan_layout *l = ARENA_NEW(ev->arena, struct plan_layout);
		bool ok = make_layout(ev, r, l);
		r->layout = ok ? l : NULL;
		r->laid_out = true;
	}
	return r->layout;
}

/* ---- members ---- */

/* The value of a member; false if NAME is none or the layout could not be computed. */
static bool layout_number(struct eval *ev, struct role *r, struct str name, int64_t *ret)
{
	enum plan_dimension d = plan_dimension_find(name);

	if (role_field(ev, r, FIELD_LAYOUT)->kind == VALUE_BAD)
		return false;
	if (d < DIMENSIONS && d != DIMENSION_DP && d != DIMENSION_EDP) {
		*ret = own_degree(ev, r, d);
		return true;
	}
	const struct plan_layout *l = role_layout(ev, r);
	if (l)
		*ret = d == DIMENSIONS ? l->size : plan_layout_degree(l, d);
	return l != NULL;
}

const struct value *layout_member(struct eval *ev, struct role *r, struct str name, struct node *at)
{
	struct reads *reads = ev->reads;
	enum plan_dimension d = plan_dimension_find(name);
	int64_t n;

	if (str_is(name, "order"))
		return value_string(ev->arena, own_order(ev, r), at->span);
	ev->reads = NULL;               /* a check reports the member and not all that it was computed from */
	bool ok = layout_number(ev, r, name, &n);
	ev->reads = reads;
	if (!ok)
		return &value_bad;
	const struct value *v = value_int(ev->arena, n, at->span);
	if (ev->reads || ev->running)
		eval_read(ev, d < DIMENSIONS ? role_layout_at(ev, r, d) : role_field_at(ev, r, FIELD_REPLICAS),
			str_cat(eval_work(ev), r->name, STR(".layout."), name), v);
	return v;
}

/* The dimension that a function of the layout names; reports a name that is none (TJ0644). */
static enum plan_dimension named_dimension(struct eval *ev, struct str name, struct span at)
{
	enum plan_dimension d = plan_dimension_find(name);
	struct suggest s;

	if (d < DIMENSIONS)
		return d;
	struct diag *g = diag_report(ev->diags, TJ0644, at, "a layout has no dimension '%.*s'", STR_ARG(name));
	suggest_init(&s, ev->arena, name);
	for (enum plan_dimension k = DIMENSION_TP; k < DIMENSIONS; k++)
		suggest_add(&s, str_of(plan_dimension_name(k)));
	diag_help(ev->diags, g, "%.*s", STR_ARG(suggest_or_list(&s, "its dimensions are")));
	return DIMENSIONS;
}

/* The groups of D, by their first rank. */
static const struct value *groups(struct eval *ev, const struct plan_layout *l, enum plan_dimension d, struct span at)
{
	int64_t degree = plan_layout_degree(l, d);
	struct value *list = value_new(ev->arena, VALUE_LIST, at);

	if (l->size > MOST_RANKS) {
		struct diag *g = diag_report(ev->diags, TJ0313, at, "a list of all %lld ranks is too long",
			(long long)l->size);
		diag_help(ev->diags, g, "compute the group of a rank from the degrees of the layout");
		return &value_bad;
	}
	list->u.list.at = ARENA_ARRAY(ev->arena, const struct value *, (size_t)(l->size / degree));
	for (int64_t r = 0; r < l->size; r++) {
		if (plan_layout_position(l, d, r))
			continue;
		struct value *group = value_new(ev->arena, VALUE_LIST, at);
		group->u.list.at = ARENA_ARRAY(ev->arena, const struct value *, (size_t)degree);
		for (int64_t i = 0; i < degree; i++)
			group->u.list.at[group->u.list.n++] = value_int(ev->arena, plan_layout_rank(l, d, r, i), at);
		list->u.list.at[list->u.list.n++] = group;
	}
	return value_list(ev->arena, list->u.list.at, list->u.list.n, at);
}

int64_t role_layout_hosts(struct eval *ev, struct role *r, struct str dimension, struct span at)
{
	enum plan_dimension d = named_dimension(ev, dimension, at);
	const struct plan_layout *l = d < DIMENSIONS ? role_layout(ev, r) : NULL;

	if (!l || !test_hosts(ev, r, l, d, at))
		return 0;
	return most(plan_layout_extent(l, d) / l->each, 1);
}

const struct value *layout_method(struct eval *ev, struct role *r, struct str name, const struct value *dimension,
	struct node *call)
{
	if (dimension->kind != VALUE_STRING)
		return &value_bad;
	if (str_is(name, "hosts")) {
		int64_t n = role_layout_hosts(ev, r, dimension->u.string, call->span);
		return n ? value_int(ev->arena, n, call->span) : &value_bad;
	}
	enum plan_dimension d = named_dimension(ev, dimension->u.string, call->span);
	const struct plan_layout *l = d < DIMENSIONS ? role_layout(ev, r) : NULL;
	return l ? groups(ev, l, d, call->span) : &value_bad;
}
