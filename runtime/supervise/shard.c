/* shard.c - reads the options about shards, and assigns namespaces to shards by a hash that never changes. */
#include "runtime/supervise/shard.h"

/* Reads a decimal number of at most nine digits. */
static bool read_decimal(struct str s, unsigned *ret)
{
	unsigned n = 0;

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
		n = n * 10 + (unsigned)(s.p[i] - '0');
	}
	*ret = n;
	return s.n && s.n <= 9;
}

/* The digits at the end of the name of a StatefulSet's pod, after its last '-'; empty if the name does not end so. */
static struct str ordinal(struct str pod)
{
	size_t i = pod.n;

	while (i && pod.p[i - 1] >= '0' && pod.p[i - 1] <= '9')
		i--;
	return i > 1 && pod.p[i - 1] == '-' ? (struct str){ pod.p + i, pod.n - i } : STR("");
}

static bool total_of_shards(struct session *s, struct shard *ret)
{
	struct str text = option_value(s->options, OPTION_TOTAL_SHARDS);

	if (!option_given(s->options, OPTION_TOTAL_SHARDS))
		return true;
	if (read_decimal(text, &ret->total) && ret->total >= 1 && ret->total <= SHARDS_MOST)
		return true;
	session_say(s, "--total-shards is a number from 1 to %d, found '%.*s'", SHARDS_MOST, STR_ARG(text));
	return false;
}

/*
 * Reads the number of this process: either the number itself, or the name of a pod that ends with it. Pods beyond the
 * last shard stand by: with four shards, pod 5 is another process of shard 1.
 */
static bool number_of_shard(struct session *s, struct shard *ret)
{
	struct str text = option_value(s->options, OPTION_SHARD);
	bool plain = read_decimal(text, &ret->number);

	if (!plain && !read_decimal(ordinal(text), &ret->number)) {
		session_say(s, "--shard is a number, or the name of a StatefulSet's pod such as trainc-supervise-2, "
			"found '%.*s'", STR_ARG(text));
		return false;
	}
	if (plain && ret->number >= ret->total) {
		session_say(s, ret->total == 1 ? "--shard %u: there is only shard 0; set --total-shards"
			: "--shard %u: with --total-shards %u the last shard is %u", ret->number, ret->total,
			ret->total - 1);
		return false;
	}
	ret->number %= ret->total;
	return true;
}

bool shard_read(struct session *s, struct shard *ret)
{
	bool given = option_given(s->options, OPTION_SHARD), writes = option_given(s->options, OPTION_MANIFEST);

	*ret = (struct shard){ .total = 1 };
	if (!total_of_shards(s, ret))
		return false;
	if (given && !option_given(s->options, OPTION_TOTAL_SHARDS)) {
		session_say(s, "--shard needs --total-shards, the number of shards");
		return false;
	}
	if (ret->total > 1 && option_value(s->options, OPTION_NAMESPACE).n) {
		session_say(s, "--namespace and --total-shards: all jobs of a namespace are in one shard; "
			"leave one of the options out");
		return false;
	}
	if (given && writes) {
		session_say(s, "--manifest writes the objects of all shards; leave out --shard");
		return false;
	}
	if (given)
		return number_of_shard(s, ret);
	if (ret->total == 1 || writes)
		return true;
	session_say(s, "--total-shards %u needs --shard, the number of this process from 0 to %u", ret->total,
		ret->total - 1);
	return false;
}

/*
 * FNV-1a of 32 bits. The documentation promises this hash: two versions of the program must never disagree about a job.
 */
bool shard_has(const struct shard *s, struct str ns)
{
	return s->total == 1 || str_hash_stable(ns) % s->total == s->number;
}

struct str shard_lease(struct arena *a, const struct shard *s, struct str lease)
{
	return str_printf(a, "%.*s-%u", STR_ARG(lease), s->number);
}

struct str shard_holder(struct arena *a, const struct shard *s) { return str_printf(a, "%u shards", s->total); }
