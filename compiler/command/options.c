/*
 * options.c - reads the table of options; all other code gets rows of the table from here.
 */
#include "command/options.h"

#include <stdio.h>

#include "diag/suggest.h"

#define ONLY(command) (UINT64_C(1) << COMMAND_##command)
#define FOR_START (ONLY(RUN) | ONLY(APPLY))
#define FOR_PROGRAM (ONLY(COMPILE) | ONLY(CHECK) | ONLY(ENV) | ONLY(PLAN) | ONLY(CODE) | ONLY(EVAL) | ONLY(TEST) | \
	ONLY(DUMP) | ONLY(DIFF) | ONLY(FIT) | FOR_START)
/* Commands that operate on a run, or on the runs of a program. */
#define FOR_OPERATE (ONLY(STATUS) | ONLY(WAIT) | ONLY(LOGS) | ONLY(SCALE) | ONLY(RESTART) | ONLY(EXEC) | \
	ONLY(PORT_FORWARD) | ONLY(SUSPEND) | ONLY(RESUME) | ONLY(DELETE) | ONLY(WHY) | ONLY(EVENTS) | ONLY(CP) | \
	ONLY(ATTACH) | ONLY(SYNC) | ONLY(HISTORY) | ONLY(OPEN) | \
	ONLY(TOP))
#define FOR_RUNS (FOR_START | FOR_OPERATE | ONLY(LIST) | ONLY(DIFF))
#define FOR_WAITING (FOR_START | ONLY(WAIT) | ONLY(SUSPEND) | ONLY(RESUME) | ONLY(DELETE))
#define FOR_CLUSTER (FOR_RUNS | ONLY(VERSION) | ONLY(SUPERVISE) | ONLY(FIT) | ONLY(IMPORT) | ONLY(VENDOR) | ONLY(CODE))
/* Commands that may show several clusters at once. */
#define FOR_CONTEXTS (ONLY(LIST) | ONLY(STATUS) | ONLY(WHY) | ONLY(LOGS) | ONLY(EVENTS) | ONLY(FIT))
#define FOR_ALL (~UINT64_C(0))

static const struct group_row {
	const char *page, *title;
} groups[] = {
#define GROUP(id, page, title) { page, title },
#include "command/options.def"
};

static const struct command_row {
	enum command_group group;
	const char *word, *operands, *doc;
	int least, most;
} commands[] = {
#define COMMAND(id, group, word, operands, least, most, doc) { GROUP_##group, word, operands, doc, least, most },
#include "command/options.def"
};

static const struct option_row rows[] = {
#define OPTION(id, commands, short, long, argument, choices, doc) { OPTION_##id, commands, short, long, argument, \
	choices, doc },
#define ALSO OPTION
#include "command/options.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

_Static_assert(COMMANDS <= 64, "a set of commands is a bit each in 64");

static bool takes(const struct option_row *o, enum command command) { return o->commands >> command & 1; }

static const struct elsewhere_row {
	const char *word, *help;
} elsewhere[] = {
#define ELSEWHERE(word, help) { word, help },
#include "command/options.def"
};

/* Returns the help for WORD, a command or option of another tool; NULL if the table does not contain WORD. */
static const char *from_elsewhere(struct str word)
{
	for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
		if (str_is(word, elsewhere[i].word))
			return elsewhere[i].help;
	return NULL;
}

const char *command_word(enum command command) { return commands[command].word; }
const char *command_doc(enum command command) { return commands[command].doc; }
const char *command_operands(enum command command) { return commands[command].operands; }
enum command_group command_group(enum command command) { return commands[command].group; }
const char *group_page(enum command_group group) { return groups[group].page; }

const struct option_row *option_next(enum command command, const struct option_row *after)
{
	for (const struct option_row *o = after ? after + 1 : rows; o < rows + ROWS; o++)
		if (takes(o, command))
			return o;
	return NULL;
}

const struct option_row *option_row(enum option option)
{
	for (const struct option_row *o = rows; o < rows + ROWS; o++)
		if (o->option == option)
			return o;
	return NULL;
}

static bool command_find(struct str word, enum command *ret)
{
	for (unsigned i = 0; i < COMMANDS; i++) {
		if (str_is(word, commands[i].word)) {
			*ret = (enum command)i;
			return true;
		}
	}
	return false;
}

struct str command_unknown(struct arena *a, struct str word)
{
	struct suggest s;

