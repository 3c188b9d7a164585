# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154
# run.sh's part for user-mode Linux; sourced by it, its variables used.

boot_uml()
{
	local rc=0 pipe

	name=uml
	write_job /dev/tty1 /dev/tty2
	# UML waits for its files with epoll, which wants pipes.
	for pipe in log out status; do
		mkfifo "$work/$pipe.pipe"
	done
	cat "$work/log.pipe" >"$kernel_log" &
	cat "$work/out.pipe" &
	cat "$work/status.pipe" >"$work/status" &
	say "vm: $name, Linux $release: ${command[*]}"
	# The C library's restartable sequences do not survive UML's stub.
	GLIBC_TUNABLES=glibc.pthread.rseq=0 \
	guest "$limit" "$tree/linux" "mem=$memory" \
		rootfstype=hostfs rootflags=/ ro init="$here/init.sh" \
		con0=null,fd:1 con1=null,fd:3 con2=null,fd:4 con=null ssl=null \
		loglevel=7 panic_on_warn=1 oops=panic log_buf_len=1M \
		"FLOWRING_JOB=$work/job" \
		>"$work/log.pipe" 2>&1 \
		3>"$work/out.pipe" 4>"$work/status.pipe" || rc=$?
	wait
	return "$rc"
}
