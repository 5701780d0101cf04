/*
 * applyset.c - writes the parent of a run as a ConfigMap, and reads it.
 */
#include "runtime/cluster/applyset.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_write.h"
#include "base/sha256.h"
#include "base/version.h"
#include "base/words.h"
#include "data/data_read.h"
#include "data/data_write.h"
#include "runtime/status/look.h"

#define TOOLING "trainc/v" TRAINC_VERSION
#define NUMBER_MOST 999999999999999     /* largest number that a record may contain */

/* ---- names ---- */

/* Appends 32 bytes in base64url without padding; HEX contains the bytes in hexadecimal form. */
static void put_base64url(const char hex[65], struct buf *out)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
	unsigned value = 0, bits = 0;

	for (size_t i = 0; hex[i]; i++) {
		value = value << 4 | (unsigned)(hex[i] <= '9' ? hex[i] - '0' : hex[i] - 'a' + 10);
		bits += 4;
		if (bits >= 6) {
			bits -= 6;
			buf_char(out, digits[value >> bits & 63]);
		}
	}
	if (bits)
		buf_char(out, digits[value << (6 - bits) & 63]);
}

struct str applyset_id(struct arena *a, struct str name, struct str ns, struct str kind, struct str group)
{
	struct buf b = { 0 };
	char hex[65];

	buf_printf(&b, "%.*s.%.*s.%.*s.%.*s", STR_ARG(name), STR_ARG(ns), STR_ARG(kind), STR_ARG(group));
	sha256_hex(buf_text(&b), hex);
	b.n = 0;
	buf_z(&b, "applyset-");
	put_base64url(hex, &b);
	buf_z(&b, "-v1");
	struct str id = buf_take(&b, a);
	buf_release(&b);
	return id;
}

struct str applyset_parent_name(struct arena *a, struct str run) { return str_cat(a, run, STR(".trainc"), STR("")); }

struct str applyset_parent_path(struct arena *a, struct str ns, struct str run)
{
	return resource_path(a, resource_known(STR(""), STR("ConfigMap")), ns, applyset_parent_name(a, run));
}

/* ---- kinds ---- */

static bool same_kind(const struct resource *a, const struct resource *b)
{
	return str_eq(a->group, b->group) && str_eq(a->kind, b->kind);
}

void parent_add_kind(struct arena *a, struct parent *p, const struct resource *r)
{
	for (size_t i = 0; i < p->nkinds; i++)
		if (same_kind(&p->kinds[i], r))
			return;
	ARENA_PUSH(a, p->kinds, p->nkinds, *r);
}

struct transport_request parent_patch(struct arena *a, const struct parent *p, const char *manager,
	const struct transport_pair *data, size_t n)
{
	struct transport_pair *query = ARENA_NEW(a, struct transport_pair);
	struct buf b = { 0 };
	struct json_writer w = { .out = &b, .text = data_write_text };

	*query = (struct transport_pair){ STR("fieldManager"), str_of(manager) };
	json_open(&w, '{');
	json_add_open(&w, "metadata", '{');
	json_add_text(&w, "uid", p->uid);
	json_add_text(&w, "resourceVersion", p->version);
	json_close(&w, '}');
	json_add_open(&w, "data", '{');
	for (size_t i = 0; i < n; i++) {
		json_key_text(&w, data[i].name);
		json_put_text(&w, data[i].value);
	}
	json_close(&w, '}');
	json_close(&w, '}');
	struct transport_request r = { .method = TRANSPORT_PATCH, .kind = TRANSPORT_WRITE, .query = query, .nquery = 1,
		.path = applyset_parent_path(a, p->ns, p->run), .body = buf_take(&b, a),
		.content_type = STR("application/merge-patch+json") };
	buf_release(&b);
	return r;
}

const struct applied *parent_find(const struct parent *p, const struct resource *r, struct str ns, struct str name)
{
	for (size_t i = 0; i < p->napplied; i++) {
		const struct applied *x = &p->applied[i];
		if (same_kind(&x->resource, r) && str_eq(x->ns, ns) && str_eq(x->name, name))
			return x;
	}
	return NULL;
}

