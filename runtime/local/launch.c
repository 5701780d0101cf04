/* launch.c - makes the description of each process from the plan, and refuses what this machine cannot do. */
#include "runtime/local/launch_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <sys/random.h>
#include <unistd.h>

/* ---- containers ---- */

/* ---- notes for the user ---- */

struct str launch_notes(const struct launch *l) { return buf_text(&l->notes); }
void launch_release(struct launch *l) { buf_release(&l->notes); }

/* The role whose hosts a text lists without ports; -1 if the text lists no hosts. */
static int listed_role(const struct text *t)
{
	int64_t first = -1;
	int role = -1;

	for (size_t i = 0; i < t->n; i++) {
		const struct piece *p = &t->at[i];
		bool colon = i + 1 < t->n && p[1].kind == PIECE_TEXT && str_is(p[1].u.text, ":");
		if (p->kind != PIECE_HOST || p->u.peer.index == OWN_INDEX ||
			(colon && i + 2 < t->n && p[2].kind == PIECE_PORT))
			continue;
		if ((int)p->u.peer.role == role && p->u.peer.index != first)
			return role;
		if (first < 0) {
			first = p->u.peer.index;
			role = (int)p->u.peer.role;
		}
	}
	return -1;
}

/*
 * Notes a list of hosts in which replicas cannot be distinguished on this machine. In a cluster each replica has its
 * own address, but here all replicas have the same address unless each has its own network.
 */
static void note_list(struct launch *l, struct str where, const struct text *t)
{
	int role = listed_role(t);

	if (role >= 0)
		launch_note(l, "%.*s lists the hosts of '%.*s', which are one address here: --isolate replica gives "
			"each its own",
			STR_ARG(where), STR_ARG(l->job->roles[role].name));
}

static void note_hosts(struct launch *l, const struct plan_role *r)
{
	if (l->options->isolate == ISOLATE_REPLICA)
		return;
	for (size_t i = 0; i < r->nfiles; i++)
		note_list(l, r->files[i].path, &r->files[i].text);
	for (size_t i = 0; i < r->main.nenv; i++)
		if (r->main.env[i].kind == ENV_TEXT)
			note_list(l, r->main.env[i].name, &r->main.env[i].text);
}

static void note_unasked(struct launch *l, const struct plan_role *r, const struct plan_container *c)
{
	for (size_t i = 0; launch_boxed(l, r, c) && i < c->nmounts; i++)
		if (c->mounts[i].volume->unasked && !c->mounts[i].framework)
			launch_note(l, "%.*s is read-only: a host_path is, unless it has 'readonly = false'",
				STR_ARG(c->mounts[i].path));
}

/* Notes objects whose keys are variables: only the cluster knows them, unless the program has the object itself. */
static void note_sources(struct launch *l, const struct plan_container *c)
{
	for (size_t i = 0; i < c->nsources; i++)
		if (!plan_source_data(l->arena, l->job, &c->sources[i]))
			launch_note(l, "the variables of %s '%.*s' are not here: --env NAME=VALUE gives those that the "
				"program needs", c->sources[i].secret ? "secret" : "config map",
				STR_ARG(c->sources[i].name));
}

/* Notes fields of the role that are about nodes, kubelets and container runtimes: one line for each. */
static void note_fields(struct launch *l, const struct plan_role *r)
{
	bool isolated = l->options->isolate != ISOLATE_NONE;
	const struct { bool set; const char *note; } notes[] = {
		{ r->place.kind != PLACE_ANYWHERE, "'place' does nothing here: all replicas run on this machine" },
		{ r->nzones > 0, "'zone' does nothing here: all replicas run on this machine" },
		{ r->host_network.value && isolated,
			"'host_network' does nothing here: --isolate none gives replicas the machine's network" },
		{ r->host_ipc.value && isolated,
			"'host_ipc' does nothing here: --isolate none gives replicas the machine's memory" },
		{ r->runtime_class.set,
			"'runtime_class' does nothing here: programs start without a container runtime" },
		{ r->automount.set && r->automount.value,
			"'automount' does nothing here: a local run has no token for the API server" },
		{ r->claims.n || r->shared_claims.n,
			"device claims do nothing here: Kubernetes allocates the devices" },
	};

	for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
		if (notes[i].set)
			launch_note(l, "%s", notes[i].note);
}

/*
 * Notes settings that only have an effect in a cluster and are easily overlooked; one line for each setting, however
 * many roles have it.
 */
