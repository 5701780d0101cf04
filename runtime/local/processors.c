/* processors.c - reads which processors exist, and distributes them. */
#include "runtime/local/processors.h"

#include <errno.h>

#include "base/file.h"

struct processors {
	struct arena *arena;
	const struct plan_job *job;
	cpu_set_t all, free;
	cpu_set_t **held;               /* the processors of each replica, by role and index; an empty set: the replica
					 * has no processors of its own */
};

struct processors *processors_new(struct arena *a, const struct plan_job *j, struct str *why)
{
	struct processors *p = ARENA_NEW(a, struct processors);

	*p = (struct processors){ .arena = a, .job = j };
	if (sched_getaffinity(0, sizeof p->all, &p->all) != 0) {
		*why = str_printf(a, "--pin: cannot find out on which processors this command may run: %.*s",
			STR_ARG(file_reason(a, errno)));
		return NULL;
	}
	p->free = p->all;
	p->held = ARENA_ARRAY(a, cpu_set_t *, j->nroles);
	for (size_t k = 0; k < j->nroles; k++) {
		p->held[k] = ARENA_ARRAY(a, cpu_set_t, (size_t)j->roles[k].max);
		for (int64_t i = 0; i < j->roles[k].max; i++)
			CPU_ZERO(&p->held[k][i]);
	}
	return p;
}

/* The number of whole processors that the main container and the sidecars of a replica request together. */
static int64_t whole_processors(const struct plan_role *r, int64_t i)
{
	const struct plan_quantity *cpu = &plan_amounts(&r->main, i)->cpu;
	int128 nano = cpu->set ? cpu->value.nano : 0;

	for (size_t k = 0; k < r->nsidecars; k++) {
		cpu = &plan_amounts(&r->sidecars[k], i)->cpu;
		nano += cpu->set ? cpu->value.nano : 0;
	}
	nano = (nano + QUANTITY_UNIT - 1) / QUANTITY_UNIT;
	return nano > CPU_SETSIZE ? CPU_SETSIZE + 1 : (int64_t)nano;
}

bool processors_take(struct processors *p, unsigned role, int64_t i, struct str *why)
{
	const struct plan_role *r = &p->job->roles[role];
	cpu_set_t *held = &p->held[role][i];
	int64_t n = whole_processors(r, i);

	if (CPU_COUNT(held))
		return true;
	if (n > CPU_COUNT(&p->free)) {
		*why = str_printf(p->arena,
			"%.*s-%lld asks for %lld processors, and with --pin only %d of %d are left for it",
				STR_ARG(r->name),
			(long long)i, (long long)n, CPU_COUNT(&p->free), CPU_COUNT(&p->all));
		return false;
	}
	for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(held) < n; cpu++)
		if (CPU_ISSET(cpu, &p->free)) {
			CPU_CLR(cpu, &p->free);
			CPU_SET(cpu, held);
		}
	return true;
}

void processors_return(struct processors *p, unsigned role, int64_t i)
{
	CPU_OR(&p->free, &p->free, &p->held[role][i]);
	CPU_ZERO(&p->held[role][i]);
}

const cpu_set_t *processors_of(const struct processors *p, unsigned role, int64_t i)
{
	return p && CPU_COUNT(&p->held[role][i]) ? &p->held[role][i] : NULL;
}

void processors_put(const cpu_set_t *set, struct buf *out)
{
	bool any = false;

	for (int first = 0, last; first < CPU_SETSIZE; first = last + 1) {
		last = first;
		if (!CPU_ISSET(first, set))
			continue;
		while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, set))
			last++;
		buf_printf(out, "%s%d", any ? "," : "", first);
		if (last > first)
			buf_printf(out, "-%d", last);
		any = true;
	}
}
