/*
 * pass_request.c - the requests of a pass and their answers.
 */
#include "runtime/supervise/pass_internal.h"

#include "base/words.h"
#include "runtime/supervise/log.h"
#include "runtime/supervise/tenant.h"

void pass_give_up(struct pass *p, const struct transport_result *r)
{
	p->failed = true;
	log_line("warning", p->job->label, "%.*s", STR_ARG(r->error));
}

void pass_answered(struct pass *p)
{
	p->pending--;
	p->go_on(p);
}

struct pass_request *pass_request_new(struct pass *p)
{
	struct pass_request *s = p->spare;

	if (s) {
		p->spare = s->next_spare;
		*s = (struct pass_request){ .pass = p, .next = s->next };
		return s;
	}
	s = ARENA_NEW(&p->arena, struct pass_request);
	*s = (struct pass_request){ .pass = p, .next = p->requests };
	p->requests = s;
	return s;
}

void pass_request_over(struct pass_request *s)
{
	arena_release(&s->own);
	s->next_spare = s->pass->spare;
	s->pass->spare = s;
}

void pass_send(struct pass *p, struct pass_request *s, enum call_repeat repeat,
	void (*done)(void *to, const struct transport_result *r))
{
	s->begun = clock_steady();
	s->request.done = done;
	s->request.to = s;
	s->request.share = &p->job->tenant->share;
	p->pending++;
	call_start(p->job->control->client.calls, &s->request, repeat, NULL);
	arena_release(&s->own);         /* the call works on its own copy of the request */
}

void pass_note_time(const struct pass_request *s)
{
	struct controller *c = s->pass->job->control;

	c->request_time += (clock_steady() - s->begun - c->request_time) / 16;
}

