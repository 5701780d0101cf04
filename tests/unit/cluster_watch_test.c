/*
 * cluster_watch_test.c - lists and watches from a scripted server: pages, snapshots, cuts at every byte, expired
 * versions, replayed events, objects under an old name; and the cost of all these.
 */
#include <sys/resource.h>

#include "cluster_world.h"
#include "runtime/cluster/object_watch.h"

#ifdef __SANITIZE_ADDRESS__
enum { SLOW = 1 };              /* in a sanitizer build, time and memory are not checked */
#else
enum { SLOW = 0 };
#endif

#define JSON "header Content-Type application/json\n"
/* The beginning of a list of pods. */
#define LIST "{\"kind\":\"PodList\",\"apiVersion\":\"v1\","
#define PODS "/api/v1/namespaces/x/pods"
#define FIRST "on GET " PODS "?sendInitialEvents=true 1\n" JSON
#define AGAIN "on GET " PODS "?!sendInitialEvents 1\n" JSON
#define REFUSE "on GET " PODS "?watch=true\ncode 403\n" JSON "body {\"kind\":\"Status\",\"code\":403,\"reason\":\"Forbidden\",\"message\":\"enough\"}\n"

static void begin(struct peer *p, struct standin *s, const char *script)
{
	standin_start(s, script);
	*p = (struct peer){ 0 };
	peer_access(p, s, NULL);
	if (!peer_open(p, (struct peer_options){ .retry_limit = 5 * NS_PER_SECOND, .read = 5 * NS_PER_SECOND }))
		abort();
}

static void end(struct peer *p, struct standin *s)
{
	peer_close(p);
	standin_stop(s);
}

static struct str member(const struct data *d, const char *a, const char *b)
{
	const struct data *m = data_get(d, str_of(a));
	const struct data *v = b ? data_get(m, str_of(b)) : m;

	return v && v->kind == DATA_STRING ? v->u.string : STR("-");
}

/* ---- lists ---- */

struct listing {
	struct peer *peer;
	struct object_list *list;
	size_t objects, restarts, dones, stop_after;
	struct buf names;
	struct transport_result result;
	struct str version;
	bool inconsistent, cancel;
};

static bool list_object(void *to, const struct data *d)
{
	struct listing *l = to;

	l->objects++;
	if (l->objects <= 20)
		buf_printf(&l->names, "%.*s ", STR_ARG(member(d, "metadata", "name")));
	if (l->cancel) {
		object_list_cancel(l->list);
		loop_stop(l->peer->loop);
	}
	return l->objects != l->stop_after;
}

static void list_restart(void *to)
{
	struct listing *l = to;

	l->restarts++;
	l->objects = 0;
	l->names.n = 0;
}

static void list_done(void *to, const struct transport_result *r, struct str version, bool inconsistent)
{
	struct listing *l = to;

	l->dones++;
	l->result = *r;
	l->result.error = str_copy(&world, r->error);
	l->version = str_copy(&world, version);
	l->inconsistent = inconsistent;
	loop_stop(l->peer->loop);
}

static void list(struct peer *p, struct listing *l, unsigned page)
{
	struct object_list_options o = { .path = STR(PODS), .label_selector = STR("a=b"), .page = page,
		.object = list_object,
		.restart = list_restart, .done = list_done, .to = l };

	l->peer = p;
	l->list = object_list_start(p->calls, &o);
	peer_run(p);
}

/* The script of a server with N objects, in pages of PAGE objects. */
static const char *pages(size_t n, size_t page, const char *extra)
{
	struct buf b = { 0 };
	size_t at = 0;

	do {
		if (at)
			buf_printf(&b, "on GET " PODS "?continue=at%zux\n" JSON "body ", at);
		else
			buf_z(&b, "on GET " PODS "?!continue\n" JSON "body ");
		size_t end = at + page < n ? at + page : n;
		buf_printf(&b, LIST "\"metadata\":{\"resourceVersion\":\"%zu\"", 100 + at);
		if (end < n)
			buf_printf(&b, ",\"continue\":\"at%zux\"", end);
		buf_z(&b, "},\"items\":[");
		for (; at < end; at++)
			buf_printf(&b, "%s{\"metadata\":{\"name\":\"p%zu\",\"uid\":\"u%zu\",\"resourceVersion\":\"1\",\"managedFields\":[1]%s}}", at % page ? "," : "", at, at, extra);
		buf_z(&b, "]}\n");
	} while (at < n);
	const char *script = buf_take(&b, &world).p;
	buf_release(&b);
	return script;
}