static int str_cmp_of(const void *a, const void *b) { return str_cmp(*(const struct str *)a, *(const struct str *)b); }

/* Appends the texts sorted and without duplicates, with commas between them. */
static void put_sorted(struct str *at, size_t n, struct buf *out)
{
	if (n)
		qsort(at, n, sizeof *at, str_cmp_of);
	for (size_t i = 0; i < n; i++)
		if (!i || !str_eq(at[i], at[i - 1])) {
			buf_z(out, i ? "," : "");
			buf_str(out, at[i]);
		}
}

static struct str group_kinds(struct arena *a, const struct parent *p)
{
	struct str *at = ARENA_ARRAY(a, struct str, p->nkinds);
	struct buf b = { 0 };

	for (size_t i = 0; i < p->nkinds; i++)
		at[i] = resource_group_kind(a, &p->kinds[i]);
	put_sorted(at, p->nkinds, &b);
	struct str text = buf_take(&b, a);
	buf_release(&b);
	return text;
}

static struct str other_namespaces(struct arena *a, const struct parent *p)
{
	struct str *at = ARENA_ARRAY(a, struct str, p->napplied);
	struct buf b = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < p->napplied; i++)
		if (p->applied[i].ns.n && !str_eq(p->applied[i].ns, p->ns))
			at[n++] = p->applied[i].ns;
	put_sorted(at, n, &b);
	struct str text = buf_take(&b, a);
	buf_release(&b);
	return text;
}

/* ---- writing ---- */

static void put_resource(const struct resource *r, struct buf *out)
{
	buf_z(out, "{\"group\":");
	data_write_text(out, r->group);
	buf_z(out, ",\"version\":");
	data_write_text(out, r->version);
	buf_z(out, ",\"kind\":");
	data_write_text(out, r->kind);
	buf_z(out, ",\"plural\":");
	data_write_text(out, r->plural);
	buf_printf(out, ",\"namespaced\":%s", r->namespaced ? "true" : "false");
}

/* Appends the inventory: kinds with their objects, each as [NAME, UID, HASH] and any special properties. */
static void put_inventory(const struct parent *p, struct buf *out)
{
	buf_char(out, '[');
	for (size_t k = 0; k < p->nkinds; k++) {
		bool any = false;
		buf_z(out, k ? "," : "");
		put_resource(&p->kinds[k], out);
		buf_z(out, ",\"objects\":[");
		for (size_t i = 0; i < p->napplied; i++) {
			const struct applied *x = &p->applied[i];
			if (!same_kind(&x->resource, &p->kinds[k]))
				continue;
			buf_z(out, any ? ",[" : "[");
			data_write_text(out, x->name);
			buf_char(out, ',');
			data_write_text(out, x->uid);
			buf_char(out, ',');
			data_write_text(out, x->hash);
			if (x->kept || !str_eq(x->ns, p->ns)) {
				buf_char(out, ',');
				data_write_text(out, x->ns);
				buf_z(out, x->kept ? ",true" : "");
			}
			buf_char(out, ']');
			any = true;
		}
		buf_z(out, "]}");
	}
	buf_char(out, ']');
}

static void put_datum(struct buf *out, const char *key, struct str value)
{
	buf_printf(out, ",\"%s\":", key);
	data_write_text(out, value);
}

static void put_replaced(struct json_writer *w, const char *key, const struct replaced *at, size_t n)
{
	json_add_open(w, key, '[');
	for (size_t i = 0; i < n; i++) {
		json_open(w, '[');
		json_put_text(w, at[i].name);
		json_put_text(w, at[i].old);
		json_put_int(w, at[i].attempts);
		json_put_text(w, at[i].uid);
		json_close(w, ']');
	}
	json_close(w, ']');
}

