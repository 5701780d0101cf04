/* run_number.c - finds the smallest number with which the name of a run is free. */
#include "runtime/command/run_number.h"

#include "base/map.h"
#include "command/run_name.h"

enum { TRIES_MOST = 20 };               /* others may start runs at the same time */

/* The namespace that the program gives; empty: none, or the program has errors, which are reported later. */
static struct str namespace_of(const struct session *s)
{
	struct session sub = *s;
	struct programs all = { 0 };
	struct str ns = STR("");

	if (session_compile(&sub, &all) && all.n && all.at[0]->plan.njobs && all.at[0]->plan.jobs[0].ns.set)
		ns = str_copy(s->arena, all.at[0]->plan.jobs[0].ns.value);
	session_release(&all);
	return ns;
}

bool run_number_choose(struct session *s, const struct backend *b, int *ret_status)
{
	struct chosen all = { 0 };
	struct map taken = { 0 };

	s->taken = false;
	if (!session_name(s, ret_status))
		return false;
	if (!run_name_has_number(s->name))
		return true;
	if (!b->names(s, namespace_of(s), &all, ret_status))
		return false;
	for (size_t i = 0; i < all.n; i++)
		map_put(&taken, s->arena, all.at[i].name, s);
	s->number = 1;
	while (map_get(&taken, run_name_numbered(s->arena, s->name, s->number)))
		s->number++;
	return true;
}

bool run_number_again(struct session *s, unsigned *tries)
{
	if (!s->taken || ++*tries < TRIES_MOST)
		return s->taken;
	session_say(s, "others have taken the name '%.*s' %d times, each time before this command could; nothing was "
		"started", STR_ARG(run_name_numbered(s->arena, s->name, s->number)), TRIES_MOST);
	return false;
}
