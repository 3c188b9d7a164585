# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154
# run.sh's part for user-mode Linux; sourced by it, its variables used.

boot_uml()
{
	name=uml
	write_job /dev/tty1 /dev/tty2
	say "vm: $name, Linux $release: ${command[*]}"
	# The C library's restartable sequences do not survive UML's stub.
	# The kernel's log is the standard output, the command's is tty1.
	GLIBC_TUNABLES=glibc.pthread.rseq=0 \
	timeout -k 5 "$limit" "$tree/linux" "mem=$memory" \
		rootfstype=hostfs rootflags=/ ro init="$here/init.sh" \
		con0=null,fd:1 con1=null,fd:3 con2=null,fd:4 con=null ssl=null \
		loglevel=7 panic_on_warn=1 oops=panic log_buf_len=1M \
		"FLOWRING_JOB=$work/job" \
		3> >(exec cat) 4>"$work/status" \
		>"$kernel_log" 2>&1 </dev/null
}