static void lists(void)
{
	static const size_t sizes[] = { 0, 1, 500, 501, 10000 };
	struct standin s;
	struct peer p;

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct listing l = { 0 };
		begin(&p, &s, pages(sizes[i], 500, ""));
		list(&p, &l, 0);
		CHECK(l.dones == 1 && transport_ok(&l.result) && l.objects == sizes[i] && !l.inconsistent);
		CHECK_TEXT(l.version, "100");
		CHECK(world_count(standin_record(&s),
			"?limit=500&labelSelector=a%3Db") == (sizes[i] ? (sizes[i] + 499) / 500 : 1));
		buf_release(&l.names);
		end(&p, &s);
	}
	struct listing l = { 0 };
	begin(&p, &s,
		"on GET *\n" JSON "body " LIST
			"\"items\":null,\"metadata\":{\"resourceVersion\":\"7\"},\"unknown\":[{}]}\n");
	list(&p, &l, 0);
	CHECK(l.dones == 1 && !l.objects);
	CHECK_TEXT(l.version, "7");
	end(&p, &s);
}

/* Listing 100 objects with a megabyte of annotations each needs no more memory than listing one. */
static void large_objects(void)
{
	struct standin s;
	struct peer p;
	struct listing l = { 0 };
	struct buf b = { 0 };

	buf_z(&b, "on GET *\n" JSON "body " LIST "\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[{}\n");
	for (int i = 0; i < 20; i++)
		buf_printf(&b,
			"body ,{\"metadata\":{\"name\":\"p\",\"annotations\":{\"a\":\"\ntimes 1000000 x\nbody \"}}}\n");
	buf_z(&b, "body ]}\n");
	buf_char(&b, 0);
	begin(&p, &s, b.p);
	list(&p, &l, 0);
	CHECK(transport_ok(&l.result) && l.objects == 21);
	buf_release(&l.names);
	buf_release(&b);
	end(&p, &s);
}

#define PAGE1 LIST "\"metadata\":{\"resourceVersion\":\"7\",\"continue\":\"c2\"},\"items\":[" OBJ("a") "," OBJ("b")
#define OBJ(name) "{\"metadata\":{\"name\":\"" name "\"}}"

static void list_faults(void)
{
	struct standin s;
	struct peer p;
	struct listing l = { 0 };

	/*
	 * After a cut in the first page the list starts over; after a cut in a later page it resumes after the last
	 * complete object.
	 */
	begin(&p, &s,
		"on GET " PODS "?!continue 1\n" JSON "body " PAGE1 "\nwait 5\ncut\non GET " PODS "?!continue\n" JSON
		"body " PAGE1 "]}\n"
	      "on GET " PODS "?continue=c2 1\n" JSON "body " LIST
	      	"\"metadata\":{},\"items\":[" OBJ("c") ",\nwait 5\ncut\n"
	      "on GET " PODS "?continue=c2 1\n" JSON "body " LIST
	      	"\"metadata\":{},\"items\":[" OBJ("c") "," OBJ("d") "]}\n");
	list(&p, &l, 2);
	CHECK(transport_ok(&l.result) && l.restarts == 1);
	CHECK_TEXT(buf_text(&l.names), "a b c d ");
	end(&p, &s);
	buf_release(&l.names);

	/* A page that is malformed once is requested again; if it is malformed twice, the error has its position. */
	l = (struct listing){ 0 };
	begin(&p, &s,
		"on GET * 1\n" JSON "body " LIST "\"items\":[" OBJ("a") ",x]}\non GET *\n" JSON
		"body " LIST "\"items\":[" OBJ("a") "]}\n");
	list(&p, &l, 0);
	CHECK(transport_ok(&l.result) && l.restarts == 1);
	CHECK_TEXT(buf_text(&l.names), "a ");
	end(&p, &s);
	buf_release(&l.names);
	static const char *const broken[] = { "{\"items\":[x]}", "{\"items\":[1", "{\"items\":[\"\\xff\"]}", "17" };
	for (size_t i = 0; i < 4; i++) {
		l = (struct listing){ 0 };
		begin(&p, &s, str_printf(&world, "on GET *\n" JSON "body %s\n", broken[i]).p);
		list(&p, &l, 0);
		CHECK(l.dones == 1 && l.result.outcome == TRANSPORT_BROKEN && call_exit_status(&l.result) == 7);
		CHECK(world_count(l.result.error, "GET " PODS ": the answer is not a list in JSON: ") == 1);
		CHECK(world_count(standin_record(&s), "GET") == 2);
		end(&p, &s);
		buf_release(&l.names);
	}

	/*
	 * After a 410 with a token, the list continues, and counts as inconsistent. After one without a token, it
	 * starts over.
	 */
	l = (struct listing){ 0 };
	begin(&p, &s, "on GET " PODS "?!continue\n" JSON "body " PAGE1 "]}\non GET " PODS
		"?continue=c2\ncode 410\n" JSON
	      "body {\"kind\":\"Status\",\"reason\":\"Expired\",\"message\":\"m\",\"metadata\":{\"continue\":\"c3\"}}\n"
	      "on GET " PODS "?continue=c3\n" JSON "body " LIST
	      	"\"metadata\":{\"resourceVersion\":\"9\"},\"items\":[" OBJ("c") "]}\n");
	list(&p, &l, 2);
	CHECK(transport_ok(&l.result) && l.inconsistent);
	CHECK_TEXT(l.version, "7");
	CHECK_TEXT(buf_text(&l.names), "a b c ");
	end(&p, &s);
	buf_release(&l.names);
	l = (struct listing){ 0 };
	begin(&p, &s, "on GET " PODS "?!continue\n" JSON "body " PAGE1 "]}\non GET " PODS "?continue=c2 1\ncode 410\n"
	      "on GET " PODS "?continue=c2\n" JSON "body " LIST "\"items\":[" OBJ("c") "]}\n");
	list(&p, &l, 2);
	CHECK(transport_ok(&l.result) && l.restarts == 1 && !l.inconsistent);
	CHECK_TEXT(buf_text(&l.names), "a b c ");
	end(&p, &s);
	buf_release(&l.names);

	/* A list can be stopped after some objects, and it can be canceled in its callback. */
	l = (struct listing){ .stop_after = 2 };
	begin(&p, &s, pages(10, 5, ""));
	list(&p, &l, 5);
	CHECK(l.result.outcome == TRANSPORT_STOPPED && l.objects == 2);
	buf_release(&l.names);
	l = (struct listing){ .cancel = true };
	list(&p, &l, 5);
	CHECK(!l.dones && l.objects == 1);
	buf_release(&l.names);
	end(&p, &s);
}

