/*
 * vouch.c - computes the digest of a record, finds it in live objects, and builds and recognizes the voucher of a
 * restart.
 */
#include "runtime/cluster/vouch.h"

#include "base/sha256.h"
#include "data/data_write.h"
#include "runtime/cluster/tree_diff.h"
#include "runtime/status/look.h"

/* The environment variable in the template of a voucher, which contains the digest and the number of the restart. */
#define VOUCHER_VARIABLE "TRAINC_RECORD"
/*
 * The API server warns about names of Jobs with dots, and the Job controller uses the name as the value of a label. No
 * Event about an object of this name is taken for one about the run.
 */
#define VOUCHER_PREFIX "trainc-restart-"

/* ---- the digest ---- */

static struct str vouch_hex(struct arena *a, struct str text)
{
	char hex[65];

	sha256_hex(text, hex);
	return str_copy(a, str_of(hex));
}

struct str vouch_jobs_digest(struct arena *a, struct str jobs) { return jobs.n ? vouch_hex(a, jobs) : STR(""); }

struct str vouch_digest(struct arena *a, const struct parent *p)
{
	struct buf b = { 0 };

	if (!p->uid.n)
		return STR("");
	/* the lengths separate the texts, so that no other texts give the same digest */
	buf_printf(&b, "1 %zu %zu %zu %zu %zu %lld\n", p->ns.n, p->run.n, p->uid.n, p->jobs_digest.n, p->plan.n,
		(long long)p->restart.most);
	buf_str(&b, p->ns);
	buf_str(&b, p->run);
	buf_str(&b, p->uid);
	buf_str(&b, p->jobs_digest);
	buf_str(&b, p->plan);
	struct str digest = vouch_hex(a, buf_text(&b));
	buf_release(&b);
	return digest;
}

/* ---- live objects ---- */

bool vouch_by(const struct data *object, struct str digest)
{
	return digest.n && str_eq(status_annotation(object, VOUCH_ANNOTATION), digest);
}

enum vouch_verdict vouch_judge(struct arena *a, const struct parent *p, const struct status_objects *objects,
	struct str *ret_who)
{
	struct str digest = vouch_digest(a, p);
	bool any = false;

	for (size_t i = 0; i < objects->n; i++) {
		const struct data *o = objects->at[i];
		struct str kind = status_text(o, "kind");
		bool counts = (str_is(kind, "Job") || str_is(kind, "Deployment")) &&
			parent_lists(p, status_text(o, "metadata.uid"));
		if (!counts)
			continue;
		any = true;
		if (vouch_by(o, digest))
			continue;
		*ret_who = str_printf(a, "%.*s '%.*s'", STR_ARG(kind), STR_ARG(status_text(o, "metadata.name")));
		return VOUCH_MISSING;
	}
	return any ? VOUCH_GIVEN : VOUCH_ABSENT;
}

int64_t vouch_number(const struct data *job)
{
	struct str s = status_annotation(job, VOUCH_RESTARTED);
	int64_t n = 0;

	for (size_t i = 0; i < s.n && i < 15 && s.p[i] >= '0' && s.p[i] <= '9'; i++)
		n = n * 10 + (s.p[i] - '0');
	return n;
}

/* Is the field one that `scale`, `suspend`, `start_after` and Kueue change in a Job that runs? */
static bool is_changed_later(struct str path)
{
	static const char *const paths[] = { "spec.suspend", "spec.parallelism", "spec.completions",
		"spec.maxFailedIndexes", NULL };

	return text_among(path, paths);
}

bool vouch_same_job(struct arena *a, const struct data *stored, const struct data *live, struct str *why)
{
	struct tree_differences all = tree_diff(a, stored, live);

	for (size_t i = 0; i < all.n; i++)
		if (!is_changed_later(all.at[i].path)) {
			*why = all.at[i].path;
			return false;
		}
	return true;
}

bool vouch_owner_fits(const struct data *object, const struct parent *p)
{
	const struct data *owners = status_list(object, "metadata.ownerReferences");

	for (size_t i = 0; i < owners->u.list.n; i++)
		if (!str_eq(status_text(owners->u.list.at[i], "uid"), p->uid))
			return false;
	return true;
}

/* ---- the voucher ---- */

struct str voucher_name(struct arena *a, struct str run)
{
	struct str hex = vouch_hex(a, run);

	return str_printf(a, VOUCHER_PREFIX "%.*s", 16, hex.p);
}

static struct str voucher_text(struct arena *a, const struct parent *p)
{
	const struct status_restart *r = &p->restart;
	struct str text = str_printf(a, "%.*s %lld", STR_ARG(vouch_digest(a, p)), (long long)r->number);

