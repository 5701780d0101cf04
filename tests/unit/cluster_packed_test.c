/*
 * cluster_packed_test.c - packed texts: each is restored byte for byte, and texts that resemble each other take little
 * space.
 */
#include <stdlib.h>

#include "runtime/cluster/packed.h"
#include "unit.h"

static uint32_t seed = 1;

static uint32_t number(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

/* Packs TEXT and unpacks it; returns the packed length, or 0 when the result differs from TEXT. */
static size_t length_of(struct packed *p, struct str text)
{
	struct buf form = { 0 }, back = { 0 };

	packed_add(p, text, &form);
	size_t n = str_eq(packed_text(p, buf_text(&form), &back), text) ? form.n : 0;
	buf_release(&form);
	buf_release(&back);
	return n;
}

static struct str pod(struct buf *b, int i)
{
	b->n = 0;
	buf_printf(b, "{\"metadata\":{\"name\":\"big-worker-%d-%04x\",\"uid\":\"%08x-93a4\",\"labels\":{", i,
		number(65536), number(1 << 24));
	buf_printf(b, "\"trainc.dev/job\":\"big\",\"trainc.dev/role\":\"worker\","
		"\"batch.kubernetes.io/job-completion-index\":\"%d\"}},", i);
	buf_printf(b, "\"status\":{\"phase\":\"%s\",\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\","
		"\"lastTransitionTime\":\"2026-01-01T00:00:%02dZ\"},", i % 3 ? "Running" : "Pending", i % 60);
	buf_z(b, "{\"type\":\"PodScheduled\",\"status\":\"True\"}]}}");
	return buf_text(b);
}

static void pods(void)
{
	struct packed p = { 0 };
	struct buf b = { 0 };
	size_t all = 0, packed = 0;
	bool same = true;

	for (int i = 0; i < 2000; i++) {
		struct str text = pod(&b, i);
		size_t n = length_of(&p, text);
		same = same && n;
		all += text.n;
		packed += n;
	}
	CHECK(same);
	CHECK(packed * 4 < all);
	CHECK(p.nmodels < PACKED_MODELS);
	packed_release(&p);
	CHECK(!p.nmodels);
	buf_release(&b);
}

/* Texts of all lengths that share parts, in random order: all models get used, and every text is restored. */
static void anything(void)
{
	struct packed p = { 0 };
	char old[4096] = "", text[4096];
	bool same = true;

	for (int round = 0; round < 3000; round++) {
		size_t n = 0, wanted = number(round % 50 ? 700 : sizeof text);
		while (n < wanted) {
			size_t from = number(sizeof old), most = number(100) + 1;
			bool copy = number(3) != 0;
			for (size_t i = 0; i < most && n < wanted; i++)
				text[n++] = copy ? old[(from + i) % sizeof old] : (char)number(256);
		}
		same = same && (length_of(&p, (struct str){ text, n }) || !n);
		if (n)
			memcpy(old, text, n);
	}
	CHECK(same);
	CHECK(p.nmodels == PACKED_MODELS);
	packed_release(&p);
}

static void ends(void)
{
	struct packed p = { 0 };
	struct buf form = { 0 }, back = { 0 }, large = { 0 };

	packed_add(&p, STR(""), &form);
	CHECK_TEXT(packed_text(&p, buf_text(&form), &back), "");
	CHECK(length_of(&p, STR("short")));
	for (int i = 0; large.n < 300000; i++)          /* longer than the offsets in a model's index can be */
		buf_printf(&large, "%d,", i);
	CHECK(length_of(&p, buf_text(&large)));
	CHECK(length_of(&p, buf_text(&large)) < large.n);
	CHECK(length_of(&p, (struct str){ large.p + 100000, 150000 }));
	buf_release(&form);
	buf_release(&back);
	buf_release(&large);
	packed_release(&p);
}

int main(void)
{
	pods();
	anything();
	ends();
	return unit_end();
}
