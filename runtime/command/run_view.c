/*
 * run_view.c - the view of `list -w` and `status -w` on a terminal. One process watches the runs and draws; logs, why,
 * events and the state of one run are what the commands of these names print, as processes of their own.
 */
#include "runtime/command/run_view.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include "base/words.h"
#include "runtime/command/view_process.h"
#include "runtime/run/keys.h"
#include "runtime/run/pane.h"
#include "runtime/run/raw_terminal.h"

enum { TICK_MS = 1000, LOOK_SECONDS = 15, ESCAPE_MS = 60, READ_MOST = 16 << 10, USUAL_ROWS = 24, USUAL_COLUMNS = 80,
	INTERRUPT_KEY = 3, STOP_KEY = 26, REDRAW_KEY = 12 };

struct run_view {
	struct session *session;
	struct attend *attend;
	unsigned rows, columns;
	const struct run_state **shown; /* the runs that have a row */
	size_t n, selected, top;
	struct keys keys;
	struct pane pane;
	struct view_process process;    /* what the pane shows; or, while the list is shown, which runs exist */
	struct buf names, before;       /* names that it has printed so far, and those of the last time */
	int64_t look;                   /* by the steady clock: when to see which runs exist */
	bool text;                      /* the pane is shown, in place of the list */
	const char *title;              /* what the pane shows */
	struct str run, ns;             /* of which run */
	bool stale;                     /* what is drawn is not right any more */
	bool known, again, leave;       /* `before` was read; other runs exist; the user leaves */
	int status;
};

bool run_view_possible(void)
{
	const char *term = getenv("TERM");

	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && term && *term && strcmp(term, "dumb") != 0;
}

static void measure(struct run_view *v)
{
	struct winsize size = { 0 };
	bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;

	v->rows = known && size.ws_row ? size.ws_row : USUAL_ROWS;
	v->columns = known && size.ws_col ? size.ws_col : USUAL_COLUMNS;
	v->stale = true;
}

/* ---- drawing ---- */

/* A small screen has no heading, no line about keys and, of the list, no line with the number of runs. */
static bool has_heading(const struct run_view *v) { return v->rows > 1; }
static bool has_keys(const struct run_view *v) { return v->rows > 2; }
static bool has_number(const struct run_view *v) { return v->rows > 3 && !v->text; }

/* The number of rows for runs, or for the text. */
static size_t body_rows(const struct run_view *v)
{
	return v->rows - has_heading(v) - has_keys(v) - has_number(v);
}

/* Appends a row of the screen; BEFORE: how it is shown. */
static void put_screen_row(const struct run_view *v, const char *before, struct str text, struct buf *out)
{
	buf_z(out, before);
	put_clipped(out, text, v->columns);
	buf_z(out, *before ? "\x1b[K\x1b[0m\r\n" : "\x1b[K\r\n");
}

/* Notes which runs have a row. A run that was deleted has none. */
static void choose_rows(struct run_view *v)
{
	struct str name = v->selected < v->n ? v->shown[v->selected]->name : v->run;
	struct str ns = v->selected < v->n ? v->shown[v->selected]->ns : v->ns;

	v->n = 0;
	for (size_t i = 0; i < v->attend->n; i++) {
		const struct run_watch *w = &v->attend->runs[i];
		if (w->left_out || w->gone)
			continue;
		if (str_eq(w->state.name, name) && (!ns.n || str_eq(w->state.ns, ns)))
			v->selected = v->n;
		v->shown[v->n++] = &w->state;
	}
	if (v->selected >= v->n)
		v->selected = v->n ? v->n - 1 : 0;
}

