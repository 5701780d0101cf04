/*
 * container.c - reads a container: typed fields if the language has them, the rest in `raw container`.
 */
#include "import/device.h"
#include "import/import_role.h"

#include "base/quantity.h"
#include "kube/limits.h"

static void set_container_field(struct container_reading *c, const char *field, struct expr *value,
	const struct data_member *m)
{
	struct import *im = c->role->im;

	import_comments(im, lines_set(im->arena, c->to, str_of(field), value, member_span(m)), member_span(m));
}

static void keep_container_raw(struct container_reading *c, const struct data_member *m)
{
	raw_member(c->role->im, container_raw(c, m->key_at), m->key, m->value, m->key_at);
}

/* ---- simple fields ---- */

static void read_container_text(struct container_reading *c, const struct data_member *m, const char *field)
{
	set_container_field(c, field, expr_string(c->role->im->arena, m->value->u.string), m);
}

/*
 * Reads the image. In `registry/<your-project>/name` the user has to replace the part in angle brackets, which no
 * registry accepts.
 */
static void read_container_image(struct container_reading *c, const struct data_member *m)
{
	struct import *im = c->role->im;
	struct str s = m->value->u.string;
	const char *open = memchr(s.p, '<', s.n), *close = memchr(s.p, '>', s.n);
	struct buf plain = { 0 };

	if (!open || !close || close < open) {
		read_container_text(c, m, "image");
		return;
	}
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != '<' && s.p[i] != '>')
			buf_char(&plain, s.p[i]);
	struct str name = str_copy(im->arena, buf_text(&plain));
	buf_release(&plain);
	struct diag *d = diag_report(im->diags, TJ1111, m->value->from, "'%.*s' must be filled in",
		(int)(close - open) + 1, open);
	diag_help(im->diags, d, "until it is filled in, the program has \"%.*s\"", STR_ARG(name));
	set_container_field(c, "image", expr_string(im->arena, name), m);
}

static void pull(struct container_reading *c, const struct data_member *m)
{
	static const char *const words[][2] = { { "Always", "always" }, { "IfNotPresent", "if-not-present" },
		{ "Never", "never" } };

	for (size_t i = 0; i < 3 && c->kind == CONTAINER_MAIN; i++) {
		if (str_is(m->value->u.string, words[i][0])) {
			set_container_field(c, "pull", expr_string(c->role->im->arena, str_of(words[i][1])), m);
			return;
		}
	}
	keep_container_raw(c, m);
}

static void workdir(struct container_reading *c, const struct data_member *m)
{
	if (str_starts(m->value->u.string, STR("/")))
		read_container_text(c, m, "workdir");
	else
		keep_container_raw(c, m);
}

/* Reads command and args. */
static void read_words(struct container_reading *c, const struct data_member *m)
{
	struct arena *a = c->role->im->arena;
	struct expr *list = expr_new(a, EXPR_LIST);

	for (size_t i = 0; i < m->value->u.list.n; i++) {
		const struct data *d = m->value->u.list.at[i];
		struct expr *text = env_each(c, d, false);
		if (!text) {
			keep_container_raw(c, m);
			return;
		}
		lines_add(a, &list->items, text, d->from);
	}
	for (size_t i = 0; i < list->items.n; i++)
		import_comments(c->role->im, list->items.at[i], list->items.at[i]->from);
	if (list->items.n)
		set_container_field(c, m->key.p[0] == 'c' ? "command" : "args", list, m);
}

/* ---- ports ---- */

struct ports {
	struct map names, numbers;
	struct lines *lines;
};

static bool port_is_usual(struct container_reading *c, struct str name, int64_t number)
{
	const struct role_kind *k = c->role->kind;

	return c->kind == CONTAINER_MAIN && k->port && str_is(name, k->port) && number == k->number;
}

/* The name of a port; a port without a name gets its number as a name. */
static struct str port_name(struct arena *a, const struct data *port)
{
	struct str name = member_text(port, "name");

	return name.n ? name : str_printf(a, "p%lld", (long long)member_int(port, "containerPort", 0));
}

