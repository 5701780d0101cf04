/* keys.h - what the bytes of a terminal in raw mode say about keys. */
#ifndef TRAINC_RUNTIME_RUN_KEYS_H
#define TRAINC_RUNTIME_RUN_KEYS_H

#include "base/str.h"

/* A key is the byte that it sends, or one of these. */
enum terminal_key { KEY_NONE = -1, KEY_ESCAPE = 27, KEY_UP = 256, KEY_DOWN, KEY_LEFT, KEY_RIGHT, KEY_PAGE_UP,
	KEY_PAGE_DOWN, KEY_HOME, KEY_END };

/* Bytes whose key is not complete. Begins as { 0 }. */
struct keys {
	char at[16];
	size_t n;
};

/* Adds a byte, and returns the key that is complete now: KEY_NONE if more bytes are needed, or the key is not known. */
int keys_put(struct keys *k, char byte);
/* Called when no byte has followed for a moment: the Escape key was pressed if it is the only one that waits. */
int keys_pause(struct keys *k);
/* Does a sequence wait for its end? */
static inline bool keys_wait(const struct keys *k) { return k->n > 0; }

#endif
