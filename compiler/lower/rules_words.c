/*
 * rules_words.c - reports commands that cannot work as written: several words in one string, shell syntax where no
 * shell reads it, launchers without a framework through which their processes find each other, and a shell that does
 * not pass signals to the program (TJ0534 to TJ0536). Only commands whose words are all known at compile time are
 * checked.
 */
#include <strings.h>
#include "check/module.h"
#include "eval/internal.h"
#include "lower/lower_rules.h"

enum { MOST_WORDS = 256 };

struct words {
	struct str at[MOST_WORDS];
	struct span from[MOST_WORDS];
	size_t n;
};

static bool add_texts(struct words *w, const struct plan_texts *list)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct text *t = &list->at[i];
		if (w->n == MOST_WORDS || t->n != 1 || t->at[0].kind != PIECE_TEXT)
			return false;
		w->from[w->n] = t->from;
		w->at[w->n++] = t->at[0].u.text;
	}
	return !list->per_replica;
}

/* Finds the words of a command; false if the image decides which program is started, or if a word is not known. */
static bool known_words(const struct plan_container *c, struct words *w)
{
	w->n = 0;
	return c->command.n && add_texts(w, &c->command) && add_texts(w, &c->args);
}

static struct str base_name(struct str path)
{
	const char *slash = path.n ? memrchr(path.p, '/', path.n) : NULL;

	return slash ? (struct str){ slash + 1, path.n - (size_t)(slash + 1 - path.p) } : path;
}

static bool is_shell(struct str word)
{
	static const char *const shells[] = { "sh", "bash", "dash", "ash", "zsh", "ksh" };

	for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
		if (str_is(base_name(word), shells[i]))
			return true;
	return false;
}

/* The index of the first word behind a program that only starts another one, as in `tini -- sh -c SCRIPT`. */
static size_t behind_init(const struct words *w)
{
	static const char *const inits[] = { "tini", "catatonit", "dumb-init" };
	size_t n = 0;

	for (size_t i = 0; w->n && i < sizeof inits / sizeof *inits && !n; i++)
		n = str_is(base_name(w->at[0]), inits[i]);
	while (n && n < w->n && w->at[n].n && w->at[n].p[0] == '-')
		n++;
	return n;
}

/* The script of `sh -c SCRIPT`; empty when the words have another form. */
static struct str script_of(const struct words *w, struct span *ret_at)
{
	size_t shell = behind_init(w);

	if (w->n < shell + 3 || !is_shell(w->at[shell]))
		return STR("");
	for (size_t i = shell + 1; i + 1 < w->n && w->at[i].n && w->at[i].p[0] == '-'; i++)
		if (w->at[i].n < 6 && w->at[i].p[w->at[i].n - 1] == 'c') {
			*ret_at = w->from[i + 1];
			return w->at[i + 1];
		}
	return STR("");
}

/* Is there a word that makes a program read another word as a script, such as `sh` or `-c`? */
static bool reads_scripts(const struct words *w)
{
	for (size_t i = 0; i < w->n; i++) {
		struct str word = w->at[i];
		bool option = word.n > 1 && word.n < 6 && word.p[0] == '-' &&
			(word.p[word.n - 1] == 'c' || word.p[word.n - 1] == 'e');
		if (option || str_ends(word, STR("sh")))
			return true;
	}
	return false;
}

/* ---- one word that should be several words (TJ0535) ---- */

static struct str as_list(struct arena *a, struct str text)
{
	struct str list = STR("");

	for (size_t i = 0, end; i < text.n; i = end + 1) {
		const char *space = memchr(text.p + i, ' ', text.n - i);
		end = space ? (size_t)(space - text.p) : text.n;
		if (end > i)
			list = str_printf(a, "%.*s%s\"%.*s\"", STR_ARG(list), list.n ? ", " : "", (int)(end - i),
				text.p + i);
	}
	return list;
}

static bool simple(struct str text)
{
	for (size_t i = 0; i < text.n; i++)
		if (strchr("\"'\\|&;<>$`\n(){}", text.p[i]))
			return false;
	return true;
}