struct str parent_restart_text(struct arena *a, const struct parent *p)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b, .text = data_write_text };

	json_open(&w, '{');
	json_add_int(&w, "generation", p->generation);
	json_add_int(&w, "number", p->restart.number);
	json_add_text(&w, "cause", p->restart.cause);
	if (p->restart.copy.n) {
		json_add_text(&w, "copy", p->restart.copy);
		json_add_int(&w, "count", p->restart.count);
		json_add_int(&w, "series", p->restart.series);
	}
	put_replaced(&w, "jobs", p->replaced, p->nreplaced);
	if (p->nearlier)
		put_replaced(&w, "earlier", p->earlier, p->nearlier);
	json_close(&w, '}');
	struct str text = buf_take(&b, a);
	buf_release(&b);
	return text;
}

struct str parent_body(struct arena *a, const struct parent *p)
{
	struct str name = applyset_parent_name(a, p->run);
	struct buf b = { 0 }, inventory = { 0 };

	buf_z(&b, "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":");
	data_write_text(&b, name);
	put_datum(&b, "namespace", p->ns);
	if (p->uid.n)
		put_datum(&b, "uid", p->uid);
	if (p->version.n)
		put_datum(&b, "resourceVersion", p->version);
	buf_z(&b, ",\"labels\":{\"app.kubernetes.io/managed-by\":\"trainc\"");
	put_datum(&b, "applyset.kubernetes.io/id", applyset_id(a, name, p->ns, STR("ConfigMap"), STR("")));
	put_datum(&b, "trainc.dev/run", p->run);
	if (p->controller.n)
		put_datum(&b, APPLYSET_CONTROLLER, p->controller);
	buf_z(&b, "},\"annotations\":{\"applyset.kubernetes.io/tooling\":\"" TOOLING "\"");
	put_datum(&b, "applyset.kubernetes.io/contains-group-kinds", group_kinds(a, p));
	put_datum(&b, "applyset.kubernetes.io/additional-namespaces", other_namespaces(a, p));
	put_datum(&b, "trainc.dev/generation", str_int(a, p->generation));
	put_datum(&b, "trainc.dev/file", p->file);
	buf_z(&b, "}},\"data\":{\"schemaVersion\":\"1\"");
	put_inventory(p, &inventory);
	put_datum(&b, "applied", buf_text(&inventory));
	put_datum(&b, "plan", p->plan);
	if (p->code.n)
		put_datum(&b, "code", p->code);
	if (p->history.n)
		put_datum(&b, "history", p->history);
	put_datum(&b, "hash", p->hash);
	put_datum(&b, "verdict", p->verdict);   /* written even if empty, so that a run that starts over loses its old
						 * verdict */
	if (parent_may_restart(p)) {
		put_datum(&b, "restarts", str_int(a, p->restart.most));
		put_datum(&b, "jobs", p->jobs);
		put_datum(&b, "jobsDigest", p->jobs_digest);
		/* written even if there was none, so that an apply repairs what somebody has changed */
		put_datum(&b, "restart", p->nreplaced ? parent_restart_text(a, p) : STR(""));
	}
	buf_z(&b, "}}");
	struct str body = buf_take(&b, a);
	buf_release(&b);
	buf_release(&inventory);
	return body;
}

/* ---- reading ---- */

enum { KINDS_MOST = 256 };              /* no program has objects of more kinds */

static struct str list_text(const struct data *list, size_t i)
{
	return i < list->u.list.n && list->u.list.at[i]->kind == DATA_STRING ? list->u.list.at[i]->u.string : STR("");
}

static int64_t digits_of(struct str s)
{
	int64_t n = 0;

	for (size_t i = 0; i < s.n && n <= NUMBER_MOST / 10 && s.p[i] >= '0' && s.p[i] <= '9'; i++)
		n = n * 10 + (s.p[i] - '0');
	return n;
}

static bool read_inventory(struct arena *a, struct str text, struct parent *p)
{
	struct source source = { .text = str_copy(a, text), .base = 1 };
	struct data_error error;
	struct data *d;

	if (!data_read_json(a, &source, &d, &error) || d->kind != DATA_LIST)
		return false;
	for (size_t k = 0; k < d->u.list.n; k++) {
		const struct data *kind = d->u.list.at[k], *objects = status_list(kind, "objects");
		struct resource r = { status_text(kind, "group"), status_text(kind, "version"), status_text(kind,
			"kind"),
			status_text(kind, "plural"), status_true(kind, "namespaced") };
		if (!r.kind.n || !r.plural.n || p->nkinds > KINDS_MOST)
			return false;
		/* a kind that is listed twice would be written twice, each time with all objects */
		parent_add_kind(a, p, &r);
		for (size_t i = 0; i < objects->u.list.n; i++) {
			const struct data *o = objects->u.list.at[i];
			if (o->kind != DATA_LIST || o->u.list.n < 3)
				return false;
			struct applied x = { r, o->u.list.n > 3 ? list_text(o, 3) : p->ns, list_text(o, 0),
				list_text(o, 1), list_text(o, 2),
				o->u.list.n > 4 };
			ARENA_PUSH(a, p->applied, p->napplied, x);
		}
	}
	return true;
}

/*
 * Updates the uids of the Jobs in the inventory. Each Job that the last restart has replaced gets the uid of the new
 * Job. If the new Job does not exist yet, the old uid stays.
 */
static void note_replaced(struct parent *p, const struct replaced *at, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct replaced *x = &at[i];
		for (size_t k = 0; k < p->napplied; k++)
			if (str_eq(p->applied[k].name, x->name) && str_is(p->applied[k].resource.kind, "Job"))
				p->applied[k].uid = x->uid.n ? x->uid : x->old;
	}
}

