/*
 * cmd_eval.c - prints the value of an expression, or the values of expressions that are entered line by line. For
 * every line the program is compiled again, together with the declarations of earlier lines. A line with an error
 * adds no declaration. A file that was edited between two lines is read again.
 */
#include <errno.h>
#include <unistd.h>

#include "base/file.h"
#include "base/version.h"
#include "base/words.h"
#include "command/ask.h"
#include "syntax/part.h"

enum {
	PIECE_MOST = 64 * 1024,         /* maximum bytes of one declaration or expression, and of all declarations
					 * together */
	PIECE_LINES = 1000,
	LINES_MOST = 10000,             /* maximum number of lines in a session: each costs a compilation */
	TEXT_MOST = 16 << 20
};

/* ---- lines ---- */

struct input {
	struct buf text;                /* the text that was read so far */
	size_t at;                      /* offset of the next line in the text */
	size_t line;                    /* number of the next line, from 1 */
	bool ended, terminal;
};

static void prompt(const struct input *in, const char *text)
{
	if (in->terminal)
		session_ask(text);
}

static void read_more(struct input *in)
{
	char bytes[4096];
	ssize_t n = 0;

	do
		n = read(STDIN_FILENO, bytes, sizeof bytes);
	while (n < 0 && errno == EINTR);
	in->ended = n <= 0;
	if (n > 0)
		buf_put(&in->text, bytes, (size_t)n);
}

/* Returns the next line, including its line end, but does not consume it; false if no line is left. */
static bool peek_line(struct input *in, const char *question, struct str *ret)
{
	size_t searched = in->at;
	const char *newline;

	if (in->at == in->text.n)
		prompt(in, question);
	while (!(newline = memchr(in->text.p ? in->text.p + searched : "", '\n', in->text.n - searched)) &&
		!in->ended &&
	       in->text.n < TEXT_MOST) {
		searched = in->text.n;
		read_more(in);
	}
	size_t end = newline ? (size_t)(newline - in->text.p) + 1 : in->text.n;
	*ret = end > in->at ? (struct str){ in->text.p + in->at, end - in->at } : STR("");
	return end > in->at && in->text.n < TEXT_MOST;
}

static void skip_line(struct input *in, struct str line)
{
	in->at += line.n;
	in->line++;
}

/* ---- pieces: complete declarations and expressions ---- */

static struct part look_at_part(struct str text)
{
	struct arena scratch = { 0 };
	struct part part = part_of(&scratch, text);

	arena_release(&scratch);
	return part;
}

static bool is_blank_line(struct str line)
{
	for (size_t i = 0; i < line.n; i++)
		if (!strchr(" \t\r\n", line.p[i]))
			return false;
	return true;
}

/* Does LINE show that a bracket in the text before it was left open by mistake? */
static bool begins_anew(const struct input *in, const struct part *before, struct str line)
{
	if (in->terminal && is_blank_line(line))
		return true;
	return !before->in_string && line.p[0] > ' ' && look_at_part(line).declaration;
}

/* Reads a line, and further lines as long as a bracket is open; returns false at the end of the input. */
static bool next_piece(struct input *in, struct str *ret, struct part *ret_part)
{
	struct str line;
	struct part part;
	size_t start = in->at, lines = 1;

	if (!peek_line(in, "> ", &line))
		return false;
	skip_line(in, line);
	part = look_at_part(line);
	while (part.open && in->at - start <= PIECE_MOST && lines++ < PIECE_LINES && peek_line(in, "... ", &line) &&
	       !begins_anew(in, &part, line)) {
		skip_line(in, line);
		part = look_at_part((struct str){ in->text.p + start, in->at - start });
	}
	*ret = (struct str){ in->text.p + start, in->at - start };
	/* parses the text again: the name in the part points into the text, which may have moved while more was read */
	*ret_part = look_at_part(*ret);
	return true;
}

/* ---- a session ---- */

struct declared {
	struct str name, text;
	size_t line;
};

struct talk {
	struct session *session;
	struct str program, place;
	struct declared *at;
	size_t n;
	size_t kept;                    /* total number of bytes of all declarations */
	bool failed;
};

/* Joins the declarations so far and TEXT, each on its own line. Leaves out the declaration that NAME replaces. */
static struct str compose(const struct talk *k, struct arena *a, struct str name, struct str text, size_t line,
	size_t *ret_start)
{
	struct buf all = { 0 };
	size_t at = 1;

	for (size_t i = 0; i < k->n; i++) {
		const struct declared *d = &k->at[i];
		if (name.n && str_eq(d->name, name))
			continue;
		for (; at < d->line; at++)
			buf_char(&all, '\n');
		buf_str(&all, d->text);
		for (size_t c = 0; c < d->text.n; c++)
			at += d->text.p[c] == '\n';
	}
	for (; at < line; at++)
		buf_char(&all, '\n');
	*ret_start = all.n;
	buf_str(&all, text);
	struct str whole = buf_take(&all, a);
	buf_release(&all);
	return whole;
}

/* Keeps a declaration, which replaces an earlier one of the same name. */
static void keep_declaration(struct talk *k, struct str name, struct str text, size_t line)
{
	struct arena *a = k->session->arena;
	size_t n = 0;

	for (size_t i = 0; i < k->n; i++) {
		if (name.n && str_eq(k->at[i].name, name))
			k->kept -= k->at[i].text.n;
		else
			k->at[n++] = k->at[i];
	}
	k->n = n;
	k->kept += text.n;
	ARENA_PUSH(a, k->at, k->n, ((struct declared){ str_copy(a, name), str_copy(a, text), line }));
}

