/*
 * object_list.c - reads the pages of a collection as streams. A page with a continue token comes from one snapshot and
 * is the same each time it is requested, so a repeated page skips the objects that were handed out already. The first
 * page is a new snapshot each time; therefore `restart` is called when that page is repeated.
 */
#include "runtime/cluster/object_list.h"

#include <stdlib.h>

#include "base/words.h"
#include "runtime/cluster/cluster_expected.h"
#include "runtime/cluster/object_check.h"

enum { PAGE = 500, RESTARTS = 3, IDLE_LARGEST = 64 << 20 };

struct object_list {
	struct calls *calls;
	struct object_list_options o;
	struct arena arena;
	struct json_stream *stream;
	struct call *call;
	struct str next;                /* continue token of the current page; empty: this is the first page */
	struct str after;               /* continue token of the next page, found in this page */
	struct str version;             /* resourceVersion of the first page */
	/*
	 * number of objects of this page that were handed out; number of objects to skip because an earlier attempt
	 * handed them out
	 */
	size_t given, skip;
	unsigned restarts;
	uint64_t idle;                  /* number of bytes since the last object */
	struct str ns, kind;            /* namespace and kind of the objects; empty: any, or unknown */
	struct str problem;             /* why the answer is not the list that was requested; empty: it is */
	bool inconsistent, page_complete, reread;
	bool inside, cancelled;         /* a call of `object` is running; that call has cancelled the list */
};

static void request_page(struct object_list *l);

static struct str member_text(const struct data *map, const char *name)
{
	const struct data *d = map && map->kind == DATA_MAP ? data_get(map, str_of(name)) : NULL;

	return d && d->kind == DATA_STRING ? d->u.string : STR("");
}

static void list_free(struct object_list *l)
{
	json_stream_release(l->stream);
	arena_release(&l->arena);
	free(l);
}

/* ---- reading a page ---- */

/* Is OBJECT from this collection? The filter may have dropped its kind and its namespace. */
static bool is_of_list(const struct object_list *l, const struct data *object)
{
	const struct data *metadata = object && object->kind == DATA_MAP ? data_get(object, STR("metadata")) : NULL;
	struct str kind = member_text(object, "kind"), ns = member_text(metadata, "namespace");

	if (l->ns.n && ns.n && !str_eq(l->ns, ns))
		return false;
	return l->o.skipped || (object && object->kind == DATA_MAP &&
		(!l->kind.n || !kind.n || l->o.metadata || str_eq(l->kind, kind)));
}

static bool take_skipped(void *to, const struct json_skipped *skipped)
{
	struct object_list *l = to;

	l->idle = 0;
	if (l->skip) {
		l->skip--;
		return true;
	}
	l->given++;
	l->o.skipped(l->o.to, skipped);
	return !l->cancelled;
}

static bool take_object(void *to, const struct data *object)
{
	struct object_list *l = to;
	const char *why = l->o.skipped ? object_fault(object, l->o.metadata ? STR("") : l->o.kind, false) : NULL;
	struct json_skipped skipped;

	if (!is_of_list(l, object)) {
		l->problem = str_printf(&l->arena, "GET %.*s: the answer is not that of an API server: the list "
			"contains something that is not in this collection", STR_ARG(l->o.path));
		return false;
	}
	l->idle = 0;
	if (why) {
		object_identify(object, l->o.label, why, &skipped);
		return take_skipped(l, &skipped);
	}
	if (l->skip) {
		l->skip--;
		return true;
	}
	l->given++;
	return l->o.object(l->o.to, object) && !l->cancelled;
}

static bool take_rest(void *to, const struct data *document)
{
	struct object_list *l = to;
	const struct data *metadata = document->kind == DATA_MAP ? data_get(document, STR("metadata")) : NULL;

	l->problem = expected_list_problem(&l->arena, l->o.path, document, json_stream_has_items(l->stream));
	l->after = str_copy(&l->arena, member_text(metadata, "continue"));
	if (!l->next.n)
		l->version = str_copy(&l->arena, member_text(metadata, "resourceVersion"));
	l->page_complete = document->kind == DATA_MAP;
	return true;
}

static bool list_bytes(void *to, struct str bytes)
{
	struct object_list *l = to;

	l->idle += bytes.n;
	if (l->idle > IDLE_LARGEST) {
		l->problem = str_printf(&l->arena, "GET %.*s: the answer is not that of an API server: it sends bytes "
			"without an object", STR_ARG(l->o.path));
		return false;
	}
	l->inside = true;
	bool more = json_stream_take(l->stream, bytes);
	l->inside = false;
	if (l->cancelled)
		list_free(l);
	return more;
}

/* Requests the page again. */
static void page_again(void *to)
{
	struct object_list *l = to;

	json_stream_restart(l->stream);
	if (l->next.n) {
		l->skip = l->given;
	} else if (l->given) {
		l->o.restart(l->o.to);
		l->given = 0;
	}
}

/* ---- the end of a page ---- */

static void list_end(struct object_list *l, const struct transport_result *r)
{
	l->call = NULL;
	l->o.done(l->o.to, r, l->version, l->inconsistent);
	list_free(l);
}

