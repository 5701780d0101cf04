/* cmd_run.c - a program from its start to its verdict, on this machine. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "local.h"
#include "runtime/local/keeper.h"
#include "runtime/local/run_dir.h"

struct followed {
	char name[256];
	int fd;
	struct buf line;
};
struct following {
	struct session *session;
	struct followed at[4096];
	size_t n;
};

static void show(struct following *f, struct followed *x)
{
	char bytes[65536];
	ssize_t n;

	while ((n = read(x->fd, bytes, sizeof bytes)) > 0)
		for (ssize_t i = 0; i < n; i++) {
			buf_char(&x->line, bytes[i]);
			if (bytes[i] == '\n') {
				struct arena a = { 0 };
				session_write(f->session, str_printf(&a, "%s | %.*s", x->name, STR_ARG(buf_text(&x->line))));
				arena_release(&a);
				x->line.n = 0;
			}
		}
}

static void look(struct following *f, struct str logs)
{
	DIR *dir = opendir(logs.p);

	for (const struct dirent *e; dir && (e = readdir(dir));) {
		char *dot = strrchr(e->d_name, '.');
		size_t i = 0;
		if (!dot || strcmp(dot, ".log") != 0)
			continue;
		*dot = '\0';
		while (i < f->n && strcmp(f->at[i].name, e->d_name) != 0)
			i++;
		*dot = '.';
		if (i == f->n && f->n < 4096) {
			snprintf(f->at[i].name, sizeof f->at[i].name, "%.*s", (int)(dot - e->d_name), e->d_name);
			f->at[f->n++].fd = openat(dirfd(dir), e->d_name, O_RDONLY | O_CLOEXEC);
		}
	}
	if (dir)
		closedir(dir);
	for (size_t i = 0; i < f->n; i++)
		show(f, &f->at[i]);
}

static void follow(struct session *s, pid_t pid, struct str logs)
{
	struct following *f = ARENA_NEW(s->arena, struct following);
	struct timespec pause = { 0, 20000000 };

	f->session = s;
	while (waitpid(pid, NULL, WNOHANG) == 0) {
		look(f, logs);
		nanosleep(&pause, NULL);
	}
	look(f, logs);
}

static int verdict(struct session *s, struct str state, struct str run)
{
	struct run_state ended;
	struct str why;

	if (!run_load(s->arena, state, run, &ended, &why)) {
		session_say(s, "%.*s", STR_ARG(why));
		return STATUS_OUTPUT;
	}
	if (ended.phase == RUN_SUCCEEDED)
		return STATUS_DONE;
	session_say(s, "%.*s", STR_ARG(ended.cause));
	return STATUS_FAILED;
}

int cmd_run(struct session *s)
{
	struct engine_options o;
	struct programs all = { 0 };
	struct keeper_start start = { .file = s->options->operands[0], .digest = STR(""), .options = &o, .attached = true, .replace = true };
	struct keeper keeper;
	struct str why;
	int status = STATUS_USAGE;

	if (local_options(s, &o) && local_job(s, &all, &start.job, &status)) {
		if (!state_dir(s->arena, &start.state_dir, &why)) {
			session_say(s, "%.*s", STR_ARG(why));
			status = STATUS_OUTPUT;
		} else if (!keeper_start(s->arena, &start, &keeper, &why, &status)) {
			file_write_all(STDERR_FILENO, why.p, why.n);
		} else {
			file_write_all(STDERR_FILENO, keeper.notes.p, keeper.notes.n);
			follow(s, keeper.pid, str_cat(s->arena, keeper.run_dir, STR("/logs"), STR("")));
			status = verdict(s, start.state_dir, start.job->name);
		}
	}
	session_release(&all);
	return status;
}