static void draw_list(struct run_view *v, struct buf *out)
{
	struct report r = { .runs = v->shown, .n = v->n, .form = REPORT_LIST, .now = clock_real(), .width = v->columns,
		.everywhere = option_given(v->session->options, OPTION_ALL_NAMESPACES) };
	size_t room = body_rows(v), row = 0;
	struct buf table = { 0 };

	report_runs(&r, &table);
	struct str rest = buf_text(&table);
	struct str heading = str_take(&rest, '\n');
	if (has_heading(v))
		put_screen_row(v, "\x1b[1m", heading, out);
	v->top = v->selected < v->top ? v->selected : v->selected >= v->top + room ? v->selected - room + 1 : v->top;
	if (v->top + room > v->n)               /* no row of the screen stays empty */
		v->top = v->n > room ? v->n - room : 0;
	for (size_t i = 0; i < v->n; i++) {
		struct str line = str_take(&rest, '\n');
		if (i < v->top || row == room)
			continue;
		row++;
		put_screen_row(v, i == v->selected ? "\x1b[7m" : "", line, out);
	}
	if (!v->n && room)
		put_screen_row(v, "", STR("no runs"), out);
	for (row += !v->n; row < room; row++)
		put_screen_row(v, "", STR(""), out);
	buf_release(&table);
}

static void draw_text(struct run_view *v, struct buf *out)
{
	struct buf heading = { 0 };

	buf_printf(&heading, "%s of %.*s%s", v->title, STR_ARG(v->run), v->process.out >= 0 ? "" : " (ended)");
	if (has_heading(v))
		put_screen_row(v, "\x1b[1m", buf_text(&heading), out);
	buf_release(&heading);
	pane_draw(&v->pane, body_rows(v), v->columns, out);
}

static void draw(struct run_view *v)
{
	struct buf out = { 0 }, line = { 0 };

	buf_z(&out, "\x1b[H");
	if (v->text) {
		draw_text(v, &out);
		bool more = v->pane.top + v->pane.shown < v->pane.rows;
		buf_printf(&line, "j k scroll  g G ends  q back%s%s", more ? "  more below" : "",
			v->pane.dropped ? "  first lines are dropped" : "");
	} else {
		choose_rows(v);
		draw_list(v, &out);
		buf_printf(&line, "%zu run%s %s", v->n, v->n == 1 ? "" : "s", v->session->backend->place);
		if (has_number(v))
			put_screen_row(v, "\x1b[2m", buf_text(&line), &out);
		line.n = 0;
		buf_z(&line, "j k move  l logs  w why  e events  s status  q quit");
	}
	if (has_keys(v))
		put_screen_row(v, "\x1b[2m", buf_text(&line), &out);
	out.n -= 2;                             /* a line end in the last row would scroll the screen */
	buf_z(&out, "\x1b[J");
	drain_put(&v->attend->out, buf_text(&out));
	v->stale = false;
	buf_release(&out);
	buf_release(&line);
}

/* ---- what keys do ---- */

/* Shows what a command prints about the selected run. */
static void show_text(struct run_view *v, const char *title, const char *const *words, bool follow)
{
	struct arena scratch = { 0 };
	const char *all[8] = { 0 };
	size_t n = 0;

	if (!v->n)
		return;
	const struct run_state *s = v->shown[v->selected];
	while (words[n]) {
		all[n] = words[n];
		n++;
	}
	if (s->ns.n && !option_given(v->session->options, OPTION_LOCAL))
		all[n++] = str_cat_chars(&scratch, STR("--namespace="), s->ns, STR(""));
	all[n] = str_cat_chars(&scratch, s->name, STR(""), STR(""));
	view_process_end(&v->process);
	pane_release(&v->pane);
	v->pane = (struct pane){ .follow = follow };
	v->title = title;
	v->run = str_copy(v->session->arena, s->name);
	v->ns = str_copy(v->session->arena, s->ns);
	v->text = true;
	if (!view_process_start(v->session, all, false, &v->process))
		pane_put(&v->pane, STR("it cannot be started\n"));
	arena_release(&scratch);
}

static void leave_text(struct run_view *v)
{
	view_process_end(&v->process);
	pane_release(&v->pane);
	v->pane = (struct pane){ 0 };
	v->text = false;
}

