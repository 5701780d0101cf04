/*
 * advice_env.c - advice for Kubernetes-style environment variables that read a secret, a config map or a field of the
 * pod: proposes the function or built-in value of this language. The same for `env_from`: what to write in place of a
 * text, one key or Kubernetes' form, and where an object whose keys become variables belongs.
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

/* ---- objects whose keys become variables ---- */

/* The first argument of a call, if that is a constant text; otherwise empty. */
static struct str first_text(const struct node *n)
{
	struct str text;
	bool call = n->kind == NODE_CALL && n->u.call.args.n && n->u.call.args.at[0]->kind == NODE_ARG;

	return call && node_static_text(n->u.call.args.at[0]->u.arg.value, &text) ? text : STR("");
}

static bool calls(const struct node *n, const char *function)
{
	return n->kind == NODE_CALL && n->u.call.callee->kind == NODE_NAME &&
		str_starts(n->u.call.callee->u.name.text, str_of(function));
}

static bool is_source(struct check *c, const struct type *t)
{
	return t && t->kind == TYPE_RECORD && t->record == schema_source_type(&c->types)->record;
}

/* Advice about a value in `env_from` that is none of its objects. */
static void advise_made(struct check *c, struct diag *d, const struct node *n)
{
	struct str text, name = node_static_text(n, &text) && text.n ? text : first_text(n);
	bool secret = calls(n, "secret"), config = calls(n, "config");

	name = name.n ? name : STR("NAME");
	if (secret || config)
		diag_help(c->diags, d, "for all its keys write %s_env(\"%.*s\"); one key is a variable in 'env': "
			"KEY = %s(\"%.*s\", \"KEY\")", secret ? "secret" : "config", STR_ARG(name),
			secret ? "secret" : "config", STR_ARG(name));
	else
		diag_help(c->diags, d, "write config_env(\"%.*s\"), or secret_env(\"%.*s\") for a Secret",
			STR_ARG(name), STR_ARG(name));
}

bool advise_source(struct check *c, struct diag *d, const struct node *n, const struct type *want)
{
	struct str name = first_text(n);
	const char *function = calls(n, "secret_env") ? "secret" : "config";

	if (is_source(c, want)) {
		advise_made(c, d, n);
		return true;
	}
	if (!is_source(c, n->type))
		return false;
	name = name.n ? name : STR("NAME");
	if (want && want->kind == TYPE_VOLUME)
		diag_help(c->diags, d, "for files write %s_files(\"%.*s\")", function, STR_ARG(name));
	else
		diag_help(c->diags, d, "write env_from = [%s_env(\"%.*s\")] beside 'env'; one key is NAME = "
			"%s(\"%.*s\", \"KEY\")", function, STR_ARG(name), function, STR_ARG(name));
	return true;
}

struct str source_of_manifest(struct check *c, const struct node *value, struct str key)
{
	const char *function = str_is(key, "secretRef") ? "secret" : str_is(key, "configMapRef") ? "config" : NULL;
	const struct node *name = function ? body_member(value, "name") : NULL;
	struct str text;

	if (!function)
		return STR("");
	return str_printf(c->arena, "%s_env(\"%.*s\")", function,
		STR_ARG(name && node_static_text(name, &text) ? text : STR("NAME")));
}
