/* budget.c - counts bytes by namespace, and lets held jobs go on a moment after bytes were freed. */
#include "runtime/supervise/budget.h"

#include <string.h>

#include "base/quantity.h"
#include "base/words.h"
#include "runtime/cluster/share.h"
#include "runtime/supervise/log.h"

#define LOOK_AFTER (NS_PER_SECOND / 5)
/* bytes for one job beside its texts: its structures, and what its watch remembers */
enum { JOB_BYTES = 1024, AT_ONCE = 64 };
#define NANO 1000000000

bool budget_read(struct session *s, struct controller *c)
{
	struct str text = option_value(s->options, OPTION_MEMORY);
	struct quantity q;

	c->budget = BUDGET_DEFAULT - BUDGET_FIXED;
	if (!text.n)
		return true;
	if (quantity_parse(text, &q) != QUANTITY_OK || q.nano / NANO < BUDGET_FIXED + BUDGET_LEAST) {
		session_say(s, "--memory is an amount of memory such as 256Mi, at least %dMi, found '%.*s'",
			(BUDGET_FIXED + BUDGET_LEAST) >> 20, STR_ARG(text));
		return false;
	}
	c->budget = (size_t)(q.nano / NANO) - BUDGET_FIXED;
	return true;
}

/* ---- held jobs ---- */

/* The heap has the oldest job first. Its order is that of the jobs among those that wait, whatever passes they need. */
static bool is_older(const struct supervised *a, const struct supervised *b) { return a->created < b->created; }

static void held_put(struct tenant *t, size_t at, struct supervised *j)
{
	t->held[at] = j;
	j->held_at = at + 1;
}

/* Moves the job at AT to its place in the heap. */
static void held_sift(struct tenant *t, size_t at)
{
	struct supervised *j = t->held[at];

	for (; at > 0 && is_older(j, t->held[(at - 1) / 2]); at = (at - 1) / 2)
		held_put(t, at, t->held[(at - 1) / 2]);
	for (;;) {
		size_t child = 2 * at + 1;
		if (child + 1 < t->nheld && is_older(t->held[child + 1], t->held[child]))
			child++;
		if (child >= t->nheld || !is_older(t->held[child], j))
			break;
		held_put(t, at, t->held[child]);
		at = child;
	}
	held_put(t, at, j);
}

static struct supervised *oldest_held(const struct tenant *t) { return t->nheld ? t->held[0] : NULL; }

/* Lets held jobs of T go on while there is room; what they need counts as kept from now on. */
static void go_on_in(struct controller *c, struct tenant *t)
{
	struct supervised *j;

	for (size_t n = 0; n < AT_ONCE && (j = oldest_held(t)); n++) {
		if (!share_permits(t->kept, j->need, c->kept, c->budget))
			return;
		budget_unhold(j);
		j->reserved = j->need;
		j->counted += j->need;
		t->kept += j->need;
		c->kept += j->need;
		queue_add(&j->item);
	}
}

static void room_fired(struct loop_timer *timer)
{
	struct controller *c = timer->to;

	tenants_each(c, go_on_in);
}

static void look_for_room(struct controller *c)
{
	c->room.fire = room_fired;
	c->room.to = c;
	if (c->nheld && !loop_timer_armed(&c->room))
		loop_timer_set(c->client.loop, &c->room, LOOK_AFTER);
}

void budget_stop(struct controller *c) { loop_timer_drop(c->client.loop, &c->room); }

void budget_hold(struct supervised *j, size_t need)
{
	struct tenant *t = j->tenant;

	j->need = need;
	if (j->held_at)
		return;
	if (t->nheld == t->held_room) {
		t->held_room = t->held_room ? 2 * t->held_room : 16;
		t->held = memory_resize(t->held, t->held_room * sizeof *t->held);
	}
	held_put(t, t->nheld++, j);
	held_sift(t, t->nheld - 1);
	j->control->nheld++;
	look_for_room(j->control);
}

void budget_unhold(struct supervised *j)
{
	struct tenant *t = j->tenant;
	size_t at = j->held_at - 1;

	if (!j->held_at)
		return;
	j->held_at = 0;
	j->control->nheld--;
	struct supervised *last = t->held[--t->nheld];
	if (last != j) {
		held_put(t, at, last);
		held_sift(t, at);
	}
}

/* ---- counting ---- */

static void count_bytes(struct controller *c, struct tenant *t, ptrdiff_t change)
{
	t->kept += (size_t)change;
	c->kept += (size_t)change;
	if (change < 0)
		look_for_room(c);
}

static size_t length_of(const char *text) { return text ? strlen(text) + 1 : 0; }

void budget_weigh(struct supervised *j)
{
	size_t begun = j->text ? BUDGET_JOB : 0;        /* set aside for what will be kept of it */
	size_t now = j->gone ? 0 : JOB_BYTES + begun + j->ntext + length_of(j->record) + length_of(j->durable) +
		length_of(j->wanted) + length_of(j->objects_made) + length_of(j->scaler);

	count_bytes(j->control, j->tenant, (ptrdiff_t)now - (ptrdiff_t)j->counted);
	j->counted = now;
	j->reserved = 0;
}

void budget_count_object(void *to, struct str ns, ptrdiff_t change)
{
	struct controller *c = to;
	struct tenant *t = tenant_of(c, ns);

	count_bytes(c, t, change);
}

bool budget_permits(const struct tenant *t, size_t n)
{
	return share_permits(t->kept, n, t->control->kept, t->control->budget);
}

bool budget_may_begin(const struct supervised *j, size_t need)
{
	const struct supervised *oldest = oldest_held(j->tenant);

	const struct controller *c = j->control;

	return share_permits(j->tenant->kept - j->reserved, need, c->kept - j->reserved, c->budget) &&
		(j->reserved || !oldest || oldest->created >= j->created);
}
