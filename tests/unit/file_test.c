/* file_test.c - reads whole files and replaces them, and tests the messages when that fails. */
#include "base/file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

static struct arena arena;
static char directory[] = "/tmp/trainc-file-XXXXXX";

static struct str in(const char *name) { return str_printf(&arena, "%s/%s", directory, name); }

static unsigned entries;
static void count(void *to, struct str name)
{
	(void)to;
	entries += !str_is(name, ".") && !str_is(name, "..");
}

static void reading(void)
{
	struct str text, why = STR("");

	CHECK(!file_read(&arena, in("absent"), &text, &why));
	CHECK_TEXT(why, "no such file");
	CHECK(!file_read(&arena, str_of(directory), &text, &why));
	CHECK_TEXT(why, "is a directory");
	CHECK(!file_read(&arena, (struct str){ "a\0b", 3 }, &text, &why));
	CHECK_TEXT(why, "the name contains a NUL");
	CHECK(!file_read(&arena, in("absent/deeper"), &text, &why));
	if (geteuid() != 0) {
		close(open(in("closed").p, O_CREAT | O_WRONLY, 0));
		CHECK(!file_read(&arena, in("closed"), &text, &why));
		CHECK_TEXT(why, "permission denied");
	}
	CHECK(!file_read(&arena, STR("/dev/zero"), &text, &why));
	CHECK_TEXT(why, "is a device");
	CHECK(file_read(&arena, STR("/dev/null"), &text, &why) && text.n == 0);
	mkfifo(in("pipe").p, 0600);
	CHECK(!file_read(&arena, in("pipe"), &text, &why));
	CHECK_TEXT(why, "is a pipe without a writer");
	if (fork() == 0) {
		int fd = open(in("pipe").p, O_WRONLY);
		_exit(file_write_all(fd, "late", 4) ? 0 : 1);
	}
	CHECK(file_read(&arena, in("pipe"), &text, &why));
	CHECK_TEXT(text, "late");
	wait(NULL);
	close(open(in("large").p, O_CREAT | O_WRONLY, 0600));
	CHECK(truncate(in("large").p, (64 << 20) + 1) == 0 && !file_read(&arena, in("large"), &text, &why));
	CHECK_TEXT(why, "is larger than 64 MiB");
	unlink(in("large").p);
}

static void replacing(void)
{
	struct str text, why = STR(""), path = in("file");
	struct stat st;

	CHECK(file_replace(&arena, path, STR("one\0two"), &why));
	CHECK(file_read(&arena, path, &text, &why) && text.n == 7 && memcmp(text.p, "one\0two", 7) == 0);
	chmod(path.p, 0600);
	CHECK(file_replace(&arena, path, STR("three"), &why));
	CHECK(file_read(&arena, path, &text, &why));
	CHECK_TEXT(text, "three");
	CHECK(stat(path.p, &st) == 0 && (st.st_mode & 0777) == 0600);   /* replacing keeps the mode */
	CHECK(!file_replace(&arena, in("absent/file"), STR("x"), &why));
	CHECK_TEXT(why, "no such file");
	mkdir(in("directory").p, 0755);
	CHECK(!file_replace(&arena, in("directory"), STR("x"), &why));
	/* no temporary file is left next to the replaced one */
	entries = 0;
	file_reader.list(NULL, &arena, str_of(directory), count, NULL);
	CHECK(entries == (geteuid() == 0 ? 3u : 4u));
	CHECK(file_reader.exists(NULL, path) && !file_reader.exists(NULL, in("absent")));
}

/* Replacing a file keeps what it is: a link, a file with several names, a file of another user. */
static void keeping(void)
{
	struct str text, why = STR(""), path = in("file"), link_path = in("link"), twin = in("twin");
	struct stat st;

	CHECK(symlink("file", link_path.p) == 0 && link(path.p, twin.p) == 0);
	CHECK(file_replace(&arena, link_path, STR("four"), &why));
	CHECK(lstat(link_path.p, &st) == 0 && S_ISLNK(st.st_mode));
	CHECK(file_read(&arena, twin, &text, &why));
	CHECK_TEXT(text, "four");
	unlink(twin.p);
	if (geteuid() == 0) {
		CHECK(chown(path.p, 65534, 65534) == 0 && file_replace(&arena, path, STR("five"), &why));
		CHECK(stat(path.p, &st) == 0 && st.st_uid == 65534 && st.st_gid == 65534);
	}
	chmod(path.p, 0444);
	CHECK(!file_replace(&arena, path, STR("six"), &why));
	CHECK_TEXT(why, "it is read-only");
	chmod(path.p, 0600);
	unlink(link_path.p);
	CHECK(symlink("nothing", link_path.p) == 0 && !file_replace(&arena, link_path, STR("x"), &why));
	CHECK_TEXT(why, "it is a link to nothing");
	unlink(link_path.p);
	CHECK(!file_replace(&arena, in("pipe"), STR("x"), &why));
	CHECK_TEXT(why, "it is not a regular file");
	CHECK(!file_pour(&arena, in("pipe"), STR("x"), &why));
	CHECK_TEXT(why, "it is a pipe without a reader");
	CHECK(file_pour(&arena, STR("/dev/null"), STR("x"), &why));
	unlink(in("pipe").p);
}

/* Temporary files of a killed process are removed; those of a running process are kept. */
static void litter(void)
{
	struct str why = STR(""), path = in("file"), left = in(".file.trainc-new");
	int fd = open(left.p, O_CREAT | O_WRONLY, 0600);

	CHECK(file_write_all(fd, "half", 4) && close(fd) == 0 && file_replace(&arena, path, STR("whole"), &why));
	CHECK(access(left.p, F_OK) != 0);
	fd = open(left.p, O_CREAT | O_WRONLY, 0600);
	CHECK(flock(fd, LOCK_EX) == 0 && file_replace(&arena, path, STR("beside"), &why));
	CHECK(access(left.p, F_OK) == 0);
	unlink(left.p);
	close(fd);
}

static void creating(void)
{
	struct str text, why = STR(""), path = in("created");

	CHECK(file_create(&arena, path, STR("one"), &why));
	CHECK(!file_create(&arena, path, STR("two"), &why));
	CHECK_TEXT(why, "it already exists");
	CHECK(file_read(&arena, path, &text, &why));
	CHECK_TEXT(text, "one");
	CHECK(!file_create(&arena, in("directory"), STR("x"), &why));
	CHECK(!file_create(&arena, in("absent/file"), STR("x"), &why));
	CHECK_TEXT(why, "no such file");
	unlink(path.p);
	entries = 0;
	file_reader.list(NULL, &arena, str_of(directory), count, NULL);
	CHECK(entries == (geteuid() == 0 ? 2u : 3u));
}

static void pipes(void)
{
	int fds[2];

	CHECK(pipe(fds) == 0);
	CHECK(file_write_all(fds[1], "abc", 3));
	close(fds[1]);
	CHECK(!file_write_all(fds[1], "abc", 3));
	close(fds[0]);
}

int main(void)
{
	if (!mkdtemp(directory))
		return 1;
	reading();
	replacing();
	keeping();
	litter();
	creating();
	pipes();
	unlink(in("file").p);
	unlink(in("closed").p);
	rmdir(in("directory").p);
	rmdir(directory);
	arena_release(&arena);
	return unit_end();
}
