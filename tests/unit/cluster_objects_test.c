/*
 * cluster_objects_test.c - what runtime/cluster does with objects, without a cluster: bodies that a YAML parser
 * accepts, ids of sets, paths of fields, differences, and the record of a run.
 */
#include "unit.h"

#include <yaml.h>

#include "data/data_read.h"
#include "data/data_write.h"
#include "runtime/cluster/applyset.h"
#include "runtime/cluster/field_path.h"
#include "runtime/cluster/tree_diff.h"

static struct data *parse(struct arena *a, const char *text)
{
	struct source source = { .text = str_copy(a, str_of(text)), .base = 1 };
	struct data_error error;
	struct data *d;

	if (data_read_json(a, &source, &d, &error))
		return d;
	printf("FAIL not JSON: %s\n", text);
	unit_failed++;
	return ARENA_NEW(a, struct data);
}

/* ---- bodies ---- */

/* Parses one scalar with a YAML 1.1 parser and stores its value in OUT; returns -1 when the parser rejects it. */
static size_t yaml_reads(const struct buf *text, char *out, size_t size)
{
	yaml_parser_t parser;
	yaml_event_t event;
	size_t n = (size_t)-1;
	bool more = true;

	yaml_parser_initialize(&parser);
	yaml_parser_set_input_string(&parser, (const unsigned char *)text->p, text->n);
	while (more && yaml_parser_parse(&parser, &event)) {
		more = event.type != YAML_STREAM_END_EVENT;
		if (event.type == YAML_SCALAR_EVENT && event.data.scalar.length <= size) {
			n = event.data.scalar.length;
			memcpy(out, event.data.scalar.value, n);
		}
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&parser);
	return n;
}

static size_t put_utf8(char *p, uint32_t c)
{
	if (c < 0x80)
		return p[0] = (char)c, 1;
	if (c < 0x800)
		return p[0] = (char)(0xC0 | c >> 6), p[1] = (char)(0x80 | (c & 63)), 2;
	if (c < 0x10000)
		return p[0] = (char)(0xE0 | c >> 12), p[1] = (char)(0x80 | (c >> 6 & 63)),
			p[2] = (char)(0x80 | (c & 63)), 3;
	return p[0] = (char)(0xF0 | c >> 18), p[1] = (char)(0x80 | (c >> 12 & 63)), p[2] = (char)(0x80 | (c >> 6 & 63)),
		p[3] = (char)(0x80 | (c & 63)), 4;
}

/* A YAML parser reads back every character that is written between two letters. */
static void characters(void)
{
	static const uint32_t astral[] = { 0x10000, 0x1F600, 0x10FFFF };
	struct buf b = { 0 };
	unsigned wrong = 0;

	for (uint32_t i = 1; i < 0x10000 + 3; i++) {
		uint32_t c = i < 0x10000 ? i : astral[i - 0x10000];
		char text[8] = "a", out[16];
		if (c >= 0xD800 && c < 0xE000)
			continue;
		size_t n = 1 + put_utf8(text + 1, c);
		text[n++] = 'b';
		b.n = 0;
		data_write_text(&b, (struct str){ text, n });
		if (yaml_reads(&b, out, sizeof out) != n || memcmp(out, text, n) != 0) {
			if (!wrong++)
				printf("U+%04X: %.*s\n", c, (int)b.n, b.p);
		}
	}
	CHECK(wrong == 0);
	b.n = 0;
	data_write_text(&b, STR("a/b\"\\\n\t\xFFz"));
	CHECK_TEXT(buf_text(&b), "\"a/b\\\"\\\\\\n\\t\xEF\xBF\xBDz\"");
	buf_release(&b);
}

static void trees(void)
{
	static const char text[] = "{\"a\":[1,-2,true,false,null,\"x\"],\"b\":{\"c\":1.5},\"d\":[],\"e\":{}}";
	struct arena a = { 0 };
	struct buf b = { 0 };

	data_write(&b, parse(&a, text));
	CHECK_TEXT(buf_text(&b), text);
	buf_release(&b);
	arena_release(&a);
}

/* ---- sets ---- */

/*
 * The expected ids were computed with another program: sha256 and base64url of "web.trainc.default.ConfigMap." and so
 * on.
 */
static void ids(void)
{
	struct arena a = { 0 };

	CHECK_TEXT(applyset_id(&a, STR("web.trainc"), STR("default"), STR("ConfigMap"), STR("")),
		"applyset-0IRTAWR_xRyyq6D-u6wR3FsfwWjrDq5cgS3VmDnNyMc-v1");
	CHECK_TEXT(applyset_id(&a, STR("hello.trainc"), STR("default"), STR("ConfigMap"), STR("")),
		"applyset-6ooqnPdFxs9g5VsbE3xnXOAchEsDIUKzEh6RBGf4sUU-v1");
	CHECK(applyset_id(&a, STR("x"), STR("y"), STR("Foo"), STR("example.com")).n == APPLYSET_ID);
	CHECK_TEXT(applyset_parent_name(&a, STR("web")), "web.trainc");
	arena_release(&a);
}

