/* addon.c - looks up versions of add-ons in the rows of addons.def. */
#include "kube/addon.h"

static const struct addon_row rows[ADDONS] = {
#define ADDON(id, name, title, group, image, oldest, newest) { name, title, group, image, oldest, newest },
#define ADDON_FIELD(addon, kind, path, since, gone, instead)
#define ADDON_PAIR(queue, from, to, runner, until, kind, why, advice)
#include "kube/addons.def"
#undef ADDON
#undef ADDON_FIELD
};

static const struct addon_field fields[] = {
#define ADDON(id, name, title, group, image, oldest, newest)
#define ADDON_FIELD(addon, kind, path, since, gone, instead) { ADDON_##addon, kind, path, since, gone, instead },
#include "kube/addons.def"
#undef ADDON_FIELD
#undef ADDON_PAIR
};

static const struct addon_pair pairs[] = {
#define ADDON_FIELD(addon, kind, path, since, gone, instead)
#define ADDON_PAIR(queue, from, to, runner, until, kind, why, advice) \
	{ ADDON_##queue, from, to, ADDON_##runner, until, kind, why, advice },
#include "kube/addons.def"
};

const struct addon_row *addon_row(enum addon id) { return &rows[id]; }

bool addon_find(struct str name, enum addon *ret)
{
	for (unsigned i = 0; i < ADDONS; i++)
		if (str_is(name, rows[i].name)) {
			*ret = (enum addon)i;
			return true;
		}
	return false;
}

bool addon_of_group(struct str group, enum addon *ret)
{
	for (unsigned i = 0; i < ADDONS; i++)
		if (str_is(group, rows[i].group)) {
			*ret = (enum addon)i;
			return true;
		}
	return false;
}

const struct addon_field *addon_field_at(size_t i)
{
	return i < sizeof fields / sizeof *fields ? &fields[i] : NULL;
}

const struct addon_pair *addon_pair_at(size_t i)
{
	return i < sizeof pairs / sizeof *pairs ? &pairs[i] : NULL;
}

/* Reads a number of at most three digits without a leading zero. */
static bool read_version_number(struct str *s, unsigned *ret)
{
	size_t n = 0;

	for (*ret = 0; n < s->n && s->p[n] >= '0' && s->p[n] <= '9' && n < 3; n++)
		*ret = *ret * 10 + (unsigned)(s->p[n] - '0');
	if (!n || (n > 1 && s->p[0] == '0'))
		return false;
	*s = (struct str){ s->p + n, s->n - n };
	return true;
}

bool addon_parse(struct str text, unsigned *ret)
{
	unsigned major, minor;

	if (!read_version_number(&text, &major) || !text.n || text.p[0] != '.')
		return false;
	text = (struct str){ text.p + 1, text.n - 1 };
	if (!read_version_number(&text, &minor) || text.n)
		return false;
	*ret = ADDON_VERSION(major, minor);
	return true;
}

struct str addon_text(struct arena *a, unsigned version)
{
	return str_printf(a, "%u.%u", version / 1000, version % 1000);
}

bool addon_known(enum addon id, unsigned version)
{
	return version >= rows[id].oldest && version <= rows[id].newest;
}

bool addon_has(const struct addon_field *f, unsigned version)
{
	return !version || (version >= f->since && (!f->gone || version < f->gone));
}

bool addon_stuck(const struct addon_pair *p, unsigned queue, unsigned runner)
{
	return queue && queue >= p->from && (!p->to || queue <= p->to) &&
		(!p->until || (runner && runner <= p->until));
}