/* ---- watches ---- */

struct watching {
	struct peer *peer;
	struct object_watch *watch;
	/* the callbacks so far: "+a " (added), "~a " (modified), "-a " (deleted), "synced " */
	struct buf said;
	size_t events, syncs, stop_at_sync, stop_at_event, relists, skips, lives;
	bool failed, quiet, stop_inside;
	struct str error;
};

static void maybe_stop(struct watching *w)
{
	if ((w->stop_at_sync && w->syncs == w->stop_at_sync) || (w->stop_at_event && w->events == w->stop_at_event)) {
		if (w->stop_inside)
			object_watch_stop(w->watch);
		loop_stop(w->peer->loop);
	}
}

static void changed(void *to, enum object_change change, const struct data *d)
{
	struct watching *w = to;

	w->events++;
	if (!w->quiet)
		buf_printf(&w->said, "%c%.*s%s%.*s ", "+~-"[change], STR_ARG(member(d, "metadata", "name")),
			member(d, "spec", "x").p[0] == '-' ? "" : ":",
		           member(d, "spec", "x").p[0] == '-' ? 0 : (int)member(d, "spec", "x").n,
		member(d, "spec", "x").p);
	maybe_stop(w);
}

static void skipped(void *to, const struct json_skipped *k, bool known)
{
	struct watching *w = to;

	w->skips++;
	if (!w->quiet)
		buf_printf(&w->said, "!%.*s%s%s ", STR_ARG(k->name), k->name.n ? "" : k->why, known ? "*" : "");
	maybe_stop(w);
}

static void usable(void *to, struct str uid)
{
	struct watching *w = to;

	if (!w->quiet)
		buf_printf(&w->said, "=%.*s ", STR_ARG(uid));
}

static void synced(void *to)
{
	struct watching *w = to;

	w->syncs++;
	buf_z(&w->said, "synced ");
	maybe_stop(w);
}

static void state(void *to, enum object_watch_state s, struct str why)
{
	struct watching *w = to;

	(void)why;
	w->relists += s == OBJECT_WATCH_RELISTING;
	w->lives += s == OBJECT_WATCH_LIVE;
}

static void failed(void *to, const struct transport_result *r)
{
	struct watching *w = to;

	w->failed = true;
	w->error = str_copy(&world, r->error);
	loop_stop(w->peer->loop);
}

static void watch(struct peer *p, struct watching *w, const char *const *keep)
{
	struct object_watch_options o = { .path = STR(PODS), .label_selector = STR("a=b"), .keep = keep,
		.changed = changed, .synced = synced, .state = state, .kind = STR("Pod"), .kept = 100000,
		.label = "job", .skipped = skipped, .usable = usable,
		.failed = failed, .to = w, .quiet = 2 * NS_PER_SECOND };

	w->peer = p;
	w->watch = object_watch_start(p->calls, &o);
	peer_run(p);
	if (!w->stop_inside || w->failed)
		object_watch_stop(w->watch);
}

/* Checks what a watch of a server with SCRIPT reports until the server responds with 403. */
static void watched(int line, const char *script, const char *want)
{
	struct standin s;
	struct peer p;
	struct watching w = { 0 };

	begin(&p, &s, str_printf(&world, "%s" REFUSE, script).p);
	watch(&p, &w, NULL);
	check_text_at(line, buf_text(&w.said), want);
	check_at(line, w.failed && world_count(w.error, "403 Forbidden: enough") == 1, "ends when it may not go on");
	buf_release(&w.said);
	end(&p, &s);
}
#define WATCHED(script, want) watched(__LINE__, script, want)

