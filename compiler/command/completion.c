/*
 * completion.c - writes completion scripts in one walk over the table of options, in the form that each shell needs.
 * The words of options.def say what can be completed: FILE, DIR, FRAMEWORK, or the choices themselves. Names that do
 * not change while trainc is installed (frameworks, modules, topics) are in the script; those of runs, roles,
 * contexts and namespaces are requested when they are needed (question.h).
 */
#include "command/completion.h"

#include "command/question.h"
#include "emit/emit.h"
#include "explain/explain.h"
#include "explain/library.h"
#include "kube/kube_version.h"

/* ---- the words that are possible at a position ---- */

enum path_kind {
	PATH_PROGRAM = 1,              /* .tj files, and directories, which may contain some */
	PATH_FILE = 2,
	PATH_DIRECTORY = 4
};

struct offer {
	unsigned paths;                /* set of enum path_kind */
	struct str words;               /* separated by blanks */
	unsigned asks;                 /* set of enum question_names */
};

struct completion {
	struct arena *arena;
	struct buf *out;
	struct str commands, frameworks, modules, topics;       /* separated by blanks */
};

static void add_word(struct buf *words, struct str word)
{
	buf_z(words, words->n ? " " : "");
	buf_str(words, word);
}

static struct str taken(struct arena *a, struct buf *words)
{
	struct str text = buf_take(words, a);

	buf_release(words);
	return text;
}

static void add_framework(void *to, const struct library_module *m, const struct library_item *item)
{
	struct buf *words = to;

	buf_printf(words, "%s%.*s.%.*s", words->n ? " " : "", STR_ARG(m->name), STR_ARG(item->name));
}

static struct completion completion_of(struct arena *a, struct buf *out)
{
	struct completion c = { .arena = a, .out = out };
	struct buf words = { 0 };
	size_t n;
	const char *const *names = stdlib_names(&n);

	for (unsigned i = 0; i < COMMANDS; i++)
		add_word(&words, str_of(command_word((enum command)i)));
	c.commands = taken(a, &words);
	library_frameworks(a, add_framework, &words);
	c.frameworks = taken(a, &words);
	for (size_t i = 0; i < n; i++)
		add_word(&words, str_cat(a, STR("std."), str_of(names[i]), STR("")));
	c.modules = taken(a, &words);
	size_t ntopics;
	const struct str *topics = explain_topics(a, &ntopics);
	for (size_t i = 0; i < ntopics; i++)
		add_word(&words, topics[i]);
	c.topics = taken(a, &words);
	return c;
}

/* Adds what one word of a row stands for, such as FILE or json. */
static void add_offer(const struct completion *c, struct str word, bool operand, struct offer *to, struct buf *words)
{
	if (word.n && (word.p[0] < 'A' || word.p[0] > 'Z'))
		add_word(words, word);
	else if (str_is(word, "FILE"))          /* after a fixed word, as in `vendor crd FILE`, FILE means any file */
		to->paths |= operand && !words->n ? PATH_PROGRAM : PATH_FILE;
	else if (str_is(word, "RUN"))
		to->asks |= NAMES_RUNS;
	else if (str_is(word, "ROLE") || str_is(word, "ROLE=N"))
		to->asks |= NAMES_ROLES;
	else if (str_is(word, "ROLE/N"))
		to->asks |= NAMES_REPLICAS;
	else if (str_is(word, "LIST"))
		to->asks |= NAMES_RANKS;
	else if (str_is(word, "CONTEXT"))
		to->asks |= NAMES_CONTEXTS;
	else if (str_is(word, "NAMESPACE"))
		to->asks |= NAMES_NAMESPACES;
	else if (str_is(word, "MANIFEST") || str_is(word, "SOURCE") || str_is(word, "DEST"))
		to->paths |= PATH_FILE;
	else if (str_is(word, "DIR"))
		to->paths |= PATH_DIRECTORY;
	else if (str_is(word, "COMMAND"))
		add_word(words, c->commands);
	else if (str_is(word, "FRAMEWORK"))
		add_word(words, c->frameworks);
	else if (str_is(word, "MODULE"))
		add_word(words, c->modules);
	else if (str_is(word, "TOPIC"))
		add_word(words, c->topics);
}

