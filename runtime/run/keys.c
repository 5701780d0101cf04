/* keys.c - see keys.h. */
#include "runtime/run/keys.h"

static const struct {
	const char *bytes;              /* after Escape */
	int key;
} sequences[] = {
	{ "[A", KEY_UP }, { "[B", KEY_DOWN }, { "[C", KEY_RIGHT }, { "[D", KEY_LEFT }, { "OA", KEY_UP },
	{ "OB", KEY_DOWN }, { "OC", KEY_RIGHT }, { "OD", KEY_LEFT }, { "[5~", KEY_PAGE_UP }, { "[6~", KEY_PAGE_DOWN },
	{ "[H", KEY_HOME }, { "[F", KEY_END }, { "[1~", KEY_HOME }, { "[4~", KEY_END }, { "OH", KEY_HOME },
	{ "OF", KEY_END },
};

/* Is the sequence at its end: a letter or '~' after '[' or 'O'? */
static bool is_complete(const struct keys *k)
{
	char last = k->at[k->n - 1];

	return k->n > 2 && ((last >= 'A' && last <= 'Z') || (last >= 'a' && last <= 'z') || last == '~');
}

int keys_put(struct keys *k, char byte)
{
	int key = KEY_NONE;

	if (!k->n && byte != KEY_ESCAPE)
		return (unsigned char)byte;
	if (k->n == 1 && byte != '[' && byte != 'O') {
		k->n = byte == KEY_ESCAPE;      /* Escape, and then this key: the second one counts later */
		return KEY_ESCAPE;
	}
	k->at[k->n++] = byte;
	if (!is_complete(k) && k->n < sizeof k->at)
		return KEY_NONE;
	for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++)
		if (str_is((struct str){ k->at + 1, k->n - 1 }, sequences[i].bytes))
			key = sequences[i].key;
	k->n = 0;
	return key;
}

int keys_pause(struct keys *k)
{
	int key = k->n == 1 ? KEY_ESCAPE : KEY_NONE;

	k->n = 0;
	return key;
}
