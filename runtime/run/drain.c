/* drain.c - buffers output, and writes it when the descriptor takes it. */
#include "runtime/run/drain.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include "base/words.h"

enum { PORTION = 4096 };        /* PIPE_BUF: a pipe that is ready takes this many bytes without blocking */

void drain_put(struct drain *d, struct str s)
{
	if (d->gone)
		return;
	if (d->sent && d->sent == d->pending.n)
		d->sent = d->pending.n = 0;
	buf_str(&d->pending, s);
}

static bool ready(const struct drain *d, int ms)
{
	struct pollfd p = { .fd = d->fd, .events = POLLOUT };

	return poll(&p, 1, ms) > 0;
}

void drain_pump(struct drain *d)
{
	while (!drain_empty(d) && ready(d, 0)) {
		size_t left = d->pending.n - d->sent;
		ssize_t n = write(d->fd, d->pending.p + d->sent, left < PORTION ? left : PORTION);

		if (n >= 0) {
			d->sent += (size_t)n;
			d->moved = clock_steady();
		} else if (errno == EAGAIN) {
			break;
		} else if (errno != EINTR) {
			d->error = errno == EPIPE ? 0 : errno;
			d->gone = true;
			d->sent = d->pending.n;
		}
	}
	if (drain_empty(d)) {
		d->sent = d->pending.n = 0;
	} else if (d->sent > 1 << 20) {         /* frees the part that has been written */
		memmove(d->pending.p, d->pending.p + d->sent, d->pending.n - d->sent);
		d->pending.n -= d->sent;
		d->sent = 0;
	}
}

void drain_finish(struct drain *d, int ms)
{
	int64_t end = clock_steady() + (int64_t)ms * 1000000;

	for (drain_pump(d); !drain_empty(d); drain_pump(d)) {
		int64_t left = (end - clock_steady()) / 1000000;
		if (left <= 0 || !ready(d, left > INT_MAX ? INT_MAX : (int)left))
			break;
	}
}

void drain_release(struct drain *d) { buf_release(&d->pending); }
