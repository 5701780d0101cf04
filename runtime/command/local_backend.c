/*
 * local_backend.c - runs on this machine as a backend of the commands.
 */
#include "runtime/command/local.h"

#include <unistd.h>

#include "diag/suggest.h"
#include "runtime/command/runs.h"
#include "runtime/local/enter.h"
#include "runtime/local/follow.h"
#include "runtime/local/history.h"
#include "runtime/local/run_dir.h"
#include "runtime/local/watch.h"

static bool local_begin(struct session *s, int *ret_status)
{
	struct str *dir = ARENA_NEW(s->arena, struct str), why;

	s->backend_own = dir;
	if (state_dir(s->arena, dir, &why))
		return true;
	session_say(s, "%.*s", STR_ARG(why));
	*ret_status = STATUS_OUTPUT;
	return false;
}

static void local_end(struct session *s) { s->backend_own = NULL; }

static bool is_among(const struct run_names *all, struct str name)
{
	for (size_t i = 0; i < all->n; i++)
		if (str_eq(all->at[i], name))
			return true;
	return false;
}

/*
 * Is the run left out of lists? Earlier runs are listed only on request; deleting the run that now has their name also
 * removes them.
 */
static bool is_left_out(struct session *s, const struct run_names *all, struct str name)
{
	struct str base;

	if (!run_base(name, &base))
		return false;
	return !option_given(s->options, OPTION_ALL) || (s->options->command == COMMAND_DELETE && is_among(all, base));
}

static bool local_names(struct session *s, struct str ns, struct chosen *ret, int *ret_status)
{
	struct run_names all = run_list(s->arena, local_state_dir(s));

	(void)ns;
	*ret_status = STATUS_DONE;
	for (size_t i = 0; i < all.n; i++) {
		struct chosen_run r = { .name = all.at[i], .listed = true };
		if (is_left_out(s, &all, r.name))
			continue;
		ARENA_PUSH(s->arena, ret->at, ret->n, r);
	}
	return true;
}

static bool local_exists(struct session *s, struct str name)
{
	struct run_names all = run_list(s->arena, local_state_dir(s));

	return is_among(&all, name);
}

/* Warns that a state is old because no keeper confirms it. */
static void say_silent(struct session *s, const struct run_watch *w)
{
	if (local_watch_silent(w))
		session_say(s,
			"run '%.*s': its keeper (process %ld) does not answer; this is the state that it saved last",
			STR_ARG(w->name),
			(long)w->state.keeper.pid);
	else if (w->state.phase == RUN_UNKNOWN && process_alive(&w->state.keeper, w->state.boot_id))
		session_say(s, "run '%.*s': %.*s; 'trainc delete --local --force %.*s' ends it", STR_ARG(w->name),
			STR_ARG(w->state.cause), STR_ARG(w->name));
}

static bool local_open(struct session *s, const struct chosen_run *r, struct run_watch *ret, int *ret_status)
{
	struct str why;

	if (local_watch_open(s->arena, ret, local_state_dir(s), r->name, &why)) {
		say_silent(s, ret);
		return true;
	}
	*ret_status = r->listed ? STATUS_DONE : STATUS_USAGE;
	if (!r->listed)
		session_say(s, "%.*s", STR_ARG(why));
	return false;
}

static struct log_source *local_logs(struct session *s, const struct attend *a, const struct log_choice *choice)
{
	struct follow *f = follow_new(s->arena);

	for (size_t i = 0; i < a->n; i++) {
		struct follow_run r = { local_watch_dir(&a->runs[i]), &a->runs[i].state, choice->wanted,
			choice->context };
		follow_add(f, &r);
	}
	return follow_source(f);
}

/*
 * Sends a request to the run's keeper; false after reporting why it was not carried out. The status is STATUS_REFUSED
 * if the keeper refuses, else STATUS_CONFLICT.
 */
static bool local_ask(struct session *s, const struct run_watch *w, struct str request, int *ret_status)
{
	struct str why;
	int fd;

	*ret_status = STATUS_CONFLICT;
	if (run_phase_final(w->state.phase)) {
		session_say(s, "run '%.*s' has ended: %s", STR_ARG(w->name), run_phase_word(w->state.phase));
		return false;
	}
	if (local_watch_silent(w)) {
		session_say(s, "run '%.*s' was not changed", STR_ARG(w->name));
		return false;
	}
	fd = control_connect(s->arena, local_watch_dir(w), &why);
	enum control_answer got = fd >= 0 ? control_ask(s->arena, fd, request, &why) : CONTROL_GONE;
	if (fd >= 0)
		close(fd);
	if (got == CONTROL_OK)
		return true;
	session_say(s, "run '%.*s': %.*s", STR_ARG(w->name), STR_ARG(why));
	*ret_status = got == CONTROL_REFUSED ? STATUS_REFUSED : STATUS_CONFLICT;
	return false;
}

