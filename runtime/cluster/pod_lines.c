/*
 * pod_lines.c - the logs of pods as a source of lines: one stream for each container, merged by time. Pods are created
 * and deleted while logs are followed; the view reports these changes. A stream holds its lines until every other
 * stream has a line as well. When following, it waits only for a moment; then lines of a slow stream may come after
 * newer lines of a fast stream.
 */
#include <stdlib.h>

#include "base/map.h"
#include "base/words.h"
#include "runtime/cluster/cluster_watch.h"
#include "runtime/cluster/pod_log.h"
#include "runtime/status/attempts.h"

/*
 * HELD_MS: how long a line waits for earlier lines of other streams. QUIET_MS: how long a log that is followed must
 * bring nothing after the container's end, and REST_MS: how long the server may take to send the end of a log.
 */
enum { HELD_MS = 150, QUIET_MS = 2000, REST_MS = 10000, STREAM_MEMORY = 768 };
/*
 * limits of queues in bytes. QUEUES_MOST: limit of all queues together; QUEUE_MOST and QUEUE_LEAST: the largest and the
 * smallest limit of a single queue
 */
enum { QUEUES_MOST = 64 << 20, QUEUE_MOST = 1 << 20, QUEUE_LEAST = 64 << 10 };

struct line_record {                    /* header of a queued line; its text follows */
	int64_t time;
	int64_t attempt;
	uint32_t n;
	bool more;
};

struct line_stream {
	struct arena own;               /* the stream itself and its texts */
	struct pod_lines *all;
	struct log_stream id;
	struct str uid;                 /* uid of the pod */
	struct pod_log *log;
	struct buf queue;               /* queued records with their texts */
	size_t at;                      /* offset of the next record in `queue` */
	int64_t arrived;                /* loop_now() when the oldest waiting line arrived */
	int64_t heard;                  /* time of the last line, or of the end of the container */
	bool ended, paused, running, started, waits;
	bool begun;                     /* the container has a log */
	int64_t restarts;
	int64_t first;                  /* number of the first attempt in this pod */
	int64_t only;                   /* number of the only attempt to show; 0: show all attempts */
	int64_t began;                  /* start of the current attempt, in whole seconds */
	struct attempts_pod pod;
	struct line_stream *later;      /* the stream of a later pod of the replica; NULL: no later pod has a stream */
	int64_t earlier;                /* number of attempts in earlier pods, whose streams have been released */
	bool seen;                      /* the last scan found the pod */
	bool forgotten;                 /* the stream is about to be released */
	int exit_code;
	bool mark;                      /* the previous attempt has ended, but this has not been handed out as a line
					 * yet */
};

struct pod_lines {
	struct log_source source;       /* must be the first member */
	struct cluster *cluster;
	const struct attend *attend;
	struct log_choice choice;
	struct line_stream **at;        /* every container of every pod */
	size_t n, room, found;          /* `found` also counts streams that were released */
	struct map by_container;        /* the same streams; keys are uid/container */
	struct map by_replica;          /* the stream of the last pod of each container of each replica */
	struct arena index;             /* memory of both maps */
	struct line_stream **open;      /* the streams whose logs are being read: a few among thousands */
	size_t nopen, open_room;
	struct buf text;                /* text of the line that was handed out */
	struct buf key;                 /* scratch of stream_of() and replica_key() */
	struct loop_timer timer;
	uint64_t scanned;               /* judged_news() at the last scan */
	bool watched;                   /* the command has followed the runs since before they ended */
	int64_t lacking;                /* loop_now() when a pod was first found missing; 0: no pod is missing */
};

/* ---- streams ---- */

/* Appends S to one of the arrays of L. ROOM is its capacity: keep_streams() makes room that must be used again. */
static void push_stream(struct pod_lines *l, struct line_stream ***at, size_t *n, size_t *room, struct line_stream *s)
{
	if (*n == *room) {
		*at = arena_grow(l->cluster->arena, *at, *n, sizeof **at);
		*room = *n ? 2 * *n : 4;
	}
	(*at)[(*n)++] = s;
}

