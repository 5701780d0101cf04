/* open_port.c - see open_port.h. */
#include "runtime/command/open_port.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/system.h"
#include "base/words.h"
#include "runtime/command/local.h"
#include "runtime/local/forward.h"

enum { SHOWN_MOST = 16 };                /* ports that a message lists */

/* ---- which port ---- */

/* The first replica of the role that runs; -1: none does. */
static int64_t first_running(const struct run_watch *w, struct str role)
{
	const struct run_role *r = run_find_role(&w->state, role);

	for (int64_t i = 0; r && i < r->max; i++)
		if (replica_runs(r->at[i].state))
			return i;
	return -1;
}

/* Finds a role that declares the port and has a replica that runs, or else the first role that declares it. */
static bool find_declared(const struct run_watch *w, const struct declared_ports *declared, struct str name,
	struct published_port *ret)
{
	bool found = false;

	for (size_t i = 0; i < declared->n; i++) {
		const struct declared_port *p = &declared->at[i];
		int64_t index = str_eq(p->name, name) ? first_running(w, p->role) : -1;
		if (!str_eq(p->name, name) || (found && index < 0))
			continue;
		*ret = (struct published_port){ .role = p->role, .port = p->name, .index = index < 0 ? 0 : index,
			.host = -1 };
		found = true;
		if (index >= 0)
			break;
	}
	return found;
}

/* The first port of the replica ROLE/N that TEXT names; empty if TEXT names none, or its role declares no port. */
static struct str port_of_replica(const struct declared_ports *declared, struct str text)
{
	const char *slash = text.n ? memrchr(text.p, '/', text.n) : NULL;
	struct str role = { text.p, slash ? (size_t)(slash - text.p) : 0 };
	int64_t index;

	if (!slash || !str_number((struct str){ slash + 1, text.n - role.n - 1 }, 9, &index))
		return STR("");
	for (size_t i = 0; i < declared->n; i++)
		if (str_eq(declared->at[i].role, role))
			return declared->at[i].name;
	return STR("");
}

static void say_undeclared(struct session *s, const struct run_watch *w, const struct declared_ports *declared,
	struct str text)
{
	struct buf b = { 0 };
	int64_t number;

	buf_printf(&b, "no role of run '%.*s' declares a port ", STR_ARG(w->name));
	if (text.n)
		buf_printf(&b, "'%.*s'", STR_ARG(text));
	else
		buf_z(&b, "dashboard, tensorboard, http, ui or jupyter");
	buf_z(&b, declared->n ? "; declared are " : "; none is declared");
	for (size_t i = 0; i < declared->n && i < SHOWN_MOST; i++)
		buf_printf(&b, "%s%.*s (role %.*s)", i ? ", " : "", STR_ARG(declared->at[i].name),
			STR_ARG(declared->at[i].role));
	if (declared->n > SHOWN_MOST)
		buf_printf(&b, " and %zu more", declared->n - SHOWN_MOST);
	if (str_number(text, 9, &number))
		buf_printf(&b, "; a number needs its replica, such as %.*s/0:%.*s",
			STR_ARG(declared->n ? declared->at[0].role : STR("worker")), STR_ARG(text));
	else if (port_of_replica(declared, text).n)
		buf_printf(&b, "; a replica needs its port, such as %.*s:%.*s", STR_ARG(text),
			STR_ARG(port_of_replica(declared, text)));
	struct str line = str_copy(s->arena, buf_text(&b));
	b.n = 0;
	put_escaped(&b, line);
	session_say(s, "%.*s", STR_ARG(buf_text(&b)));
	buf_release(&b);
}

bool open_port_choose(struct session *s, const struct run_watch *w, const struct declared_ports *declared,
	struct str text, struct published_port *ret)
{
	static const char *const usual[] = { "dashboard", "tensorboard", "http", "ui", "jupyter" };

	if (text.n && memchr(text.p, ':', text.n))
		return local_published(s, "open", text, ret);
	if (text.n && find_declared(w, declared, text, ret))
		return true;
	for (size_t i = 0; !text.n && i < sizeof usual / sizeof *usual; i++)
		if (find_declared(w, declared, str_of(usual[i]), ret))
			return true;
	say_undeclared(s, w, declared, text);
	return false;
}

