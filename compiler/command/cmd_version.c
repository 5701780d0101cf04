/* cmd_version.c - prints information about trainc itself: version, help, completion. */
#include "base/restriction.h"
#include "base/version.h"
#include "command/completion.h"
#include "command/linked.h"
#include "command/program.h"
#include "command/session.h"
#include "kube/kube_version.h"
#include "runtime/command/names.h"

static void put_version_json(struct buf *out, struct str server)
{
	buf_printf(out, "{\"schemaVersion\":1,\"version\":\"%s\",", TRAINC_VERSION);
	if (*linked_commit)
		buf_printf(out, "\"commit\":\"%s\",", linked_commit);
	buf_printf(out, "\"kubernetes\":{\"oldest\":\"1.%d\",\"newest\":\"1.%d\",\"default\":\"1.%d\"},\"libraries\":",
		KUBE_OLDEST, KUBE_NEWEST, KUBE_DEFAULT);
	linked_json(out);
	buf_printf(out, ",\"restrictions\":{\"seccomp\":%s,\"landlock\":%d}", restriction_filters() ? "true" : "false",
		restriction_landlock());
	if (server.n)
		buf_printf(out, ",\"server\":\"%.*s\"", STR_ARG(server));
	buf_z(out, "}\n");
}

/* The commit in a form that people can read out, and whether the tree had changes. */
static void put_short_commit(struct buf *out)
{
	const char *changed = strchr(linked_commit, '-');

	if (*linked_commit)
		buf_printf(out, " (%.8s%s)", linked_commit, changed ? changed : "");
}

static void put_version_text(const struct session *s, struct buf *out, struct str server)
{
	buf_z(out, "trainc " TRAINC_VERSION);
	put_short_commit(out);
	buf_printf(out, "\nKubernetes 1.%d to 1.%d, 1.%d by default\n", KUBE_OLDEST, KUBE_NEWEST, KUBE_DEFAULT);
	if (option_given(s->options, OPTION_LIBRARIES)) {
		buf_printf(out, "%s%s%s", *linked_commit ? "commit " : "", linked_commit, *linked_commit ? "\n" : "");
		linked_text(out);
	}
	if (server.n)
		buf_printf(out, "API server %.*s\n", STR_ARG(server));
}

int cmd_version(struct session *s)
{
	struct str server = STR("");
	struct buf out = { 0 };
	int status;

	if (option_given(s->options, OPTION_SERVER) && s->half && !s->half->server_version(s, &server, &status))
		return status;
	if (str_is(option_value(s->options, OPTION_OUTPUT), "json"))
		put_version_json(&out, server);
	else
		put_version_text(s, &out, server);
	session_write(s, buf_text(&out));
	buf_release(&out);
	return STATUS_DONE;
}

int cmd_completion(struct session *s)
{
	struct str shell = s->options->operands[0];
	struct names_question question;
	struct buf out = { 0 };
	int status = STATUS_DONE;

	if (question_read(s->arena, s->options, &question))
		return names_answer(s, &question);
	if (s->options->noperands > 1) {
		session_say(s, "completion takes one operand, found '%.*s' too", STR_ARG(s->options->operands[1]));
		return STATUS_USAGE;
	}
	if (!completion_script(s->arena, shell, &out)) {
		session_say(s, "no completion for '%.*s'; it is bash, zsh or fish", STR_ARG(shell));
		status = STATUS_USAGE;
	}
	session_write(s, buf_text(&out));
	buf_release(&out);
	return status;
}

int cmd_help(struct session *s)
{
	const struct options *o = s->options;
	struct buf out = { 0 };
	int status = STATUS_DONE;

	if (!o->noperands) {
		options_help(&out);
	} else if (!options_help_of(o->operands[0], &out)) {
		struct str why = command_unknown(s->arena, o->operands[0]);
		session_say(s, "%.*s", (int)(why.n - strlen("trainc: ") - 1), why.p + strlen("trainc: "));
		status = STATUS_USAGE;
	}
	session_write(s, buf_text(&out));
	buf_release(&out);
	return status;
}
