/* look.c - members by path, times and texts of objects. */
#include "runtime/status/look.h"

#include "base/words.h"
#include "kube/workload.h"

/* ---- paths ---- */

const struct data *status_path(const struct data *d, const char *path)
{
	while (d && *path) {
		const char *dot = strchr(path, '.');
		struct str key = { path, dot ? (size_t)(dot - path) : strlen(path) };
		d = d->kind == DATA_MAP ? data_get(d, key) : NULL;
		path += key.n + (dot != NULL);
	}
	return d;
}

struct str status_text(const struct data *d, const char *path)
{
	const struct data *v = status_path(d, path);

	return v && v->kind == DATA_STRING ? v->u.string : STR("");
}

int64_t status_number(const struct data *d, const char *path, int64_t otherwise)
{
	static const int64_t MOST = INT64_C(1) << 40;
	const struct data *v = status_path(d, path);

	/*
	 * counts in Kubernetes have 32 bits and generations are small, so larger numbers are ignored: sums of these
	 * numbers must not overflow
	 */
	return !v || v->kind != DATA_INT || v->u.integer > MOST || v->u.integer < -MOST ? otherwise : v->u.integer;
}

bool status_true(const struct data *d, const char *path)
{
	const struct data *v = status_path(d, path);

	return v && v->kind == DATA_BOOL && v->u.boolean;
}

const struct data *status_list(const struct data *d, const char *path)
{
	static const struct data empty = { .kind = DATA_LIST };
	const struct data *v = status_path(d, path);

	return v && v->kind == DATA_LIST ? v : &empty;
}

int64_t status_time(const struct data *d, const char *path)
{
	int64_t ns;

	return time_parse(status_text(d, path), &ns) ? ns : 0;
}

static struct str keyed(const struct data *map, const char *key)
{
	const struct data *v = data_get(map, str_of(key));

	return v && v->kind == DATA_STRING ? v->u.string : STR("");
}

struct str status_label(const struct data *object, const char *key)
{
	return keyed(status_path(object, "metadata.labels"), key);
}
struct str status_annotation(const struct data *object, const char *key)
{
	return keyed(status_path(object, "metadata.annotations"), key);
}

bool status_owned_by(const struct data *object, struct str uid)
{
	const struct data *owners = status_list(object, "metadata.ownerReferences");

	for (size_t i = 0; i < owners->u.list.n; i++)
		if (uid.n && str_eq(status_text(owners->u.list.at[i], "uid"), uid))
			return true;
	return false;
}

const struct data *status_controller(const struct data *object)
{
	const struct data *owners = status_list(object, "metadata.ownerReferences");

	for (size_t i = 0; i < owners->u.list.n; i++)
		if (status_true(owners->u.list.at[i], "controller"))
			return owners->u.list.at[i];
	return NULL;
}

const struct data *status_condition(const struct data *object, const char *type)
{
	const struct data *list = status_list(object, "status.conditions");

	for (size_t i = 0; i < list->u.list.n; i++)
		if (str_is(status_text(list->u.list.at[i], "type"), type))
			return list->u.list.at[i];
	return NULL;
}

const struct data *status_condition_is(const struct data *object, const char *type, const char *status)
{
	const struct data *c = status_condition(object, type);

	return c && str_is(status_text(c, "status"), status) ? c : NULL;
}

const struct data *status_condition_true(const struct data *object, const char *type)
{
	return status_condition_is(object, type, "True");
}

/* ---- texts ---- */

struct str status_pod_index(const struct data *pod)
{
	struct str text = status_label(pod, "trainc.dev/index");

	for (size_t i = 0; !text.n && workload_at(i); i++) {
		const char *key = workload_at(i)->index;
		if (key && !(text = status_label(pod, key)).n)
			text = status_annotation(pod, key);
	}
	return text;
}

bool text_holds(struct str text, const char *part)
{
	return text.n && memmem(text.p, text.n, part, strlen(part)) != NULL;
}

bool text_among(struct str text, const char *const *words)
{
	for (; *words; words++)
		if (str_is(text, *words))
			return true;
	return false;
}

struct str text_line(struct arena *a, struct str text)
{
	/* since Kubernetes 1.34, messages contain these words before the part about preemption */
	static const struct str claims = { " no new claims to deallocate,", 29 };
	const char *more = text.n ? memmem(text.p, text.n, " preemption: ", 13) : NULL;
	struct buf b = { 0 };
	bool space = false;

	if (more)
		text.n = (size_t)(more - text.p);
	if (str_ends(text, claims))
		text.n -= claims.n;
	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];
		if (c <= ' ' || c == 0x7F) {
			space = b.n > 0;
			continue;
		}
		if (space)
			buf_char(&b, ' ');
		space = false;
		buf_char(&b, (char)c);
	}
	struct str line = buf_take(&b, a);
	buf_release(&b);
	return line;
}

struct str text_cause(struct arena *a, struct str reason, struct str message)
{
	reason = text_line(a, reason);
	message = text_line(a, message);
	return !message.n ? reason : !reason.n ? message :
		str_printf(a, "%.*s: %.*s", STR_ARG(reason), STR_ARG(message));
}

const char *status_holder_words(struct str finalizer)
{
	if (str_is(finalizer, "kueue.x-k8s.io/managed"))
		return "Kueue removes it when the Workload of the pod's group is deleted: the label "
			"'kueue.x-k8s.io/pod-group-name' has the name of that Workload";
	return str_is(finalizer, "foregroundDeletion") ? "its pods are still there" :
		"the controller that has set it must remove it";
}

struct str status_deletion(struct arena *a, const struct data *object)
{
	const struct data *holders = status_list(object, "metadata.finalizers");
	struct buf b = { 0 };

	if (!status_text(object, "metadata.deletionTimestamp").n)
		return STR("");
	buf_z(&b, "is being deleted");
	for (size_t i = 0; i < holders->u.list.n; i++) {
		const struct data *f = holders->u.list.at[i];
		if (f->kind == DATA_STRING)
			buf_printf(&b, "; finalizer '%.*s' holds it: %s", STR_ARG(text_line(a, f->u.string)),
				status_holder_words(f->u.string));
	}
	struct str text = buf_take(&b, a);
	buf_release(&b);
	return text;
}
