/*
 * engine.c - the main loop: passes events of the machine to life.c, carries out its orders with replica.c, and informs
 * clients that watch.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "plan/code.h"
#include "runtime/local/descendants.h"
#include "runtime/run/cells.h"
#include "runtime/local/engine_internal.h"
#include "runtime/local/forward.h"
#include "runtime/local/mark.h"
#include "base/words.h"

enum { EVENTS = 64, STARTS_MS = 500, SWEEP_SECONDS = 5, DIRECTORY_SECONDS = 2 };
enum { ORPHAN_SECONDS = 5, ORPHAN_MS = 10 };

struct replica *engine_replica(const struct engine *e, unsigned role, int64_t i)
{
	return &e->replicas[places_number(e->places, role, i)];
}
struct run_replica *engine_run_replica(const struct engine *e, const struct replica *r)
{
	return &e->state->roles[r->role].at[r->index];
}

/* ---- time: the real-time clock as it was at the start, unaffected by later adjustments ---- */

static void look_at_clock(struct engine *e) { e->now = clock_steady() + e->clock_offset; }

/* ---- descriptors ---- */

bool engine_watch(struct engine *e, int fd, struct watch *w)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = w };
	return epoll_ctl(e->epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

void engine_unwatch(struct engine *e, int *fd)
{
	if (*fd < 0)
		return;
	epoll_ctl(e->epoll, EPOLL_CTL_DEL, *fd, NULL);
	close(*fd);
	*fd = -1;
}

/* Raises the limit of descriptors as far as the system permits: each process needs a few. */
static void permit_files(struct engine *e)
{
	if (getrlimit(RLIMIT_NOFILE, &e->files) < 0)
		return;
	struct rlimit all = { e->files.rlim_max, e->files.rlim_max };
	setrlimit(RLIMIT_NOFILE, &all);
}

static bool open_descriptors(struct engine *e, struct buf *why)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	signal(SIGPIPE, SIG_IGN);
	e->epoll = epoll_create1(EPOLL_CLOEXEC);
	e->signals = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	e->logs = openat(e->dir.fd, "logs", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (spawn_low_open(&e->low) && e->epoll >= 0 && e->signals >= 0 && e->logs >= 0 &&
		engine_watch(e, e->signals, &e->signal_watch))
		return true;
	buf_printf(why, "cannot prepare '%.*s': %.*s\n", STR_ARG(e->dir.path), STR_ARG(file_reason(e->arena, errno)));
	return false;
}

/* ---- checks before anything starts ---- */

static struct str caller_variable(const void *context, struct str name)
{
	const struct engine *e = context;

	for (char *const *v = e->options->caller_env; v && *v; v++)
		if (strncmp(*v, name.p, name.n) == 0 && (*v)[name.n] == '=')
			return str_of(*v + name.n + 1);
	return (struct str){ 0 };
}

static bool engine_role(const struct engine *e, struct str name, unsigned *ret)
{
	for (unsigned i = 0; i < e->job->nroles; i++)
		if (e->job->roles[i].max && plan_role_named(&e->job->roles[i], name)) {
			*ret = i;
			return true;
		}
	return false;
}

/* If S sets the number of copies of a cell, sets RET, and adds to WHY if the cell cannot have that many. */
static bool engine_cell(const struct engine *e, const struct engine_start *s, struct life_size *ret, struct buf *why)
{
	for (unsigned i = 0; i < e->job->ncells; i++) {
		const struct plan_cell *c = &e->job->cells[i];
		struct run_cell cell = { .name = c->name, .min = c->min, .max = c->max };
		if (!str_eq(c->name, s->role))
			continue;
		ret->role = i;
		ret->cell = true;
		struct str refusal = run_cell_refusal(e->arena, &cell, s->n);
		if (refusal.n)
			buf_printf(why, "--replicas %.*s=%lld: %.*s\n", STR_ARG(s->role), (long long)s->n,
				STR_ARG(refusal));
		return true;
	}
	return false;
}

static struct life_size *sizes(struct engine *e, struct buf *why)
{
	struct life_size *at = ARENA_ARRAY(e->arena, struct life_size, e->options->nstarts);

	for (size_t i = 0; i < e->options->nstarts; i++) {
		const struct engine_start *s = &e->options->starts[i];
		at[i].n = s->n;
		if (engine_cell(e, s, &at[i], why))
			continue;
		if (!engine_role(e, s->role, &at[i].role)) {
			buf_printf(why, "--replicas %.*s=%lld: unknown role '%.*s'\n", STR_ARG(s->role),
				(long long)s->n, STR_ARG(s->role));
			continue;
		}
		const struct plan_role *r = &e->job->roles[at[i].role];
		if (!r->elastic)
			buf_printf(why, "--replicas %.*s=%lld: the role is not elastic; it has %lld replicas\n",
				STR_ARG(s->role), (long long)s->n,
				(long long)r->max);
		else if (s->n < r->min || s->n > r->max)
			buf_printf(why, "--replicas %.*s=%lld: the role has %lld to %lld replicas\n", STR_ARG(s->role),
				(long long)s->n,
				(long long)r->min, (long long)r->max);
	}
	return at;
}

static void take_devices(struct engine *e, struct buf *why)
{
	struct str reason;

	for (unsigned k = 0; k < e->job->nroles; k++)
		for (int64_t i = 0; i < e->state->roles[k].desired; i++)
			if (!devices_take(e->devices, k, i, &reason)) {
				buf_printf(why, "%.*s; --no-devices runs it without\n", STR_ARG(reason));
				return;
			}
}

/* --pin: takes processors for every replica that runs at the start. */
static void take_processors(struct engine *e, struct buf *why)
{
	struct str reason;

	e->processors = processors_new(e->arena, e->job, &reason);
	for (unsigned k = 0; e->processors && k < e->job->nroles; k++)
		for (int64_t i = 0; i < e->state->roles[k].desired; i++)
			if (!processors_take(e->processors, k, i, &reason)) {
				buf_printf(why, "%.*s\n", STR_ARG(reason));
				return;
			}
	if (!e->processors)
		buf_printf(why, "%.*s\n", STR_ARG(reason));
}

static void make_replicas(struct engine *e)
{
	size_t containers = 0;

	for (size_t k = 0; k < e->job->nroles; k++) {
		e->nreplicas += (size_t)e->job->roles[k].max;
		containers += (size_t)e->job->roles[k].max * launch_containers(&e->job->roles[k]);
	}
	for (e->table_size = 64; e->table_size < 2 * containers;)
		e->table_size *= 2;
	e->table = ARENA_ARRAY(e->arena, struct container *, e->table_size);
	e->replicas = ARENA_ARRAY(e->arena, struct replica, e->nreplicas);
	for (unsigned k = 0; k < e->job->nroles; k++)
		for (int64_t i = 0; i < e->job->roles[k].max; i++)
			replica_init(e, engine_replica(e, k, i), k, i);
}

/* Writes the ports of a replica, those of its sidecars last: "http=20017,metrics=20018". */
static void put_ports(const struct placement *p, const struct plan_job *j, const struct plan_role *r, int64_t i,
	struct buf *out)
{
	for (size_t k = 0; k < r->main.nports; k++)
		buf_printf(out, "%s%.*s=%lld", out->n ? "," : "", STR_ARG(r->main.ports[k].name),
			(long long)p->port(p->context, j, r, i, r->main.ports[k].name));
	for (size_t c = 0; c < r->nsidecars; c++)
		for (size_t k = 0; k < r->sidecars[c].nports; k++)
			buf_printf(out, "%s%.*s=%lld", out->n ? "," : "", STR_ARG(r->sidecars[c].ports[k].name),
				(long long)r->sidecars[c].ports[k].port);
}

/* Notes the address and ports of every replica in the state. */
static void describe(struct engine *e)
{
	const struct placement *p = places_placement(e->places);
	struct buf b = { 0 };

	for (unsigned k = 0; k < e->job->nroles; k++)
		for (int64_t i = 0; i < e->job->roles[k].max; i++) {
			p->host(p->context, e->job, &e->job->roles[k], i, &b);
			e->state->roles[k].at[i].host = buf_take(&b, e->arena);
			put_ports(p, e->job, &e->job->roles[k], i, &b);
			e->state->roles[k].at[i].ports = buf_take(&b, e->arena);
			e->state->roles[k].at[i].published = STR("");
			e->state->roles[k].at[i].log = str_printf(e->arena, "%.*s/logs/%.*s-%lld.log",
				STR_ARG(e->dir.path),
				STR_ARG(e->job->roles[k].name), (long long)i);
		}
	buf_release(&b);
	publish_describe(e);
}

/*
 * Checks everything that can be refused. STATUS is 3 if the machine is the reason, and 8 if the program is the reason.
 */
static bool prepare(struct engine *e, struct buf *why, int *status)
{
	struct life_options life = { .backoff = e->options->backoff, .nsizes = e->options->nstarts };
	struct str reason;

	*status = 8;
	life.sizes = sizes(e, why);
	bool sized = !why->n;
	e->launch = launch_new(e->arena, e->job, e->options, e->dir.path, why);
	e->devices = devices_new(e->arena, e->job, e->options->no_devices, caller_variable, e, why);
	if (sized) {                            /* if the sizes are valid, the number of replicas that need devices is
						 * known */
		e->life = life_new(e->arena, e->job, &life, e->state, e->now);
		take_devices(e, why);
		if (e->options->pin)
			take_processors(e, why);
	}
	publish_check(e, why);
	if (why->n)
		return false;
	e->places = places_new(e->arena, e->job, e->options->isolate);
	make_replicas(e);
	*status = 3;
	if (!e->options->dry && !open_descriptors(e, why))
		return false;
	if ((!e->options->dry && !tell_open(e, &reason)) || !publish_open(e, &reason)) {
		buf_printf(why, "%.*s\n", STR_ARG(reason));
		return false;
	}
	e->iso = e->options->dry ? isolation_planned(e->arena, e->options->isolate)
		: isolation_open(e->arena, e->options->isolate, launch_needs_mounts(e->launch), e->nreplicas, &reason);
	if (!e->iso || !places_open(e->places, e->iso, &reason)) {
		buf_printf(why, "%.*s\n", STR_ARG(reason));
		return false;
	}
	*status = 8;
	launch_place(e->launch, e->places, e->iso, e->devices, why);
	return !why->n;
}

struct engine *engine_new(struct arena *a, const struct plan_job *job, const struct engine_options *o,
	const struct run_dir *dir, struct run_state *state, struct str *why, int *status)
{
	struct engine *e = ARENA_NEW(a, struct engine);
	struct buf complaints = { 0 };

	*e = (struct engine){ .arena = a, .job = job, .options = o, .dir = *dir, .state = state, .self = getpid(),
		.epoll = -1, .signals = -1,
		.low = { .null = -1, .output = -1, .report = -1, .begun = -1 },
		.logs = -1, .reserve = -1,
		.signal_watch = { WATCH_SIGNALS, NULL },
		.control_watch = { WATCH_CONTROL, NULL }, .lifeline_watch = { WATCH_LIFELINE, NULL },
		.forward_watch = { WATCH_FORWARD, NULL } };
	e->mark = mark_of_run(state);
	e->clock_offset = clock_real() - clock_steady();
	e->chunk = ARENA_ARRAY(a, char, CHUNK);
	look_at_clock(e);
	permit_files(e);
	if (!o->dry)
		prctl(PR_SET_CHILD_SUBREAPER, 1);
	bool ok = prepare(e, &complaints, status);
	if (ok)
		describe(e);
	*why = buf_take(&complaints, a);
	buf_release(&complaints);
	if (ok)
		return e;
	engine_release(e);
	return NULL;
}

struct str engine_notes(const struct engine *e) { return launch_notes(e->launch); }

/* ---- requests ---- */

static bool op_stop(void *context, bool kill, struct str *why)
{
	return life_stop(((struct engine *)context)->life, kill, why);
}

static bool op_suspend(void *context, bool suspend, struct str *why)
{
	struct engine *e = context;
	return life_suspend(e->life, suspend, e->now, why);
}

/*
 * Returns the devices and processors of the replicas that a role no longer has. Those whose processes have not ended
 * keep theirs until then.
 */
static void return_devices(struct engine *e, unsigned role)
{
	for (int64_t i = e->state->roles[role].desired; i < e->job->roles[role].max; i++) {
		if (engine_replica(e, role, i)->phase != PHASE_IDLE)
			continue;
		devices_return(e->devices, role, i);
		if (e->processors)
			processors_return(e->processors, role, i);
	}
}

/* Takes devices and processors for the replicas from FROM to N - 1 of a role. */
static bool take_more(struct engine *e, unsigned role, int64_t from, int64_t n, struct str *why)
{
	bool enough = true;

	for (int64_t i = from; enough && i < n && i < e->job->roles[role].max; i++)
		enough = devices_take(e->devices, role, i, why) &&
			(!e->processors || processors_take(e->processors, role, i, why));
	return enough;
}

/* Takes devices and processors for the copies that CELL gets when it is scaled up to N copies. */
static bool take_copies(struct engine *e, const struct run_cell *cell, int64_t n, struct str *why)
{
	bool enough = true;

	for (unsigned k = 0; enough && k < e->job->nroles; k++) {
		const struct plan_role *r = &e->job->roles[k];
		if (str_eq(r->cell, cell->name) && r->copy >= cell->desired && r->copy < n)
			enough = take_more(e, k, 0, r->max, why);
	}
	return enough;
}

static bool op_scale(void *context, struct str role, int64_t n, struct str *why)
{
	struct engine *e = context;
	const struct run_cell *cell = run_find_cell(e->state, role);
	unsigned k = 0;
	bool elastic = !cell && engine_role(e, role, &k) && e->job->roles[k].elastic;
	bool enough = cell ? take_copies(e, cell, n, why) :
		!elastic || take_more(e, k, e->state->roles[k].desired, n, why);
	bool done = enough && life_scale(e->life, role, n, why);

	for (unsigned i = 0; i < e->job->nroles; i++)
		if (cell ? str_eq(e->job->roles[i].cell, cell->name) : elastic && i == k)
			return_devices(e, i);
	if (!done)
		return false;
	/* done before the response, so that a client that requests the state next gets the new size */
	tell_state(e);
	return true;
}

static bool op_restart(void *context, struct str role, int64_t index, struct str *why)
{
	return life_restart(((struct engine *)context)->life, role, index, false, why);
}

/* Notes the code of a role; its replicas have it, or will have it in a moment. */
static void note_code(struct engine *e, struct str role, const struct run_code *code)
{
	for (size_t i = 0; i < e->state->ncode; i++) {
		struct run_code *x = &e->state->code[i];
		if (!str_eq(x->role, role) || str_eq(x->id, code->id))
			continue;
		x->id = str_copy(e->arena, code->id);
		x->files = code->files;
		x->bytes = code->bytes;
	}
}

static bool op_sync(void *context, struct str role, int64_t index, const struct run_code *code, bool keep,
	struct str *why)
{
	struct engine *e = context;
	unsigned k;

	if (!engine_role(e, role, &k) || index >= e->state->roles[k].desired || !e->job->roles[k].code ||
		engine_replica(e, k, index)->phase == PHASE_IDLE) {
		*why = STR("the replica does not run, or has no code");
		return false;
	}
	if (!keep && !life_restart(e->life, role, index, true, why))
		return false;
	note_code(e, role, code);
	e->state->roles[k].at[index].code = str_copy(e->arena, (struct str){ code->id.p, CODE_SHORT });
	tell_state(e);
	return true;
}

struct control_ops engine_ops(struct engine *e)
{
	return (struct control_ops){ e, op_stop, op_suspend, op_scale, op_restart, op_sync };
}

/* ---- orders ---- */

/* Handles a port that another program took while the replica was not running. */
static void port_taken(struct engine *e, const struct replica *r, int64_t number)
{
	struct str why = str_printf(e->arena, "port %lld is taken by another program", (long long)number);

	if (e->collisions++)
		life_refused(e->life, r->role, r->index, why, e->now);
	else
		life_begin_anew(e->life, r->role, r->index, why);
}

static void start(struct engine *e, struct replica *r, bool fresh)
{
	int64_t taken;
	struct str why;

	if (life_beginnings(e->life) != e->beginnings) {
		if (e->collisions && e->beginnings && !places_again(e->places, &why)) {
			life_refused(e->life, r->role, r->index, why, e->now);
			return;
		}
		if (e->collisions)
			describe(e);            /* the state shows the new ports */
		e->beginnings = life_beginnings(e->life);
	}
	if (!places_free(e->places, r->role, r->index, &taken)) {
		port_taken(e, r, taken);
		return;
	}
	replica_start(e, r, fresh);
}

static void give_up_replica(struct engine *e, struct replica *r)
{
	replica_abandon(e, r);
	e->changed = true;
}

/*
 * Carries out orders for a limited time: a thousand starts take seconds on a busy machine, and requests must be
 * answered meanwhile.
 */
static void obey(struct engine *e)
{
	struct life_action a;
	int64_t until = clock_steady() + STARTS_MS * (SECOND / 1000);

	e->more = false;
	while (!e->more && life_next(e->life, e->now, &a)) {
		struct replica *r = engine_replica(e, a.role, a.index);
		switch (a.order) {
		case LIFE_START: start(e, r, true); break;
		case LIFE_START_IN_PLACE: start(e, r, false); break;
		case LIFE_TERM: replica_stop(e, r); break;
		case LIFE_KILL: replica_kill(e, r); break;
		case LIFE_GIVE_UP: give_up_replica(e, r); break;
		}
		e->more = clock_steady() > until;
	}
}

/* ---- ended processes ---- */

static void reap(struct engine *e)
{
	siginfo_t info = { 0 };

	/* a process is not reaped until its whole process group is dead: its number is also the number of the group */
	while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid) {
		struct container *c = container_of(e, info.si_pid);
		bool exited = info.si_code == CLD_EXITED;
		int code = exited ? info.si_status : 128 + info.si_status;
		if (c)
			replica_ended(e, c, code, exited ? 0 : info.si_status);
		else if ((c = probe_ended(e, info.si_pid, code)) != NULL)
			replica_container_ready(e, c);
		waitpid(info.si_pid, NULL, WNOHANG);
		info.si_pid = 0;
	}
}

