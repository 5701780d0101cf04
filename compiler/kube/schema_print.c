/* schema_print.c - describes versions and types in words. */
#include "kube/kube_version.h"
#include "kube/schema.h"

void schema_versions_text(uint32_t versions, struct buf *out)
{
	const uint32_t all = (1u << (KUBE_NEWEST - KUBE_OLDEST + 1)) - 1;
	unsigned low = 0, high = 0;

	versions &= all;
	if (versions == all) {
		buf_z(out, "all versions");
		return;
	}
	while (!(versions >> low & 1) && low < 16)
		low++;
	for (unsigned i = low; i < 16; i++)
		if (versions >> i & 1)
			high = i;
	buf_printf(out, "1.%u", SCHEMA_OLDEST + low);
	if (all >> (high + 1) == 0)
		buf_z(out, low == high ? "" : " and later");
	else if (high != low)
		buf_printf(out, " to 1.%u", SCHEMA_OLDEST + high);
}

void schema_ref_text(const struct schema *s, const struct schema_ref *r, struct buf *out)
{
	static const char *const words[] = {
		[SCHEMA_ANY] = "anything", [SCHEMA_STRING] = "string", [SCHEMA_BYTES] = "base64 text",
			[SCHEMA_TIME] = "time",
		[SCHEMA_INT] = "whole number", [SCHEMA_NUMBER] = "number", [SCHEMA_BOOL] = "true or false",
			[SCHEMA_QUANTITY] = "quantity",
		[SCHEMA_INT_OR_STRING] = "whole number or string"
	};

	while (r->word == SCHEMA_LIST || r->word == SCHEMA_MAP) {
		buf_z(out, r->word == SCHEMA_LIST ? "list of " : "map of ");
		r = &s->refs[r->of];
	}
	if (r->word != SCHEMA_OBJECT && r->word != SCHEMA_BUILTIN) {
		buf_z(out, words[r->word]);
		return;
	}
	if (r->word == SCHEMA_BUILTIN)
		s = &schema_builtin;
	struct str name = schema_text(s, s->types[r->of].name);
	size_t dot = name.n;
	while (dot && name.p[dot - 1] != '.')
		dot--;
	buf_put(out, name.p + dot, name.n - dot);
}
