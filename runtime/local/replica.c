/*
 * replica.c - the processes of one replica: its containers, which start one after the other, as in a pod. Init
 * containers run one by one; then each sidecar is started, and the main container when the sidecars run. When the main
 * container ends, the replica ends: sidecars are asked to stop, and the rest of a process group is killed while its
 * number is still held by the process that has just ended.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/file.h"
#include "plan/code.h"
#include "runtime/local/engine_internal.h"
#include "runtime/local/mark.h"

enum { DRAIN = 32, TAIL_LINES = 10, TAIL_BYTES = 4096 };

static const struct plan_role *plan_of(const struct engine *e, const struct replica *r)
{
	return &e->job->roles[r->role];
}
static struct container *main_container(struct replica *r) { return &r->containers[r->ncontainers - 1]; }

static enum container_part part_of(const struct engine *e, const struct container *c)
{
	return launch_part(plan_of(e, c->replica), c->k);
}

void replica_init(struct engine *e, struct replica *r, unsigned role, int64_t index)
{
	size_t n = launch_containers(&e->job->roles[role]);

	*r = (struct replica){ .role = role, .index = index, .ncontainers = n };
	r->containers = ARENA_ARRAY(e->arena, struct container, n);
	for (size_t k = 0; k < n; k++) {
		struct container *c = &r->containers[k];
		*c = (struct container){ .replica = r, .k = k, .output = -1, .report = -1,
			.log = { .log = -1, .times = -1 } };
		c->output_watch = (struct watch){ WATCH_OUTPUT, c };
		c->report_watch = (struct watch){ WATCH_REPORT, c };
	}
}

/* ---- the table of processes ---- */

static struct container **slot(const struct engine *e, pid_t pid)
{
	return &e->table[(size_t)pid & (e->table_size - 1)];
}

struct container *container_of(const struct engine *e, pid_t pid)
{
	struct container *c = *slot(e, pid);

	while (c && c->pid != pid)
		c = c->same_slot;
	return c;
}

static void set_process(struct engine *e, struct container *c, pid_t pid)
{
	struct container **at;

	if (c->pid) {
		for (at = slot(e, c->pid); *at != c; at = &(*at)->same_slot)
			;
		*at = c->same_slot;
	}
	c->pid = pid;
	if (!pid)
		return;
	at = slot(e, pid);
	c->same_slot = *at;
	*at = c;
}

/* ---- output ---- */

static void count_lost(struct engine *e, uint64_t n)
{
	e->state->lost_bytes += n;
	e->changed = e->changed || n;
}

static void count_removed(struct engine *e, uint64_t n)
{
	e->state->removed_bytes += (int64_t)n;
	e->changed = e->changed || n;
}

static void append(struct engine *e, struct container *c, size_t n)
{
	uint64_t lost = c->log.lost, removed = c->log.removed;

	log_append(&c->log, e->chunk, n, e->now);
	count_lost(e, c->log.lost - lost);
	count_removed(e, c->log.removed - removed);
}

/*
 * Writes the last output of a container whose program has ended. If the disk is full, the log gets some of the space
 * that is reserved for the verdict.
 */
static void append_last(struct engine *e, struct container *c)
{
	enum { BLOCK = 4096, GIVEN = 96 << 10, FILES = 2 };
	size_t share = GIVEN / (e->nreplicas ? e->nreplicas : 1) & ~(size_t)(BLOCK - 1);
	uint64_t lost = c->log.lost;

	if (!c->log.kept.n)
		return;
	share = share < BLOCK ? BLOCK : share;
	tell_give(e, (off_t)(share + FILES * BLOCK));
	log_last_try(&c->log, share, e->now);
	count_lost(e, c->log.lost - lost);
}