/*
 * Decides about a process that a program has started and left behind. If the process has the mark of a replica that has
 * ended, or else that replica's name in its environment, the process is killed.
 */
static enum descendant judge_orphan(void *context, pid_t pid)
{
	const struct engine *e = context;
	char entry[320];
	size_t number;

	if (container_of(e, pid))
		return DESCENDANT_SPARE;
	if (mark_find(pid, e->mark, &number))
		return number < e->nreplicas && e->replicas[number].phase == PHASE_GONE ? DESCENDANT_KILL :
			DESCENDANT_PASS;
	for (size_t i = 0; i < e->nreplicas; i++) {
		const struct replica *r = &e->replicas[i];
		if (r->phase != PHASE_GONE)
			continue;
		snprintf(entry, sizeof entry, "HOSTNAME=%.*s-%lld", STR_ARG(e->job->roles[r->role].object),
			(long long)r->index);
		if (process_has_variable(pid, entry))
			return DESCENDANT_KILL;
	}
	return DESCENDANT_PASS;
}

/*
 * Reports to life.c the attempts that have ended, after killing every process that the attempts left behind. A killed
 * process needs time to free its memory, and holds its ports and files until then, which the next attempt needs. So
 * this waits for its end, but at most ORPHAN_SECONDS. Returns false while it waits.
 */
