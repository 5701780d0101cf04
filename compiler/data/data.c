/* data.c - looks up members of free-form trees. */
#include "data/data.h"

const struct data *data_get(const struct data *d, struct str key)
{
	if (!d || d->kind != DATA_MAP)
		return NULL;
	for (size_t i = 0; i < d->u.map.n; i++)
		if (str_eq(d->u.map.at[i].key, key))
			return d->u.map.at[i].value;
	return NULL;
}

