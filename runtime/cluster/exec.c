/*
 * exec.c - `exec` in a cluster: a command, or a shell, in the pod of a replica; and `attach`, which joins its program.
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "runtime/cluster/remote.h"
#include "runtime/status/look.h"

/* The first shell that the container has. */
#define SHELL_WORDS "if command -v bash > /dev/null 2>&1; then exec bash; else exec sh; fi"

enum { NULL_MAJOR = 1, NULL_MINOR = 3 };

/* Is standard input /dev/null, or closed? Then there is nothing to pass on. */
static bool has_no_input(void)
{
	struct stat st;

	return fstat(STDIN_FILENO, &st) != 0 ||
		(S_ISCHR(st.st_mode) && st.st_rdev == makedev(NULL_MAJOR, NULL_MINOR));
}

static bool wants_tty(const struct session *s)
{
	struct str when = option_value(s->options, OPTION_TTY);

	return str_is(when, "always") || (!str_is(when, "never") && !option_given(s->options, OPTION_NO_STDIN) &&
		isatty(STDIN_FILENO) && isatty(STDOUT_FILENO));
}

/* What the pod says about the container's standard input and terminal. */
static bool container_has(const struct replica_pod *pod, struct str container, const char *what)
{
	const struct data *all = status_list(pod->object, "spec.containers");

	for (size_t i = 0; i < all->u.list.n; i++)
		if (str_eq(status_text(all->u.list.at[i], "name"), container))
			return status_true(all->u.list.at[i], what);
	return false;
}

int cluster_join(struct session *s, struct run_watch *w, struct str role, int64_t index)
{
	struct str container = option_value(s->options, OPTION_CONTAINER);
	struct replica_pod pod;
	int status;

	if (!replica_pod_find(s, w, role, index, container.n > 0, &pod, &status))
		return status;
	struct remote r = { .pod = &pod,
		.container = container.n ? container : plan_label(s->arena, pod.plan->main.name) };
	bool terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
	r.tty = container_has(&pod, r.container, "tty");
	r.input = container_has(&pod, r.container, "stdin") && !option_given(s->options, OPTION_NO_STDIN) &&
		(r.tty ? terminal : !has_no_input());
	return remote_run(cluster_of(s), &r);
}

int cluster_exec(struct session *s, struct run_watch *w, struct str role, int64_t index, char *const *words)
{
	char *shell[] = { str_cat_chars(s->arena, STR("sh"), STR(""), STR("")),
		str_cat_chars(s->arena, STR("-c"), STR(""), STR("")),
		str_cat_chars(s->arena, STR(SHELL_WORDS), STR(""), STR("")), NULL };
	struct str container = option_value(s->options, OPTION_CONTAINER);
	struct replica_pod pod;
	int status;

	if (!replica_pod_find(s, w, role, index, container.n > 0, &pod, &status))
		return status;
	struct remote r = { .pod = &pod, .words = words[0] ? words : shell, .tty = wants_tty(s),
		.container = container.n ? container : plan_label(s->arena, pod.plan->main.name),
		.input = !option_given(s->options, OPTION_NO_STDIN) && !has_no_input() };
	return remote_run(cluster_of(s), &r);
}
