/*
 * object_list.h - all objects of a collection, page by page, each handed out once.
 *
 * A page that fails half-way is requested again without handing out objects twice.  When the
 * server has dropped the snapshot (410), the list continues with the token that the server offers
 * and says so (`inconsistent`), or begins again.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_OBJECT_LIST_H
#define TRAINC_RUNTIME_CLUSTER_OBJECT_LIST_H

#include "runtime/cluster/json_stream.h"
#include "runtime/cluster/retry.h"

struct object_list_options {
	struct str path;                /* of the collection: "/apis/batch/v1/namespaces/x/jobs" */
	struct str label_selector, field_selector;
	const char *const *keep;        /* for json_filter_new(), ends with NULL; NULL: everything but managed fields */
	unsigned page;                  /* objects; 0: 500 */
	bool (*object)(void *to, const struct data *object);    /* false: stop */
	/* The list begins again: forget the objects so far.  NULL: that is an error. */
	void (*restart)(void *to);
	/*
	 * The list is freed before this is called.  VERSION: resourceVersion of the first page, for a watch.
	 * `result` is that of the last page.
	 */
	void (*done)(void *to, const struct transport_result *result, struct str version, bool inconsistent);
	void *to;
};

struct object_list;
struct object_list *object_list_start(struct calls *c, const struct object_list_options *o);
void object_list_cancel(struct object_list *l);

#endif