static bool tell_ends(struct engine *e)
{
	if (!e->gone)
		return true;
	if (descendants_kill(e->self, judge_orphan, e) == 0)
		e->patience = 0;
	else if (!e->patience)
		e->patience = e->now + ORPHAN_SECONDS * SECOND;
	if (e->now < e->patience)
		return false;
	e->patience = 0;
	for (size_t i = 0; i < e->nreplicas && e->gone; i++) {
		struct replica *r = &e->replicas[i];
		if (r->phase != PHASE_GONE)
			continue;
		r->phase = PHASE_IDLE;
		e->gone--;
		if (r->refused.n)
			life_refused(e->life, r->role, r->index, r->refused, e->now);
		else
			life_ended(e->life, r->role, r->index, &r->end);
		if (r->index >= e->state->roles[r->role].desired)
			return_devices(e, r->role);
	}
	return true;
}

/* ---- the loop ---- */

static void on_signals(struct engine *e)
{
	struct signalfd_siginfo s;
	struct str why;

	while (read(e->signals, &s, sizeof s) == sizeof s) {
		if (s.ssi_signo != SIGCHLD)
			life_stop(e->life, e->interrupts++ > 0, &why);
	}
}

static void on_event(struct engine *e, const struct watch *w, int lifeline)
{
	struct str why;

	switch (w->kind) {
	case WATCH_SIGNALS: on_signals(e); break;
	case WATCH_CONTROL: control_serve(e->control); break;
	case WATCH_LIFELINE:
		epoll_ctl(e->epoll, EPOLL_CTL_DEL, lifeline, NULL);
		life_stop(e->life, true, &why);
		break;
	case WATCH_FORWARD: forward_serve(e->forward); break;
	case WATCH_OUTPUT: replica_output(e, w->container); break;
	case WATCH_REPORT: replica_report(e, w->container); break;
	}
}

