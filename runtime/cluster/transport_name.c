/*
 * transport_name.c - tells a name that does not exist from a resolver that does not answer. libcurl reports both alike.
 * The C library of `make dist` cannot ask without waiting; there, each name that cannot be resolved is asked for again.
 */
#include <netdb.h>
#include <stdlib.h>
#include <time.h>

#include "runtime/cluster/transport_internal.h"

#ifdef __GLIBC__
/* The question outlives the exchange if the resolver does not answer in time; it is then left to the process' end. */
struct name_question {
	struct gaicb request, *list[1];
	char name[NI_MAXHOST];
};

bool exchange_name_is_unknown(struct transport_exchange *x)
{
	struct str host = x->transport->o.access->host;
	struct timespec second = { .tv_sec = 1 };
	struct name_question *q;

	if (host.n >= sizeof q->name)
		return true;
	q = memory_resize(NULL, sizeof *q);
	*q = (struct name_question){ .request.ar_name = q->name, .list = { &q->request } };
	memcpy(q->name, host.p, host.n);
	if (getaddrinfo_a(GAI_NOWAIT, q->list, 1, NULL) != 0) {
		free(q);
		return false;
	}
	gai_suspend((const struct gaicb *const *)q->list, 1, &second);
	int error = gai_error(&q->request);
	if (error == EAI_INPROGRESS)
		return false;
	if (!error)
		freeaddrinfo(q->request.ar_result);
	free(q);
	return error == EAI_NONAME || error == EAI_NODATA;
}
#else
bool exchange_name_is_unknown(struct transport_exchange *x)
{
	(void)x;
	return false;
}
#endif
