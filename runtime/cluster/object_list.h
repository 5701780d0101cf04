/*
 * object_list.h - reads all objects of a collection, page by page, and hands out each object once. A page that fails
 * half-way is requested again without handing out objects twice. If the server no longer has the snapshot (410), the
 * list continues with the token that the server offers and sets `inconsistent`, or starts over.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_OBJECT_LIST_H
#define TRAINC_RUNTIME_CLUSTER_OBJECT_LIST_H

#include "runtime/cluster/json_stream.h"
#include "runtime/cluster/retry.h"

struct object_list_options {
	struct str path;                /* path of the collection: "/apis/batch/v1/namespaces/x/jobs" */
	struct str label_selector, field_selector;
	const char *const *keep;        /* paths for json_filter_new(), ended by NULL; NULL: everything but managed
					 * fields is kept */
	bool metadata;                  /* only the metadata of each object is requested */
	unsigned page;                  /* number of objects per page; 0: 500 */
	bool (*object)(void *to, const struct data *object);    /* called for each object; false cancels the list */
	/*
	 * Called for each object that cannot be used (json_stream.h, object_check.h); the list goes on. NULL: such an
	 * object is an error of the whole list, and objects are not checked.
	 */
	void (*skipped)(void *to, const struct json_skipped *skipped);
	struct str kind;                /* with `skipped`: the kind of the objects; empty: any */
	size_t kept;                    /* with `skipped`: see json_stream.h */
	const char *label;              /* with `skipped`: the label that is needed of skipped objects */
	/* Called when the list starts over: the objects so far must be forgotten.  NULL: starting over is an error. */
	void (*restart)(void *to);
	/*
	 * Called at the end; the list has been freed by then. VERSION is the resourceVersion of the first page, for a
	 * watch. RESULT is the result of the last page.
	 */
	void (*done)(void *to, const struct transport_result *result, struct str version, bool inconsistent);
	void *to;
};

struct object_list;
struct object_list *object_list_start(struct calls *c, const struct object_list_options *o);
void object_list_cancel(struct object_list *l);

#endif
