/*
 * cluster_expected.c - compares an answer with its request. The path of a request says nearly everything: group,
 * version, plural, namespace and name. The kind follows from the plural for known kinds, else from the body of the
 * request.
 */
#include "runtime/cluster/cluster_expected.h"

#include "base/words.h"
#include "data/data_read.h"
#include "runtime/cluster/known_resource.h"
#include "runtime/status/look.h"

enum { PATH_PARTS = 9, SHOWN = 80 };

/* What the path of a request names. */
struct expected {
	struct str version;             /* apiVersion: "batch/v1"; empty: the path does not lead to a resource */
	struct str group, plural, ns, name, subresource;
	struct str kind;                /* empty: unknown */
	bool metadata;                  /* the metadata of the object are asked for, but old servers send all of it */
};

/* ---- paths ---- */

static int expected_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : c >= 'a' && c <= 'f'
		? c - 'a' + 10 : -1;
}

/* Decodes %XX, which transport_path() has written. */
static struct str expected_part(struct arena *a, struct str s)
{
	struct buf b = { 0 };

	if (!s.n || !memchr(s.p, '%', s.n))
		return s;
	for (size_t i = 0; i < s.n; i++) {
		bool coded = s.p[i] == '%' && i + 2 < s.n && expected_digit(s.p[i + 1]) >= 0 &&
			expected_digit(s.p[i + 2]) >= 0;
		buf_char(&b, coded ? (char)(16 * expected_digit(s.p[i + 1]) + expected_digit(s.p[i + 2])) : s.p[i]);
		i += coded ? 2 : 0;
	}
	struct str part = buf_take(&b, a);
	buf_release(&b);
	return part;
}

static size_t expected_split(struct arena *a, struct str path, struct str *parts)
{
	size_t n = 0;

	for (size_t i = 0, end; i < path.n && n < PATH_PARTS; i = end) {
		const char *slash = memchr(path.p + i + 1, '/', path.n - i - 1);
		end = slash ? (size_t)(slash - path.p) : path.n;
		parts[n++] = expected_part(a, (struct str){ path.p + i + 1, end - i - 1 });
	}
	return n;
}

/* Reads "/api/v1/namespaces/default/pods/a", "/apis/batch/v1/jobs" and the like. */
static struct expected expected_of_path(struct arena *a, struct str path)
{
	struct str parts[PATH_PARTS];
	size_t n = expected_split(a, path, parts), at;
	struct expected x = { 0 };

	if (n >= 3 && str_is(parts[0], "api")) {
		x.version = parts[1];
		at = 2;
	} else if (n >= 4 && str_is(parts[0], "apis")) {
		x.group = parts[1];
		x.version = str_cat(a, parts[1], STR("/"), parts[2]);
		at = 3;
	} else {
		return x;
	}
	if (n > at + 2 && str_is(parts[at], "namespaces")) {
		x.ns = parts[at + 1];
		at += 2;
	}
	x.plural = parts[at];
	x.name = n > at + 1 ? parts[at + 1] : STR("");
	x.subresource = n > at + 2 ? parts[at + 2] : STR("");
	const struct resource *r = resource_of_plural(x.group, x.plural);
	x.kind = r ? r->kind : STR("");
	return x;
}

/* ---- what is compared ---- */

/* Appends a text of the answer, which may be of any length, between BEFORE and AFTER. */
static void expected_put_short(struct buf *b, const char *before, struct str s, const char *after)
{
	buf_printf(b, "%s%.*s%s%s", before, s.n < SHOWN ? (int)s.n : SHOWN, s.p, s.n > SHOWN ? "..." : "", after);
}

/* The value as a person would name it: "null", "a list", "Secret 'b' in namespace 'default'". */
static void expected_put_got(struct buf *b, const struct data *d)
{
	static const char *const words[] = { "null", "a truth value", "a number", "a number", "a text", "a list" };

	if (d->kind != DATA_MAP) {
		buf_z(b, words[d->kind]);
		return;
	}
	struct str kind = status_text(d, "kind"), name = status_text(d, "metadata.name");
	struct str ns = status_text(d, "metadata.namespace"), version = status_text(d, "apiVersion");
	expected_put_short(b, "", kind.n ? kind : STR("an object without a kind"), "");
	if (kind.n)
		expected_put_short(b, " of ", version.n ? version : STR("no apiVersion"), "");
	if (name.n)
		expected_put_short(b, " '", name, "'");
	if (ns.n)
		expected_put_short(b, " in namespace '", ns, "'");
}

static void expected_put_wanted(struct buf *b, const struct expected *x, bool list)
{
	if (list)
		buf_printf(b, "a list of %.*s of %.*s", STR_ARG(x->plural), STR_ARG(x->version));
	else
		buf_printf(b, "%.*s of %.*s", STR_ARG(x->kind.n ? x->kind : x->plural), STR_ARG(x->version));
	if (x->name.n)
		buf_printf(b, " '%.*s'", STR_ARG(x->name));
	if (x->ns.n)
		buf_printf(b, " in namespace '%.*s'", STR_ARG(x->ns));
}

static struct str expected_taken(struct arena *a, struct buf *b)
{
	struct str s = buf_take(b, a);

	buf_release(b);
	return s;
}

static struct str expected_sentence(struct arena *a, const char *method, struct str path, struct str wanted,
	struct str got)
{
	return str_printf(a, "%s %.*s: the answer is not that of an API server: expected %.*s, got %.*s", method,
		STR_ARG(path), STR_ARG(wanted), STR_ARG(got));
}

