/*
 * upload_code.c - see upload_code.h. The pod only sleeps; a script that is started in it looks for the file, and takes
 * the archive from its standard input if the file is missing.
 */
#include "runtime/cluster/upload_code.h"

#include "base/json_write.h"
#include "base/words.h"
#include "data/data_write.h"
#include "plan/code.h"
#include "runtime/cluster/exec_stream.h"
#include "runtime/status/look.h"

#define UPLOAD_LABEL "trainc.dev/code-upload"
#define UPLOAD_AT "/trainc-claim"
/* $1 is the id, $2 the name of the pod, which no other one has at the same time. */
#define UPLOAD_SCRIPT "for x in gzip sha256sum cut; do\n" \
	"  command -v $x >/dev/null || { echo \"no $x\" >&2; exit 127; }\n" \
	"done\n" \
	"d=" UPLOAD_AT "/" CODE_FILES "; f=$d/$1.tar.gz; t=$d/$1.part-$2; set -e; mkdir -p \"$d\"\n" \
	"id_of() { gzip -dc \"$1\" 2>/dev/null | sha256sum | cut -c-64; }\n" \
	"trap 'rm -f \"$t\"' EXIT\n" \
	"find \"$d\" -name '*.part-*' -mmin +60 -exec rm -f {} + 2>/dev/null || :\n" \
	"if test -f \"$f\" && test \"$(id_of \"$f\")\" = \"$1\"; then echo have; exit 0; fi\n" \
	"echo send; cat > \"$t\"\n" \
	"test \"$(id_of \"$t\")\" = \"$1\" || { echo \"the archive has not arrived as it was sent\" >&2; exit 65; }\n" \
	"chmod 644 \"$t\"; mv -f \"$t\" \"$f\"; echo done"

/* UPLOAD_PIECE: bytes of one message. UPLOAD_LINE: bytes that the script prints at most. */
enum { UPLOAD_PIECE = 32 << 10, UPLOAD_LINE = 256 };
#define UPLOAD_PAUSE (NS_PER_SECOND / 2)
#define UPLOAD_PATIENCE (10 * NS_PER_SECOND)    /* then it is said what the pod waits for */

struct uploading {
	struct cluster *cluster;
	struct code_upload *what;
	struct str name, uid;
	struct str said;                /* the last reason that was reported */
	struct exec_stream stream;
	struct buf line;
	size_t sent;
	bool asked, have, done;
};

/* ---- which pod ---- */

static bool command_has_word(const struct data *list, struct str word)
{
	for (size_t i = 0; list && list->kind == DATA_LIST && i < list->u.list.n; i++)
		if (list->u.list.at[i]->kind == DATA_STRING && str_eq(list->u.list.at[i]->u.string, word))
			return true;
	return false;
}

/* The member of LIST whose KEY has this value; NULL without one. */
static const struct data *member_with(const struct data *list, const char *key, struct str value)
{
	for (size_t i = 0; list && list->kind == DATA_LIST && i < list->u.list.n; i++)
		if (str_eq(status_text(list->u.list.at[i], key), value))
			return list->u.list.at[i];
	return NULL;
}

/* The step of the pod that reads the file; NULL if the pod does not. */
static const struct data *step_of_pod(const struct data *pod, const struct code_upload *u)
{
	const struct data *step = member_with(data_get(pod, STR("initContainers")), "name", STR("code"));
	const struct data *mount = step ? member_with(data_get(step, STR("volumeMounts")), "mountPath",
		STR(CODE_PARTS_AT)) : NULL;
	const struct data *volume = mount ? member_with(data_get(pod, STR("volumes")), "name",
		status_text(mount, "name")) : NULL;

	return volume && str_eq(status_text(volume, "persistentVolumeClaim.claimName"), u->claim) &&
		str_eq(status_text(mount, "subPath"), u->path) &&
		command_has_word(data_get(step, STR("command")), u->id) ? step : NULL;
}

