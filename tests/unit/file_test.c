/* file_test.c - reading whole files, replacing them, and what is said when that fails. */
#include "base/file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
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
	CHECK_TEXT(why, "is larger than 64 MiB");
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
	/* nothing is left beside what was to be replaced */
	entries = 0;
	file_reader.list(NULL, &arena, str_of(directory), count, NULL);
	CHECK(entries == (geteuid() == 0 ? 2u : 3u));
	CHECK(file_reader.exists(NULL, path) && !file_reader.exists(NULL, in("absent")));
}

static void creating(void)
{
	struct str text, why = STR(""), path = in("created");

	CHECK(file_create(&arena, path, STR("one"), &why));
	CHECK(!file_create(&arena, path, STR("two"), &why));
	CHECK_TEXT(why, "it is there already");
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
	creating();
	pipes();
	unlink(in("file").p);
	unlink(in("closed").p);
	rmdir(in("directory").p);
	rmdir(directory);
	arena_release(&arena);
	return unit_end();
}
