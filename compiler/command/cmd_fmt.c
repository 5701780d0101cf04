/*
 * cmd_fmt.c - rewrites programs in the canonical style. Files are rewritten in place, and only if that changes them;
 * standard input is written to standard output. A file with syntax errors is not changed.
 */
#include "base/file.h"
#include "base/words.h"
#include "command/linediff.h"
#include "check/module.h"
#include "command/session.h"
#include "diag/near_file.h"

enum outcome { SAME, CHANGED, REFUSED, FAILED };

/* Mentions CRLF line ends once: they are accepted, but would otherwise cause a difference that is hard to see. */
static void tell_crlf(struct session *s, struct str name, struct str text, bool looking)
{
	size_t n = 0;

	for (size_t i = 1; i < text.n; i++)
		n += text.p[i] == '\n' && text.p[i - 1] == '\r';
	if (n && looking)
		session_say(s, "%.*s: %zu line%s with CRLF, which fmt makes LF", STR_ARG(name), n,
			n == 1 ? " ends" : "s end");
	else if (n)
		session_say(s, "%.*s: %zu line%s ended with CRLF, now with LF", STR_ARG(name), n, n == 1 ? "" : "s");
}

static enum outcome put_formatted(struct session *s, struct str path, struct str before, struct str after)
{
	bool check = option_given(s->options, OPTION_CHECK_ONLY), diff = option_given(s->options, OPTION_DIFF);
	bool same = str_eq(before, after), to_stdout = str_is(path, "-");
	/* escaped, because each line of the list is one name */
	struct str name = to_stdout ? STR("<stdin>") : name_escaped(s->arena, path);
	struct buf out = { 0 };

	if (diff)
		line_diff(s->arena, name, before, after, &out);
	else if (check && !same)
		buf_printf(&out, "%.*s\n", STR_ARG(name));
	else if (!check && to_stdout)
		buf_str(&out, after);
	session_write(s, buf_text(&out));
	buf_release(&out);
	if (!same && !check && !diff && !to_stdout && !session_replace(s, path, after))
		return FAILED;
	tell_crlf(s, name, before, check || diff);
	return same ? SAME : CHANGED;
}

static bool take_formatted(void *context, const char *bytes, size_t n)
{
	buf_put(context, bytes, n);
	return true;
}

static enum outcome format_file(struct session *s, struct str path)
{
	struct trainc *c = trainc_open_reader(&file_reader);
	struct programs one = { .at = &c, .n = 1 };
	enum outcome outcome = REFUSED;
	struct str text, why;
	struct buf out = { 0 };

	if (!file_read_most(&c->arena, path, MODULE_LARGEST, &text, &why)) {
		report_no_reading(&c->diags, &file_reader, path, why, ".tj");
	} else if (trainc_format(c, str_is(path, "-") ? "<stdin>" : path.p, text.p, text.n,
		(struct trainc_output){ &out, take_formatted })) {
		outcome = put_formatted(s, path, text, buf_text(&out));
	}
	if (outcome == REFUSED)
		session_report(s, &one, false);
	buf_release(&out);
	trainc_close(c);
	return outcome;
}

int cmd_fmt(struct session *s)
{
	bool looking = option_given(s->options, OPTION_CHECK_ONLY) || option_given(s->options, OPTION_DIFF);
	int status = STATUS_DONE;

	for (size_t i = 0; i < s->options->noperands; i++) {
		enum outcome outcome = format_file(s, s->options->operands[i]);
		if (outcome == FAILED)
			return STATUS_OUTPUT;
		if (outcome == REFUSED || (outcome == CHANGED && looking))
			status = STATUS_PROGRAM;
	}
	return status;
}
