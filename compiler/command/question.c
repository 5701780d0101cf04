/*
 * question.c - reads the question of a completion script, and tolerates errors, because a line that is being typed is
 * rarely complete.
 */
#include "command/question.h"

static const struct {
	enum question_names names;
	const char *word;
} words[] = {
	{ NAMES_RUNS, "runs" }, { NAMES_CONTEXTS, "contexts" }, { NAMES_NAMESPACES, "namespaces" },
	{ NAMES_ROLES, "roles" }, { NAMES_REPLICAS, "replicas" }, { NAMES_RANKS, "ranks" },
	{ NAMES_JOBS, "jobs" },
};

void question_spell(unsigned names, struct buf *out)
{
	const char *comma = "";

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (names & words[i].names) {
			buf_printf(out, "%s%s", comma, words[i].word);
			comma = ",";
		}
}

static unsigned read_names(struct str text)
{
	unsigned names = 0;

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		for (size_t at = 0, n = strlen(words[i].word); at + n <= text.n; at++) {
			bool begins = !at || text.p[at - 1] == ',', ends = at + n == text.n || text.p[at + n] == ',';
			if (begins && ends && memcmp(text.p + at, words[i].word, n) == 0)
				names |= words[i].names;
		}
	return names;
}

/* Returns the row of the option in "--name", "--name=value" or "-n"; NULL for other words. */
static const struct option_row *option_called(struct str word, struct str *ret_value)
{
	const char *equals = memchr(word.p, '=', word.n);
	struct str name = { word.p, equals ? (size_t)(equals - word.p) : word.n };

	*ret_value = equals ? (struct str){ equals + 1, word.n - name.n - 1 } : (struct str){ 0 };
	for (unsigned i = 0; i < OPTIONS; i++) {
		const struct option_row *o = option_row((enum option)i);
		bool is_long = str_starts(name, STR("--")) && str_is((struct str){ name.p + 2, name.n - 2 }, o->word);
		if (is_long || (o->letter && name.n == 2 && name.p[0] == '-' && name.p[1] == o->letter))
			return o;
	}
	return NULL;
}

/* Does the option affect where names are searched for? */
static bool matters(enum option option)
{
	static const enum option all[] = { OPTION_KUBECONFIG, OPTION_CONTEXT, OPTION_NAMESPACE, OPTION_AS, OPTION_LOCAL,
		OPTION_SET, OPTION_PARAMS, OPTION_PROFILE };

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i] == option)
			return true;
	return false;
}

/* Reads the words after the command: keeps the options that affect the search, and the first operand. */
static void read_typed(struct arena *a, const struct str *at, const struct str *end, struct options *line)
{
	bool has_command = false;

	for (; at < end; at++) {
		struct str value;
		const struct option_row *o = option_called(*at, &value);
		if (o && o->argument[0] && !value.p) {
			/* bash splits --name=value into three words */
			at += at + 1 < end && str_is(at[1], "=") ? 2 : 1;
			if (at >= end)
				return;         /* the value of this option is being typed */
			value = *at;
		}
		if (o && matters(o->option)) {
			struct given given = { o->option, value };
			ARENA_PUSH(a, line->given, line->ngiven, given);
		}
		if (o || (at->n && at->p[0] == '-' && at->n > 1))
			continue;
		if (has_command && !line->noperands)
			ARENA_PUSH(a, line->operands, line->noperands, *at);
		has_command = true;
	}
}

bool question_read(struct arena *a, const struct options *o, struct names_question *ret)
{
	const struct str *at = o->operands, *end = at + o->noperands;

	*ret = (struct names_question){ .line.command = COMMAND_STATUS };
	if (o->command != COMMAND_COMPLETION || o->noperands < 2 || !str_is(at[0], "names"))
		return false;
	ret->names = read_names(at[1]);
	at += 2;
	if (at < end && str_is(at[0], "trainc"))
		at++;
	read_typed(a, at, end, &ret->line);
	return true;
}

bool question_of_cluster(const struct names_question *q)
{
	bool program = q->line.noperands && str_ends(q->line.operands[0], STR(".tj"));

	if (q->names & (NAMES_CONTEXTS | NAMES_NAMESPACES))
		return true;
	return !option_given(&q->line, OPTION_LOCAL) && ((q->names & NAMES_RUNS) || !program);
}
