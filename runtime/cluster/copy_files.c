/*
 * copy_files.c - `cp` in a cluster: a tar process in the container writes or reads an archive. What it writes may have
 * been made by somebody else: tar_read.h and tar_store.h do not trust it.
 */
#include "runtime/command/copy.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "base/words.h"
#include "runtime/cluster/exec_stream.h"
#include "runtime/cluster/replica_pod.h"
#include "runtime/cluster/tar_send.h"
#include "runtime/cluster/tar_store.h"
#include "runtime/run/shell_word.h"

/*
 * Unpacks into a directory beside the destination, and moves it there when the archive is complete. $1 is the path, $2
 * the name of the source, $3 random, and $4 is not empty if what exists may be replaced: it moves aside first, and
 * comes back if the copy cannot take its place. A script that fails reads its input to the end: if it left some, the
 * connection would be reset, and its status would be lost on the way.
 */
#define RECEIVE_SCRIPT \
	"fail() { cat >/dev/null; exit $1; }\n" \
	"if test -d \"$1\"; then d=$1 n=$2; else d=${1%/*} n=${1##*/}; test \"$d\" = \"$1\" && d=.; d=${d:-/}; fi\n" \
	"case $d in -*) d=./$d;; esac\n" \
	"test -d \"$d\" || { echo \"'$d' is not a directory\" >&2; fail 66; }\n" \
	"if test -z \"$4\" && { test -e \"$d/$n\" || test -L \"$d/$n\"; }; then echo \"$d/$n\" >&2; fail 65; fi\n" \
	"t=$d/.trainc-cp-$3; mkdir \"$t\" || fail 67\n" \
	"clean() {\n" \
	"  rm -rf \"$t\" 2>/dev/null && return\n" \
	"  find \"$t\" -type d -exec chmod u+rwx {} \\; 2>/dev/null; rm -rf \"$t\"\n" \
	"}\n" \
	"trap clean EXIT; trap 'exit 130' HUP INT TERM\n" \
	"tar -xof - -C \"$t\" || fail 67\n" \
	"test -e \"$t/end\" || { echo 'the archive is not complete' >&2; exit 67; }\n" \
	"test ! -d \"$t/data\" || test -L \"$t/data\" || chmod u+w \"$t/data\"\n" \
	"if test -e \"$d/$n\" || test -L \"$d/$n\"; then\n" \
	"  test -n \"$4\" || { echo \"$d/$n\" >&2; exit 65; }\n" \
	"  if test -d \"$d/$n\" || test -d \"$t/data\"; then mv \"$d/$n\" \"$t/old\" || exit 67; fi\n" \
	"fi\n" \
	"if mv -f \"$t/data\" \"$d/$n\"; then\n" \
	"  echo \"$d/$n\"; clean 2>/dev/null || echo \"$t\"; trap - EXIT; exit 0\n" \
	"fi\n" \
	"if test -e \"$t/old\" && ! mv \"$t/old\" \"$d/$n\"; then\n" \
	"  trap - EXIT; echo \"what was there is now $t/old\" >&2\n" \
	"fi\n" \
	"exit 67\n"

enum { SCRIPT_EXISTS = 65, SCRIPT_NO_DIRECTORY = 66 };

struct copying {
	struct session *session;
	struct cluster *cluster;
	struct replica_pod pod;
	struct str container;
	struct copy *what;
	struct tar_store store;
	struct tar_send send;
	struct buf answer;              /* what the script prints: the path where it has put the copy */
};

static char *word_of(struct arena *a, struct str text) { return str_cat_chars(a, text, STR(""), STR("")); }

/* The command line of kubectl that does the same, for a connection that does not pass WebSockets. */
static void say_kubectl_cp(const struct copying *c)
{
	struct str there = str_printf(c->session->arena, "%.*s:%.*s", STR_ARG(c->pod.name), STR_ARG(c->what->there));
	struct buf b = { 0 };

	put_shell_word(&b, c->what->in ? c->what->here : there);
	buf_char(&b, ' ');
	put_shell_word(&b, c->what->in ? there : c->what->here);
	session_say(c->session, "over another connection, kubectl may succeed: kubectl cp -n %.*s -c %.*s %.*s",
		STR_ARG(c->pod.ns), STR_ARG(c->container), STR_ARG(buf_text(&b)));
	buf_release(&b);
}

