/*
 * unpack.c - a second, small module of the playground: it unpacks the stream that contains the first one. Browsers can
 * unpack gzip by themselves, but with LZMA the page is a sixth smaller. The stream is raw LZMA with lc=3, lp=0, pb=0
 * and a size that the page knows; build.py writes it. Names are those of the format's description: each bit is decoded
 * with a probability ("chance") that adapts to the bits that were seen in the same position before.
 */
#include <stddef.h>
#include <stdint.h>

#ifdef __wasm__
#define EXPORT(name) __attribute__((export_name(#name))) name
#else                                   /* for tests/wasm/unpack.py, which compiles it for this machine */
#define EXPORT(name) name
#endif

typedef uint16_t chance;                /* the probability that the next bit is 0, in units of 1/2048 */

enum { LITERALS = 0x300 << 3, STATES = 12, ALIGN_BITS = 4, FIRST_MODELED = 4, FIRST_EVEN = 14 };

struct lengths {
	chance longer[2], low[8], middle[8], high[256];
};

struct web_unpack {
	const uint8_t *in;
	uint32_t range, code;
	uint32_t last[4];               /* the last four distances, latest first, each less one */
	unsigned state;                 /* the kinds of the latest packets: 0 to 6 when the last was a literal */
	struct {
		chance literal[LITERALS], match[STATES], repeat[STATES];
		chance older[STATES], second[STATES], third[STATES], many[STATES];
		chance slot[4][64], special[128], align[1 << ALIGN_BITS];
		struct lengths plain, again;
	} chances;
};

int EXPORT(web_unpack)(const uint8_t *in, size_t nin, uint8_t *out, size_t size);

/* It has no branches, like bit(): the processor cannot predict them, and most of the time is spent here. */
static inline void refill(struct web_unpack *u)
{
	uint32_t low = u->range >> 24 == 0;

	u->range <<= low * 8;
	u->code = u->code << low * 8 | (*u->in & -low);
	u->in += low;
}

static inline unsigned bit(struct web_unpack *u, chance *c)
{
	uint32_t bound = (u->range >> 11) * *c, found = u->code >= bound, ones = -found;
	int32_t now = *c;

	u->range = bound + (ones & (u->range - 2 * bound));
	u->code -= bound & ones;
	*c = (chance)(now - ((now - (int32_t)(~ones & (2048 - 31))) >> 5));
	refill(u);
	return found;
}

/* Reads BITS bits, the most significant first. */
static unsigned tree(struct web_unpack *u, chance *c, int bits)
{
	unsigned m = 1;

	for (int i = 0; i < bits; i++)
		m = m << 1 | bit(u, &c[m]);
	return m - (1u << bits);
}

/* Reads BITS bits, the least significant first. */
static unsigned backwards(struct web_unpack *u, chance *c, int bits)
{
	unsigned m = 1, value = 0;

	for (int i = 0; i < bits; i++) {
		unsigned b = bit(u, &c[m]);
		m = m << 1 | b;
		value |= b << i;
	}
	return value;
}

/* Reads BITS bits with equal probabilities. */
static unsigned evenly(struct web_unpack *u, int bits)
{
	unsigned value = 0;

	while (bits--) {
		u->range >>= 1;
		unsigned b = u->code >= u->range;
		u->code -= b ? u->range : 0;
		value = value << 1 | b;
		refill(u);
	}
	return value;
}

static unsigned length(struct web_unpack *u, struct lengths *l)
{
	if (!bit(u, &l->longer[0]))
		return 2 + tree(u, l->low, 3);
	if (!bit(u, &l->longer[1]))
		return 10 + tree(u, l->middle, 3);
	return 18 + tree(u, l->high, 8);
}

static unsigned distance(struct web_unpack *u, unsigned n)
{
	unsigned slot = tree(u, u->chances.slot[n < 5 ? n - 2 : 3], 6);
	int bits = (int)(slot >> 1) - 1;

	if (slot < FIRST_MODELED)
		return slot;
	unsigned base = (2 | (slot & 1)) << bits;
	if (slot < FIRST_EVEN)
		return base + backwards(u, u->chances.special + base - slot, bits);
	base += evenly(u, bits - ALIGN_BITS) << ALIGN_BITS;
	return base + backwards(u, u->chances.align, ALIGN_BITS);
}

/*
 * Reads a literal. After a match, LIKE is the byte that follows the copied bytes at their source: the literal differs
 * from it.
 */
static uint8_t literal(struct web_unpack *u, uint8_t before, unsigned like)
{
	chance *c = u->chances.literal + 0x300 * (before >> 5);
	unsigned m = 1;

	if (u->state > 6)
		while (m < 256) {
			unsigned expected = like >> 7 & 1, b = bit(u, &c[((1 + expected) << 8) + m]);
			like <<= 1;
			m = m << 1 | b;
			if (b != expected)
				break;
		}
	while (m < 256)
		m = m << 1 | bit(u, &c[m]);
	u->state = u->state < 4 ? 0 : u->state < 10 ? u->state - 3 : u->state - 6;
	return (uint8_t)m;
}

/* Moves one of the older distances to the front. */
static void older(struct web_unpack *u)
{
	int which = !bit(u, &u->chances.second[u->state]) ? 1 : !bit(u, &u->chances.third[u->state]) ? 2 : 3;
	uint32_t found = u->last[which];

	for (; which; which--)
		u->last[which] = u->last[which - 1];
	u->last[0] = found;
}

/* Reads a match; returns its length and leaves its distance in u->last[0]. */
static unsigned match(struct web_unpack *u)
{
	unsigned state = u->state, n;

	if (!bit(u, &u->chances.repeat[state])) {
		n = length(u, &u->chances.plain);
		for (int i = 3; i; i--)
			u->last[i] = u->last[i - 1];
		u->last[0] = distance(u, n);
		u->state = state < 7 ? 7 : 10;
		return n;
	}
	if (bit(u, &u->chances.older[state])) {
		older(u);
	} else if (!bit(u, &u->chances.many[state])) {
		u->state = state < 7 ? 9 : 11;
		return 1;
	}
	u->state = state < 7 ? 8 : 11;
	return length(u, &u->chances.again);
}

#ifdef __wasm__
extern uint8_t __heap_base;
void *EXPORT(web_room)(void);

/* The memory for the packed bytes, followed by that for the unpacked ones. */
void *web_room(void)
{
	return &__heap_base;
}
#endif

/*
 * Unpacks SIZE bytes to OUT. Returns 0, or 1 when the NIN bytes at IN are damaged.
 * IN must have 32 bytes more than NIN: damaged data may make it read them.
 */
int web_unpack(const uint8_t *in, size_t nin, uint8_t *out, size_t size)
{
	static struct web_unpack u;
	const uint8_t *limit = in + nin;
	chance *all = (chance *)(void *)&u.chances;

	u = (struct web_unpack){ .in = in + 1, .range = UINT32_MAX };
	for (size_t i = 0; i < sizeof u.chances / sizeof *all; i++)
		all[i] = 1024;
	for (int i = 0; i < 4; i++)
		u.code = u.code << 8 | *u.in++;
	for (size_t end = 0; end < size;) {
		if (u.in > limit)
			return 1;
		if (!bit(&u, &u.chances.match[u.state])) {
			out[end] = literal(&u, end ? out[end - 1] : 0, end > u.last[0] ? out[end - u.last[0] - 1] : 0);
			end++;
			continue;
		}
		unsigned n = match(&u);
		if (u.last[0] >= end)
			return 1;
		for (; n && end < size; n--, end++)
			out[end] = out[end - u.last[0] - 1];
	}
	return 0;
}
