/*
 * local_sync.c - `sync` for runs on this machine. The command itself replaces the files in the copies of the replicas;
 * the keeper then starts their programs again. RUN/code has the archives: that of the program, and those of syncs. The
 * lock on this directory excludes other syncs, and the file `begun` in it names the replicas that an interrupted sync
 * has begun to change.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/path.h"
#include "base/words.h"
#include "plan/code.h"
#include "runtime/command/local.h"
#include "runtime/command/runs.h"
#include "runtime/command/sync.h"
#include "runtime/local/code_begun.h"
#include "runtime/local/code_swap.h"
#include "runtime/local/control.h"
#include "runtime/local/watch.h"

#define START_LIMIT (60 * NS_PER_SECOND)

struct local_part {
	const struct plan_role *role;   /* of the new program */
	const struct run_role *run;
	int64_t index, attempts;        /* the number of its attempts before */
	const struct code_files *old, *new;     /* NULL: it had the code */
	struct code_swap swap;
	bool same, done;                /* it had the code; the keeper knows that it has it now */
	struct str why;                 /* why it failed; empty: it did not */
};

struct local_syncing {
	struct session *session;
	struct run_watch *watch;
	struct code_sync *what;
	struct code_begun begun;        /* what this sync and interrupted ones have begun */
	struct local_part *at;
	size_t n;
};

/* ---- which replicas ---- */

static const struct run_code *code_of_role(const struct run_state *s, struct str role)
{
	for (size_t i = 0; i < s->ncode; i++)
		if (str_eq(s->code[i].role, role))
			return &s->code[i];
	return NULL;
}

static bool is_refused(struct local_syncing *c, const struct plan_role *r, const struct run_role *run)
{
	const struct run_code *code = code_of_role(&c->watch->state, r->name);

	if (run && code && str_eq(code->id, CODE_LIVE)) {
		session_say(c->session, "role '%.*s' sees the directory itself (--code=live): there is nothing to "
			"replace; 'trainc restart --local %.*s %.*s/0' starts a program again", STR_ARG(r->name),
			STR_ARG(c->watch->name), STR_ARG(r->name));
		return true;
	}
	if (run && code && r->code && r->code->sync)
		return false;
	session_say(c->session, "role '%.*s' of %s needs code { sync = true }", STR_ARG(r->name),
		run && code ? "the program" : "the run");
	return true;
}

/* Adds the replicas of a role that run. One that is about to start would have other code than its peers. */
static bool add_local_role(struct local_syncing *c, const struct plan_role *r)
{
	struct str rest = r->name;
	const struct run_role *run = run_find_role(&c->watch->state, rest);

	if (is_refused(c, r, run))
		return false;
	for (int64_t i = 0; i < run->desired; i++) {
		const struct run_replica *x = &run->at[i];
		struct local_part p = { .role = r, .run = run, .index = i, .attempts = x->attempts };
		if (x->state == REPLICA_WAITING && !run->elastic) {
			session_say(c->session, "%.*s/%lld has not started yet; nothing was changed", STR_ARG(r->name),
				(long long)i);
			return false;
		}
		p.same = x->code.n && str_starts(r->code->id, x->code);
		if (replica_runs(x->state))
			ARENA_PUSH(c->session->arena, c->at, c->n, p);
	}
	return true;
}

static bool choose_parts(struct local_syncing *c)
{
	const struct code_sync *w = c->what;

	for (size_t i = 0; i < w->job->nroles; i++) {
		const struct plan_role *r = &w->job->roles[i];
		bool meant = w->only.n ? str_eq(w->only, r->name) : r->code && r->code->sync;
		if (meant && r->max && !add_local_role(c, r))
			return false;
	}
	if (!c->n)
		session_say(c->session, "no replica of run '%.*s' runs now%s%.*s", STR_ARG(c->watch->name),
			c->watch->state.cause.n ? ": " : "", STR_ARG(c->watch->state.cause));
	return c->n > 0;
}

/* ---- archives ---- */

static struct str archives_of(struct local_syncing *c)
{
	return str_cat(c->session->arena, local_watch_dir(c->watch), STR("/code"), STR(""));
}

