/*
 * raw_terminal.c - see raw_terminal.h. The modes are kept in a variable of the file, because handlers of signals and of
 * exit() restore them. They are changed at once: waiting for output would wait forever for a terminal that is stopped.
 */
#include "runtime/run/raw_terminal.h"

#include <signal.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

static struct termios old_modes;
static volatile sig_atomic_t raw_fd = -1;       /* the terminal; -1: not in raw mode */
static volatile sig_atomic_t screen_fd = -1;    /* the terminal that shows another screen; -1: none does */

#define OTHER_SCREEN "\x1b[?1049h\x1b[?25l\x1b[H\x1b[2J"
#define USUAL_SCREEN "\x1b[0m\x1b[?25h\x1b[?1049l"

/* Signals that end a process which has not made other arrangements: crashes, and those that a loop may not block. */
static const int fatal[] = { SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE, SIGSYS, SIGTRAP, SIGQUIT, SIGTERM, SIGHUP,
	SIGINT, SIGXCPU, SIGALRM, SIGUSR1, SIGUSR2, SIGPROF, SIGVTALRM };
enum { NFATAL = sizeof fatal / sizeof *fatal };
static struct sigaction old_actions[NFATAL];

static void write_screen(int fd, const char *text, size_t n)
{
	ssize_t done = write(fd, text, n);

	(void)done;                     /* a terminal that is gone has no screen */
}

void raw_terminal_screen(int out)
{
	screen_fd = out;
	write_screen(out, OTHER_SCREEN, sizeof OTHER_SCREEN - 1);
}

static void leave_screen(void)
{
	int fd = screen_fd;

	screen_fd = -1;
	if (fd >= 0)
		write_screen(fd, USUAL_SCREEN, sizeof USUAL_SCREEN - 1);
}

void raw_terminal_end(void)
{
	int fd = raw_fd;

	raw_fd = -1;
	leave_screen();
	if (fd < 0)
		return;
	tcsetattr(fd, TCSANOW, &old_modes);
	for (size_t i = 0; i < NFATAL; i++)
		sigaction(fatal[i], &old_actions[i], NULL);
}

/* Restores the modes, and dies of the same signal. */
static void die_restored(int number)
{
	int fd = raw_fd;

	raw_fd = -1;
	leave_screen();
	if (fd >= 0)
		tcsetattr(fd, TCSANOW, &old_modes);
	signal(number, SIG_DFL);
	raise(number);
}

bool raw_terminal_begin(int fd)
{
	static bool registered;
	struct sigaction action = { .sa_handler = die_restored, .sa_flags = SA_RESETHAND };
	struct termios raw;

	if (tcgetattr(fd, &old_modes) != 0)
		return false;
	raw = old_modes;
	cfmakeraw(&raw);
	if (!registered)
		registered = atexit(raw_terminal_end) == 0;
	for (size_t i = 0; i < NFATAL; i++) {
		sigaction(fatal[i], NULL, &old_actions[i]);
		if (old_actions[i].sa_handler != SIG_IGN)
			sigaction(fatal[i], &action, NULL);
	}
	raw_fd = fd;
	if (tcsetattr(fd, TCSANOW, &raw) == 0)
		return true;
	raw_terminal_end();
	return false;
}

void raw_terminal_stop(void)
{
	int fd = raw_fd, screen = screen_fd;

	raw_terminal_end();
	kill(getpid(), SIGSTOP);
	if (fd >= 0 && raw_terminal_begin(fd) && screen >= 0)
		raw_terminal_screen(screen);
}