bool upload_code_find(const struct data *tree, struct code_upload *u)
{
	u->step = step_of_pod(tree, u);
	if (u->step) {
		u->pod = tree;
		return true;
	}
	for (size_t i = 0; tree->kind == DATA_MAP && i < tree->u.map.n; i++)
		if (upload_code_find(tree->u.map.at[i].value, u))
			return true;
	for (size_t i = 0; tree->kind == DATA_LIST && i < tree->u.list.n; i++)
		if (upload_code_find(tree->u.list.at[i], u))
			return true;
	return false;
}

/* Adds the members of FROM with these names, as they are. */
static void add_same(struct json_writer *j, const struct data *from, const char *const *names)
{
	for (; *names; names++) {
		const struct data *value = data_get(from, str_of(*names));
		struct buf text = { 0 };
		if (!value)
			continue;
		data_write(&text, value);
		json_key(j, *names);
		json_put_raw(j, "%.*s", STR_ARG(buf_text(&text)));
		buf_release(&text);
	}
}

static void add_container(struct json_writer *j, const struct code_upload *u)
{
	static const char *const same[] = { "image", "imagePullPolicy", "securityContext", "resources", NULL };
	static const char *const words[] = { "sh", "-c", "exec sleep 900" };

	json_add_open(j, "containers", '[');
	json_open(j, '{');
	json_add_text(j, "name", STR("code"));
	add_same(j, u->step, same);
	json_add_open(j, "command", '[');
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		json_put_text(j, str_of(words[i]));
	json_close(j, ']');
	json_add_open(j, "volumeMounts", '[');
	json_open(j, '{');
	json_add_text(j, "name", STR("claim"));
	json_add_text(j, "mountPath", STR(UPLOAD_AT));
	if (u->path.n)
		json_add_text(j, "subPath", u->path);
	json_close(j, '}');
	json_close(j, ']');
	json_close(j, '}');
	json_close(j, ']');
	json_add_open(j, "volumes", '[');
	json_open(j, '{');
	json_add_text(j, "name", STR("claim"));
	json_add_open(j, "persistentVolumeClaim", '{');
	json_add_text(j, "claimName", u->claim);
	json_close(j, '}');
	json_close(j, '}');
	json_close(j, ']');
}

/* The pod that mounts the claim, on a node that the role may have, and without rights in the cluster. */
static struct str pod_text(struct uploading *p)
{
	static const char *const same[] = { "imagePullSecrets", "serviceAccountName", "securityContext", "tolerations",
		"nodeSelector", "affinity", "runtimeClassName", NULL };
	const struct code_upload *u = p->what;
	struct buf out = { 0 };
	struct json_writer j = { .out = &out };

	json_open(&j, '{');
	json_add_text(&j, "apiVersion", STR("v1"));
	json_add_text(&j, "kind", STR("Pod"));
	json_add_open(&j, "metadata", '{');
	json_add_text(&j, "name", p->name);
	json_add_open(&j, "labels", '{');
	json_add_text(&j, "app.kubernetes.io/managed-by", STR("trainc"));
	json_add_text(&j, UPLOAD_LABEL, (struct str){ u->id.p, CODE_SHORT });
	json_close(&j, '}');
	json_close(&j, '}');
	json_add_open(&j, "spec", '{');
	json_add_text(&j, "restartPolicy", STR("Never"));
	json_add_bool(&j, "automountServiceAccountToken", false);
	json_add_bool(&j, "enableServiceLinks", false);
	json_add_int(&j, "activeDeadlineSeconds", 900);
	json_add_int(&j, "terminationGracePeriodSeconds", 1);
	add_same(&j, u->pod, same);
	add_container(&j, u);
	json_close(&j, '}');
	json_close(&j, '}');
	return buf_take(&out, p->cluster->arena);
}

/* ---- the pod ---- */

static struct transport_place pod_place(const struct uploading *p, bool named)
{
	return (struct transport_place){ .version = STR("v1"), .plural = STR("pods"), .namespace = p->what->ns,
		.name = named ? p->name : STR("") };
}

static struct answer *ask_about_pod(struct uploading *p, enum transport_method method, struct str body)
{
	struct cluster *k = p->cluster;
	struct transport_place place = pod_place(p, method != TRANSPORT_POST);
	struct transport_request r = { .method = method, .path = transport_path(k->arena, &place), .body = body,
		.kind = method == TRANSPORT_GET ? TRANSPORT_READ : TRANSPORT_WRITE };