/*
 * Checks every few seconds whether the directory of the run was removed: no command can find such a run any more, so it
 * is ended. Returns the time of the next check.
 */
static int64_t check_directory(struct engine *e)
{
	struct stat is;
	struct str why;

	if (e->now < e->directory_due)
		return e->directory_due;
	e->directory_due = e->now + DIRECTORY_SECONDS * SECOND;
	if (fstat(e->dir.fd, &is) == 0 && is.st_nlink == 0 && !e->removed) {
		e->removed = true;
		life_stop(e->life, false, &why);
	}
	return e->directory_due;
}

static int64_t tick(struct engine *e)
{
	int64_t next = check_directory(e), when;

	if (!e->patience && life_deadline(e->life) < next)
		next = life_deadline(e->life);

	for (size_t i = 0; i < e->nreplicas; i++) {
		int64_t t = e->replicas[i].phase == PHASE_IDLE ? LIFE_NEVER : replica_tick(e, &e->replicas[i]);
		next = t < next ? t : next;
	}
	if (tell_due(e, &when) && when < next)
		next = when;
	if (e->patience && e->now + ORPHAN_MS * (SECOND / 1000) < next)
		next = e->now + ORPHAN_MS * (SECOND / 1000);
	return next;
}

static int timeout_until(const struct engine *e, int64_t next)
{
	if (next == LIFE_NEVER)
		return -1;
	int64_t ms = (next - e->now + SECOND / 1000 - 1) / (SECOND / 1000);
	return ms < 0 ? 0 : ms > 3600000 ? 3600000 : (int)ms;
}