static bool has_line(const struct line_stream *s) { return s->at < s->queue.n; }

static struct line_record head_of(const struct line_stream *s)
{
	struct line_record r;

	memcpy(&r, s->queue.p + s->at, sizeof r);
	return r;
}

/* The number of the last attempt in the stream's pod. */
static int64_t last_attempt(const struct line_stream *s) { return s->first + s->restarts; }

/*
 * The number of the attempt that printed a line with this time. A line from the second in which an attempt started
 * counts as a line of that attempt.
 */
static int64_t attempt_at(const struct line_stream *s, int64_t time)
{
	if (s->only)
		return s->only;
	return last_attempt(s) - (s->restarts && time && time < s->began);
}

/* The number of queued bytes at which a stream pauses reading. */
static size_t queue_limit(const struct pod_lines *l)
{
	size_t share = QUEUES_MOST / l->nopen;

	return share > QUEUE_MOST ? QUEUE_MOST : share < QUEUE_LEAST ? QUEUE_LEAST : share;
}

/*
 * Removes from the queue the records that were handed out, once they are at least as long as the waiting records. So no
 * more bytes are moved than were handed out, and a queue that never empties does not grow.
 */
static void drop_given(struct line_stream *s)
{
	size_t waiting = s->queue.n - s->at;

	if (s->at < waiting)
		return;
	memmove(s->queue.p, s->queue.p + s->at, waiting);
	s->queue.n = waiting;
	s->at = 0;
}

static bool on_line(void *to, const struct pod_log_line *line)
{
	struct line_stream *s = to;
	struct line_record r = { line->time, attempt_at(s, line->time), (uint32_t)line->text.n, line->cut };

	if (!has_line(s))
		s->arrived = loop_now(s->all->cluster->client.loop);
	if (s->at)
		drop_given(s);
	s->heard = loop_now(s->all->cluster->client.loop);
	buf_put(&s->queue, (const char *)&r, sizeof r);
	buf_put(&s->queue, line->text.p, line->text.n);
	s->paused = s->queue.n - s->at > queue_limit(s->all);
	return !s->paused;
}

static void on_ended(void *to, enum pod_log_end end, const struct transport_result *r)
{
	struct line_stream *s = to;

	s->waits = end == POD_LOG_WAITING;
	s->ended = !s->waits || !s->all->choice.follow;
	if (end != POD_LOG_FAILED || !r)
		return;
	session_say(s->all->cluster->session, "%.*s/%lld: %.*s", STR_ARG(s->id.role), (long long)s->id.index,
		STR_ARG(r->error));
	if (!s->all->source.status)
		s->all->source.status = call_exit_status(r);
}

static bool is_running(void *to)
{
	const struct line_stream *s = to;

	return s->running && (!s->only || s->only == last_attempt(s));
}

static void open_log(struct line_stream *s, const struct log_selection *how, struct str ns)
{
	struct pod_log_options o = { .namespace = ns, .pod = s->id.pod, .container = s->id.container,
		.follow = s->all->choice.follow,
		.previous = how->previous, .tail = how->tail, .since = how->since, .running = is_running,
			.line = on_line, .ended = on_ended, .to = s };

	s->started = true;
	s->heard = loop_now(s->all->cluster->client.loop);
	push_stream(s->all, &s->all->open, &s->all->nopen, &s->all->open_room, s);
	s->log = pod_log_start(s->all->cluster->client.calls, &o);
}

/* ---- finding pods ---- */

struct scanning {
	struct pod_lines *all;
	const struct cluster_watch *watch;
	unsigned run;
	struct arena *scratch;
	struct attempts_before *before; /* attempts recorded in the Jobs, one entry for each role of the plan */
};

