/*
 * builtin_commands.c - commands(): the commands that a command line starts. Library modules use it to find a launcher
 * behind a shell, `env`, `uv run` and the like. The script of a shell is divided into its commands as far as they are
 * plain; a word whose value only the shell knows is cut where it becomes unknown, and loops or functions are not
 * followed. `python -m MODULE` is the command MODULE.
 */
#include "eval/builtin.h"

enum { MOST_SHELLS = 4 };               /* shells that start shells */

struct commands {
	struct arguments *a;
	const struct value *through;    /* the programs that start other programs, with their options that take a
					 * value; NULL if there are none */
	struct value *all;
};

struct line_words {
	struct str *at;
	size_t n;
};

static struct str base_of(struct str path)
{
	const char *slash = path.n ? memrchr(path.p, '/', path.n) : NULL;

	return slash ? (struct str){ slash + 1, path.n - (size_t)(slash + 1 - path.p) } : path;
}

static struct line_words rest_of(struct line_words w, size_t first)
{
	first = first < w.n ? first : w.n;
	return (struct line_words){ w.at + first, w.n - first };
}

static bool has_option(const struct value *options, struct str word)
{
	for (size_t i = 0; options && options->kind == VALUE_LIST && i < options->u.list.n; i++)
		if (options->u.list.at[i]->kind == VALUE_STRING && str_eq(options->u.list.at[i]->u.string, word))
			return true;
	return false;
}

/* NAME=VALUE, as `env` and shells take it before a command. */
static bool sets_variable(struct str word)
{
	size_t i = 0;

	while (i < word.n && (word.p[i] == '_' || (unsigned)((word.p[i] | 32) - 'a') < 26 ||
		(i && (unsigned)(word.p[i] - '0') < 10)))
		i++;
	return i && i < word.n && word.p[i] == '=';
}

/* Removes the options at the front, of which OPTIONS take the next word, and what sets variables. */
static struct line_words after_options(struct line_words w, const struct value *options)
{
	while (w.n && ((w.at->n > 1 && w.at->p[0] == '-') || sets_variable(*w.at))) {
		bool last = str_is(*w.at, "--");
		w = rest_of(w, has_option(options, *w.at) ? 2 : 1);
		if (last)
			break;
	}
	return w;
}

/* If W begins with a program that starts another one, removes it. */
static bool step_through(const struct commands *c, struct line_words *w)
{
	struct arena *a = c->a->ev->arena;
	struct str name = base_of(*w->at);
	const struct value *options = c->through ? value_get(c->through, name) : NULL;
	size_t words = 1;

	if (sets_variable(*w->at)) {
		*w = rest_of(*w, 1);
		return true;
	}
	if (!options && c->through && w->n > 1) {
		options = value_get(c->through, str_printf(a, "%.*s %.*s", STR_ARG(name), STR_ARG(w->at[1])));
		words = 2;
	}
	if (!options)
		return false;
	*w = after_options(rest_of(*w, words), options);
	return true;
}

static bool add_command(struct commands *c, struct line_words w)
{
	struct eval *ev = c->a->ev;
	struct value *list = value_new(ev->arena, VALUE_LIST, c->a->call->span);

	for (size_t i = 0; i < w.n; i++)
		if (!list_add(ev, list, value_string(ev->arena, w.at[i], c->a->call->span)))
			return false;
	return list_add(ev, c->all, list_finish(ev, list));
}

/* The words of `python -m MODULE ...` from MODULE on; W itself if another program is started. */
static struct line_words module_of(struct line_words w)
{
	size_t i = 1;

	if (!w.n || !str_starts(base_of(*w.at), STR("python")))
		return w;
	for (; i + 1 < w.n && w.at[i].n > 1 && w.at[i].p[0] == '-'; i++) {
		if (str_is(w.at[i], "-m"))
			return rest_of(w, i + 1);
		if (str_is(w.at[i], "-c"))
			return w;
		i += str_is(w.at[i], "-W") || str_is(w.at[i], "-X");
	}
	return w;
}

/* ---- scripts of shells ---- */

struct script {
	struct commands *to;
	struct str text;
	size_t at;
	struct line_words parameters;   /* what "$@" stands for */
	struct line_words words;        /* of the command that is being read */
	unsigned depth;
};

static bool gather_commands(struct commands *c, struct line_words w, unsigned depth);

static bool end_command(struct script *s)
{
	struct line_words w = s->words;
	static const char *const words[] = { "if", "then", "else", "elif", "do", "while", "until", "{", "!", "time" };

	s->words = (struct line_words){ 0 };
	for (size_t i = 0; w.n && i < sizeof words / sizeof *words; i++)
		if (str_is(*w.at, words[i])) {
			w = rest_of(w, 1);
			i = (size_t)-1;
		}
	return !w.n || gather_commands(s->to, w, s->depth);
}