/* Reads the operands of a row, such as "[FILE...]", "FILE|MODULE" or "bash|zsh|fish". */
static struct offer offer_of(const struct completion *c, const char *spelt, bool operand)
{
	struct offer offer = { 0 };
	struct buf words = { 0 };

	while (*spelt) {
		size_t n = strcspn(spelt, "|[] ");
		struct str word = { spelt, n };
		if (str_ends(word, STR("...")))
			word.n -= 3;
		if (word.n)
			add_offer(c, word, operand, &offer, &words);
		spelt += n + (spelt[n] != '\0');
	}
	offer.words = taken(c->arena, &words);
	return offer;
}

static struct str target_words(struct arena *a)
{
	struct buf words = { 0 };

	for (size_t i = 0; emit_target_name(i); i++)
		add_word(&words, str_of(emit_target_name(i)));
	return taken(a, &words);
}

static struct str version_words(struct arena *a)
{
	struct buf words = { 0 };

	for (unsigned minor = KUBE_OLDEST; minor <= KUBE_NEWEST; minor++)
		add_word(&words, str_printf(a, "1.%u", minor));
	return taken(a, &words);
}

static struct offer value_offer(const struct completion *c, const struct option_row *o)
{
	if (o->option == OPTION_JOB)
		return (struct offer){ .words = STR(""), .asks = NAMES_JOBS };
	if (o->option == OPTION_TARGET)
		return (struct offer){ .words = target_words(c->arena) };
	if (o->option == OPTION_KUBERNETES)
		return (struct offer){ .words = version_words(c->arena) };
	return offer_of(c, o->choices[0] ? o->choices : o->argument, false);
}

static struct offer operand_offer(const struct completion *c, enum command command)
{
	return offer_of(c, command_operands(command), true);
}

/* Writes the command that requests names, such as: trainc completion names runs -- WORDS 2>/dev/null. */
static void put_question(struct buf *out, unsigned asks, const char *words)
{
	buf_z(out, "trainc completion names ");
	question_spell(asks, out);
	buf_printf(out, " -- %s 2>/dev/null", words);
}

static bool is_common(const struct option_row *o)
{
	for (unsigned i = 0; i < COMMANDS; i++)
		if (!(o->commands >> i & 1))
			return false;
	return true;
}

static bool may_repeat(const struct option_row *o) { return strstr(o->doc, "may be repeated"); }

/* ---- bash ---- */

static void bash_offer(struct buf *out, struct offer offer)
{
	if (offer.words.n)
		buf_printf(out, "words='%.*s'; ", STR_ARG(offer.words));
	if (offer.asks) {
		buf_z(out, "ask=");
		question_spell(offer.asks, out);
		buf_z(out, "; ");
	}
	if (offer.paths)
		buf_printf(out, "files=%s; ", offer.paths & PATH_PROGRAM ? "program" :
			offer.paths & PATH_FILE ? "file" : "directory");
	buf_z(out, ";;\n");
}

/* Writes the patterns that match an option before its value, such as: compile:--output | compile:-o. */
static void bash_value(struct completion *c, const char *command, const struct option_row *o)
{
	buf_printf(c->out, "\t%s:--%s", command, o->word);
	if (o->letter)
		buf_printf(c->out, " | %s:-%c", command, o->letter);
	buf_z(c->out, ") value=1; ");
	bash_offer(c->out, value_offer(c, o));
}

static void bash_values(struct completion *c)
{
	const struct option_row *o;

	buf_z(c->out, "\tcase $command:$before in\n");
	for (unsigned i = 0; i < COMMANDS; i++)
		for (o = option_next((enum command)i, NULL); o; o = option_next((enum command)i, o))
			if (o->argument[0] && !is_common(o))
				bash_value(c, command_word((enum command)i), o);
	for (o = option_next(COMMAND_HELP, NULL); o; o = option_next(COMMAND_HELP, o))
		if (o->argument[0] && is_common(o))
			bash_value(c, "*", o);
	buf_z(c->out, "\tesac\n");
}