static void on_text_key(struct run_view *v, int key)
{
	long page = (long)v->pane.shown;

	switch (key) {
	case 'j': case KEY_DOWN: pane_move(&v->pane, 1); break;
	case 'k': case KEY_UP: pane_move(&v->pane, -1); break;
	case ' ': case KEY_PAGE_DOWN: pane_move(&v->pane, page); break;
	case 'b': case KEY_PAGE_UP: pane_move(&v->pane, -page); break;
	case 'g': case KEY_HOME: pane_move(&v->pane, -(long)v->pane.rows); break;
	case 'G': case KEY_END: pane_move(&v->pane, (long)v->pane.rows); break;
	case 'q': case KEY_ESCAPE: case KEY_LEFT: leave_text(v); break;
	default: break;
	}
}

static void select_row(struct run_view *v, long by)
{
	if (by < 0)
		v->selected = v->selected > (size_t)-by ? v->selected - (size_t)-by : 0;
	else if (v->n)
		v->selected = v->selected + (size_t)by < v->n ? v->selected + (size_t)by : v->n - 1;
}

static void on_list_key(struct run_view *v, int key)
{
	static const char *const logs[] = { "logs", "--all", "--follow", "--tail=200", NULL },
		*const why[] = { "why", NULL }, *const events[] = { "events", "--follow", NULL },
		*const status[] = { "status", "--output=wide", NULL };
	long page = (long)body_rows(v) - 1;

	switch (key) {
	case 'j': case KEY_DOWN: select_row(v, 1); break;
	case 'k': case KEY_UP: select_row(v, -1); break;
	case ' ': case KEY_PAGE_DOWN: select_row(v, page); break;
	case 'b': case KEY_PAGE_UP: select_row(v, -page); break;
	case 'g': case KEY_HOME: select_row(v, -(long)v->n); break;
	case 'G': case KEY_END: select_row(v, (long)v->n); break;
	case 'l': show_text(v, "logs", logs, true); break;
	case 'w': show_text(v, "why", why, false); break;
	case 'e': show_text(v, "events", events, true); break;
	case 's': case '\r': case KEY_RIGHT: show_text(v, "state", status, false); break;
	case 'q': case KEY_ESCAPE: v->leave = true; break;
	default: break;
	}
}

static void on_key(struct run_view *v, int key)
{
	v->stale = v->stale || key != KEY_NONE;
	if (key == INTERRUPT_KEY) {
		v->leave = true;
		v->status = 128 + SIGINT;
	} else if (key == STOP_KEY) {
		raw_terminal_stop();
		measure(v);
	} else if (key == REDRAW_KEY) {
		measure(v);
	} else if (v->text) {
		on_text_key(v, key);
	} else {
		on_list_key(v, key);
	}
}

static void on_input(struct run_view *v)
{
	char bytes[256];
	ssize_t n = read(STDIN_FILENO, bytes, sizeof bytes);

	if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN)) {   /* the terminal is gone */
		v->leave = true;
		v->status = 128 + SIGHUP;
	}
	for (ssize_t i = 0; i < n && !v->leave; i++)
		on_key(v, keys_put(&v->keys, bytes[i]));
}

/* ---- what happens meanwhile ---- */

static void view_signals(struct run_view *v)
{
	struct signalfd_siginfo s;

	while (read(v->attend->signals, &s, sizeof s) == sizeof s) {
		switch (s.ssi_signo) {
		case SIGTSTP: raw_terminal_stop(); measure(v); break;
		case SIGCONT: case SIGWINCH: measure(v); break;
		default:
			v->leave = true;
			v->status = 128 + (int)s.ssi_signo;
		}
	}
}

/* The names of all runs have arrived: are they those of the last time? */
static void compare_names(struct run_view *v, int status)
{
	if (status == STATUS_DONE) {
		v->again = v->known && !str_eq(buf_text(&v->names), buf_text(&v->before));
		v->before.n = 0;
		buf_str(&v->before, buf_text(&v->names));
		v->known = true;
	}
	v->names.n = 0;
	v->look = clock_steady() + LOOK_SECONDS * NS_PER_SECOND;
}