/* ---- listening ---- */

int open_port_listen(struct session *s, const struct forward_order *o, const struct published_port *p, int64_t port,
	int64_t *ret_port)
{
	int64_t wanted = p->host >= 0 ? p->host : port;
	int fd;

	*ret_port = wanted;
	fd = forward_listen(ret_port);
	if (fd < 0 && o->open && p->host < 0) {
		*ret_port = 0;
		fd = forward_listen(ret_port);
	}
	if (fd < 0)
		session_say(s, "%.*s", STR_ARG(publish_refused(s->arena, "", p, wanted, errno)));
	return fd;
}

int open_port_ended(struct session *s, const struct run_watch *w)
{
	session_say(s, "run '%.*s' has ended", STR_ARG(w->name));
	return w->state.phase == RUN_FAILED && !str_is(w->state.cause, RUN_STOPPED) ? STATUS_FAILED : STATUS_DONE;
}

/* ---- the browser ---- */

struct browser {
	int address;                    /* the pipe that takes the address */
};

/* Waits for the address, and becomes a browser; without an address, it ends. */
static _Noreturn void become_browser(int from)
{
	char address[64];
	ssize_t n;
	size_t got = 0;
	const char *command = getenv("BROWSER");

	setpgid(0, 0);                          /* control-C at the terminal ends the forwarding, and no browser */
	while (got < sizeof address - 1 && (n = read(from, address + got, sizeof address - 1 - got)) != 0)
		if (n > 0)
			got += (size_t)n;
		else if (errno != EINTR)
			break;
	address[got] = '\0';
	if (!got)
		_exit(STATUS_DONE);
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (nothing >= 0)
		for (int fd = 0; fd < 3; fd++)
			dup2(nothing, fd);
	system_close_from(STDERR_FILENO + 1);   /* connections to the cluster, which would stay open with the browser */
	signal(SIGPIPE, SIG_DFL);
	if (command && *command)                /* the shell divides the words of the variable, and expands no more */
		execl("/bin/sh", "sh", "-c", "set -f; exec $BROWSER \"$1\"", "sh", address, (char *)NULL);
	else
		execlp("xdg-open", "xdg-open", address, (char *)NULL);
	_exit(STATUS_OUTPUT);
}

struct browser *browser_prepare(struct session *s, const struct forward_order *o)
{
	int pipes[2];

	if (!o->open || option_given(s->options, OPTION_PRINT) || !isatty(STDOUT_FILENO) ||
		pipe2(pipes, O_CLOEXEC) != 0)
		return NULL;
	pid_t pid = fork();
	if (!pid) {
		close(pipes[1]);
		become_browser(pipes[0]);
	}
	close(pipes[0]);
	if (pid < 0) {
		close(pipes[1]);
		return NULL;
	}
	struct browser *b = ARENA_NEW(s->arena, struct browser);
	*b = (struct browser){ pipes[1] };
	return b;
}

void browser_release(struct browser *b)
{
	if (b && b->address >= 0)
		close(b->address);
	if (b)
		b->address = -1;
}

void open_port_print(struct session *s, const struct forward_order *o, struct browser *b,
	const struct published_port *p, int64_t port)
{
	struct str target = str_printf(s->arena, "%.*s/%lld:%.*s", STR_ARG(p->role), (long long)p->index,
		STR_ARG(p->port));

	if (!o->open) {
		session_print(s, str_printf(s->arena, "127.0.0.1:%lld -> %.*s\n", (long long)port, STR_ARG(target)));
		return;
	}
	bool secure = str_is(p->port, "https") || str_starts(p->port, STR("https-"));
	struct str address = str_printf(s->arena, "%s://127.0.0.1:%lld/", secure ? "https" : "http", (long long)port);
	session_say(s, "%.*s is forwarded until you press control-C or the run ends", STR_ARG(target));
	session_print(s, str_printf(s->arena, "%.*s\n", STR_ARG(address)));
	if (b && b->address >= 0 && !file_write_all(b->address, address.p, address.n))
		session_say(s, "no browser was started: %.*s", STR_ARG(file_reason(s->arena, errno)));
	browser_release(b);
}
