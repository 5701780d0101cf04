/* view_process.c - see view_process.h. */
#include "runtime/command/view_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system.h"
#include "command/program.h"

/* Options that say where runs are. */
static bool is_of_place(enum option o)
{
	static const enum option all[] = { OPTION_LOCAL, OPTION_KUBECONFIG, OPTION_CONTEXT, OPTION_AS,
		OPTION_RETRY_TIMEOUT };

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i] == o)
			return true;
	return false;
}

/* Options that `list` has, too: others of the command that the view belongs to mean nothing to it. */
static bool list_has_option(enum option o)
{
	for (const struct option_row *r = option_next(COMMAND_LIST, NULL); r; r = option_next(COMMAND_LIST, r))
		if (r->option == o)
			return true;
	return false;
}

static void add_argument(struct arena *a, char ***words, size_t *n, struct str word)
{
	ARENA_PUSH(a, *words, *n, str_cat_chars(a, word, STR(""), STR("")));
}

static char **command_words(struct arena *a, struct session *s, const char *const *words, bool all)
{
	char **ret = NULL, *end = NULL;
	size_t n = 0;

	add_argument(a, &ret, &n, STR("trainc"));
	if (s->half)
		add_argument(a, &ret, &n, half_mark());
	add_argument(a, &ret, &n, str_of(words[0]));
	for (size_t i = 0; i < s->options->ngiven; i++) {
		const struct given *g = &s->options->given[i];
		bool own = g->option == OPTION_WATCH || g->option == OPTION_OUTPUT;
		if (own || !(all ? list_has_option(g->option) : is_of_place(g->option)))
			continue;
		struct str name = str_cat(a, STR("--"), str_of(option_row(g->option)->word), STR(""));
		add_argument(a, &ret, &n, g->value.n ? str_cat(a, name, STR("="), g->value) : name);
	}
	for (size_t i = 1; words[i]; i++)
		add_argument(a, &ret, &n, str_of(words[i]));
	ARENA_PUSH(a, ret, n, end);
	return ret;
}

/* Becomes the command. The kernel ends it when the view ends, however that happens. */
static _Noreturn void become_command(char **words, int out, pid_t view)
{
	int nothing = open("/dev/null", O_RDONLY);
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	system_end_with_parent();
	if (getppid() == view && nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
		dup2(out, STDERR_FILENO) >= 0)
		system_exec_self(words);
	_exit(STATUS_INTERNAL);
}

bool view_process_start(struct session *s, const char *const *words, bool all, struct view_process *ret)
{
	struct arena scratch = { 0 };
	int out[2] = { -1, -1 };
	pid_t view = getpid();

	*ret = (struct view_process){ .out = -1 };
	if (pipe2(out, O_CLOEXEC) != 0)
		return false;
	char **argv = command_words(&scratch, s, words, all);
	ret->pid = fork();
	if (ret->pid == 0)
		become_command(argv, out[1], view);
	arena_release(&scratch);
	close(out[1]);
	if (ret->pid < 0) {
		close(out[0]);
		return false;
	}
	ret->out = out[0];
	fcntl(ret->out, F_SETFL, O_NONBLOCK);
	return true;
}

int view_process_end(struct view_process *p)
{
	int how = 0;

	if (p->out < 0)
		return -1;
	close(p->out);
	p->out = -1;
	kill(p->pid, SIGKILL);
	while (waitpid(p->pid, &how, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(how) ? WEXITSTATUS(how) : -1;
}
