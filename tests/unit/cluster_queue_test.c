/*
 * cluster_queue_test.c - the controller's work queue: at most one pass for a key at a time, fair turns, backoff for
 * each key alone, keys that are removed, and lanes.  No test sleeps: elapse() moves the clock.  Most tests run twice:
 * with all keys in one lane, and with a lane for each key.
 */
#include "base/words.h"
#include "runtime/supervise/queue.h"
#include "unit.h"

enum { KEYS = 40, TURNS = 12 };
#define FIRST_WAIT (NS_PER_SECOND / 20)
#define LONGEST_WAIT (300 * NS_PER_SECOND)

struct bench {
	struct loop *loop;
	struct queue queue;
	struct queue_lane lanes[KEYS];
	struct queue_item keys[KEYS];
	struct buf worked;              /* the letters of the keys whose passes have started */
	bool at_once;                   /* each pass ends within the call that starts it */
	struct queue_item *eager;       /* this key is added again during each of its own passes */
	struct queue_item *closing;     /* the pass for this key closes the queue */
	struct queue_item *twice;       /* a pass started for a key that already had one in progress; NULL: never */
	size_t busiest;                 /* largest number of passes in progress at the same time */
};

static struct bench bench;
static bool alone;                      /* each key has a lane of its own */

static void work(struct queue_item *i)
{
	size_t n = (size_t)(i - bench.keys);

	if (i->to)
		bench.twice = i;
	i->to = i;                      /* a pass is in progress */
	buf_char(&bench.worked, (char)('a' + n % 26));
	if (bench.queue.running > bench.busiest)
		bench.busiest = bench.queue.running;
	if (i == bench.eager)
		queue_add(i);
	if (i == bench.closing)
		queue_open(&bench.queue, false);
	if (bench.at_once) {
		i->to = NULL;
		queue_done(i, true, 0);
	}
}

/* A single lane gets four fifths of all passes (share.h), so the queue has more than MOST. */
static void begin(size_t most)
{
	bench = (struct bench){ .loop = loop_new() };
	queue_init(&bench.queue, bench.loop, alone ? most : most + (most + 3) / 4, work);
	for (size_t n = 0; n < KEYS; n++)
		queue_item_init(&bench.keys[n], &bench.queue, &bench.lanes[alone ? n : 0], NULL);
	queue_open(&bench.queue, true);
}

/* A queue of MOST passes whose keys `a` to `j` are in the first lane, `k` to `t` in the second, and so on. */
static void begin_lanes(size_t most)
{
	begin(1);
	bench.queue.most = most;
	for (size_t n = 0; n < KEYS; n++)
		bench.keys[n].lane = &bench.lanes[n / 10];
}

static void end(void)
{
	CHECK(!bench.twice);
	for (size_t n = 0; n < KEYS; n++)
		queue_drop(&bench.keys[n]);
	for (size_t n = 0; n < KEYS; n++)
		queue_lane_drop(&bench.queue, &bench.lanes[n]);
	CHECK(!bench.queue.first && !bench.queue.last && !bench.queue.depth);
	loop_timer_drop(bench.loop, &bench.queue.kick);
	loop_release(bench.loop);
	buf_release(&bench.worked);
}

static struct queue_item *key(char letter) { return &bench.keys[letter - 'a']; }

static void turn(void)
{
	for (int n = 0; n < TURNS; n++)
		loop_turn(bench.loop);
}

/* Returns the passes that started since the last call. */
static struct str worked(void)
{
	static char text[256];
	size_t n;

	turn();
	n = bench.worked.n < sizeof text ? bench.worked.n : sizeof text;
	if (n)
		memcpy(text, bench.worked.p, n);
	bench.worked.n = 0;
	return (struct str){ text, n };
}

static void add(const char *letters)
{
	for (; *letters; letters++)
		queue_add(key(*letters));
}

static void done(char letter, bool ok)
{
	key(letter)->to = NULL;
	queue_done(key(letter), ok, 0);
}

/* Lets the pause of key I elapse. */
static void elapse(struct queue_item *i)
{
	i->not_before = 0;
	loop_timer_set(bench.loop, &i->timer, 0);
}

static bool armed(char letter) { return loop_timer_armed(&key(letter)->timer); }

/* ---- turns ---- */

