/* logs.c - reads the options of `logs`, and decides which replicas they mean. */
#include "runtime/command/logs.h"

#include <ctype.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/quantity.h"
#include "diag/suggest.h"
#include "runtime/command/runs.h"
#include "base/words.h"

enum {
	USUAL_TAIL = 50,        /* default number of lines of a rank that failed */
	USUAL_STREAMS = 50,     /* default limit of streams: each stream costs the API server work */
};

/* ---- options ---- */

static bool number(struct str *text, int64_t *ret)
{
	size_t n = 0;

	*ret = 0;
	for (; n < text->n && n < 9 && isdigit((unsigned char)text->p[n]); n++)
		*ret = 10 * *ret + (text->p[n] - '0');
	*text = (struct str){ text->p + n, text->n - n };
	return n > 0;
}

/* Reads a list of ranks, "0,3-7". */
static bool add_ranks(struct session *s, struct log_wish *w, struct str text)
{
	struct str rest = text;

	for (;;) {
		struct rank_range r;
		if (!number(&rest, &r.lo))
			break;
		r.hi = r.lo;
		if (rest.n && rest.p[0] == '-') {
			rest = (struct str){ rest.p + 1, rest.n - 1 };
			if (!number(&rest, &r.hi) || r.hi < r.lo)
				break;
		}
		ARENA_PUSH(s->arena, w->ranks, w->nranks, r);
		if (!rest.n)
			return true;
		if (rest.p[0] != ',')
			break;
		rest = (struct str){ rest.p + 1, rest.n - 1 };
	}
	session_say(s, "--rank needs numbers and ranges such as 0,3-7, found '%.*s'", STR_ARG(text));
	return false;
}

static bool read_since(struct session *s, struct log_wish *w)
{
	struct str text = option_value(s->options, OPTION_SINCE);
	int64_t ago;

	if (!text.p || time_parse(text, &w->since))
		return true;
	if (text.n && text.p[text.n - 1] == 'Z') {
		session_say(s, "--since needs a time such as 2026-01-31T12:00:00Z or 5min, found '%.*s'",
			STR_ARG(text));
		return false;
	}
	if (!runs_duration(s, OPTION_SINCE, &ago))
		return false;
	w->since = clock_real() - ago;
	return true;
}

static bool read_tail(struct session *s, struct log_wish *w)
{
	struct str text = option_value(s->options, OPTION_TAIL), rest = text;

	w->tail = -1;
	if (!text.p || str_is(text, "-1") || (number(&rest, &w->tail) && !rest.n))
		return true;
	session_say(s, "--tail needs a number of lines, found '%.*s'", STR_ARG(text));
	return false;
}

static bool read_most(struct session *s, struct log_wish *w)
{
	struct str text = option_value(s->options, OPTION_MAX_STREAMS), rest = text;

	w->most = USUAL_STREAMS;
	if (!text.p || (number(&rest, &w->most) && !rest.n && w->most))
		return true;
	session_say(s, "--max-streams needs a number above 0, found '%.*s'", STR_ARG(text));
	return false;
}

static bool read_attempt(struct session *s, struct log_wish *w)
{
	struct str text = option_value(s->options, OPTION_ATTEMPT), rest = text;

	if (!text.p)
		return true;
	if (!number(&rest, &w->attempt) || rest.n || !w->attempt)
		session_say(s, "--attempt needs a number above 0, found '%.*s'", STR_ARG(text));
	else if (w->previous)
		session_say(s, "--previous and --attempt both choose an attempt; leave one of them out");
	else
		return true;
	return false;
}

static bool read_grep(struct session *s, struct log_wish *w)
{
	struct str text = option_value(s->options, OPTION_GREP);
	char reason[256];

	if (!text.p)
		return true;
	w->grep = ARENA_NEW(s->arena, regex_t);
	int error = regcomp(w->grep, str_copy(s->arena, text).p, REG_EXTENDED);
	if (error == REG_ESPACE)
		memory_out();
	if (!error)
		return true;
	regerror(error, w->grep, reason, sizeof reason);
	session_say(s, "--grep needs an extended regular expression, found '%.*s': %s", STR_ARG(text), reason);
	return false;
}

bool logs_wish(struct session *s, struct log_wish *ret)
{
	const struct options *o = s->options;

	*ret = (struct log_wish){ .container = option_value(o, OPTION_CONTAINER), .all = option_given(o, OPTION_ALL),
		.previous = option_given(o, OPTION_PREVIOUS) };
	for (size_t i = 0; i < o->ngiven; i++) {
		if (o->given[i].option == OPTION_ROLE)
			ARENA_PUSH(s->arena, ret->roles, ret->nroles, o->given[i].value);
		if (o->given[i].option == OPTION_RANK && !add_ranks(s, ret, o->given[i].value))
			return false;
	}
	ret->usual = o->command == COMMAND_LOGS && !ret->all && !ret->nroles && !ret->nranks && !ret->container.p;
	ret->all = ret->all || (o->command == COMMAND_RUN && !ret->nroles && !ret->nranks);
	return read_since(s, ret) && read_tail(s, ret) && read_most(s, ret) && read_attempt(s, ret) &&
		read_grep(s, ret);
}