/* Reports a process that has not done its work; returns the exit status. */
static int say_copy_failed(struct copying *c, const struct exec_end *e)
{
	struct session *s = c->session;
	const struct str where = c->what->there_text;

	if (e->missing) {
		session_say(s, "container '%.*s' of %.*s/%lld has no %s, which 'cp' needs", STR_ARG(c->container),
			STR_ARG(c->what->role), (long long)c->what->index, c->what->in ? "sh" : "tar");
		return STATUS_FAILED;
	}
	if (e->ended) {
		session_say(s, "%.*s: %.*s", STR_ARG(where), STR_ARG(e->said.n ? e->said
			: str_printf(s->arena, "tar ended with status %d", e->code)));
		return STATUS_FAILED;
	}
	if (c->cluster->interrupted)
		return cluster_interrupted(c->cluster);
	if (e->old && exec_server_is_old(c->cluster))
		return STATUS_REFUSED;
	session_say(s, "%.*s", STR_ARG(e->error));
	if (e->barred)
		say_kubectl_cp(c);
	else if (e->forbidden)
		session_say(s, "docs/runtime.md has the Role 'trainc-interactive', which permits this");
	return e->status;
}

/* Runs WORDS in the container until it ends. */
static struct exec_end run_words(struct copying *c, char *const *words, bool (*take)(void *to, struct str bytes),
	bool (*give)(void *to, struct buf *b))
{
	struct exec_stream stream = { .request = { c->pod.ns, c->pod.name, c->container, words, false, false },
		.take = take, .give = give, .to = c };
	struct exec_stream *all = &stream;

	cluster_listen(c->cluster, true);
	exec_stream_start(c->cluster, &stream);
	exec_stream_wait(c->cluster, &all, 1);
	cluster_listen(c->cluster, false);
	return exec_stream_end(&stream);
}

/* ---- out of a replica ---- */

static bool take_archive(void *to, struct str bytes)
{
	struct copying *c = to;

	return tar_read(&c->store.reader, bytes);
}

/* The path on this machine: in DEST if that is a directory, else DEST itself. */
static struct str local_path(struct arena *a, struct str dest, struct str name)
{
	struct stat st;
	bool into = stat(str_copy(a, dest).p, &st) == 0 && S_ISDIR(st.st_mode);

	if (!into || !name.n || str_is(name, "."))
		return str_copy(a, dest);
	return str_copy(a, path_join(a, dest, name));
}

/* PATH without slashes at its end; "/" stays. */
static struct str without_slashes(struct str path)
{
	while (path.n > 1 && path.p[path.n - 1] == '/')
		path.n--;
	return path;
}

/* Reports an archive that is refused, or that cannot be written here; returns the exit status. */
static int say_store_failed(const struct copying *c)
{
	session_say(c->session, "%.*s: %.*s", STR_ARG(c->what->there_text), STR_ARG(buf_text(&c->store.reader.why)));
	return c->store.exists ? STATUS_CONFLICT : c->store.output ? STATUS_OUTPUT : STATUS_FAILED;
}

/* Judges what has arrived; returns the exit status. */
static int settle_store(struct copying *c, const struct exec_end *e)
{
	struct session *s = c->session;
	struct tar_reader *r = &c->store.reader;

	if (r->why.n)
		return say_store_failed(c);
	if (!e->ended || e->code)
		return say_copy_failed(c, e);
	if (!r->over) {
		session_say(s, "%.*s: the archive is not complete, so nothing was written",
			STR_ARG(c->what->there_text));
		return STATUS_UNREACHABLE;
	}
	if (tar_store_end(&c->store, c->what->force))
		return STATUS_DONE;
	return say_store_failed(c);
}

static int copy_out(struct copying *c)
{
	struct arena *a = c->session->arena;
	struct copy *w = c->what;
	struct str path = without_slashes(w->there), name = path_base(path);
	bool whole = !name.n || str_is(name, ".") || str_is(name, "..");
	struct str root = whole ? STR(".") : name;
	char *words[] = { word_of(a, STR("tar")), word_of(a, STR("-cf")), word_of(a, STR("-")), word_of(a, STR("-C")),
		word_of(a, whole ? path : path_directory(path)),
		word_of(a, whole ? STR(".") : str_cat(a, STR("./"), name, STR(""))), NULL };
	int status = STATUS_OUTPUT;

	w->to = local_path(a, w->here, root);
	if (whole && access(str_cat_chars(a, w->to, STR("/."), STR("")), F_OK) == 0) {
		session_say(c->session, "'%.*s' exists, and '%.*s' has no name of its own that it could have there; "
			"name a directory that does not exist", STR_ARG(w->to), STR_ARG(w->there_text));
		return STATUS_CONFLICT;
	}
	if (!w->force && access(w->to.p, F_OK) == 0) {
		session_say(c->session, "'%.*s' exists; --force replaces it", STR_ARG(w->to));
		return STATUS_CONFLICT;
	}
	if (tar_store_begin(&c->store, a, w->to, root)) {
		struct exec_end e = run_words(c, words, take_archive, NULL);
		status = settle_store(c, &e);
	} else {
		session_say(c->session, "%.*s", STR_ARG(buf_text(&c->store.reader.why)));
	}
	w->files = c->store.files;
	w->bytes = c->store.bytes;
	if (!tar_store_release(&c->store))
		session_say(c->session, "'%.*s' cannot be removed: it holds what was replaced, or what is not complete",
			STR_ARG(c->store.staging));
	return status;
}

