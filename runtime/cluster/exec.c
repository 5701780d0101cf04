/*
 * exec.c - `exec` in a cluster: finds the pod of a replica. kubectl makes the connection to the container, so this file
 * builds a command line for kubectl.
 */
#include "runtime/cluster/cluster_watch.h"
#include "runtime/cluster/view.h"
#include "runtime/run/shell_word.h"
#include "runtime/status/look.h"

struct finding {
	struct arena *arena;
	struct str label, index;
	struct str pod, created;        /* the newest pod with that index */
};

static void consider_pod(void *to, struct str uid, const struct data *pod)
{
	struct finding *f = to;
	struct str created = status_text(pod, "metadata.creationTimestamp");

	(void)uid;
	if (!str_eq(status_label(pod, "trainc.dev/role"), f->label) || !str_eq(status_pod_index(pod), f->index))
		return;
	if (f->pod.n && str_cmp(created, f->created) < 0)
		return;
	f->pod = str_copy(f->arena, status_text(pod, "metadata.name"));
	f->created = str_copy(f->arena, created);
}

static const struct plan_role *role_named(const struct plan_job *j, struct str name)
{
	for (size_t i = 0; i < j->nroles; i++)
		if (str_eq(j->roles[i].name, name))
			return &j->roles[i];
	return NULL;
}

static struct str command_line(struct session *s, const struct cluster_watch *c, const struct plan_role *r,
	struct str pod, char *const *words)
{
	struct buf b = { 0 };

	buf_printf(&b, "kubectl exec -it -n %.*s %.*s -c %.*s --", STR_ARG(c->ns), STR_ARG(pod),
		STR_ARG(plan_label(s->arena, r->main.name)));
	for (size_t i = 0; words[i]; i++) {
		buf_char(&b, ' ');
		put_shell_word(&b, str_of(words[i]));
	}
	buf_z(&b, words[0] ? "" : " sh");
	struct str text = buf_take(&b, s->arena);
	buf_release(&b);
	return text;
}

int cluster_exec(struct session *s, struct run_watch *w, struct str role, int64_t index, char *const *words)
{
	const struct cluster_watch *c = cluster_watch_of(w);
	const struct plan_role *r = role_named(&c->plan, role);

	if (!r || index >= r->max) {
		session_say(s, "run '%.*s' has no replica %.*s/%lld", STR_ARG(w->name), STR_ARG(role),
			(long long)index);
		return STATUS_USAGE;
	}
	struct finding f = { .arena = s->arena, .label = r->label,
		.index = str_printf(s->arena, "%lld", (long long)index) };
	if (c->view)
		view_each(c->view, "Pod", w->name, c->ns, consider_pod, &f);
	if (f.pod.n)
		session_say(s, "exec enters replicas of this machine; for this one: %.*s",
			STR_ARG(command_line(s, c, r, f.pod, words)));
	else
		session_say(s, "%.*s/%lld of run '%.*s' has no pod now; 'trainc status %.*s' says why", STR_ARG(role),
			(long long)index, STR_ARG(w->name),
			STR_ARG(w->name));
	return STATUS_USAGE;
}
