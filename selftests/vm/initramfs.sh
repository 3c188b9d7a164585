#!/bin/busybox sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
# /init of the initramfs: mounts the host's file system read-only over 9p and
# hands over to init.sh on it.

/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t devtmpfs dev /dev

while read -r module; do
	/bin/busybox insmod "/modules/$module" || exit 1
done </modules/order

# A probe only asks whether a guest boots with this accelerator.
if [ -n "$FLOWRING_PROBE" ]; then
	echo "exit 0" >/dev/vport0p1
	/bin/busybox poweroff -f
fi

/bin/busybox mount -t 9p -o \
	trans=virtio,version=9p2000.L,msize=512000,cache=loose,ro \
	host /root || exit 1
/bin/busybox umount /proc
/bin/busybox mount -o move /dev /root/dev
exec /bin/busybox switch_root /root "$FLOWRING_INIT"
