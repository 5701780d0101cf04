/* fields.c - searches the vocabulary for a field. */
#include "syntax/fields.h"

static const char *block_field_of(struct str word, const char *blocks)
{
#define BLOCK(word, parents, doc)
#define FIELD(id, name, blocks, type, fallback, doc) { name, type, #blocks },
#define FUNCTION(id, name, signature, doc)
#define UNIT(suffix, doc)
	static const struct { const char *name, *type, *blocks; } fields[] = {
#include "vocabulary.def"
	};
#undef BLOCK
#undef FIELD
#undef FUNCTION
#undef UNIT
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (str_is(word, fields[i].name) && str_starts(str_of(fields[i].blocks), str_of(blocks)))
			return fields[i].type;
	return NULL;
}

const char *field_type(struct str word) { return block_field_of(word, ""); }
bool field_is_of_project(struct str word) { return block_field_of(word, "BLOCK_PROJECT") != NULL; }
bool field_is_of_role(struct str word) { return block_field_of(word, "BLOCK_DEFAULTS") != NULL; }
