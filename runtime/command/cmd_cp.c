/* cmd_cp.c - copies files and directories out of a replica, or into one. */
#include <stdlib.h>

#include "base/json_write.h"
#include "runtime/command/copy.h"
#include "runtime/command/runs.h"

/*
 * Is the operand a path in a replica, RUN:ROLE/N:PATH? RUN may be a file, so it may have slashes; a path of this
 * machine that looks like this is written with ./ in front.
 */
static bool is_remote(struct str operand, struct str *run, struct str *replica, struct str *path)
{
	const char *first = operand.n ? memchr(operand.p, ':', operand.n) : NULL;
	size_t n = first ? (size_t)(first - operand.p) : 0;
	struct str rest = first ? (struct str){ first + 1, operand.n - n - 1 } : STR("");
	const char *second = rest.n ? memchr(rest.p, ':', rest.n) : NULL;

	if (!n || !second || str_starts(operand, STR("./")) || str_starts(operand, STR("/")))
		return false;
	*run = (struct str){ operand.p, n };
	*replica = (struct str){ rest.p, (size_t)(second - rest.p) };
	*path = (struct str){ second + 1, rest.n - replica->n - 1 };
	return memchr(replica->p, '/', replica->n) || memchr(replica->p, '-', replica->n);
}

/* Reads both operands; false after reporting what is wrong with them. */
static bool read_operands(struct session *s, struct copy *c, struct str *run)
{
	struct str runs[2], replicas[2], paths[2], number;
	bool remote[2];

	for (size_t i = 0; i < 2; i++)
		remote[i] = is_remote(s->options->operands[i], &runs[i], &replicas[i], &paths[i]);
	if (remote[0] == remote[1]) {
		session_say(s, remote[0] ? "both paths are in replicas; copy to this machine first"
			: "no path is in a replica; write RUN:ROLE/N:PATH, such as bert:worker/0:/outputs");
		return false;
	}
	size_t there = remote[0] ? 0 : 1;
	c->in = there == 1;
	c->there = paths[there];
	c->there_text = s->options->operands[there];
	c->here = s->options->operands[1 - there];
	c->force = option_given(s->options, OPTION_FORCE);
	*run = str_copy(s->arena, runs[there]);
	if (!c->there.n || !c->here.n) {
		session_say(s, "'%.*s' has no path", STR_ARG(s->options->operands[c->there.n ? 1 - there : there]));
		return false;
	}
	if (!runs_replica(s, replicas[there], &c->role, &number))
		return false;
	c->index = strtoll(number.p, NULL, 10);
	return true;
}

static void tell_copied(struct session *s, const struct copy *c)
{
	struct buf b = { 0 }, size = { 0 };
	struct json_writer w = { .out = &b, .spaced = true };

	if (str_is(option_value(s->options, OPTION_OUTPUT), "json")) {
		json_open(&w, '{');
		json_add_int(&w, "schemaVersion", 1);
		json_add_text(&w, "to", c->to);
		json_add_int(&w, "files", (int64_t)c->files);
		json_add_int(&w, "bytes", (int64_t)c->bytes);
		json_close(&w, '}');
		buf_char(&b, '\n');
		session_write(s, buf_text(&b));
	} else {
		put_memory(&size, (int64_t)c->bytes);
		buf_printf(&b, "%.*s: %zu file%s, %.*s\n", STR_ARG(c->to), c->files, c->files == 1 ? "" : "s",
			STR_ARG(buf_text(&size)));
		session_print(s, buf_text(&b));
	}
	buf_release(&b);
	buf_release(&size);
}

static int copy_files(struct session *s, const struct backend *b, struct attend *a, struct copy *c)
{
	c->role = runs_role_name(&a->runs[0], c->role);
	int status = b->copy(s, &a->runs[0], c);
	if (status == STATUS_DONE)
		tell_copied(s, c);
	return status;
}

int cmd_cp(struct session *s)
{
	struct options one = *s->options;
	const struct options *given = s->options;
	struct copy c = { 0 };
	struct attend a;
	struct str run = STR("");
	int status = STATUS_USAGE;

	if (!read_operands(s, &c, &run))
		return STATUS_USAGE;
	one.operands = &run;            /* the run is the only operand that names one */
	one.noperands = 1;
	s->options = &one;
	const struct backend *b = backend_begin(s, &a, &status);
	if (!b) {
		s->options = given;
		return status;
	}
	if (!b->copy)
		session_say(s, "the files of replicas %s are here already: 'trainc exec --local %.*s %.*s/%lld' enters "
			"a replica and sees them as it does", b->place, STR_ARG(run), STR_ARG(c.role),
			(long long)c.index);
	else if (runs_watch_one(s, b, &a, &status))
		status = copy_files(s, b, &a, &c);
	status = backend_end(s, &a, status);
	s->options = given;
	return status;
}
