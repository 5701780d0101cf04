/* exporter.c - see exporter.h. */
#include "runtime/status/exporter.h"

#include <stdlib.h>

enum { EXPORTER_NUMBER = 40 };
/* More than a device can say. */
#define EXPORTER_LARGEST 1e18

enum exporter_column { COLUMN_USE, COLUMN_MEMORY };

static const struct exporter_label {
	const char *key, *value;
} labels[] = {
#define EXPORTER(label, value) { label, value },
#include "runtime/status/exporters.def"
};

static const struct exporter_metric {
	const char *name;
	enum exporter_column column;
	double scale;
} metrics[] = {
#define METRIC(name, column, scale) { name, COLUMN_##column, scale },
#include "runtime/status/exporters.def"
};
enum { METRICS = sizeof metrics / sizeof *metrics };

bool exporter_label(size_t i, struct str *ret_key, struct str *ret_value)
{
	if (i >= sizeof labels / sizeof *labels)
		return false;
	*ret_key = str_of(labels[i].key);
	*ret_value = str_of(labels[i].value);
	return true;
}

/* ---- one line: NAME{LABEL="TEXT",...} NUMBER [TIME] ---- */

/* Takes LABEL="TEXT" from the front of REST; false at the end of the labels, or if that is something else. */
static bool take_label(struct str *rest, struct str *ret_key, struct str *ret_value)
{
	const char *equals = rest->n ? memchr(rest->p, '=', rest->n) : NULL;
	size_t i;

	if (!equals || (size_t)(equals - rest->p) + 2 > rest->n || equals[1] != '"')
		return false;
	*ret_key = (struct str){ rest->p, (size_t)(equals - rest->p) };
	struct str value = { equals + 2, rest->n - ret_key->n - 2 };
	for (i = 0; i < value.n && value.p[i] != '"'; i++)
		i += value.p[i] == '\\';
	if (i >= value.n)
		return false;
	*ret_value = (struct str){ value.p, i };
	*rest = (struct str){ value.p + i + 1, value.n - i - 1 };
	if (rest->n && *rest->p == ',')
		*rest = (struct str){ rest->p + 1, rest->n - 1 };
	return true;
}

static bool take_value(struct str rest, double *ret)
{
	char number[EXPORTER_NUMBER], *end;
	size_t n = 0;

	while (rest.n && *rest.p == ' ')
		rest = (struct str){ rest.p + 1, rest.n - 1 };
	while (n < rest.n && n < sizeof number - 1 && strchr("0123456789.eE+-", rest.p[n]) && rest.p[n]) {
		number[n] = rest.p[n];
		n++;
	}
	number[n] = '\0';
	*ret = strtod(number, &end);
	bool ends = n == rest.n || rest.p[n] == ' ' || rest.p[n] == '\r';
	return n && ends && !*end && *ret >= 0 && *ret < EXPORTER_LARGEST;
}

/* Reads the labels of a line into the texts of D; what follows them is left in REST. */
static bool take_labels(struct str *rest, struct exporter_device *d)
{
	static const struct {
		const char *key;
		size_t at;
	} texts[] = { { "gpu", offsetof(struct exporter_device, id) }, { "UUID", offsetof(struct exporter_device, id) },
		{ "pod", offsetof(struct exporter_device, pod) }, { "pod_name", offsetof(struct exporter_device, pod) },
		{ "namespace", offsetof(struct exporter_device, ns) },
		{ "pod_namespace", offsetof(struct exporter_device, ns) } };
	struct str key, value;

	while (take_label(rest, &key, &value))
		for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
			if (str_is(key, texts[i].key))
				*(struct str *)((char *)d + texts[i].at) = value;
	bool closed = rest->n && *rest->p == '}';
	if (closed)
		*rest = (struct str){ rest->p + 1, rest->n - 1 };
	return closed && d->id.n;
}

static struct exporter_device *find_device(struct exporter_devices *all, const struct exporter_device *d)
{
	for (size_t i = 0; i < all->n; i++)
		if (str_eq(all->at[i].id, d->id) && str_eq(all->at[i].pod, d->pod) && str_eq(all->at[i].ns, d->ns))
			return &all->at[i];
	if (all->n == EXPORTER_DEVICES)
		return NULL;
	all->at[all->n] = (struct exporter_device){ .id = d->id, .pod = d->pod, .ns = d->ns, .use = -1, .memory = -1 };
	return &all->at[all->n++];
}

static void read_exporter_line(struct str line, struct exporter_devices *ret)
{
	const char *brace = line.n ? memchr(line.p, '{', line.n) : NULL;
	struct str name = { line.p, brace ? (size_t)(brace - line.p) : 0 };
	struct exporter_device d = { 0 };
	double value;
	unsigned row = 0;

	while (row < METRICS && !str_is(name, metrics[row].name))
		row++;
	if (!brace || row == METRICS)
		return;
	struct str rest = { brace + 1, line.n - name.n - 1 };
	if (!take_labels(&rest, &d) || !take_value(rest, &value))
		return;
	if (!d.pod.n || !d.ns.n) {
		ret->unnamed = true;
		return;
	}
	struct exporter_device *known = find_device(ret, &d);
	if (!known)
		return;
	bool use = metrics[row].column == COLUMN_USE;
	double *at = use ? &known->use : &known->memory;
	unsigned *from = use ? &known->use_row : &known->memory_row;
	if (*at >= 0 && *from <= row)
		return;
	*at = value * metrics[row].scale;
	*from = row;
}

void exporter_read(struct str text, struct exporter_devices *ret)
{
	while (text.n)
		read_exporter_line(str_take(&text, '\n'), ret);
}

bool exporter_sum(const struct exporter_devices *d, struct str ns, struct str pod, int64_t *ret_n, int64_t *ret_use,
	int64_t *ret_memory)
{
	double use = 0, memory = 0;
	int64_t n = 0, nuse = 0, nmemory = 0;

	for (size_t i = 0; i < d->n; i++) {
		const struct exporter_device *one = &d->at[i];
		if (!str_eq(one->pod, pod) || !str_eq(one->ns, ns))
			continue;
		n++;
		nuse += one->use >= 0;
		nmemory += one->memory >= 0;
		use += one->use >= 0 ? one->use : 0;
		memory += one->memory >= 0 ? one->memory : 0;
	}
	*ret_n = n;
	use = nuse ? use / (double)nuse : 0;
	*ret_use = !nuse || use > 100.5 ? -1 : (int64_t)(use + 0.5);
	*ret_memory = !nmemory || memory >= EXPORTER_LARGEST ? -1 : (int64_t)memory;
	return n > 0;
}