/* Copies what is between the quotes at s->at; *KNOWN becomes false where the shell would replace a part. */
static void quoted(struct script *s, struct buf *word, bool *known)
{
	char quote = s->text.p[s->at++];

	for (; s->at < s->text.n && s->text.p[s->at] != quote; s->at++) {
		char c = s->text.p[s->at];
		if (quote == '"' && (c == '$' || c == '`'))
			*known = false;
		if (quote == '"' && c == '\\' && s->at + 1 < s->text.n)
			c = s->text.p[++s->at];
		if (*known)
			buf_char(word, c);
	}
	s->at += s->at < s->text.n;
}

/* Reads the word at s->at, as far as it is known. */
static void read_word(struct script *s)
{
	struct arena *a = s->to->a->ev->arena;
	struct buf word = { 0 };
	size_t start = s->at;
	bool known = true;

	while (s->at < s->text.n && !strchr(" \t\n;&|()<>", s->text.p[s->at])) {
		char c = s->text.p[s->at];
		if (c == '\'' || c == '"') {
			quoted(s, &word, &known);
			continue;
		}
		known = known && c != '$' && c != '`';
		if (c == '\\' && s->at + 1 < s->text.n)
			c = s->text.p[++s->at];
		if (known && c != '\n')
			buf_char(&word, c);
		s->at++;
	}
	struct str raw = { s->text.p + start, s->at - start };
	if (str_is(raw, "\"$@\"") || str_is(raw, "$@") || str_is(raw, "$*"))
		for (size_t i = 0; i < s->parameters.n; i++)
			ARENA_PUSH(a, s->words.at, s->words.n, s->parameters.at[i]);
	else if (raw.n && !str_is(raw, "\\\n"))
		ARENA_PUSH(a, s->words.at, s->words.n, str_copy(a, buf_text(&word)));
	buf_release(&word);
}

/* Skips `> FILE` and `2>&1`; their file is not a word of the command. */
static void redirection(struct script *s)
{
	while (s->at < s->text.n && strchr("<>&", s->text.p[s->at]))
		s->at++;
	while (s->at < s->text.n && strchr(" \t", s->text.p[s->at]))
		s->at++;
	while (s->at < s->text.n && !strchr(" \t\n;&|()", s->text.p[s->at]))
		s->at++;
	if (s->words.n && str_is(s->words.at[s->words.n - 1], "2"))
		s->words.n--;
}

static bool gather_script(struct commands *c, struct str text, struct line_words parameters, unsigned depth)
{
	struct script s = { .to = c, .text = text, .parameters = parameters, .depth = depth };

	while (s.at < text.n) {
		char next = text.p[s.at];
		if (strchr(" \t", next)) {
			s.at++;
		} else if (next == '#' && (!s.at || strchr(" \t\n;", text.p[s.at - 1]))) {
			while (s.at < text.n && text.p[s.at] != '\n')
				s.at++;
		} else if (strchr("<>", next)) {
			redirection(&s);
		} else if (strchr("\n;&|()", next)) {
			if (!end_command(&s))
				return false;
			s.at++;
		} else {
			read_word(&s);
		}
	}
	return end_command(&s);
}

/* ---- one command line ---- */

static bool is_shell_name(struct str name)
{
	static const char *const shells[] = { "sh", "bash", "dash", "ash", "zsh", "ksh" };

	for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
		if (str_is(name, shells[i]))
			return true;
	return false;
}

/* The position of the script in `sh -c SCRIPT`; 0 if the words have another form. */
static size_t script_word(struct line_words w)
{
	for (size_t i = 1; i + 1 < w.n && w.at[i].n > 1 && w.at[i].p[0] == '-'; i++)
		if (w.at[i].n < 6 && w.at[i].p[1] != '-' && w.at[i].p[w.at[i].n - 1] == 'c')
			return i + 1;
	return 0;
}

static bool gather_commands(struct commands *c, struct line_words w, unsigned depth)
{
	size_t script = 0;

	/* an unknown first word may be anything that starts the rest */
	while (w.n && (str_is(*w.at, "exec") || !w.at->n || step_through(c, &w)))
		if (w.n && (str_is(*w.at, "exec") || !w.at->n))
			w = rest_of(w, 1);
	if (!w.n)
		return true;
	if (depth < MOST_SHELLS && is_shell_name(base_of(*w.at)))
		script = script_word(w);
	if (script)
		return gather_script(c, w.at[script], rest_of(w, script + 2), depth + 1);
	return add_command(c, module_of(w));
}

BUILTIN(commands)
{
	struct eval *ev = a->ev;
	const struct value *words = a->at[0], *through = ARGUMENT(a, 1);
	struct commands c = { a, through, value_new(ev->arena, VALUE_LIST, a->call->span) };
	struct line_words w = { 0 };

	if (words->kind != VALUE_LIST || (through && through->kind != VALUE_MAP))
		return &value_bad;
	for (size_t i = 0; i < words->u.list.n; i++) {
		const struct value *v = words->u.list.at[i];
		struct str word = v->kind == VALUE_STRING ? v->u.string : STR("");
		if (!eval_step(ev, a->call->span) || !eval_spend_text(ev, word.n, a->call->span))
			return &value_bad;
		ARENA_PUSH(ev->arena, w.at, w.n, word);
	}
	return gather_commands(&c, w, 0) ? list_finish(ev, c.all) : &value_bad;
}
