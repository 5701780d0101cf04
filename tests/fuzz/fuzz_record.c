/*
 * fuzz_record.c - reads the record of a run: a ConfigMap that anybody with rights to ConfigMaps can write. The parts
 * "applied", "plan", "restart", "jobs", "outcome" and "history" are texts in it; lines KEY=VALUE of the part "" are its
 * other data, labels and annotations. A part "object" replaces the whole ConfigMap. The part "live" has the objects of
 * the run.
 *
 * What must hold: a record that was read and written again stays the same, its plan and its outcome too; an object
 * without the digest of the record does not vouch for it; the voucher of a restart is JSON and fits only that restart.
 */
#include "fuzz.h"
#include "runtime/cluster/code_record.h"
#include "runtime/cluster/vouch.h"
#include "runtime/run/outcome.h"
#include "runtime/run/plan_record.h"
#include "runtime/run/plan_facts.h"
#include "runtime/run/run_history.h"
#include "runtime/status/status.h"

/* ---- the ConfigMap ---- */

static void put_member(struct buf *b, const char *before, struct str key, struct str value)
{
	buf_z(b, before);
	data_write_text(b, key);
	buf_char(b, ':');
	data_write_text(b, value);
}

/* Appends the lines KEY=VALUE as members. */
static void put_lines(struct buf *b, struct str text)
{
	while (text.n) {
		struct str line = fuzz_line(&text);
		const char *equals = line.n ? memchr(line.p, '=', line.n) : NULL;
		size_t n = equals ? (size_t)(equals - line.p) : 0;
		if (equals)
			put_member(b, ",", (struct str){ line.p, n }, (struct str){ equals + 1, line.n - n - 1 });
	}
}

static struct str record_text(struct arena *a, const struct fuzz_parts *parts)
{
	static const char *const texts[] = { "applied", "plan", "restart", "jobs", "outcome", "history" };
	struct buf b = { 0 };

	buf_z(&b, "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a.trainc\","
		"\"namespace\":\"x\",\"uid\":\"u\",\"resourceVersion\":\"7\",\"labels\":{\"trainc.dev/run\":\"a\"");
	put_lines(&b, fuzz_part(parts, "labels"));
	buf_z(&b, "},\"annotations\":{\"applyset.kubernetes.io/tooling\":\"trainc/v1\"");
	put_lines(&b, fuzz_part(parts, "annotations"));
	buf_z(&b, "}},\"data\":{\"schemaVersion\":\"1\"");
	put_lines(&b, parts->at[0].text);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (fuzz_part(parts, texts[i]).n)
			put_member(&b, ",", str_of(texts[i]), fuzz_part(parts, texts[i]));
	buf_z(&b, "}}");
	return fuzz_taken(a, &b);
}

/* ---- what is in it ---- */

static void check_plan(struct arena *a, struct str text, struct str code)
{
	struct data *d = text.n ? fuzz_json(a, text) : NULL;
	struct plan_job job, again;
	struct str why = STR("");
	struct buf first = { 0 }, second = { 0 };

	if (d && !plan_record_read(a, d, &job, &why)) {
		fuzz_require(why.n);
	} else if (d) {
		plan_record_write(&job, &first);
		d = fuzz_json(a, buf_text(&first));
		fuzz_require(d && plan_record_read(a, d, &again, &why));
		plan_record_write(&again, &second);
		fuzz_require(str_eq(buf_text(&first), buf_text(&second)));
		code_record_read(a, code, &again);
		struct str written = code_record_text(a, &again);
		code_record_read(a, written, &again);
		fuzz_require(str_eq(written, code_record_text(a, &again)));
	}
	buf_release(&first);
	buf_release(&second);
}

static void check_outcome(struct arena *a, struct str text, int64_t generation)
{
	struct run_state state = { 0 }, again = { 0 };
	struct buf first = { 0 }, second = { 0 };

	if (outcome_read(a, text, generation, &state)) {
		outcome_write(&state, generation, state.end, &first);
		fuzz_require(outcome_read(a, buf_text(&first), generation, &again));
		outcome_write(&again, generation, again.end, &second);
		fuzz_require(str_eq(buf_text(&first), buf_text(&second)));
	}
	buf_release(&first);
	buf_release(&second);
}

