/*
 * tell.c - writes the state of the run to the disk and to the clients that watch. A full disk takes no more output, but
 * it must still take the verdict. So a file reserves space for the state, and a directory entry. Both are released just
 * before the state is written. No other output of this run can use the released space in between, since all output
 * passes through this file.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/file.h"
#include "base/words.h"
#include "runtime/local/engine_internal.h"

enum { RESERVE = 256 * 1024, RESERVE_STEP = 16 * 1024, PUBLISH_MS = 50, PUBLISH_SHARE = 10 };

static void reserve_keep(struct engine *e, size_t state)
{
	off_t size = (off_t)(RESERVE + 4 * state) - e->given;

	if (e->reserved >= size)
		return;
	if (e->reserve < 0)
		e->reserve = openat(e->dir.fd, "reserve", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (e->reserve < 0)
		return;
	/*
	 * a full disk may have less than SIZE left, since the state that was just saved has taken a part of the earlier
	 * reserve: reserves as much as the disk has
	 */
	for (off_t want = size; want > e->reserved; want -= RESERVE_STEP)
		if (posix_fallocate(e->reserve, 0, want) == 0) {
			e->reserved = want;
			return;
		}
	/* posix_fallocate() may have taken bytes before it failed, so they are given back */
	if (ftruncate(e->reserve, e->reserved) < 0)
		e->reserved = 0;
}

bool tell_open(struct engine *e, struct str *why)
{
	reserve_keep(e, 0);
	if (e->reserved)
		return true;
	int error = e->reserve >= 0 ? ENOSPC : errno;
	*why = str_printf(e->arena, "cannot reserve room in '%.*s': %.*s", STR_ARG(e->dir.path),
		STR_ARG(file_reason(e->arena, error)));
	return false;
}

void tell_give(struct engine *e, off_t n)
{
	if (e->reserve < 0 || e->reserved < n || e->given + n > RESERVE / 2 ||
		ftruncate(e->reserve, e->reserved - n) < 0)
		return;
	e->reserved -= n;
	e->given += n;
}

/* Releases the reserved space and the file. */
void tell_close(struct engine *e)
{
	if (e->reserve < 0)
		return;
	unlinkat(e->dir.fd, "reserve", 0);
	(void)!ftruncate(e->reserve, 0);        /* a process that has just been forked has the file open, too, so its
						 * space is released explicitly */
	close(e->reserve);
	e->reserve = -1;
	e->reserved = 0;
}

static bool save(struct engine *e, struct arena *a)
{
	struct str why;

	if (run_save(a, &e->dir, e->state, &why))
		return true;
	if (e->reserve < 0)
		return false;
	tell_close(e);
	return run_save(a, &e->dir, e->state, &why);
}

/* Copies the last lines of the replica to blame into the state. */
static void blame_log(struct engine *e)
{
	struct run_failure *f = &e->state->failure;

	for (unsigned k = 0; f->known && !f->log && k < e->job->nroles; k++)
		if (e->job->roles[k].max && str_eq(e->job->roles[k].name, f->role))
			replica_tail(e, engine_replica(e, k, f->index), &f->log, &f->nlog);
}

void tell_state(struct engine *e)
{
	struct arena scratch = { 0 };
	struct buf text = { 0 };
	int64_t begin = clock_steady(), pause = PUBLISH_MS * (SECOND / 1000);

	blame_log(e);
	save(e, &scratch);
	arena_release(&scratch);
	run_state_write(e->state, &text);
	if (!run_phase_final(e->state->phase))
		reserve_keep(e, text.n);
	if (e->control)
		control_publish(e->control, buf_text(&text));
	buf_release(&text);
	e->told = life_version(e->life);
	e->changed = false;
	/* the state of a thousand replicas is long, so publishing may only take a small share of the time */
	if (PUBLISH_SHARE * (clock_steady() - begin) > pause)
		pause = PUBLISH_SHARE * (clock_steady() - begin);
	e->tell_after = e->now + pause;
}

bool tell_due(const struct engine *e, int64_t *ret_when)
{
	if (!e->changed && e->told == life_version(e->life))
		return false;
	*ret_when = e->tell_after;
	return true;
}
