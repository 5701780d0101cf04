/* access.c - see access.h. */
#include "runtime/cluster/access.h"

#include <stdlib.h>

#include "base/words.h"
#include "data/data_write.h"
#include "runtime/cluster/batch.h"
#include "runtime/status/look.h"

/* The version 1.N of Kubernetes from which on a stream by a WebSocket needs the verb `create`, too. */
enum { CREATE_SINCE = 35 };

static struct answer *ask_for(struct batch *b, struct arena *a, struct str ns, const char *verb, const char *kind)
{
	struct buf body = { 0 };

	buf_printf(&body, "{\"apiVersion\":\"authorization.k8s.io/v1\",\"kind\":\"SelfSubjectAccessReview\",\"spec\":{"
		"\"resourceAttributes\":{\"verb\":\"%s\",\"resource\":\"pods\",\"subresource\":\"%s\",\"namespace\":",
		verb, kind);
	data_write_text(&body, ns);
	buf_z(&body, "}}}");
	struct str text = buf_take(&body, a);
	buf_release(&body);
	return batch_add(b, &(struct transport_request){ .method = TRANSPORT_POST, .kind = TRANSPORT_READ,
		.path = STR("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"), .body = text }, CALL_ONCE);
}

static bool is_refused_by(const struct answer *x)
{
	return x->class == CALL_DONE && x->data && !status_true(x->data, "status.allowed");
}

/* Does the server ask for `create`? If it does not say its version, the stream will tell. */
static bool needs_create(struct cluster *k)
{
	const struct answer *x = request_get(&k->client, k->arena, STR("/version"));
	struct str minor = x->data ? status_text(x->data, "minor") : STR("");

	return strtol(str_copy(k->arena, minor).p, NULL, 10) >= CREATE_SINCE;
}

bool access_to_streams(struct cluster *k, struct str ns, const char *kind, int *ret_status)
{
	struct batch b = batch_new(&k->client, k->arena);
	const struct answer *get = ask_for(&b, k->arena, ns, "get", kind),
		*create = ask_for(&b, k->arena, ns, "create", kind);

	if (!batch_wait(&b)) {
		*ret_status = cluster_interrupted(k);
		return false;
	}
	bool no_get = is_refused_by(get), no_create = is_refused_by(create) && needs_create(k);
	if (!no_get && !no_create)
		return true;
	session_say(k->session, "you may not %s%s%s pods/%s in namespace '%.*s'; docs/runtime.md has the Role "
		"'trainc-interactive', which permits this", no_get ? "get" : "", no_get && no_create ? " and " : "",
		no_create ? "create" : "", kind, STR_ARG(ns));
	*ret_status = STATUS_DENIED;
	return false;
}
