/*
 * code_unpack.h - unpacks an archive of code into a directory, after its id has been checked.
 */
#ifndef TRAINC_CODE_CODE_UNPACK_H
#define TRAINC_CODE_CODE_UNPACK_H

#include "base/str.h"

/*
 * Unpacks PACKED, which is gzip of an archive with the id ID, into the open directory TO. Nothing is written if the id
 * differs. False with a sentence in *WHY, which lives in A.
 */
bool unpack_code(struct arena *a, struct str packed, struct str id, int to, struct str *why);

/* A file or link of an archive. Texts live during the call. */
struct unpack_entry {
	struct str path, target;
	bool link;
	unsigned mode;
	uint64_t size;
};

/* Called for each entry, and then with the content of a file, if it has some. LAST: the content is complete. */
struct unpack_visitor {
	void (*entry)(void *to, const struct unpack_entry *e);
	void (*bytes)(void *to, struct str bytes, bool last);
	void *to;
};

/* Reads PACKED, as unpack_code() does, and writes nothing; false if it is damaged. */
bool unpack_visit(struct arena *a, struct str packed, const struct unpack_visitor *v);

/* Puts the files part-000, part-001, ... of a directory together; false with a sentence in *WHY. */
bool unpack_parts(struct arena *a, struct str directory, struct str *ret, struct str *why);

#endif
