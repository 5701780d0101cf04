/*
 * changes.c - prints changes as lines, or as one document.
 */
#include "runtime/command/changes.h"

struct changes changes_begin(struct session *s)
{
	return (struct changes){ .session = s, .json = str_is(option_value(s->options, OPTION_OUTPUT), "json") };
}

/* Starts an element of LIST. */
static void begin_part(struct changes *c, const char *list)
{
	buf_z(&c->parts, c->list ? "," : "");
	c->list = list;
}

void changes_object(struct changes *c, struct str name, const char *result)
{
	if (!c->json) {
		session_print(c->session, str_printf(c->session->arena, "%.*s %s\n", STR_ARG(name), result));
		return;
	}
	begin_part(c, "objects");
	buf_z(&c->parts, "{\"name\":");
	buf_json(&c->parts, name);
	buf_printf(&c->parts, ",\"result\":\"%s\"}", result);
}

void changes_role(struct changes *c, struct str run, struct str role, int64_t from, int64_t to)
{
	if (!c->json) {
		session_print(c->session, str_printf(c->session->arena, "run/%.*s scaled: %.*s from %lld to %lld\n",
			STR_ARG(run),
			STR_ARG(role), (long long)from, (long long)to));
		return;
	}
	begin_part(c, "roles");
	buf_z(&c->parts, "{\"role\":");
	buf_json(&c->parts, role);
	buf_printf(&c->parts, ",\"from\":%lld,\"to\":%lld}", (long long)from, (long long)to);
}

void changes_run(struct changes *c, struct str name, struct str ns, const char *result)
{
	if (!c->json && strcmp(result, "scaled") != 0)  /* the roles were printed already */
		session_print(c->session, str_printf(c->session->arena, "run/%.*s %s\n", STR_ARG(name), result));
	buf_z(&c->runs, c->any ? ",{\"name\":" : "{\"name\":");
	buf_json(&c->runs, name);
	buf_z(&c->runs, ",\"namespace\":");
	buf_json(&c->runs, ns);
	buf_printf(&c->runs, ",\"result\":\"%s\"", result);
	if (c->list)
		buf_printf(&c->runs, ",\"%s\":[%.*s]", c->list, STR_ARG(buf_text(&c->parts)));
	buf_char(&c->runs, '}');
	c->any = true;
	c->parts.n = 0;
	c->list = NULL;
}

void changes_end(struct changes *c)
{
	if (c->json)
		session_write(c->session, str_printf(c->session->arena, "{\"schemaVersion\":1,\"runs\":[%.*s]}\n",
			STR_ARG(buf_text(&c->runs))));
	changes_drop(c);
}

void changes_drop(struct changes *c)
{
	buf_release(&c->runs);
	buf_release(&c->parts);
}