	suggest_init(&s, a, word);
	for (unsigned i = 0; i < COMMANDS; i++)
		suggest_add(&s, str_of(commands[i].word));
	const char *help = from_elsewhere(word);
	if (help)
		return str_printf(a, "trainc: unknown command '%.*s'; %s\n", STR_ARG(word), help);
	if (str_ends(word, STR(".tj")))
		return str_printf(a, "trainc: the command comes first; did you mean 'trainc compile %.*s'?\n",
			STR_ARG(word));
	struct str near = suggest_sentence(&s);
	if (near.n)
		return str_printf(a, "trainc: unknown command '%.*s'; %.*s\n", STR_ARG(word), STR_ARG(near));
	return str_printf(a, "trainc: unknown command '%.*s'; 'trainc help' lists the commands\n", STR_ARG(word));
}

/* ---- one option ---- */

/* State of reading the words of the command line. */
struct reading {
	struct arena *arena;
	char *const *at, *const *end;
	struct options *options;
	bool command_known, only_operands, help;
	struct str why;
};

static const struct option_row *row_of(const struct reading *r, struct str word, bool letter)
{
	const struct option_row *other = NULL;

	for (unsigned i = 0; i < ROWS; i++) {
		bool same = letter ? rows[i].letter && word.n == 1 && word.p[0] == rows[i].letter :
			str_is(word, rows[i].word);
		if (!same)
			continue;
		if (!r->command_known || takes(&rows[i], r->options->command))
			return &rows[i];
		other = &rows[i];
	}
	return letter ? NULL : other;
}

static bool command_sets(enum command command)
{
	for (unsigned i = 0; i < ROWS; i++)
		if (str_is(STR("set"), rows[i].word))
			return takes(&rows[i], command);
	return false;
}

/*
 * Reports an unknown option. Options of every command are candidates, so that "compile --rolle" is answered with
 * "--role is an option of env".
 */
static struct str unknown_option(struct reading *r, struct str shown, struct str word)
{
	struct suggest s;
	const char *command = r->command_known ? command_word(r->options->command) : "";
	const char *help = from_elsewhere(str_printf(r->arena, "%s %.*s", command, STR_ARG(shown)));

	help = help ? help : from_elsewhere(shown);
	if (help && !r->command_known)
		return str_printf(r->arena, "trainc: unknown option '%.*s'; %s\n", STR_ARG(shown), help);
	if (help)
		return str_printf(r->arena, "trainc: %s has no option '%.*s'; %s\n", command, STR_ARG(shown), help);
	if (r->command_known && r->options->command == COMMAND_EVAL && strcspn(shown.p, "0123456789( ") < shown.n)
		return str_printf(r->arena, "trainc: '%.*s' begins like an option; write trainc eval -- '%.*s'\n",
			STR_ARG(shown), STR_ARG(shown));
	if (r->command_known && str_is(word, "name") && strstr(command_operands(r->options->command), "RUN"))
		return str_printf(r->arena, "trainc: %s has no option '%.*s'; the run's name is the operand: trainc %s "
			"NAME\n", command, STR_ARG(shown), command);
	suggest_init(&s, r->arena, word);
	for (unsigned i = 0; i < ROWS; i++)
		if (!r->command_known || takes(&rows[i], r->options->command))
			suggest_add(&s, str_of(rows[i].word));
	struct str only = s.n ? s.best[0] : STR("");
	struct str near = only.n ? str_printf(r->arena, "; did you mean '--%.*s'?", STR_ARG(only)) : STR("");
	if (!r->command_known)
		return str_printf(r->arena, "trainc: unknown option '%.*s'%.*s\n", STR_ARG(shown), STR_ARG(near));
	if (!only.n && str_starts(shown, STR("--")) && command_sets(r->options->command))
		return str_printf(r->arena, "trainc: %s has no option '%.*s'\na parameter of the program is set "
			"with --set %.*s=VALUE\n", command, STR_ARG(shown), STR_ARG(word));
	return str_printf(r->arena, "trainc: %s has no option '%.*s'%.*s\n%s", command, STR_ARG(shown), STR_ARG(near),
	                  only.n ? "" : str_printf(r->arena, "'trainc help %s' lists its options\n", command).p);
}

static bool is_choice(struct str value, const char *choices)
{
	while (*choices) {
		size_t n = strcspn(choices, "|");
		if (str_eq(value, (struct str){ choices, n }))
			return true;
		choices += n + (choices[n] == '|');
	}
	return false;
}

