/*
 * unpack.c - a second, small module of the playground: it unpacks the stream that contains the first one. Browsers
 * themselves can unpack gzip, but with LZMA the page is a sixth smaller. The stream is raw LZMA with lc=3, lp=0, pb=0
 * and a size that the page knows; build.py writes it. The names are those of the format's description. Each bit is
 * decoded with a probability ("chance") that adapts to the bits that were seen in the same position before.
 */
#include <stddef.h>
#include <stdint.h>

#ifdef __wasm__
#define EXPORT(name) __attribute__((export_name(#name))) name
#else                                   /* tests/wasm/unpack.py compiles this file for the host machine */
#define EXPORT(name) name
#endif

typedef uint16_t chance;                /* the probability that the next bit is 0, in units of 1/2048 */

enum { LITERALS = 0x300 << 3, STATES = 12, ALIGN_BITS = 4, FIRST_MODELED = 4, FIRST_EVEN = 14 };
enum { LONGEST = 20 };                  /* maximum size in bytes of an encoded packet */

struct lengths {
	chance longer[2], low[8], middle[8], high[256];
};

/*
 * The part of the state that changes with every bit. web_more() works on a copy, which the C compiler can keep in
 * registers.
 */
struct coder {
	const uint8_t *in;
	uint32_t range, code;
};

struct web_unpack {
	struct coder coder;
	const uint8_t *first, *limit;   /* range of the packed bytes */
	uint8_t *out;
	/* SIZE: number of bytes to unpack to OUT; END: number of bytes unpacked so far */
	size_t size, end;
	uint32_t last[4];               /* the last four distances, each minus one, latest first */
	/* encodes the kinds of the latest packets; 0 to 6: the last one was a literal */
	unsigned state;
	struct {
		chance literal[LITERALS], match[STATES], repeat[STATES];
		chance older[STATES], second[STATES], third[STATES], many[STATES];
		chance slot[4][64], special[128], align[1 << ALIGN_BITS];
		struct lengths plain, again;
	} chances;
};

void EXPORT(web_start)(const uint8_t *in, size_t nin, uint8_t *out, size_t size);
ptrdiff_t EXPORT(web_more)(size_t there, size_t n);

/*
 * Reads a further packed byte when the range is small. This has no branches, like bit(): the processor could not
 * predict them, and most of the time is spent here.
 */
static inline void refill(struct coder *r)
{
	uint32_t low = r->range >> 24 == 0;

	r->range <<= low * 8;
	r->code = r->code << low * 8 | (*r->in & -low);
	r->in += low;
}

static inline unsigned bit(struct coder *r, chance *c)
{
	uint32_t bound = (r->range >> 11) * *c, found = r->code >= bound, ones = -found;
	int32_t now = *c;

	r->range = bound + (ones & (r->range - 2 * bound));
	r->code -= bound & ones;
	*c = (chance)(now - ((now - (int32_t)(~ones & (2048 - 31))) >> 5));
	refill(r);
	return found;
}

/* Reads BITS bits, the most significant first. */
static inline unsigned tree(struct coder *r, chance *c, int bits)
{
	unsigned m = 1;

	for (int i = 0; i < bits; i++)
		m = m << 1 | bit(r, &c[m]);
	return m - (1u << bits);
}

/* Reads BITS bits, the least significant first. */
static inline unsigned backwards(struct coder *r, chance *c, int bits)
{
	unsigned m = 1, value = 0;

	for (int i = 0; i < bits; i++) {
		unsigned b = bit(r, &c[m]);
		m = m << 1 | b;
		value |= b << i;
	}
	return value;
}

/* Reads BITS bits with equal probabilities. */
static inline unsigned evenly(struct coder *r, int bits)
{
	unsigned value = 0;

	while (bits--) {
		r->range >>= 1;
		unsigned b = r->code >= r->range;
		r->code -= b ? r->range : 0;
		value = value << 1 | b;
		refill(r);
	}
	return value;
}

static inline unsigned length(struct coder *r, struct lengths *l)
{
	if (!bit(r, &l->longer[0]))
		return 2 + tree(r, l->low, 3);
	if (!bit(r, &l->longer[1]))
		return 10 + tree(r, l->middle, 3);
	return 18 + tree(r, l->high, 8);
}

static inline unsigned distance(struct web_unpack *u, struct coder *r, unsigned n)
{
	unsigned slot = tree(r, u->chances.slot[n < 5 ? n - 2 : 3], 6);
	int bits = (int)(slot >> 1) - 1;

	if (slot < FIRST_MODELED)
		return slot;
	unsigned base = (2 | (slot & 1)) << bits;
	if (slot < FIRST_EVEN)
		return base + backwards(r, u->chances.special + base - slot, bits);
	base += evenly(r, bits - ALIGN_BITS) << ALIGN_BITS;
	return base + backwards(r, u->chances.align, ALIGN_BITS);
}