/* ---- check against the runs ---- */

static bool has_role(const struct attend *a, struct str role)
{
	for (size_t i = 0; i < a->n; i++)
		for (size_t k = 0; k < a->runs[i].state.nroles; k++)
			if (a->runs[i].state.roles[k].max && run_role_meant(&a->runs[i].state.roles[k], role))
				return true;
	return false;
}

static bool check_roles(struct session *s, const struct log_wish *w)
{
	for (size_t i = 0; i < w->nroles; i++) {
		struct suggest near;

		if (has_role(w->attend, w->roles[i]))
			continue;
		suggest_init(&near, s->arena, w->roles[i]);
		for (size_t k = 0; k < w->attend->n; k++)
			for (size_t r = 0; r < w->attend->runs[k].state.nroles; r++)
				if (w->attend->runs[k].state.roles[r].max)
					suggest_add(&near, w->attend->runs[k].state.roles[r].name);
		struct str help = suggest_or_list(&near, "the roles are");
		session_say(s, "unknown role '%.*s'%s%.*s", STR_ARG(w->roles[i]), help.n ? "; " : "", STR_ARG(help));
		return false;
	}
	return true;
}

static bool role_wished(const struct log_wish *w, const struct run_role *role)
{
	for (size_t i = 0; i < w->nroles; i++)
		if (run_role_meant(role, w->roles[i]))
			return true;
	return !w->nroles;
}

/* The highest rank of the selected roles. */
static int64_t highest(const struct log_wish *w)
{
	int64_t most = -1;

	for (size_t i = 0; i < w->attend->n; i++) {
		const struct run_state *run = &w->attend->runs[i].state;
		for (size_t k = 0; k < run->nroles; k++)
			if (role_wished(w, &run->roles[k]) && run->roles[k].max - 1 > most)
				most = run->roles[k].max - 1;
	}
	return most;
}

static bool check_ranks(struct session *s, const struct log_wish *w)
{
	int64_t most = highest(w);

	for (size_t i = 0; i < w->nranks; i++) {
		if (w->ranks[i].hi <= most)
			continue;
		const char *what = w->nroles == 1 ? w->roles[0].p : "the roles";
		session_say(s, "unknown rank %lld: %s ha%s ranks 0 to %lld", (long long)w->ranks[i].hi, what,
			w->nroles == 1 ? "s" : "ve", (long long)most);
		return false;
	}
	return true;
}

/* ---- choosing ---- */

static bool rank_wished(const struct log_wish *w, int64_t index)
{
	for (size_t i = 0; i < w->nranks; i++)
		if (index >= w->ranks[i].lo && index <= w->ranks[i].hi)
			return true;
	return !w->nranks;
}

static bool has_failed(const struct run_state *run, size_t role, int64_t index)
{
	return index < run->roles[role].max && run->roles[role].at[index].state == REPLICA_FAILED;
}

/*
 * The number of failed replicas that come before this replica in the order in which logs are shown. Counting stops at
 * MOST, as thousands may fail.
 */
static int64_t failed_before(const struct run_state *run, size_t role, int64_t index, int64_t most)
{
	int64_t n = 0;

	for (size_t k = 0; k <= role; k++)
		for (int64_t i = 0; i < (k < role ? run->roles[k].max : index) && n < most; i++)
			n += has_failed(run, k, i);
	return n;
}

static size_t first_role(const struct run_state *run)
{
	size_t first = 0;

	while (first + 1 < run->nroles && !run->roles[first].max)
		first++;
	return first;
}

bool logs_wanted(const struct log_wish *w, const struct run_state *run, size_t role, int64_t index,
	const struct log_stream *stream)
{
	bool main = !stream || stream->main;

	if (w->attempt && stream && (index >= run->roles[role].max || run->roles[role].at[index].attempts < w->attempt))
		return false;
	if (w->usual)
		return main && ((role == first_role(run) && index == 0) ||
			(has_failed(run, role, index) && failed_before(run, role, index, w->most) + 1 < w->most));
	if (!role_wished(w, &run->roles[role]) || !rank_wished(w, index))
		return false;
	if (w->container.p)
		return stream && str_eq(stream->container, w->container);
	return main || w->all || w->nroles + w->nranks == 0;
}

