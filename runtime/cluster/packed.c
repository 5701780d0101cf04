/*
 * packed.c - packs texts. A packed form starts with the number of its model. After the number, plain text (a length and
 * that many bytes) and pieces of the model (a length and a position) alternate. Numbers have seven bits in each byte,
 * the lowest first.
 */
#include "runtime/cluster/packed.h"

#include <stdlib.h>

/*
 * SHORTEST: the shortest piece of a model that is used; for a shorter piece, length and position would take more bytes
 * than the piece saves. SHARE: a text becomes a model if its packed form is longer than the text divided by SHARE.
 */
enum { SHORTEST = 8, INDEX_BITS = 11, SHARE = 3, NOWHERE = UINT16_MAX };

struct packed_model {
	size_t n;
	uint16_t index[1 << INDEX_BITS];        /* position of SHORTEST bytes with this hash; NOWHERE: the text contains
						 * no such bytes */
	char text[];
};

static uint32_t hash_at(const char *p)
{
	uint64_t bytes;

	memcpy(&bytes, p, SHORTEST);
	return (uint32_t)(bytes * UINT64_C(0x9E3779B97F4A7C15) >> (64 - INDEX_BITS));
}

static struct packed_model *model_new(struct str text)
{
	struct packed_model *m = memory_resize(NULL, sizeof *m + text.n);

	m->n = text.n;
	memset(m->index, 0xFF, sizeof m->index);
	if (text.n)
		memcpy(m->text, text.p, text.n);
	for (size_t i = 0; i + SHORTEST <= text.n && i < NOWHERE; i++)
		m->index[hash_at(text.p + i)] = (uint16_t)i;
	return m;
}

/* ---- packing ---- */

static void put_length(struct buf *out, size_t n)
{
	for (; n >= 0x80; n >>= 7)
		buf_char(out, (char)(n | 0x80));
	buf_char(out, (char)n);
}

/* How many bytes of TEXT, from AT on, equal the bytes of the model at FROM? */
static size_t matching_bytes(const struct packed_model *m, size_t from, struct str text, size_t at)
{
	size_t n = 0;

	while (from + n < m->n && at + n < text.n && m->text[from + n] == text.p[at + n])
		n++;
	return n;
}

/*
 * The longer of two pieces of the model that match TEXT at AT: the piece at EXPECTED, and the piece found by its hash.
 */
static size_t longest_piece(const struct packed_model *m, struct str text, size_t at, size_t expected, size_t *ret_from)
{
	size_t n = matching_bytes(m, expected, text, at);

	*ret_from = expected;
	if (at + SHORTEST > text.n)
		return n;
	size_t from = m->index[hash_at(text.p + at)], other = from == NOWHERE ? 0 : matching_bytes(m, from, text, at);
	if (other <= n)
		return n;
	*ret_from = from;
	return other;
}

static void pack(const struct packed_model *m, size_t number, struct str text, struct buf *out)
{
	size_t plain = 0, expected = 0, from;       /* beginning of text that has no match in the model */

	put_length(out, number);
	for (size_t at = 0; at < text.n;) {
		size_t n = longest_piece(m, text, at, expected, &from);
		if (n < SHORTEST) {
			at++;
			expected++;
			continue;
		}
		put_length(out, at - plain);
		buf_put(out, text.p + plain, at - plain);
		put_length(out, n);
		put_length(out, from);
		at += n;
		plain = at;
		expected = from + n;
	}
	put_length(out, text.n - plain);
	buf_put(out, text.p + plain, text.n - plain);
}

void packed_add(struct packed *p, struct str text, struct buf *out)
{
	struct buf forms[2] = { { 0 }, { 0 } };
	size_t best = 0;

	for (size_t i = 0; i < p->nmodels && (!i || forms[best].n > text.n / SHARE); i++) {
		size_t next = i ? !best : best;
		forms[next].n = 0;
		pack(p->models[i], i, text, &forms[next]);
		best = forms[next].n < forms[best].n ? next : best;
	}
	if (p->nmodels < PACKED_MODELS && (!p->nmodels || forms[best].n > text.n / SHARE)) {
		p->models[p->nmodels] = model_new(text);
		forms[best].n = 0;
		pack(p->models[p->nmodels], p->nmodels, text, &forms[best]);
		p->nmodels++;
	}
	buf_put(out, forms[best].p, forms[best].n);
	buf_release(&forms[0]);
	buf_release(&forms[1]);
}

/* ---- unpacking ---- */

static size_t take_length(struct str *form)
{
	size_t n = 0;
	unsigned bits = 0;

	while (form->n) {
		unsigned char c = (unsigned char)*form->p++;
		form->n--;
		n |= (size_t)(c & 0x7F) << bits;
		bits += 7;
		if (c < 0x80)
			break;
	}
	return n;
}

struct str packed_text(const struct packed *p, struct str form, struct buf *to)
{
	const struct packed_model *m = p->models[take_length(&form)];

	to->n = 0;
	while (form.n) {
		size_t n = take_length(&form);
		buf_put(to, form.p, n);
		form.p += n;
		form.n -= n;
		if (!form.n)
			break;
		n = take_length(&form);
		buf_put(to, m->text + take_length(&form), n);
	}
	return buf_text(to);
}

void packed_release(struct packed *p)
{
	for (size_t i = 0; i < p->nmodels; i++)
		free(p->models[i]);
	*p = (struct packed){ 0 };
}
