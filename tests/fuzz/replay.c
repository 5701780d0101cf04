/*
 * replay.c - runs a fuzz target once for each file whose name is a line of standard input, without a fuzzer: linked in
 * its place to measure coverage.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

enum { INPUT_MOST = 8192 };             /* as for the fuzzer: -max_len of run.sh */

int main(void)
{
	static uint8_t bytes[INPUT_MOST];
	char name[4096];

	while (fgets(name, sizeof name, stdin)) {
		name[strcspn(name, "\n")] = 0;
		FILE *f = fopen(name, "rb");
		if (!f)
			return 1;
		size_t n = fread(bytes, 1, sizeof bytes, f);
		fclose(f);
		LLVMFuzzerTestOneInput(bytes, n);
	}
	return 0;
}
