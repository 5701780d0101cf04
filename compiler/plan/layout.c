/*
 * layout.c - the ranks of a layout: which ranks are a group of a dimension. The dimensions in `order` are digits of the
 * rank, the first one the lowest; experts are digits of a rank's position in its stage of the pipeline: etp, ep, edp.
 */
#include "plan/plan.h"

static const char *const names[DIMENSIONS] = { "tp", "cp", "fsdp", "dp", "pp", "ep", "etp", "edp" };

const char *plan_dimension_name(enum plan_dimension d) { return names[d]; }

enum plan_dimension plan_dimension_find(struct str name)
{
	enum plan_dimension d = DIMENSION_TP;

	while (d < DIMENSIONS && !str_is(name, names[d]))
		d++;
	return d;
}

int64_t plan_layout_degree(const struct plan_layout *l, enum plan_dimension d)
{
	const int64_t degrees[DIMENSIONS] = { l->tp, l->cp, l->fsdp, l->dp, l->pp, l->ep, l->etp, l->edp };

	return degrees[d];
}

static bool of_experts(enum plan_dimension d) { return d == DIMENSION_EP || d == DIMENSION_ETP || d == DIMENSION_EDP; }

/* The distance of two ranks that are neighbors in a group of D: the product of the dimensions inside of it. */
static int64_t stride(const struct plan_layout *l, enum plan_dimension d)
{
	struct str rest = l->order;
	int64_t n = 1;

	while (rest.n) {
		const char *dash = memchr(rest.p, '-', rest.n);
		size_t length = dash ? (size_t)(dash - rest.p) : rest.n;
		enum plan_dimension at = plan_dimension_find((struct str){ rest.p, length });
		size_t skip = length + (dash != NULL);
		if (at == d)
			return n;
		if (at < DIMENSIONS && !of_experts(at))
			n *= plan_layout_degree(l, at);
		rest = (struct str){ rest.p + skip, rest.n - skip };
	}
	return n;
}

/* The extent of a dimension of experts: the number of neighboring positions in a stage that a group takes. */
static int64_t expert_stride(const struct plan_layout *l, enum plan_dimension d)
{
	return d == DIMENSION_ETP ? 1 : d == DIMENSION_EP ? l->etp : l->etp * l->ep;
}

int64_t plan_layout_extent(const struct plan_layout *l, enum plan_dimension d)
{
	if (!of_experts(d))
		return stride(l, d) * plan_layout_degree(l, d);
	int64_t n = expert_stride(l, d) * plan_layout_degree(l, d), inside = stride(l, DIMENSION_PP);
	return inside % n == 0 ? n : l->size;   /* otherwise the ranks of a stage are not consecutive */
}

/* The position of RANK in its stage of the pipeline. */
static int64_t in_stage(const struct plan_layout *l, int64_t rank)
{
	int64_t inside = stride(l, DIMENSION_PP);

	return rank / (inside * l->pp) * inside + rank % inside;
}

/* The rank at POSITION of the stage that RANK is in. */
static int64_t of_stage(const struct plan_layout *l, int64_t rank, int64_t position)
{
	int64_t inside = stride(l, DIMENSION_PP), stage = rank / inside % l->pp;

	return position / inside * (inside * l->pp) + stage * inside + position % inside;
}

int64_t plan_layout_position(const struct plan_layout *l, enum plan_dimension d, int64_t rank)
{
	int64_t n = of_experts(d) ? in_stage(l, rank) / expert_stride(l, d) : rank / stride(l, d);

	return n % plan_layout_degree(l, d);
}

int64_t plan_layout_rank(const struct plan_layout *l, enum plan_dimension d, int64_t rank, int64_t i)
{
	if (of_experts(d))
		return of_stage(l, rank, in_stage(l, rank) + i * expert_stride(l, d));
	return rank + i * stride(l, d);
}

struct str plan_layout_text(struct arena *a, const struct plan_layout *l)
{
	static const enum plan_dimension shown[] = { DIMENSION_TP, DIMENSION_CP, DIMENSION_FSDP, DIMENSION_PP,
		DIMENSION_DP, DIMENSION_EP, DIMENSION_ETP };
	struct buf out = { 0 };

	for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
		int64_t n = plan_layout_degree(l, shown[i]);
		if (n > 1 && (shown[i] != DIMENSION_ETP || l->ep > 1))
			buf_printf(&out, "%s%s %lld", out.n ? ", " : "", names[shown[i]], (long long)n);
	}
	if (!out.n)
		buf_z(&out, "dp 1");
	struct str s = buf_take(&out, a);
	buf_release(&out);
	return s;
}