/* Writes the choices as a phrase: "yaml or json", "text, json or sarif". */
static struct str choices_spelt(struct arena *a, const char *choices)
{
	struct buf b = { 0 };

	while (*choices) {
		size_t n = strcspn(choices, "|");
		bool more = choices[n] == '|', two = more && !strchr(choices + n + 1, '|');
		buf_put(&b, choices, n);
		buf_z(&b, two ? " or " : more ? ", " : "");
		choices += n + more;
	}
	struct str spelt = buf_take(&b, a);
	buf_release(&b);
	return spelt;
}

static bool accept(struct reading *r, const struct option_row *row, struct str value)
{
	if (row->choices[0] && !is_choice(value, row->choices)) {
		struct str choices = choices_spelt(r->arena, row->choices);
		bool file = row->option == OPTION_OUTPUT && memchr(value.p, '.', value.n);
		r->why = str_printf(r->arena, "trainc: --%s cannot be '%.*s'; it is %.*s%s\n", row->word,
			STR_ARG(value), STR_ARG(choices),
		                    file ? ", and the result goes to standard output: write '> FILE'" : "");
		return false;
	}
	struct given g = { row->option, value };
	r->help = r->help || row->option == OPTION_HELP;
	ARENA_PUSH(r->arena, r->options->given, r->options->ngiven, g);
	return true;
}

/* Returns the word that the switch ROW may have after '='; NULL if no word may follow. */
static const char *more_of(const struct option_row *row)
{
	static const struct { enum option option; const char *word; } more[] = {
#define MORE(id, word) { OPTION_##id, word },
#include "command/options.def"
	};

	for (size_t i = 0; i < sizeof more / sizeof *more; i++)
		if (more[i].option == row->option)
			return more[i].word;
	return NULL;
}

/* Reads an option. WORD is the text before '='; `value.p` is NULL if the option has no '='. */
static bool read_option(struct reading *r, struct str shown, struct str word, bool letter, struct str value)
{
	const struct option_row *row = row_of(r, word, letter);

	if (!row || (r->command_known && !takes(row, r->options->command))) {
		r->why = unknown_option(r, shown, word);
		return false;
	}
	const char *more = row->argument[0] ? NULL : more_of(row);
	if (!row->argument[0] && value.p && !(more && str_is(value, more))) {
		r->why = more ? str_printf(r->arena, "trainc: write --%s or --%s=%s\n", row->word, row->word, more)
			: str_printf(r->arena, "trainc: --%s takes no value\n", row->word);
		return false;
	}
	if (row->argument[0] && !value.p) {
		if (r->at == r->end) {
			r->why = str_printf(r->arena, "trainc: --%s needs a value: --%s %s\n", row->word, row->word,
				row->argument);
			return false;
		}
		value = str_of(*r->at++);
	}
	return accept(r, row, value);
}

static bool read_option_word(struct reading *r)
{
	struct str word = str_of(*r->at++);

	if (r->only_operands || word.n < 2 || word.p[0] != '-') {
		ARENA_PUSH(r->arena, r->options->operands, r->options->noperands, word);
		/* all further words belong to the command that `exec` runs */
		r->only_operands = r->only_operands ||
			(r->command_known && r->options->command == COMMAND_EXEC && r->options->noperands == 3);
		return true;
	}
	if (str_is(word, "--")) {
		r->only_operands = true;
		return true;
	}
	if (word.p[1] != '-') {         /* a short option, perhaps with its value: -ojson, -o json */
		struct str rest = { word.p + 2, word.n - 2 };
		if (rest.n && rest.p[0] == '=')
			rest.p++, rest.n--;
		else if (!rest.n)
			rest.p = NULL;
		return read_option(r, word, (struct str){ word.p + 1, 1 }, true, rest);
	}
	const char *equals = memchr(word.p, '=', word.n);
	struct str name = { word.p + 2, equals ? (size_t)(equals - word.p) - 2 : word.n - 2 };
	struct str value = equals ? str_of(equals + 1) : (struct str){ 0 };
	return read_option(r, (struct str){ word.p, name.n + 2 }, name, false, value);
}

/* ---- reading the whole command line ---- */

/*
 * Finds the command: the first word that is neither an option nor an option's value. Options before it are looked up
 * among those of all commands, which agree on which of them take a value; they are read again once the command is
 * known.
 */