/* Is it a TCP port without other settings, as `ports` can express it? */
static bool port_is_plain(struct container_reading *c, struct ports *seen, const struct data *port)
{
	struct arena *a = c->role->im->arena;
	struct str name = port_name(a, port), protocol = member_text(port, "protocol");
	int64_t number = member_int(port, "containerPort", 0);
	const char *why;

	return kube_port_name(name, &why) && number >= 1 && number <= 65535 &&
		(!protocol.p || str_is(protocol, "TCP")) &&
		!member(port, "hostPort") && !member(port, "hostIP") && !map_put(&seen->names, a, name, c) &&
		!map_put(&seen->numbers, a, str_int(a, number), c);
}

/* Moves the framework's own port to the front: it is the first port in the framework's pods. */
static void usual_first(struct container_reading *c, struct lines *lines)
{
	struct str usual = str_of(c->role->kind->port);

	for (size_t i = 1; usual.n && i < lines->n; i++) {
		struct line *l = lines->at[i];
		if (!str_eq(l->key, key_text(c->role->im->arena, usual)))
			continue;
		memmove(&lines->at[1], &lines->at[0], i * sizeof *lines->at);
		lines->at[0] = l;
		return;
	}
}

static void read_container_ports(struct container_reading *c, const struct data_member *m)
{
	struct import *im = c->role->im;
	struct ports seen = { 0 };

	for (size_t i = 0; i < m->value->u.list.n; i++) {
		const struct data *port = m->value->u.list.at[i];
		struct str name = port_name(im->arena, port);
		int64_t number = member_int(port, "containerPort", 0);
		if (number < 1 || number > 65535)
			diag_report(im->diags, TJ1103, port->from, "%lld is not a port number", (long long)number);
		if (!port_is_plain(c, &seen, port)) {
			struct lines *list = raw_list(im, container_raw(c, port->from), "ports", port->from);
			import_comments(im, lines_add(im->arena, list, raw_expr(im, port), port->from), port->from);
		} else if (!port_is_usual(c, name, number)) {
			if (!seen.lines)
				seen.lines = lines_block(im->arena, c->to, STR("ports"), m->key_at);
			import_comments(im, lines_set(im->arena, seen.lines, key_text(im->arena, name),
				expr_int(im->arena, number), port->from), port->from);
		}
	}
	if (seen.lines && c->kind == CONTAINER_MAIN)
		usual_first(c, seen.lines);
}

/* ---- resources ---- */

struct amounts {
	struct container_reading *c;
	const struct data *requests, *limits;
	struct lines *limit_lines;
	bool unbounded;                 /* a request of memory or disk has no limit */
};

static void amount_set(struct amounts *am, bool limit, const char *field, struct str text, const struct data *d)
{
	struct import *im = am->c->role->im;
	struct lines *to = am->c->to;

	if (limit && !am->limit_lines)
		am->limit_lines = lines_block(im->arena, am->c->to, STR("limits"), d->from);
	if (limit)
		to = am->limit_lines;
	import_comments(im, lines_set(im->arena, to, str_of(field), expr_text(im->arena, text), d->from), d->from);
}

static void amount_raw(struct amounts *am, const char *which, const char *resource, const struct data *d)
{
	struct import *im = am->c->role->im;
	struct lines *resources = lines_block(im->arena, container_raw(am->c, d->from), STR("resources"), d->from);

	raw_member(im, lines_block(im->arena, resources, str_of(which), d->from), str_of(resource), d, d->from);
}

/* Writes cpu. The field is a request; a limit is written separately. */
static void cpu_amount(struct amounts *am)
{
	struct arena *a = am->c->role->im->arena;
	const struct data *request = member(am->requests, "cpu"), *limit = member(am->limits, "cpu");
	struct str r = amount_literal(a, request, false), l = amount_literal(a, limit, false);

	if (r.n)
		amount_set(am, false, "cpu", r, request);
	else if (request)
		amount_raw(am, "requests", "cpu", request);
	if (l.n)
		amount_set(am, true, "cpu", l, limit);
	else if (limit)
		amount_raw(am, "limits", "cpu", limit);
}