static void on_process(struct run_view *v)
{
	char bytes[READ_MOST];
	ssize_t n = read(v->process.out, bytes, sizeof bytes);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0 && v->text)
		pane_put(&v->pane, (struct str){ bytes, (size_t)n });
	else if (n > 0)
		buf_put(&v->names, bytes, (size_t)n);
	v->stale = v->stale || v->text;
	if (n > 0)
		return;
	if (v->text && v->pane.part.n)
		pane_end(&v->pane);
	int status = view_process_end(&v->process);
	if (!v->text)
		compare_names(v, status);
}

/* Asks which runs exist, now and then, while the list is shown. */
static void look_for_runs(struct run_view *v)
{
	static const char *const words[] = { "list", "--output=name", NULL };

	if (v->text || v->process.out >= 0 || clock_steady() < v->look)
		return;
	v->names.n = 0;
	if (!view_process_start(v->session, words, true, &v->process))
		v->look = clock_steady() + LOOK_SECONDS * NS_PER_SECOND;
}

static void update_runs(struct run_view *v)
{
	for (size_t i = 0; i < v->attend->n; i++) {
		struct run_watch *w = &v->attend->runs[i];
		bool was_gone = w->gone;
		v->stale = (!was_gone && run_watch_update(w)) || v->stale;
		if (w->lost) {
			v->leave = true;
			v->status = w->lost;
		}
	}
}

static void add_poll(struct pollfd *p, nfds_t *n, int fd, short events)
{
	if (fd >= 0)
		p[(*n)++] = (struct pollfd){ .fd = fd, .events = events };
}

/* Waits for something to happen, and handles it. */
static void wait_and_handle(struct run_view *v, struct pollfd *p)
{
	struct attend *a = v->attend;
	int process = v->process.out;
	nfds_t n = 0;

	add_poll(p, &n, STDIN_FILENO, POLLIN);
	add_poll(p, &n, a->signals, POLLIN);
	add_poll(p, &n, drain_empty(&a->out) ? -1 : a->out.fd, POLLOUT);
	add_poll(p, &n, process, POLLIN);
	for (size_t i = 0; i < a->n; i++)
		add_poll(p, &n, a->runs[i].gone ? -1 : run_watch_fd(&a->runs[i]), POLLIN);
	int ready = poll(p, n, keys_wait(&v->keys) ? ESCAPE_MS : TICK_MS);
	if (ready == 0 && keys_wait(&v->keys))
		on_key(v, keys_pause(&v->keys));
	v->stale = v->stale || (ready == 0 && !v->text);        /* ages grow */
	view_signals(v);
	for (nfds_t i = 0; i < n && ready > 0; i++) {
		if (!p[i].revents)
			continue;
		if (p[i].fd == STDIN_FILENO)
			on_input(v);
		else if (p[i].fd == process && process == v->process.out)
			on_process(v);
	}
	update_runs(v);
}

enum run_view_end run_view(struct session *s, struct attend *a, struct str *chosen, int *ret_status)
{
	struct run_view v = { .session = s, .attend = a, .process = { .out = -1 }, .run = *chosen,
		.shown = ARENA_ARRAY(s->arena, const struct run_state *, a->n) };
	struct pollfd *p = ARENA_ARRAY(s->arena, struct pollfd, a->n + 4);

	attend_open(a);
	if (raw_terminal_begin(STDIN_FILENO))
		raw_terminal_screen(STDOUT_FILENO);
	measure(&v);
	choose_rows(&v);
	while (!v.leave && !v.again && !a->out.gone) {
		look_for_runs(&v);
		if (v.stale && drain_empty(&a->out))
			draw(&v);
		drain_pump(&a->out);
		wait_and_handle(&v, p);
	}
	if (v.n)
		*chosen = str_copy(s->arena, v.shown[v.selected]->name);
	view_process_end(&v.process);
	drain_finish(&a->out, 200);
	raw_terminal_end();
	attend_close(a);
	pane_release(&v.pane);
	buf_release(&v.names);
	buf_release(&v.before);
	*ret_status = a->out.gone ? 128 + SIGHUP : v.status;
	return v.again && !v.leave ? RUN_VIEW_AGAIN : RUN_VIEW_LEFT;
}
