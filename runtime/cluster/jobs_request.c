/*
 * jobs_request.c - builds the requests that resume a Job whose turn has come, and that mark and delete a Job of a run
 * with a verdict.
 */
#include "runtime/cluster/jobs_request.h"

#include "runtime/cluster/discovery.h"
#include "runtime/status/status_job.h"

struct transport_request jobs_request(struct arena *a, const struct jobs_action *x, struct str ns, const char *manager)
{
	struct transport_request r = { .kind = TRANSPORT_WRITE,
		.path = resource_path(a, x->deployment ? resource_known(STR("apps"), STR("Deployment"))
		: resource_known(STR("batch"), STR("Job")), ns, x->name) };

	if (x->what != JOBS_END) {
		struct transport_pair *query = ARENA_NEW(a, struct transport_pair);
		*query = (struct transport_pair){ STR("fieldManager"), str_of(manager) };
		r.method = TRANSPORT_PATCH;
		r.query = query;
		r.nquery = 1;
		r.content_type = STR("application/merge-patch+json");
		r.body = str_printf(a, "{\"metadata\":{\"uid\":\"%.*s\",\"annotations\":{\"%s\":\"true\"}}%s}",
			STR_ARG(x->uid), x->what == JOBS_MARK ? ENDED_ANNOTATION : STARTED_ANNOTATION,
			x->what == JOBS_MARK ? "" : ",\"spec\":{\"suspend\":false}");
		return r;
	}
	r.method = TRANSPORT_DELETE;
	r.body = str_printf(a, "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\",\"propagationPolicy\":\"Foreground\","
		"\"preconditions\":{\"uid\":\"%.*s\"}}", STR_ARG(x->uid));
	return r;
}
