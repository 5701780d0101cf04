/*
 * pass_read.c - the resource of a pass: from the text that is kept of it, or, if the job has been at rest or was held,
 * by reading the object again.
 */
#include "runtime/supervise/pass_internal.h"

#include "data/data_read.h"
#include "runtime/status/look.h"
#include "runtime/supervise/budget.h"
#include "runtime/supervise/owned.h"

static void parse_resource(struct pass *p, struct str text)
{
	struct source source = { .text = str_copy(&p->arena, text), .base = 1 };
	struct data_error error;
	struct data *d;

	if (!data_read_json(&p->arena, &source, &d, &error))
		return;
	p->resource = d;
	p->text = source.text;
}

/* Takes what the API server answered, unless the object was replaced, or is so large that its watch skips it. */
static void take_resource(struct pass *p, struct str body)
{
	struct arena a = { 0 };
	struct source source = { .text = str_copy(&a, body), .base = 1 };
	struct data_error error;
	struct buf text = { 0 };
	struct data *d;

	if (body.n <= PASS_READ_MOST && data_read_json(&a, &source, &d, &error) &&
	    str_eq(status_text(d, "metadata.uid"), p->job->uid)) {
		supervised_print(&text, d);
		if (text.n <= SUPERVISED_LARGEST)
			parse_resource(p, buf_text(&text));
	}
	buf_release(&text);
	arena_release(&a);
}

static void resource_read(void *to, const struct transport_result *r)
{
	struct pass_request *s = to;
	struct pass *p = s->pass;

	if (transport_ok(r))
		take_resource(p, r->body);
	else if (r->code != 404)
		pass_give_up(p, r);
	pass_answered(p);
}

bool pass_read(struct pass *p)
{
	struct supervised *j = p->job;
	struct pass_request *s;

	if (p->next++)
		return false;
	if (j->text) {
		parse_resource(p, (struct str){ j->text, j->ntext });
		return false;
	}
	s = pass_request_new(p);
	s->request = resource_get(&p->arena, j);
	pass_send(p, s, CALL_REPEAT, resource_read);
	return true;
}