/* The number of replicas that W wants to read. */
static int64_t count_wanted(const struct log_wish *w)
{
	int64_t n = 0;

	for (size_t i = 0; i < w->attend->n; i++) {
		const struct run_state *run = &w->attend->runs[i].state;
		for (size_t k = 0; k < run->nroles; k++)
			if (role_wished(w, &run->roles[k]))
				for (int64_t index = 0; index < run->roles[k].max; index++)
					n += rank_wished(w, index);
	}
	return n;
}

/*
 * Checks that the logs of the selected replicas can be read at once. The default selection always passes: it includes
 * only a limited number of failed replicas.
 */
static bool check_streams(struct session *s, const struct backend *b, struct log_wish *w)
{
	if (!b->streams)
		w->most = INT64_MAX;
	int64_t n = w->usual ? 0 : count_wanted(w);

	if (n <= w->most)
		return true;
	if (s->options->command != COMMAND_RUN) {
		session_say(s, "%lld replicas are chosen, and at most %lld logs are read at once; choose some with "
			"--rank or --role, or allow more with "
			"--max-streams %lld", (long long)n, (long long)w->most, (long long)n);
		return false;
	}
	session_say(s, "%lld replicas are more than the %lld whose logs are read at once: showing the first, and those "
		"that fail; --rank and --role choose others, "
		"--max-streams %lld shows all", (long long)n, (long long)w->most, (long long)n);
	w->usual = true;
	w->all = false;
	return true;
}

bool logs_check(struct session *s, const struct backend *b, struct log_wish *w)
{
	return check_roles(s, w) && check_ranks(s, w) && check_streams(s, b, w);
}

/* Notes which containers the chosen replicas have. */
static void note_container(struct log_wish *w, const struct run_state *run, const struct log_stream *stream)
{
	if (!w->container.p || w->container_found || stream->role_number >= run->nroles ||
	    !role_wished(w, &run->roles[stream->role_number]) || !rank_wished(w, stream->index))
		return;
	w->container_found = str_eq(stream->container, w->container);
	for (size_t i = 0; i < w->ncontainers; i++)
		if (str_eq(w->containers[i], stream->container))
			return;
	ARENA_PUSH(w->attend->arena, w->containers, w->ncontainers, stream->container);
}

/* Has a chosen replica not started yet? Its containers are unknown. */
static bool waits_for_replica(const struct log_wish *w)
{
	for (size_t i = 0; i < w->attend->n; i++) {
		const struct run_state *run = &w->attend->runs[i].state;
		for (size_t k = 0; k < run->nroles; k++)
			for (int64_t r = 0; role_wished(w, &run->roles[k]) && r < run->roles[k].desired; r++)
				if (rank_wished(w, r) && !run->roles[k].at[r].attempts)
					return true;
	}
	return false;
}

bool logs_has_container(struct session *s, const struct log_wish *w)
{
	struct suggest near;

	if (!w->container.p || w->container_found || !w->ncontainers || waits_for_replica(w))
		return true;
	suggest_init(&near, s->arena, w->container);
	for (size_t i = 0; i < w->ncontainers; i++)
		suggest_add(&near, w->containers[i]);
	struct str help = suggest_or_list(&near, "the containers are");
	session_say(s, "unknown container '%.*s'%s%.*s", STR_ARG(w->container), help.n ? "; " : "", STR_ARG(help));
	return false;
}

static bool wanted(void *context, const struct log_stream *stream, struct log_selection *ret)
{
	struct log_wish *w = context;
	const struct run_state *run = &w->attend->runs[stream->run].state;

	note_container(w, run, stream);
	if (stream->role_number >= run->nroles || !logs_wanted(w, run, stream->role_number, stream->index, stream))
		return false;
	bool first = stream->role_number == first_role(run) && stream->index == 0;
	*ret = (struct log_selection){ .tail = w->tail, .since = w->since, .previous = w->previous,
		.attempt = w->attempt };
	if (w->usual && w->tail < 0 && !first)
		ret->tail = USUAL_TAIL;
	if (stream->main && stream->index < run->roles[stream->role_number].max)
		ret->attempts = run->roles[stream->role_number].at[stream->index].attempts;
	return true;
}

void logs_follow(struct session *s, const struct backend *b, struct attend *a, struct log_wish *w, bool json)
{
	const struct options *o = s->options;
	bool terminal = isatty(STDOUT_FILENO);
	struct log_choice choice = { wanted, w, w->follow };

	w->attend = a;
	a->logs = b->logs(s, a, &choice);
	a->print = (struct log_print){ .json = json, .context = s->context,
		.escape = terminal && !option_given(o, OPTION_RAW), .grep = w->grep,
		.colors = session_colour(option_value(o, OPTION_COLOR), STDOUT_FILENO),
		.timestamps = option_given(o, OPTION_TIMESTAMPS), .prefix = !option_given(o, OPTION_NO_PREFIX),
		.colour = session_colour(option_value(o, OPTION_COLOR), STDOUT_FILENO), .runs = a->n > 1 };
}
