/*
 * pod_log.c - reads the lines of a container over as many connections as necessary. Continuing after a cut is
 * difficult: sinceTime has whole seconds, so the server repeats the lines of the last second. Lines with an older time
 * stamp are dropped. Of the lines with the same stamp as the last line, the lines that were seen before are dropped. A
 * line that had arrived only in part is dropped and arrives again. If parts of a long line were handed out already,
 * only the rest is handed out.
 */
#include "runtime/cluster/pod_log.h"

#include <stdlib.h>

#include "base/words.h"

/*
 * maximum number of lines with the same time stamp that are compared; maximum number of consecutive connections without
 * a new line
 */
enum { SAME_STAMP = 64, VAIN_ATTACHES = 8 };
#define SHORTEST_PAUSE (NS_PER_SECOND / 5)
#define LONGEST_PAUSE (5 * NS_PER_SECOND)

struct pod_log {
	struct calls *calls;
	struct pod_log_options o;
	struct arena arena;
	struct call *call;
	struct loop_timer timer;
	struct buf line;                /* the part of the current line that has arrived, with its time stamp */
	int64_t last;                   /* time stamp of the last complete line */
	uint32_t seen[SAME_STAMP];      /* hashes of the lines with the time stamp `last` */
	unsigned nseen;
	unsigned matched;               /* number of lines in `seen` that this connection has repeated */
	int64_t cut_stamp;              /* time stamp of a long line that was partly handed out */
	size_t cut_given;               /* number of bytes of that long line's text that were handed out */
	int64_t line_stamp;             /* time stamp of the current line; valid when `stamped` */
	size_t line_skip;               /* number of bytes of the current line's text that must not be handed out
					 * again */
	size_t line_given;              /* number of bytes of the current line's text that were removed from `line` */
	bool stamped;
	/* the time stamp shows that the line was handed out before; used for lines that are too long to compare */
	bool known;
	bool moved;                     /* this connection has brought a line */
	bool draining;                  /* the container has ended: the rest of its log is read without following */
	bool rest;                      /* the rest of the log of the previous instance is read, without following */
	/* since the last connection began, the container has started; there is a previous instance to read first */
	bool started, rest_due;
	bool paused;                    /* `line` returned false: reading is paused */
	bool finishing;                 /* no further connection is made */
	bool held;                      /* reading was paused for so long that the connection was closed */
	bool stopped;
	unsigned inside;                /* number of callbacks that are running: P is not freed meanwhile */
	unsigned pauses, attaches;
};

static void attach(struct pod_log *p);

/* ---- lines ---- */

/* Splits "TIME TEXT"; RET_TIME is 0 if the line has no time stamp. */
static struct str split_stamp(struct str line, int64_t *ret_time)
{
	const char *space = memchr(line.p, ' ', line.n < 64 ? line.n : 64);

	*ret_time = 0;
	if (space && time_parse((struct str){ line.p, (size_t)(space - line.p) }, ret_time))
		return (struct str){ space + 1, (size_t)(line.p + line.n - space - 1) };
	*ret_time = 0;
	return line;
}

static void give(struct pod_log *p, const struct pod_log_line *line)
{
	p->moved = true;
	p->pauses = 0;
	if (!p->o.line(p->o.to, line))
		p->paused = p->held = true;
}

/* Was the line with this stamp and text handed out by an earlier connection? */
static bool is_repeated(struct pod_log *p, int64_t time, struct str text)
{
	if (!p->last || !time || time > p->last)
		return false;
	if (time < p->last)
		return true;
	if (p->matched < p->nseen && p->seen[p->matched] == str_hash(text)) {
		p->matched++;
		return true;
	}
	return false;
}

static void remember_line(struct pod_log *p, int64_t time, struct str text)
{
	if (time != p->last) {
		p->last = time;
		p->nseen = 0;
	}
	if (p->nseen < SAME_STAMP)
		p->seen[p->nseen++] = str_hash(text);
	p->matched = p->nseen;
}