/*
 * Finds the stream of a container. KEY gets the container's key in `by_container`; the next call overwrites the text of
 * the key.
 */
static struct line_stream *stream_of(struct pod_lines *l, struct str uid, struct str container, struct str *key)
{
	l->key.n = 0;
	buf_str(&l->key, uid);
	buf_char(&l->key, '/');
	buf_str(&l->key, container);
	*key = buf_text(&l->key);
	return map_get(&l->by_container, *key);
}

/* The key in `by_replica` for a replica's container; the next call overwrites the text of the key. */
static struct str replica_key(struct pod_lines *l, const struct log_stream *id)
{
	l->key.n = 0;
	buf_printf(&l->key, "%u/%u/%lld/", id->run, id->role_number, (long long)id->index);
	buf_str(&l->key, id->container);
	return buf_text(&l->key);
}

static int64_t index_of(const struct data *pod)
{
	struct str text = status_pod_index(pod);
	int64_t n = 0;

	for (size_t i = 0; i < text.n && i < 9; i++)
		n = n * 10 + (text.p[i] - '0');
	return n;
}

/* The only attempt to show has ended: the server has its log only until the container starts once more. */
static void continue_in_previous(struct line_stream *s)
{
	if (s->only == last_attempt(s) - 1)
		pod_log_previous(s->log);
	else
		pod_log_finish(s->log);
}

/* Updates the stream with the current state of its container, from the pod's status. */
static void note_container(struct line_stream *s, const struct data *status)
{
	int64_t restarts = status_number(status, "restartCount", 0);
	bool running = status_path(status, "state.running") != NULL, over = status_path(status,
		"state.terminated") != NULL;

	if (restarts > s->restarts && s->started && (!s->only || s->only == last_attempt(s))) {
		s->exit_code = (int)status_number(status, "lastState.terminated.exitCode", -1);
		s->mark = true;
	}
	bool restarted = restarts > s->restarts;
	bool again = (running && !s->running) || (over && !s->started) || restarted;
	bool passed = s->only && restarted;     /* the only attempt to show has ended */
	s->restarts = restarts;
	s->began = status_time(status, running ? "state.running.startedAt" : "state.terminated.startedAt");
	if (passed && s->log)
		continue_in_previous(s);
	if (s->running && !running)
		s->heard = loop_now(s->all->cluster->client.loop);
	s->running = running;
	if (again && !passed && s->log && s->all->choice.follow) {
		s->ended = s->waits = false;
		pod_log_retry(s->log, restarted);
	}
}

/*
 * The number of the first attempt in the stream's pod. The pods of the replica are known from the streams of their main
 * containers; pods that have been deleted still count.
 */
static int64_t first_attempt(struct arena *scratch, const struct line_stream *s, const struct attempts_before *before)
{
	const struct pod_lines *l = s->all;
	struct attempts_pod *pods = NULL;
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++) {
		const struct line_stream *o = l->at[i];
		struct attempts_pod pod = o->pod;
		pod.starts = 1 + o->restarts + o->earlier;
		if (o->id.main && o->id.run == s->id.run && o->id.role_number == s->id.role_number &&
			o->id.index == s->id.index)
			ARENA_PUSH(scratch, pods, n, pod);
	}
	return s->earlier + attempts_first(before, pods, n, &s->pod);
}

/*
 * Decides how to read the log. Returns false if only one attempt is shown, and this pod does not have that attempt or
 * no longer has its log.
 */
static bool choose_attempt(struct line_stream *s, struct log_selection *how)
{
	int64_t last = last_attempt(s);

	s->only = how->attempt;
	how->previous = how->previous || (s->only && s->only == last - 1);
	return !s->only || (s->only >= s->first && (s->only == last || s->only == last - 1));
}

/* Notes that S is the stream of the last pod of its replica. */
static void note_last(struct line_stream *s)
{
	struct pod_lines *l = s->all;

	map_put(&l->by_replica, &l->index, str_copy(&l->index, replica_key(l, &s->id)), s);
}