/* Reports an amount of memory that lacks its unit: Kubernetes accepts `memory: 64`, which is 64 bytes. */
static void say_bytes(struct import *im, const struct data *d)
{
	enum { LEAST = 4 << 20 };
	struct diag *x;

	if (!d || d->kind != DATA_INT || d->u.integer <= 0 || d->u.integer >= LEAST)
		return;
	x = diag_report(im->diags, TJ0622, d->from, "memory: %lld is %lld bytes: no program starts with so little",
		(long long)d->u.integer, (long long)d->u.integer);
	diag_help(im->diags, x, "write the unit: memory: %lldMi or memory: %lldGi", (long long)d->u.integer,
		(long long)d->u.integer);
}

/* Is there a request without a limit that fields can say? */
static bool lacks_limit(struct amounts *am, const char *resource)
{
	return amount_literal(am->c->role->im->arena, member(am->requests, resource), true).n &&
		!member(am->limits, resource);
}

/*
 * Writes memory or disk. The field sets both request and limit; a different limit is written separately. A request
 * without a limit needs `unbounded`, beside which every limit is written.
 */
static void whole_amount(struct amounts *am, const char *resource, const char *field)
{
	struct import *im = am->c->role->im;
	struct arena *a = im->arena;
	const struct data *request = member(am->requests, resource), *limit = member(am->limits, resource);
	struct str r = amount_literal(a, request, true), l = amount_literal(a, limit, true);
	bool fields = am->c->kind == CONTAINER_MAIN || str_is(str_of(field), "memory");
	bool both = fields && r.n && (l.n || !limit);

	if (str_is(str_of(field), "memory"))
		say_bytes(im, limit ? limit : request);
	if (both)
		amount_set(am, false, field, r, request);
	else if (request)
		amount_raw(am, "requests", resource, request);
	if (fields && l.n && !(both && str_eq(r, l) && !am->unbounded))
		amount_set(am, true, field, l, limit);
	else if (limit && !both)
		amount_raw(am, "limits", resource, limit);
	if (am->c->kind == CONTAINER_MAIN && str_is(str_of(field), "memory"))
		am->c->role->memory = r.n ? r : l;
}

/* Does the container request cpu or memory, as huge pages need? */
static bool has_amounts(const struct amounts *am)
{
	return member(am->requests, "cpu") || member(am->limits, "cpu") || member(am->requests, "memory") ||
		member(am->limits, "memory");
}

/*
 * The value of a resource in `resources`: a number of devices, or an amount of huge pages. Empty if the field cannot
 * say it: request and limit are one number there, and a request alone is refused by the API server.
 */
static struct str resource_value(struct amounts *am, struct str name)
{
	struct arena *a = am->c->role->im->arena;
	const struct data *limit = data_get(am->limits, name), *request = data_get(am->requests, name);
	bool pages = str_starts(name, STR("hugepages-"));
	struct str most = amount_literal(a, limit, pages), least = request ? amount_literal(a, request, pages) : most;
	const char *why;
	struct quantity amount, page;

	if (!limit || !most.n || !str_eq(most, least) || quantity_parse(most, &amount) != QUANTITY_OK ||
		amount.nano <= 0)
		return STR("");
	bool counted = strspn(most.p, "0123456789") >= most.n;
	if (!pages)
		return counted && memchr(name.p, '/', name.n) && kube_label_key(name, &why) ? most : STR("");
	struct str size = { name.p + sizeof "hugepages-" - 1, name.n - (sizeof "hugepages-" - 1) };
	if (quantity_parse(size, &page) != QUANTITY_OK || page.nano <= 0 || amount.nano % page.nano || !has_amounts(am))
		return STR("");
	return most;
}

/* Writes all other amounts: devices of the main container are left to device_read(), and the rest becomes raw. */
static void other_amounts(struct amounts *am, const char *which, const struct data *of)
{
	struct import *im = am->c->role->im;
	bool main = am->c->kind == CONTAINER_MAIN;

	for (size_t i = 0; i < data_count(of); i++) {
		const struct data_member *m = &of->u.map.at[i];
		bool ours = str_is(m->key, "cpu") || str_is(m->key, "memory") || str_is(m->key, "ephemeral-storage");
		if (ours || (main && device_is(im, m->key)))
			continue;
		struct str value = resource_value(am, m->key);
		if (value.n) {
			struct lines *to = lines_block(im->arena, am->c->to, STR("resources"), m->key_at);
			if (!lines_find(to, key_text(im->arena, m->key)))
				import_comments(im, lines_set(im->arena, to, key_text(im->arena, m->key),
					expr_text(im->arena, value), m->key_at), m->key_at);
			continue;
		}
		struct lines *resources = lines_block(im->arena, container_raw(am->c, m->key_at), STR("resources"),
			m->key_at);
		raw_member(im, lines_block(im->arena, resources, str_of(which), m->key_at), m->key, m->value,
			m->key_at);
	}
}