static void records(void)
{
	static const struct resource job = { { "batch", 5 }, { "v1", 2 }, { "Job", 3 }, { "jobs", 4 }, true };
	static const struct resource service = { { "", 0 }, { "v1", 2 }, { "Service", 7 }, { "services", 8 }, true };
	struct applied all[] = { { job, STR("ml"), STR("web-worker"), STR("u1"), STR("h1"), false },
		{ service, STR("ml"), STR("web"), STR("u2"), STR("h2"), true },
		{ service, STR("other"), STR("far"), STR("u3"), STR("h3"), false } };
	struct arena a = { 0 };
	struct parent p = { .there = true, .run = STR("web"), .ns = STR("ml"), .generation = 7, .file = STR("a.tj"),
		.plan = STR("{\"x\":\"\\u0085\"}"),
		.hash = STR("hh"), .verdict = STR("Failed"), .applied = all, .napplied = 3 }, back = { 0 };
	struct str why = STR("");

	parent_add_kind(&a, &p, &job);
	parent_add_kind(&a, &p, &service);
	parent_add_kind(&a, &p, &job);
	CHECK(p.nkinds == 2);
	struct str body = parent_body(&a, &p);
	struct data *d = parse(&a, body.p);
	CHECK(parent_read(&a, d, &back, &why));
	CHECK_TEXT(back.run, "web");
	CHECK(back.generation == 7 && back.napplied == 3 && back.nkinds == 2);
	CHECK_TEXT(back.verdict, "Failed");
	CHECK_TEXT(back.plan, "{\"x\":\"\\u0085\"}");
	CHECK(parent_find(&back, &service, STR("ml"), STR("web")) &&
		parent_find(&back, &service, STR("ml"), STR("web"))->kept);
	CHECK(parent_find(&back, &service, STR("other"), STR("far")) &&
		!parent_find(&back, &service, STR("ml"), STR("far")));
	CHECK(memmem(body.p, body.n, "\"applyset.kubernetes.io/contains-group-kinds\":\"Job.batch,Service\"",
		65) != NULL);
	CHECK(memmem(body.p, body.n, "\"applyset.kubernetes.io/additional-namespaces\":\"other\"", 54) != NULL);
	CHECK(!parent_read(&a, parse(&a, "{\"metadata\":{\"name\":\"web.trainc\"}}"), &back, &why) && why.n);
	CHECK(!parent_read(&a, parse(&a, "{\"metadata\":{\"name\":\"w\",\"annotations\":{\"applyset.kubernetes.io/tooling\":\"kubectl/v1\"},\"labels\":{\"trainc.dev/run\":\"w\"}}}"),
		&back, &why) && why.n);
	arena_release(&a);
}

/* A record that somebody wrote: a kind that is listed twice is one kind, and writing does not multiply its objects. */
static void listed_twice(void)
{
	static const struct resource service = { { "", 0 }, { "v1", 2 }, { "Service", 7 }, { "services", 8 }, true };
	struct resource kinds[300];
	struct applied one = { service, STR("ml"), STR("web"), STR("u1"), STR("h1"), false };
	struct arena a = { 0 };
	struct parent p = { .there = true, .run = STR("web"), .ns = STR("ml"), .generation = 1, .applied = &one,
		.napplied = 1, .kinds = kinds, .nkinds = 2 }, back = { 0 }, again = { 0 }, many = { 0 };
	struct str why = STR("");

	kinds[0] = kinds[1] = service;
	CHECK(parent_read(&a, parse(&a, parent_body(&a, &p).p), &back, &why));
	CHECK(back.nkinds == 1 && back.napplied == 2);
	CHECK(parent_read(&a, parse(&a, parent_body(&a, &back).p), &again, &why));
	CHECK(again.nkinds == 1 && again.napplied == 2);
	for (size_t i = 0; i < 300; i++) {
		kinds[i] = service;
		kinds[i].kind = str_printf(&a, "Kind%zu", i);
	}
	p.nkinds = 300;
	CHECK(!parent_read(&a, parse(&a, parent_body(&a, &p).p), &many, &why) && why.n);
	arena_release(&a);
}

