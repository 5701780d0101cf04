/*
 * diff_against.c - `diff --against N`. A launch in a history has facts about its program (plan_facts.h). One that an
 * earlier version of trainc noted, or that had no room, has only images and ids of code.
 */
#include "runtime/command/diff_against.h"

#include <unistd.h>

#include "base/json_write.h"
#include "base/words.h"
#include "data/data_write.h"
#include "plan/code.h"
#include "runtime/command/runs.h"
#include "runtime/run/plan_facts.h"
#include "runtime/run/run_history.h"

enum { NUMBER_DIGITS = 7 };

struct comparing {
	struct session *session;
	int64_t number;
	bool json, colour, differs;
	struct json_writer writer;
	struct buf out;
	int status;
};

/* ---- what is compared ---- */

/* The facts of a launch that has none: its images and code. */
static struct plan_facts least_facts(struct arena *a, const struct run_launch *x)
{
	struct plan_facts f = { .words = FACT_WORDS };

	for (size_t i = 0; i < x->nimages; i++)
		ARENA_PUSH(a, f.at, f.n, str_printf(a, "image %.*s=used", STR_ARG(x->images[i])));
	for (size_t i = 0; i < x->ncode; i++)
		ARENA_PUSH(a, f.at, f.n, str_printf(a, "%.*s code=%.*s", STR_ARG(x->code[i].role),
			STR_ARG(x->code[i].id)));
	return f;
}

static struct plan_facts launch_facts(struct arena *a, const struct run_launch *x, bool least)
{
	return least ? least_facts(a, x)
		: (struct plan_facts){ .at = x->facts, .n = x->nfacts, .words = x->words };
}

static const struct run_launch *find_launch(const struct run_launches *l, int64_t number)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->at[i].number == number)
			return &l->at[i];
	return NULL;
}

static void say_no_launch(struct comparing *c, const struct run_history *h)
{
	struct buf known = { 0 };

	for (size_t i = 0; i < h->launches.n; i++)
		buf_printf(&known, "%s%lld", !i ? "" : i + 1 < h->launches.n ? ", " : " and ",
			(long long)h->launches.at[i].number);
	session_say(c->session, "run '%.*s' has no launch %lld; its history has %.*s: 'trainc history%s %.*s' shows "
		"them", STR_ARG(h->name), (long long)c->number, STR_ARG(buf_text(&known)),
		c->session->backend->option, STR_ARG(h->name));
	buf_release(&known);
	c->status = STATUS_USAGE;
}

/* ---- the result ---- */

static void put_value(struct comparing *c, char sign, struct str value, bool whole)
{
	buf_printf(&c->out, "%s%c     ", c->colour ? sign == '-' ? "\x1b[31m" : "\x1b[32m" : "", sign);
	put_escaped(&c->out, value);
	buf_printf(&c->out, "%s%s\n", whole ? "" : value.n ? " ..." : "(the value is not kept)",
		c->colour ? "\x1b[0m" : "");
}

static void put_changes(struct comparing *c, const struct run_history *h, const struct run_launch *old,
	const struct fact_changes *all)
{
	buf_z(&c->out, "run/");
	put_escaped(&c->out, h->name);
	buf_printf(&c->out, " differs from launch %lld (", (long long)old->number);
	if (old->started)
		put_time(&c->out, old->started, 0);
	buf_z(&c->out, old->started && old->state.n ? ", " : "");
	put_escaped(&c->out, old->state);
	buf_z(&c->out, ")\n");
	for (size_t i = 0; i < all->n; i++) {
		const struct fact_change *x = &all->at[i];
		buf_z(&c->out, "  ");
		put_escaped(&c->out, x->name);
		buf_char(&c->out, '\n');
		if (x->was)
			put_value(c, '-', x->old, x->whole_old);
		if (x->is)
			put_value(c, '+', x->new, x->whole_new);
	}
}

static void add_value(struct json_writer *w, const char *key, struct str value)
{
	if (value.n)
		json_add_text(w, key, value);
	else
		json_add_null(w, key);
}

