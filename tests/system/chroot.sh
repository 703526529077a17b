#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The README's two commands on a bare Debian 12: with hugepages, and without.
#
# usage: sh tests/system/chroot.sh [DIR]
#
# DIR is made by debootstrap, or taken as it is when it holds a system already, and kept; without it
# a temporary one is made and removed.  Root; network; 5 GB of disk.
set -eu

tree=$(cd "$(dirname "$0")/../.." && pwd)
modes=${CHROOT_MODES:-"0 1"}             # SLUICE_NO_HUGE of each round
commands=${CHROOT_COMMANDS:-"demo test"} # of "run"
mirror=${CHROOT_MIRROR:-http://deb.debian.org/debian}

[ "$(id -u)" -eq 0 ] || {
	echo "chroot.sh: wants root" >&2
	exit 77
}
command -v debootstrap >/dev/null || {
	echo "chroot.sh: debootstrap is not installed" >&2
	exit 77
}

# The mounts live in a namespace of their own, and so end with this process, come what may.
if [ "${CHROOT_INSIDE:-}" != yes ]; then
	exec env CHROOT_INSIDE=yes unshare --mount --propagation private sh "$0" "$@"
fi

dir=${1:-}
if [ -z "$dir" ]; then
	dir=$(mktemp -d /var/tmp/sluice-chroot-XXXXXX)
	trap 'umount -R "$dir/proc" "$dir/sys" "$dir/dev" "$dir/run/netns" 2>/dev/null || :
		rm -rf --one-file-system "$dir"' EXIT
	trap 'exit 130' INT TERM
fi
if [ ! -x "$dir/bin/sh" ]; then
	echo "chroot.sh: debootstrap into $dir"
	mkdir -p "$dir"
	debootstrap bookworm "$dir" "$mirror" >"$dir.log" 2>&1 || {
		tail -n 20 "$dir.log"
		exit 1
	}
	rm -f "$dir.log"
fi
cp -L /etc/resolv.conf "$dir/etc/resolv.conf" 2>/dev/null || :
cp -L /etc/hosts "$dir/etc/hosts" 2>/dev/null || :
mount -t proc proc "$dir/proc"
mount --rbind /sys "$dir/sys"
mount --rbind /dev "$dir/dev"

status=0
for no_huge in $modes; do
	rm -rf "$dir/root/sluice"
	git -c safe.directory="$tree" clone -q --no-hardlinks "file://$tree" "$dir/root/sluice"
	for what in $commands; do
		echo
		echo "== bare Debian 12, SLUICE_NO_HUGE=$no_huge: ./run $what"
		chroot "$dir" /usr/bin/env -i HOME=/root TERM=dumb \
			PATH=/usr/sbin:/usr/bin:/sbin:/bin SLUICE_NO_HUGE="$no_huge" \
			sh -c 'cd /root/sluice && exec ./run "$1"' sh "$what" </dev/null || {
			echo "chroot.sh: ./run $what failed"
			status=1
		}
	done
done
exit $status