static bool find_command(struct arena *a, int argc, char *const *argv, int *ret_at, struct str *why)
{
	struct options ignored = { 0 };
	struct reading r = { .arena = a, .at = argv, .end = argv + argc, .options = &ignored };

	while (r.at != r.end) {
		char *const *here = r.at;
		if (!read_option_word(&r)) {
			*why = r.why;
			return false;
		}
		if (ignored.noperands) {
			*ret_at = (int)(here - argv);
			return true;
		}
	}
	*ret_at = -1;
	return true;
}

/* Describes an operand, without those that follow it: "at least one file", "a file or a run", "bash, zsh or fish". */
static struct str operand_spelt(struct arena *a, const char *operand)
{
	struct buf b = { 0 };
	struct str first = { operand, strcspn(operand, " ") };
	bool more = str_ends(first, STR("..."));

	for (const char *word = operand; word < first.p + first.n; word += *word == '|') {
		size_t n = strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"),
			end = strcspn(word, "| ");
		bool capitals = word[0] >= 'A' && word[0] <= 'Z';
		buf_z(&b, !capitals ? "" : more ? "at least one " : "a ");
		for (size_t i = 0; i < n; i++)
			buf_char(&b, capitals ? (char)(word[i] - 'A' + 'a') : word[i]);
		word += end;
		buf_z(&b, *word != '|' ? "" : memchr(word + 1, '|', (size_t)(first.p + first.n - word - 1)) ? ", "
			: " or ");
	}
	struct str spelt = buf_take(&b, a);
	buf_release(&b);
	return spelt;
}

/*
 * Returns a help line for an operand that sets a parameter, such as name=a, or that names a replica, such as worker/0,
 * where options choose it; an empty text for other operands.
 */
static struct str help_setting(struct arena *a, enum command command, struct str operand)
{
	const char *equals = memchr(operand.p, '=', operand.n), *slash = memchr(operand.p, '/', operand.n);

	if (!slash)                             /* as 'status -o wide' shows it: worker-0 */
		slash = memrchr(operand.p, '-', operand.n);
	if (command == COMMAND_LOGS && slash && slash[1] && !slash[1 + strspn(slash + 1, "0123456789")])
		return str_printf(a, "a replica is chosen with --role %.*s --rank %s\n", (int)(slash - operand.p),
			operand.p, slash + 1);
	if (!equals || equals == operand.p || !command_sets(command))
		return STR("");
	return str_printf(a, "a parameter of the program is set with --set %.*s\n", STR_ARG(operand));
}

static bool count_operands(struct arena *a, const struct options *o, struct str *why)
{
	const struct command_row *c = &commands[o->command];

	if (o->noperands < (size_t)c->least) {
		const char *next = o->noperands ? strchr(c->operands, ' ') : NULL;
		struct str needed = next ? (struct str){ next + 1, strcspn(next + 1, " .") } :
			operand_spelt(a, c->operands);
		*why = str_printf(a, "trainc: %s needs %.*s%s: trainc %s %s\n", c->word, STR_ARG(needed), next
			? ", too" : "", c->word, c->operands);
		return false;
	}
	if (c->most >= 0 && o->noperands > (size_t)c->most) {
		struct str first = o->operands[c->most];
		const char *number = c->most == 0 ? "no operands" : c->most == 1 ? "one operand" : "two operands";
		if (o->command == COMMAND_INIT && str_ends(first, STR(".tj")))
			*why = str_printf(a,
				"trainc: init takes %s, found '%.*s': it writes job.tj in this directory\n", number,
				STR_ARG(first));
		else if (o->command == COMMAND_INIT)
			*why = str_printf(a, "trainc: init takes %s, found '%.*s'; a framework is an option: trainc "
				"init --framework %.*s\n", number,
			                  STR_ARG(first), STR_ARG(first));
		else
			*why = str_printf(a, "trainc: %s takes %s, found '%.*s'%s\n%s", c->word, number, STR_ARG(first),
				c->most ? " too" : "", help_setting(a, o->command, first).p);
		return false;
	}
	return true;
}

static struct options help_on(struct arena *a, const char *command)
{
	struct options o = { .command = COMMAND_HELP };

	if (command)
		ARENA_PUSH(a, o.operands, o.noperands, str_of(command));
	return o;
}