#define POD(name, uid, version) "{\"metadata\":{\"name\":\"" name "\",\"uid\":\"" uid "\",\"resourceVersion\":\"" version "\"}}"
#define EVENT(type, object) "body {\"type\":\"" type "\",\"object\":" object "}\\n\n"
#define ADD(name, uid, version) EVENT("ADDED", POD(name, uid, version))
#define MOD(name, uid, version) EVENT("MODIFIED", POD(name, uid, version))
#define DEL(name, uid, version) EVENT("DELETED", POD(name, uid, version))
#define MARK(version) EVENT("BOOKMARK", "{\"metadata\":{\"resourceVersion\":\"" version "\",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}")
#define BOOKMARK(version) EVENT("BOOKMARK", "{\"metadata\":{\"resourceVersion\":\"" version "\"}}")
#define FAILURE(code, reason) EVENT("ERROR", "{\"kind\":\"Status\",\"code\":" code ",\"reason\":\"" reason "\",\"message\":\"m\"}")

static void watches(void)
{
	WATCHED(FIRST ADD("a", "1", "5") ADD("b", "2", "3") MARK("9") MOD("a", "1", "10") DEL("b", "2", "11") ADD("c",
		"3", "12"),
	        "+a +b synced ~a -b +c ");
	/* Replayed, older and unknown events have no effect. */
	WATCHED(FIRST ADD("a", "1", "5") MARK("9") MOD("a", "1", "10") MOD("a", "1", "10") MOD("a", "1", "9") ADD("a",
		"1", "5") DEL("x", "7", "11")
	        MOD("a", "1", "100"), "+a synced ~a ~a ");
	/*
	 * Another object of the same name replaces the old one, whether or not an event reported that the old one was
	 * deleted.
	 */
	WATCHED(FIRST ADD("a", "1", "5") MARK("9") ADD("a", "2", "10") DEL("a", "1", "10") MOD("a", "2", "11"),
		"+a synced -a +a ~a ");
	WATCHED(FIRST ADD("a", "1", "5") MARK("9") DEL("a", "1", "10") ADD("a", "2", "11"), "+a synced -a +a ");
	/* After an orderly end, the watch continues from the last version, including that of a bookmark. */
	WATCHED(FIRST ADD("a", "1", "5") MARK("9") BOOKMARK("20") "on GET " PODS "?resourceVersion=20 1\n" JSON MOD("a",
		"1", "21")
	        "on GET " PODS "?resourceVersion=21 1\n" JSON MOD("a", "1", "22"), "+a synced ~a ~a ");
	/* An event that is cut in the middle has no effect. */
	WATCHED(FIRST ADD("a", "1", "5") MARK("9") MOD("a", "1",
		"10") "body {\"type\":\"DELETED\",\"object\":{\"metadata\":{\"name\":\"a\",\"uid\":\"1\"\nwait 5\ncut\n"
	        "on GET " PODS "?resourceVersion=10 1\n" JSON MOD("a", "1", "11"), "+a synced ~a ~a ");
	/* An event that is not valid JSON has no effect either. */
	WATCHED(FIRST ADD("a", "1",
		"5") MARK("9") "body {\"type\" x}\n" "on GET " PODS "?resourceVersion=9 1\n" JSON MOD("a", "1", "11"),
		"+a synced ~a ");
	/* If the end of the snapshot never comes, the next snapshot starts over, and no object is lost. */
	WATCHED(FIRST ADD("a", "1", "5") BOOKMARK("6") "wait 5\ncut\n" FIRST ADD("a", "1", "5") ADD("b", "2",
		"6") MARK("9"), "+a +b synced ");
}

/* ---- one useless object among good ones ---- */

static void put_times(struct buf *b, size_t n, const char *text)
{
	while (n--)
		buf_z(b, text);
}

/* The texts of standin_script() for a value that makes an object useless; N levels or bytes. */
static struct str nested_value(size_t n)
{
	struct buf b = { 0 };

	put_times(&b, n, "{\"a\":");
	buf_z(&b, "1");
	put_times(&b, n, "}");
	struct str text = buf_take(&b, &world);
	buf_release(&b);
	return text;
}

static struct str long_text(size_t n, bool key)
{
	struct buf b = { 0 };

	buf_z(&b, key ? "{\"" : "\"");
	put_times(&b, n, "x");
	buf_z(&b, key ? "\":1}" : "\"");
	struct str text = buf_take(&b, &world);
	buf_release(&b);
	return text;
}

/* Appends an object that cannot be used because of the member BAD: TEXT is beside or, with IN, inside its metadata. */
static void put_bad(struct buf *b, struct str bad, bool in, unsigned uid, unsigned version)
{
	buf_printf(b, "{\"kind\":\"Pod\",%s%.*s%s\"metadata\":{%s%.*s%s\"labels\":{\"job\":\"j\"},\"name\":\"%c\","
		"\"uid\":\"%u\",\"resourceVersion\":\"%u\"}}",
		in ? "" : "\"z\":", in ? 0 : (int)bad.n, bad.p, in ? "" : ",",
		in ? "\"z\":" : "", in ? (int)bad.n : 0, bad.p, in ? "," : "", 'a' + uid - 1, uid, version);
}

static void put_bad_event(struct buf *b, const char *type, struct str bad, bool in, unsigned uid, unsigned version)
{
	buf_printf(b, "body {\"type\":\"%s\",\"object\":", type);
	put_bad(b, bad, in, uid, version);
	buf_z(b, "}\\n\n");
}

