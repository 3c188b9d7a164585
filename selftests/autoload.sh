#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 120
#
# The tool loads the module, or says that it cannot; the module has hooks only
# where they are needed and leaves nothing behind.

# Tests are called by their names:
# shellcheck disable=SC2317
# shellcheck source=selftests/ctl.sh
. "$(dirname "$0")/ctl.sh"
need_tools modprobe nft

block=/etc/modprobe.d/flowring-selftest.conf
absent="the flowring kernel module is not loaded and could not be loaded: try modprobe flowring"

loaded()
{
	[ -d /sys/module/flowring ]
}

unload()
{
	loaded || return 0
	rmmod flowring || fail "cannot unload the module"
}

a_missing_module_is_named()
{
	local command

	[ -w /etc/modprobe.d ] || {
		skip "/etc is not writable"
		return
	}
	unload
	echo "install flowring /bin/false" >"$block"
	for command in "ring show" "ring add web" "save" "monitor"; do
		# shellcheck disable=SC2086
		run "$ns" 2 "flowring: $absent" $command
		# the monitor would stay
		[ "$failed" -eq 0 ] || break
	done
	loaded && fail "the module was loaded"
	rm -f "$block"
}

reading_loads_the_module()
{
	unload
	loaded && return
	run "$ns" 0 "" ring show
	loaded || fail "not loaded by ring show"
}

anyone_loads_the_module()
{
	unload
	same "rings" "[]" "$(ip netns exec "$ns" setpriv --reuid 65534 \
		--regid 65534 --clear-groups flowring -j ring show 2>&1)"
	loaded || fail "not loaded"
}

# hook_list: the functions that the namespace has hooked.
hook_list()
{
	ip netns exec "$ns" nft list hooks |
		grep -oE '(flr_[a-z0-9_]*|ipv[46]_conntrack_in)' | sort -u |
		tr '\n' ' '
}

# see PATTERN WHEN: the hooks there are.
see()
{
	local list

	list=$(hook_list)
	[[ $list =~ ^$1$ ]] || fail "$2: hooks '$list', expected '$1'"
}

hooks_only_while_they_serve()
{
	local service="tcp 198.51.100.10 port 80" steer='flr_steer[a-z0-9_]* '
	local nat='(flr_[a-z0-9_]* )*flr_nat[a-z0-9_]* (flr_[a-z0-9_]* )*'
	local conntrack='ipv4_conntrack_in ipv6_conntrack_in ' list

	fr "$ns" ring add web bits 8
	# shellcheck disable=SC2086
	{
		fr "$ns" service add $service ring web
		list=$(hook_list)
		fr "$ns" service del $service
	}
	if [ -z "$list" ]; then
		modprobe -q nfnetlink_hook || {
			skip "no nfnetlink_hook in this kernel"
			return
		}
		fail "a service without hooks"
	fi
	see "" "nothing"
	fr "$ns" backend add web b1 addr 10.1.0.1 mode dr
	see "" "a backend"
	# shellcheck disable=SC2086
	{
		fr "$ns" service add $service ring web
		see "($steer)+" "a dr service"
		fr "$ns" service add udp 198.51.100.10 port 53 ring web
		fr "$ns" service del $service
		see "($steer)+" "another one"
		fr "$ns" service del udp 198.51.100.10 port 53
		see "" "no service"
		fr "$ns" backend del web b1
		fr "$ns" backend add web b1 addr 10.1.0.1
		see "" "a nat backend"
		fr "$ns" service add $service ring web
		see "$nat$conntrack" "a nat service"
		fr "$ns" backend del web b1 force
		see "($steer)+" "no backend"
		fr "$ns" backend add web b1 addr 10.1.0.1
		see "$nat$conntrack" "a backend again"
		fr "$ns" service del $service
		see "" "no service"
	}
}

hooks_go_with_the_module()
{
	fr "$ns" service add tcp 198.51.100.10 port 80 ring web
	unload
	see "" "no module"
	same "rings" "[]" "$(fr "$ns" -j ring show)"
	see "" "loaded again"
}

setup_ns ns
ip -n "$ns" link add eth0 type veth peer name eth1
ip -n "$ns" link set eth0 up
ip -n "$ns" addr add 10.1.0.254/24 dev eth0
run_tests a_missing_module_is_named reading_loads_the_module \
	anyone_loads_the_module hooks_only_while_they_serve hooks_go_with_the_module
rm -f "$block"