/* Reads one chunk; false at the end, or when nothing is available at the moment. */
static bool read_chunk(struct engine *e, struct container *c)
{
	ssize_t n = read(c->output, e->chunk, CHUNK);

	if (n > 0) {
		append(e, c, (size_t)n);
		return true;
	}
	if (n == 0 || (errno != EAGAIN && errno != EINTR))
		engine_unwatch(e, &c->output);
	return false;
}

void replica_output(struct engine *e, struct container *c)
{
	if (c->output >= 0)
		/*
		 * one chunk of each replica at a time, so that a replica that prints a lot does not starve the others
		 */
		read_chunk(e, c);
}

/*
 * Reads the output that a program printed before it ended. A process that still holds the pipe open cannot block this
 * function.
 */
static void drain(struct engine *e, struct container *c)
{
	for (int i = 0; i < DRAIN && c->output >= 0 && read_chunk(e, c); i++)
		;
	engine_unwatch(e, &c->output);
}

/* ---- stopping ---- */

/* Signals the whole process group, or only the process if the child has not made its group yet. */
static void signal_container(const struct container *c, int signal)
{
	if (c->pid && kill(-c->pid, signal) < 0 && errno == ESRCH)
		kill(c->pid, signal);
}

static void finish_replica(struct engine *e, struct replica *r)
{
	r->phase = PHASE_GONE;
	r->patience = 0;
	e->gone++;
}

static bool runs_any(const struct replica *r)
{
	for (size_t k = 0; k < r->ncontainers; k++)
		if (r->containers[k].pid)
			return true;
	return false;
}

/* Handles the end of a replica that still has running processes: asks the processes to stop. */
static void stop_rest(struct engine *e, struct replica *r)
{
	const struct plan_role *plan = plan_of(e, r);
	int64_t grace = plan->grace.set ? (int64_t)plan->grace.value.nano : LIFE_GRACE_SECONDS * SECOND;

	if (r->phase == PHASE_STOPPING)
		return;
	r->phase = PHASE_STOPPING;
	for (size_t k = 0; k < r->ncontainers; k++) {
		r->containers[k].again = 0;
		probe_stop(e, &r->containers[k]);
	}
	if (!runs_any(r)) {
		finish_replica(e, r);
		return;
	}
	r->patience = e->now + grace;
	for (size_t k = 0; k < r->ncontainers; k++)
		signal_container(&r->containers[k], SIGTERM);
}

static void refuse_replica(struct engine *e, struct replica *r, struct str why)
{
	if (!r->refused.n && !r->asked)
		r->refused = str_copy(e->arena, why);
	stop_rest(e, r);
	if (r->phase == PHASE_STOPPING)
		replica_kill(e, r);
}

/* ---- starting ---- */

static bool open_log(struct engine *e, struct container *c, struct arena *a, struct str *why)
{
	const struct plan_role *role = plan_of(e, c->replica);
	const struct plan_container *plan = launch_container(role, c->k);

	if (c->logs)
		return true;
	struct str name = log_name(a, role->name, c->replica->index, plan->name, plan == &role->main);
	c->logs = log_create(&c->log, e->logs, name.p, e->options->log_limit);
	if (!c->logs)
		*why = str_printf(a, "cannot write its log: %.*s", STR_ARG(file_reason(a, errno)));
	return c->logs;
}

static bool spawn(struct engine *e, struct container *c, const struct launched *what)
{
	int ends[2];
	struct spawned child;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return false;
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	struct spawn s = { .candidates = what->candidates, .argv = what->argv, .envp = what->envp, .cwd = what->cwd,
		.isolation = e->iso,
		.replica = places_number(e->places, c->replica->role, c->replica->index), .box = &what->box,
			.files = e->files,
		.low = &e->low, .output = ends[1] };

	s.mark = mark_of_replica(e->mark, s.replica);
	s.cpus = processors_of(e->processors, c->replica->role, c->replica->index);
	bool ok = spawn_start(&s, &child);
	int error = errno;
	close(ends[1]);
	if (!ok) {
		close(ends[0]);
		errno = error;
		return false;
	}
	c->output = ends[0];
	c->report = child.report;
	c->begin = e->now;
	set_process(e, c, child.pid);
	return engine_watch(e, c->output, &c->output_watch) && engine_watch(e, c->report, &c->report_watch);
}

