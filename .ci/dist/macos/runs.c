/*
 * runs.c - the commands about runs, in the program for macOS: they need the kernel of Linux or the half for clusters,
 * which are not built there, and say so. A command that is missing in the list below is an error of the linker.
 */
#include "command/program.h"
#include "command/question.h"
#include "runtime/command/backend.h"

static int refuse_run_command(struct session *s)
{
	session_say(s, "'%s' is not in trainc for macOS, which has the compiler only: run it on Linux, such as in a container "
		"or over ssh", command_word(s->options->command));
	if (s->options->command == COMMAND_APPLY || s->options->command == COMMAND_RUN)
		session_say(s, "'trainc compile FILE | kubectl apply -f -' starts the program with kubectl");
	return STATUS_USAGE;
}

bool half_wanted(struct arena *a, const struct options *o)
{
	(void)a;
	return command_group(o->command) == GROUP_RUNS || o->command == COMMAND_SUPERVISE ||
		(o->command == COMMAND_VERSION && option_given(o, OPTION_SERVER)) ||
		(o->command == COMMAND_CODE && option_given(o, OPTION_UPLOAD)) ||
		((o->command == COMMAND_IMPORT || o->command == COMMAND_VENDOR) && option_given(o, OPTION_FROM_CLUSTER));
}

int half_exec(struct session *s, char **argv)
{
	(void)argv;
	return refuse_run_command(s);
}

bool half_begun(int *argc, char **argv)
{
	(void)argc;
	(void)argv;
	return false;
}

/* Where runs are: nowhere. The caller asks only after half_wanted() has said no. */
const struct backend *backend_of(struct session *s)
{
	refuse_run_command(s);
	return NULL;
}

/* Names of runs, for completion: there are none. */
int names_answer(struct session *s, const struct names_question *q)
{
	(void)s;
	(void)q;
	return STATUS_DONE;
}

#define REFUSED(name) int name(struct session *s) { return refuse_run_command(s); }
REFUSED(cmd_run) REFUSED(cmd_apply) REFUSED(cmd_status) REFUSED(cmd_logs) REFUSED(cmd_wait) REFUSED(cmd_list)
REFUSED(cmd_scale) REFUSED(cmd_restart) REFUSED(cmd_exec) REFUSED(cmd_attach) REFUSED(cmd_port_forward) REFUSED(cmd_open)
REFUSED(cmd_top) REFUSED(cmd_suspend) REFUSED(cmd_resume) REFUSED(cmd_delete) REFUSED(cmd_diff) REFUSED(cmd_why)
REFUSED(cmd_events) REFUSED(cmd_cp) REFUSED(cmd_sync) REFUSED(cmd_history) REFUSED(cmd_fit) REFUSED(cmd_env_local)
