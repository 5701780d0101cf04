/*
 * follow.c - reads log files as lines ordered by time. Each stream has at most one line ready, its head; the heads are
 * in a heap by time. When a head is taken, the next line of its stream is read. A stream without a head is read again
 * when the kernel reports that its files have changed.
 */
#include "runtime/local/follow.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/map.h"
#include "base/words.h"
#include "runtime/local/follow_stream.h"

struct followed {
	struct follow_run run;
	unsigned number;
	struct str name;
	struct run_role *roles;         /* the roles of the run, with their names only */
	size_t nroles;
	int logs, watch;                /* descriptor of the directory; its number in inotify */
	bool scan;                      /* there may be new files in the directory */
	struct map streams;             /* name of the log file without suffix -> stream */
};

struct follow {
	struct log_source source;       /* must be the first member: see follow_source() */
	struct arena *arena;
	struct followed **runs;
	size_t nruns;
	struct stream **streams;
	size_t nstreams;
	struct stream **heap;
	size_t nheap, heap_size;
	struct stream *taken;           /* the stream whose line was handed out: its next line must be read */
	int inotify;
};

/* ---- the heap ---- */

static bool before(const struct stream *a, const struct stream *b)
{
	return a->head.time != b->head.time ? a->head.time < b->head.time : a->id.number < b->id.number;
}

static void sift_down(struct follow *f, size_t i)
{
	for (;;) {
		size_t least = i, left = 2 * i + 1, right = left + 1;
		if (left < f->nheap && before(f->heap[left], f->heap[least]))
			least = left;
		if (right < f->nheap && before(f->heap[right], f->heap[least]))
			least = right;
		if (least == i)
			return;
		struct stream *s = f->heap[i];
		f->heap[i] = f->heap[least];
		f->heap[least] = s;
		i = least;
	}
}

static void heap_push(struct follow *f, struct stream *s)
{
	size_t i = f->nheap++;

	if (f->nheap > f->heap_size) {
		f->heap_size = f->heap_size ? 2 * f->heap_size : 64;
		f->heap = memory_resize(f->heap, f->heap_size * sizeof *f->heap);
	}
	for (; i && before(s, f->heap[(i - 1) / 2]); i = (i - 1) / 2)
		f->heap[i] = f->heap[(i - 1) / 2];
	f->heap[i] = s;
}

static struct stream *heap_pop(struct follow *f)
{
	struct stream *s = f->heap[0];

	f->heap[0] = f->heap[--f->nheap];
	sift_down(f, 0);
	return s;
}

static void fill(struct follow *f, struct stream *s, bool over)
{
	if (!s->has_head && stream_fill(s, over))
		heap_push(f, s);
}

/* ---- files ---- */

/* Finds the container of a file name such as "worker-3" or "worker-3.logger"; false for other files. */
static bool identify(const struct followed *r, struct str name, struct log_stream *ret)
{
	for (size_t k = 0; k < r->nroles; k++) {
		struct str role = r->roles[k].name;
		size_t i = role.n + 1;
		int64_t index = 0;

		if (!str_starts(name, role) || name.n <= i || name.p[role.n] != '-' || name.n > 250)
			continue;
		for (; i < name.n && name.p[i] >= '0' && name.p[i] <= '9' && index < 100000000; i++)
			index = 10 * index + (name.p[i] - '0');
		if (i == role.n + 1 || (i < name.n && (name.p[i] != '.' || i + 1 == name.n)))
			continue;
		*ret = (struct log_stream){ .run = r->number, .run_name = r->name, .role = role,
			.role_number = (unsigned)k, .index = index,
			.main = i == name.n };
		ret->container = ret->main ? STR("main") : (struct str){ name.p + i + 1, name.n - i - 1 };
		return true;
	}
	return false;
}

