/* log.c - writes lines of JSON to standard error. */
#include "runtime/supervise/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "base/words.h"

enum { LONGEST = 4096 };

void log_line(const char *level, struct str job, const char *fmt, ...)
{
	struct buf b = { 0 };
	char text[LONGEST];
	va_list args;

	va_start(args, fmt);
	int n = vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	buf_z(&b, "{\"time\":\"");
	put_time(&b, clock_real(), 3);
	buf_printf(&b, "\",\"level\":\"%s\",\"message\":", level);
	buf_json(&b, (struct str){ text, n < 0 ? 0 : n < LONGEST ? (size_t)n : LONGEST - 1 });
	if (job.n) {
		buf_z(&b, ",\"job\":");
		buf_json(&b, job);
	}
	buf_z(&b, "}\n");
	file_write_all(STDERR_FILENO, b.p, b.n);
	buf_release(&b);
}
