/* attach.c - the command `run` in a cluster: applies, follows and waits, and cleans up as the program requests. */
#include "base/words.h"
#include "runtime/cluster/cluster_watch.h"
#include "runtime/command/runs.h"

bool cluster_attach(struct attached *x, struct programs *all, int *ret_status)
{
	struct session *s = x->session;
	struct cluster *k = cluster_of(s);
	int status = cluster_apply(s, all, x->attend);

	*ret_status = status;
	if (status != STATUS_DONE || !x->attend->n || !cluster_watch_start(k, ret_status))
		return false;
	cluster_listen(k, false);
	return true;
}

/* Handles a signal: the command exits, and the job continues, since it does not depend on the command. */
bool cluster_attach_signal(struct attached *x, int signal)
{
	(void)x;
	(void)signal;
	return true;
}

int cluster_attach_end(struct attached *x, enum attend_end end, int status)
{
	struct cluster *k = cluster_of(x->session);
	bool all = k->nwatches > 0;

	if (end == ATTEND_INTERRUPTED)
		return runs_interrupted(x->session, x->attend);
	if (end == ATTEND_LOST)
		return status;
	for (size_t i = 0; i < k->nwatches; i++)
		all = all && str_is(k->watches[i]->plan.clean.value, "all");
	if (!all)
		return status;
	struct changes changes = changes_begin(x->session);
	int cleaned = cluster_remove(x->session, x->attend, &changes);
	changes_drop(&changes);
	return runs_worse(status, cleaned);
}