/* Every way in which an object arrives: in the first snapshot, and as an event of every type. */
static void check_skips(struct str bad, bool in, bool pages)
{
	struct buf b = { 0 };

	if (pages) {
		buf_z(&b, "on GET " PODS "?watch=true 1\ncode 422\n" JSON "body {}\non GET " PODS "?limit 1\n" JSON
			"body " LIST "\"metadata\":{\"resourceVersion\":\"9\"},\"items\":[" POD("a", "1", "5") ",");
		put_bad(&b, bad, in, 2, 6);
		buf_z(&b, "," POD("c", "3", "7") "]}\non GET " PODS "?watch=true 1\n" JSON);
	} else {
		buf_z(&b, FIRST ADD("a", "1", "5"));
		put_bad_event(&b, "ADDED", bad, in, 2, 6);
		buf_z(&b, ADD("c", "3", "7") MARK("9"));
	}
	put_bad_event(&b, "ADDED", bad, in, 4, 10);
	buf_z(&b, MOD("c", "3", "11"));
	put_bad_event(&b, "MODIFIED", bad, in, 1, 12);
	put_bad_event(&b, "MODIFIED", bad, in, 1, 12);
	put_bad_event(&b, "DELETED", bad, in, 3, 13);
	buf_z(&b, MOD("a", "1", "14") MOD("b", "2", "15"));
	put_bad_event(&b, "DELETED", bad, in, 4, 16);
	put_bad_event(&b, "DELETED", bad, in, 9, 17);
	put_bad_event(&b, "BOOKMARK", bad, in, 9, 18);
	/* the connection has lasted so far: the next one continues after all of these */
	buf_z(&b, ADD("e", "5", "20") "on GET " PODS "?resourceVersion=20 1\n" JSON ADD("f", "6", "21"));
	buf_char(&b, 0);
	WATCHED(b.p, "+a !b +c synced !d ~c !a* -c =1 ~a =2 +b =4 +e +f ");
	buf_release(&b);
}

static void useless_objects(void)
{
	static const char *const texts[] = { "\"\\xff\"", "1e400", "[01]", "{\"a\":1,\"a\":2}", "\"\\\\x\"",
		"{\"\\xc3\":1}" };
	static const unsigned levels[] = { 250, 1000, 10000, 20000 };

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		check_skips(str_of(texts[i]), i & 1, i & 2);
	for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
		check_skips(nested_value(levels[i]), i & 1, i & 2);
	check_skips(long_text(150000, false), false, true);
	check_skips(long_text(150000, true), true, false);
}

/* Objects in sound JSON that lack what every object has, or have it in another type. */
static void strange_objects(void)
{
#define STRANGE(members) EVENT("MODIFIED", "{" members "}")
#define WHOLE "\"metadata\":{\"name\":\"a\",\"uid\":\"1\",\"resourceVersion\":\"10\"}"
#define STRANGE_META(members) STRANGE("\"metadata\":{\"uid\":\"1\",\"resourceVersion\":\"10\"," members "}")
	static const struct { const char *event, *said; } rows[] = {
		{ STRANGE_META("\"name\":5"), "!has a name that is not a text* " },
		{ STRANGE_META("\"name\":\"\""), "!has an empty name* " },
		{ STRANGE_META("\"x\":1"), "!has no name* " },
		{ STRANGE_META("\"name\":\"a\",\"namespace\":[]"), "!a* " },
		{ STRANGE_META("\"name\":\"a\",\"labels\":{\"x\":1}"), "!a* " },
		{ STRANGE_META("\"name\":\"a\",\"annotations\":[]"), "!a* " },
		{ STRANGE_META("\"name\":\"a\",\"deletionTimestamp\":17"), "!a* " },
		{ STRANGE_META("\"name\":\"a\",\"ownerReferences\":{}"), "!a* " },
		{ STRANGE("\"kind\":\"Service\"," WHOLE), "!a* " },
		{ STRANGE("\"kind\":7," WHOLE), "!a* " },
		{ STRANGE("\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"10\"}"), "!a* " },
		{ STRANGE("\"metadata\":{\"name\":\"a\",\"uid\":\"1\"}"), "!a* " },
		{ STRANGE("\"metadata\":[]"), "!has no metadata " },
		{ STRANGE("\"x\":1"), "!has no metadata " },
		{ EVENT("MODIFIED", "17"), "!is not a map " },
		{ EVENT("ADDED", "null"), "!is not a map " },
		{ "body {\"type\":\"ADDED\"}\n", "!is missing " },
		{ EVENT("DELETED", "{\"metadata\":{\"name\":\"a\",\"namespace\":7,\"uid\":\"1\"}}"), "-a " },
		{ EVENT("DELETED", "{\"metadata\":{\"name\":\"a\"}}"), "-a " },
		{ EVENT("DELETED", "{\"metadata\":{}}"), "!has no name " },
		{ EVENT("DELETED", "[]"), "!is not a map " },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct str script = str_printf(&world, "%s%s%s", FIRST ADD("a", "1", "5") MARK("9"), rows[i].event,
			ADD("b", "2", "20"));
		WATCHED(script.p, str_printf(&world, "+a synced %s+b ", rows[i].said).p);
	}
	/* an object of which nothing is known may be any that is missing: none of them is deleted, none is used */
	WATCHED(FIRST ADD("a", "1", "5") ADD("b", "2", "6") MARK("9") FAILURE("410", "Gone") FIRST ADD("b", "2", "6")
		EVENT("ADDED", "{}") MARK("13") MOD("b", "2", "14") MOD("a", "1", "15"),
		"+a +b synced !has no metadata !a* synced ~b =1 ~a ");
	WATCHED(FIRST ADD("a", "1", "5") MARK("9") FAILURE("410", "Gone") FIRST EVENT("ADDED", "{}") MARK("13")
		FAILURE("410", "Gone") FIRST MARK("14"),
		"+a synced !has no metadata !a* synced =1 -a synced ");
}