static bool is_operator(struct str word)
{
	static const char *const words[] = { "&&", "||", "|", ";", "&", ">", ">>", "<", "2>", "2>&1", "&>" };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (str_is(word, words[i]))
			return true;
	return false;
}

/* Does the word set a variable: NAME=VALUE? */
static bool is_assignment(struct str word)
{
	size_t i = 0;

	while (i < word.n && ((word.p[i] | 32) == '_' || ((word.p[i] | 32) >= 'a' && (word.p[i] | 32) <= 'z') || (i &&
		word.p[i] >= '0' && word.p[i] <= '9')))
		i++;
	return i && i < word.n && word.p[i] == '=';
}

/* Does the word contain an option after a blank, as "t.py --lr 0.1" does? */
static bool holds_option(struct str word)
{
	const char *space = word.n ? memchr(word.p, ' ', word.n) : NULL;
	size_t i = space ? (size_t)(space - word.p) + 1 : word.n;

	return word.n && word.p[0] != '-' && i + 2 < word.n && word.p[i] == '-' && simple(word);
}

/*
 * Reports `bash -c python train.py`: the script is only the first word, and the others are parameters that it does not
 * read.
 */
static bool loses_words(struct job *j, const struct words *w)
{
	struct span at = { 0 };
	struct str script = script_of(w, &at), line = STR("");
	size_t i = 0;

	while (script.n && i < w->n && w->from[i].start != at.start)
		i++;
	if (!script.n || i + 1 >= w->n || !simple(script) || memchr(script.p, ' ', script.n))
		return false;
	for (size_t k = i; k < w->n; k++)
		line = str_printf(j->ev->arena, "%.*s%s%.*s", STR_ARG(line), k > i ? " " : "", STR_ARG(w->at[k]));
	struct diag *d = diag_report(job_diags(j), TJ0535, at,
		"the shell runs '%.*s' alone: the words after it are parameters of the script", STR_ARG(script));
	if (!memchr(line.p, '"', line.n) && !memchr(line.p, '\\', line.n))
		diag_help(job_diags(j), d, "write the script as one text: \"%.*s\"", STR_ARG(line));
	return true;
}

/* Reports shell operators among the arguments of a script file, as in `sh run.sh && ...`. */
static bool gives_operators(struct job *j, const struct words *w)
{
	for (size_t i = 2; i < w->n && is_shell(w->at[0]) && w->at[1].n && w->at[1].p[0] != '-'; i++)
		if (is_operator(w->at[i])) {
			struct diag *d = diag_report(job_diags(j), TJ0535, w->from[i],
				"'%.*s' is for a shell, but this one reads only the script", STR_ARG(w->at[i]));
			diag_help(job_diags(j), d,
				"write the command as the script of a shell: [\"sh\", \"-c\", \"...\"]");
			return true;
		}
	return false;
}

/* The length of the dash or hyphen with which TEXT begins; 0 if it begins with neither. */
static size_t dash_length(struct str text)
{
	static const char *const dashes[] = { "-", "\u2010", "\u2011", "\u2012", "\u2013", "\u2014", "\u2212" };

	for (size_t k = 0; k < sizeof dashes / sizeof *dashes; k++)
		if (str_starts(text, str_of(dashes[k])))
			return strlen(dashes[k]);
	return 0;
}

/* Reports an option whose hyphens a text processor has replaced by a dash: no program reads such an option. */
static bool has_dash(struct job *j, const struct words *w)
{
	for (size_t i = 1; i < w->n; i++) {
		struct str rest = w->at[i];
		if (dash_length(rest) <= 1)
			continue;
		struct diag *d = diag_report(job_diags(j), TJ0535, w->from[i],
			"'%.*s' is not an option: it begins with a dash in place of hyphens", STR_ARG(rest));
		for (size_t n; (n = dash_length(rest));)
			rest = (struct str){ rest.p + n, rest.n - n };
		if (simple(rest))
			diag_help(job_diags(j), d, "write \"%s%.*s\"", rest.n > 1 ? "--" : "-", STR_ARG(rest));
		return true;
	}
	return false;
}