static struct replaced *read_replaced(struct arena *a, const struct data *jobs, size_t *ret_n)
{
	struct replaced *at = NULL;

	for (size_t i = 0; i < jobs->u.list.n; i++) {
		const struct data *x = jobs->u.list.at[i];
		if (x->kind != DATA_LIST || x->u.list.n < 4)
			continue;
		struct replaced r = { list_text(x, 0), list_text(x, 1), list_text(x, 3),
			x->u.list.at[2]->kind == DATA_INT ? x->u.list.at[2]->u.integer : 0 };
		ARENA_PUSH(a, at, *ret_n, r);
	}
	return at;
}

/* Reads how often the run, or a copy, has been restarted; false if these are not numbers of restarts. */
static bool read_counts(const struct data *d, struct status_restart *r)
{
	r->number = status_number(d, "number", 0);
	r->copy = status_text(d, "copy");
	r->count = status_number(d, "count", 0);
	r->series = status_number(d, "series", 0);
	if (r->number < 0 || r->number > NUMBER_MOST)
		return false;
	if (!r->copy.n)
		return r->number > 0;
	return r->count > 0 && r->count <= NUMBER_MOST && r->series > 0 && r->series <= NUMBER_MOST;
}

/*
 * Reads the restarts in the record. A record of an earlier generation does not apply. If somebody has changed the text,
 * so that the restarts cannot be counted, no more restarts are permitted, and no attendant acts on the record.
 */
static void read_restart(struct arena *a, const struct data *object, struct parent *p)
{
	struct source source = { .text = str_copy(a, status_text(object, "data.restart")), .base = 1 };
	struct data_error error;
	struct data *d;

	p->jobs = status_text(object, "data.jobs");
	p->jobs_digest = status_text(object, "data.jobsDigest");
	p->restart.most = digits_of(status_text(object, "data.restarts"));
	p->restart.copies = p->jobs_digest.n > 0;
	if (!source.text.n)
		return;
	if (!data_read_json(a, &source, &d, &error) || status_number(d, "generation", 0) <= 0) {
		p->restart = (struct status_restart){ .damaged = true };
		return;
	}
	if (status_number(d, "generation", 0) != p->generation)
		return;
	if (!read_counts(d, &p->restart)) {
		p->restart = (struct status_restart){ .damaged = true };
		return;
	}
	p->restart.cause = status_text(d, "cause");
	p->replaced = read_replaced(a, status_list(d, "jobs"), &p->nreplaced);
	p->earlier = read_replaced(a, status_list(d, "earlier"), &p->nearlier);
	for (size_t i = 0; i < p->nreplaced; i++)
		p->restart.going = p->restart.going || !p->replaced[i].uid.n;
	note_replaced(p, p->earlier, p->nearlier);
	note_replaced(p, p->replaced, p->nreplaced);
}