static void next_page(struct object_list *l, struct str token)
{
	l->next = token;
	l->given = l->skip = 0;
	json_stream_restart(l->stream);
	request_page(l);
}

/* Handles a snapshot that the server no longer has; false if the list cannot continue. */
static bool expired(struct object_list *l, const struct transport_result *r)
{
	if (r->code != 410 || !l->next.n)
		return false;
	if (r->status && r->status->continue_token.n) {
		l->inconsistent = true;
		next_page(l, str_copy(&l->arena, r->status->continue_token));
		return true;
	}
	if (!l->o.restart || l->restarts++ == RESTARTS)
		return false;
	l->o.restart(l->o.to);
	next_page(l, STR(""));
	return true;
}

/* Handles an answer that is not JSON: requests the page once more; a second such answer is an error of the server. */
static void unreadable(struct object_list *l, const struct transport_result *r)
{
	struct transport_result broken = *r;
	struct str what = json_stream_error(l->stream);

	if (!l->reread && (l->next.n || !l->given || l->o.restart)) {
		l->reread = true;
		page_again(l);
		request_page(l);
		return;
	}
	broken.outcome = TRANSPORT_BROKEN;
	broken.error = str_printf(&l->arena, "GET %.*s: the answer is not a list in JSON: %.*s", STR_ARG(l->o.path),
	                          STR_ARG(what.n ? what : STR("it is not a list")));
	list_end(l, &broken);
}

/* Ends the list, because the answer is well-formed but is not this list. */
static void list_foreign(struct object_list *l, const struct transport_result *r)
{
	struct transport_result foreign = *r;

	foreign.outcome = TRANSPORT_FOREIGN;
	foreign.error = l->problem;
	list_end(l, &foreign);
}

static void page_done(void *to, const struct transport_result *r)
{
	struct object_list *l = to;

	l->call = NULL;
	if (l->problem.n && (transport_ok(r) || r->outcome == TRANSPORT_STOPPED)) {
		list_foreign(l, r);
	} else if (r->outcome == TRANSPORT_STOPPED && !json_stream_error(l->stream).n) {
		list_end(l, r);                 /* `object` has cancelled the list, or the calls were stopped */
	} else if (r->outcome == TRANSPORT_STOPPED) {
		unreadable(l, r);
	} else if (!transport_ok(r)) {
		if (!expired(l, r))
			list_end(l, r);
	} else if (!json_stream_end(l->stream) || !l->page_complete) {
		unreadable(l, r);
	} else if (l->after.n && (!l->given || str_eq(l->after, l->next))) {
		l->problem = str_printf(&l->arena, "GET %.*s: the answer is not that of an API server: a page %s",
			STR_ARG(l->o.path), l->given ? "names itself as the next page" : "without objects is followed "
			"by another page");
		list_foreign(l, r);
	} else if (l->after.n) {
		l->reread = false;
		next_page(l, l->after);
	} else {
		list_end(l, r);
	}
}

static void request_page(struct object_list *l)
{
	struct transport_pair query[4];
	size_t n = 0;
	char limit[STR_DIGITS];
	struct transport_request r = { .kind = TRANSPORT_LIST, .path = l->o.path, .query = query, .take = list_bytes,
		.done = page_done, .to = l,
		.accept = l->o.metadata
			? STR("application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json")
			: STR("application/json;drop=metadata.managedFields,application/json") };

	query[n++] = (struct transport_pair){ STR("limit"), str_digits(limit, l->o.page ? l->o.page : PAGE) };
	if (l->o.label_selector.n)
		query[n++] = (struct transport_pair){ STR("labelSelector"), l->o.label_selector };
	if (l->o.field_selector.n)
		query[n++] = (struct transport_pair){ STR("fieldSelector"), l->o.field_selector };
	if (l->next.n)
		query[n++] = (struct transport_pair){ STR("continue"), l->next };
	r.nquery = n;
	l->page_complete = false;
	l->idle = 0;
	l->problem = STR("");
	l->call = call_start(l->calls, &r, CALL_BY_METHOD, l->next.n || l->o.restart ? page_again : NULL);
}

struct object_list *object_list_start(struct calls *c, const struct object_list_options *o)
{
	static const char *const all_but_managed[] = { "-metadata.managedFields", NULL };
	struct object_list *l = memory_resize(NULL, sizeof *l);

	*l = (struct object_list){ .calls = c, .o = *o };
	l->o.path = str_copy(&l->arena, o->path);
	expected_items(&l->arena, l->o.path, &l->ns, &l->kind);
	l->o.label_selector = str_copy(&l->arena, o->label_selector);
	l->o.field_selector = str_copy(&l->arena, o->field_selector);
	struct json_stream_options s = { .items = "items",
		.filter = json_filter_new(&l->arena, o->keep ? o->keep : all_but_managed),
		.item = take_object, .document = take_rest, .to = l, .kept = l->o.kept, .label = l->o.label,
		.skipped = l->o.skipped ? take_skipped : NULL };
	l->stream = json_stream_new(&s);
	request_page(l);
	return l;
}

void object_list_cancel(struct object_list *l)
{
	if (!l)
		return;
	if (l->call)
		call_cancel(l->call);
	l->call = NULL;
	l->cancelled = true;
	if (!l->inside)
		list_free(l);
}