bool options_parse(struct arena *a, int argc, char *const *argv, struct options *ret, struct str *why)
{
	struct options o = { 0 };
	struct reading r = { .arena = a, .at = argv, .end = argv + argc, .options = &o, .command_known = true };
	int at;

	bool version = argc == 1 && (str_is(str_of(argv[0]), "--version") || str_is(str_of(argv[0]), "-v") ||
		str_is(str_of(argv[0]), "-V"));
	if (version) {
		*ret = (struct options){ .command = COMMAND_VERSION };
		return true;
	}
	if (!find_command(a, argc, argv, &at, why))
		return false;
	if (at < 0) {
		*ret = help_on(a, NULL);
		return true;
	}
	if (!command_find(str_of(argv[at]), &o.command)) {
		*why = command_unknown(a, str_of(argv[at]));
		return false;
	}
	while (r.at != r.end) {
		if (r.at == argv + at) {
			r.at++;
		} else if (!read_option_word(&r)) {
			*why = r.why;
			return false;
		}
	}
	if (r.help)
		o = help_on(a, o.command == COMMAND_HELP ? NULL : command_word(o.command));
	if (!count_operands(a, &o, why))
		return false;
	*ret = o;
	return true;
}

bool option_given(const struct options *o, enum option option)
{
	for (size_t i = 0; i < o->ngiven; i++)
		if (o->given[i].option == option)
			return true;
	return false;
}

struct str option_value(const struct options *o, enum option option)
{
	for (size_t i = o->ngiven; i-- > 0;)
		if (o->given[i].option == option)
			return o->given[i].value;
	return (struct str){ 0 };
}

/* ---- help ---- */

enum { HELP_COLUMNS = 80 };             /* width of the help text in columns */

/* Appends TEXT in lines that start at column INDENT; the last one gets a line end too. */
static void put_wrapped(struct buf *out, int indent, const char *text)
{
	size_t room = (size_t)(HELP_COLUMNS - indent);

	for (;;) {
		size_t n = strlen(text);
		if (n > room)
			for (n = room; n && text[n] != ' '; n--)
				;
		if (!n)                         /* a word that is longer than a whole line is not split */
			n = strcspn(text, " ");
		buf_printf(out, "%.*s\n", (int)n, text);
		text += n;
		if (!*text)
			return;
		text += strspn(text, " ");
		buf_printf(out, "%*s", indent, "");
	}
}

/* Appends a row of two columns. If WORDS is wider than the first column, it gets a line of its own. */
static void put_columns(struct buf *out, int width, const char *words, const char *doc)
{
	if (strlen(words) > (size_t)width)
		buf_printf(out, "  %s\n  %-*s  ", words, width, "");
	else
		buf_printf(out, "  %-*s  ", width, words);
	put_wrapped(out, width + 4, doc);
}

void options_help(struct buf *out)
{
	char words[80];


	buf_z(out, "trainc COMMAND [OPTION...] [OPERAND...]\n\n"
	           "Compiles .tj programs, which describe training clusters, to Kubernetes objects.\n");
	for (unsigned group = 0; group < GROUPS; group++) {
		buf_printf(out, "\n%s:\n", groups[group].title);
		for (unsigned i = 0; i < COMMANDS; i++) {
			if (commands[i].group != group)
				continue;
			snprintf(words, sizeof words, "%s %s", commands[i].word, commands[i].operands);
			put_columns(out, 25, words, commands[i].doc);
		}
	}
	buf_z(out, "\n'trainc help COMMAND' shows its options.\nFILE is a .tj file, - is standard input.\n");
}

static void help_option(const struct option_row *row, struct buf *out)
{
	char words[64];
	int n = row->letter ? snprintf(words, sizeof words, "-%c, --%s", row->letter, row->word)
	                    : snprintf(words, sizeof words, "    --%s", row->word);

	if (row->argument[0] && n > 0)
		snprintf(words + n, sizeof words - (size_t)n, " %s", row->choices[0] ? row->choices : row->argument);
	put_columns(out, 28, words, row->doc);
}

bool options_help_of(struct str word, struct buf *out)
{
	enum command command;

	if (!command_find(word, &command))
		return false;
	const struct command_row *c = &commands[command];
	char sentence[256];
	snprintf(sentence, sizeof sentence, "%c%s.", c->doc[0] - 'a' + 'A', c->doc + 1);
	buf_printf(out, "trainc %s [OPTION...]%s%s\n\n", c->word, c->operands[0] ? " " : "", c->operands);
	put_wrapped(out, 0, sentence);
	buf_z(out, "\nOptions:\n");
	for (const struct option_row *o = option_next(command, NULL); o; o = option_next(command, o))
		help_option(o, out);
	return true;
}