static void turns(void)
{
	begin(1);
	add("abcab");
	CHECK(bench.queue.depth == 3 && bench.queue.added == 3);
	CHECK_TEXT(worked(), "a");
	done('a', true);
	CHECK_TEXT(worked(), "b");
	add("a");                       /* it is queued behind the keys that were already waiting */
	done('b', true);
	CHECK_TEXT(worked(), "c");
	done('c', true);
	CHECK_TEXT(worked(), "a");
	done('a', true);
	CHECK_TEXT(worked(), "");
	CHECK(!bench.queue.depth && !bench.queue.running && bench.queue.added == 4);
	end();
}

/* A key that is added again after each pass takes its turn like all others and does not delay them. */
static void fairness(void)
{
	begin(1);
	bench.at_once = true;
	bench.eager = key('a');
	add("abcd");
	for (int n = 0; n < 100 && bench.worked.n < 7; n++)
		loop_turn(bench.loop);
	CHECK(bench.worked.n >= 7 && str_starts(buf_text(&bench.worked), STR("abcdaaa")));
	add("cb");
	bench.worked.n = 0;
	for (int n = 0; n < 100 && bench.worked.n < 5; n++)
		loop_turn(bench.loop);
	CHECK(bench.worked.n >= 5);
	CHECK(memchr(bench.worked.p, 'c', 3) && memchr(bench.worked.p, 'b', 3));
	end();
}

/* At most the permitted number of passes run at once, and only a few start before the loop polls the network again. */
static void limits(void)
{
	begin(3);
	for (size_t n = 0; n < KEYS; n++)
		queue_add(&bench.keys[n]);
	CHECK_TEXT(worked(), "abc");
	CHECK(bench.queue.running == 3 && bench.queue.depth == KEYS - 3);
	done('b', true);
	CHECK_TEXT(worked(), "d");
	end();
	begin(KEYS);
	for (size_t n = 0; n < KEYS; n++)
		queue_add(&bench.keys[n]);
	loop_turn(bench.loop);
	CHECK(bench.worked.n == 16);
	turn();
	CHECK(bench.worked.n == KEYS && bench.busiest == KEYS);
	end();
}

/* As long as the Lease is not held or a watch is not live, keys are only collected. */
static void closed(void)
{
	begin(2);
	queue_open(&bench.queue, false);
	add("abc");
	CHECK_TEXT(worked(), "");
	CHECK(bench.queue.depth == 3);
	queue_open(&bench.queue, true);
	CHECK_TEXT(worked(), "ab");
	queue_open(&bench.queue, false);
	done('a', true);
	CHECK_TEXT(worked(), "");
	queue_open(&bench.queue, true);
	CHECK_TEXT(worked(), "c");
	done('b', true);
	done('c', true);
	bench.closing = key('d');
	add("de");
	CHECK_TEXT(worked(), "d");
	end();
}

/* ---- a key that is added during its own pass ---- */

static void added_while_handled(void)
{
	begin(4);
	add("a");
	CHECK_TEXT(worked(), "a");
	add("aaab");                    /* causes one more pass, but only after the current one has ended */
	CHECK_TEXT(worked(), "b");
	CHECK(key('a')->dirty && !key('a')->queued && !bench.queue.depth);
	done('a', true);
	CHECK(!key('a')->dirty && bench.queue.depth == 1);
	CHECK_TEXT(worked(), "a");
	done('a', true);
	CHECK_TEXT(worked(), "");
	/* A failure and a change at the same time cause one more pass, after the pause of the failure. */
	add("a");
	CHECK_TEXT(worked(), "a");
	add("a");
	key('a')->failures = 12;
	done('a', false);
	CHECK_TEXT(worked(), "");
	CHECK(armed('a') && !key('a')->dirty);
	elapse(key('a'));
	CHECK_TEXT(worked(), "a");
	done('a', true);
	CHECK_TEXT(worked(), "");
	end();
}

/* ---- pauses ---- */

/* Lets a pass for `a` fail; is the pause until the next pass WAIT? */
static bool fails_with(int64_t wait)
{
	int64_t before = loop_now(bench.loop), after;
	bool ok;

	done('a', false);
	after = loop_now(bench.loop);
	ok = key('a')->not_before >= before + wait && key('a')->not_before <= after + wait;
	ok = ok && armed('a') && !key('a')->queued && key('a')->timer.at >= key('a')->not_before &&
		key('a')->timer.at <= loop_now(bench.loop) + wait;
	elapse(key('a'));
	turn();
	return ok && key('a')->busy;
}