/* Is D the object that X names? For a request with a subresource, or for no resource, any object of the API is. */
static bool expected_object(const struct expected *x, const struct data *d)
{
	struct str kind = status_text(d, "kind");

	if (!kind.n || !x->plural.n || x->subresource.n)
		return kind.n > 0;
	bool metadata = x->metadata && str_is(kind, "PartialObjectMetadata") &&
		str_starts(status_text(d, "apiVersion"), STR("meta.k8s.io/"));
	return (metadata || (str_eq(status_text(d, "apiVersion"), x->version) &&
		(!x->kind.n || str_eq(kind, x->kind)))) &&
		(!x->name.n || str_eq(status_text(d, "metadata.name"), x->name)) &&
		(!x->ns.n || !x->name.n || str_eq(status_text(d, "metadata.namespace"), x->ns));
}

/* Does D confirm a deletion: with a Status about the object, or with the object, which waits for its finalizers? */
static bool expected_deletion(const struct expected *x, const struct data *d)
{
	struct str name = status_text(d, "details.name");

	if (!str_is(status_text(d, "kind"), "Status"))
		return expected_object(x, d);
	return str_is(status_text(d, "status"), "Success") && (!name.n || str_eq(name, x->name));
}

/* Does a list have items? Some API servers write null for none. */
static bool expected_items_in(const struct data *d)
{
	const struct data *items = data_get(d, STR("items"));

	return items && (items->kind == DATA_LIST || items->kind == DATA_NULL);
}

static bool expected_is_list(const struct expected *x, const struct data *d, bool items)
{
	struct str kind = status_text(d, "kind"), version = status_text(d, "apiVersion");
	bool metadata = str_is(kind, "PartialObjectMetadataList") && str_starts(version, STR("meta.k8s.io/"));
	bool named = kind.n > 4 && str_ends(kind, STR("List")) && str_eq(version, x->version) &&
		(!x->kind.n || (kind.n == x->kind.n + 4 && str_starts(kind, x->kind)));

	return items && (metadata || named);
}

/* The name and the kind of the object that the request sends, if the path does not say them. */
static void expected_of_body(struct arena *a, const struct transport_request *r, struct expected *x)
{
	struct source source = { .text = r->body, .base = 1 };
	struct data_error error;
	struct data *sent;

	if (r->method == TRANSPORT_GET || r->method == TRANSPORT_DELETE || x->subresource.n || !r->body.n ||
	    (x->kind.n && x->name.n) || !data_read_json(a, &source, &sent, &error))
		return;
	if (!x->kind.n)
		x->kind = status_text(sent, "kind");
	if (!x->name.n)
		x->name = status_text(sent, "metadata.name");
}

/* The object of a body; NULL with a description in GOT. */
static struct data *expected_read(struct arena *a, struct str body, struct str *got)
{
	struct source source = { .text = body, .base = 1 };
	struct data_error error = { 0 };
	struct data *d = NULL;
	struct buf b = { 0 };

	if (!body.n) {
		*got = STR("an empty answer");
		return NULL;
	}
	if (!data_read_json(a, &source, &d, &error)) {
		*got = str_printf(a, "%zu bytes that are not JSON (%.*s)", body.n, STR_ARG(error.what));
		return NULL;
	}
	if (d->kind == DATA_MAP)
		return d;
	expected_put_got(&b, d);
	*got = expected_taken(a, &b);
	return NULL;
}

struct str expected_problem(struct arena *a, const struct transport_request *r, struct str body,
	const struct data **ret)
{
	struct expected x = expected_of_path(a, r->path);
	struct str got = STR("");
	struct data *d = expected_read(a, body, &got);
	struct buf b = { 0 };
	bool list = x.plural.n && !x.name.n && r->method == TRANSPORT_GET, right = d != NULL;

	expected_of_body(a, r, &x);
	x.metadata = text_holds(r->accept, "as=PartialObjectMetadata;");
	if (d && list)
		right = expected_is_list(&x, d, expected_items_in(d));
	else if (d && r->method == TRANSPORT_DELETE && x.plural.n)
		right = expected_deletion(&x, d);
	else if (d && str_starts(r->path, STR("/api")))         /* other documents, such as /version, have no kind */
		right = expected_object(&x, d);
	*ret = right ? d : NULL;
	if (right)
		return STR("");
	if (d) {
		expected_put_got(&b, d);
		got = expected_taken(a, &b);
	}
	if (x.plural.n)
		expected_put_wanted(&b, &x, list);
	else
		buf_z(&b, "an object");
	return expected_sentence(a, transport_method_word(r->method), r->path, expected_taken(a, &b), got);
}

struct str expected_list_problem(struct arena *a, struct str path, const struct data *document, bool items)
{
	struct expected x = expected_of_path(a, path);
	struct buf b = { 0 };

	if (document->kind == DATA_MAP && expected_is_list(&x, document, items || expected_items_in(document)))
		return STR("");
	expected_put_got(&b, document);
	if (document->kind == DATA_MAP && !items)
		buf_z(&b, " without items");
	struct str got = expected_taken(a, &b);
	expected_put_wanted(&b, &x, true);
	return expected_sentence(a, "GET", path, expected_taken(a, &b), got);
}

void expected_items(struct arena *a, struct str path, struct str *ret_ns, struct str *ret_kind)
{
	struct expected x = expected_of_path(a, path);

	*ret_ns = x.ns;
	*ret_kind = x.kind;
}