/* Starts to read a stream, if it is selected now. */
static void consider(struct follow *f, const struct followed *r, struct stream *s)
{
	struct log_selection how = { .tail = -1 };

	if (!s->identified || s->wanted || !r->run.wanted(r->run.context, &s->id, &how))
		return;
	s->wanted = s->dirty = true;
	s->how = how;
	s->id.number = f->nstreams;
	stream_begin(s);
	ARENA_PUSH(f->arena, f->streams, f->nstreams, s);
}

static void add_stream(struct follow *f, struct followed *r, struct str name)
{
	struct stream *s = ARENA_NEW(f->arena, struct stream);

	name = str_copy(f->arena, name);
	*s = (struct stream){ .directory = r->logs, .name = name.p };
	s->identified = identify(r, name, &s->id);
	map_put(&r->streams, f->arena, name, s);
	consider(f, r, s);
}

/* Decides again about streams that were not selected before. */
static void follow_reconsider(struct follow *f)
{
	for (size_t i = 0; i < f->nruns; i++)
		for (size_t k = 0; k < f->runs[i]->streams.n; k++)
			consider(f, f->runs[i], f->runs[i]->streams.entries[k].value);
}

static int by_role_and_index(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

static void scan(struct follow *f, struct followed *r)
{
	struct arena scratch = { 0 };
	struct str *names = NULL;
	size_t n = 0;
	int fd = openat(r->logs, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;

	for (struct dirent *e; d && (e = readdir(d));) {
		struct str name = str_of(e->d_name);
		/* while a new piece begins, the log may have only the second name */
		size_t suffix = str_ends(name, STR(".log")) ? 4 : str_ends(name, STR(".log.new")) ? 8 : 0;
		if (suffix)
			ARENA_PUSH(&scratch, names, n, str_copy(&scratch, (struct str){ name.p, name.n - suffix }));
	}
	if (d)
		closedir(d);
	if (n)
		qsort(names, n, sizeof *names, by_role_and_index);
	for (size_t i = 0; i < n; i++)
		if (!map_get(&r->streams, names[i]))
			add_stream(f, r, names[i]);
	arena_release(&scratch);
	r->scan = false;
}

/* ---- changes of files ---- */

static void all_changed(struct follow *f)
{
	for (size_t i = 0; i < f->nruns; i++)
		f->runs[i]->scan = true;
	for (size_t i = 0; i < f->nstreams; i++)
		f->streams[i]->dirty = true;
}

static void file_changed(struct follow *f, const struct inotify_event *e)
{
	struct str name = str_of(e->len ? e->name : "");
	size_t suffix = str_ends(name, STR(".log")) ? 4 : str_ends(name, STR(".times")) ? 6 : 0;

	if (e->mask & IN_Q_OVERFLOW)
		all_changed(f);
	for (size_t i = 0; i < f->nruns && suffix; i++) {
		if (f->runs[i]->watch != e->wd)
			continue;
		struct stream *s = map_get(&f->runs[i]->streams, (struct str){ name.p, name.n - suffix });
		if (s)
			s->dirty = true;
		else if ((e->mask & IN_CREATE) && suffix == 4)
			add_stream(f, f->runs[i], (struct str){ name.p, name.n - suffix });
	}
}

static void read_events(struct follow *f)
{
	_Alignas(struct inotify_event) char events[16384];

	for (ssize_t n; (n = read(f->inotify, events, sizeof events)) > 0;)
		for (char *p = events; p < events + n; p += sizeof(struct inotify_event) +
			((struct inotify_event *)(void *)p)->len)
			file_changed(f, (struct inotify_event *)(void *)p);
}

void follow_read(struct follow *f)
{
	if (f->inotify >= 0)
		read_events(f);
	else
		all_changed(f);
	for (size_t i = 0; i < f->nruns; i++)
		if (f->runs[i]->scan)
			scan(f, f->runs[i]);
	int64_t now = clock_steady();
	for (size_t i = 0; i < f->nstreams; i++) {
		struct stream *s = f->streams[i];
		if (s == f->taken)
			continue;
		if (s->dirty)
			fill(f, s, false);
		if (stream_pause(s, now))
			heap_push(f, s);
	}
}

/* The time at which the first unfinished line must be shown. */
static int64_t follow_due(const struct follow *f)
{
	int64_t first = INT64_MAX;

	for (size_t i = 0; i < f->nstreams; i++) {
		int64_t due = f->streams[i] == f->taken ? INT64_MAX : stream_due(f->streams[i]);
		first = due < first ? due : first;
	}
	return first;
}

bool follow_next(struct follow *f, bool over, struct log_line *ret)
{
	if (f->taken) {
		f->taken->has_head = false;
		fill(f, f->taken, false);
		f->taken = NULL;
	}
	if (!f->nheap && over) {
		all_changed(f);
		for (size_t i = 0; i < f->nruns; i++)
			scan(f, f->runs[i]);
		for (size_t i = 0; i < f->nstreams; i++)
			fill(f, f->streams[i], true);
	}
	if (!f->nheap)
		return false;
	f->taken = heap_pop(f);
	*ret = f->taken->head;
	return true;
}

/* ---- functions for the caller ---- */

struct follow *follow_new(struct arena *a)
{
	struct follow *f = ARENA_NEW(a, struct follow);

	f->arena = a;
	f->inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	return f;
}

static void no_inotify(struct follow *f)
{
	if (f->inotify >= 0)
		close(f->inotify);
	f->inotify = -1;
}

bool follow_add(struct follow *f, const struct follow_run *run)
{
	struct followed *r = ARENA_NEW(f->arena, struct followed);
	struct str path = str_cat(f->arena, run->dir, STR("/logs"), STR(""));

	*r = (struct followed){ .run = *run, .number = (unsigned)f->nruns, .name = str_copy(f->arena, run->state->name),
		.scan = true, .watch = -1 };
	r->logs = open(path.p, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (r->logs < 0)
		return false;
	r->nroles = run->state->nroles;
	r->roles = ARENA_ARRAY(f->arena, struct run_role, r->nroles);
	for (size_t k = 0; k < r->nroles; k++)
		r->roles[k].name = str_copy(f->arena, run->state->roles[k].name);
	if (f->inotify >= 0) {
		r->watch = inotify_add_watch(f->inotify, path.p, IN_MODIFY | IN_CREATE);
		if (r->watch < 0)
			no_inotify(f);          /* this machine has too many inotify watches, so the files must be
						 * polled */
	}
	ARENA_PUSH(f->arena, f->runs, f->nruns, r);
	return true;
}

int follow_fd(const struct follow *f) { return f->inotify; }

void follow_release(struct follow *f)
{
	no_inotify(f);
	for (size_t i = 0; i < f->nruns; i++)
		close(f->runs[i]->logs);
	for (size_t i = 0; i < f->nstreams; i++)
		stream_release(f->streams[i]);
	free(f->heap);
}

/* ---- follow.c as a log_source ---- */

static void source_read(struct log_source *s) { follow_read((struct follow *)s); }
static bool source_next(struct log_source *s, bool over, struct log_line *ret)
{
	return follow_next((struct follow *)s, over, ret);
}
static int source_fd(const struct log_source *s) { return follow_fd((const struct follow *)s); }
static void source_reconsider(struct log_source *s) { follow_reconsider((struct follow *)s); }
static void source_release(struct log_source *s) { follow_release((struct follow *)s); }
static int64_t source_due(const struct log_source *s) { return follow_due((const struct follow *)s); }
/* Returns true: the files contain everything that was printed. */
static bool source_done(const struct log_source *s) { return s != NULL; }

struct log_source *follow_source(struct follow *f)
{
	static const struct log_source_ops ops = { source_read, source_next, source_fd, source_reconsider,
		source_release, source_done,
		source_due };

	f->source.ops = &ops;
	return &f->source;
}
