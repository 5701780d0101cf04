/*
 * fuzz_last_words.c - reads the message that a container left when it ended. The first line is the time of the end.
 *
 * What must hold: the text fits on one line, the record is recent, and it is the first cause among the records of the
 * single lines.
 */
#include "base/words.h"
#include "fuzz.h"
#include "runtime/run/last_words.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct arena a = { 0 };
	struct str text = fuzz_input(&a, bytes, n), first = fuzz_line(&text);
	int64_t ended = fuzz_number(&first);
	struct last_words whole = { 0 }, one, best = { 0 };
	bool found = last_words_read(&a, text, ended, &whole), any = false;

	for (struct str rest = text; rest.n;)
		if (last_words_read(&a, fuzz_line(&rest), ended, &one) && (!any || last_words_before(&one, &best))) {
			best = one;
			any = true;
		}
	fuzz_require(found == any);
	if (found) {
		fuzz_require(whole.text.n && fuzz_is_line(whole.text) && str_malformed(whole.text) == whole.text.n);
		fuzz_require(whole.time > 0 && whole.time >= ended - LAST_WORDS_SECONDS * NS_PER_SECOND);
		fuzz_require(whole.time == best.time && whole.follows == best.follows &&
			str_eq(whole.text, best.text));
	}
	arena_release(&a);
	return 0;
}
