/* sync_stream.c - see sync_stream.h. What replicas answer is not trusted: a word at the wrong time ends their part. */
#include "runtime/cluster/sync_stream.h"

#include <stdlib.h>

#include "base/words.h"
#include "runtime/cluster/sync_script.h"

/* SYNC_AT_ONCE: replicas that get the archive at the same time. SYNC_PIECE: bytes of a message with a part of it. */
enum { SYNC_AT_ONCE = 16, SYNC_PIECE = 32 << 10, SYNC_LINE = 256, SYNC_ID = 64, SYNC_FILES_MOST = 1000000 };

/* Time to prepare, to go back after a failure, and to start again after the grace period. */
#define SYNC_PREPARES (5 * 60 * NS_PER_SECOND)
#define SYNC_GOES_BACK (10 * NS_PER_SECOND)
#define SYNC_STARTS (60 * NS_PER_SECOND)

struct sync_group {
	struct cluster *cluster;
	struct sync_part *at;
	size_t n;
	size_t sending;
	bool stopped;                   /* one has failed: no further one goes on */
	bool gone;                      /* all go on */
	bool late;
	struct loop_timer patience;
};

static void patience_over(struct loop_timer *t)
{
	struct sync_group *g = t->to;

	g->late = true;
	loop_stop(g->cluster->client.loop);
}

static void fail_part(struct sync_part *p, struct str why, int status)
{
	struct sync_group *g = p->group;

	if (p->stage == SYNC_FAILED || p->stage == SYNC_SAME || p->stage == SYNC_DONE)
		return;
	g->sending -= p->stage == SYNC_SENDING;
	p->stage = SYNC_FAILED;
	p->why = why;
	p->status = status;
}

/* ---- the group ---- */

/* Gives replicas their turn to get the archive. */
static void take_turns(struct sync_group *g)
{
	for (size_t i = 0; i < g->n && g->sending < SYNC_AT_ONCE && !g->stopped; i++) {
		if (g->at[i].stage != SYNC_WAITING)
			continue;
		g->at[i].stage = SYNC_SENDING;
		g->sending++;
		exec_stream_feed(&g->at[i].stream);
	}
}

/* Ends the input of all replicas that wait: their scripts remove what they have prepared. */
static void stop_group(struct sync_group *g)
{
	g->stopped = true;
	if (!g->gone)
		loop_timer_set(g->cluster->client.loop, &g->patience, SYNC_GOES_BACK);
	for (size_t i = 0; i < g->n; i++)
		exec_stream_feed(&g->at[i].stream);
}

/* Tells all replicas to go on. */
static void let_go(struct sync_group *g)
{
	int64_t grace = 0;

	g->gone = true;
	for (size_t i = 0; i < g->n; i++) {
		g->at[i].stage = g->at[i].stage == SYNC_READY ? SYNC_GOING : g->at[i].stage;
		grace = g->at[i].grace > grace ? g->at[i].grace : grace;
	}
	loop_timer_set(g->cluster->client.loop, &g->patience, grace * NS_PER_SECOND + SYNC_STARTS);
	for (size_t i = 0; i < g->n; i++)
		exec_stream_feed(&g->at[i].stream);
}

static size_t count_stage(const struct sync_group *g, enum sync_stage stage)
{
	size_t n = 0;

	for (size_t i = 0; i < g->n; i++)
		n += g->at[i].stage == stage;
	return n;
}

/* Decides what follows from the answers so far: all go on, or, if one has failed, none does. */
static void decide_group(struct sync_group *g)
{
	if (count_stage(g, SYNC_FAILED) && !g->stopped)
		stop_group(g);
	if (g->stopped || g->gone)
		return;
	take_turns(g);
	if (count_stage(g, SYNC_READY) + count_stage(g, SYNC_SAME) == g->n)
		let_go(g);
}

/* ---- one replica ---- */

static bool give_code(void *to, struct buf *b)
{
	struct sync_part *p = to;
	struct sync_group *g = p->group;
	size_t left = p->packed.n - p->sent;

	switch (p->stage) {
	case SYNC_SENDING:
		if (g->stopped)
			return false;
		buf_put(b, p->packed.p + p->sent, left < SYNC_PIECE ? left : SYNC_PIECE);
		p->sent += left < SYNC_PIECE ? left : SYNC_PIECE;
		if (p->sent == p->packed.n) {
			p->stage = SYNC_SENT;
			g->sending--;
			take_turns(g);
		}
		return true;
	case SYNC_GOING:
		if (!p->told)
			buf_z(b, "go\n");
		p->told = true;
		return true;
	case SYNC_SAME: case SYNC_DONE: case SYNC_FAILED:
		return false;
	default:
		return !g->stopped;
	}
}

static bool is_known_id(struct str id)
{
	return str_is_hex(id, SYNC_ID) || str_is(id, "none") || str_is(id, "unknown") || str_is(id, "partial");
}

static bool take_have(struct sync_part *p, struct str id)
{
	if (p->stage != SYNC_ASKED || !is_known_id(id))
		return false;
	p->have = str_copy(p->group->cluster->arena, id);
	if (str_is(id, "none"))
		p->stage = SYNC_SENT;           /* `failed` follows */
	else if (!p->id.n || str_eq(id, p->id))
		p->stage = p->restart == SYNC_ALWAYS ? SYNC_SENT : SYNC_SAME;
	else
		p->stage = SYNC_WAITING;
	return true;
}