/* A history that was read is within its bounds, and stays the same when it is written and read again. */
static void check_history(struct arena *a, struct str text)
{
	struct run_launches l = launches_read(a, text, false);
	struct launch_shelf shelf = { 0 };

	struct str written = launches_text(a, &l);
	fuzz_require(l.n <= LAUNCH_MOST && written.n <= LAUNCH_BYTES);
	for (size_t i = 0; i < l.n; i++)
		fuzz_require(fuzz_is_line(l.at[i].state) && fuzz_is_line(l.at[i].cause) &&
			fuzz_is_line(l.at[i].by));
	for (size_t i = 0; i < l.n; i++) {
		struct plan_facts f = { .at = l.at[i].facts, .n = l.at[i].nfacts, .words = l.at[i].words },
			other = { .at = l.at[0].facts, .n = l.at[0].nfacts, .words = l.at[0].words };
		struct fact_changes same = plan_facts_compare(a, &f, &f), changes = plan_facts_compare(a, &other, &f);
		fuzz_require(!same.n && changes.n <= f.n + other.n);
		for (size_t k = 0; k < changes.n; k++)
			fuzz_require(fuzz_is_line(changes.at[k].name) && fuzz_is_line(changes.at[k].old));
	}
	struct run_launches again = launches_read(a, written, false);
	fuzz_require(str_eq(written, launches_text(a, &again)));
	shelf_put(a, &shelf, STR("a"), text);
	fuzz_require(str_eq(shelf_text(&shelf, STR("a")), text));
}

/* Checks what the objects of a run say about its record. */
static void check_vouching(struct arena *a, const struct parent *p, struct str live)
{
	struct source source = { .text = str_copy(a, live), .base = 1 };
	struct status_objects objects = { 0 };
	struct data_reader *r = data_reader_new(a, &source);
	struct data_error error;
	struct data *d;
	struct str who = STR(""), digest = vouch_digest(a, p);
	size_t missing = 0;

	while (data_next(r, &d, &error) == DATA_DOCUMENT)
		status_add(a, &objects, d);
	data_reader_release(r);
	enum vouch_verdict verdict = vouch_judge(a, p, &objects, &who);
	fuzz_require((verdict == VOUCH_MISSING) == (who.n > 0));
	for (size_t i = 0; i < objects.n; i++) {
		const struct data *o = objects.at[i];
		struct str why = STR("");
		missing += !vouch_by(o, digest);
		fuzz_require(!vouch_by(o, STR("")) && vouch_number(o) >= 0);
		fuzz_require(vouch_same_job(a, o, o, &why));
		struct parent other = *p;
		other.restart.number++;
		d = fuzz_json(a, voucher_body(a, p, o));
		fuzz_require(d && voucher_fits(a, d, p, true) && !voucher_fits(a, d, &other, true));
	}
	fuzz_require(verdict != VOUCH_GIVEN || missing < objects.n);
	fuzz_require(fuzz_is_line(vouch_writer(a, objects.n ? objects.at[0] : NULL)));
}

static void check_parent(struct arena *a, struct str text, struct str live)
{
	struct data *d = fuzz_json(a, text);
	struct parent p = { 0 }, again = { 0 };
	struct str why = STR("");

	if (!d || !parent_read(a, d, &p, &why)) {
		fuzz_require(!d || why.n);
		return;
	}
	fuzz_require(p.run.n && p.generation >= 0 && p.restart.most >= 0 && p.restart.number >= 0);
	for (size_t i = 0; i < p.napplied; i++)
		fuzz_require(parent_find(&p, &p.applied[i].resource, p.applied[i].ns, p.applied[i].name) &&
			(!p.applied[i].uid.n || parent_lists(&p, p.applied[i].uid)));
	struct str written = parent_body(a, &p);
	d = fuzz_json(a, written);
	fuzz_require(d && parent_read(a, d, &again, &why));
	fuzz_require(str_eq(written, parent_body(a, &again)));
	if (p.uid.n)
		check_vouching(a, &p, live);
	check_plan(a, p.plan, p.code);
	check_outcome(a, p.outcome, p.generation);
	check_history(a, p.history);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct arena a = { 0 };
	struct fuzz_parts parts;

	fuzz_divide(fuzz_input(&a, bytes, n), &parts);
	struct str object = fuzz_part(&parts, "object");
	check_parent(&a, object.n ? object : record_text(&a, &parts), fuzz_part(&parts, "live"));
	check_plan(&a, fuzz_part(&parts, "plan"), fuzz_part(&parts, "code"));
	check_outcome(&a, fuzz_part(&parts, "outcome"), 1);
	check_history(&a, fuzz_part(&parts, "history"));
	arena_release(&a);
	return 0;
}