static bool start_container(struct engine *e, struct container *c, struct arena *a, struct str *why)
{
	struct replica *r = c->replica;
	struct launched what;

	if (!open_log(e, c, a, why) || !launch_make(e->launch, a, r->role, r->index, c->k,
		engine_run_replica(e, r)->attempts, &what, why))
		return false;
	if (!c->command.n)
		c->command = str_copy(e->arena, what.command);
	c->attempt_at = c->log.offset;
	if (!spawn(e, c, &what)) {
		*why = str_printf(a, "cannot start a process: %.*s", STR_ARG(file_reason(a, errno)));
		return false;
	}
	return true;
}

static void start_next(struct engine *e, struct replica *r)
{
	struct arena a = { 0 };
	struct container *c = &r->containers[r->next];
	struct str why;

	if (!start_container(e, c, &a, &why)) {
		refuse_replica(e, r, why);
	} else if (c == main_container(r)) {
		struct run_replica *run = engine_run_replica(e, r);
		run->pid = c->pid;
		process_identify(c->pid, &run->process);
		life_started(e->life, r->role, r->index);
	}
	arena_release(&a);
}

/* Removes the last words of this attempt before the next one starts. */
static void forget_words(struct engine *e, const struct replica *r)
{
	struct arena a = { 0 };
	struct str path = launch_last_words(e->launch, &a, r->role, r->index);

	if (path.p)
		unlink(path.p);
	arena_release(&a);
}

/* The id of the code that a new copy gets: that of its role now, which sync may have replaced; empty: it has none. */
static struct str code_of(const struct engine *e, const struct replica *r)
{
	const struct plan_role *plan = plan_of(e, r);

	if (!plan->code)
		return STR("");
	if (plan->code->live.n)
		return CODE_LIVE;
	for (size_t i = 0; i < e->state->ncode; i++)
		if (str_eq(e->state->code[i].role, plan->name) && e->state->code[i].id.n == CODE_ID)
			return e->state->code[i].id;
	return plan->code->id;
}

void replica_start(struct engine *e, struct replica *r, bool fresh)
{
	struct str why;

	r->phase = PHASE_STARTING;
	r->refused = STR("");
	r->killed = r->asked = false;
	forget_words(e, r);
	r->next = fresh ? 0 : launch_inits(plan_of(e, r));
	for (size_t k = 0; k < r->ncontainers; k++)
		r->containers[k].series = 0;
	struct str code = fresh ? code_of(e, r) : STR("");
	if (code.n)
		engine_run_replica(e, r)->code = (struct str){ code.p, code.n < CODE_SHORT ? code.n : CODE_SHORT };
	if (fresh && !launch_prepare(e->launch, r->role, r->index, code, &why))
		refuse_replica(e, r, why);
	else
		start_next(e, r);
}

void replica_container_ready(struct engine *e, struct container *c)
{
	struct replica *r = c->replica;

	if (r->phase != PHASE_STARTING || c->k != r->next)
		return;
	if (c == main_container(r)) {
		r->phase = PHASE_RUNS;
		life_ready(e->life, r->role, r->index);
	} else if (part_of(e, c) == CONTAINER_SIDECAR) {
		r->next++;
		start_next(e, r);
	}
}

void replica_report(struct engine *e, struct container *c)
{
	struct replica *r = c->replica;
	struct arena a = { 0 };
	struct str why;

	if (c->report < 0)
		return;
	epoll_ctl(e->epoll, EPOLL_CTL_DEL, c->report, NULL);
	struct spawned child = { c->pid, c->report };
	c->report = -1;
	if (!spawn_report(&a, &child, c->command, &why))
		refuse_replica(e, r, why);
	else if (r->phase == PHASE_STARTING && c->k == r->next && launch_container(plan_of(e, r), c->k)->ready)
		probe_begin(e, c);
	else
		replica_container_ready(e, c);
	arena_release(&a);
}

