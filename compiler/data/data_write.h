/*
 * data_write.h - trees as JSON.
 *
 * The API server reads the body of a server-side apply with a YAML reader, even when
 * it is JSON.  What is written here is JSON that both kinds of reader understand
 * alike: '/' is not escaped, characters above U+FFFF are not split into surrogates,
 * and what YAML refuses or takes for a line end is written as \uXXXX.
 */
#ifndef TRAINC_DATA_DATA_WRITE_H
#define TRAINC_DATA_DATA_WRITE_H

#include "base/buf.h"
#include "data/data.h"

/* Appends S as a string with its quotes; malformed UTF-8 becomes U+FFFD. */
void data_write_text(struct buf *b, struct str s);
/* Appends the tree D on one line. */
void data_write(struct buf *b, const struct data *d);

#endif
