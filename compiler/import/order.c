/*
 * order.c - puts a role's fields in the usual order, and moves fields that all roles share to the job.
 */
#include "import/import_role.h"

#include <stdlib.h>

static const char *const order[] = {
	"namespace", "image", "pull", "pull_secrets", "container", "code", "command", "args", "workdir", "replicas",
	"accelerator", "slices", "layout", "cpu", "memory", "disk", "shm", "restart", "retries", "retry_on", "restarts",
	"timeout", "ttl", "clean", "suspend", "queue", "gang", "scheduler", "priority", "grace", "success", "running",
	"other_roles", "ready", "start_after", "service", "service_account", "host_network",
	"host_ipc", "runtime_class", "automount", "security", "spread", "place", "zone",
	"tolerate", "limits", "resources", "device_claims", "shared_device_claims", "node", "node_in", "avoid",
	"env", "env_from", "ports",
	"mounts", "files", "labels", "annotations", "init", "sidecar", "raw pod", "raw container", "raw",
	"role", "object",
};
enum { WORDS = sizeof order / sizeof *order };

/*
 * Raw fields that the compiler also extends with the role's own lines come first, so that they are in the same order
 * after another compilation and import.
 */
static const char *const raw_order[] = { "tolerations", "containers", "initContainers", "volumes", "env", "ports",
	"resources", "volumeMounts" };
enum { RAW_WORDS = sizeof raw_order / sizeof *raw_order };

static size_t rank(struct str key)
{
	const char *blank = key.n ? memchr(key.p, ' ', key.n) : NULL;
	struct str word = { key.p, blank && !str_starts(key, STR("raw ")) ? (size_t)(blank - key.p) : key.n };
	size_t i = 0;

	while (i < WORDS && !str_is(word, order[i]))
		i++;
	return i;
}

static size_t raw_rank(struct str key)
{
	size_t i = 0;

	while (i < RAW_WORDS && !str_is(key, raw_order[i]))
		i++;
	return i;
}

/* Sorts by counting, which is fast even for very many blocks. */
static void sort_blocks(struct lines *body, size_t (*rank_of)(struct str key))
{
	struct line **sorted = memory_hold(NULL, body->n * sizeof *sorted + 1);
	unsigned char *ranks = memory_hold(NULL, body->n + 1);
	size_t first[WORDS + 2] = { 0 };

	for (size_t i = 0; i < body->n; i++) {
		ranks[i] = (unsigned char)rank_of(body->at[i]->key);
		first[ranks[i] + 1]++;
	}
	for (size_t r = 1; r < WORDS + 2; r++)
		first[r] += first[r - 1];
	for (size_t i = 0; i < body->n; i++)
		sorted[first[ranks[i]]++] = body->at[i];
	if (body->n)
		memcpy(body->at, sorted, body->n * sizeof *sorted);
	memory_drop(sorted);
	memory_drop(ranks);
}

void lines_sort(struct lines *body)
{
	sort_blocks(body, rank);
	for (size_t i = body->n; i > 0; i--)
		if (str_starts(body->at[i - 1]->key, STR("raw ")))
			sort_blocks(&body->at[i - 1]->value->items, raw_rank);
}

/* ---- fields that all roles share ---- */

/*
 * Tells whether the field can move from the roles to the job. Labels can not, because labels of a job are also set on
 * the job's own object.
 */
static bool may_rise(const struct line *l, bool only_one)
{
	/* if the job has only one role, these fields stay in the role */
	static const char *const of_one[] = { "image", "pull", "pull_secrets", "command", "args", "workdir",
		"service_account", "scheduler", "priority", "env", "mounts" };
	static const char *const never[] = { "replicas", "container", "labels", "annotations", "init", "sidecar",
		"raw pod", "raw container", "start_after",
		/* in the job, `place` would apply to all roles together */
		"place" };

	for (size_t i = 0; only_one && i < sizeof of_one / sizeof *of_one; i++)
		if (str_is(l->key, of_one[i]))
			return true;
	size_t mine = rank(l->key);
	for (size_t i = 0; !only_one && i < sizeof never / sizeof *never; i++)
		if (mine == rank(str_of(never[i])))
			return false;
	return !only_one;
}

