/*
 * cluster_expected.h - is a successful answer an answer to its request? A proxy, a cache or a broken server may send
 * anything with a code of 200. Each check compares the answer with the path of the request: apiVersion, kind,
 * namespace, name. Answers to requests with a subresource are only checked to be objects of the API.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_CLUSTER_EXPECTED_H
#define TRAINC_RUNTIME_CLUSTER_CLUSTER_EXPECTED_H

#include "data/data.h"
#include "runtime/cluster/transport.h"

/*
 * Why BODY, the whole body of a 2xx answer, does not answer R, as a sentence that names the request; empty: BODY
 * answers R. The sentence lives in the arena A, as does the body as a tree in RET, which refers to BODY.
 */
struct str expected_problem(struct arena *a, const struct transport_request *r, struct str body,
	const struct data **ret);
/*
 * Why DOCUMENT, an answer without its items, is not the list at PATH; empty: it is the list. ITEMS: the document had a
 * list of items.
 */
struct str expected_list_problem(struct arena *a, struct str path, const struct data *document, bool items);
/* What the objects of the collection at PATH are: their namespace and their kind; empty: any, or unknown. */
void expected_items(struct arena *a, struct str path, struct str *ret_ns, struct str *ret_kind);

#endif