static bool too_much(struct talk *k, const struct part *part, struct str text)
{
	if (text.n <= PIECE_MOST && (!part->declaration || k->kept + text.n <= PIECE_MOST))
		return false;
	session_say(k->session, "%s; put the declarations in a file: trainc eval EXPR FILE",
	            text.n > PIECE_MOST ? "this is larger than 64 KiB" :
	"the declarations together are larger than 64 KiB");
	return true;
}

/* Prints a value. On a terminal, control characters in it are escaped, because a value may contain any characters. */
static void print(struct session *s, struct str answer)
{
	struct buf shown = { 0 };

	if (!isatty(STDOUT_FILENO)) {
		session_write(s, answer);
		return;
	}
	for (size_t i = 0; i < answer.n;) {
		const char *newline = memchr(answer.p + i, '\n', answer.n - i);
		size_t end = newline ? (size_t)(newline - answer.p) : answer.n;
		put_escaped(&shown, (struct str){ answer.p + i, end - i });
		buf_z(&shown, newline ? "\n" : "");
		i = end + 1;
	}
	session_write(s, buf_text(&shown));
	buf_release(&shown);
}

/* Keeps a declaration, or prints the value of an expression; returns false after a report. */
static bool put_talk(struct talk *k, const struct part *part, struct str text, size_t line)
{
	struct arena scratch = { 0 };
	struct question q = { .program = k->program, .place = k->place };
	struct str answer;
	size_t start;

	if (too_much(k, part, text))
		return false;
	q.text = compose(k, &scratch, part->declaration ? part->name : STR(""), text, line, &start);
	q.expression = part->declaration ? q.text.n : start;
	bool ok = ask(k->session, &scratch, &q, &answer);
	if (ok && part->declaration)
		keep_declaration(k, part->name, text, line);
	print(k->session, answer);
	arena_release(&scratch);
	return ok;
}

static bool is_exit(const struct input *in, struct str text)
{
	return in->terminal && (str_is(text, "exit\n") || str_is(text, "quit\n"));
}

static void converse(struct talk *k, struct input *in)
{
	struct str text;
	struct part part;

	for (size_t n = 0, line = in->line; next_piece(in, &text, &part) && !k->session->gone &&
		!k->session->error; line = in->line) {
		if (is_exit(in, text))
			return;
		if (!part.empty && ++n > LINES_MOST) {
			session_say(k->session,
				"at most %d lines; put the declarations in a file: trainc eval EXPR FILE", LINES_MOST);
			k->failed = true;
			return;
		}
		if (!part.empty && !put_talk(k, &part, text, line))
			k->failed = true;
	}
	if (in->text.n >= TEXT_MOST) {
		session_say(k->session, "at most 16 MiB of lines");
		k->failed = true;
	}
}

/* Before the first line is read, reports what is wrong with the program itself. Returns false if anything is. */
static bool is_sound(struct talk *k)
{
	struct question q = { .program = k->program, .place = k->place, .text = STR("") };
	struct str answer;

	return ask(k->session, k->session->arena, &q, &answer);
}

static int converse_on_input(struct talk *k)
{
	struct input in = { .line = 1, .terminal = isatty(STDIN_FILENO) };

	k->place = STR("<stdin>");
	if (k->program.p && !is_sound(k))
		return STATUS_PROGRAM;
	if (in.terminal)
		session_ask("trainc " TRAINC_VERSION ": an expression, 'let NAME = VALUE' or 'import MODULE'; Ctrl-D "
			"ends\n");
	converse(k, &in);
	prompt(&in, "\n");
	buf_release(&in.text);
	return k->failed && !in.terminal ? STATUS_PROGRAM : STATUS_DONE;
}

/* Handles an operand: one expression, or several lines with declarations and expressions. */
static int converse_on_operand(struct talk *k, struct str text)
{
	struct input in = { .line = 1, .ended = true };
	struct part part = look_at_part(text);

	k->place = STR("command line");
	if (part.empty) {
		session_say(k->session, "the expression is empty: trainc eval '1 + 1'");
		return STATUS_USAGE;
	}
	if (!part.declaration) {
		k->failed = !put_talk(k, &part, text, 1);
	} else {
		buf_str(&in.text, text);
		converse(k, &in);
		buf_release(&in.text);
	}
	return k->failed ? STATUS_PROGRAM : STATUS_DONE;
}

static bool names_program(struct str operand) { return str_ends(operand, STR(".tj")) || str_is(operand, "-"); }

int cmd_eval(struct session *s)
{
	const struct options *o = s->options;
	struct talk k = { .session = s };
	/* checks the options here, so that errors in them are not repeated for each line */
	struct trainc *t = session_open(s);

	if (!t)
		return STATUS_USAGE;
	trainc_close(t);
	if (o->noperands == 2 && names_program(o->operands[0]) && !names_program(o->operands[1])) {
		session_say(s, "the expression comes first: trainc eval '%.*s' %.*s", STR_ARG(o->operands[1]),
			STR_ARG(o->operands[0]));
		return STATUS_USAGE;
	}
	if (o->noperands == 2)
		k.program = o->operands[1];
	else if (o->noperands == 1 && names_program(o->operands[0]))
		k.program = o->operands[0];
	bool expression = o->noperands == 2 || (o->noperands == 1 && !k.program.p);
	if (!expression && k.program.p && str_is(k.program, "-")) {
		session_say(s, "'-' is both the program and the expressions; give an expression: trainc eval EXPR -");
		return STATUS_USAGE;
	}
	return expression ? converse_on_operand(&k, o->operands[0]) : converse_on_input(&k);
}