static void resources_read(struct container_reading *c, const struct data *resources)
{
	struct import *im = c->role->im;
	struct amounts am = { .c = c, .requests = member(resources, "requests"),
		.limits = member(resources, "limits") };

	am.unbounded = lacks_limit(&am, "memory") ||
		(c->kind == CONTAINER_MAIN && lacks_limit(&am, "ephemeral-storage"));
	cpu_amount(&am);
	if (am.unbounded)
		amount_set(&am, true, "unbounded", STR("true"), am.requests);
	whole_amount(&am, "memory", "memory");
	whole_amount(&am, "ephemeral-storage", "disk");
	other_amounts(&am, "requests", am.requests);
	other_amounts(&am, "limits", am.limits);
	if (c->kind == CONTAINER_MAIN)
		c->role->devices = resources;
	for (size_t i = 0; i < resources->u.map.n; i++) {
		const struct data_member *m = &resources->u.map.at[i];
		if (!str_is(m->key, "requests") && !str_is(m->key, "limits"))
			raw_member(im, lines_block(im->arena, container_raw(c, m->key_at), STR("resources"), m->key_at),
				m->key, m->value, m->key_at);
	}
}

/* ---- the container ---- */

static void read_container_field(struct container_reading *c, const struct data_member *m)
{
	bool secrets;

	if (str_is(m->key, "name") || str_is(m->key, "securityContext"))
		return;                 /* the name of the block is the name of the container */
	if (c->kind == CONTAINER_SIDECAR && str_is(m->key, "restartPolicy") && str_is(m->value->u.string, "Always"))
		return;                 /* a sidecar always has this restart policy */
	if (str_is(m->key, "terminationMessagePolicy")) {
		if (!str_is(m->value->u.string, "FallbackToLogsOnError"))
			import_left_out(c->role->im, m->key_at, m->key,
				"the last lines of the log say why a container failed");
		return;
	}
	if (str_is(m->key, "image"))
		read_container_image(c, m);
	else if (str_is(m->key, "imagePullPolicy"))
		pull(c, m);
	else if (str_is(m->key, "command") || str_is(m->key, "args"))
		read_words(c, m);
	else if (str_is(m->key, "workingDir"))
		workdir(c, m);
	else if (str_is(m->key, "env"))
		env_read(c, m->value);
	else if (str_is(m->key, "envFrom") && sources_known(m->value, &secrets))
		set_container_field(c, "env_from", sources_expr(c->role->im, m->value), m);
	else if (str_is(m->key, "ports"))
		read_container_ports(c, m);
	else if (str_is(m->key, "resources"))
		resources_read(c, m->value);
	else if (str_is(m->key, "volumeMounts"))
		mounts_read(c, m->value);
	else
		keep_container_raw(c, m);
}

static const struct data_member *find_entry(const struct data *map, const char *key)
{
	for (size_t i = 0; i < map->u.map.n; i++)
		if (str_is(map->u.map.at[i].key, key))
			return &map->u.map.at[i];
	return NULL;
}

void container_read(struct container_reading *c)
{
	/* these are read first, because other fields depend on them */
	static const char *const first[] = { "env", "resources" };
	const struct data_member *early[2];

	env_given(c);
	for (size_t i = 0; i < 2; i++)
		if ((early[i] = find_entry(c->container, first[i])))
			read_container_field(c, early[i]);
	for (size_t i = 0; i < c->container->u.map.n; i++) {
		const struct data_member *m = &c->container->u.map.at[i];
		if (m != early[0] && m != early[1])
			read_container_field(c, m);
	}
	security_read(c);
}