	return request_send(&k->client, k->arena, &r, method == TRANSPORT_POST ? CALL_ONCE : CALL_BY_METHOD);
}

static bool begin_pod(struct uploading *p, int *ret_status)
{
	const struct answer *x = ask_about_pod(p, TRANSPORT_POST, pod_text(p));

	if (x->class == CALL_DONE && x->data) {
		p->uid = status_text(x->data, "metadata.uid");
		return true;
	}
	*ret_status = cluster_say(p->cluster, x);
	if (x->status == STATUS_DENIED)
		session_say(p->cluster->session, "code with 'via' needs the verbs create, get and delete of pods, and "
			"get and create of pods/exec");
	return false;
}

/* Deletes the pod, also if the command was interrupted. */
static void end_pod(struct uploading *p)
{
	bool interrupted = p->cluster->interrupted;

	if (interrupted)
		cluster_last_requests(p->cluster, true);
	const struct answer *x = ask_about_pod(p, TRANSPORT_DELETE, str_printf(p->cluster->arena,
		"{\"preconditions\":{\"uid\":\"%.*s\"}}", STR_ARG(p->uid)));
	if (interrupted)
		cluster_last_requests(p->cluster, false);
	if (x->class != CALL_DONE && !cluster_is_gone(x))
		session_say(p->cluster->session, "pod '%.*s' was left; kubectl delete pod -n %.*s %.*s",
			STR_ARG(p->name), STR_ARG(p->what->ns), STR_ARG(p->name));
}

/* Why the pod does not run, as a sentence without its end. */
static struct str pod_reason(struct arena *a, const struct data *pod)
{
	const struct data *containers = status_list(pod, "status.containerStatuses"),
		*condition = member_with(status_list(pod, "status.conditions"), "type", STR("PodScheduled"));
	struct str reason = status_text(pod, "status.reason"), message = status_text(pod, "status.message");

	if (!reason.n && containers && containers->u.list.n) {
		const struct data *c = containers->u.list.at[0];
		bool ended = status_text(c, "state.terminated.reason").n;
		reason = status_text(c, ended ? "state.terminated.reason" : "state.waiting.reason");
		message = status_text(c, ended ? "state.terminated.message" : "state.waiting.message");
	}
	if (!reason.n && condition && str_is(status_text(condition, "status"), "False")) {
		reason = status_text(condition, "reason");
		message = status_text(condition, "message");
	}
	if (!reason.n)
		return STR("it has not started yet");
	return name_escaped(a, message.n ? str_cat(a, reason, STR(": "), message) : reason);
}

/* Reports the state of the pod, once for each reason. */
static void say_pod(struct uploading *p, const char *what, struct str why)
{
	if (str_eq(p->said, why))
		return;
	session_say(p->cluster->session, "pod '%.*s', which writes the code to the claim '%.*s', %s: %.*s",
		STR_ARG(p->name), STR_ARG(p->what->claim), what, STR_ARG(why));
	p->said = why;
}

/* Waits until the pod runs; false after reporting why it does not. */
static bool await_pod(struct uploading *p, int *ret_status)
{
	struct cluster *k = p->cluster;
	int64_t until = clock_steady() + UPLOAD_PATIENCE;

	for (;;) {
		const struct answer *x = ask_about_pod(p, TRANSPORT_GET, STR(""));
		if (x->class != CALL_DONE || !x->data) {
			*ret_status = cluster_say(k, x);
			return false;
		}
		struct str phase = status_text(x->data, "status.phase"), why = pod_reason(k->arena, x->data);
		if (str_is(phase, "Running"))
			return true;
		if (str_is(phase, "Failed") || str_is(phase, "Succeeded")) {
			say_pod(p, "has ended", why);
			session_say(k->session, "its image, '%.*s', needs sh, sleep, gzip and sha256sum",
				STR_ARG(name_escaped(k->arena, status_text(p->what->step, "image"))));
			*ret_status = STATUS_FAILED;
			return false;
		}
		if (clock_steady() > until)
			say_pod(p, "waits", why);
		cluster_pause(k, UPLOAD_PAUSE);
		if (k->interrupted) {
			*ret_status = cluster_interrupted(k);
			return false;
		}
	}
}

