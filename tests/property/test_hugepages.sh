#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# hugepages.sh against a made-up /sys: what it writes, what it leaves, what it refuses.
set -eu

script=$1
sys=$(mktemp -d)
trap 'rm -rf "$sys"' EXIT
export SYSFS="$sys"
pages=hugepages/hugepages-2048kB/nr_hugepages

node()
{
	mkdir -p "$sys/devices/system/node/node$1/${pages%/*}"
	echo "$2" >"$sys/devices/system/node/node$1/$pages"
}

# expect STATUS TEXT ARGUMENT...: how it ends and what it says.
expect()
{
	want=$1 text=$2
	shift 2
	status=0
	said=$(sh "$script" "$@" 2>&1) || status=$?
	case $status:$said in
	"$want:"*"$text"*) ;;
	*)
		echo "hugepages.sh $*: status $status, '$said'; want $want, '$text'"
		exit 1
		;;
	esac
}

# holds FILE PAGES
holds()
{
	[ "$(cat "$1")" = "$2" ] || {
		echo "$1 holds $(cat "$1"), want $2"
		exit 1
	}
}

expect 2 "no 2 MB hugepages" 64
mkdir -p "$sys/kernel/mm/${pages%/*}"
echo 0 >"$sys/kernel/mm/$pages"
expect 0 "memory: 0 -> 64 pages of 2 MB (128 MB)" 64
holds "$sys/kernel/mm/$pages" 64

node 0 0
node 1 512
expect 0 "node 0: 0 -> 256 pages of 2 MB (512 MB)" 256
expect 0 "node 1: has 512 pages of 2 MB already" 256
holds "$sys/devices/system/node/node0/$pages" 256
holds "$sys/devices/system/node/node1/$pages" 512
expect 0 "node 1: 512 -> 600 pages" 600 1
holds "$sys/devices/system/node/node0/$pages" 256
expect 2 "there is no node 7" 64 7
expect 2 "usage:"
expect 0 "usage:" --help
for bad in 0 -1 x 1x 1.5 007 '' ' ' 9999999999; do
	expect 2 "" "$bad"
done
holds "$sys/kernel/mm/$pages" 64
