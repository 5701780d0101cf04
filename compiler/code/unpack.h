/*
 * unpack.h - unpacks an archive of code into a directory, after its id has been checked.
 */
#ifndef TRAINC_CODE_UNPACK_H
#define TRAINC_CODE_UNPACK_H

#include "base/str.h"

/*
 * Unpacks PACKED, which is gzip of an archive with the id ID, into the open directory TO. Nothing is written if the id
 * differs. False with a sentence in *WHY, which lives in A.
 */
bool unpack_code(struct arena *a, struct str packed, struct str id, int to, struct str *why);

/* Puts the files part-000, part-001, ... of a directory together; false with a sentence in *WHY. */
bool unpack_parts(struct arena *a, struct str directory, struct str *ret, struct str *why);

#endif
