/*
 * apply_generate.c - creates the values that a program requests to be generated: key pairs in Secrets. A Secret is
 * filled once, when it does not exist; applying again keeps it. Its content is never printed, hashed or compared.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "runtime/cluster/apply.h"
#include "runtime/command/runs.h"

extern char **environ;

static struct data *string_data(struct arena *a, struct str s)
{
	struct data *d = ARENA_NEW(a, struct data);

	*d = (struct data){ .kind = DATA_STRING, .u.string = s };
	return d;
}

static bool run_keygen(struct arena *a, const char *key, struct str *why)
{
	const char *const words[] = { "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "trainc", "-f", key, NULL };
	char *const *argv = str_argv(a, words);
	posix_spawn_file_actions_t actions;
	int status = -1;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	int error = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (error) {
		*why = STR("ssh-keygen is not installed, and it makes the ssh-keypair");
		return false;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (status)
		*why = STR("ssh-keygen could not make a key pair");
	return status == 0;
}

static bool read_pair(struct arena *a, struct str dir, struct str *private, struct str *public, struct str *why)
{
	struct str key = str_cat(a, dir, STR("/id_ed25519"), STR(""));

	return run_keygen(a, key.p, why) && file_read_most(a, key, 1 << 16, private, why) &&
		file_read_most(a, str_cat(a, key, STR(".pub"), STR("")), 1 << 16, public, why);
}

/* Creates a key pair in a temporary directory that only this user can read. */
static bool make_pair(struct arena *a, struct str *private, struct str *public, struct str *why)
{
	const char *tmp = getenv("TMPDIR");
	struct str dir = str_cat(a, str_of(tmp && *tmp ? tmp : "/tmp"), STR("/trainc-keys.XXXXXX"), STR(""));
	char *path = arena_copy(a, dir.p, dir.n);

	if (!mkdtemp(path)) {
		*why = str_printf(a, "cannot make a directory in '%s': %s", tmp && *tmp ? tmp : "/tmp",
			strerror(errno));
		return false;
	}
	bool ok = read_pair(a, str_of(path), private, public, why);
	unlink(str_cat(a, str_of(path), STR("/id_ed25519"), STR("")).p);
	unlink(str_cat(a, str_of(path), STR("/id_ed25519.pub"), STR("")).p);
	rmdir(path);
	return ok;
}

/* Replaces the value under KEY in a tree by a map of MEMBERS; false if the tree has no such key. */
static bool replace_map(struct arena *a, struct data *tree, struct str key, const struct data_member *members, size_t n)
{
	for (size_t i = 0; i < tree->u.map.n; i++) {
		struct data_member *m = &tree->u.map.at[i];
		if (!str_eq(m->key, key))
			continue;
		struct data *map = ARENA_NEW(a, struct data);
		*map = (struct data){ .kind = DATA_MAP, .from = m->value->from };
		map->u.map.at = ARENA_ARRAY(a, struct data_member, n);
		map->u.map.n = n;
		memcpy(map->u.map.at, members, n * sizeof *members);
		m->value = map;
		return true;
	}
	return false;
}

static bool fill(struct applying *p, struct wanted *w)
{
	struct str private, public, why = STR("");

	if (!str_is(w->from->generated, "ssh-keypair")) {
		why = str_printf(p->arena, "this version cannot generate '%.*s'", STR_ARG(w->from->generated));
	} else if (make_pair(p->arena, &private, &public, &why)) {
		const struct data_member members[] = { { .key = STR("id_ed25519"), .value = string_data(p->arena,
			private) },
			{ .key = STR("id_ed25519.pub"), .value = string_data(p->arena, public) },
			{ .key = STR("authorized_keys"), .value = string_data(p->arena, public) },
			{ .key = STR("config"), .value = string_data(p->arena,
				STR("StrictHostKeyChecking no\nUserKnownHostsFile /dev/null\n")) } };
		return replace_map(p->arena, w->tree, STR("stringData"), members, sizeof members / sizeof *members);
	}
	session_say(p->session, "%.*s: %.*s", STR_ARG(wanted_name(p->arena, &p->wanted, w)), STR_ARG(why));
	p->status = runs_worse(p->status, STATUS_OUTPUT);
	return false;
}

bool apply_generate(struct applying *p)
{
	for (size_t i = 0; i < p->wanted.n; i++) {
		struct wanted *w = &p->wanted.at[i];
		if (!w->from->generated.n || !w->stale)
			continue;
		if (w->exists && w->outcome != WANTED_ADOPTED) {        /* the Secret exists and is kept: pods have
									 * mounted it */
			w->stale = false;
			apply_tell(p, wanted_name(p->arena, &p->wanted, w), "unchanged");
		} else if (!fill(p, w)) {
			return false;
		}
	}
	return true;
}