/* Starts a line: the time stamp decides how much of the line was handed out before. */
static void begin_line(struct pod_log *p)
{
	struct str text = split_stamp(buf_text(&p->line), &p->line_stamp);
	size_t stamp = (size_t)(text.p - p->line.p);

	memmove(p->line.p, p->line.p + stamp, p->line.n - stamp);
	p->line.n -= stamp;
	p->known = p->last && p->line_stamp &&
		(p->line_stamp < p->last || (p->line_stamp == p->last && p->matched < p->nseen));
	/* the line that was cut follows all lines that are known, some of which may have the same time stamp */
	p->line_skip = !p->known && p->line_stamp && p->line_stamp == p->cut_stamp ? p->cut_given : 0;
	p->line_given = 0;
	p->stamped = true;
}

/* Hands out the first N bytes of the current line as a part, and keeps the rest. */
static void give_part(struct pod_log *p, size_t n)
{
	struct str text = { p->line.p, n };
	size_t known = p->line_skip > p->line_given ? p->line_skip - p->line_given : 0;

	if (known < n && !p->known) {
		struct pod_log_line part = { .time = p->line_stamp, .text = { text.p + known, n - known },
			.cut = true };
		give(p, &part);
	}
	p->line_given += n;
	if (!p->known) {
		p->cut_stamp = p->line_stamp;
		p->cut_given = p->line_given > p->line_skip ? p->line_given : p->line_skip;
	}
	memmove(p->line.p, p->line.p + n, p->line.n - n);
	p->line.n -= n;
}

/* Ends the current line. */
static void end_line(struct pod_log *p, bool unfinished)
{
	if (!p->stamped)
		begin_line(p);
	struct str text = buf_text(&p->line);
	size_t known = p->line_skip > p->line_given ? p->line_skip - p->line_given : 0;

	if (p->line_given && p->known) {
		p->matched += p->line_stamp == p->last;
	} else if (p->line_given || p->line_skip || !is_repeated(p, p->line_stamp, text)) {
		known = known > text.n ? text.n : known;
		struct pod_log_line line = { .time = p->line_stamp, .text = { text.p + known, text.n - known },
			.unfinished = unfinished };
		give(p, &line);
		remember_line(p, p->line_stamp, text);
		p->cut_stamp = 0;               /* repeated lines come before the line that was cut */
	}
	p->line.n = 0;
	p->stamped = false;
}

static void log_free(struct pod_log *p)
{
	loop_timer_drop(transport_loop(calls_transport(p->calls)), &p->timer);
	buf_release(&p->line);
	arena_release(&p->arena);
	free(p);
}

/* Called after a callback: frees P if the callback stopped it. */
static void leave_log(struct pod_log *p)
{
	if (!--p->inside && p->stopped)
		log_free(p);
}

static bool take_bytes(void *to, struct str bytes)
{
	struct pod_log *p = to;

	p->inside++;
	while (bytes.n && !p->held && !p->stopped) {
		const char *newline = memchr(bytes.p, '\n', bytes.n);
		struct str piece = { bytes.p, newline ? (size_t)(newline - bytes.p) : bytes.n };
		buf_put(&p->line, piece.p, piece.n);
		bytes = (struct str){ bytes.p + piece.n + (newline != NULL), bytes.n - piece.n - (newline != NULL) };
		if (p->line.n > POD_LOG_LONGEST && !p->stamped)
			begin_line(p);
		while (p->line.n > POD_LOG_LONGEST && !p->held && !p->stopped)
			give_part(p, POD_LOG_LONGEST);
		if (newline && !p->held && !p->stopped)
			end_line(p, false);
	}
	bool more = !p->held && !p->stopped;
	leave_log(p);
	return more;
}

/* ---- connections ---- */

static void attach_fired(struct loop_timer *t) { attach(t->to); }

static void attach_later(struct pod_log *p)
{
	int64_t wait = SHORTEST_PAUSE;

	for (unsigned i = 0; i < p->pauses && wait < LONGEST_PAUSE; i++)
		wait *= 2;
	p->pauses++;
	loop_timer_set(transport_loop(calls_transport(p->calls)), &p->timer,
		wait < LONGEST_PAUSE ? wait : LONGEST_PAUSE);
}

/* Connects at once. */
static void reconnect(struct pod_log *p)
{
	if (p->call || p->stopped || p->finishing || loop_timer_armed(&p->timer))
		return;
	p->pauses = 0;
	p->paused = p->draining = false;
	loop_timer_set(transport_loop(calls_transport(p->calls)), &p->timer, 0);
}

