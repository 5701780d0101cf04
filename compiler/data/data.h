/*
 * data.h - free-form trees, such as JSON and YAML documents and the values of `raw` and `object`.
 */
#ifndef TRAINC_DATA_DATA_H
#define TRAINC_DATA_DATA_H

#include "base/source.h"

enum data_kind { DATA_NULL, DATA_BOOL, DATA_INT, DATA_FLOAT, DATA_STRING, DATA_LIST, DATA_MAP };

struct data_member {
	struct str key;
	struct span key_at;
	const struct data *value;
};

struct data {
	enum data_kind kind;
	struct span from;
	union {
		bool boolean;
		int64_t integer;
		double number;
		struct str string;
		struct {
			const struct data **at;
			size_t n;
		} list;
		struct {
			struct data_member *at;
			size_t n;
		} map;
	} u;
};

/* The value of KEY if D is a map that has it, otherwise NULL. */
const struct data *data_get(const struct data *d, struct str key);

/*
 * Do all members have different keys? If not, sets the index of the first member whose key an earlier member has, and
 * the index of that earlier member.
 */
bool data_keys_differ(const struct data_member *at, size_t n, size_t *ret_again, size_t *ret_first);

#endif
