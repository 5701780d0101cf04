/* attempts.c - orders pods and their instances by time, and numbers them. */
#include "runtime/status/attempts.h"

#include <stdlib.h>

#include "base/words.h"

#define LATE (2 * NS_PER_SECOND)        /* the recorded start of a life may be this much later than the creation of its
					 * first pods */

static int64_t told_number(struct str text)
{
	int64_t n;

	return str_number(text, 9, &n) ? n : 0;
}

int64_t attempts_noted(const struct data *job) { return told_number(status_annotation(job, ATTEMPTS_ANNOTATION)); }
int64_t attempts_lives(const struct data *pod)
{
	return told_number(status_label(pod, "jobset.sigs.k8s.io/restart-attempt"));
}

void attempts_before_add(struct attempts_before *b, const struct data *job)
{
	int64_t since = status_time(job, "status.startTime"), n = attempts_noted(job);

	if (!n || !since)                       /* a suspended Job has no start time, and no new pods either */
		return;
	b->since = b->n && b->since < since ? b->since : since;
	b->n = n > b->n ? n : b->n;
}

bool attempts_made_before(const struct attempts_pod *a, const struct attempts_pod *b)
{
	return a->made != b->made ? a->made < b->made : str_cmp(a->name, b->name) < 0;
}

static bool is_of_new_life(const struct attempts_before *b, const struct attempts_pod *pod)
{
	return b->n && (pod->present || pod->made + LATE >= b->since);
}

bool attempts_of_one_life(const struct attempts_before *b, const struct attempts_pod *x, const struct attempts_pod *y)
{
	return is_of_new_life(b, x) == is_of_new_life(b, y);
}

int64_t attempts_first(const struct attempts_before *b, const struct attempts_pod *at, size_t n,
	const struct attempts_pod *pod)
{
	bool new = is_of_new_life(b, pod);
	int64_t before = new ? b->n : 0, beside = 0;

	for (size_t i = 0; i < n; i++)
		if (attempts_made_before(&at[i], pod) && is_of_new_life(b, &at[i]) == new)
			*(at[i].lives == pod->lives ? &beside : &before) += at[i].starts;
	/* pods of earlier lives no longer exist; each life made at least one attempt */
	return (before > pod->lives ? before : pod->lives) + beside + 1;
}

int64_t attempts_last(const struct attempts_before *b, const struct attempts_pod *at, size_t n)
{
	const struct attempts_pod *last = NULL;

	for (size_t i = 0; i < n; i++)
		if (!last || attempts_made_before(last, &at[i]))
			last = &at[i];
	return last ? attempts_first(b, at, n, last) + last->starts - 1 : 0;
}
