/*
 * library_memory.c - gives libcurl and OpenSSL functions that allocate memory, or end the process.
 */
#include "runtime/cluster/library_memory.h"

#include <curl/curl.h>
#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* malloc(0) and calloc(0, n) may return NULL without being out of memory. */
static size_t at_least_one(size_t n) { return n ? n : 1; }

static void *take_memory(size_t n) { return memory_resize(NULL, at_least_one(n)); }

static void *take_again(void *p, size_t n) { return memory_resize(p, at_least_one(n)); }

static void *take_zeroed(size_t n, size_t size)
{
	void *p = calloc(at_least_one(n), at_least_one(size));

	if (!p)
		memory_out();
	return p;
}

static char *take_copy(const char *text)
{
	size_t n = strlen(text) + 1;

	return memcpy(take_memory(n), text, n);
}

/* OpenSSL expects NULL for 0 bytes. */
static void *crypto_take(size_t n, const char *file, int line)
{
	(void)file;
	(void)line;
	return n ? take_memory(n) : NULL;
}

static void *crypto_take_again(void *p, size_t n, const char *file, int line)
{
	(void)file;
	(void)line;
	if (n)
		return take_again(p, n);
	free(p);
	return NULL;
}

static void crypto_free(void *p, const char *file, int line)
{
	(void)file;
	(void)line;
	free(p);
}

void library_memory_crypto(void) { CRYPTO_set_mem_functions(crypto_take, crypto_take_again, crypto_free); }

bool library_memory_curl(void)
{
	return curl_global_init_mem(CURL_GLOBAL_DEFAULT, take_memory, free, take_again, take_copy, take_zeroed) ==
		CURLE_OK;
}