/* Reports a whole line of a shell as the name of the program. */
static bool is_script(struct job *j, const struct words *w)
{
	struct str first = w->at[0];

	if (!first.n || !memchr(first.p, ' ', first.n) || simple(first))
		return false;
	struct diag *d = diag_report(job_diags(j), TJ0535, w->from[0], "no program is called '%.*s'",
		STR_ARG(first));
	bool plain = true;
	for (size_t i = 0; i < first.n; i++)
		plain = plain && !strchr("\"\\\n", first.p[i]);
	if (plain && w->n == 1)
		diag_help(job_diags(j), d, "a shell reads such a line: [\"sh\", \"-c\", \"%.*s\"]", STR_ARG(first));
	else
		diag_help(job_diags(j), d,
			"write the command as the script of a shell: [\"sh\", \"-c\", \"...\"]");
	return true;
}

static void split_words(struct job *j, const struct words *w)
{
	struct arena *a = j->ev->arena;
	struct str first = w->at[0];

	if (in_user_text(j->ev, w->from[0]) && has_dash(j, w))
		return;
	if (!in_user_text(j->ev, w->from[0]) || loses_words(j, w) || gives_operators(j, w) || reads_scripts(w) ||
	    is_script(j, w))
		return;
	if (is_assignment(first)) {
		struct diag *d = diag_report(job_diags(j), TJ0535, w->from[0], "no program is called '%.*s'",
			STR_ARG(first));
		diag_help(job_diags(j), d, "set the variable in 'env', or begin with \"env\": [\"env\", \"%.*s\", ...]",
			STR_ARG(first));
		return;
	}
	if (memchr(first.p ? first.p : "", ' ', first.n) && simple(first)) {
		struct str list = as_list(a, first);
		struct diag *d = diag_report(job_diags(j), TJ0535, w->from[0], "no program is called '%.*s'",
			STR_ARG(first));
		diag_help(job_diags(j), d, "each word is an element of its own: [%.*s]", STR_ARG(list));
		return;
	}
	for (size_t i = 0; i < w->n; i++) {
		if (is_operator(w->at[i]) || (!i && str_is(w->at[i], "cd"))) {
			struct diag *d = diag_report(job_diags(j), TJ0535, w->from[i],
				"'%.*s' is for a shell, but no shell reads this command", STR_ARG(w->at[i]));
			diag_help(job_diags(j), d,
				!i ? "set 'workdir', or write [\"sh\", \"-c\", \"cd DIRECTORY && exec PROGRAM\"]" :
				"write the command as the script of a shell: [\"sh\", \"-c\", \"...\"]");
			return;
		}
		if (i && holds_option(w->at[i])) {
			struct str list = as_list(a, w->at[i]);
			struct diag *d = diag_report(job_diags(j), TJ0535, w->from[i], "'%.*s' is one argument",
				STR_ARG(w->at[i]));
			diag_help(job_diags(j), d, "write each word as an element of its own: %.*s", STR_ARG(list));
			return;
		}
	}
}

/* ---- launchers without a framework (TJ0534) ---- */

/* Finds a launcher in TEXT, a word or a script; *RET is its row, which names the framework to use. */
static struct str launcher_in(struct str text, const struct launcher **ret)
{
	for (size_t i = 0; i < text.n;) {
		size_t end = i;
		while (end < text.n && !strchr(" \t\n;&|()", text.p[end]))
			end++;
		struct str word = base_name((struct str){ text.p + i, end - i });
		for (const struct launcher *l = stdlib_launchers(); l->word; l++)
			if (str_is(word, l->word)) {
				*ret = l;
				return word;
			}
		i = end + 1;
	}
	return STR("");
}

/* The index of the word that names the program: the one after `env A=b`, or after `python -m`. */
static size_t program_word(const struct words *w)
{
	size_t i = 0;

	if (str_is(base_name(w->at[0]), "env") && w->n > 1)
		for (i = 1; i + 1 < w->n && is_assignment(w->at[i]);)
			i++;
	if (str_starts(base_name(w->at[i]), STR("python")))
		for (size_t k = i + 1; k + 1 < w->n && w->at[k].n && w->at[k].p[0] == '-'; k++)
			if (str_is(w->at[k], "-m"))
				return k + 1;
	return i;
}