/* Each failure in a row doubles the pause of its key, up to 5 minutes; a success resets it. */
static void back_off(void)
{
	begin(2);
	add("a");
	turn();
	int64_t wait = FIRST_WAIT;
	for (int n = 0; n < 12; n++, wait *= 2)
		CHECK(fails_with(wait));
	CHECK(fails_with(wait = 204800 * (NS_PER_SECOND / 1000)) && wait < LONGEST_WAIT);
	CHECK(fails_with(LONGEST_WAIT));
	key('a')->failures = 100000;    /* the pause stays at the maximum */
	CHECK(fails_with(LONGEST_WAIT));
	CHECK(bench.queue.retried == 15 && key('a')->failures == 100001);
	done('a', true);
	CHECK(key('a')->failures == 0 && !armed('a'));
	add("a");
	turn();
	CHECK(fails_with(FIRST_WAIT));
	end();
}

/* A pause applies to its own key only, and a change does not shorten it. */
static void back_off_by_key(void)
{
	begin(1);
	add("a");
	CHECK_TEXT(worked(), "a");
	key('a')->failures = 10;
	done('a', false);
	int64_t at = key('a')->not_before;
	add("ab");
	CHECK_TEXT(worked(), "b");
	done('b', true);
	add("abab");
	CHECK_TEXT(worked(), "b");
	CHECK(armed('a') && key('a')->not_before == at && key('a')->timer.at >= at && !key('a')->queued);
	done('b', false);
	CHECK(key('b')->failures == 1 && key('a')->failures == 11);
	end();
}

/* After a successful pass, every addition waits for the pause to end, but no longer than that. */
static void pauses(void)
{
	begin(1);
	add("a");
	CHECK_TEXT(worked(), "a");
	key('a')->to = NULL;
	queue_done(key('a'), true, 100 * NS_PER_SECOND);
	CHECK(!armed('a'));             /* no timer is armed, because there is nothing to do */
	add("a");
	CHECK(armed('a') && !key('a')->queued);
	CHECK_TEXT(worked(), "");
	queue_after(key('a'), 0);       /* asks for a pass right now, but the pause still applies */
	CHECK_TEXT(worked(), "");
	CHECK(armed('a') && key('a')->timer.at >= key('a')->not_before);
	elapse(key('a'));
	CHECK_TEXT(worked(), "a");
	end();
}

/* If several times are requested, the earliest one applies; a pass before it makes it obsolete. */
static void later(void)
{
	begin(1);
	queue_after(key('a'), 100 * NS_PER_SECOND);
	int64_t first = key('a')->timer.at;
	queue_after(key('a'), 200 * NS_PER_SECOND);
	CHECK(armed('a') && key('a')->timer.at == first);
	queue_after(key('a'), 50 * NS_PER_SECOND);
	CHECK(armed('a') && key('a')->timer.at < first);
	CHECK_TEXT(worked(), "");
	elapse(key('a'));
	CHECK_TEXT(worked(), "a");
	done('a', true);
	queue_after(key('a'), 100 * NS_PER_SECOND);
	add("a");
	CHECK(!armed('a') && key('a')->queued);
	queue_after(key('a'), 0);       /* has no effect, because the key is already waiting for its turn */
	CHECK(!armed('a'));
	CHECK_TEXT(worked(), "a");
	done('a', true);
	CHECK_TEXT(worked(), "");
	end();
}

/* ---- removed keys ---- */

/*
 * Removes the first key, a middle one, the last, and the only one: the others keep their turns, and a removed key can
 * be added again.
 */
static void forgotten_in_turn(void)
{
	begin(1);
	add("abcd");
	queue_drop(key('a'));
	queue_drop(key('c'));
	queue_drop(key('d'));
	CHECK(bench.queue.depth == 1);
	add("ef");
	CHECK_TEXT(worked(), "b");
	done('b', true);
	CHECK_TEXT(worked(), "e");
	done('e', true);
	CHECK_TEXT(worked(), "f");
	done('f', true);
	add("a");
	CHECK(bench.queue.depth == 1);
	queue_drop(key('a'));
	queue_drop(key('a'));
	CHECK(!bench.queue.depth && !key('a')->lane->first && !key('a')->lane->last);
	add("b");
	CHECK_TEXT(worked(), "b");
	end();
}