/* Reads the body of a record; before that, replaces byte AT of "restart" with C, if AT is less than its length. */
static bool read_changed(struct arena *a, struct str body, size_t at, char c, struct parent *ret)
{
	struct str why = STR("");
	struct data *d = parse(a, str_copy(a, body).p);
	const struct data *text = data_get(data_get(d, STR("data")), STR("restart"));
	struct data *changed = (struct data *)(uintptr_t)text;
	char *p = ARENA_ARRAY(a, char, text->u.string.n);

	memcpy(p, text->u.string.p, text->u.string.n);
	if (at < text->u.string.n)
		p[at] = c;
	changed->u.string = (struct str){ p, text->u.string.n };
	*ret = (struct parent){ 0 };
	return parent_read(a, d, ret, &why);
}

static void reads_restart(const char *restart, int64_t most, int64_t number, bool going, const char *uid)
{
	static const struct resource job = { { "batch", 5 }, { "v1", 2 }, { "Job", 3 }, { "jobs", 4 }, true };
	struct applied worker = { job, STR("ml"), STR("a-worker"), STR("u1"), STR("h1"), false };
	struct arena a = { 0 };
	struct parent p = { .there = true, .run = STR("a"), .ns = STR("ml"), .generation = 7, .applied = &worker,
		.napplied = 1, .restart = { .most = 3 }, .jobs = STR("[]") }, back = { 0 };
	struct str why = STR("");

	parent_add_kind(&a, &p, &job);
	struct data *d = parse(&a, parent_body(&a, &p).p);
	struct data *map = (struct data *)(uintptr_t)data_get(d, STR("data"));
	struct data *text = ARENA_NEW(&a, struct data);
	*text = (struct data){ .kind = DATA_STRING, .u.string = str_of(restart) };
	for (size_t i = 0; i < map->u.map.n; i++)
		if (str_is(map->u.map.at[i].key, "restart"))
			((struct data_member *)(uintptr_t)map->u.map.at)[i].value = text;
	CHECK(parent_read(&a, d, &back, &why));
	if (back.restart.most != most || back.restart.number != number || back.restart.going != going) {
		printf("FAIL %s: %lld %lld %d\n", restart, (long long)back.restart.most,
			(long long)back.restart.number, back.restart.going);
		unit_failed++;
	}
	CHECK_TEXT(back.applied[0].uid, uid);
	arena_release(&a);
}

static void restart_records(void)
{
	struct replaced all[] = { { STR("a-ps"), STR("o1"), STR("n1"), 2 },
		{ STR("a-worker"), STR("o2"), STR(""), 0 } };
	struct arena a = { 0 };
	struct parent p = { .there = true, .run = STR("a"), .ns = STR("ml"), .generation = 7, .jobs = STR("[]"),
		.restart = { .most = 3, .number = 2, .cause = STR("worker 0: \"x\"\n") }, .replaced = all,
		.nreplaced = 2 }, back;

	struct str body = parent_body(&a, &p), text = parent_restart_text(&a, &p);
	bool counts = true;
	CHECK(read_changed(&a, body, SIZE_MAX, 0, &back));
	CHECK(back.restart.most == 3 && back.restart.number == 2 && back.restart.going && back.nreplaced == 2);
	CHECK_TEXT(back.restart.cause, "worker 0: \"x\"\n");
	CHECK_TEXT(back.replaced[0].uid, "n1");
	CHECK_TEXT(back.replaced[1].old, "o2");
	CHECK(back.replaced[0].attempts == 2);
	/* the record was edited by somebody: any result is allowed, but counts are never below 0 */
	for (size_t i = 0; i < text.n; i++)
		for (const char *c = "\"{}[],:9-x\\\x01"; *c; c++) {
			read_changed(&a, body, i, *c, &back);
			counts = counts && back.restart.number >= 0 && back.restart.most >= 0;
		}
	CHECK(counts);
	arena_release(&a);
	reads_restart("{\"generation\":7,\"number\":1,\"cause\":\"\",\"jobs\":"
		"[[\"a-worker\",\"u1\",0,\"u9\"]]}", 3, 1,
		false, "u9");
	reads_restart("{\"generation\":7,\"number\":1,\"cause\":\"\",\"jobs\":"
		"[[\"a-worker\",\"u1\",0,\"\"]]}", 3, 1,
		true, "u1");
	reads_restart("{\"generation\":6,\"number\":1,\"cause\":\"\",\"jobs\":"
		"[[\"a-worker\",\"u0\",0,\"\"]]}", 3, 0,
		false, "u1");
	reads_restart("{\"generation\":7,\"number\":9223372036854775807,\"jobs\":[]}", 0, 0, false, "u1");
	reads_restart("{\"generation\":7,\"number\":-1,\"jobs\":[]}", 0, 0, false, "u1");
	reads_restart("{\"generation\":7,\"number\":2,\"jobs\":[1,[],[1,2,3,4],\"x\"]}", 3, 2, true, "u1");
	reads_restart("never", 0, 0, false, "u1");
	reads_restart("[]", 0, 0, false, "u1");
}

