/*
 * process_end.c - see process_end.h. A command that does not exist has no reason of its own in a Status; only the
 * message of the container runtime names it.
 */
#include "runtime/cluster/process_end.h"

#include <stdlib.h>

#include "data/data_read.h"

enum { NOT_EXECUTABLE = 126, NOT_FOUND = 127, CODE_MOST = 255 };

/* What container runtimes (runc, crun, gVisor, Kata) write about a command that they cannot execute. */
static const struct {
	const char *text;
	int code;
} phrases[] = {
	{ "executable file not found", NOT_FOUND }, { "no such file or directory", NOT_FOUND },
	{ "not found in $PATH", NOT_FOUND }, { "permission denied", NOT_EXECUTABLE },
	{ "exec format error", NOT_EXECUTABLE }, { "is a directory", NOT_EXECUTABLE },
};

static struct str status_member(const struct data *map, const char *name)
{
	const struct data *d = map && map->kind == DATA_MAP ? data_get(map, str_of(name)) : NULL;

	return d && d->kind == DATA_STRING ? d->u.string : STR("");
}

/* The exit status in the causes of a Status; -1 if there is none. */
static int exit_code(struct arena *a, const struct data *status)
{
	const struct data *details = data_get(status, STR("details"));
	const struct data *causes = details && details->kind == DATA_MAP ? data_get(details, STR("causes")) : NULL;

	for (size_t i = 0; causes && causes->kind == DATA_LIST && i < causes->u.list.n; i++) {
		const struct data *cause = causes->u.list.at[i];
		struct str text = status_member(cause, "message");
		char *end;
		if (!str_is(status_member(cause, "reason"), "ExitCode") || !text.n)
			continue;
		long code = strtol(str_copy(a, text).p, &end, 10);
		return *end || code < 0 || code > CODE_MOST ? -1 : (int)code;
	}
	return -1;
}

/* The exit status that a shell gives for the failure in MESSAGE; 0 if it is another failure. */
static int code_of(struct str message)
{
	for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++)
		if (message.n && strcasestr(message.p, phrases[i].text))
			return phrases[i].code;
	return 0;
}

bool process_end_read(struct arena *a, struct str text, struct process_end *ret)
{
	struct source source = { .text = str_copy(a, text), .base = 1 };
	struct data *root = NULL;
	struct data_error error;

	*ret = (struct process_end){ 0 };
	if (!data_read_json(a, &source, &root, &error) || root->kind != DATA_MAP)
		return false;
	struct str status = status_member(root, "status");
	int code = exit_code(a, root);
	if (str_is(status, "Success") || (code >= 0 && str_is(status_member(root, "reason"), "NonZeroExitCode"))) {
		ret->started = true;
		ret->code = str_is(status, "Success") ? 0 : code;
		return true;
	}
	ret->message = str_copy(a, status_member(root, "message"));
	ret->code = code_of(ret->message);
	return str_is(status, "Failure") || ret->message.n;
}
