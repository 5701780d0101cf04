/*
 * half.c - finds the program for clusters and replaces this process by it. The program is in libexec/trainc next to
 * the directory of trainc itself, or, in a build, below that directory. Its first argument is the version of trainc,
 * so that it notices when it belongs to another installation.
 */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "base/path.h"
#include "base/version.h"
#include "command/program.h"
#include "command/question.h"

#define HALF "libexec/trainc/trainc-cluster"
#define MARK "--half="

bool half_wanted(struct arena *a, const struct options *o)
{
	struct names_question question;

	if (question_read(a, o, &question))
		return question_of_cluster(&question);
	if (o->command == COMMAND_VERSION)
		return option_given(o, OPTION_SERVER);
	if (o->command == COMMAND_SUPERVISE)
		return true;
	if (o->command == COMMAND_CODE)
		return option_given(o, OPTION_UPLOAD);
	if (o->command == COMMAND_IMPORT || o->command == COMMAND_VENDOR)
		return option_given(o, OPTION_FROM_CLUSTER);
	return command_group(o->command) == GROUP_RUNS && !option_given(o, OPTION_LOCAL) &&
		!option_given(o, OPTION_FROM) &&
		!option_given(o, OPTION_NODES);
}

/* Returns the directory of this program's executable. */
static struct str own_directory(struct arena *a)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path);

	return n > 0 ? str_copy(a, path_directory((struct str){ path, (size_t)n })) : STR(".");
}

int half_exec(struct session *s, char **argv)
{
	static const char *const places[] = { "/" HALF, "/../" HALF };
	struct str directory = own_directory(s->arena), path = STR("");
	char **args = NULL;
	size_t n = 0;
	char mark[] = MARK TRAINC_VERSION;

	ARENA_PUSH(s->arena, args, n, argv[0]);
	ARENA_PUSH(s->arena, args, n, mark);
	for (char **v = argv + 1; *v; v++)
		ARENA_PUSH(s->arena, args, n, *v);
	ARENA_PUSH(s->arena, args, n, NULL);
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		path = path_join(s->arena, directory, str_of(places[i] + 1));
		path = str_copy(s->arena, path);
		execv(path.p, args);
		if (errno != ENOENT)
			break;
	}
	session_say(s, "'%s' needs %.*s, which cannot be started: %.*s; install both parts of trainc",
		command_word(s->options->command),
	            STR_ARG(path), STR_ARG(file_reason(s->arena, errno)));
	session_say_without_cluster(s);
	return STATUS_OUTPUT;
}

struct str half_mark(void) { return STR(MARK TRAINC_VERSION); }

bool half_begun(int *argc, char **argv)
{
	const char *mark = *argc > 1 ? argv[1] : "";

	if (strncmp(mark, MARK, strlen(MARK)) != 0) {
		fputs("trainc-cluster is a part of trainc and is started by it; run trainc instead\n", stderr);
		return false;
	}
	if (strcmp(mark + strlen(MARK), TRAINC_VERSION) != 0) {
		fprintf(stderr, "trainc: this is trainc %s, but the installed trainc-cluster is %s; install both parts "
			"of one version\n",
		        mark + strlen(MARK), TRAINC_VERSION);
		return false;
	}
	for (int i = 1; i < *argc; i++)
		argv[i] = argv[i + 1];
	--*argc;
	return true;
}