bool parent_read(struct arena *a, const struct data *object, struct parent *ret, struct str *why)
{
	struct str tooling = status_annotation(object, "applyset.kubernetes.io/tooling"), name = status_text(object,
		"metadata.name");
	struct str version = status_text(object, "data.schemaVersion");
	struct parent p = { .there = true, .ns = status_text(object, "metadata.namespace"), .uid = status_text(object,
		"metadata.uid"),
		.version = status_text(object, "metadata.resourceVersion"), .run = status_label(object,
			"trainc.dev/run"),
		.file = status_annotation(object, "trainc.dev/file"), .plan = status_text(object, "data.plan"),
		.code = status_text(object, "data.code"), .history = status_text(object, "data.history"),
		.hash = status_text(object, "data.hash"),
		.verdict = status_text(object, "data.verdict"), .outcome = status_text(object, "data.outcome") };

	p.deleting = status_text(object, "metadata.deletionTimestamp").n > 0;
	p.controller = status_label(object, APPLYSET_CONTROLLER);
	p.generation = digits_of(status_annotation(object, "trainc.dev/generation"));
	p.attended = digits_of(status_text(object, "data.attended"));
	if (!str_starts(tooling, STR("trainc/")) || !p.run.n) {
		*why = str_printf(a, "ConfigMap '%.*s' exists and belongs to %s%.*s; rename the job", STR_ARG(name),
			tooling.n ? "" : "somebody else", STR_ARG(tooling));
		return false;
	}
	if (!str_eq(name, applyset_parent_name(a, p.run))) {
		*why = str_printf(a, "ConfigMap '%.*s' has the label of run '%.*s', whose record has another name; "
			"delete the ConfigMap", STR_ARG(name), STR_ARG(p.run));
		return false;
	}
	if (!str_is(version, "1") || !read_inventory(a, status_text(object, "data.applied"), &p)) {
		*why = str_printf(a, "ConfigMap '%.*s', the record of run '%.*s', cannot be read: %s", STR_ARG(name),
			STR_ARG(p.run), str_is(version, "1")
			? "somebody has changed it; delete it, and 'trainc apply' finds the objects of the run and "
				"records them again"
			: "another version of trainc wrote it; use that version");
		return false;
	}
	read_restart(a, object, &p);
	*ret = p;
	return true;
}

/* ---- who applies ---- */

#define APPLYING "applying "

struct str parent_applying(struct arena *a, struct str goal, int64_t now)
{
	return str_printf(a, APPLYING "%.*s %lld", STR_ARG(goal), (long long)(now / (NS_PER_SECOND / 1000)));
}

bool parent_is_busy(const struct parent *p, struct str goal, int64_t now, int64_t *ret_since)
{
	struct str mark = STR(APPLYING), rest = p->hash;

	if (!p->there || !str_starts(rest, mark))
		return false;
	rest = (struct str){ rest.p + mark.n, rest.n - mark.n };
	const char *space = memchr(rest.p, ' ', rest.n);
	struct str whose = { rest.p, space ? (size_t)(space - rest.p) : rest.n };
	if (!space || str_eq(whose, goal))
		return false;
	int64_t age = now / (NS_PER_SECOND / 1000) - digits_of((struct str){ space + 1, rest.n - whose.n - 1 });
	*ret_since = (age > 0 ? age : 0) * (NS_PER_SECOND / 1000);
	return age > -APPLYSET_BUSY_MS && age < APPLYSET_BUSY_MS;
}

bool parent_is_complete(const struct parent *p) { return p->hash.n && !str_starts(p->hash, STR(APPLYING)); }

bool parent_may_restart(const struct parent *p) { return p->restart.most || p->restart.copies; }

bool parent_lists(const struct parent *p, struct str uid)
{
	for (size_t i = 0; i < p->napplied && uid.n; i++)
		if (str_eq(p->applied[i].uid, uid))
			return true;
	return false;
}

bool parent_is_left(const struct parent *p) { return str_is(p->controller, APPLYSET_SUPERVISE); }

bool parent_is_attended(const struct parent *p)
{
	return parent_is_left(p) && p->attended && p->attended == p->generation;
}