static void note_role(struct launch *l, const struct plan_role *r)
{
	bool raw = r->raw_pod || r->raw_job, security = false, resources = false;

	for (size_t k = 0; k < launch_containers(r); k++) {
		const struct plan_container *c = launch_container(r, k);
		raw = raw || c->raw;
		note_unasked(l, r, c);
		note_sources(l, c);
		security = security || c->security;
		resources = resources || c->asks.nresources;
		if (c->image.set && !l->options->image_root.n)
			launch_note(l, "images are not used: programs and libraries are those of this machine");
	}
	if (raw)
		launch_note(l, "raw blocks are for Kubernetes and do nothing here");
	if (security)
		launch_note(l, "'security' does nothing here: processes run as you, with your rights");
	if (resources)
		launch_note(l, "'resources' does nothing here: no device plugin allocates them");
	note_fields(l, r);
	if (r->shm.set && !launch_boxed(l, r, &r->main))
		launch_note(l, "shm does not limit /dev/shm here: it is the machine's");
	if (r->main.nports && l->options->isolate == ISOLATE_NONE)
		launch_note(l,
			"what listens on all addresses can be reached from other machines; --isolate job prevents "
			"that");
	note_hosts(l, r);
	launch_note_home(l, r);
	launch_note_live(l, r);
}

/* ---- entry points ---- */

static void check_role(struct launch *l, unsigned role, struct buf *why)
{
	const struct plan_role *r = &l->job->roles[role];

	for (size_t k = 0; k < launch_containers(r); k++) {
		launch_check_command(l, role, launch_container(r, k), why);
		launch_check_secrets(l, r, launch_container(r, k), why);
	}
	note_role(l, r);
}

struct launch *launch_new(struct arena *a, const struct plan_job *j, const struct engine_options *o, struct str run_dir,
	struct buf *why)
{
	struct launch *l = ARENA_NEW(a, struct launch);
	char node[256] = "localhost";

	*l = (struct launch){ .arena = a, .job = j, .options = o, .run_dir = run_dir };
	l->scratch = str_cat(a, run_dir, STR("/scratch"), STR(""));
	if (gethostname(node, sizeof node - 1) == 0)
		l->node = str_copy(a, str_of(node));
	if (getrandom(&l->salt, sizeof l->salt, GRND_NONBLOCK) < 0)
		l->salt = (uint64_t)getpid();
	launch_check_volumes(l, why);
	for (unsigned k = 0; k < j->nroles; k++)
		if (j->roles[k].max)
			check_role(l, k, why);
	return l;
}

bool launch_needs_mounts(const struct launch *l)
{
	for (size_t k = 0; k < l->job->nroles; k++) {
		const struct plan_role *r = &l->job->roles[k];
		for (size_t x = 0; r->max && x < launch_containers(r); x++)
			if (launch_boxed(l, r, launch_container(r, x)))
				return true;
	}
	return false;
}

static bool check_replica(struct launch *l, unsigned role, int64_t i, struct buf *why)
{
	const struct plan_role *r = &l->job->roles[role];
	struct arena a = { 0 };
	struct str reason;
	bool ok = true;

	for (size_t k = 0; k < launch_containers(r) && ok; k++) {
		struct launched made;
		ok = launch_make(l, &a, role, i, k, 1, &made, &reason);
		if (!ok)
			launch_complain(why, "%.*s-%lld: %.*s", STR_ARG(r->name), (long long)i, STR_ARG(reason));
	}
	arena_release(&a);
	return ok;
}

void launch_place(struct launch *l, const struct places *places, const struct isolation *iso,
	const struct devices *devices, struct buf *why)
{
	l->places = places;
	l->iso = iso;
	l->devices = devices;
	for (unsigned k = 0; k < l->job->nroles; k++)
		for (int64_t i = 0; i < l->job->roles[k].max; i++)
			if (!check_replica(l, k, i, why))
				break;          /* other replicas of the role would give the same message */
}

static char *const *environment(struct arena *a, const struct variables *v)
{
	char **e = ARENA_ARRAY(a, char *, v->n + 1);

	for (size_t i = 0; i < v->n; i++)
		e[i] = str_cat_chars(a, v->at[i].name, STR("="), v->at[i].value);
	return e;
}

static const enum variable_source *all_sources(struct arena *a, const struct variables *v)
{
	enum variable_source *s = ARENA_ARRAY(a, enum variable_source, v->n);

	for (size_t i = 0; i < v->n; i++)
		s[i] = v->at[i].source;
	return s;
}

bool launch_make(const struct launch *l, struct arena *a, unsigned role, int64_t i, size_t container, int64_t attempt,
	struct launched *ret, struct str *why)
{
	const struct plan_container *c = launch_container(&l->job->roles[role], container);
	struct variables v = { .arena = a };

	*ret = (struct launched){ 0 };
	if (!launch_variables(l, &v, role, i, c, attempt, why))
		return false;
	if (!launch_words(l, a, role, i, c, attempt, &v, ret)) {
		*why = STR("no command");
		return false;
	}
	if (!launch_fits(a, &v, ret->argv, why))
		return false;
	ret->envp = environment(a, &v);
	ret->sources = all_sources(a, &v);
	launch_box(l, a, role, i, c, &ret->box);
	return true;
}