/* Links S with the stream of an earlier or later pod for the same container of the replica. */
static void link_stream(struct line_stream *s)
{
	struct line_stream *last = map_get(&s->all->by_replica, replica_key(s->all, &s->id));

	if (last && attempts_made_before(&s->pod, &last->pod)) {
		s->later = last;
		return;
	}
	if (last)
		last->later = s;
	note_last(s);
}

static struct line_stream *add_stream(struct scanning *c, const struct data *pod, struct str uid, unsigned role,
	struct str container, struct str key)
{
	struct pod_lines *l = c->all;
	const struct plan_role *r = &c->watch->plan.roles[role];
	struct arena own = { .first = STREAM_MEMORY };
	struct line_stream *s = ARENA_NEW(&own, struct line_stream);

	*s = (struct line_stream){ .all = l, .uid = str_copy(&own, uid),
		.id = { .number = l->found++, .run = c->run, .run_name = c->watch->watch->name, .role = r->name,
			.container = str_copy(&own, container), .role_number = role, .index = index_of(pod),
			.main = str_eq(container, plan_label(c->scratch, r->main.name)),
			.pod = str_copy(&own, status_text(pod, "metadata.name")) } };
	s->pod = (struct attempts_pod){ status_time(pod, "metadata.creationTimestamp"), 0, s->id.pod,
		attempts_lives(pod), false };
	s->own = own;
	push_stream(l, &l->at, &l->n, &l->room, s);
	map_put(&l->by_container, &l->index, str_copy(&l->index, key), s);
	link_stream(s);
	return s;
}

static void scan_container(struct scanning *c, const struct data *pod, struct str uid, unsigned role,
	const struct data *status)
{
	struct str container = status_text(status, "name"), key;
	struct line_stream *s = stream_of(c->all, uid, container, &key);

	if (!s)
		s = add_stream(c, pod, uid, role, container, key);
	s->seen = true;
	s->begun = status_path(status, "state.running") || status_path(status, "state.terminated") ||
		status_number(status, "restartCount", 0) > 0;
	note_container(s, status);
}

static void scan_pod(void *to, struct str uid, const struct data *pod)
{
	struct scanning *c = to;
	struct str role = status_label(pod, "trainc.dev/role");
	static const char *const lists[] = { "status.initContainerStatuses", "status.containerStatuses" };

	for (unsigned i = 0; i < c->watch->plan.nroles; i++) {
		if (!str_eq(c->watch->plan.roles[i].label, role))
			continue;
		for (size_t k = 0; k < 2; k++) {
			const struct data *list = status_list(pod, lists[k]);
			for (size_t n = 0; n < list->u.list.n; n++)
				scan_container(c, pod, uid, i, list->u.list.at[n]);
		}
	}
}

static void scan_job(void *to, struct str uid, const struct data *job)
{
	struct scanning *c = to;

	(void)uid;
	for (unsigned i = 0; i < c->watch->plan.nroles; i++)
		if (str_eq(c->watch->plan.roles[i].label, status_label(job, "trainc.dev/role")))
			attempts_before_add(&c->before[i], job);
}

/* Opens the selected streams after all pods are known, because the number of an attempt depends on earlier pods. */
static void open_wanted(struct scanning *c)
{
	struct pod_lines *l = c->all;
	struct log_selection how;

	for (size_t i = 0; i < l->n; i++) {
		struct line_stream *s = l->at[i];
		if (s->started || !s->begun || s->id.run != c->run ||
			!l->choice.wanted(l->choice.context, &s->id, &how))
			continue;
		s->first = first_attempt(c->scratch, s, &c->before[s->id.role_number]);
		if (choose_attempt(s, &how))
			open_log(s, &how, c->watch->ns);
	}
}

/* ---- pods that are gone ---- */