/* Writes the options that take a value, so that the value is not mistaken for the command. */
static void bash_takes_value(struct completion *c)
{
	const char *bar = "";

	buf_z(c->out, "\t\tcase ${COMP_WORDS[i]} in\n\t\t");
	for (unsigned i = 0; i < OPTIONS; i++) {
		const struct option_row *o = option_row((enum option)i);
		if (!o->argument[0])
			continue;
		buf_printf(c->out, "%s--%s", bar, o->word);
		bar = " | ";
		if (o->letter)
			buf_printf(c->out, "%s-%c", bar, o->letter);
	}
	buf_z(c->out, ")\n\t\t\tif [[ ${COMP_WORDS[i+1]} == = ]]; then ((i += 2)); else ((i++)); fi ;;\n"
	              "\t\t-*) ;;\n\t\t*) command=${COMP_WORDS[i]}; break ;;\n\t\tesac\n");
}

static void bash_options(struct completion *c)
{
	const struct option_row *o;

	buf_z(c->out, "\tif [[ ! $value && $current == -* ]]; then\n\t\tcase $command in\n");
	for (unsigned i = 0; i < COMMANDS; i++) {
		buf_printf(c->out, "\t\t%s) words='", command_word((enum command)i));
		for (o = option_next((enum command)i, NULL); o; o = option_next((enum command)i, o))
			buf_printf(c->out, "%s--%s", o == option_next((enum command)i, NULL) ? "" : " ", o->word);
		buf_z(c->out, "' ;;\n");
	}
	buf_z(c->out, "\t\t'') words='--version");
	for (o = option_next(COMMAND_HELP, NULL); o; o = option_next(COMMAND_HELP, o))
		if (is_common(o))
			buf_printf(c->out, " --%s", o->word);
	buf_z(c->out, "' ;;\n\t\tesac\n");
}

static void bash(struct completion *c)
{
	buf_z(c->out, "_trainc() {\n"
	              "\tlocal current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command= value= "
		"words= files= ask= i\n"
	              "\t# --name=value is three words here\n"
	              "\tif [[ $current == = ]]; then\n\t\tcurrent=\n"
	              "\telif [[ $before == = ]]; then\n\t\tbefore=${COMP_WORDS[COMP_CWORD-2]}\n\tfi\n"
	              "\tfor ((i = 1; i < COMP_CWORD; i++)); do\n");
	bash_takes_value(c);
	buf_z(c->out, "\tdone\n");
	bash_values(c);
	bash_options(c);
	buf_z(c->out, "\telif [[ ! $value ]]; then\n\t\tcase $command in\n");
	for (unsigned i = 0; i < COMMANDS; i++) {
		buf_printf(c->out, "\t\t%s) ", command_word((enum command)i));
		bash_offer(c->out, operand_offer(c, (enum command)i));
	}
	buf_printf(c->out, "\t\t'') words='%.*s' ;;\n\t\tesac\n\tfi\n", STR_ARG(c->commands));
	buf_z(c->out, "\tif [[ $ask ]]; then\n\t\twords+=\" $(trainc completion names \"$ask\" -- "
		"\"${COMP_WORDS[@]:0:COMP_CWORD}\" 2>/dev/null)\"\n\tfi\n");
	buf_z(c->out, "\tCOMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
	              "\tlocal IFS=$'\\n'\n"
	              "\tcase $files in\n"
	              "\tprogram) COMPREPLY+=($(compgen -f -X '!*.tj' -- \"$current\") $(compgen -d -- \"$current\")) "
		";;\n"
	              "\tfile) COMPREPLY+=($(compgen -f -- \"$current\")) ;;\n"
	              "\tdirectory) COMPREPLY+=($(compgen -d -- \"$current\")) ;;\n"
	              "\tesac\n}\n"
	              "complete -o filenames -F _trainc trainc\n");
}