static bool names_a_host(const struct text *t)
{
	for (size_t i = 0; !text_is_absent(t) && i < t->n; i++)
		if (t->at[i].kind == PIECE_HOST)
			return true;
	return false;
}

/* Does a variable of the program tell the replicas where one of them is? */
static bool tells_addresses(const struct plan_role *r)
{
	for (size_t i = 0; i < r->main.nenv; i++)
		if (r->main.env[i].kind == ENV_TEXT && names_a_host(r->main.env[i].per_replica ?
			r->main.env[i].per_replica : &r->main.env[i].text))
			return true;
	return false;
}

static void launcher(struct job *j, const struct plan_role *r, const struct words *w)
{
	if (j->roles[r - j->plan->roles]->job->framework || r->aux || r->max < 2 || tells_addresses(r))
		return;
	const struct launcher *l = NULL;
	size_t program = program_word(w);
	struct span at = w->from[program];
	struct str script = script_of(w, &at), found = launcher_in(script.n ? script : w->at[program], &l);
	if (!found.n)
		return;
	struct diag *d = diag_report(job_diags(j), TJ0534, at,
		"each of the %lld replicas starts its own '%.*s', and none knows of the others",
		(long long)r->max, STR_ARG(found));
	diag_help(job_diags(j), d, "name the framework that connects them: 'import std.%.*s' and 'job \"%.*s\": %s'",
		(int)strcspn(l->framework, "."), l->framework,
		STR_ARG(j->name), l->framework);
}

/* ---- a shell that does not pass signals on (TJ0536) ---- */

/*
 * The program at the end of a script that otherwise only sets variables; empty for any other script, and if `exec` is
 * used.
 */
static struct str last_program(struct str script)
{
	size_t start = 0;

	while (script.n && strchr(" \t\n;", script.p[script.n - 1]))
		script.n--;
	for (size_t i = 0; i < script.n; i++) {
		if (strchr("|<>`(){}", script.p[i]) ||
			(script.p[i] == '&' && (i + 1 == script.n || script.p[i + 1] != '&')))
			return STR("");
		if (script.p[i] == ';' || script.p[i] == '\n')
			start = i + 1;
		else if (script.p[i] == '&')
			start = ++i + 1;
	}
	struct str last = { script.p + start, script.n - start };
	while (last.n && strchr(" \t", *last.p))
		last = (struct str){ last.p + 1, last.n - 1 };
	size_t word = 0;
	while (word < last.n && !strchr(" \t", last.p[word]))
		word++;
	struct str name = { last.p, word };
	bool keyword = str_is(name, "exec") || str_is(name, "wait") || str_is(name, "trap") || str_is(name, "exit") ||
		str_is(name, "fi") ||
		str_is(name, "done") || str_is(name, "sleep") || str_is(name, "echo") || str_is(name, "true") ||
		str_is(name, "false");
	return keyword || memchr(name.p ? name.p : "", '=', name.n) || memmem(script.p, script.n, "trap ", 5) ?
		STR("") : name;
}

/*
 * The first program of `PROGRAM ... | LOG`, at the end of a script that has no other pipe or operator; *RET_LOG gets
 * what is behind the '|'. Empty for other scripts.
 */
static struct str piped_program(struct str script, struct str *ret_log)
{
	const char *pipe = script.n ? memchr(script.p, '|', script.n) : NULL;

	*ret_log = (struct str){ 0 };
	if (!pipe || pipe == script.p || pipe + 1 == script.p + script.n || pipe[1] == '|')
		return STR("");
	struct str left = { script.p, (size_t)(pipe - script.p) }, log = { pipe + 1, script.n - left.n - 1 };
	if (left.p[left.n - 1] == '&' || pipe[1] == '&')
		return STR("");
	while (log.n && *log.p == ' ')
		log = (struct str){ log.p + 1, log.n - 1 };
	for (size_t i = 0; i < log.n; i++)
		if (strchr("|&;<>`(){}\n", log.p[i]))
			return STR("");
	/* `2>&1` in front of the pipe */
	if (left.n > 5 && memcmp(left.p + left.n - 5, "2>&1 ", 5) == 0)
		left.n -= 5;
	*ret_log = log;
	return log.n ? last_program(left) : STR("");
}

