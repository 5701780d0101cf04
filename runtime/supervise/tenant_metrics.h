/*
 * tenant_metrics.h - the metrics of each namespace, in the text format of OpenMetrics. At most TENANTS_NAMED namespaces
 * are named; the others are counted together, without a name.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_TENANT_METRICS_H
#define TRAINC_RUNTIME_SUPERVISE_TENANT_METRICS_H

#include "runtime/supervise/tenant.h"

/* Appends the metrics of all namespaces, and the size of the budget that they share. */
void tenant_metrics_page(struct controller *c, struct buf *out);

#endif
