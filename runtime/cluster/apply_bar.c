/*
 * apply_bar.c - prints "applying 1,000 runs [#####.....] 1532/3000".
 */
#include "runtime/cluster/apply_bar.h"

#include <unistd.h>

#include "base/file.h"
#include "base/words.h"

enum { FEW = 20, WIDTH = 30 };
#define REDRAW (NS_PER_SECOND / 10)
#define LINE_EVERY (5 * NS_PER_SECOND)

struct apply_bar apply_bar_begin(struct session *s, size_t runs, size_t objects)
{
	struct apply_bar b = { .session = s, .runs = runs, .all = objects, .shown = clock_steady() };

	b.mode = objects < FEW ? PROGRESS_QUIET
		: progress_choose(option_value(s->options, OPTION_PROGRESS), STDERR_FILENO);
	return b;
}

static void draw(struct apply_bar *b, size_t done)
{
	size_t filled = b->all ? done * WIDTH / b->all : 0;
	struct buf out = { 0 };

	buf_printf(&out, "\r\x1b[Kapplying %zu run%s [", b->runs, b->runs == 1 ? "" : "s");
	for (size_t i = 0; i < WIDTH; i++)
		buf_char(&out, i < filled ? '#' : '.');
	buf_printf(&out, "] %zu/%zu objects", done, b->all);
	file_write_all(STDERR_FILENO, out.p, out.n);
	buf_release(&out);
	b->drawn = true;
}

void apply_bar_show(void *bar, size_t done, size_t all)
{
	struct apply_bar *b = bar;
	int64_t now = clock_steady();

	(void)all;
	done += b->before;
	if (b->mode == PROGRESS_LIVE && now - b->shown >= REDRAW) {
		draw(b, done);
		b->shown = now;
	} else if (b->mode == PROGRESS_PLAIN && now - b->shown >= LINE_EVERY) {
		session_say(b->session, "%zu of %zu objects applied", done, b->all);
		b->shown = now;
	}
}

void apply_bar_hide(struct apply_bar *b, size_t n)
{
	b->before += n;
	if (b->drawn)
		file_write_all(STDERR_FILENO, "\r\x1b[K", 4);
	b->drawn = false;
}
