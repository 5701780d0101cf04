#include "syntax/fields.h"

const char *field_type(struct str word)
{
#define BLOCK(word, parents, doc)
#define FIELD(id, name, blocks, type, fallback, doc) { name, type },
#define FUNCTION(id, name, signature, doc)
#define UNIT(suffix, doc)
	static const struct { const char *name, *type; } fields[] = {
#include "vocabulary.def"
	};
#undef BLOCK
#undef FIELD
#undef FUNCTION
#undef UNIT
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (str_is(word, fields[i].name))
			return fields[i].type;
	return NULL;
}
