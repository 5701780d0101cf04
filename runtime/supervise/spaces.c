/* spaces.c - the label of namespaces: reads the option, and lets namespaces join and leave. */
#include "runtime/supervise/spaces.h"

#include "runtime/supervise/log.h"
#include "runtime/supervise/supervise_jobs.h"

/* ---- the option ---- */

/* Is C a letter, a digit, or a sign that may be in a key or a value of a label? */
static bool is_label_character(char c, bool key)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
		c == '.' || (key && c == '/');
}

/* Takes the key or value at the beginning of *S; false if it does not begin with one. */
static bool take_word(struct str *s, bool key)
{
	size_t n = 0;

	while (n < s->n && is_label_character(s->p[n], key))
		n++;
	*s = (struct str){ s->p + n, s->n - n };
	return n > 0;
}

static bool take_text(struct str *s, const char *text)
{
	struct str t = str_of(text);

	if (!str_starts(*s, t))
		return false;
	*s = (struct str){ s->p + t.n, s->n - t.n };
	return true;
}

static void take_blanks(struct str *s)
{
	while (take_text(s, " "))
		continue;
}

/* Is S written KEY=VALUE, or KEY in (VALUE,...)? */
static bool is_selector(struct str s)
{
	if (!take_word(&s, true))
		return false;
	if (take_text(&s, "="))
		return take_word(&s, false) && !s.n;
	if (!take_text(&s, " in "))
		return false;
	take_blanks(&s);
	if (!take_text(&s, "("))
		return false;
	do {
		take_blanks(&s);
		if (!take_word(&s, false))
			return false;
		take_blanks(&s);
	} while (take_text(&s, ","));
	return take_text(&s, ")") && !s.n;
}

bool spaces_read(struct session *s, struct controller *c)
{
	struct str selector = option_value(s->options, OPTION_NAMESPACE_SELECTOR);
	bool one = option_value(s->options, OPTION_NAMESPACE).n, all = option_given(s->options, OPTION_ALL_NAMESPACES),
		given = option_given(s->options, OPTION_NAMESPACE_SELECTOR);

	if (one + all + given > 1) {
		session_say(s, "--namespace, --all-namespaces and --namespace-selector choose the namespaces in "
			"different ways; give one of them");
		return false;
	}
	if (given && !is_selector(selector)) {
		session_say(s, "--namespace-selector is written KEY=VALUE or 'KEY in (VALUE,VALUE)', found '%.*s'",
			STR_ARG(selector));
		return false;
	}
	c->selector = given ? selector : one || all ? STR("") : STR(SPACES_LABEL);
	return true;
}

/* ---- the namespaces ---- */

bool spaces_attend(const struct controller *c, struct str ns)
{
	const struct tenant *t = c->selector.n ? tenant_known(c, ns) : NULL;

	return !c->selector.n || (t && t->selected);
}

bool spaces_select(struct controller *c, struct str ns)
{
	struct tenant *t = tenant_of(c, ns);
	bool news = !t->selected;

	t->seen = true;
	if (!news)
		return false;
	t->selected = t->joining = true;
	queue_lane_open(&c->queue, &t->lane, false);
	log_line("info", STR(""), "namespace '%.*s' has the label %.*s: its jobs are read", STR_ARG(ns),
		STR_ARG(c->selector));
	return true;
}

bool spaces_deselect(struct controller *c, struct str ns)
{
	struct tenant *t = tenant_known(c, ns);

	if (!t || !t->selected)
		return false;
	t->selected = t->joining = false;
	jobs_leave(c, t);
	store_leave(&c->store, t->ns);
	store_leave(&c->run_objects, t->ns);
	log_line("info", STR(""), "namespace '%.*s' does not have the label %.*s any more: nothing is done there",
		STR_ARG(t->ns), STR_ARG(c->selector));
	return true;
}

static void space_join(struct controller *c, struct tenant *t)
{
	if (!t->joining)
		return;
	t->joining = false;
	queue_lane_open(&c->queue, &t->lane, true);
}

static void space_unsee(struct controller *c, struct tenant *t)
{
	(void)c;
	t->seen = false;
}

static void space_forget_unseen(struct controller *c, struct tenant *t)
{
	if (!t->seen)
		spaces_deselect(c, t->ns);
}

void spaces_join(struct controller *c) { tenants_each(c, space_join); }
void spaces_unsee(struct controller *c) { tenants_each(c, space_unsee); }
void spaces_forget_unseen(struct controller *c) { tenants_each(c, space_forget_unseen); }