static void end_with(struct pod_log *p, enum pod_log_end end, const struct transport_result *r)
{
	p->draining = false;
	if (p->started && end != POD_LOG_FAILED)
		reconnect(p);
	else
		p->o.ended(p->o.to, end, r);
}

static bool message_has(const struct transport_result *r, const char *text)
{
	return r->status && memmem(r->status->message.p, r->status->message.n, text, strlen(text));
}

static bool says_waiting(const struct transport_result *r)
{
	return r->code == 400 && (message_has(r, "is waiting to start") || message_has(r, "ContainerCreating") ||
		message_has(r, "PodInitializing") || message_has(r, "does not have a host assigned"));
}

static bool container_runs(const struct pod_log *p) { return p->o.running && p->o.running(p->o.to); }

/*
 * Handles a refusal: the log does not exist yet, or it will never exist. An answer that the container has not started
 * may be older than the report of its start, which comes only once.
 */
static void log_refused(struct pod_log *p, const struct transport_result *r)
{
	if (says_waiting(r) && p->o.follow && (p->started || container_runs(p)))
		attach_later(p);
	else if (says_waiting(r))
		end_with(p, POD_LOG_WAITING, r);
	else if (r->code == 404 || (r->code == 400 && message_has(r, "previous terminated container")))
		end_with(p, p->draining || (r->code == 404 && p->last) ? POD_LOG_DONE : POD_LOG_ABSENT, r);
	else if (p->o.follow && !p->draining && r->code >= 500 && p->last && container_runs(p))
		attach_later(p);                /* the kubelet is restarting */
	else
		end_with(p, POD_LOG_FAILED, r);
}

/* The rest of the previous instance was read, or the server no longer has it: the current instance follows. */
static void rest_ended(struct pod_log *p, bool read)
{
	p->rest = false;
	if (read && p->line.n)
		end_line(p, true);
	if (!p->stopped && !p->held)
		attach(p);
}

static void ended(struct pod_log *p, const struct transport_result *r)
{
	bool cut = r->outcome == TRANSPORT_BROKEN || r->outcome == TRANSPORT_SLOW;

	if (p->rest && !(cut && p->pauses < VAIN_ATTACHES)) {
		rest_ended(p, transport_ok(r));
	} else if (r->outcome == TRANSPORT_ANSWERED && !transport_ok(r)) {
		log_refused(p, r);
	} else if (!transport_ok(r) && !(cut && r->code == 200 && p->pauses < VAIN_ATTACHES)) {
		end_with(p, POD_LOG_FAILED, r);
	} else if (p->o.follow && !p->draining && !p->rest) {
		/*
		 * The end of a stream is often only the end of a connection, so the rest of the container's output is
		 * read before the log is done
		 */
		p->draining = !p->started && !container_runs(p);
		if ((p->draining || p->started) && !p->stopped)
			attach(p);
		else if (!p->stopped)
			attach_later(p);
	} else if (cut) {
		attach_later(p);
	} else {
		if (p->line.n)
			end_line(p, true);
		if (!p->stopped)
			end_with(p, POD_LOG_DONE, r);
	}
}

/* Ends the log with its last connection. */
static void end_finished(struct pod_log *p, const struct transport_result *r)
{
	if (p->line.n && transport_ok(r))
		end_line(p, true);
	if (!p->stopped)
		p->o.ended(p->o.to, POD_LOG_DONE, r);
}

static void log_done(void *to, const struct transport_result *r)
{
	struct pod_log *p = to;

	p->call = NULL;
	p->inside++;
	if (p->finishing)
		end_finished(p, r);
	else if (!p->held)
		ended(p, r);
	else if (!p->paused)
		attach(p);                      /* reading was resumed meanwhile; otherwise pod_log_resume() attaches */
	leave_log(p);
}

/*
 * Takes over a start that was reported since the last connection began. That connection may have read either instance,
 * or may have been cut, so the rest of the previous instance is read first; lines that are known are dropped.
 */
static void take_start(struct pod_log *p)
{
	p->rest = p->rest || p->rest_due;
	p->draining = p->draining && !p->started;
	p->started = p->rest_due = false;
}

