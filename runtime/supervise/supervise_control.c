/* supervise_control.c - what all parts of a controller use: its time, and the kind of run records. */
#include "runtime/supervise/supervise_control.h"

#include "base/words.h"

const struct custom_kind run_record_kind = { .group = "", .version = "v1", .kind = "ConfigMap",
	.plural = "configmaps" };

int64_t controller_now(const struct controller *c)
{
	return clock_real() + transport_clock_offset(c->client.transport);
}
