#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Runs a command or a test script in a virtual machine whose root is this
# host's file system, read-only, with the flowring module ready for modprobe.
#
#   run.sh [--vm qemu|uml] [--accel kvm|tcg] [--timeout S] [--] COMMAND [ARG...]
#
# The exit status is the command's, unless the guest did not live to tell it
# or its kernel complained: those are failures (status 99), as is running out
# of time (124).  The last kernel log of each kind of machine is kept in
# build/vm-log, and that of every such failure.  Variables called FLOWRING_*
# reach the guest.

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=scripts/common.sh
. "$here/../../scripts/common.sh"

vm=${VM:-qemu} accel=${ACCEL:-} limit=${VM_TIMEOUT:-3000} memory=2G

usage()
{
	die "usage: run.sh [--vm qemu|uml] [--accel kvm|tcg] [--timeout S]" \
		"[--] COMMAND [ARG...]"
}

while [ $# -gt 0 ]; do
	case $1 in
	--vm)		vm=${2:?} ; shift 2 ;;
	--accel)	accel=${2:?} ; shift 2 ;;
	--timeout)	limit=${2:?} ; shift 2 ;;
	--)		shift ; break ;;
	-*)		usage ;;
	*)		break ;;
	esac
done
[ $# -gt 0 ] || usage

kernels=$TOP/scripts/kernels.sh
case $vm in
qemu)
	need qemu-system-x86_64 cpio busybox depmod
	release=$("$kernels" stock)
	flavour=stock-$release ;;
uml)
	need depmod
	tree=$("$kernels" uml)
	release=$(cat "$tree/include/config/kernel.release")
	flavour=uml ;;
*)	usage ;;
esac
ksrc=$("$kernels" source)

mkdir -p "$BUILD/vm-log"
work=$(mktemp -d "$BUILD/vm-log/$vm.XXXXXX")
vm_pid=
trap 'rm -rf "$work"; [ -z "$vm_pid" ] || kill "$vm_pid" 2>/dev/null' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
kernel_log=$work/kernel.log
: >"$kernel_log"
: >"$work/status"

# /lib/modules as the guest will see it: the host's, with ours laid over it.
# The index depends only on what a module says of itself, so it is made again
# only when that changes.  What the guest reads is its own copy.
stage_modules()
{
	local stage=$work/modules/$release index=$BUILD/vm/$flavour
	local base=$index/lib/modules/$release source=/lib/modules/$release
	local modules file key

	[ "$vm" = qemu ] || source=$tree
	mkdir -p "$stage/updates" "$base"
	exec 8>"$index/lock"
	flock 8
	modules=$(find "$BUILD/$flavour" -name '*.ko' 2>/dev/null | sort)
	rm -rf "$base/updates"
	mkdir "$base/updates"
	for file in $modules; do
		cp "$file" "$base/updates/"
	done
	key=$(for file in $modules; do
		modinfo -F name "$file"
		modinfo -F alias "$file"
		modinfo -F depends "$file"
	done | sha256sum)
	if [ "$key" != "$(cat "$index/key" 2>/dev/null)" ]; then
		rm -f "$base"/modules.* "$base/kernel" "$index/key"
		if [ "$vm" = qemu ]; then
			ln -s "$source/kernel" "$base/kernel"
		fi
		cp "$source"/modules.{builtin,order,builtin.modinfo} "$base/"
		depmod -b "$index" "$release"
		echo "$key" >"$index/key"
	fi
	cp "$base"/modules.* "$stage/"
	cp -r "$base/updates" "$stage/"
	flock -u 8
	echo "$work/modules"
}

# write_job OUT STATUS: what init.sh has to know.
write_job()
{
	local stage variable environment=()

	stage=$(stage_modules)
	for variable in "${!FLOWRING_@}"; do
		environment+=("$variable=${!variable}")
	done
	environment+=("FLOWRING_TOP=$TOP" "FLOWRING_KSRC=$ksrc"
		"FLOWRING_VM=$name")
	{
		printf '%s=%q\n' VM "$vm" OUT "$1" STATUS "$2" \
			MODULES "$stage" DIRECTORY "$PWD" \
			TOOLS "$BUILD/userspace:$BUILD/selftests"
		printf 'KEEP=(%s)\n' "$(printf '%q ' "$TOP" "$CACHE" "$PWD")"
		printf 'ENVIRONMENT=(%s)\n' \
			"$(printf '%q ' "${environment[@]}")"
		printf 'COMMAND=(%s)\n' "$(printf '%q ' "${command[@]}")"
	} >"$work/job"
}

# guest SECONDS COMMAND...: the machine itself.  It is waited for, not run in
# the foreground, so that it ends when this script is told to.
guest()
{
	local rc=0

	timeout -k 5 "$@" </dev/null &
	vm_pid=$!
	wait "$vm_pid" || rc=$?
	vm_pid=
	return "$rc"
}

# A kernel that complains has failed, whatever the command says.
complaints()
{
	grep -aE -m 20 \
		-e 'Kernel panic|Oops|BUG:|BUG at |WARNING:|Call Trace:' \
		-e 'possible (circular|recursive) locking|inconsistent lock state' \
		-e 'suspicious RCU usage|INFO: (task|rcu)|soft lockup' \
		-e 'unreferenced object|KASAN:|KCSAN:|UBSAN:' \
		-e 'general protection fault|unable to handle' \
		-e 'unregister_netdevice: waiting|refcount_t:|ref_tracker:' \
		"$kernel_log"
}

verdict()
{
	local rc=$1 status failure=0 line

	cp "$kernel_log" "$BUILD/vm-log/$vm.log"
	log=$work.log
	cp "$kernel_log" "$log"
	status=$(tr -d '\r' <"$work/status" |
		sed -n 's/^exit \([0-9][0-9]*\)$/\1/p' | tail -n 1)
	if [ "$rc" -eq 124 ] || [ "$rc" -eq 137 ]; then
		say "vm: no end after $limit s, killed; kernel log: $log"
		exit 124
	fi
	if line=$(complaints); then
		say "vm: the kernel complained, see $log:"
		say "$line"
		failure=99
	fi
	if line=$(sed -n 's/^fail //p' "$work/status") && [ -n "$line" ]; then
		say "vm: $line, see $log"
		failure=99
	fi
	if [ -z "$status" ]; then
		say "vm: the guest ended without a status; end of $log:"
		tail -n 15 "$kernel_log" | tr -d '\r' >&2
		failure=99
	fi
	[ "$failure" -eq 0 ] || exit "$failure"
	rm -f "$log"
	exit "$status"
}

command=("$@")
# shellcheck source=selftests/vm/qemu.sh
. "$here/qemu.sh"
# shellcheck source=selftests/vm/uml.sh
. "$here/uml.sh"
rc=0
case $vm in
qemu)	boot_qemu || rc=$? ;;
uml)	boot_uml || rc=$? ;;
esac
verdict "$rc"
