/*
 * sha256.h - SHA-256 (FIPS 180-4), for the built-in function of that name and for locks.
 */
#ifndef TRAINC_BASE_SHA256_H
#define TRAINC_BASE_SHA256_H

#include "base/str.h"

struct sha256 {
	uint32_t state[8];
	uint64_t bytes;                 /* number of bytes hashed so far */
	unsigned char block[64];        /* the start of a block that is not full yet: bytes % 64 bytes of input */
};

void sha256_init(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *bytes, size_t n);
/* Writes the digest as 64 hexadecimal digits and a NUL; S cannot be used any more. */
void sha256_end(struct sha256 *s, char out[65]);

/* Computes the digest of a text. */
void sha256_hex(struct str text, char out[65]);

#endif