static struct str archive_path(struct local_syncing *c, struct str id)
{
	return str_printf(c->session->arena, "%.*s/%.*s", STR_ARG(archives_of(c)), CODE_SHORT, id.p);
}

/* The files of the archive with an id; each archive is read once. */
static const struct code_files *files_of(struct local_syncing *c, struct map *known, struct str id, struct str packed)
{
	struct code_files *f = map_get(known, id);
	struct str why;

	if (f)
		return f;
	f = ARENA_NEW(c->session->arena, struct code_files);
	*f = (struct code_files){ 0 };
	if (packed.n || (id.n && file_read_most(c->session->arena, archive_path(c, id), (size_t)1 << 29, &packed,
		&why)))
		code_files_read(c->session->arena, packed, f);
	map_put(known, c->session->arena, id, f);
	return f;
}

/* The files that the copy of a replica may have: of its code, and of what interrupted syncs have put there. */
static const struct code_files *old_files_of(struct local_syncing *c, struct map *known, const struct local_part *p)
{
	const struct code_files *own = files_of(c, known, p->run->at[p->index].code, STR(""));

	if (!code_begun_has(&c->begun, p->role->name, p->index))
		return own;
	struct code_files *all = ARENA_NEW(c->session->arena, struct code_files);
	*all = (struct code_files){ 0 };
	code_files_join(c->session->arena, all, own);
	for (size_t i = 0; i < c->begun.n; i++)
		if (c->begun.at[i].index == p->index && str_eq(c->begun.at[i].role, p->role->name))
			code_files_join(c->session->arena, all, files_of(c, known, c->begun.at[i].id, STR("")));
	return all;
}

static bool keep_archive(struct local_syncing *c, const struct plan_code *code, struct str *why)
{
	struct str path = archive_path(c, code->id);

	return access(path.p, F_OK) == 0 || file_create(c->session->arena, path, code->packed, why);
}

/* Locks the archives of the run; -1 after a report. */
static int lock_archives(struct local_syncing *c)
{
	int fd = open(archives_of(c).p, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
		return fd;
	session_say(c->session, "%s", fd >= 0 ? "another sync of the run is under way" :
		"the run was started by an earlier version of trainc; start it again");
	if (fd >= 0)
		close(fd);
	return -1;
}

/* ---- steps ---- */

/* Notes which replicas will be changed, before any of their files is. */
static bool note_begun(struct local_syncing *c)
{
	struct str why;

	for (size_t i = 0; i < c->n; i++) {
		const struct local_part *p = &c->at[i];
		if (p->same)
			continue;
		code_begun_add(c->session->arena, &c->begun, p->role->name, p->index, p->run->at[p->index].code);
		code_begun_add(c->session->arena, &c->begun, p->role->name, p->index, p->role->code->id);
	}
	if (code_begun_write(c->session->arena, archives_of(c), &c->begun, &why))
		return true;
	session_say(c->session, "%.*s", STR_ARG(why));
	return false;
}

static void add_named(struct local_syncing *c, struct map *named, struct str id)
{
	if (id.n >= CODE_SHORT)
		map_put(named, c->session->arena, (struct str){ id.p, CODE_SHORT }, c);
}

/*
 * Removes the archives that neither this program, nor a role, nor a replica, nor a note of an interrupted sync names.
 * The state is that of before this sync, so the code of before stays until the next one.
 */
static void remove_archives(struct local_syncing *c)
{
	const struct run_state *s = &c->watch->state;
	DIR *d = directory_open(archives_of(c).p);
	struct map named = { 0 };

	for (size_t i = 0; i < c->n; i++)
		add_named(c, &named, c->at[i].role->code->id);
	for (size_t i = 0; i < s->ncode; i++)
		add_named(c, &named, s->code[i].id);
	for (size_t k = 0; k < s->nroles; k++)
		for (int64_t i = 0; i < s->roles[k].max; i++)
			add_named(c, &named, s->roles[k].at[i].code);
	for (size_t i = 0; i < c->begun.n; i++)
		add_named(c, &named, c->begun.at[i].id);
	for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
		struct str name = str_of(e->d_name);
		if (str_is_hex(name, CODE_SHORT) && !map_get(&named, name))
			unlinkat(dirfd(d), e->d_name, 0);
	}
	if (d)
		closedir(d);
}

