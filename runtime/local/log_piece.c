/* log_piece.c - opens the pieces of a log, also while the writer begins a new one. */
#include "runtime/local/log_piece.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIES = 100 };

/* Opens a file of piece NUMBER; 0: of the piece that is being written. */
static int open_file(int directory, const char *name, const char *suffix, uint64_t number)
{
	char path[300];

	if (number)
		snprintf(path, sizeof path, "%s%s.%llu", name, suffix, (unsigned long long)number);
	else
		snprintf(path, sizeof path, "%s%s", name, suffix);
	return openat(directory, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
}

void log_piece_close(struct log_piece *p)
{
	if (p->log >= 0)
		close(p->log);
	if (p->times >= 0)
		close(p->times);
	p->log = p->times = -1;
}

/*
 * Reads the number of the piece from the first record of its times. The first piece begins with another record, or has
 * no record yet.
 */
static void read_begin(struct log_piece *p)
{
	struct log_record r;

	p->number = 1;
	p->start = 0;
	p->attempts = 0;
	if (pread(p->times, &r, sizeof r, 0) != sizeof r || r.mark != LOG_BEGINS)
		return;
	p->number = (uint64_t)r.time;
	p->start = r.offset;
	p->attempts = r.value;
}

static bool open_full(int directory, const char *name, uint64_t number, struct log_piece *ret)
{
	*ret = (struct log_piece){ .log = -1, .times = open_file(directory, name, ".times", number), .full = true };
	if (ret->times < 0)
		return false;
	read_begin(ret);
	ret->log = open_file(directory, name, ".log", number);
	if (ret->log >= 0 && ret->number == number)
		return true;
	log_piece_close(ret);
	return false;
}

/*
 * Opens the piece that is being written. The writer renames the log before its times. So if the file of times still has
 * its name after the log was opened, both files belong together. False: the files are being renamed at this moment, so
 * try again.
 */
static bool open_newest(int directory, const char *name, struct log_piece *ret)
{
	struct stat opened, named;
	char path[300];

	*ret = (struct log_piece){ .log = -1, .times = open_file(directory, name, ".times", 0) };
	if (ret->times < 0)
		return false;
	read_begin(ret);
	ret->log = open_file(directory, name, ".log", 0);
	snprintf(path, sizeof path, "%s.times", name);
	if (ret->log >= 0 && fstat(ret->times, &opened) == 0 &&
		fstatat(directory, path, &named, AT_SYMLINK_NOFOLLOW) == 0
		&& opened.st_ino == named.st_ino && opened.st_dev == named.st_dev)
		return true;
	log_piece_close(ret);
	return false;
}

/*
 * Opens the last piece with bytes when the writer has stayed between two renames: it was killed or stopped there. The
 * next piece, which has only a part of its names, is still empty.
 */
static bool open_between(int directory, const char *name, struct log_piece *ret)
{
	*ret = (struct log_piece){ .log = -1, .times = open_file(directory, name, ".times", 0), .full = true };
	bool next = ret->times < 0;

	if (next)
		ret->times = open_file(directory, name, ".times.new", 0);
	if (ret->times < 0)
		return false;
	read_begin(ret);
	if (!next)
		ret->log = open_file(directory, name, ".log", ret->number);
	if (ret->log >= 0)
		return true;
	log_piece_close(ret);
	return next && ret->number > 1 && open_full(directory, name, ret->number - 1, ret);
}

bool log_piece_open(int directory, const char *name, uint64_t number, struct log_piece *ret)
{
	for (int tries = 0; tries < TRIES; tries++) {
		if (number && open_full(directory, name, number, ret))
			return true;
		if (!open_newest(directory, name, ret))
			continue;
		if (!number || ret->number == number)
			return true;
		bool passed = ret->number > number;
		log_piece_close(ret);
		/* the piece was full before the newest one started, so it has been renamed or removed by now */
		return passed && open_full(directory, name, number, ret);
	}
	if (!open_between(directory, name, ret))
		return false;
	if (!number || ret->number == number)
		return true;
	log_piece_close(ret);
	return false;
}

bool log_piece_oldest(int directory, const char *name, struct log_piece *ret)
{
	struct log_piece older;

	if (!log_piece_open(directory, name, 0, ret))
		return false;
	while (ret->number > 1 && open_full(directory, name, ret->number - 1, &older)) {
		log_piece_close(ret);
		*ret = older;
	}
	return true;
}