/* ---- the end ---- */

void replica_kill(struct engine *e, struct replica *r)
{
	for (size_t k = 0; k < r->ncontainers; k++)
		signal_container(&r->containers[k], SIGKILL);
	r->killed = true;
	if (r->phase == PHASE_STOPPING)
		r->patience = e->now + LIFE_REAP_SECONDS * SECOND;
}

/* Sends TERM to the container whose end is the end of the replica. The sidecars are stopped after it, as in a pod. */
void replica_stop(struct engine *e, struct replica *r)
{
	r->asked = true;
	if (main_container(r)->pid) {
		signal_container(main_container(r), SIGTERM);
		return;
	}
	r->end = (struct life_end){ .time = e->now, .exit_code = 128 + SIGTERM, .signal = SIGTERM };
	if (r->phase != PHASE_IDLE && r->phase != PHASE_GONE)
		stop_rest(e, r);
}

static void close_pipes(struct engine *e, struct container *c)
{
	drain(e, c);
	engine_unwatch(e, &c->report);
}

void replica_abandon(struct engine *e, struct replica *r)
{
	for (size_t k = 0; k < r->ncontainers; k++) {
		close_pipes(e, &r->containers[k]);
		probe_stop(e, &r->containers[k]);
		set_process(e, &r->containers[k], 0);
	}
	r->phase = PHASE_IDLE;
	r->patience = 0;
}

/* The wait before a sidecar starts again: short at first, later as long as the wait between attempts of a replica. */
static int64_t sidecar_delay(const struct engine *e, struct container *c)
{
	int64_t first = e->options->backoff ? e->options->backoff : ATTEMPT_DELAY_SECONDS * SECOND;

	if (e->now - c->begin >= ATTEMPT_SETTLED_SECONDS * SECOND)
		c->series = 0;
	if (c->series++ == 0)
		return first < SECOND ? first : SECOND;
	return attempt_delay(first, c->series - 1);
}

static void ended_in_time(struct engine *e, struct container *c, const struct life_end *end)
{
	struct replica *r = c->replica;

	switch (part_of(e, c)) {
	case CONTAINER_INIT:
		if (end->exit_code == 0) {
			r->next++;
			start_next(e, r);
			return;
		}
		r->end = *end;
		r->end.init = true;
		break;
	case CONTAINER_SIDECAR:
		if (!r->asked)
			c->again = e->now + sidecar_delay(e, c);
		return;
	case CONTAINER_MAIN: r->end = *end; break;
	}
	stop_rest(e, r);
}

/* Reads the records that a replica has written about its failure so far. */
static void hear(struct engine *e, const struct replica *r)
{
	struct arena a = { 0 };
	struct str path = launch_last_words(e->launch, &a, r->role, r->index);
	int fd = path.p ? open(path.p, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) : -1;
	char text[LAST_WORDS_MOST];
	struct last_words words = { 0 };

	ssize_t n = fd >= 0 ? read(fd, text, sizeof text) : 0;
	if (n > 0 && last_words_read(&a, (struct str){ text, (size_t)n }, e->now, &words))
		life_told(e->life, r->role, r->index, &words);
	if (fd >= 0)
		close(fd);
	arena_release(&a);
}

/*
 * Reads the last words of all replicas after one has failed: the first replica to fail may still run, such as a
 * launcher that waits for its processes.
 */
static void hear_all(struct engine *e)
{
	if (e->heard == e->now)
		return;
	e->heard = e->now;
	for (unsigned k = 0; k < e->job->nroles; k++) {
		struct arena a = { 0 };
		bool tells = launch_last_words(e->launch, &a, k, 0).p;
		arena_release(&a);
		for (int64_t i = 0; tells && i < e->job->roles[k].max; i++) {
			const struct replica *r = engine_replica(e, k, i);
			if (r->phase != PHASE_IDLE && r->phase != PHASE_GONE)
				hear(e, r);
		}
	}
}

