/* words.c - reads clocks, and writes durations, ages and how a program ended. */
#include "base/words.h"
#include "base/system.h"

#include <signal.h>
#include <time.h>

static int64_t read_clock(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (int64_t)t.tv_sec * NS_PER_SECOND + t.tv_nsec;
}

int64_t clock_real(void) { return read_clock(CLOCK_REALTIME); }
int64_t clock_steady(void) { return read_clock(CLOCK_BOOTTIME); }

/* ---- durations ---- */

void put_duration(struct buf *b, int64_t ns)
{
	int64_t tenths = (ns < 0 ? 0 : ns) / (NS_PER_SECOND / 10), seconds = tenths / 10, minutes = seconds / 60;

	if (seconds < 10)
		buf_printf(b, "%d.%d s", (int)seconds, (int)(tenths % 10));
	else if (minutes < 1)
		buf_printf(b, "%d s", (int)seconds);
	else if (minutes < 60)
		buf_printf(b, "%d min %d s", (int)minutes, (int)(seconds % 60));
	else
		buf_printf(b, "%lld h %d min", (long long)(minutes / 60), (int)(minutes % 60));
}

void put_age(struct buf *b, int64_t ns)
{
	int64_t seconds = (ns < 0 ? 0 : ns) / NS_PER_SECOND;

	if (seconds < 120)
		buf_printf(b, "%llds", (long long)seconds);
	else if (seconds < 120 * 60)
		buf_printf(b, "%lldm", (long long)(seconds / 60));
	else if (seconds < 48 * 3600)
		buf_printf(b, "%lldh", (long long)(seconds / 3600));
	else
		buf_printf(b, "%lldd", (long long)(seconds / 86400));
}

/* ---- ends ---- */

struct str end_words(struct arena *a, int exit_code, int signal)
{
	const char *name = signal ? system_signal_name(signal) : NULL;

	if (name)
		return str_printf(a, "killed by %s", name);
	if (signal)
		return str_printf(a, "killed by signal %d", signal);
	return str_printf(a, "exit code %d", exit_code);
}
