/*
 * batch.c - starts requests, collects their answers and waits for them.
 */
#include "runtime/cluster/batch.h"

#include "data/data_read.h"

struct batch_item {
	struct batch *batch;
	struct answer *answer;
};

struct batch batch_new(struct client *c, struct arena *a) { return (struct batch){ .client = c, .arena = a }; }

static void copy_status(struct arena *a, const struct transport_status *s, struct answer *ret)
{
	ret->message = str_copy(a, s->message);
	ret->reason = str_copy(a, s->reason);
	ret->ncauses = s->ncauses;
	ret->causes = ARENA_ARRAY(a, struct transport_cause, s->ncauses);
	for (size_t i = 0; i < s->ncauses; i++)
		ret->causes[i] = (struct transport_cause){ str_copy(a, s->causes[i].reason),
			str_copy(a, s->causes[i].field), str_copy(a, s->causes[i].message) };
}

static struct data *read_body(struct arena *a, struct str body)
{
	struct source source = { .text = body, .base = 1 };
	struct data_error error;
	struct data *d;

	return body.n && (body.p[0] == '{' || body.p[0] == '[') && data_read_json(a, &source, &d, &error) ? d : NULL;
}

/* Copies the outcome of a request, because the result itself is freed when this function returns. */
static void batch_done(void *to, const struct transport_result *r)
{
	struct batch_item *item = to;
	struct batch *b = item->batch;
	struct answer *x = item->answer;

	x->class = call_class(r);
	x->status = call_exit_status(r);
	x->outcome = r->outcome;
	x->code = r->code;
	x->error = str_copy(b->arena, r->error);
	x->stopped = r->outcome == TRANSPORT_STOPPED;
	if (r->status)
		copy_status(b->arena, r->status, x);
	x->body = str_copy(b->arena, r->body);
	x->data = read_body(b->arena, x->body);
	b->pending--;
	if (b->progress)
		b->progress(b->to, b->n - b->pending, b->n);
	if (!b->pending)
		loop_stop(b->client->loop);
}

struct answer *batch_add(struct batch *b, const struct transport_request *r, enum call_repeat repeat)
{
	struct batch_item *item = ARENA_NEW(b->arena, struct batch_item);
	struct transport_request mine = *r;

	item->batch = b;
	item->answer = ARENA_NEW(b->arena, struct answer);
	mine.done = batch_done;
	mine.to = item;
	mine.take = NULL;
	ARENA_PUSH(b->arena, b->answers, b->n, item->answer);
	b->pending++;
	call_start(b->client->calls, &mine, repeat, NULL);
	return item->answer;
}

bool batch_wait(struct batch *b)
{
	while (b->pending)
		loop_run(b->client->loop);
	for (size_t i = 0; i < b->n; i++)
		if (b->answers[i]->stopped)
			return false;
	return true;
}

struct answer *request_send(struct client *c, struct arena *a, const struct transport_request *r,
	enum call_repeat repeat)
{
	struct batch b = batch_new(c, a);
	struct answer *x = batch_add(&b, r, repeat);

	batch_wait(&b);
	return x;
}

struct answer *request_get(struct client *c, struct arena *a, struct str path)
{
	struct transport_request r = { .method = TRANSPORT_GET, .kind = TRANSPORT_READ, .path = path };

	return request_send(c, a, &r, CALL_BY_METHOD);
}