/* ---- into a replica ---- */

static bool give_archive(void *to, struct buf *b)
{
	struct copying *c = to;

	while (b->n < TAR_RECORD && tar_send_next(&c->send, b))
		;
	return !c->send.ended && !c->send.why.n;
}

static bool take_answer(void *to, struct str bytes)
{
	struct copying *c = to;

	if (c->answer.n + bytes.n <= TAR_NAME)
		buf_str(&c->answer, bytes);
	return true;
}

static int settle_sent(struct copying *c, const struct exec_end *e)
{
	struct session *s = c->session;

	if (c->send.why.n) {
		session_say(s, "'%.*s' cannot be copied: %.*s", STR_ARG(c->what->here), STR_ARG(c->send.why));
		return STATUS_OUTPUT;
	}
	if (e->ended && e->code == SCRIPT_EXISTS) {
		session_say(s, "'%.*s' exists in %.*s/%lld; --force replaces it", STR_ARG(e->said),
			STR_ARG(c->what->role), (long long)c->what->index);
		return STATUS_CONFLICT;
	}
	return e->ended && !e->code ? STATUS_DONE : say_copy_failed(c, e);
}

static int copy_in(struct copying *c)
{
	struct arena *a = c->session->arena;
	struct copy *w = c->what;
	struct str name = path_base(without_slashes(w->here));
	char *words[] = { word_of(a, STR("sh")), word_of(a, STR("-c")), word_of(a, STR(RECEIVE_SCRIPT)),
		word_of(a, STR("trainc-cp")), word_of(a, without_slashes(w->there)), word_of(a, name),
		word_of(a, cluster_random(a)), word_of(a, w->force ? STR("force") : STR("")), NULL };
	int status = STATUS_OUTPUT;

	if (!name.n || str_is(name, ".") || str_is(name, "..")) {
		session_say(c->session, "'%.*s' has no name of its own; copy it by its path from the directory above",
			STR_ARG(w->here));
		return STATUS_USAGE;
	}
	if (tar_send_begin(&c->send, a, w->here)) {
		struct exec_end e = run_words(c, words, take_answer, give_archive);
		status = settle_sent(c, &e);
	} else {
		session_say(c->session, "'%.*s' cannot be copied: %.*s", STR_ARG(w->here), STR_ARG(c->send.why));
	}
	w->files = c->send.files;
	w->bytes = c->send.bytes;
	while (c->answer.n && c->answer.p[c->answer.n - 1] == '\n')
		c->answer.n--;
	struct str answer = buf_text(&c->answer);
	const char *second = answer.n ? memchr(answer.p, '\n', answer.n) : NULL;
	struct str left = second ? (struct str){ second + 1, answer.n - (size_t)(second + 1 - answer.p) } : STR("");
	answer.n -= second ? left.n + 1 : 0;
	if (left.n)
		session_say(c->session, "'%.*s' in %.*s/%lld cannot be removed: it is what was replaced",
			STR_ARG(name_escaped(a, left)), STR_ARG(w->role), (long long)w->index);
	w->to = str_printf(a, "%.*s/%lld:%.*s", STR_ARG(w->role), (long long)w->index, STR_ARG(answer));
	buf_release(&c->answer);
	tar_send_release(&c->send);
	return status;
}

int cluster_copy(struct session *s, struct run_watch *w, struct copy *what)
{
	struct str container = option_value(s->options, OPTION_CONTAINER);
	struct copying c = { .session = s, .cluster = cluster_of(s), .what = what };
	int status;

	if (!replica_pod_find(s, w, what->role, what->index, container.n > 0, &c.pod, &status))
		return status;
	c.container = container.n ? container : plan_label(s->arena, c.pod.plan->main.name);
	return what->in ? copy_in(&c) : copy_out(&c);
}
