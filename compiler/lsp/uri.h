/*
 * uri.h - converts between URIs, which name documents, and paths, which name files. `file:///a%20b.tj` is the file "/a
 * b.tj"; `file:///c%3A/x` is "c:/x". Any other URI does not name a file: such a document exists only in the editor.
 */
#ifndef TRAINC_LSP_URI_H
#define TRAINC_LSP_URI_H

#include "base/buf.h"

/* Returns the path of a file URI; false for any other URI. */
bool uri_path(struct arena *a, struct str uri, struct str *ret);
/* Returns the URI of an absolute path, in which all characters are escaped that RFC 3986 does not leave unreserved. */
struct str uri_of(struct arena *a, struct str path);
/* Returns a URI in the spelling that uri_of() gives, so that different spellings of one file become the same key. */
struct str uri_normal(struct arena *a, struct str uri);

#endif
