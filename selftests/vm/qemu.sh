# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154
# run.sh's part for QEMU with a stock kernel; sourced by it, its variables used.

# The modules that stand between the kernel and the host's file system.
make_initramfs()
{
	local root=$work/initramfs file

	mkdir -p "$root"/{bin,dev,proc,modules,root}
	cp "$(command -v busybox)" "$root/bin/busybox"
	cp "$here/initramfs.sh" "$root/init"
	for module in 9pnet_virtio 9p overlay; do
		modprobe -S "$release" --show-depends "$module"
	done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' |
	while read -r file; do
		module=$(basename "${file%%.ko*}").ko
		case $file in
		*.xz)	xz -dc "$file" ;;
		*.zst)	zstd -dcq "$file" ;;
		*)	cat "$file" ;;
		esac >"$root/modules/$module"
		echo "$module"
	done >"$root/modules/order"
	(cd "$root" && find . | cpio -o -H newc --quiet) >"$work/initramfs.cpio"
}

# qemu ACCEL SECONDS KERNEL-ARGUMENTS
#
# Emulated code is translated anew for every address it runs at: without
# norandmaps, that is most of the cost of starting a program.
qemu()
{
	local reader rc=0

	# The command's output comes through a pipe of our own: on its standard
	# output QEMU would want a standard input that does not end.
	[ -p "$work/out.pipe" ] || mkfifo "$work/out.pipe"
	cat "$work/out.pipe" &
	reader=$!
	guest "$2" qemu-system-x86_64 \
		-nodefaults -no-user-config -nographic -no-reboot \
		-accel "$1" -cpu max -smp 2 -m "$memory" \
		-kernel "/boot/vmlinuz-$release" \
		-initrd "$work/initramfs.cpio" \
		-append "console=ttyS0 loglevel=7 panic=-1 oops=panic \
panic_on_warn=1 log_buf_len=1M random.trust_cpu=on mitigations=off norandmaps $3" \
		-chardev "file,id=log,path=$kernel_log" -serial chardev:log \
		-chardev "file,id=status,path=$work/status" \
		-add-fd fd=3,set=1 -chardev file,id=out,path=/dev/fdset/1,append=on \
		-device virtio-serial-pci \
		-device virtserialport,nr=1,chardev=status \
		-device virtserialport,nr=2,chardev=out \
		-fsdev local,id=fs0,path=/,security_model=none,readonly=on,multidevs=remap \
		-device virtio-9p-pci,fsdev=fs0,mount_tag=host \
		3>"$work/out.pipe" || rc=$?
	wait "$reader"
	return "$rc"
}

# A /dev/kvm that exists may still hang the guest: ask one, once per boot of
# the host and kernel.
choose_accel()
{
	local answer key

	key=$(cat /proc/sys/kernel/random/boot_id)-$release-$(id -u)
	answer=$CACHE/accel-$key
	mkdir -p "$CACHE"
	if [ ! -s "$answer" ]; then
		rm -f "$CACHE"/accel-*
		accel=tcg
		if [ -w /dev/kvm ]; then
			say "vm: trying a guest with kvm (10 s at most)"
			qemu kvm 10 FLOWRING_PROBE=1 >/dev/null 2>&1 || true
			if grep -q 'exit 0' "$work/status"; then
				accel=kvm
			fi
			: >"$work/status"
			: >"$kernel_log"
		fi
		echo "$accel" >"$answer"
	fi
	accel=$(cat "$answer")
}

boot_qemu()
{
	[ -r "/boot/vmlinuz-$release" ] ||
		die "/boot/vmlinuz-$release not found; run scripts/deps.sh vm"
	make_initramfs
	[ -n "$accel" ] || choose_accel
	name=qemu-$accel
	[ "$accel" = kvm ] || accel=tcg,thread=${VM_THREADS:-multi}
	write_job /dev/vport0p2 /dev/vport0p1
	say "vm: $name, Linux $release: ${command[*]}"
	qemu "$accel" "$limit" \
		"FLOWRING_INIT=$here/init.sh FLOWRING_JOB=$work/job"
}
