/*
 * skipped.c - remembers the objects that were named. At most SKIPPED_NAMED are: a namespace may be full of them.
 */
#include "runtime/cluster/skipped.h"

#include "runtime/cluster/object_check.h"

enum { SKIPPED_NAMED = 20 };

void skipped_say(struct client *c, struct str kind, const struct json_skipped *s)
{
	struct arena *a = c->session->arena;
	struct buf name = { 0 }, why = { 0 };

	put_skipped_name(&name, kind, s);
	put_skipped_why(&why, s);
	if (c->nskipped <= SKIPPED_NAMED && !map_get(&c->skipped, buf_text(&name))) {
		map_put(&c->skipped, a, str_copy(a, buf_text(&name)), c);
		if (c->nskipped++ < SKIPPED_NAMED)
			session_say(c->session, "%.*s is skipped, because it cannot be used: %.*s",
				STR_ARG(buf_text(&name)), STR_ARG(buf_text(&why)));
		else
			session_say(c->session, "more objects are skipped, because they cannot be used");
	}
	buf_release(&name);
	buf_release(&why);
}
