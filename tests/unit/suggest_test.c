/* suggest_test.c - which words are similar, which are suggested, and which are certainly meant. */
#include "diag/suggest.h"

#include "unit.h"

static struct arena arena;

static struct suggest ask(const char *wanted, const char *const *candidates)
{
	struct suggest s;

	suggest_init(&s, &arena, str_of(wanted));
	for (; *candidates; candidates++)
		suggest_add(&s, str_of(*candidates));
	return s;
}
#define ASK(wanted, ...) ask(wanted, (const char *const[]){ __VA_ARGS__, NULL })

static void distances(void)
{
	CHECK(edit_distance(STR("kitten"), STR("sitting")) == 3);
	CHECK(edit_distance(STR(""), STR("")) == 0);
	CHECK(edit_distance(STR(""), STR("abc")) == 3);
	CHECK(edit_distance(STR("abc"), STR("")) == 3);
	CHECK(edit_distance(STR("abcd"), STR("abdc")) == 1);      /* a transposition counts as one edit */
	/* in this restricted distance, letters of a transposition cannot be edited further */
	CHECK(edit_distance(STR("ca"), STR("abc")) == 3);
	CHECK(edit_distance(STR("replcas"), STR("replicas")) == 1);
	struct str longest = str_printf(&arena, "%0100d", 0);
	CHECK(edit_distance(longest, STR("x")) == 100);
}

static void sentences(void)
{
	struct suggest s = ASK("replcas", "retries", "replicas", "restart");
	CHECK_TEXT(suggest_sentence(&s), "did you mean 'replicas'?");
	CHECK_TEXT(suggest_only(&s), "replicas");

	s = ASK("wroker", "worker", "launcher");
	CHECK_TEXT(suggest_sentence(&s), "did you mean 'worker'?");

	s = ASK("noda", "node", "nodes", "modal");
	CHECK_TEXT(suggest_sentence(&s), "did you mean 'node'?");

	s = ASK("a1", "a2", "a3");
	CHECK_TEXT(suggest_sentence(&s), "did you mean 'a2' or 'a3'?");
	CHECK_TEXT(suggest_only(&s), "");

	s = ASK("gpu1", "gpu2", "gpu3", "gpu4", "gpu5");
	CHECK_TEXT(suggest_sentence(&s), "did you mean 'gpu2', 'gpu3' or 'gpu4'?");

	s = ASK("timeout", "image", "replicas");
	CHECK_TEXT(suggest_sentence(&s), "");
	CHECK_TEXT(suggest_only(&s), "");
}

static void cases(void)
{
	struct suggest s = ASK("GPU", "gpu", "cpu");
	CHECK_TEXT(suggest_only(&s), "gpu");            /* a word that differs only in case is always certain */
	s = ASK("IfNotPresent", "always", "if-not-present");
	/* '-' and similar characters only join words, so they are not compared as letters */
	CHECK_TEXT(suggest_only(&s), "if-not-present");
	s = ASK("slotsPerWorker", "slots", "ssh_port", "mca");
	CHECK_TEXT(suggest_sentence(&s), "did you mean 'slots'?");
	/* only the first word of the name matches, so this is not certain */
	CHECK_TEXT(suggest_only(&s), "");
	s = ASK("PodDisruptionBudgett", "Pod", "PodDisruptionBudget");
	CHECK_TEXT(suggest_only(&s), "PodDisruptionBudget");
	s = ASK("badc", "abcd");
	CHECK_TEXT(suggest_only(&s), "abcd");           /* the same letters in another order are certain */
	s = ASK("x", "y", "i");
	CHECK_TEXT(suggest_sentence(&s), "");           /* no letter of the word would be left */
	s = ASK("same", "same");
	CHECK_TEXT(suggest_sentence(&s), "");           /* a word is never suggested for itself */
	s = ASK("wrker", "worker", "worker");
	CHECK_TEXT(suggest_only(&s), "worker");         /* a candidate that is added twice counts once */
}

static void lists(void)
{
	struct suggest s = ASK("fsdp", "torchrun", "elastic");
	CHECK_TEXT(suggest_or_list(&s, "it has"), "it has torchrun, elastic");
	s = ASK("torchrum", "torchrun", "elastic");
	CHECK_TEXT(suggest_or_list(&s, "it has"), "did you mean 'torchrun'?");
	s = ASK("q", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9", "b1", "b2");
	CHECK_TEXT(suggest_or_list(&s, "it has"), "");  /* eleven names are too many for a list */
	suggest_init(&s, &arena, STR("q"));
	CHECK_TEXT(suggest_or_list(&s, "it has"), "");
}

int main(void)
{
	distances();
	sentences();
	cases();
	lists();
	arena_release(&arena);
	return unit_end();
}