/* ---- zsh ---- */

/* Writes a text for use inside '...[...]', where it must not contain brackets or quotes. */
static void zsh_text(const char *text, struct buf *out)
{
	for (; *text; text++) {
		if (*text == '\'') {
			buf_z(out, "'\\''");
			continue;
		}
		if (strchr("[]:", *text))
			buf_char(out, '\\');
		buf_char(out, *text);
	}
}

/* Writes the words of an offer in the form that _arguments accepts after a colon. */
static void zsh_offer(struct buf *out, struct offer offer)
{
	if (offer.asks) {
		buf_z(out, offer.paths & PATH_PROGRAM ? "{_files -g \"*.tj(-.)\"; " : "{");
		buf_z(out, "compadd -- ${(f)\"$(");
		put_question(out, offer.asks, "${words[1,CURRENT-1]}");
		buf_z(out, ")\"}}");
	} else if (offer.paths & PATH_PROGRAM && offer.words.n)
		buf_printf(out, "{_files -g \"*.tj(-.)\"; compadd %.*s}", STR_ARG(offer.words));
	else if (offer.paths & PATH_PROGRAM)
		buf_z(out, "_files -g \"*.tj(-.)\"");
	else if (offer.paths & PATH_FILE && offer.words.n)
		buf_printf(out, "{_files; compadd %.*s}", STR_ARG(offer.words));
	else if (offer.paths & PATH_FILE)
		buf_z(out, "_files");
	else if (offer.paths & PATH_DIRECTORY)
		buf_z(out, "_directories");
	else if (offer.words.n)
		buf_printf(out, "(%.*s)", STR_ARG(offer.words));
	else
		buf_z(out, " ");
}

/*
 * Writes an option for _arguments, such as: '(-o --output)'{-o+,--output=}'[form of the objects]:FORMAT:(yaml json)'.
 */
static void zsh_option(struct completion *c, const struct option_row *o)
{
	bool value = o->argument[0];

	buf_z(c->out, " \\\n\t\t\t");
	if (o->letter)
		buf_printf(c->out, "'(-%c --%s)'{-%c%s,--%s%s}'[", o->letter, o->word, o->letter, value ? "+" : "",
			o->word, value ? "=" : "");
	else
		buf_printf(c->out, "'%s--%s%s[", may_repeat(o) ? "*" : "", o->word, value ? "=" : "");
	zsh_text(o->doc, c->out);
	buf_char(c->out, ']');
	if (value) {
		buf_char(c->out, ':');
		for (const char *p = o->argument; *p; p++)
			buf_printf(c->out, "%s%c", *p == ':' ? "\\" : "", *p);
		buf_char(c->out, ':');
		zsh_offer(c->out, value_offer(c, o));
	}
	buf_char(c->out, '\'');
}

static void zsh_operands(struct completion *c, enum command command)
{
	const char *operands = command_operands(command);

	if (!operands[0])
		return;
	const char *word = operands + (operands[0] == '[');
	buf_printf(c->out, " \\\n\t\t\t'%s:%.*s:", strstr(operands, "...") ? "*" : operands[0] == '[' ? "1:" : "1",
	           (int)strcspn(word, "|.] "), word);
	zsh_offer(c->out, operand_offer(c, command));
	buf_char(c->out, '\'');
}