/* What is not JSON is tried again after growing pauses, even if good events come before it. */
static void garbled(void)
{
	struct standin s;
	struct peer p;
	struct watching w = { .stop_at_sync = 2 };
	int64_t begun = clock_steady();

	begin(&p, &s, FIRST ADD("a", "1", "5") MARK("9") "on GET " PODS "?resourceVersion=9 4\n" JSON
		ADD("b", "2", "9") "body {\"type\"!\n" FIRST ADD("a", "1", "5") MARK("20") "hang\n" REFUSE);
	watch(&p, &w, NULL);
	CHECK_TEXT(buf_text(&w.said), "+a synced synced ");
	/* three connections with pauses of at least 25, 50 and 100 ms, then a new snapshot; it is not live */
	CHECK(clock_steady() - begun > NS_PER_SECOND / 6);
	CHECK(world_count(standin_record(&s), "GET") == 5 && w.lives == 1);
	buf_release(&w.said);
	end(&p, &s);
}

/* An overloaded server ends watches that it cannot serve fast enough: reconnecting at once would add to its load. */
static void ended_early(void)
{
	int64_t begun = clock_steady();

	WATCHED(FIRST ADD("a", "1", "5") MARK("9")
		"on GET " PODS "?resourceVersion=9 1\n" JSON MOD("a", "1", "10")
		"on GET " PODS "?resourceVersion=10 1\n" JSON MOD("a", "1", "11")
		"on GET " PODS "?resourceVersion=11 1\n" JSON MOD("a", "1", "12"), "+a synced ~a ~a ~a ");
	CHECK(clock_steady() - begun > NS_PER_SECOND / 2);
}

static void forgotten(void)
{
	/*
	 * After a 410, as an event or as a response, the watch takes a new snapshot and reports only the differences.
	 */
	WATCHED(FIRST ADD("a", "1", "5") ADD("b", "2", "6") MARK("9") FAILURE("410", "Expired") FIRST ADD("b", "2",
		"6") ADD("c", "3", "12") MARK("13")
	        MOD("b", "2", "14"), "+a +b synced +c -a synced ~b ");
	WATCHED(FIRST ADD("a", "1", "5") ADD("b", "2",
		"6") MARK("9") "on GET " PODS "?!sendInitialEvents 1\ncode 410\n" JSON
	        "body {\"kind\":\"Status\",\"code\":410,\"reason\":\"Expired\",\"message\":\"too old\"}\n" FIRST ADD("b", "2", "8") ADD("a", "7", "12") MARK("13"),
	        "+a +b synced ~b -a +a synced ");
	/* If a new snapshot breaks off, no object is reported as deleted because it had not been listed yet. */
	WATCHED(FIRST ADD("a", "1", "5") ADD("b", "2", "6") MARK("9") FAILURE("410", "Gone") FIRST ADD("b", "2",
		"6") "wait 5\ncut\n"
	        FIRST ADD("a", "1", "5") ADD("b", "2", "6") MARK("13"), "+a +b synced synced ");
	/* After "Too large resource version" the watch waits, and then takes a snapshot of any version. */
	WATCHED(FIRST ADD("a", "1",
		"5") MARK("9") "on GET " PODS "?!sendInitialEvents 1\ncode 504\nheader Retry-After 0\n" JSON
	        "body {\"kind\":\"Status\",\"code\":504,\"reason\":\"Timeout\",\"message\":\"Too large resource version: 9, current: 8\"}\n"
	        FIRST ADD("a", "1", "5") MARK("9"), "+a synced synced ");
	/* After server errors the watch resumes where it was; after other errors it takes one snapshot, then ends. */
	WATCHED(FIRST ADD("a", "1", "5") MARK("9") FAILURE("500", "InternalError") AGAIN MOD("a", "1", "10"),
		"+a synced ~a ");
	WATCHED(FIRST ADD("a", "1", "5") MARK("9") FAILURE("429", "TooManyRequests") AGAIN MOD("a", "1", "10"),
		"+a synced ~a ");
	struct standin s;
	struct peer p;
	struct watching w = { 0 };
	begin(&p, &s, "on GET *\n" JSON ADD("a", "1", "5") MARK("9") FAILURE("400", "Strange"));
	watch(&p, &w, NULL);
	CHECK_TEXT(buf_text(&w.said), "+a synced synced ");
	CHECK(w.failed && world_count(w.error, "keeps failing") == 1);
	buf_release(&w.said);
	end(&p, &s);
}