static void put_changes_json(struct comparing *c, const struct run_history *h, const struct run_launch *old,
	const struct fact_changes *all, bool least)
{
	struct json_writer *w = &c->writer;

	json_open(w, '{');
	json_add_text(w, "name", h->name);
	json_add_text(w, "namespace", h->ns);
	json_add_int(w, "against", old->number);
	json_add_bool(w, "complete", !least && old->words >= FACT_WORDS);
	json_add_open(w, "fields", '[');
	for (size_t i = 0; i < all->n; i++) {
		const struct fact_change *x = &all->at[i];
		json_open(w, '{');
		json_add_text(w, "name", x->name);
		json_add_text(w, "change", !x->was ? STR("added") : x->is ? STR("changed") : STR("removed"));
		add_value(w, "old", x->old);
		add_value(w, "new", x->new);
		json_close(w, '}');
	}
	json_close(w, ']');
	json_close(w, '}');
}

/* Says what the comparison cannot see. */
static void say_limits(struct comparing *c, const struct run_history *h, const struct run_launch *old, bool least)
{
	if (least)
		session_say(c->session, "launch %lld of run '%.*s' has only its images and code: an earlier version of "
			"trainc noted it, or the history had no room for more", (long long)old->number,
			STR_ARG(h->name));
	else if (old->words < FACT_WORDS)
		session_say(c->session, "launch %lld of run '%.*s' is kept in less detail, because its program is "
			"large", (long long)old->number, STR_ARG(h->name));
}

/* Compares one run; NOW: its program, or NULL for its last launch. */
static void compare_run(struct comparing *c, const struct run_history *h, const struct run_launch *now)
{
	struct arena *a = c->session->arena;
	const struct run_launch *old = find_launch(&h->launches, c->number);

	if (!old) {
		say_no_launch(c, h);
		return;
	}
	if (!now)
		now = &h->launches.at[h->launches.n - 1];
	bool least = !old->words || !now->words;
	struct plan_facts from = launch_facts(a, old, least), to = launch_facts(a, now, least);
	struct fact_changes all = plan_facts_compare(a, &from, &to);
	say_limits(c, h, old->words ? now->words && now->words < old->words ? now : old : old, least);
	c->differs = c->differs || all.n;
	if (c->json)
		put_changes_json(c, h, old, &all, least);
	else if (all.n)
		put_changes(c, h, old, &all);
}

static const struct run_history *find_run(const struct run_histories *all, struct str name)
{
	for (size_t i = 0; i < all->n; i++)
		if (str_eq(all->at[i].name, name))
			return &all->at[i];
	return NULL;
}

static bool launch_number(struct session *s, int64_t *ret)
{
	struct str text = option_value(s->options, OPTION_AGAINST);
	size_t digits = 0;

	*ret = 0;
	for (; digits < text.n && digits < NUMBER_DIGITS && text.p[digits] >= '0' && text.p[digits] <= '9'; digits++)
		*ret = *ret * 10 + (text.p[digits] - '0');
	if (*ret > 0 && digits == text.n)
		return true;
	session_say(s, "--against needs the number of a launch, as 'trainc history' shows it, found '%.*s'",
		STR_ARG(text));
	return false;
}

int diff_against(struct session *s, const struct backend *b)
{
	struct comparing c = { .session = s, .json = str_is(option_value(s->options, OPTION_OUTPUT), "json"),
		.colour = session_colour(option_value(s->options, OPTION_COLOR), STDOUT_FILENO) };
	struct run_histories all = { 0 };
	struct chosen chosen = { 0 };
	int status = STATUS_USAGE;

	c.writer = (struct json_writer){ .out = &c.out, .text = data_write_text };
	if (!launch_number(s, &c.number))
		return status;
	if (!runs_choose(s, b, s->options->noperands, &chosen, &status))
		return status == STATUS_PROGRAM ? STATUS_USAGE : status;        /* 1 means differences */
	if (!b->history(s, &chosen, &all, &status))
		return status;
	c.status = status;
	if (c.json) {
		json_open(&c.writer, '{');
		json_add_int(&c.writer, "schemaVersion", 1);
		json_add_open(&c.writer, "runs", '[');
	}
	for (size_t i = 0; i < chosen.n; i++) {
		const struct run_history *h = find_run(&all, chosen.at[i].name);
		if (h)
			compare_run(&c, h, chosen.at[i].now);
	}
	if (c.json) {
		json_close(&c.writer, ']');
		json_close(&c.writer, '}');
		buf_char(&c.out, '\n');
	}
	session_write(s, buf_text(&c.out));
	buf_release(&c.out);
	return c.status != STATUS_DONE ? c.status : c.differs ? 1 : STATUS_DONE;
}