static bool take_changed(struct sync_part *p, struct str number)
{
	int64_t n = 0;

	for (size_t i = 0; i < number.n && n <= SYNC_FILES_MOST; i++) {
		if (number.p[i] < '0' || number.p[i] > '9')
			return false;
		n = n * 10 + (number.p[i] - '0');
	}
	if (p->stage != SYNC_GOING || !number.n || n > SYNC_FILES_MOST)
		return false;
	p->changed = n;
	if (p->restart == SYNC_NEVER)
		p->stage = SYNC_DONE;
	return true;
}

/* Takes a line of the script; false: it means nothing now. */
static bool take_line(struct sync_part *p, struct str line)
{
	struct str have = STR("have "), changed = STR("changed ");

	if (str_starts(line, have))
		return take_have(p, (struct str){ line.p + have.n, line.n - have.n });
	if (str_starts(line, changed))
		return take_changed(p, (struct str){ line.p + changed.n, line.n - changed.n });
	if (str_is(line, "ready") && p->stage == SYNC_SENT) {
		p->stage = SYNC_READY;
		return true;
	}
	if (str_is(line, "running") && p->stage == SYNC_GOING) {
		p->stage = SYNC_DONE;
		return true;
	}
	if (str_is(line, "failed") && p->stage != SYNC_ASKED) {
		if (p->told || !p->group->stopped)
			fail_part(p, STR(""), STATUS_FAILED);
		return true;
	}
	return p->stage == SYNC_SAME || p->stage == SYNC_FAILED;
}

static bool take_answers(void *to, struct str bytes)
{
	struct sync_part *p = to;
	bool good = true;

	for (size_t i = 0; i < bytes.n && good; i++) {
		if (bytes.p[i] != '\n') {
			buf_char(&p->line, bytes.p[i]);
			good = p->line.n < SYNC_LINE;
			continue;
		}
		good = take_line(p, buf_text(&p->line));
		p->line.n = 0;
	}
	if (!good)
		fail_part(p, STR("it gave an answer that makes no sense"), STATUS_FAILED);
	decide_group(p->group);
	exec_stream_feed(&p->stream);
	return good;
}

static void start_part(struct sync_part *p)
{
	static const char *const when[] = { "changed", "always", "never" };
	struct arena *a = p->group->cluster->arena;
	uint32_t size = 0;
	const struct str last[] = { p->dir, p->id.n ? p->id : STR("-"), str_int(a, (int64_t)p->packed.n), STR(""),
		str_int(a, p->grace), str_of(when[p->restart]) };
	const struct str first[] = { STR("sh"), STR("-c"), STR(SYNC_SCRIPT), STR("trainc-sync") };
	enum { FIRST = sizeof first / sizeof *first, LAST = sizeof last / sizeof *last };
	char **words = ARENA_ARRAY(a, char *, FIRST + LAST + 1);

	for (size_t i = 0; i < 4 && p->packed.n; i++)   /* gzip has the size of the archive at its end */
		size = size << 8 | (unsigned char)p->packed.p[p->packed.n - 1 - i];
	for (size_t i = 0; i < FIRST; i++)
		words[i] = str_cat_chars(a, first[i], STR(""), STR(""));
	for (size_t i = 0; i < LAST; i++)
		words[FIRST + i] = str_cat_chars(a, i == 3 ? str_int(a, size) : last[i], STR(""), STR(""));
	p->stream = (struct exec_stream){ .request = { p->ns, p->pod, p->container, words, false, false },
		.take = take_answers, .give = give_code, .to = p };
	exec_stream_start(p->group->cluster, &p->stream);
}

/* Judges a stream that is over. */
static void settle_part(struct sync_part *p)
{
	struct arena *a = p->group->cluster->arena;

	p->settled = true;
	p->end = exec_stream_end(&p->stream);
	buf_release(&p->line);
	if (p->stage == SYNC_FAILED && !p->why.n)
		p->why = p->end.said.n ? name_escaped(a, p->end.said) : STR("its script has failed");
	if (p->stage == SYNC_FAILED || p->stage == SYNC_SAME || p->stage == SYNC_DONE ||
		(p->group->stopped && !p->told))
		return;
	if (p->group->late)
		fail_part(p, STR("it did not answer in time"), STATUS_FAILED);
	else if (p->end.missing)
		fail_part(p, STR("its container has no sh, which 'sync' needs"), STATUS_FAILED);
	else if (p->end.ended)
		fail_part(p, p->end.said.n ? name_escaped(a, p->end.said) : str_printf(a,
			"its script ended with status %d", p->end.code), STATUS_FAILED);
	else
		fail_part(p, p->end.error, p->told ? STATUS_FAILED : p->end.status);
}

bool sync_parts(struct cluster *k, struct sync_part *at, size_t n)
{
	struct sync_group g = { .cluster = k, .at = at, .n = n };
	size_t settled = 0, good = 0;

	cluster_listen(k, true);
	g.patience = (struct loop_timer){ .fire = patience_over, .to = &g };
	loop_timer_set(k->client.loop, &g.patience, SYNC_PREPARES);
	for (size_t i = 0; i < n; i++) {
		at[i].group = &g;
		at[i].stage = SYNC_ASKED;
	}
	for (size_t i = 0; i < n; i++)
		start_part(&at[i]);
	while (settled < n && !k->interrupted && !g.late) {
		loop_run(k->client.loop);
		for (size_t i = 0; i < n; i++)
			if (at[i].stream.over && !at[i].settled) {
				settle_part(&at[i]);
				settled++;
			}
		decide_group(&g);
	}
	cluster_listen(k, false);
	loop_timer_drop(k->client.loop, &g.patience);
	for (size_t i = 0; i < n; i++) {
		if (!at[i].settled)
			settle_part(&at[i]);
		good += at[i].stage == SYNC_SAME || at[i].stage == SYNC_DONE;
	}
	return good == n && !k->interrupted;
}