static void wait_and_handle(struct engine *e, int lifeline)
{
	struct epoll_event events[EVENTS];
	int64_t when;

	if (tell_due(e, &when) && e->now >= when)
		tell_state(e);
	int n = epoll_wait(e->epoll, events, EVENTS, e->more && !e->patience ? 0 : timeout_until(e, tick(e)));
	look_at_clock(e);
	for (int i = 0; i < n; i++)
		on_event(e, events[i].data.ptr, lifeline);
	reap(e);
}

/* Must the loop still wait for events? */
static bool must_go_on(struct engine *e)
{
	bool told;

	do {
		told = tell_ends(e);
		if (told)               /* orders may depend on the ends that were not reported yet */
			obey(e);
	} while (told && e->gone);
	if (!life_over(e->life))
		return true;
	for (size_t i = 0; i < e->nreplicas; i++)
		if (e->replicas[i].phase != PHASE_IDLE)
			return true;
	return false;
}

/* ---- the end ---- */

static enum descendant judge_all(void *context, pid_t pid)
{
	(void)context, (void)pid;
	return DESCENDANT_KILL;
}

/* Ends all remaining processes: programs started them and did not wait for them. */
static void sweep(struct engine *e)
{
	int64_t until = e->now + SWEEP_SECONDS * SECOND;
	struct timespec pause = { 0, 2000000 };

	isolation_close(e->iso);
	e->iso = NULL;
	do {
		descendants_kill(e->self, judge_all, NULL);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		if (waitpid(-1, NULL, WNOHANG) < 0)
			return;                 /* no child is left to reap */
		nanosleep(&pause, NULL);
		look_at_clock(e);
	} while (e->now < until);
}