/*
 * The credential expires while a watch is open: the next connection is refused; the watch presents the new credential
 * and resumes from the last version.
 */
static void expired_credential(void)
{
	struct made ca = made_cert("test-ca", NULL, NULL, 0, 10),
		cert = made_cert("server", "IP:127.0.0.1", &ca, 0, 10);
	struct standin s;
	struct peer p = { 0 };
	struct watching w = { 0 };
	struct str crt = world_put("server.crt", cert.cert_pem), key = world_put("server.key", cert.key_pem);

	standin_start(&s, str_printf(&world, "tls %s %s\n" FIRST ADD("a", "1",
		"5") MARK("9") AGAIN "code 401\nbody {\"kind\":\"Status\",\"code\":401,\"reason\":\"Unauthorized\",\"message\":\"m\"}\n"
	              AGAIN MOD("a", "1", "10") REFUSE, crt.p, key.p).p);
	peer_access(&p, &s, &ca);
	struct str script = world_put("plugin", STR("#!/bin/sh\necho '{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\",\"status\":{\"token\":\"t'$$'\"}}'\n"));
	chmod(script.p, 0700);
	p.access.exec = (struct kubeconfig_exec){ .command = script,
		.api_version = STR("client.authentication.k8s.io/v1") };
	CHECK(peer_open(&p, (struct peer_options){ 0 }));
	watch(&p, &w, NULL);
	CHECK_TEXT(buf_text(&w.said), "+a synced ~a ");
	struct str record = standin_record(&s);
	CHECK(credential_plugin_runs(p.credential) == 2 && world_count(record, "sendInitialEvents") == 1 &&
		world_count(record, "resourceVersion=9") == 2);
	buf_release(&w.said);
	made_free(&ca);
	made_free(&cert);
	end(&p, &s);
}

/* Without streaming lists, the watch reads pages and then starts at the version of the first page. */
static void fallback(void)
{
	WATCHED("on GET " PODS "?sendInitialEvents\ncode 422\n" JSON
		"body {\"kind\":\"Status\",\"code\":422,\"reason\":\"Invalid\",\"message\":\"forbidden\"}\n"
	        "on GET " PODS "?!watch 1\n" JSON "body " LIST
	        	"\"metadata\":{\"resourceVersion\":\"7\",\"continue\":\"c\"},\"items\":[" POD("a", "1", "5") "," POD("b", "2", "6") "]}\n"
	        "on GET " PODS "?continue=c 1\n" JSON "body " LIST
	        	"\"metadata\":{\"resourceVersion\":\"8\"},\"items\":[" POD("c", "3", "1") "]}\n"
	        "on GET " PODS "?resourceVersion=7 1\n" JSON MOD("a", "1", "8") FAILURE("410", "Expired")
	        "on GET " PODS "?!watch 1\n" JSON "body " LIST
	        	"\"metadata\":{\"resourceVersion\":\"20\"},\"items\":[" POD("c",
		"3", "9") "]}\n"
	        "on GET " PODS "?resourceVersion=20 1\n" JSON ADD("d", "4", "21"),
	"+a +b +c synced ~a ~c -b -a synced +d ");
}

/* A stream is cut after each of its bytes: the final view is always the same. */
static void every_cut(void)
{
	static const char *const stream = "{\"type\":\"ADDED\",\"object\":" POD("a", "1",
		"5") "}\n{\"type\":\"DELETED\",\"object\":" POD("a", "1", "6") "}\n"
		"{\"type\":\"ADDED\",\"object\":" POD("\xc3\xa4", "2", "7") "}\n";
	struct standin s;
	struct peer p;
	size_t n = strlen(stream), wrong = 0;

	for (size_t cut = 0; cut <= n; cut += 3) {
		struct watching w = { .stop_at_event = 3 };
		struct buf b = { 0 };
		buf_z(&b, FIRST MARK("1") "on GET " PODS "?resourceVersion=1 1\n" JSON "body ");
		for (size_t i = 0; i < cut; i++)
			stream[i] == '\n' ? buf_z(&b, "\\n") : buf_char(&b, stream[i]);
		buf_z(&b, "\nwait 1\ncut\non GET " PODS "?resourceVersion\n" JSON "body ");
		for (size_t i = 0; i < n; i++)
			stream[i] == '\n' ? buf_z(&b, "\\n") : buf_char(&b, stream[i]);
		buf_z(&b, "\nhang\n");
		buf_char(&b, 0);
		begin(&p, &s, b.p);
		watch(&p, &w, NULL);
		bool ok = str_is(buf_text(&w.said), "synced +a -a +\xc3\xa4 ");
		wrong += !ok;
		if (!ok)
			printf("cut after %zu: %.*s\n", cut, STR_ARG(buf_text(&w.said)));
		buf_release(&w.said);
		buf_release(&b);
		end(&p, &s);
	}
	CHECK(wrong == 0);
}