static bool local_scale(struct session *s, struct run_watch *w, struct str role, struct str number, int *ret_status)
{
	return local_ask(s, w, str_printf(s->arena, "scale %.*s %.*s", STR_ARG(role), STR_ARG(number)), ret_status);
}

static bool local_restart(struct session *s, struct run_watch *w, struct str role, struct str number, int *ret_status)
{
	return local_ask(s, w, str_printf(s->arena, "restart %.*s %.*s", STR_ARG(role), STR_ARG(number)), ret_status);
}

/* Has the command options that are only for a cluster? Here it has the terminal and the input of trainc itself. */
static bool has_cluster_options(struct session *s)
{
	static const enum option options[] = { OPTION_CONTAINER, OPTION_TTY, OPTION_NO_STDIN };

	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		if (option_given(s->options, options[i])) {
			session_say(s, "--%s is for runs in a cluster; with --local, the command enters the replica "
				"itself, with this terminal and standard input", option_row(options[i])->word);
			return true;
		}
	return false;
}

static int local_exec(struct session *s, struct run_watch *w, struct str role, int64_t index, char *const *words)
{
	struct enter what = { .run = &w->state, .role = role, .index = index, .words = words };
	struct entered entered;
	struct str why;

	if (has_cluster_options(s))
		return STATUS_USAGE;
	if (!enter_replica(s->arena, &what, &entered, &why)) {
		session_say(s, "%.*s", STR_ARG(why));
		return STATUS_REFUSED;
	}
	if (entered.over)
		session_say(s, "%.*s/%lld of run '%.*s' has ended, and the command with it", STR_ARG(role),
			(long long)index, STR_ARG(w->name));
	return entered.status;
}

static void add_history(struct session *s, const struct history *all, struct str name, struct run_histories *ret)
{
	struct run_history h = { .name = name, .launches = history_of(all, name) };

	if (h.launches.n)
		ARENA_PUSH(s->arena, ret->at, ret->n, h);
}

static void say_no_history(struct session *s, const struct run_names *all, struct str name)
{
	struct suggest near;

	suggest_init(&near, s->arena, name);
	for (size_t i = 0; i < all->n; i++)
		suggest_add(&near, all->at[i]);
	struct str help = suggest_sentence(&near);
	session_say(s, "no run '%.*s' on this machine, and none is remembered%s%.*s", STR_ARG(name),
		help.n ? "; " : "", STR_ARG(help));
}

static bool local_history(struct session *s, const struct chosen *c, struct run_histories *ret, int *ret_status)
{
	struct history known;

	*ret_status = STATUS_DONE;
	history_open(s->arena, local_state_dir(s), &known);
	if (known.why.n)
		session_say(s, "the history of deleted runs cannot be read: %.*s", STR_ARG(known.why));
	struct run_names all = history_names(&known);
	for (size_t i = 0; i < all.n && !c->n; i++)
		add_history(s, &known, all.at[i], ret);
	for (size_t i = 0; i < c->n; i++) {
		struct str name = c->at[i].name;
		size_t before = ret->n;
		run_base(name, &name);
		if (run_name_valid(name))
			add_history(s, &known, name, ret);
		if (ret->n > before)
			continue;
		say_no_history(s, &all, name);
		*ret_status = STATUS_USAGE;
	}
	return *ret_status == STATUS_DONE || ret->n;
}

static bool local_suspend(struct session *s, struct run_watch *w, bool suspend, int *ret_status)
{
	return local_ask(s, w, suspend ? STR("suspend") : STR("resume"), ret_status);
}

const struct backend backend_local = {
	.option = " --local", .place = "on this machine",
	.begin = local_begin, .end = local_end, .names = local_names, .exists = local_exists, .open = local_open,
	.apply = local_apply, .preview = local_preview, .attach = local_attach, .attach_changed = local_attach_changed,
		.attach_signal = local_attach_signal,
	.attach_end = local_attach_end, .logs = local_logs, .scale = local_scale, .restart = local_restart,
		.exec = local_exec, .forward = local_forward, .sync = local_sync,
		.history = local_history, .suspend = local_suspend,
	.remove = local_remove,
};