static void release_stream(struct line_stream *s)
{
	struct arena own = s->own;

	if (s->log)
		pod_log_stop(s->log);
	buf_release(&s->queue);
	arena_release(&own);
}

/*
 * Notes that the container no longer runs if its pod is gone. If another pod has got the name of that pod, requests for
 * the log would read the log of the other pod.
 */
static void note_gone(struct line_stream *s)
{
	if (!s->seen && s->log && s->later && str_eq(s->later->id.pod, s->id.pod))
		pod_log_finish(s->log);
	if (s->seen || !s->running)
		return;
	s->running = false;
	s->heard = loop_now(s->all->cluster->client.loop);
}

/*
 * May the stream be forgotten? Its pod is gone, all its lines were handed out, and a later pod of the same life
 * continues the numbers of attempts.
 */
static bool is_forgotten(const struct line_stream *s, unsigned run)
{
	bool over = !s->started || ((s->ended || s->waits) && !has_line(s) && !s->mark);

	return s->id.run == run && !s->seen && over && s->later && s->later->pod.lives == s->pod.lives;
}

/* The first stream in the order of their pods, from S on, that will not be forgotten. */
static struct line_stream *kept_from(struct line_stream *s)
{
	while (s->forgotten)
		s = s->later;
	return s;
}

/* Adds the attempts of a stream that is about to be forgotten to the stream that follows. */
static void pass_attempts(struct scanning *c, const struct line_stream *s)
{
	struct line_stream *to = kept_from(s->later);

	if (attempts_of_one_life(&c->before[s->id.role_number], &s->pod, &to->pod))
		to->earlier += s->earlier + 1 + s->restarts;
}

/* Moves the streams that are not forgotten to the front; returns their number. */
static size_t keep_streams(struct line_stream **at, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (!at[i]->forgotten)
			at[kept++] = at[i];
	return kept;
}

static void index_streams(struct pod_lines *l)
{
	arena_reset(&l->index);
	l->by_container = l->by_replica = (struct map){ 0 };
	for (size_t i = 0; i < l->n; i++) {
		struct str key;
		stream_of(l, l->at[i]->uid, l->at[i]->id.container, &key);
		map_put(&l->by_container, &l->index, str_copy(&l->index, key), l->at[i]);
		if (!l->at[i]->later)
			note_last(l->at[i]);
	}
}

/* Forgets streams of pods that are gone, so that the memory of a command that follows for days does not grow. */
static void forget_gone(struct scanning *c)
{
	struct pod_lines *l = c->all;
	struct line_stream **gone = NULL;
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++) {
		struct line_stream *s = l->at[i];
		note_gone(s);
		s->forgotten = is_forgotten(s, c->run);
		if (s->forgotten)
			ARENA_PUSH(c->scratch, gone, n, s);
	}
	if (!n)
		return;
	for (size_t i = 0; i < n; i++)
		pass_attempts(c, gone[i]);
	for (size_t i = 0; i < l->n; i++)
		if (!l->at[i]->forgotten && l->at[i]->later)
			l->at[i]->later = kept_from(l->at[i]->later);
	l->nopen = keep_streams(l->open, l->nopen);
	l->n = keep_streams(l->at, l->n);
	for (size_t i = 0; i < n; i++)
		release_stream(gone[i]);
	index_streams(l);
}

/* A number that rises whenever a run is judged with news. */
static uint64_t judged_news(const struct pod_lines *l)
{
	uint64_t n = 0;

	for (size_t i = 0; i < l->attend->n; i++)
		n += cluster_watch_of(&l->attend->runs[i])->news;
	return n;
}