static void zsh(struct completion *c)
{
	const struct option_row *o;

	buf_z(c->out, "#compdef trainc\n_trainc() {\n\tlocal curcontext=$curcontext state line\n\tlocal -a commands\n"
		"\tcommands=(\n");
	for (unsigned i = 0; i < COMMANDS; i++) {
		buf_printf(c->out, "\t\t'%s:", command_word((enum command)i));
		zsh_text(command_doc((enum command)i), c->out);
		buf_z(c->out, "'\n");
	}
	buf_z(c->out, "\t)\n\t_arguments -C");
	for (o = option_next(COMMAND_HELP, NULL); o; o = option_next(COMMAND_HELP, o))
		if (is_common(o))
			zsh_option(c, o);
	buf_z(c->out, " \\\n\t\t\t'1:command:->command' '*::argument:->argument'\n"
	              "\tcase $state in\n\tcommand) _describe command commands ;;\n\targument)\n\t\tcase $words[1] "
		"in\n");
	for (unsigned i = 0; i < COMMANDS; i++) {
		buf_printf(c->out, "\t\t%s) _arguments", command_word((enum command)i));
		for (o = option_next((enum command)i, NULL); o; o = option_next((enum command)i, o))
			zsh_option(c, o);
		zsh_operands(c, (enum command)i);
		buf_z(c->out, " ;;\n");
	}
	/* zsh either loads the script by name from a directory of functions, or reads it with `source` */
	buf_z(c->out, "\t\tesac ;;\n\tesac\n}\nif [[ $funcstack[1] == _trainc ]]; then\n\t_trainc \"$@\"\nelse\n"
		"\tcompdef _trainc trainc\nfi\n");
}

/* ---- fish ---- */

static void fish_text(const char *text, struct buf *out)
{
	buf_char(out, '\'');
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			buf_char(out, '\\');
		buf_char(out, *text);
	}
	buf_char(out, '\'');
}

static void fish_offer(struct buf *out, struct offer offer)
{
	if (offer.paths & PATH_FILE)
		buf_z(out, " -F");
	if (!offer.words.n && !offer.asks && !(offer.paths & (PATH_PROGRAM | PATH_DIRECTORY)))
		return;
	buf_printf(out, " -a '%.*s%s%s%s%s", STR_ARG(offer.words), offer.words.n && offer.paths ? " " : "",
	           offer.paths & PATH_PROGRAM ? "(__fish_complete_suffix .tj)" : "",
	           offer.paths & PATH_DIRECTORY ? "(__fish_complete_directories)" : "", offer.asks ? " (" : "");
	if (offer.asks)
		put_question(out, offer.asks, "(commandline -opc)");
	buf_z(out, offer.asks ? ")'" : "'");
}

static void fish_option(struct completion *c, enum command command, const struct option_row *o)
{
	buf_printf(c->out, "complete -c trainc -n '__fish_seen_subcommand_from %s' -l %s", command_word(command),
		o->word);
	if (o->letter)
		buf_printf(c->out, " -s %c", o->letter);
	if (o->argument[0]) {
		struct offer offer = value_offer(c, o);
		buf_z(c->out, offer.paths & PATH_FILE ? " -r" : " -x");
		fish_offer(c->out, offer);
	}
	buf_z(c->out, " -d ");
	fish_text(o->doc, c->out);
	buf_char(c->out, '\n');
}

static void fish(struct completion *c)
{
	buf_z(c->out, "complete -c trainc -f\n");
	for (unsigned i = 0; i < COMMANDS; i++) {
		enum command command = (enum command)i;
		struct offer offer = operand_offer(c, command);

		buf_printf(c->out, "complete -c trainc -n __fish_use_subcommand -a %s -d ", command_word(command));
		fish_text(command_doc(command), c->out);
		buf_char(c->out, '\n');
		if (offer.words.n || offer.paths || offer.asks) {
			buf_printf(c->out, "complete -c trainc -n '__fish_seen_subcommand_from %s'",
				command_word(command));
			fish_offer(c->out, offer);
			buf_char(c->out, '\n');
		}
		for (const struct option_row *o = option_next(command, NULL); o; o = option_next(command, o))
			fish_option(c, command, o);
	}
}

bool completion_script(struct arena *a, struct str shell, struct buf *out)
{
	static const struct {
		const char *shell;
		void (*write)(struct completion *c);
	} shells[] = { { "bash", bash }, { "zsh", zsh }, { "fish", fish } };

	for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
		if (!str_is(shell, shells[i].shell))
			continue;
		struct completion c = completion_of(a, out);
		shells[i].write(&c);
		return true;
	}
	return false;
}
