/*
 * program.c - has the table of commands, and the setup that each needs: descriptors, signals, options, the status.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "base/file.h"
#include "command/program.h"
#include "command/operands.h"
#include "command/restricted.h"

static int (*const run[COMMANDS])(struct session *) = {
	[COMMAND_COMPILE] = cmd_compile,
	[COMMAND_CHECK] = cmd_check,
	[COMMAND_ENV] = cmd_env,
	[COMMAND_PLAN] = cmd_plan,
	[COMMAND_CODE] = cmd_code,
	[COMMAND_EVAL] = cmd_eval,
	[COMMAND_RUN] = cmd_run,
	[COMMAND_APPLY] = cmd_apply,
	[COMMAND_STATUS] = cmd_status,
	[COMMAND_LOGS] = cmd_logs,
	[COMMAND_WAIT] = cmd_wait,
	[COMMAND_LIST] = cmd_list,
	[COMMAND_SCALE] = cmd_scale, [COMMAND_RESTART] = cmd_restart, [COMMAND_EXEC] = cmd_exec,
		[COMMAND_ATTACH] = cmd_attach,
		[COMMAND_PORT_FORWARD] = cmd_port_forward, [COMMAND_OPEN] = cmd_open,
		[COMMAND_TOP] = cmd_top,
	[COMMAND_SUSPEND] = cmd_suspend,
	[COMMAND_RESUME] = cmd_resume,
	[COMMAND_DELETE] = cmd_delete,
	[COMMAND_DIFF] = cmd_diff,
	[COMMAND_WHY] = cmd_why, [COMMAND_EVENTS] = cmd_events, [COMMAND_CP] = cmd_cp, [COMMAND_SYNC] = cmd_sync,
		[COMMAND_HISTORY] = cmd_history, [COMMAND_FIT] = cmd_fit,
	[COMMAND_FMT] = cmd_fmt,
	[COMMAND_TEST] = cmd_test,
	[COMMAND_IMPORT] = cmd_import, [COMMAND_EXPLAIN] = cmd_explain,
	[COMMAND_DOC] = cmd_doc,
	[COMMAND_SKILL] = cmd_skill,
	[COMMAND_INIT] = cmd_init,
	[COMMAND_VENDOR] = cmd_vendor,
	[COMMAND_LSP] = cmd_lsp,
	[COMMAND_MCP] = cmd_mcp,
	[COMMAND_DUMP] = cmd_dump,
	[COMMAND_COMPLETION] = cmd_completion,
	[COMMAND_VERSION] = cmd_version,
	[COMMAND_SUPERVISE] = cmd_supervise,
	[COMMAND_HELP] = cmd_help,
};

/*
 * Opens closed standard descriptors: otherwise the next file that is opened would get the number of a standard
 * descriptor, and output would end up in it. A closed standard output is replaced by a descriptor that cannot be
 * written to, so that writing still fails.
 */
static void reserve_descriptors(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY);
}

/* Standard input, which can be read once, and is kept: some commands compile a program twice. */
struct given_input {
	struct arena *arena;
	bool read, ok;
	struct str text, why;
};

static bool read_once(void *context, struct arena *a, struct str path, struct str *ret, struct str *why)
{
	struct given_input *in = context;

	if (!str_is(path, "-"))
		return file_reader.read(NULL, a, path, ret, why);
	if (!in->read)
		in->ok = file_reader.read(NULL, in->arena, path, &in->text, &in->why);
	in->read = true;
	*ret = in->text;
	*why = in->why;
	return in->ok;
}

static int run_command(struct session *s, struct options *o)
{
	struct str why;

	if (operands_expand(s->arena, s->reader, o, &why)) {
		restricted_begin(s);
		return session_end(s, run[o->command](s));
	}
	session_say(s, "%.*s", STR_ARG(why));
	return STATUS_PROGRAM;
}

int program_main(int argc, char **argv, const struct program_half *half)
{
	struct arena arena = { 0 };
	struct options options = { 0 };
	struct str why = STR("");
	struct given_input input = { .arena = &arena };
	struct reader reader = file_reader;
	struct session session = { .arena = &arena, .options = &options, .reader = &reader, .half = half,
		.cluster = half ? half->backend : NULL };
	int status = STATUS_USAGE;

	reader.context = &input;
	reader.read = read_once;
	reserve_descriptors();
	signal(SIGPIPE, SIG_IGN);       /* writing to a closed pipe fails, and must not end the process */
	signal(SIGXFSZ, SIG_IGN);       /* exceeding the limit on file sizes must not end it either */
	if (options_parse(&arena, argc - 1, argv + 1, &options, &why)) {
		/* the stream to which messages with colors go */
		int fd = options.command == COMMAND_EXPLAIN ? STDOUT_FILENO : STDERR_FILENO;
		session.render.colour = session_colour(option_value(&options, OPTION_COLOR), fd);
		session.render.width = session_width(fd);
		if (!half && half_wanted(&arena, &options))
			status = half_exec(&session, argv);
		else
			status = run_command(&session, &options);
	} else {
		file_write_all(STDERR_FILENO, why.p, why.n);
	}
	arena_release(&arena);
	return status;
}