static void filters_and_silence(void)
{
	static const char *const keep[] = { "spec.x", NULL };
	struct standin s;
	struct peer p;
	struct watching w = { 0 };

	begin(&p, &s, FIRST "body {\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\",\"uid\":\"1\",\"resourceVersion\":\"5\",\"labels\":{}},\"spec\":{\"x\":\"y\",\"z\":1}}}\n"
	      MARK("9") "hang\n" REFUSE);
	watch(&p, &w, keep);            /* after two seconds without a byte, the connection counts as dead */
	CHECK_TEXT(buf_text(&w.said), "+a:y synced ");
	CHECK(w.failed);
	buf_release(&w.said);
	end(&p, &s);
	w = (struct watching){ .stop_at_event = 1, .stop_inside = true };
	begin(&p, &s, FIRST ADD("a", "1", "5") ADD("b", "2", "6") MARK("9") "hang\n");
	watch(&p, &w, NULL);
	CHECK_TEXT(buf_text(&w.said), "+a ");
	buf_release(&w.said);
	end(&p, &s);
}

static size_t memory_now(void)
{
	size_t pages = 0, resident = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (!f || fscanf(f, "%zu %zu", &pages, &resident) != 2)
		resident = 0;
	if (f)
		fclose(f);
	return resident * 4096;
}

/* Measures 100,000 events, and 10,000 pods of 7 KB: how long they take, and how much memory stays in use. */
static void costs(void)
{
	struct standin s;
	struct peer p;
	struct watching w = { .quiet = true, .stop_at_event = 100001 };
	struct buf b = { 0 };

	for (int i = 0; i < 100000; i++)
		buf_printf(&b, "{\"type\":\"MODIFIED\",\"object\":{\"metadata\":{\"name\":\"a\",\"uid\":\"1\",\"resourceVersion\":\"%d\"},\"status\":{\"phase\":\"Running\"}}}\n", 10 + i);
	struct str file = world_put("events", buf_text(&b));
	begin(&p, &s, str_printf(&world, FIRST ADD("a", "1", "5") MARK("9") "file %s\nhang\n", file.p).p);
	int64_t start = clock_steady();
	watch(&p, &w, NULL);
	double seconds = (double)(clock_steady() - start) / 1e9;
	printf("100,000 events: %.2f s\n", seconds);
	CHECK(w.events == 100001 && (SLOW || seconds < 5));
	buf_release(&w.said);
	end(&p, &s);

	b.n = 0;
	buf_z(&b, LIST "\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[");
	for (int i = 0; i < 10000; i++) {
		buf_printf(&b, "%s{\"metadata\":{\"name\":\"bert-worker-%d\",\"uid\":\"%036d\",\"resourceVersion\":\"%d\",\"managedFields\":[{\"x\":\"", i ? "," : "", i, i, i + 10);
		for (int k = 0; k < 80; k++)
			buf_z(&b, "{\\\"f:metadata\\\":{\\\"f:labels\\\":{}}} ");
		buf_z(&b, "\"}]},\"spec\":{\"containers\":[");
		for (int k = 0; k < 40; k++)
			buf_printf(&b, "%s{\"name\":\"c%d\",\"image\":\"registry/some/image:1\",\"env\":[{\"name\":\"A\",\"value\":\"b\"}]}", k ? "," : "", k);
		buf_z(&b, "]},\"status\":{\"phase\":\"Running\"}}");
	}
	buf_z(&b, "]}");
	size_t size = b.n;
	file = world_put("pods", buf_text(&b));
	buf_release(&b);
	b = (struct buf){ 0 };
	arena_release(&world);
	w = (struct watching){ .quiet = true, .stop_at_sync = 1 };
	static const char *const keep[] = { "status.phase", "status.conditions", NULL };
	begin(&p, &s, str_printf(&world,
		"on GET " PODS "?sendInitialEvents\ncode 422\non GET " PODS "?!watch\n" JSON
		"file %s/pods\non GET *\n" JSON "hang\n", world_dir).p);
	size_t before = memory_now();
	start = clock_steady();
	watch(&p, &w, keep);
	seconds = (double)(clock_steady() - start) / 1e9;
	size_t grown = memory_now() - before;
	printf("10,000 pods, %zu MB: %.2f s, %zu KiB more\n", size / 1000000, seconds, grown / 1024);
	CHECK(w.events == 10000 && w.syncs == 1);
	CHECK(SLOW || (grown < 16 << 20 && seconds < 5));
	buf_release(&w.said);
	end(&p, &s);
}

int main(void)
{
	if (!world_begin())
		return 1;
	signal(SIGPIPE, SIG_IGN);
	lists();
	large_objects();
	list_faults();
	watches();
	useless_objects();
	strange_objects();
	garbled();
	ended_early();
	forgotten();
	expired_credential();
	fallback();
	every_cut();
	filters_and_silence();
	costs();
	return world_end();
}
