/*
 * cluster_store_test.c - what the controller knows about jobs and their objects: responses to its own requests before
 * the watch reports them, late and repeated events, lists without an object that existed, deletions, jobs under old
 * names.
 */
#include "cluster_world.h"
#include "data/data_read.h"
#include "data/data_write.h"
#include "runtime/status/look.h"
#include "runtime/supervise/supervise_jobs.h"
#include "runtime/supervise/supervised.h"
#include "runtime/supervise/tenant.h"
#include "runtime/supervise/watches.h"

static const struct data *tree(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static const struct data *tree(const char *fmt, ...)
{
	char text[2048];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	struct source source = { .text = str_copy(&world, str_of(text)), .base = 1 };
	struct data_error error;
	struct data *d;

	if (!data_read_json(&world, &source, &d, &error))
		abort();
	return d;
}

/* ---- the store ---- */

static bool put_in(struct store *s, const char *ns, const char *job, const char *uid, const char *version,
	const char *phase)
{
	return store_put(s, STR("Pod"), tree("{\"metadata\":{\"name\":\"%s-pod\",\"namespace\":\"%s\",\"uid\":\"%s\","
		"\"resourceVersion\":\"%s\",\"labels\":{\"" STORE_LABEL "\":\"%s\"}},\"status\":{\"phase\":\"%s\"}}",
		uid, ns, uid, version, job, phase));
}

static bool put(struct store *s, const char *job, const char *uid, const char *version, const char *phase)
{
	return put_in(s, "x", job, uid, version, phase);
}

/* Lists the objects of a job as "uid:phase ", the latest one first. */
static struct str held_in(const struct store *s, const char *ns, const char *job)
{
	struct status_objects objects = { 0 };
	struct buf b = { 0 };

	store_objects(s, &world, str_of(ns), str_of(job), &objects);
	for (size_t i = 0; i < objects.n; i++)
		buf_printf(&b, "%.*s:%.*s ", STR_ARG(status_text(objects.at[i], "metadata.uid")),
			STR_ARG(status_text(objects.at[i], "status.phase")));
	struct str text = b.n ? buf_take(&b, &world) : STR("");
	buf_release(&b);
	return text;
}

static struct str held(const struct store *s, const char *job) { return held_in(s, "x", job); }

/* The text of SIZE letters. */
static struct str letters(size_t size)
{
	char *p = arena_alloc(&world, size);

	memset(p, 'x', size);
	return (struct str){ p, size };
}

/* Stores a pod with a label and an owner of these sizes; returns how many bytes are kept of it. */
static size_t put_large(struct store *s, const char *uid, bool controlled, size_t label, size_t owner)
{
	size_t before = s->bytes;
	struct str l = letters(label), o = letters(owner);
	struct source source = { .base = 1, .text = str_printf(&world, "{\"metadata\":{\"name\":\"a-0\",\"namespace\":"
		"\"x\",\"uid\":\"%s\",\"resourceVersion\":\"1\",\"labels\":{\"" STORE_LABEL "\":\"a\",\"l\":\"%.*s\"},"
		"\"ownerReferences\":[{\"uid\":\"%.*s\",\"controller\":%s}]},\"status\":{\"phase\":\"Running\"}}",
		uid, STR_ARG(l), STR_ARG(o), controlled ? "true" : "false") };
	struct data_error error;
	struct data *d;

	CHECK(data_read_json(&world, &source, &d, &error) && store_put(s, STR("Pod"), d));
	return s->bytes - before;
}

/*
 * Whoever may create pods can give them the label of a job, and texts of any size: these are not kept. The pod still
 * occupies its name.
 */
static void large_objects(void)
{
	struct store s = { 0 };

	put_large(&s, "u1", false, 100, 36);
	CHECK(put_large(&s, "u2", false, 200000, 36) < 200);
	CHECK(put_large(&s, "u3", false, 100, 200000) < 200);
	CHECK(put_large(&s, "u4", true, 200000, 36) < 200);
	CHECK(put_large(&s, "u5", true, 100, 200000) < 200);
	CHECK_TEXT(held(&s, "a"), "u5: u4:Running u3: u2: u1:Running ");
	store_release(&s);
	s = (struct store){ .runs = true };
	CHECK(put_large(&s, "u6", false, 200000, 36) < 200);
	store_release(&s);
}

/* The response to our own request is newer than events that the watch delivers after it. */
static void expectations(void)
{
	struct store s = { 0 };

	CHECK_TEXT(held(&s, "a"), "");
	/* the response to our own request comes before any event */
	CHECK(put(&s, "a", "u1", "10", "Pending"));
	CHECK_TEXT(held(&s, "a"), "u1:Pending ");
	CHECK(!put(&s, "a", "u1", "10", "Pending"));            /* the watch reports the same object */
	CHECK(put(&s, "a", "u1", "12", "Failed"));
	CHECK(!put(&s, "a", "u1", "11", "Running") && !put(&s, "a", "u1", "9", "Pending"));
	CHECK_TEXT(held(&s, "a"), "u1:Failed ");
	CHECK(put(&s, "a", "u1", "100", "Succeeded"));          /* versions are compared as numbers, not as texts */
	CHECK_TEXT(held(&s, "a"), "u1:Succeeded ");
	CHECK(s.n == 1);
	store_release(&s);
	CHECK(!s.n && !s.bytes);
}

/* Returns, as JSON, what the store keeps of an object with METADATA and STATUS. */
static struct str kept_of(const char *kind, const char *metadata, const char *status)
{
	struct store s = { 0 };
	struct status_objects objects = { 0 };
	struct buf b = { 0 };

	store_put(&s, str_of(kind), tree("{\"metadata\":{\"name\":\"p\",\"namespace\":\"x\",\"uid\":\"u\","
		"\"resourceVersion\":\"5\",\"creationTimestamp\":\"t\",\"annotations\":{\"a\":\"b\"},"
		"\"labels\":{\"" STORE_LABEL "\":\"a\",\"more\":\"\\\"\\u00e9\"},\"managedFields\":[{\"f:a\":{}}]%s},"
		"\"spec\":{\"large\":true}%s}", metadata, status));
	store_objects(&s, &world, STR("x"), STR("a"), &objects);
	CHECK(objects.n == 1);
	if (objects.n)
		data_write(&b, objects.at[0]);
	store_release(&s);
	struct str text = b.n ? buf_take(&b, &world) : STR("");
	buf_release(&b);
	return text;
}

static void count_pod(void *to, const struct data *object)
{
	*(size_t *)to += str_is(status_text(object, "status.phase"), "Running") &&
		str_is(status_text(status_list(object, "metadata.ownerReferences")->u.list.at[0], "uid"), "the-owner");
}

/* A thousand pods take about 100 bytes each, and are visited one by one. */
static void alike(void)
{
	struct store s = { 0 };
	size_t n = 0;

	for (unsigned i = 0; i < 1000; i++)
		store_put(&s, STR("Pod"), tree("{\"metadata\":{\"name\":\"large-worker-%u\",\"namespace\":\"x\","
			"\"uid\":\"5cf1d6a2-3ae4-4b87-9d6c-%012u\",\"resourceVersion\":\"%u\","
			"\"labels\":{\"" STORE_LABEL "\":\"large\"},"
			"\"ownerReferences\":[{\"uid\":\"the-owner\",\"controller\":true}]},\"status\":"
			"{\"phase\":\"Running\",\"startTime\":\"2026-01-01T00:%02u:00Z\","
			"\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}],"
			"\"containerStatuses\":[{\"name\":\"main\",\"restartCount\":%u}]}}",
			i, i * 7919, i + 1, i / 17, i % 3));
	store_each(&s, STR("x"), STR("large"), count_pod, &n);
	CHECK(n == 1000);
	CHECK(s.bytes > 10000 && s.bytes < 100000);
	CHECK(store_has(&s, STR("x"), STR("large")) && !store_has(&s, STR("x"), STR("larg")));
	n = 0;
	store_each(&s, STR("y"), STR("large"), count_pod, &n);
	CHECK(n == 0);
	store_release(&s);
}

/* Only what passes read is kept: a controller holds the objects of thousands of jobs. */
static void kept(void)
{
	CHECK_TEXT(kept_of("Service", ",\"ownerReferences\":[{\"apiVersion\":\"v1\",\"uid\":\"o\",\"name\":\"n\","
		"\"controller\":true}],\"deletionTimestamp\":\"2026-01-02T00:00:00Z\"",
		",\"status\":{\"loadBalancer\":{}}"),
		"{\"kind\":\"Service\",\"metadata\":{\"name\":\"p\",\"namespace\":\"x\",\"uid\":\"u\","
		"\"deletionTimestamp\":\"2026-01-02T00:00:00Z\","
		"\"ownerReferences\":[{\"uid\":\"o\",\"controller\":true}]}}");
	/* Without an owner reference to a controller, labels say which job the object belongs to. */
	CHECK_TEXT(kept_of("Service",
		",\"ownerReferences\":[{\"uid\":\"o\"},{\"uid\":\"q\",\"controller\":false}]", ""),
		"{\"kind\":\"Service\",\"metadata\":{\"name\":\"p\",\"namespace\":\"x\",\"uid\":\"u\","
		"\"ownerReferences\":[{\"uid\":\"o\"},{\"uid\":\"q\",\"controller\":false}],"
		"\"labels\":{\"" STORE_LABEL "\":\"a\",\"more\":\"\\\"\xC3\xA9\"}}}");
	CHECK_TEXT(kept_of("Pod", ",\"ownerReferences\":[{\"uid\":\"o\",\"controller\":true}]",
		",\"status\":{\"phase\":\"Failed\",\"podIP\":\"192.0.2.1\",\"reason\":\"Evicted\","
		"\"startTime\":\"2026-01-01T00:00:00Z\",\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\","
		"\"message\":\"m\"}],\"containerStatuses\":[{\"name\":\"c\",\"image\":\"i\",\"restartCount\":2,"
		"\"state\":{\"terminated\":{\"exitCode\":137,\"finishedAt\":\"t\",\"message\":\"m\"}}}],"
		"\"initContainerStatuses\":[{\"name\":\"i\",\"restartCount\":1,\"state\":{\"waiting\":{}}}]}"),
		"{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"namespace\":\"x\",\"uid\":\"u\","
		"\"ownerReferences\":[{\"uid\":\"o\",\"controller\":true}]},\"status\":{\"phase\":\"Failed\","
		"\"reason\":\"Evicted\",\"startTime\":\"2026-01-01T00:00:00Z\","
		"\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}],"
		"\"containerStatuses\":[{\"name\":\"c\",\"restartCount\":2,"
		"\"state\":{\"terminated\":{\"exitCode\":137,\"finishedAt\":\"t\"}}}],"
		"\"initContainerStatuses\":[{\"name\":\"i\",\"restartCount\":1,\"state\":{}}]}}");
	/* Objects of an unexpected shape are ignored and cause no errors. */
	CHECK_TEXT(kept_of("Pod", ",\"ownerReferences\":7", ",\"status\":\"x\""),
		"{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"namespace\":\"x\",\"uid\":\"u\","
		"\"ownerReferences\":7,\"labels\":{\"" STORE_LABEL "\":\"a\",\"more\":\"\\\"\xC3\xA9\"}},"
		"\"status\":\"x\"}");
}

static void deletions(void)
{
	struct store s = { 0 };
	struct str ns, job;

	CHECK(!store_remove(&s, STR("u1")));
	put(&s, "a", "u1", "5", "Running");
	put(&s, "a", "u2", "6", "Pending");
	put(&s, "a", "u2", "8", "Running");
	put(&s, "b", "u3", "7", "Running");
	CHECK(store_job(&s, &world, STR("u2"), &ns, &job));
	CHECK_TEXT(ns, "x");
	CHECK_TEXT(job, "a");
	CHECK(store_remove(&s, STR("u2")) && !store_remove(&s, STR("u2")));
	CHECK(!store_job(&s, &world, STR("u2"), &ns, &job));
	CHECK_TEXT(held(&s, "a"), "u1:Running ");
	CHECK_TEXT(held(&s, "b"), "u3:Running ");
	/* a different object with the same name: its versions start over */
	CHECK(put(&s, "a", "u4", "3", "Pending"));
	CHECK_TEXT(held(&s, "a"), "u4:Pending u1:Running ");
	CHECK(store_remove(&s, STR("u1")) && store_remove(&s, STR("u4")) && store_remove(&s, STR("u3")));
	CHECK_TEXT(held(&s, "a"), "");
	CHECK(!s.n && !s.bytes);
	store_release(&s);
}

/* The same name in two namespaces stands for two jobs, and names are not truncated anywhere. */
static void apart(void)
{
	struct store s = { 0 };

	put_in(&s, "x", "a", "u1", "1", "Running");
	put_in(&s, "y", "a", "u2", "1", "Pending");
	put_in(&s, "xa", "", "u3", "1", "Failed");
	CHECK_TEXT(held_in(&s, "x", "a"), "u1:Running ");
	CHECK_TEXT(held_in(&s, "y", "a"), "u2:Pending ");
	CHECK_TEXT(held_in(&s, "xa", ""), "u3:Failed ");
	CHECK_TEXT(held_in(&s, "y", "b"), "");
	store_release(&s);
}

static bool is_even(void *to, struct str uid, struct str version)
{
	(void)to;
	(void)version;
	return (uid.p[uid.n - 1] - '0') % 2 == 0;
}

static void count_gone(void *to, struct str ns, struct str job)
{
	*(size_t *)to += str_is(ns, "x") && str_is(job, "a");
}

/* Objects that a snapshot shows to be gone are removed, but only those of the kind of the snapshot. */
static void swept(void)
{
	struct store s = { 0 };
	size_t n = 0;
	char uid[16];

	for (int i = 0; i < 10; i++) {
		snprintf(uid, sizeof uid, "u%d", i);
		put(&s, "a", uid, "10", "Running");
	}
	store_put(&s, STR("Service"), tree("{\"metadata\":{\"name\":\"s\",\"namespace\":\"x\",\"uid\":\"s1\","
		"\"resourceVersion\":\"5\",\"labels\":{\"" STORE_LABEL "\":\"a\"}}}"));
	store_sweep(&s, STR("Pod"), is_even, count_gone, &n);
	CHECK(n == 5 && s.n == 6 && !store_remove(&s, STR("u3")) && store_remove(&s, STR("u4")));
	store_sweep(&s, STR("Service"), is_even, count_gone, &n);
	CHECK(n == 6 && s.n == 4);
	store_release(&s);
	store_sweep(&s, STR("Pod"), is_even, count_gone, &n);
	CHECK(n == 6);
}

/* A thousand objects of a hundred jobs: each is found until it is removed. */
static void many(void)
{
	enum { OBJECTS = 1000, JOBS = 100 };
	struct store s = { 0 };
	char uid[16], job[16];
	size_t missed = 0, left = 0;

	for (int i = 0; i < OBJECTS; i++) {
		snprintf(uid, sizeof uid, "u%d", i);
		snprintf(job, sizeof job, "j%d", i % JOBS);
		put(&s, job, uid, "1", "Running");
	}
	CHECK(s.n == OBJECTS && s.slots >= OBJECTS && s.bytes > OBJECTS);
	for (int i = 0; i < OBJECTS; i += 2) {
		snprintf(uid, sizeof uid, "u%d", i);
		missed += !store_remove(&s, str_of(uid));
	}
	for (int i = 0; i < JOBS; i++) {
		snprintf(job, sizeof job, "j%d", i);
		left += world_count(held(&s, job), "Running") * (i % 2 ? 1 : 1000);
	}
	CHECK(!missed && left == OBJECTS / 2 && s.n == OBJECTS / 2);
	store_release(&s);
}

/* ---- a controller that runs no real passes ---- */

struct bench {
	struct peer peer;
	struct standin server;
	struct controller control;
	struct watches *watches;
	/* "NAME:N " for each job that was queued, where N is the number of its objects known at that time */
	struct buf worked;
	bool hold;                      /* passes start but do not end */
	size_t syncs, outages;          /* how often the watches became current, and stopped being so */
	/* the loop ends when `worked` contains this text and all watches are live; NULL: never */
	const char *until;
};

static struct bench bench;

static void maybe_stop(void)
{
	if (bench.until && bench.syncs && world_count(buf_text(&bench.worked), bench.until))
		loop_stop(bench.peer.loop);
}

static void work(struct queue_item *i)
{
	struct supervised *j = i->to;
	struct status_objects objects = { 0 };

	store_objects(&bench.control.store, &world, j->ns, j->name, &objects);
	buf_printf(&bench.worked, "%.*s:%zu ", STR_ARG(j->name), objects.n);
	if (!bench.hold)
		queue_done(i, true, 0);
	maybe_stop();
}

static void begin(const char *script)
{
	bench = (struct bench){ 0 };
	standin_start(&bench.server, script);
	peer_access(&bench.peer, &bench.server, NULL);
	if (!peer_open(&bench.peer, (struct peer_options){ .retry_limit = 5 * NS_PER_SECOND }))
		abort();
	bench.control.client.loop = bench.peer.loop;
	bench.control.client.calls = bench.peer.calls;
	bench.control.ns = STR("x");
	bench.control.operators = true;
	bench.control.shard.total = 1;
	queue_init(&bench.control.queue, bench.peer.loop, 8, work);
	queue_open(&bench.control.queue, true);
}

static void end(void)
{
	watches_stop(bench.watches);
	jobs_release(&bench.control);
	tenants_release(&bench.control);
	store_release(&bench.control.store);
	store_release(&bench.control.run_objects);
	loop_timer_drop(bench.peer.loop, &bench.control.queue.kick);
	peer_close(&bench.peer);
	standin_stop(&bench.server);
	buf_release(&bench.worked);
}

static struct str worked(void)
{
	for (int n = 0; n < 12; n++)
		loop_turn(bench.peer.loop);
	struct str text = bench.worked.n ? str_copy(&world, buf_text(&bench.worked)) : STR("");
	bench.worked.n = 0;
	return text;
}

static const struct data *resource(const char *name, const char *uid, int generation, const char *more)
{
	return tree("{\"metadata\":{\"name\":\"%s\",\"namespace\":\"x\",\"uid\":\"%s\",\"resourceVersion\":\"1\","
		"\"generation\":%d%s},\"spec\":{}}", name, uid, generation, more);
}

static void seen(const char *name, const char *uid, int generation, const char *more)
{
	jobs_seen(&bench.control, custom_kind(0), resource(name, uid, generation, more));
}

static struct supervised *job(const char *name)
{
	for (size_t i = 0; i < bench.control.slots; i++)
		for (struct supervised *j = bench.control.by_name[i]; j; j = j->next)
			if (str_is(j->name, name))
				return j;
	return NULL;
}

/* ---- jobs ---- */

/* A job is queued when its author changes it, but not when the controller itself writes its status. */
static void news(void)
{
	begin("on GET *\nhang\n");
	seen("a", "u1", 1, "");
	CHECK_TEXT(worked(), "a:0 ");
	seen("a", "u1", 1, ",\"annotations\":{\"trainc.dev/record\":\"{}\"}");
	CHECK_TEXT(worked(), "");
	seen("a", "u1", 2, "");
	CHECK_TEXT(worked(), "a:0 ");
	seen("a", "u1", 2, ",\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"");
	CHECK_TEXT(worked(), "a:0 ");
	jobs_touch(&bench.control, STR("x"), STR("a"));
	jobs_touch(&bench.control, STR("y"), STR("a"));
	jobs_touch(&bench.control, STR("x"), STR("b"));
	CHECK_TEXT(worked(), "a:0 ");
	end();
}

/* A new resource under an old name is a different job; a late event about the end of the old one does not end it. */
static void renewed(void)
{
	begin("on GET *\nhang\n");
	seen("a", "u1", 1, "");
	CHECK_TEXT(worked(), "a:0 ");
	seen("a", "u2", 1, "");
	CHECK(bench.control.njobs == 1 && str_is(job("a")->uid, "u2"));
	CHECK_TEXT(worked(), "a:0 ");
	jobs_gone(&bench.control, custom_kind(0), resource("a", "u1", 1, ""));
	CHECK(bench.control.njobs == 1);
	jobs_gone(&bench.control, custom_kind(1), resource("a", "u2", 1, ""));
	CHECK(bench.control.njobs == 1);
	jobs_gone(&bench.control, custom_kind(0), resource("a", "u2", 1, ""));
	CHECK(!bench.control.njobs && !job("a"));
	jobs_touch(&bench.control, STR("x"), STR("a"));
	CHECK_TEXT(worked(), "");
	end();
}

/* A job that is deleted while it waits leaves the queue; one with a pass in progress stays until that has ended. */
static void gone(void)
{
	begin("on GET *\nhang\n");
	bench.hold = true;
	seen("a", "u1", 1, "");
	seen("b", "u2", 1, "");
	jobs_gone(&bench.control, custom_kind(0), resource("a", "u1", 1, ""));
	CHECK_TEXT(worked(), "b:0 ");
	struct supervised *busy = job("b");
	jobs_gone(&bench.control, custom_kind(0), resource("b", "u2", 1, ""));
	CHECK(busy->gone && !bench.control.njobs && !job("b"));
	bench.hold = false;
	seen("b", "u3", 1, "");         /* the new job of the same name does not wait for the pass of the old one */
	CHECK_TEXT(worked(), "b:0 ");
	CHECK(job("b") != busy && busy->item.busy);
	queue_done(&busy->item, true, 0);
	queue_drop(&busy->item);
	supervised_free(busy);
	CHECK(!bench.control.queue.running);
	end();
}

/*
 * Jobs of two kinds may have the same name; then an object with the label of that name belongs to both. Tables grow
 * with all entries kept.
 */
static void tables(void)
{
	char name[16];
	size_t found = 0;

	begin("on GET *\nhang\n");
	for (int i = 0; i < 300; i++) {
		snprintf(name, sizeof name, "j%d", i);
		seen(name, name, 1, "");
	}
	jobs_seen(&bench.control, custom_kind(1), resource("j7", "other", 1, ""));
	worked();
	for (int n = 0; n < 100 && bench.control.queue.depth; n++)
		worked();
	for (int i = 0; i < 300; i++) {
		snprintf(name, sizeof name, "j%d", i);
		found += job(name) != NULL;
	}
	CHECK(found == 300 && bench.control.njobs == 301);
	jobs_touch(&bench.control, STR("x"), STR("j7"));
	CHECK_TEXT(worked(), "j7:0 j7:0 ");
	end();
}

/* ---- watches ---- */

#define JSON "header Content-Type application/json\n"
#define PODS "/api/v1/namespaces/x/pods"
#define FIRST "on GET " PODS "?sendInitialEvents=true 1\n" JSON
#define EVENT(type, object) "body {\"type\":\"" type "\",\"object\":" object "}\\n\n"
#define POD(job, name, uid, version) "{\"metadata\":{\"name\":\"" name "\",\"namespace\":\"x\",\"uid\":\"" uid \
	"\",\"resourceVersion\":\"" version "\",\"labels\":{\"" STORE_LABEL "\":\"" job "\"}}," \
	"\"status\":{\"phase\":\"p" version "\"}}"
#define MARK(version) EVENT("BOOKMARK", "{\"metadata\":{\"resourceVersion\":\"" version "\"," \
	"\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}")
#define FORGOTTEN EVENT("ERROR", "{\"kind\":\"Status\",\"code\":410,\"reason\":\"Expired\",\"message\":\"m\"}")
/* In this cluster, Services and the kinds of custom resources do not exist. */
#define REST "wait 1\nhang\non GET " PODS "\n" JSON "hang\non GET *\ncode 404\n" JSON \
	"body {\"kind\":\"Status\",\"code\":404,\"reason\":\"NotFound\",\"message\":\"m\"}\n"

static void turned(struct controller *c)
{
	(void)c;
	++*(watches_current(bench.watches) ? &bench.syncs : &bench.outages);
	maybe_stop();
}

/* Jobs `a`, `b` and `end` exist; watches pods until a pod of `end` is known. */
static void watch(const char *script)
{
	begin(script);
	seen("a", "ja", 1, "");
	seen("b", "jb", 1, "");
	seen("end", "je", 1, "");
	CHECK_TEXT(worked(), "a:0 b:0 end:0 ");
	bench.until = "end:1";
	put(&bench.control.store, "a", "u1", "7", "answer");
	bench.watches = watches_start(&bench.control, turned);
	peer_run(&bench.peer);
}

/* Was JOB queued when N of its objects were known? How often is not counted, because passes of one round are merged. */
static bool came_up(const char *job_and_n) { return world_count(buf_text(&bench.worked), job_and_n) > 0; }

static void live(void)
{
	const struct store *s = &bench.control.store;

	watch(FIRST EVENT("ADDED", POD("a", "a-0", "u1", "5")) EVENT("ADDED", POD("b", "b-0", "u2", "6")) MARK("9")
		EVENT("ADDED", POD("a", "a-1", "u3", "10")) EVENT("MODIFIED", POD("a", "a-1", "u3", "12"))
		EVENT("MODIFIED", POD("a", "a-1", "u3", "11")) EVENT("DELETED", POD("b", "b-0", "u2", "13"))
		EVENT("ADDED", POD("end", "e", "u4", "14")) REST);
	CHECK(came_up("a:2 ") && came_up("b:0 ") && bench.syncs == 1);
	CHECK_TEXT(held(s, "a"), "u3:p12 u1:answer ");
	CHECK_TEXT(held(s, "b"), "");
	/* Is the response older than what the watch has reported? */
	CHECK(bench.control.pods && object_watch_past(bench.control.pods, STR("14")));
	CHECK(!object_watch_past(bench.control.pods, STR("15")));
	CHECK(!bench.control.services && watches_cover(bench.watches, false));
	end();
}

/*
 * After a list instead of events, objects that are missing in the list are gone, and their job is queued, although no
 * event has a label with its name.
 */
static void replaced(void)
{
	const struct store *s = &bench.control.store;

	watch(FIRST EVENT("ADDED", POD("a", "a-0", "u1", "8")) EVENT("ADDED", POD("b", "b-0", "u2", "6")) MARK("9")
		FORGOTTEN "wait 1\n" FIRST EVENT("ADDED", POD("b", "b-0", "u2", "20"))
		EVENT("ADDED", POD("b", "b-1", "u5", "19")) MARK("21")
		EVENT("ADDED", POD("end", "e", "u4", "22")) REST);
	CHECK(came_up("a:0 ") && came_up("b:2 "));
	CHECK_TEXT(held(s, "a"), "");
	CHECK_TEXT(held(s, "b"), "u5:p19 u2:p20 ");
	/* the other watches may have been answered before or after the list */
	CHECK(s->n == 3 && bench.syncs == 1 && bench.outages <= 1);
	end();
}

/* A pod is re-created under its name, without an event about the end of the old pod. */
static void made_anew(void)
{
	watch(FIRST EVENT("ADDED", POD("a", "a-0", "u1", "8")) MARK("9") EVENT("ADDED", POD("a", "a-0", "u6", "15"))
		EVENT("DELETED", POD("a", "a-0", "u1", "14")) EVENT("ADDED", POD("end", "e", "u4", "22")) REST);
	CHECK(came_up("a:1 "));
	CHECK_TEXT(held(&bench.control.store, "a"), "u6:p15 ");
	end();
}

static void until_failed(struct loop_timer *t)
{
	if (bench.control.pods)
		loop_timer_set(bench.peer.loop, t, NS_PER_SECOND / 200);
	else
		loop_stop(bench.peer.loop);
}

/* If one watch is forbidden, the watches never count as live, so nothing is decided from incomplete objects. */
static void forbidden(void)
{
	struct loop_timer look = { .fire = until_failed };

	begin("on GET " PODS "\ncode 403\n" JSON
		"body {\"kind\":\"Status\",\"code\":403,\"reason\":\"Forbidden\",\"message\":\"m\"}\n"
		"on GET *\ncode 404\n" JSON
		"body {\"kind\":\"Status\",\"code\":404,\"reason\":\"NotFound\",\"message\":\"m\"}\n");
	bench.watches = watches_start(&bench.control, turned);
	loop_timer_set(bench.peer.loop, &look, 0);
	peer_run(&bench.peer);
	loop_timer_drop(bench.peer.loop, &look);
	CHECK(!bench.control.pods && !bench.syncs && !watches_cover(bench.watches, false));
	end();
}

int main(void)
{
	if (!world_begin())
		return 1;
	signal(SIGPIPE, SIG_IGN);
	expectations();
	large_objects();
	kept();
	alike();
	deletions();
	apart();
	swept();
	many();
	news();
	renewed();
	gone();
	tables();
	live();
	replaced();
	made_anew();
	forbidden();
	return world_end();
}
