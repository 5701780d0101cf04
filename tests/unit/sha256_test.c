/* sha256_test.c - tests the vectors of FIPS 180-4, and every way to split the input. */
#include <stdio.h>

#include "base/sha256.h"

static int passed, failed;

static void expect(const char *what, const char *want, const char *got)
{
	if (strcmp(want, got) == 0) {
		passed++;
		printf("ok %s\n", what);
		return;
	}
	failed++;
	printf("FAIL %s: %s, not %s\n", what, got, want);
}

static void expect_hash(const char *what, struct str text, const char *want)
{
	char got[65];
	sha256_hex(text, got);
	expect(what, want, got);
}

static void cuts(void)
{
	char text[200], want[65], got[65];
	memset(text, 'x', sizeof text);
	sha256_hex((struct str){ text, sizeof text }, want);
	for (size_t i = 0; i <= sizeof text; i += 7) {
		struct sha256 s;
		sha256_init(&s);
		sha256_add(&s, text, i);
		sha256_add(&s, text + i, sizeof text - i);
		sha256_end(&s, got);
		expect("cut", want, got);
	}
}

int main(void)
{
	static char million[1000000];
	memset(million, 'a', sizeof million);
	expect_hash("empty", STR(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	expect_hash("abc", STR("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	expect_hash("two blocks", STR("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
		"248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	expect_hash("a million", (struct str){ million, sizeof million },
		"cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	cuts();
	printf("%d passed, %d failed\n", passed, failed);
	return failed != 0;
}
