/*
 * hosts.c - finds names of pods in texts: `js-workers-0-3.js:29500` is replica 3 of the role workers.
 */
#include "import/hosts.h"

#include <ctype.h>

static bool in_name(char c) { return isalnum((unsigned char)c) || c == '-'; }

/* Reads the number at text.p[*i], and moves *i past it; -1 if no number begins there. */
static int64_t host_number(struct str text, size_t *i)
{
	size_t first = *i;
	int64_t n = 0;

	while (*i < text.n && isdigit((unsigned char)text.p[*i]) && *i - first < 9)
		n = 10 * n + (text.p[(*i)++] - '0');
	return *i > first ? n : -1;
}

static bool skip(struct str text, size_t *i, struct str part)
{
	if (text.n - *i < part.n || memcmp(text.p + *i, part.p, part.n) != 0)
		return false;
	*i += part.n;
	return true;
}

/*
 * Skips `.NAMESPACE.svc` and the domain of the cluster after it: in addresses within the namespace, the name is
 * enough.
 */
static size_t skip_namespace(struct str text, size_t i, struct str ns)
{
	size_t end = i;

	if (!skip(text, &end, STR(".")) || !skip(text, &end, ns) || !skip(text, &end, STR(".svc")))
		return i;
	size_t domain = end;
	if (skip(text, &domain, STR(".cluster.local")))
		end = domain;
	return end < text.n && (in_name(text.p[end]) ||
		(text.p[end] == '.' && end + 1 < text.n && in_name(text.p[end + 1]))) ? i : end;
}

/* Skips the Service of the job after the name of a pod, with its namespace; 0 if something else is there. */
static size_t skip_service(const struct imported *job, struct str text, size_t i)
{
	if (!skip(text, &i, STR(".")) || !skip(text, &i, job->subdomain) || (i < text.n && in_name(text.p[i])))
		return 0;
	return skip_namespace(text, i, job->ns.n ? job->ns : STR("default"));
}

/*
 * Reads a host name after its head, from text.p[AT] on: the number of the replica, which *RET gets, and the Service.
 * Returns the offset of its end; 0 if it is not the name of a replica.
 */
static size_t match(const struct imported *job, const struct host_name *h, struct str text, size_t at, int64_t *ret)
{
	int64_t a, b = 0;

	if ((a = host_number(text, &at)) < 0 || (h->form == POD_ALONE && !skip(text, &at, STR("-0-0"))) ||
	    (h->form == POD_OF_JOB && (!skip(text, &at, STR("-")) || (b = host_number(text, &at)) < 0)))
		return 0;
	*ret = h->form == POD_OF_JOB ? a * h->per + b : a;
	if (*ret >= h->jobs * h->per || (h->form == POD_OF_JOB && b >= h->per))
		return 0;
	return skip_service(job, text, at);
}

/*
 * Skips the name of the replica itself after its head, and the Service. trainc writes the index of the replica as
 * a reference; only names with one number can have it. Returns 0 for any other name.
 */
static size_t match_own(const struct imported *job, const struct host_name *h, struct str text, size_t at)
{
	if (h->form == POD_OF_JOB && (h->jobs > 1 || !skip(text, &at, STR("0-"))))
		return 0;
	if (h->form == POD_ALONE || !skip(text, &at, STR("$(TRAINC_INDEX)")))
		return 0;
	return skip_service(job, text, at);
}

/*
 * Reads the host name of a pod of a copy after its head, from text.p[AT] on; *RET gets the expression. Returns the
 * offset of its end, or 0.
 */
static size_t match_copy(struct arena *a, struct imported *job, const struct host_name *h, struct str text,
	size_t at, struct str *ret)
{
	bool own = skip(text, &at, STR("$(TRAINC_COPY)"));      /* so trainc writes the number of the own copy */
	int64_t copy = own ? 0 : host_number(text, &at), rank = 0;

	if (copy < 0 || copy >= h->jobs || (skip(text, &at, STR("-")) && (rank = host_number(text, &at)) < 1) ||
	    rank >= h->per)
		return 0;
	job->own_hosts = job->own_hosts || own;
	struct str of = own ? STR("") : str_printf(a, "%.*s[%lld].", STR_ARG(h->cell), (long long)copy);
	bool one = str_eq(h->word, h->rest);
	*ret = str_printf(a, "%.*s%.*s.host(%lld)", STR_ARG(of), STR_ARG(rank ? h->rest : h->word),
		(long long)(rank && !one ? rank - 1 : rank));
	return skip_service(job, text, at);
}

/* Skips the host of the pod itself as trainc writes it where a name has no index: the pod's name and the Service. */
static size_t match_own_name(const struct imported *job, struct str text, size_t i, struct str *ret)
{
	size_t at = i;

	if (!skip(text, &at, STR("$(TRAINC_POD_NAME)")) || !(at = skip_service(job, text, at)))
		return 0;
	*ret = STR("pod.host");
	return at - i;
}

size_t host_at(struct import *im, struct imported *job, struct str text, size_t i, struct str *ret)
{
	if (job->hosts.n && text.p[i] == '$')
		return match_own_name(job, text, i, ret);
	if (!job->hosts.n || !in_name(text.p[i]) || (i > 0 && (in_name(text.p[i - 1]) || text.p[i - 1] == '.')) ||
	    text.n - i < job->name.n || memcmp(text.p + i, job->name.p, job->name.n) != 0)
		return 0;
	for (size_t at = i + job->name.n; at + 1 < text.n && at - i < 64 && in_name(text.p[at]); at++) {
		int64_t index;
		const struct host_name *h = text.p[at] == '-' && (isdigit((unsigned char)text.p[at + 1]) ||
			text.p[at + 1] == '$') ? map_get(&job->hosts, (struct str){ text.p + i, at + 1 - i }) : NULL;
		if (h && h->form == POD_OF_COPY) {
			size_t stop = match_copy(im->arena, job, h, text, at + 1, ret);
			if (stop)
				return stop - i;
			continue;
		}
		size_t end = h ? match(job, h, text, at + 1, &index) : 0;
		if (!end && h && (end = match_own(job, h, text, at + 1))) {
			*ret = str_printf(im->arena, "%.*s.host(pod.index)", STR_ARG(h->word));
			return end - i;
		}
		if (!end)
			continue;
		if (h->cell.n)          /* the Jobs of the role are copies of a cell */
			*ret = str_printf(im->arena, "%.*s[%lld].%.*s.host(%lld)", STR_ARG(h->cell),
				(long long)(index / h->per), STR_ARG(h->word), (long long)(index % h->per));
		else
			*ret = str_printf(im->arena, "%.*s.host(%lld)", STR_ARG(h->word), (long long)index);
		return end - i;
	}
	return 0;
}

bool host_is_foreign(struct str key)
{
	static const char *const heads[] = {
		"job-name", "controller-uid", "batch.kubernetes.io/", "jobset.sigs.k8s.io/", "volcano.sh/",
		"training.kubeflow.org/", "trainer.kubeflow.org/", "apps.kubernetes.io/pod-index",
		"statefulset.kubernetes.io/", "leaderworkerset.sigs.k8s.io/", "ray.io/", "sparkoperator.k8s.io/",
		"spark-role",
	};

	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
		if (str_starts(key, str_of(heads[i])))
			return true;
	return false;
}