/* ---- the file ---- */

static bool take_upload_answer(void *to, struct str bytes)
{
	struct uploading *p = to;

	if (p->line.n + bytes.n > UPLOAD_LINE)
		return false;
	buf_str(&p->line, bytes);
	struct str text = buf_text(&p->line);
	p->asked = p->asked || str_is(text, "send\n");
	p->have = p->have || str_is(text, "have\n");
	p->done = p->done || str_is(text, "send\ndone\n");
	exec_stream_feed(&p->stream);
	return true;
}

static bool give_archive(void *to, struct buf *b)
{
	struct uploading *p = to;
	size_t left = p->what->packed.n - p->sent;

	if (!p->asked)
		return !p->have;
	if (!left)
		return false;
	buf_put(b, p->what->packed.p + p->sent, left < UPLOAD_PIECE ? left : UPLOAD_PIECE);
	p->sent += left < UPLOAD_PIECE ? left : UPLOAD_PIECE;
	return true;
}

static int say_not_uploaded(struct uploading *p, const struct exec_end *e)
{
	struct session *s = p->cluster->session;
	struct str image = status_text(p->what->step, "image");

	if (p->cluster->interrupted)
		return cluster_interrupted(p->cluster);
	if (e->old && exec_server_is_old(p->cluster))
		return STATUS_REFUSED;
	if (e->missing || (e->ended && e->code == 127)) {
		session_say(s, "image '%.*s' has %.*s, which writes the code to the claim '%.*s'", STR_ARG(image),
			STR_ARG((e->ended && e->said.n ? name_escaped(s->arena, e->said) : STR("no sh"))),
			STR_ARG(p->what->claim));
		return STATUS_FAILED;
	}
	session_say(s, "the code was not written to the claim '%.*s': %.*s", STR_ARG(p->what->claim),
		STR_ARG((!e->ended ? e->error : e->said.n ? name_escaped(s->arena, e->said) :
		str_printf(s->arena, "its script ended with status %d before the file was complete", e->code))));
	if (e->forbidden)
		session_say(s, "docs/runtime.md has the Role 'trainc-interactive', which permits this");
	return e->ended ? STATUS_FAILED : e->status;
}

static bool send_archive(struct uploading *p, int *ret_status)
{
	struct arena *a = p->cluster->arena;
	char *words[] = { str_cat_chars(a, STR("sh"), STR(""), STR("")), str_cat_chars(a, STR("-c"), STR(""), STR("")),
		str_cat_chars(a, STR(UPLOAD_SCRIPT), STR(""), STR("")), str_cat_chars(a, STR("code"), STR(""), STR("")),
		str_cat_chars(a, p->what->id, STR(""), STR("")), str_cat_chars(a, p->name, STR(""), STR("")), NULL };
	struct exec_stream *all = &p->stream;

	p->stream = (struct exec_stream){ .request = { p->what->ns, p->name, STR("code"), words, true, false },
		.take = take_upload_answer, .give = give_archive, .to = p };
	exec_stream_start(p->cluster, &p->stream);
	exec_stream_wait(p->cluster, &all, 1);
	struct exec_end end = exec_stream_end(&p->stream);
	buf_release(&p->line);
	if (end.ended && !end.code && (p->have || p->done)) {
		p->what->was_there = p->have;
		return true;
	}
	*ret_status = say_not_uploaded(p, &end);
	return false;
}

bool upload_code(struct cluster *k, struct code_upload *u, int *ret_status)
{
	struct uploading p = { .cluster = k, .what = u };
	bool ok;

	p.name = str_printf(k->arena, "trainc-code-%.*s-%.*s", CODE_SHORT, u->id.p, STR_ARG(cluster_random(k->arena)));
	if (!begin_pod(&p, ret_status))
		return false;
	ok = await_pod(&p, ret_status) && send_archive(&p, ret_status);
	end_pod(&p);
	return ok;
}