/*
 * Reads a literal. After a match, LIKE is the byte that follows the source of the match; the literal is known to
 * differ from it.
 */
static inline uint8_t unpack_literal(struct web_unpack *u, struct coder *r, uint8_t before, unsigned like)
{
	chance *c = u->chances.literal + 0x300 * (before >> 5);
	unsigned m = 1;

	if (u->state > 6)
		while (m < 256) {
			unsigned expected = like >> 7 & 1, b = bit(r, &c[((1 + expected) << 8) + m]);
			like <<= 1;
			m = m << 1 | b;
			if (b != expected)
				break;
		}
	while (m < 256)
		m = m << 1 | bit(r, &c[m]);
	u->state = u->state < 4 ? 0 : u->state < 10 ? u->state - 3 : u->state - 6;
	return (uint8_t)m;
}

/* Makes one of the older distances the latest one. */
static inline void older(struct web_unpack *u, struct coder *r)
{
	int which = !bit(r, &u->chances.second[u->state]) ? 1 : !bit(r, &u->chances.third[u->state]) ? 2 : 3;
	uint32_t found = u->last[which];

	for (; which; which--)
		u->last[which] = u->last[which - 1];
	u->last[0] = found;
}

/* Reads a match; returns its length and leaves its distance in u->last[0]. */
static inline unsigned match(struct web_unpack *u, struct coder *r)
{
	unsigned state = u->state, n;

	if (!bit(r, &u->chances.repeat[state])) {
		n = length(r, &u->chances.plain);
		for (int i = 3; i; i--)
			u->last[i] = u->last[i - 1];
		u->last[0] = distance(u, r, n);
		u->state = state < 7 ? 7 : 10;
		return n;
	}
	if (bit(r, &u->chances.older[state])) {
		older(u, r);
	} else if (!bit(r, &u->chances.many[state])) {
		u->state = state < 7 ? 9 : 11;
		return 1;
	}
	u->state = state < 7 ? 8 : 11;
	return length(r, &u->chances.again);
}

#ifdef __wasm__
extern uint8_t __heap_base;
void *EXPORT(web_room)(void);

/* Returns the memory for the packed bytes, which the unpacked bytes follow. */
void *web_room(void)
{
	return &__heap_base;
}
#endif

static struct web_unpack unpacking;

/*
 * Starts to unpack the NIN bytes at IN, of which the first five have arrived, to the SIZE bytes at OUT. 32 more bytes
 * must be readable after IN: damaged data may make web_more() read them.
 */
void web_start(const uint8_t *in, size_t nin, uint8_t *out, size_t size)
{
	struct web_unpack *u = &unpacking;
	chance *all = (chance *)(void *)&u->chances;

	*u = (struct web_unpack){ .first = in, .limit = in + nin, .out = out, .size = size };
	u->coder = (struct coder){ in + 1, UINT32_MAX, 0 };
	for (size_t i = 0; i < sizeof u->chances / sizeof *all; i++)
		all[i] = 1024;
	for (int i = 0; i < 4; i++)
		u->coder.code = u->coder.code << 8 | *u->coder.in++;
}

/*
 * Unpacks about N more bytes, or fewer if these need more than the THERE packed bytes that have arrived. Returns the
 * number of bytes unpacked so far, or -1 when the packed bytes are damaged. The page should call it several times: a
 * browser runs optimized code only from the next call of a function on.
 */
ptrdiff_t web_more(size_t there, size_t n)
{
	struct web_unpack *u = &unpacking;
	struct coder coder = u->coder, *r = &coder;
	size_t end = u->end, stop = n < u->size - end ? end + n : u->size;
	size_t all = (size_t)(u->limit - u->first), sure = there >= all ? all : there > LONGEST ? there - LONGEST : 0;
	const uint8_t *last = u->first + sure;
	uint8_t *out = u->out;

	while (end < stop && r->in <= last) {
		if (!bit(r, &u->chances.match[u->state])) {
			uint8_t like = end > u->last[0] ? out[end - u->last[0] - 1] : 0;
			out[end] = unpack_literal(u, r, end ? out[end - 1] : 0, like);
			end++;
			continue;
		}
		unsigned many = match(u, r);
		if (u->last[0] >= end)
			return -1;
		for (; many && end < u->size; many--, end++)
			out[end] = out[end - u->last[0] - 1];
	}
	u->coder = coder;
	u->end = end;
	return end < u->size && r->in > u->limit ? -1 : (ptrdiff_t)end;
}