/* Nothing is left of a removed key: none of its timers is armed, and its changes are gone. */
static void forgotten_in_time(void)
{
	begin(2);
	add("a");
	CHECK_TEXT(worked(), "a");
	add("a");
	key('a')->to = NULL;
	queue_done(key('a'), true, 100 * NS_PER_SECOND);
	CHECK(armed('a'));
	queue_drop(key('a'));
	queue_after(key('b'), 100 * NS_PER_SECOND);
	queue_drop(key('b'));
	CHECK(!armed('a') && !armed('b') && !key('a')->dirty);
	CHECK_TEXT(worked(), "");
	loop_run(bench.loop);           /* returns, because no timer is armed */
	CHECK(!bench.queue.depth && !bench.queue.running);
	end();
}

/* A key whose failures are forgiven does not wait for them; the pause after a pass that succeeded stays. */
static void forgiven(void)
{
	begin(1);
	add("a");
	for (int n = 0; n < 12; n++) {
		CHECK_TEXT(worked(), "a");
		done('a', false);
		elapse(key('a'));
	}
	CHECK_TEXT(worked(), "a");
	done('a', false);
	add("a");
	CHECK_TEXT(worked(), "");
	queue_forgive(key('a'));
	add("a");
	CHECK_TEXT(worked(), "a");
	key('a')->to = NULL;
	queue_done(key('a'), true, 100 * NS_PER_SECOND);
	queue_forgive(key('a'));
	add("a");
	CHECK_TEXT(worked(), "");
	end();
}

/* ---- lanes ---- */

/* Lanes take turns, however many keys each of them has; within a lane, keys keep their order. */
static void lanes_take_turns(void)
{
	begin_lanes(1);
	add("abcdefk");
	CHECK_TEXT(worked(), "a");
	add("uvl");
	static const char order[] = "akbulcvdef";
	for (size_t n = 0; order[n + 1]; n++) {
		done(order[n], true);
		CHECK_TEXT(worked(), ((char[]){ order[n + 1], '\0' }));
	}
	end();
}

/* A lane whose passes never end leaves places for the others: a single one gets 8 of 10. */
static void lanes_leave_places(void)
{
	begin_lanes(10);
	add("abcdefghij");
	CHECK_TEXT(worked(), "abcdefgh");
	add("klm");
	CHECK_TEXT(worked(), "k");
	add("u");
	CHECK_TEXT(worked(), "u");
	done('k', true);
	CHECK_TEXT(worked(), "l");      /* a lane without a pass may have the last place */
	done('a', true);
	CHECK_TEXT(worked(), "");
	done('b', true);
	CHECK_TEXT(worked(), "m");
	CHECK(bench.lanes[0].running == 6 && bench.lanes[0].depth == 2 && bench.lanes[1].running == 2);
	end();
}

/* A closed lane collects keys; the others continue. */
static void lanes_closed(void)
{
	begin_lanes(5);
	queue_lane_open(&bench.queue, &bench.lanes[0], false);
	add("abk");
	CHECK_TEXT(worked(), "k");
	CHECK(bench.lanes[0].depth == 2);
	queue_lane_open(&bench.queue, &bench.lanes[0], true);
	CHECK_TEXT(worked(), "ab");
	CHECK(bench.lanes[0].started == 2 && bench.lanes[1].started == 1 && bench.lanes[0].waited >= 0);
	end();
}

/* A lane that loses all its keys, and one that is dropped while it waits between two others. */
static void lanes_dropped(void)
{
	begin_lanes(1);
	add("aku");
	queue_drop(key('k'));
	queue_lane_drop(&bench.queue, &bench.lanes[1]);
	CHECK(!bench.lanes[1].waits && bench.queue.depth == 2);
	queue_drop(key('u'));
	CHECK_TEXT(worked(), "a");
	done('a', true);
	CHECK_TEXT(worked(), "");
	add("uk");
	CHECK_TEXT(worked(), "u");
	done('u', true);
	CHECK_TEXT(worked(), "k");
	end();
}

static void tests_of_keys(void)
{
	turns();
	fairness();
	limits();
	closed();
	added_while_handled();
	back_off();
	back_off_by_key();
	pauses();
	later();
	forgiven();
	forgotten_in_turn();
	forgotten_in_time();
}

int main(void)
{
	tests_of_keys();
	alone = true;
	tests_of_keys();
	lanes_take_turns();
	lanes_leave_places();
	lanes_closed();
	lanes_dropped();
	return unit_end();
}