static void lines_scan(struct pod_lines *l)
{
	struct arena scratch = { 0 };

	l->scanned = judged_news(l);
	for (size_t i = 0; i < l->attend->n; i++) {
		struct scanning c = { l, cluster_watch_of(&l->attend->runs[i]), (unsigned)i, &scratch, NULL };
		c.before = ARENA_ARRAY(&scratch, struct attempts_before, c.watch->plan.nroles);
		if (c.watch->view)
			view_each(c.watch->view, "Job", c.watch->watch->name, c.watch->ns, scan_job, &c);
		for (size_t k = 0; k < l->n; k++)
			l->at[k]->seen = l->at[k]->id.run != i;
		if (c.watch->view)
			view_each(c.watch->view, "Pod", c.watch->watch->name, c.watch->ns, scan_pod, &c);
		open_wanted(&c);
		if (c.watch->view)
			forget_gone(&c);
		arena_reset(&scratch);
	}
	arena_release(&scratch);
}

/* ---- as a source of lines ---- */

static struct pod_lines *lines_of_source(const struct log_source *s) { return (struct pod_lines *)(uintptr_t)s; }

static void lines_read(struct log_source *s)
{
	struct pod_lines *l = lines_of_source(s);

	loop_turn(l->cluster->client.loop);
	/* the state of a run does not show everything, for example not that a sidecar has started again */
	if (l->choice.follow && l->scanned != judged_news(l))
		lines_scan(l);
	for (size_t i = 0; i < l->nopen; i++) {
		struct line_stream *o = l->open[i];
		if (o->paused && o->queue.n - o->at < queue_limit(l) / 2) {
			o->paused = false;
			pod_log_resume(o->log);
		}
	}
}

static void lines_reconsider(struct log_source *s) { lines_scan(lines_of_source(s)); }

/*
 * Is the line of A handed out before the line of B? Of lines with the same time, the line of the first role and the
 * lowest rank comes first.
 */
static bool comes_before(const struct line_stream *a, const struct line_stream *b)
{
	int64_t x = head_of(a).time, y = head_of(b).time;

	if (x != y)
		return x < y;
	if (a->id.role_number != b->id.role_number)
		return a->id.role_number < b->id.role_number;
	return a->id.index != b->id.index ? a->id.index < b->id.index : a->id.number < b->id.number;
}

/* Must the earliest line wait, because another stream could still bring an earlier line? */
static bool must_wait(struct pod_lines *l, const struct line_stream *first)
{
	int64_t now = loop_now(l->cluster->client.loop), until = first->arrived + HELD_MS * (NS_PER_SECOND / 1000);
	bool all = true;

	for (size_t i = 0; i < l->nopen && all; i++)
		all = l->open[i]->ended || l->open[i]->waits || has_line(l->open[i]);
	if (all || (l->choice.follow && now >= until))
		return false;
	if (l->choice.follow)
		loop_timer_set(l->cluster->client.loop, &l->timer, until - now);
	return true;
}

static bool lines_next(struct log_source *source, bool over, struct log_line *ret)
{
	struct pod_lines *l = lines_of_source(source);
	struct line_stream *first = NULL;

	for (size_t i = 0; i < l->nopen; i++) {
		struct line_stream *s = l->open[i];
		if (s->mark && !has_line(s)) {
			s->mark = false;
			*ret = (struct log_line){ .kind = LOG_ENDED, .from = &s->id, .time = clock_real(),
				.attempt = last_attempt(s) - 1, .exit_code = s->exit_code };
			return true;
		}
		if (has_line(s) && (!first || comes_before(s, first)))
			first = s;
	}
	if (!first || (!over && must_wait(l, first)))
		return false;
	struct line_record r = head_of(first);
	l->text.n = 0;
	buf_put(&l->text, first->queue.p + first->at + sizeof r, r.n);
	first->at += sizeof r + r.n;
	first->arrived = loop_now(l->cluster->client.loop);
	*ret = (struct log_line){ .kind = LOG_TEXT, .from = &first->id, .time = r.time, .text = buf_text(&l->text),
		.more = r.more, .attempt = r.attempt };
	return true;
}

static int lines_fd(const struct log_source *s) { return loop_descriptor(lines_of_source(s)->cluster->client.loop); }

