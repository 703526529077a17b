#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Reserve 2 MB hugepages on each NUMA node, and say what was done.
set -eu

usage()
{
	cat <<'TEXT'
usage: hugepages.sh PAGES [NODE...]

Raises each NUMA node's 2 MB hugepages to PAGES (512 are 1 GB), or those of the nodes named.  Never
takes pages away.  Needs root.  The pages stay until the next boot; to have them at every boot, put
hugepages=N (all nodes together) on the kernel's command line.

Exit status: 0 the pages are there, 1 fewer than asked for, 2 usage.
TEXT
}

fail()
{
	echo "hugepages.sh: $*" >&2
	exit 2
}

# A directory laid out like /sys, for tests.
sys=${SYSFS:-/sys}

case ${1:-} in
-h | --help)
	usage
	exit 0
	;;
'')
	usage >&2
	exit 2
	;;
0* | *[!0-9]*) fail "'$1' is not a number of pages; write one above 0, as in: hugepages.sh 512" ;;
esac
[ "${#1}" -le 9 ] || fail "$1 pages are more than any machine holds"
wanted=$1
shift

if [ $# -eq 0 ]; then
	for dir in "$sys"/devices/system/node/node[0-9]*; do
		[ ! -d "$dir" ] || set -- "$@" "${dir##*/node}"
	done
fi

short=0

# reserve FILE NAME: raise one counter and report.
reserve()
{
	before=$(cat "$1")
	if [ "$before" -ge "$wanted" ]; then
		echo "$2: has $before pages of 2 MB already; left as it is"
		return
	fi
	if ! echo "$wanted" 2>/dev/null >"$1"; then
		fail "$1 cannot be written; run this as root"
	fi
	after=$(cat "$1")
	echo "$2: $before -> $after pages of 2 MB ($((after * 2)) MB)"
	if [ "$after" -lt "$wanted" ]; then
		short=1
		echo "$2: $((wanted - after)) fewer than asked for: memory is full or fragmented;" \
			"'echo 1 >/proc/sys/vm/compact_memory' and a second try may help, hugepages=" \
			"on the kernel's command line does" >&2
	fi
}

if [ $# -eq 0 ]; then
	# A kernel without NUMA.
	file=$sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages
	[ -f "$file" ] || fail "no $file: this kernel has no 2 MB hugepages"
	reserve "$file" "memory"
fi
for node in "$@"; do
	file=$sys/devices/system/node/node$node/hugepages/hugepages-2048kB/nr_hugepages
	if [ ! -d "$sys/devices/system/node/node$node" ]; then
		fail "there is no node $node; $sys/devices/system/node lists them"
	fi
	[ -f "$file" ] || fail "no $file: this kernel has no 2 MB hugepages"
	reserve "$file" "node $node"
done
if [ "$sys" = /sys ] && ! grep -q ' hugetlbfs ' /proc/mounts; then
	echo "no hugetlbfs is mounted; do so: mount -t hugetlbfs nodev /dev/hugepages" >&2
	echo "(or run sluice with --in-memory, which needs no mount)" >&2
fi
exit "$short"
