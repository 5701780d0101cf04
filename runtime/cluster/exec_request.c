/* exec_request.c - see exec_request.h. */
#include "runtime/cluster/exec_request.h"

#include <stdlib.h>

/* The version 1.N of Kubernetes whose API server translates the fifth version of the protocol for every kubelet. */
enum { FIFTH_SINCE = 30 };

static void add_query(struct arena *a, struct transport_pair **query, size_t *n, const char *name, struct str value)
{
	struct transport_pair pair = { str_of(name), value };

	ARENA_PUSH(a, *query, *n, pair);
}

struct websocket *exec_request_open(struct cluster *k, const struct exec_request *r, struct websocket_options how)
{
	/* only the fifth version can say that the input has ended, which a terminal says by itself */
	static const char *const all[] = { "v5.channel.k8s.io", "v4.channel.k8s.io", NULL };
	static const char *const fifth[] = { "v5.channel.k8s.io", NULL };
	struct arena *a = k->arena;
	struct transport_place place = { .version = STR("v1"), .plural = STR("pods"), .namespace = r->ns,
		.name = r->pod, .subresource = r->words ? STR("exec") : STR("attach") };
	struct transport_pair *query = NULL;
	size_t n = 0;

	for (size_t i = 0; r->words && r->words[i]; i++)
		add_query(a, &query, &n, "command", str_of(r->words[i]));
	add_query(a, &query, &n, "container", r->container);
	if (r->input)
		add_query(a, &query, &n, "stdin", STR("true"));
	add_query(a, &query, &n, "stdout", STR("true"));
	add_query(a, &query, &n, r->tty ? "tty" : "stderr", STR("true"));
	how.transport = k->client.transport;
	how.path = transport_path(a, &place);
	how.query = query;
	how.nquery = n;
	how.protocols = r->input && !r->tty ? fifth : all;
	return websocket_open(&how);
}

bool exec_server_is_old(struct cluster *k)
{
	struct answer *answer = request_get(&k->client, k->arena, STR("/version"));
	const struct data *minor = answer->data && answer->data->kind == DATA_MAP
		? data_get(answer->data, STR("minor")) : NULL;
	bool known = minor && minor->kind == DATA_STRING;
	long number = known ? strtol(str_copy(k->arena, minor->u.string).p, NULL, 10) : 0;

	if (!number || number >= FIFTH_SINCE)
		return false;
	session_say(k->session, "an API server before Kubernetes 1.%d cannot pass on the end of standard input, and "
		"this one is 1.%ld%s", FIFTH_SINCE, number, k->session->options->command == COMMAND_EXEC
		? "; leave the input out with --no-stdin" : "");
	return true;
}