/*
 * Does a label or a taint mark nodes that the provider may take away? Each provider has its own label, which contains
 * one of these words.
 */
static bool names_spot(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((s.n - i >= 4 && strncasecmp(s.p + i, "spot", 4) == 0) ||
		    (s.n - i >= 7 && strncasecmp(s.p + i, "preempt", 7) == 0))
			return true;
	return false;
}

/*
 * Where the role requests nodes that the provider may take away; the span of the role if a record of the library does
 * so.
 */
static struct span asks_for_spot(struct job *j, const struct plan_role *r)
{
	for (size_t i = 0; i < r->node.n; i++)
		if (names_spot(r->node.at[i].key) || names_spot(r->node.at[i].value))
			return in_user_text(j->ev, r->node.at[i].from) ? r->node.at[i].from : r->at;
	for (size_t i = 0; i < r->ntolerate; i++)
		if (names_spot(r->tolerate[i].value))
			return in_user_text(j->ev, r->tolerate[i].from) ? r->tolerate[i].from : r->at;
	return (struct span){ 0 };
}

/*
 * The span of a setting which shows that the program should receive the signal: a grace period, a claim that it writes
 * to, or nodes that the provider may take away.
 */
static struct span counts_on_it(struct job *j, const struct plan_role *r, const struct plan_container *c,
	const char **ret_what)
{
	if (r->grace.set && in_user_text(j->ev, r->grace.from) && r->grace.from.start != r->at.start) {
		*ret_what = "the grace period is set here";
		return r->grace.from;
	}
	for (size_t i = 0; i < c->nmounts; i++) {
		const struct plan_volume *v = c->mounts[i].volume;
		*ret_what = "checkpoints are written here";
		if (((v->kind == VOLUME_PVC && !v->readonly) || v->keep) && in_user_text(j->ev, v->from))
			return v->from;
	}
	*ret_what = "nodes that may be taken away are requested here";
	return asks_for_spot(j, r);
}

static void signals(struct job *j, const struct plan_role *r, const struct plan_container *c, const struct words *w)
{
	struct span at = { 0 };
	struct str script = script_of(w, &at), log, piped = piped_program(script, &log),
		program = piped.n ? piped : last_program(script);
	const char *what = NULL;
	struct span because = program.n && in_user_text(j->ev, at) ? counts_on_it(j, r, c, &what) : (struct span){ 0 };

	if (!span_known(because))
		return;
	struct diag *d = diag_report(job_diags(j), TJ0536, at,
		"the shell gets the termination signal, and may not pass it on to '%.*s'",
		STR_ARG(program));
	diag_note(job_diags(j), d, because, "%s", what);
	if (piped.n)
		diag_help(job_diags(j), d, "in bash write 'exec %.*s ... > >(%.*s)', or leave out '| %.*s': "
			"'trainc logs' shows the output", STR_ARG(piped), STR_ARG(log), STR_ARG(log));
	else
		diag_help(job_diags(j), d, "write 'exec %.*s' in the script, so that the program replaces the shell",
		STR_ARG(program));
}

/* ---- applying the rules ---- */

static void check_container_words(struct job *j, const struct plan_role *r, const struct plan_container *c)
{
	struct words w;

	if (!known_words(c, &w))
		return;
	split_words(j, &w);
	if (c == &r->main)
		launcher(j, r, &w);
	if (!c->init)
		signals(j, r, c, &w);
}

void rules_words(struct job *j)
{
	for (size_t i = 0; i < j->plan->nroles; i++) {
		const struct plan_role *r = &j->plan->roles[i];
		if (!r->max)
			continue;
		check_container_words(j, r, &r->main);
		for (size_t k = 0; k < r->nsidecars; k++)
			check_container_words(j, r, &r->sidecars[k]);
		for (size_t k = 0; k < r->ninits; k++)
			check_container_words(j, r, &r->inits[k]);
	}
}
