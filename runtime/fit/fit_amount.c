/* fit_amount.c - assigns numbers to resources, and reads and prints their amounts. */
#include "base/quantity.h"
#include "runtime/fit/fit.h"

size_t fit_resource(struct fit_resources *r, struct str name)
{
	for (size_t i = 0; i < r->n; i++)
		if (str_eq(r->at[i], name))
			return i;
	if (r->n == FIT_RESOURCES)
		return FIT_RESOURCES;
	r->at[r->n] = name;
	return r->n++;
}

int64_t fit_amount(const struct data *d, bool thousandths)
{
	const int128 unit = thousandths ? 1000000 : 1000000000;
	struct quantity q;

	if (!d)
		return 0;
	if (d->kind == DATA_INT)
		return thousandths ? d->u.integer * 1000 : d->u.integer;
	if (d->kind != DATA_STRING || quantity_parse_full(d->u.string, &q) != QUANTITY_OK)
		return 0;
	int128 n = (q.nano + unit - 1) / unit;
	return n > INT64_MAX / 4 ? INT64_MAX / 4 : (int64_t)n;
}

bool fit_counts_bytes(struct str name)
{
	return str_is(name, "memory") || str_is(name, "ephemeral-storage") || str_starts(name, STR("hugepages-"));
}

bool fit_has_devices(const struct fit_cluster *c, const int64_t *amount)
{
	for (size_t i = FIT_PODS + 1; i < c->resources.n; i++)
		if (amount[i] && !fit_counts_bytes(c->resources.at[i]))
			return true;
	return false;
}

void fit_put_amount(const struct fit_resources *r, size_t resource, int64_t amount, struct buf *out)
{
	static const char *const suffixes[] = { "", "Ki", "Mi", "Gi", "Ti", "Pi" };
	size_t suffix = 0;

	if (resource == FIT_CPU && amount % 1000) {
		buf_printf(out, "%lldm", (long long)amount);
	} else if (resource == FIT_CPU) {
		buf_printf(out, "%lld", (long long)(amount / 1000));
	} else {
		bool bytes = fit_counts_bytes(r->at[resource]);
		while (bytes && suffix + 1 < sizeof suffixes / sizeof *suffixes && amount && amount % 1024 == 0) {
			amount /= 1024;
			suffix++;
		}
		buf_printf(out, "%lld%s", (long long)amount, suffixes[suffix]);
	}
	buf_printf(out, " %.*s", STR_ARG(r->at[resource]));
}

/* Devices come first, because they are scarce. */
void fit_put_amounts(const struct fit_resources *r, const int64_t *amount, struct buf *out)
{
	static const size_t last[] = { FIT_CPU, FIT_MEMORY };
	bool any = false;

	for (size_t i = FIT_PODS + 1; i < r->n; i++)
		if (amount[i]) {
			buf_z(out, any ? ", " : "");
			fit_put_amount(r, i, amount[i], out);
			any = true;
		}
	for (size_t i = 0; i < 2; i++)
		if (amount[last[i]]) {
			buf_z(out, any ? ", " : "");
			fit_put_amount(r, last[i], amount[last[i]], out);
			any = true;
		}
	if (!any)
		buf_z(out, "nothing");
}
