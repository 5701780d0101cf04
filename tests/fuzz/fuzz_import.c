/* fuzz_import.c - imports manifests: nothing crashes, and an import without errors results in a program. */
#include <stdlib.h>

#include "import/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct arena arena = { 0 };
	struct sources sources = { .arena = &arena };
	struct diags diags = { .arena = &arena, .sources = &sources };
	struct import *im = import_new(&arena, &sources, &diags,
		(struct import_options){ .operator_minor = n % 3 == 0 ? 0 : n % 3 == 1 ? 7 : 9 });
	struct source *source = source_add(&sources, STR("job.yaml"), (struct str){ (const char *)bytes, n });
	struct buf out = { 0 };

	if (source)
		import_read(im, source);
	import_finish(im);
	if (diags_ok(&diags) && import_count(im) && !import_program(im, IMPORT_ALL, &out) && diags_ok(&diags))
		abort();                /* the program was refused, but no error was reported */
	buf_release(&out);
	arena_release(&arena);
	return 0;
}