	return !r->copy.n ? text : str_printf(a, "%.*s %lld %lld %.*s", STR_ARG(text), (long long)r->count,
		(long long)r->series, STR_ARG(r->copy));
}

/* Appends the members of a map except KEY, each with a comma after it. */
static void voucher_put_others(struct buf *b, const struct data *map, const char *key)
{
	for (size_t i = 0; map && map->kind == DATA_MAP && i < map->u.map.n; i++) {
		if (str_is(map->u.map.at[i].key, key))
			continue;
		data_write_text(b, map->u.map.at[i].key);
		buf_char(b, ':');
		data_write(b, map->u.map.at[i].value);
		buf_char(b, ',');
	}
}

/* Appends the elements of a list from number I on, each with a comma before it unless it is the first of all. */
static void voucher_put_elements(struct buf *b, const struct data *list, size_t i)
{
	for (; i < list->u.list.n; i++) {
		buf_z(b, i ? "," : "");
		data_write(b, list->u.list.at[i]);
	}
}

/* Appends the pod template of JOB, with TEXT in the environment of its first container. */
static void voucher_put_template(struct buf *b, const struct data *job, struct str text)
{
	const struct data *template = status_path(job, "spec.template"), *spec = status_path(job, "spec.template.spec");
	const struct data *containers = status_list(job, "spec.template.spec.containers");
	const struct data *first = containers->u.list.n ? containers->u.list.at[0] : NULL;
	const struct data *env = status_list(first, "env");

	buf_char(b, '{');
	voucher_put_others(b, template, "spec");
	buf_z(b, "\"spec\":{");
	voucher_put_others(b, spec, "containers");
	buf_z(b, "\"containers\":[{");
	voucher_put_others(b, first, "env");
	buf_z(b, "\"env\":[");
	voucher_put_elements(b, env, 0);
	buf_printf(b, "%s{\"name\":\"" VOUCHER_VARIABLE "\",\"value\":", env->u.list.n ? "," : "");
	data_write_text(b, text);
	buf_z(b, "}]}");
	voucher_put_elements(b, containers, 1);
	buf_z(b, "]}}");
}

struct str voucher_body(struct arena *a, const struct parent *p, const struct data *job)
{
	struct str record = applyset_parent_name(a, p->run);
	struct buf b = { 0 };

	buf_z(&b, "{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"name\":");
	data_write_text(&b, voucher_name(a, p->run));
	buf_z(&b, ",\"namespace\":");
	data_write_text(&b, p->ns);
	buf_z(&b, ",\"labels\":{\"app.kubernetes.io/managed-by\":\"trainc\",\"" APPLYSET_PART_OF "\":");
	data_write_text(&b, applyset_id(a, record, p->ns, STR("ConfigMap"), STR("")));
	buf_z(&b, "},\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"name\":");
	data_write_text(&b, record);
	buf_z(&b, ",\"uid\":");
	data_write_text(&b, p->uid);
	buf_z(&b, "}]},\"spec\":{\"suspend\":true,\"parallelism\":0,\"completions\":1,\"template\":");
	voucher_put_template(&b, job, voucher_text(a, p));
	buf_z(&b, "}}");
	struct str body = buf_take(&b, a);
	buf_release(&b);
	return body;
}

bool voucher_fits(struct arena *a, const struct data *job, const struct parent *p, bool exact)
{
	const struct data *containers = status_list(job, "spec.template.spec.containers"), *env;
	struct str text = STR("");

	env = status_list(containers->u.list.n ? containers->u.list.at[0] : NULL, "env");
	for (size_t i = 0; i < env->u.list.n; i++)
		if (str_is(status_text(env->u.list.at[i], "name"), VOUCHER_VARIABLE))
			text = status_text(env->u.list.at[i], "value");
	return text.n && status_owned_by(job, p->uid) && (!exact || str_eq(text, voucher_text(a, p)));
}

/* ---- the writer ---- */

struct str vouch_writer(struct arena *a, const struct data *record)
{
	const struct data *fields = status_list(record, "metadata.managedFields"), *last = NULL;
	int64_t latest = 0;

	for (size_t i = 0; i < fields->u.list.n; i++) {
		const struct data *f = fields->u.list.at[i];
		int64_t time = status_time(f, "time");
		if (!status_path(f, "fieldsV1.f:data") || (last && time < latest))
			continue;
		last = f;
		latest = time;
	}
	if (!last)
		return STR("somebody");
	struct str manager = text_line(a, status_text(last, "manager"));
	return str_printf(a, "'%.*s' at %.*s", STR_ARG(manager), STR_ARG(text_line(a, status_text(last, "time"))));
}