/* Removes the notes about the replicas whose code the keeper knows, and the archives that nothing needs any more. */
static void note_done(struct local_syncing *c)
{
	struct str ignored;             /* then the next sync replaces the files once more */

	for (size_t i = 0; i < c->n; i++)
		if (c->at[i].done)
			code_begun_done(&c->begun, c->at[i].role->name, c->at[i].index);
	if (code_begun_write(c->session->arena, archives_of(c), &c->begun, &ignored))
		remove_archives(c);
}

static bool prepare_all(struct local_syncing *c)
{
	struct map known = { 0 };
	bool good = true;

	for (size_t i = 0; i < c->n && good; i++) {
		struct local_part *p = &c->at[i];
		p->swap = (struct code_swap){ .arena = c->session->arena, .packed = p->role->code->packed,
			.id = p->role->code->id, .copy = -1, .stage = -1,
			.dir = str_printf(c->session->arena, "%.*s/scratch/%.*s-%lld/code",
				STR_ARG(local_watch_dir(c->watch)), STR_ARG(p->role->name), (long long)p->index) };
		if (p->same)
			continue;
		p->swap.old = p->old = old_files_of(c, &known, p);
		p->swap.new = p->new = files_of(c, &known, p->role->code->id, p->role->code->packed);
		good = keep_archive(c, p->role->code, &p->why) && code_swap_prepare(&p->swap, &p->why);
	}
	return good && note_begun(c);
}

static bool restarts(const struct local_syncing *c, const struct local_part *p)
{
	return c->what->restart == SYNC_ALWAYS || (c->what->restart == SYNC_CHANGED && !p->same);
}

/* Reports the new code of a replica to the keeper. */
static bool tell_keeper(struct local_syncing *c, struct local_part *p)
{
	const struct plan_code *code = p->role->code;
	int fd = control_connect(c->session->arena, local_watch_dir(c->watch), &p->why);
	struct str line = str_printf(c->session->arena, "sync %.*s %lld %.*s %lld %lld%s", STR_ARG(p->role->name),
		(long long)p->index, STR_ARG(code->id), (long long)code->files, (long long)code->bytes,
		restarts(c, p) ? "" : " keep");
	bool ok = fd >= 0 && control_ask(c->session->arena, fd, line, &p->why) == CONTROL_OK;

	if (fd >= 0)
		close(fd);
	return ok;
}

static bool carry_out_all(struct local_syncing *c)
{
	bool good = true;

	for (size_t i = 0; i < c->n; i++) {
		struct local_part *p = &c->at[i];
		if (!p->same && !code_swap_carry_out(&p->swap, &p->why))
			good = false;
	}
	for (size_t i = 0; i < c->n; i++) {
		struct local_part *p = &c->at[i];
		if (p->why.n || (p->same && !restarts(c, p)))
			continue;
		p->done = tell_keeper(c, p);
		good = good && p->done;
	}
	note_done(c);
	return good;
}

/* Have all programs that were told to start again begun? One that has ended since has begun, too. */
static bool all_started(const struct local_syncing *c)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct local_part *p = &c->at[i];
		const struct run_role *run = run_find_role(&c->watch->state, p->role->name);
		const struct run_replica *x = run && p->index < run->max ? &run->at[p->index] : NULL;
		bool ended = x && (x->state == REPLICA_SUCCEEDED || x->state == REPLICA_FAILED);
		if (p->done && restarts(c, p) && x && !ended && !(x->attempts > p->attempts && replica_runs(x->state)))
			return false;
	}
	return true;
}

static bool wait_for_programs(struct local_syncing *c)
{
	int64_t until = clock_steady() + START_LIMIT;

	run_watch_update(c->watch);
	while (!all_started(c) && !run_watch_over(c->watch) && clock_steady() < until) {
		struct pollfd p = { .fd = run_watch_fd(c->watch), .events = POLLIN };
		poll(&p, 1, 100);
		run_watch_update(c->watch);
	}
	return all_started(c);
}

/* ---- results ---- */

static struct sync_role *result_of(struct local_syncing *c, const struct local_part *p)
{
	struct code_sync *w = c->what;

