/* cluster_vouch_test.c - which live objects vouch for a record, and for a restart. */
#include "unit.h"

#include "data/data_read.h"
#include "runtime/cluster/vouch.h"
#include "runtime/status/look.h"

static struct arena a;

static struct data *tree_of(struct str text)
{
	struct source source = { .text = str_copy(&a, text), .base = 1 };
	struct data_error error;
	struct data *d = NULL;

	return data_read_json(&a, &source, &d, &error) ? d : NULL;
}

static struct data *tree(const char *text) { return tree_of(str_of(text)); }

/* The field in which a live Job differs from the stored one; "" if the stored one is contained in it. */
static struct str differs(const char *stored, const char *live)
{
	struct str why = STR("");

	vouch_same_job(&a, tree(stored), tree(live), &why);
	return why;
}

#define JOB(fields) "{\"metadata\":{\"name\":\"a\",\"labels\":{\"x\":\"y\"}},\"spec\":{" fields "}}"
#define POD(fields) JOB("\"suspend\":false,\"parallelism\":2,\"template\":{\"spec\":{" fields "}}")

static void test_same_job(void)
{
	CHECK_TEXT(differs(POD("\"hostPID\":false"), POD("\"dnsPolicy\":\"ClusterFirst\"")), "");
	CHECK_TEXT(differs(JOB("\"suspend\":true,\"parallelism\":2,\"completions\":2"),
		JOB("\"suspend\":false,\"parallelism\":1,\"completions\":1")), "");
	CHECK_TEXT(differs(POD("\"containers\":[{\"name\":\"m\",\"resources\":{\"limits\":{\"cpu\":\"1000m\"}}}]"),
		POD("\"containers\":[{\"name\":\"s\"},{\"name\":\"m\","
		"\"resources\":{\"limits\":{\"cpu\":\"1\"}}}]")), "");
	CHECK_TEXT(differs(POD("\"hostPID\":true"), POD("\"hostPID\":false")), "spec.template.spec.hostPID");
	CHECK_TEXT(differs(POD("\"hostPID\":true"), POD("")), "spec.template.spec.hostPID");
	CHECK_TEXT(differs(POD("\"containers\":[{\"name\":\"m\",\"image\":\"evil\"}]"),
		POD("\"containers\":[{\"name\":\"m\",\"image\":\"good\"}]")), "spec.template.spec.containers[0].image");
	CHECK_TEXT(differs(POD("\"volumes\":[{\"name\":\"h\",\"hostPath\":{\"path\":\"/\"}}]"), POD("\"volumes\":[]")),
		"spec.template.spec.volumes[0]");
	CHECK_TEXT(differs(POD("\"serviceAccountName\":\"admin\""), POD("\"serviceAccountName\":\"default\"")),
		"spec.template.spec.serviceAccountName");
	CHECK_TEXT(differs("{\"metadata\":{\"labels\":{\"x\":\"z\"}}}", JOB("")), "metadata.labels.x");
}

static void test_digest(void)
{
	struct parent p = { .ns = STR("ns"), .run = STR("a"), .uid = STR("u"), .plan = STR("{}"),
		.jobs_digest = STR("1"), .restart.most = 2 };
	struct parent others[] = { p, p, p, p, p, p, p };
	struct str digest = vouch_digest(&a, &p);

	others[0].ns = STR("nsa");
	others[0].run = STR("");                /* the same texts, cut elsewhere */
	others[1].run = STR("b");
	others[2].uid = STR("v");
	others[3].plan = STR("[]");
	others[4].jobs_digest = STR("2");
	others[5].restart.most = 3;
	others[6].uid = STR("");
	CHECK(digest.n == 64);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		CHECK(!str_eq(vouch_digest(&a, &others[i]), digest));
	p.verdict = p.outcome = p.hash = STR("changes");
	p.generation = p.attended = p.restart.number = 7;
	CHECK(str_eq(vouch_digest(&a, &p), digest));
	CHECK(!vouch_by(tree("{}"), STR("")));  /* a record that does not exist has no vouchers */
	CHECK(!vouch_by(tree(JOB("")), digest));
}

/* Does the voucher fit the last restart of P? */
static bool fits(const struct data *d, struct parent p, int64_t number, const char *copy, int64_t count)
{
	p.restart.number = number;
	p.restart.copy = str_of(copy);
	p.restart.count = p.restart.series = count;
	return voucher_fits(&a, d, &p, true);
}

/* A voucher fits its record, its content and its restart, whatever else is written into the Job. */
static void test_voucher(void)
{
	struct parent p = { .ns = STR("ns"), .run = STR("a"), .uid = STR("u"), .plan = STR("{}"), .restart.number = 2 };
	struct parent other = p, copy = p;
	const char *job = POD("\"containers\":[{\"name\":\"m\",\"env\":[{\"name\":\"X\",\"value\":\"1\"}]},"
		"{\"name\":\"s\"}]");
	struct data *d = tree_of(voucher_body(&a, &p, tree(job)));

	CHECK(d && status_list(d, "spec.template.spec.containers")->u.list.n == 2);
	CHECK(status_true(d, "spec.suspend") && status_number(d, "spec.parallelism", 1) == 0);
	CHECK(!status_label(d, "trainc.dev/job").n);
	CHECK(fits(d, p, 2, "", 0) && voucher_fits(&a, d, &p, false) && !fits(d, p, 3, "", 0));
	CHECK(!fits(d, p, 2, "server/3", 1));
	other.plan = STR("[]");
	CHECK(!voucher_fits(&a, d, &other, true) && voucher_fits(&a, d, &other, false));
	other.uid = STR("v");
	CHECK(!voucher_fits(&a, d, &other, true) && !voucher_fits(&a, d, &other, false));
	CHECK(!voucher_fits(&a, tree(job), &p, false));
	/* that of one copy permits no other restart */
	copy.restart.copy = STR("server/3");
	copy.restart.count = copy.restart.series = 1;
	d = tree_of(voucher_body(&a, &copy, tree(job)));
	CHECK(fits(d, p, 2, "server/3", 1) && !fits(d, p, 2, "server/3", 2) && !fits(d, p, 2, "server/4", 1));
	CHECK(!fits(d, p, 2, "", 0) && !fits(d, p, 3, "server/3", 1));
}

int main(void)
{
	test_same_job();
	test_digest();
	test_voucher();
	arena_release(&a);
	return unit_end();
}
