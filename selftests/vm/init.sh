#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Process 1 of the guest, on a root that is the host's, read-only: makes what
# has to be writable so, runs the command of the job file, passes its output
# and exit status to the host, and stops the machine.
#
# FLOWRING_JOB, from the kernel's command line, names a file of assignments:
# VM, OUT and STATUS (devices), KEEP (directories to keep in sight), MODULES
# (staged /lib/modules), ENVIRONMENT and COMMAND.

export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
umask 022

VM='' OUT='' STATUS='' MODULES='' DIRECTORY='' TOOLS=''
KEEP=() ENVIRONMENT=() COMMAND=()
# shellcheck source=/dev/null
. "$FLOWRING_JOB"

mount -t proc -o nosuid,noexec proc /proc
mount -t sysfs -o nosuid,noexec sys /sys
mountpoint -q /dev || mount -t devtmpfs -o nosuid dev /dev
mkdir -p /dev/pts /dev/shm
mount -t devpts devpts /dev/pts
mount -t tmpfs tmpfs /dev/shm
mount -t debugfs debugfs /sys/kernel/debug 2>/dev/null
mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null
mount -t cgroup2 cgroup2 /sys/fs/cgroup 2>/dev/null

# The checkout and the cache may lie below what is covered next.
mount -t tmpfs -o mode=755 tmpfs /run
i=0
for dir in "${KEEP[@]}"; do
	mkdir -p "/run/keep/$i"
	mount --bind "$dir" "/run/keep/$i"
	i=$((i + 1))
done
for dir in /tmp /root /home; do
	mount -t tmpfs -o mode=1777 tmpfs "$dir"
done
for dir in /etc /var; do
	mkdir -p "/run/overlay$dir/up" "/run/overlay$dir/work"
	mount -t overlay -o "lowerdir=$dir,upperdir=/run/overlay$dir/up" \
		-o "workdir=/run/overlay$dir/work" overlay "$dir"
done
i=0
for dir in "${KEEP[@]}"; do
	mkdir -p "$dir" 2>/dev/null
	mount --bind "/run/keep/$i" "$dir"
	i=$((i + 1))
done
mkdir -p /run/netns /run/lock /run/nginx /tmp/home

modules=$(readlink -f /lib/modules)
mount -t overlay -o "lowerdir=$MODULES:$modules" overlay "$modules"

ln -sf /proc/self/fd /dev/fd
hostname flowring
ip link set lo up

# A pipe in between: the device can be opened once only, while a script may
# well open /dev/stdout again.
exec 3> >(
	exec >"$OUT"
	[ "$VM" != uml ] || stty raw <&1
	exec cat
)
drain=$!
cd "$DIRECTORY" || exit 1
env -i PATH="$TOOLS:$PATH" HOME=/tmp/home TERM=dumb LANG=C.UTF-8 \
	"${ENVIRONMENT[@]}" setsid "${COMMAND[@]}" \
	</dev/null >&3 2>&1 3>&-
status=$?
cd /

# What the command left behind must not keep the module in use, and the
# module must come out: a leaked reference shows here.
exec 3>&-
for ((i = 0; i < 20; i++)); do
	kill -0 "$drain" 2>/dev/null || break
	sleep 0.1
done
kill -9 -1
ip -all netns del 2>/dev/null
for ((i = 0; i < 20; i++)); do
	[ -d /sys/module/flowring ] || break
	timeout -s KILL 30 rmmod flowring || sleep 1
done
if [ -d /sys/module/flowring ]; then
	echo "fail flowring could not be unloaded" >"$STATUS"
fi
if [ -w /sys/kernel/debug/kmemleak ]; then
	# Objects younger than five seconds are not reported.
	sleep 6
	echo scan >/sys/kernel/debug/kmemleak
	sleep 6
	echo scan >/sys/kernel/debug/kmemleak
	cat /sys/kernel/debug/kmemleak >/dev/kmsg
fi
echo "exit $status" >"$STATUS"
sync
busybox poweroff -f
