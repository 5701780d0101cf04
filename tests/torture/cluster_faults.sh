#!/bin/sh
# cluster_faults.sh - a sample of the part of `make torture` about commands of a cluster and the controller.
cd "$(dirname "$0")/../.." || exit 1
PYTHONDONTWRITEBYTECODE=1 exec python3 tests/torture/cluster_faults.py "${BUILD:-build}" --sample