void replica_ended(struct engine *e, struct container *c, int exit_code, int signal)
{
	struct replica *r = c->replica;
	struct life_end end = { .time = e->now, .exit_code = exit_code, .signal = signal, .unready = c->unready };

	signal_container(c, SIGKILL);           /* kills the rest of the container's process group */
	probe_stop(e, c);
	c->unready = 0;
	if (c->report >= 0)
		replica_report(e, c);           /* the program of the container could not be executed */
	close_pipes(e, c);
	set_process(e, c, 0);
	append_last(e, c);
	if (exit_code && !r->asked)
		hear_all(e);
	if (c->logs)
		log_attempt_ended(&c->log, exit_code, r->asked || r->killed || r->phase == PHASE_STOPPING, e->now);
	if (r->phase == PHASE_STOPPING) {
		if (!runs_any(r))
			finish_replica(e, r);
	} else if (r->phase != PHASE_IDLE && r->phase != PHASE_GONE) {
		ended_in_time(e, c, &end);
	}
}

int64_t replica_tick(struct engine *e, struct replica *r)
{
	int64_t next = LIFE_NEVER;

	for (size_t k = 0; k < r->ncontainers; k++) {
		struct container *c = &r->containers[k];
		struct arena a = { 0 };
		struct str why;
		if (c->again && c->again <= e->now) {
			c->again = 0;
			if (!start_container(e, c, &a, &why))
				refuse_replica(e, r, why);
		}
		if (c->again && c->again < next)
			next = c->again;
		int64_t asked = probe_tick(e, c);
		next = asked < next ? asked : next;
		arena_release(&a);
	}
	if (r->phase != PHASE_STOPPING || !r->patience)
		return next;
	if (e->now >= r->patience && r->killed) {
		replica_abandon(e, r);          /* the process is stuck in the kernel: the attempt counts as ended all
						 * the same */
		finish_replica(e, r);
	} else if (e->now >= r->patience) {
		replica_kill(e, r);
	}
	return r->patience && r->patience < next ? r->patience : next;
}

void replica_release(struct engine *e, struct replica *r)
{
	for (size_t k = 0; k < r->ncontainers; k++) {
		close_pipes(e, &r->containers[k]);
		log_close(&r->containers[k].log);
	}
}

/* ---- the last output ---- */

void replica_tail(struct engine *e, const struct replica *r, struct str **lines, size_t *n)
{
	const struct container *c = &r->containers[r->ncontainers - 1];
	bool whole = c->log.offset - c->attempt_at <= TAIL_BYTES;       /* the whole log of this attempt is short
									 * enough; output of earlier attempts must not
									 * be shown */
	uint64_t from = whole ? c->attempt_at : c->log.offset - TAIL_BYTES;
	char *text = ARENA_ARRAY(e->arena, char, TAIL_BYTES);
	size_t end = c->logs ? log_last(&c->log, from, text, TAIL_BYTES) : 0;

	*n = 0;
	*lines = NULL;
	if (!end)
		return;
	size_t starts[TAIL_LINES + 1], found = 0;
	while (end && text[end - 1] == '\n')
		end--;
	for (size_t at = end; at-- > 0 && found <= TAIL_LINES;)
		if (text[at] == '\n')
			starts[found++] = at + 1;
	if (found == 0 || (found <= TAIL_LINES && whole))
		starts[found++] = 0;
	for (size_t i = found > TAIL_LINES ? TAIL_LINES : found; i-- > 0;) {
		size_t stop = i ? starts[i - 1] - 1 : end;
		struct str line = { text + starts[i], stop - starts[i] };
		ARENA_PUSH(e->arena, *lines, *n, line);
	}
}