void engine_run(struct engine *e, struct control *c, int lifeline)
{
	e->control = c;
	if (c)
		engine_watch(e, control_fd(c), &e->control_watch);
	if (lifeline >= 0)
		engine_watch(e, lifeline, &e->lifeline_watch);
	if (e->forward)
		engine_watch(e, forward_fd(e->forward), &e->forward_watch);
	while (must_go_on(e))
		wait_and_handle(e, lifeline);
	publish_close(e);
	sweep(e);
	if (clean_takes(e->job, false))
		launch_clean(e->launch);
	tell_state(e);
	e->state->cause = str_copy(e->arena, e->state->cause);  /* the text must outlive the struct life */
}

void engine_release(struct engine *e)
{
	int *const descriptors[] = { &e->epoll, &e->signals, &e->logs };

	for (size_t i = 0; i < e->nreplicas; i++)
		replica_release(e, &e->replicas[i]);
	tell_close(e);
	publish_close(e);
	if (e->iso)
		isolation_close(e->iso);
	e->iso = NULL;
	if (e->places)
		places_release(e->places);
	if (e->life)
		life_release(e->life);
	if (e->launch)
		launch_release(e->launch);
	for (size_t i = 0; i < sizeof descriptors / sizeof *descriptors; i++)
		if (*descriptors[i] >= 0)
			close(*descriptors[i]);
	spawn_low_close(&e->low);
}
