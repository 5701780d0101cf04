/*
 * data_write.h - writes trees as JSON. The API server reads the body of a server-side apply with a YAML reader, even
 * when it is JSON. Therefore this JSON means the same to both kinds of reader: '/' is not escaped, characters above
 * U+FFFF are not split into surrogates, and characters that YAML refuses or treats as line ends are written as \uXXXX.
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
