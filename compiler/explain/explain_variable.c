/*
 * explain_variable.c - explains variables of the environment: which frameworks of the library set one and to which
 * value, and which reserve it.
 */
#include "explain/explain.h"
#include "explain/outline.h"

struct asking {
	struct explain *explain;
	struct outline outline;
	struct str framework, role;     /* where the search currently is: "module.framework", and the role or "every
					 * role" */
	struct str shown;               /* the last framework that was shown: each is shown once */
	bool told, kept;                /* `told`: something was found; `kept`: a framework reserves the variable */
};

/*
 * Can the topic be a variable? It must begin with two capitals: otherwise it is a word of the language or a name of the
 * library.
 */
static bool is_variable(struct str s)
{
	size_t capitals = strspn(s.p ? s.p : "", "ABCDEFGHIJKLMNOPQRSTUVWXYZ");

	return capitals > 1 && strcspn(s.p, ".-/ ") >= s.n;
}

static void put_variable_line(struct asking *q, struct str text, struct str when, struct str doc)
{
	struct buf *out = q->explain->out;
	const char *newline = doc.n ? memchr(doc.p, '\n', doc.n) : NULL;

	if (!q->told) {
		explain_next(q->explain);
		buf_printf(out, "%.*s: variable of the environment\n", STR_ARG(q->explain->topic));
	}
	if (!str_eq(q->shown, q->framework))
		buf_printf(out, "\n%.*s\n", STR_ARG(q->framework));
	buf_printf(out, "  %-12.*s %.*s", STR_ARG(q->role), STR_ARG(text));
	if (when.n)
		buf_printf(out, "  (%.*s)", STR_ARG(when));
	if (doc.n)
		buf_printf(out, "  # %.*s", newline ? (int)(newline - doc.p) : (int)doc.n, doc.p);
	buf_char(out, '\n');
	q->shown = q->framework;
	q->told = true;
}

static void match_variable(void *to, const struct node *item, struct str when)
{
	struct asking *q = to;
	struct str name = item->kind == NODE_SET ? item->u.item.key.text : STR("");

	if (name.n)
		suggest_add(&q->explain->near, name);
	if (name.n && str_eq(name, q->explain->topic))
		put_variable_line(q, outline_setting(&q->outline, item), when, item->u.item.doc);
}

static void match_environment(void *to, const struct node *item, struct str when)
{
	struct asking *q = to;

	if (outline_is_field(item, "env"))
		outline_items(&q->outline, item->u.item.value, when, match_variable, q);
}

static void reserved(struct asking *q, const struct node *list)
{
	struct str pattern;

	for (size_t i = 0; list->kind == NODE_LIST && i < list->u.list.n; i++) {
		if (!node_static_text(list->u.list.at[i], &pattern) || !str_covered(q->explain->topic, pattern))
			continue;
		q->kept = true;
		q->role = STR("locked");
		put_variable_line(q, pattern, STR(""), STR(""));
	}
}

static void match_framework(void *to, const struct library_module *m, const struct library_item *f)
{
	struct asking *q = to;
	const struct node *body = f->blueprint->u.blueprint_decl.body;

	if (!body || body->kind != NODE_BODY)
		return;
	q->outline.flat = flat_new(q->outline.arena, m->sources.at[0]);
	q->framework = str_printf(q->outline.arena, "%.*s.%.*s", STR_ARG(m->name), STR_ARG(f->name));
	q->role = STR("every role");
	outline_items(&q->outline, body, STR(""), match_environment, q);
	for (size_t i = 0; i < body->u.body.items.n; i++) {
		const struct node *item = body->u.body.items.at[i];
		if (item->kind != NODE_BLOCK || !str_is(item->u.block.word, "role"))
			continue;
		q->role = item->u.block.name;
		outline_items(&q->outline, item->u.block.body, STR(""), match_environment, q);
	}
	for (size_t i = 0; i < body->u.body.items.n; i++)
		if (outline_is_field(body->u.body.items.at[i], "reserve"))
			reserved(q, body->u.body.items.at[i]->u.item.value);
}

bool explain_variable(struct explain *e)
{
	struct asking q = { .explain = e, .outline = { .arena = e->arena } };

	if (!is_variable(e->topic))
		return false;
	library_frameworks(e->arena, match_framework, &q);
	if (!q.told)
		return false;
	if (q.kept)
		buf_z(e->out, "\nA locked variable belongs to the framework: a program that sets it gets TJ0702.\n");
	buf_z(e->out, "'trainc env FILE' shows what each replica of a program has.\n");
	return true;
}