/* Is an open stream over? The log ends when the container has ended, even if the server keeps the connection open. */
static bool stream_over(const struct line_stream *s)
{
	int64_t most = s->log && pod_log_is_behind(s->log) ? REST_MS : QUIET_MS;
	int64_t now = loop_now(s->all->cluster->client.loop), until = s->heard + most * (NS_PER_SECOND / 1000);

	if (s->ended || s->waits)
		return true;
	if (s->running || has_line(s))
		return false;
	if (now < until)
		loop_timer_set(s->all->cluster->client.loop, &s->all->timer, until - now);
	return now >= until;
}

/* Has a replica of run I ended although its pod has never been seen? */
static bool lacks_pod_of(struct pod_lines *l, unsigned i, struct arena *scratch)
{
	const struct cluster_watch *c = cluster_watch_of(&l->attend->runs[i]);
	const struct run_state *s = &c->watch->state;

	for (unsigned k = 0; k < s->nroles && k < c->plan.nroles; k++) {
		struct log_stream id = { .run = i, .run_name = c->watch->name, .role = c->plan.roles[k].name,
			.role_number = k, .container = plan_label(scratch, c->plan.roles[k].main.name), .main = true };
		for (; id.index < s->roles[k].max; id.index++) {
			enum replica_state state = s->roles[k].at[id.index].state;
			if ((state == REPLICA_SUCCEEDED || state == REPLICA_FAILED) &&
				!map_get(&l->by_replica, replica_key(l, &id)))
				return true;
		}
	}
	return false;
}

/*
 * Must pods still be waited for? The watch of Jobs may be ahead of the watch of pods: then a short run has ended before
 * its pods, and so its logs, are known.
 */
static bool awaits_pods(struct pod_lines *l)
{
	struct loop *loop = l->cluster->client.loop;
	struct arena scratch = { 0 };
	bool lacks = false;

	for (size_t i = 0; i < l->attend->n && l->watched && !lacks; i++)
		lacks = lacks_pod_of(l, (unsigned)i, &scratch);
	arena_release(&scratch);
	l->lacking = !lacks ? 0 : l->lacking ? l->lacking : loop_now(loop);
	int64_t left = l->lacking + QUIET_MS * (NS_PER_SECOND / 1000) - loop_now(loop);
	if (lacks && left > 0)
		loop_timer_set(loop, &l->timer, left);
	return lacks && left > 0;
}

static bool lines_done(const struct log_source *s)
{
	struct pod_lines *l = lines_of_source(s);
	bool done = !awaits_pods(l);

	for (size_t i = 0; i < l->nopen; i++)
		done = stream_over(l->open[i]) && done;
	return done;
}

static void lines_release(struct log_source *s)
{
	struct pod_lines *l = lines_of_source(s);

	for (size_t i = 0; i < l->n; i++)
		release_stream(l->at[i]);
	arena_release(&l->index);
	loop_timer_drop(l->cluster->client.loop, &l->timer);
	buf_release(&l->text);
	buf_release(&l->key);
}

static void on_timer(struct loop_timer *t) { (void)t; }

struct log_source *cluster_logs(struct session *s, const struct attend *a, const struct log_choice *choice)
{
	static const struct log_source_ops ops = { lines_read, lines_next, lines_fd, lines_reconsider, lines_release,
		lines_done, NULL };
	struct pod_lines *l = ARENA_NEW(s->arena, struct pod_lines);

	*l = (struct pod_lines){ .source = { .ops = &ops }, .cluster = cluster_of(s), .attend = a, .choice = *choice };
	l->timer = (struct loop_timer){ .fire = on_timer, .to = l };
	l->watched = s->options->command == COMMAND_RUN;
	for (size_t i = 0; i < a->n && choice->follow; i++)
		l->watched = l->watched || !run_watch_over(&a->runs[i]);
	lines_scan(l);
	return &l->source;
}