/* ---- fields ---- */

static void found(struct data *tree, const char *path, const char *value)
{
	struct field_place p = field_find(tree, str_of(path), (struct span){ 0 });
	struct buf b = { 0 };

	tree_value(&b, p.value, 100);
	CHECK_TEXT(buf_text(&b), value);
	buf_release(&b);
}

static void fields(void)
{
	struct arena a = { 0 };
	struct data *t = parse(&a, "{\"metadata\":{\"labels\":{\"a.b/c\":\"l\",\"a\":\"m\"}},\"spec\":{\"containers\":[{\"name\":\"x\",\"image\":\"i\"},"
		"{\"name\":\"y\",\"image\":\"j\",\"env\":[{\"name\":\"E[0]\",\"value\":\"v\"}],\"ports\":[{\"containerPort\":80,\"protocol\":\"TCP\"}]}],"
		"\"limits\":{\"nvidia.example/gpu\":8}}}");

	found(t, "spec.containers[1].image", "\"j\"");
	found(t, ".spec.containers[name=\"y\"].image", "\"j\"");
	found(t, ".spec.containers[name=\"y\"].env[name=\"E[0]\"].value", "\"v\"");
	found(t, ".spec.containers[name=\"y\"].ports[containerPort=80,protocol=\"TCP\"].containerPort", "80");
	found(t, "metadata.labels.a.b/c", "\"l\"");
	found(t, "metadata.labels[a.b/c]", "\"l\"");
	found(t, "metadata.labels.a", "\"m\"");
	found(t, "spec.limits[nvidia.example/gpu]", "8");
	found(t, "spec.containers[9].image", "(none)");
	found(t, "spec.nothing", "(none)");
	found(t, "spec.containers[", "(none)");
	CHECK(field_find(t, STR(""), (struct span){ 0 }).value == t);
	struct span containers = data_get(data_get(t, STR("spec")), STR("containers"))->from;
	CHECK(field_find(t, STR("spec.containers[9].image"), (struct span){ 0 }).from.start == containers.start);
	arena_release(&a);
}

static void differences(const char *ours, const char *theirs, const char *want)
{
	struct arena a = { 0 };
	struct tree_differences all = tree_diff(&a, parse(&a, ours), parse(&a, theirs));
	struct buf b = { 0 };

	for (size_t i = 0; i < all.n; i++)
		buf_printf(&b, "%.*s;", STR_ARG(all.at[i].path));
	CHECK_TEXT(buf_text(&b), want);
	buf_release(&b);
	arena_release(&a);
}

static void diffs(void)
{
	differences("{\"a\":1}", "{\"a\":1,\"b\":2}", "");
	differences("{\"a\":1}", "{\"a\":2}", "a;");
	differences("{\"a\":1}", "{}", "a;");
	differences("{\"a\":\"\"}", "{}", "");
	differences("{\"cpu\":\"1000m\",\"mem\":\"1Gi\"}", "{\"cpu\":\"1\",\"mem\":\"1024Mi\"}", "");
	differences("{\"cpu\":\"1000m\"}", "{\"cpu\":\"1001m\"}", "cpu;");
	differences("{\"e\":[{\"name\":\"b\",\"v\":1}]}", "{\"e\":[{\"name\":\"a\",\"v\":9},{\"name\":\"b\",\"v\":1}]}",
		"");
	differences("{\"e\":[{\"name\":\"b\",\"v\":1}]}", "{\"e\":[{\"name\":\"b\",\"v\":2}]}", "e[0].v;");
	differences("{\"e\":[{\"name\":\"b\"}]}", "{\"e\":[]}", "e[0];");
	/* the mounts of one volume share its name, so only the path tells them apart */
	differences("{\"m\":[{\"name\":\"v\",\"mountPath\":\"/a\",\"p\":1},"
		"{\"name\":\"v\",\"mountPath\":\"/b\",\"p\":2}]}",
		"{\"m\":[{\"name\":\"v\",\"mountPath\":\"/b\",\"p\":2},"
		"{\"name\":\"v\",\"mountPath\":\"/a\",\"p\":3}]}", "m[0].p;");
	differences("{\"c\":[\"a\",\"b\"]}", "{\"c\":[\"a\"]}", "c;");
	differences("{\"c\":[\"a\",\"b\"]}", "{\"c\":[\"a\",\"x\"]}", "c[1];");
	differences("{\"l\":{\"a.b/c\":1}}", "{\"l\":{}}", "l[a.b/c];");
	differences("{\"a\":true}", "{\"a\":\"true\"}", "a;");
}

int main(void)
{
	characters();
	trees();
	ids();
	records();
	listed_twice();
	restart_records();
	fields();
	diffs();
	return unit_end();
}
