/*
 * advice_env.c - advice for Kubernetes-style environment variables that read a secret, a config map or a field of the
 * pod: proposes the function or built-in value of this language.
 */
#include "check/context.h"

#include "syntax/help/foreign.h"

const struct node *body_member(const struct node *body, const char *key)
{
	for (size_t i = 0; body && body->kind == NODE_BODY && i < body->u.body.items.n; i++) {
		const struct node *item = body->u.body.items.at[i];
		if ((item->kind == NODE_SET || item->kind == NODE_EXTEND) && str_is(item->u.item.key.text, key))
			return item->u.item.value;
	}
	return NULL;
}

static struct str entry_text(const struct node *body, const char *key)
{
	const struct node *value = body_member(body, key);
	struct str text;

	return value && node_static_text(value, &text) ? text : STR("");
}

/*
 * Writes `secret("name", "key")` for { name = "name", key = "key" }; uses placeholders and sets *RET_CERTAIN to false
 * when a name is missing.
 */
static struct str call_of(struct check *c, const char *function, const struct node *from, struct str name,
	bool *ret_certain)
{
	struct str key = entry_text(from, "key");

	*ret_certain = name.n && key.n;
	return str_printf(c->arena, "%s(\"%.*s\", \"%.*s\")", function, STR_ARG(name.n ? name : STR("name")),
		STR_ARG(key.n ? key : STR("key")));
}

struct str env_reference(struct check *c, const struct node *n, bool *ret_certain)
{
	const struct node *from = body_member(n, "valueFrom"), *value = body_member(n, "value"), *part;

	*ret_certain = false;
	from = from ? from : n;
	if ((part = body_member(from, "secretKeyRef")))
		return call_of(c, "secret", part, entry_text(part, "name"), ret_certain);
	if ((part = body_member(from, "configMapKeyRef")))
		return call_of(c, "config", part, entry_text(part, "name"), ret_certain);
	if (entry_text(from, "secret").n)
		return call_of(c, "secret", from, entry_text(from, "secret"), ret_certain);
	if (body_member(from, "resourceFieldRef"))
		return STR("self.cpu");
	if ((part = body_member(from, "fieldRef"))) {
		const char *fact = foreign_fact(entry_text(part, "fieldPath"));
		*ret_certain = fact != NULL;
		return str_of(fact ? fact : "pod.name");
	}
	if (value && value->kind != NODE_BODY && n->u.body.items.n == 1) {
		*ret_certain = true;
		return source_text(c->program->sources, value->span);
	}
	return STR("");
}

/* Does the item lack an '=', as in `TOKEN { ... }`? */
static bool follows_assign(struct check *c, struct span at)
{
	const struct source *source = source_at(c->program->sources, at.start);
	size_t i = source ? at.start - source->base : 0;

	while (i && (source->text.p[i - 1] == ' ' || source->text.p[i - 1] == '\t'))
		i--;
	return i && source->text.p[i - 1] == '=';
}

bool advise_env(struct check *c, struct diag *d, const struct node *n)
{
	bool certain;
	struct str text = n->kind == NODE_BODY ? env_reference(c, n, &certain) : STR("");

	if (!text.n)
		return false;
	diag_help(c->diags, d, "write '%.*s'", STR_ARG(text));
	if (certain)
		diag_fix(c->diags, d, n->span, str_cat(c->arena, follows_assign(c, n->span) ? STR("") : STR("= "), text,
			STR("")), "write '%.*s'", STR_ARG(text));
	return true;
}