	for (size_t i = 0; i < w->nroles; i++)
		if (str_eq(w->roles[i].name, p->role->name))
			return &w->roles[i];
	struct sync_role new = { .name = p->role->name, .to = p->role->code->id, .unchanged = true };
	ARENA_PUSH(c->session->arena, w->roles, w->nroles, new);
	return &w->roles[w->nroles - 1];
}

static void note_all(struct local_syncing *c, bool told)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct local_part *p = &c->at[i];
		const struct run_code *before = code_of_role(&c->watch->state, p->role->name);
		struct sync_role *r = result_of(c, p);
		bool synced = p->done, same = p->same && !restarts(c, p);
		struct sync_result x = { p->role->name, p->index, p->why.n ? "failed" : synced ? "synced" :
			same ? "unchanged" : told ? "failed" : "left" };
		ARENA_PUSH(c->session->arena, c->what->at, c->what->n, x);
		int64_t changed = p->new ? code_files_changed(p->old, p->new) : 0;
		r->n++;
		r->running += synced || same;
		r->unchanged = r->unchanged && same;
		r->restarted = r->restarted || (synced && restarts(c, p));
		r->changed = changed > r->changed ? changed : r->changed;
		if (!r->from.n && before && !p->same && !str_eq(before->id, r->to))
			r->from = str_copy(c->session->arena, before->id);      /* the next state takes its place */
	}
}

static void say_failures(struct local_syncing *c, bool told)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->at[i].why.n)
			session_say(c->session, "%.*s/%lld: %.*s", STR_ARG(c->at[i].role->name),
				(long long)c->at[i].index, STR_ARG(c->at[i].why));
	if (!told) {
		session_say(c->session, "nothing was changed in any replica");
		return;
	}
	run_watch_update(c->watch);
	session_say(c->session, "replicas may have different code now%s", run_watch_over(c->watch) ? "" :
		"; when the cause is gone, the same command completes what was begun");
}

/* Reads what interrupted syncs have begun: the keeper does not know what code these replicas have. */
static bool read_begun(struct local_syncing *c)
{
	struct str why;

	if (!code_begun_read(c->session->arena, archives_of(c), &c->begun, &why)) {
		session_say(c->session, "%.*s", STR_ARG(why));
		return false;
	}
	for (size_t i = 0; i < c->n; i++)
		if (code_begun_has(&c->begun, c->at[i].role->name, c->at[i].index))
			c->at[i].same = false;
	return true;
}

/* Chooses the replicas by the newest state: another sync may have ended while this command compiled the program. */
static bool choose_again(struct local_syncing *c)
{
	enum { MOST = 100 };            /* states that wait; each is newer */

	for (int i = 0; i < MOST && run_watch_update(c->watch); i++)
		;
	c->at = NULL;
	c->n = 0;
	return choose_parts(c);
}

static int sync_parts(struct local_syncing *c)
{
	if (!choose_again(c))
		return STATUS_CONFLICT;
	if (!read_begun(c))
		return STATUS_FAILED;
	bool ready = prepare_all(c), good = ready && carry_out_all(c);
	for (size_t i = 0; i < c->n; i++)
		if (c->at[i].swap.dir.n)
			code_swap_end(&c->at[i].swap);
	note_all(c, ready);
	if (!good)
		say_failures(c, ready);
	else if (wait_for_programs(c))
		return STATUS_DONE;
	else
		session_say(c->session, "not all programs have started again; 'trainc status --local %.*s' shows them",
			STR_ARG(c->watch->name));
	return STATUS_FAILED;
}

int local_sync(struct session *s, struct run_watch *w, struct code_sync *what)
{
	struct local_syncing c = { .session = s, .watch = w, .what = what };

	if (run_phase_final(w->state.phase)) {
		session_say(s, "run '%.*s' has ended: %s", STR_ARG(w->name), run_phase_word(w->state.phase));
		return STATUS_CONFLICT;
	}
	if (!choose_parts(&c))
		return STATUS_CONFLICT;
	int lock = lock_archives(&c);
	if (lock < 0)
		return STATUS_FAILED;
	int status = sync_parts(&c);
	close(lock);
	return status;
}