static void attach(struct pod_log *p)
{
	struct transport_pair query[8];
	size_t n = 0;
	char tail[STR_DIGITS];
	struct buf since = { 0 };
	struct transport_place place = { .version = STR("v1"), .plural = STR("pods"), .namespace = p->o.namespace,
		.name = p->o.pod, .subresource = STR("log") };
	struct transport_request r = { .kind = TRANSPORT_STREAM, .query = query, .text = true, .take = take_bytes,
		.done = log_done, .to = p };
	int64_t from = p->last ? p->last : p->cut_stamp ? p->cut_stamp : p->o.since;

	take_start(p);
	p->line.n = 0;
	p->stamped = p->moved = p->held = false;
	p->matched = 0;
	p->attaches++;
	query[n++] = (struct transport_pair){ STR("timestamps"), STR("true") };
	if (p->o.container.n)
		query[n++] = (struct transport_pair){ STR("container"), p->o.container };
	if (p->o.follow && !p->draining && !p->rest)
		query[n++] = (struct transport_pair){ STR("follow"), STR("true") };
	if (p->o.previous || p->rest)
		query[n++] = (struct transport_pair){ STR("previous"), STR("true") };
	if (from) {
		put_time(&since, from - from % NS_PER_SECOND, 0);
		query[n++] = (struct transport_pair){ STR("sinceTime"), buf_text(&since) };
	}
	if (p->o.tail >= 0 && !p->last)
		query[n++] = (struct transport_pair){ STR("tailLines"), str_digits(tail, p->o.tail) };
	r.nquery = n;
	r.path = transport_path(&p->arena, &place);
	p->call = call_start(p->calls, &r, CALL_BY_METHOD, NULL);
	buf_release(&since);
	arena_reset(&p->arena);
}

/* ---- functions for the caller ---- */

struct pod_log *pod_log_start(struct calls *c, const struct pod_log_options *o)
{
	struct pod_log *p = memory_resize(NULL, sizeof *p + o->namespace.n + o->pod.n + o->container.n);
	char *text = (char *)(p + 1);

	*p = (struct pod_log){ .calls = c, .o = *o, .timer = { .fire = attach_fired, .to = p },
		.line = { .limit = 8 << 20 } };
	p->o.namespace = (struct str){ memcpy(text, o->namespace.p, o->namespace.n), o->namespace.n };
	p->o.pod = (struct str){ memcpy(text + o->namespace.n, o->pod.p, o->pod.n), o->pod.n };
	text += o->namespace.n + o->pod.n;
	p->o.container = (struct str){ text, o->container.n };
	if (o->container.n)
		memcpy(text, o->container.p, o->container.n);
	attach(p);
	return p;
}

/*
 * Cancels a connection that has brought no line yet, and connects again: nobody knows which instance of the container
 * that connection reads.
 */
static void connect_again(struct pod_log *p)
{
	if (!p->call || p->moved)
		return;
	call_cancel(p->call);
	p->call = NULL;
	reconnect(p);
}

void pod_log_retry(struct pod_log *p, bool restarted)
{
	p->started = true;
	p->rest_due = p->rest_due || (restarted && !p->o.previous);
	if (p->rest_due)
		connect_again(p);
	if (!p->paused)
		reconnect(p);
}

bool pod_log_is_behind(const struct pod_log *p) { return p->draining || p->rest; }

void pod_log_previous(struct pod_log *p)
{
	p->o.previous = true;
	connect_again(p);
}

void pod_log_finish(struct pod_log *p)
{
	if (p->finishing)
		return;
	p->finishing = true;
	loop_timer_drop(transport_loop(calls_transport(p->calls)), &p->timer);
	if (!p->call)
		p->o.ended(p->o.to, POD_LOG_DONE, NULL);
}

void pod_log_resume(struct pod_log *p)
{
	if (p->paused)
		reconnect(p);
	p->paused = false;
}

void pod_log_stop(struct pod_log *p)
{
	if (!p || p->stopped)
		return;
	p->stopped = true;
	if (p->call)
		call_cancel(p->call);
	p->call = NULL;
	if (!p->inside)
		log_free(p);
}