struct line *lines_take(struct lines *body, struct str key)
{
	for (size_t i = 0; i < body->n; i++) {
		struct line *l = body->at[i];
		if (!str_eq(l->key, key))
			continue;
		memmove(&body->at[i], &body->at[i + 1], (body->n - i - 1) * sizeof *body->at);
		body->n--;
		return l;
	}
	return NULL;
}

void lines_drop(struct arena *a, struct line *block, struct str key)
{
	const struct line *gone = lines_take(&block->value->items, key);

	for (size_t i = 0; gone && i < gone->ncomments; i++)
		line_comment(a, block, (struct remark){ .text = gone->comments[i].text, .at = gone->comments[i].at });
}

static bool all_have(struct lines *const *roles, size_t n, const struct line *l)
{
	for (size_t i = 1; i < n; i++) {
		const struct line *other = lines_find(roles[i], l->key);
		if (!other || !line_same(other, l))
			return false;
	}
	return true;
}

static void rise(struct import *im, struct lines *job, struct lines *const *roles, size_t n, struct str key)
{
	struct line *line = lines_take(roles[0], key);

	for (size_t i = 1; i < n; i++)
		line_join_comments(im->arena, line, lines_take(roles[i], key));
	lines_push(im->arena, job, line);
}

/*
 * Moves those first entries of a map to the job that are the same in all roles. Only first entries can move, because
 * their order in the container matters.
 */
static void rise_entries(struct import *im, struct lines *job, struct lines *const *roles, size_t n, struct str key)
{
	struct lines *maps[n], *to;
	size_t common = 0;

	for (size_t i = 0; i < n; i++) {
		struct line *l = lines_find(roles[i], key);
		if (!l || l->form != LINE_EXTEND)
			return;
		maps[i] = &l->value->items;
	}
	for (bool same = true; same; common += same)
		for (size_t i = 0; i < n && same; i++)
			same = common < maps[i]->n && line_same(maps[i]->at[common], maps[0]->at[common]);
	if (!common)
		return;
	to = lines_block(im->arena, job, key, lines_find(roles[0], key)->from);
	for (size_t i = 0; i < common; i++)
		lines_push(im->arena, to, maps[0]->at[i]);
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; i && k < common; k++)
			line_join_comments(im->arena, to->at[k], maps[i]->at[k]);
		maps[i]->at += common;
		maps[i]->n -= common;
		if (!maps[i]->n)
			lines_take(roles[i], key);
	}
}

/*
 * Moves `scheduler` or `priority` of a role into `raw pod`: they are fields of the job, but the roles differ in them.
 */
static void lower_to_raw(struct import *im, struct lines *role, const char *field, const char *raw)
{
	struct line *l = lines_take(role, str_of(field));

	if (!l)
		return;
	struct lines *to = lines_block(im->arena, role, STR("raw pod"), l->from);
	l->key = str_of(raw);
	lines_push(im->arena, to, l);
}

static void lift_fields(struct import *im, struct lines *job, struct lines *const *roles, size_t n)
{
	/* arguments of a command that the framework sets belong to its role */
	bool own_command = n > 1 || lines_find(roles[0], STR("command"));
	for (size_t i = 0; i < roles[0]->n;) {
		const struct line *l = roles[0]->at[i];
		if (may_rise(l, n == 1) && (own_command || !str_is(l->key, "args")) && all_have(roles, n, l))
			rise(im, job, roles, n, l->key);
		else
			i++;
	}
	rise_entries(im, job, roles, n, STR("env"));
	rise_entries(im, job, roles, n, STR("mounts"));
}

void roles_lift(struct import *im, struct lines *job, struct lines *const *roles, size_t n)
{
	if (n && job)
		lift_fields(im, job, roles, n);
	for (size_t i = 0; i < n; i++) {
		lower_to_raw(im, roles[i], "scheduler", "schedulerName");
		lower_to_raw(im, roles[i], "priority", "priorityClassName");
		lines_sort(roles[i]);
	}
}
