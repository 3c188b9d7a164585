#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The completion for bash, with a flowring that has three rings.

# The functions are called through check:
# shellcheck disable=SC2317
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source-path=SCRIPTDIR source=ktap_lib.inc
. "$here/ktap_lib.inc"
file=$here/../completion/flowring

# Stands in for the tool; with -n other there is another ring
flowring()
{
	case "$*" in
	"-j ring show")
		echo '[{"name":"web","bits":16},{"name":"wiki","bits":8},{"name":"dns","bits":8}]'
		;;
	"-n other -j ring show")
		echo '[{"name":"elsewhere","bits":16}]'
		;;
	"-j backend show web")
		echo '[{"ring":"web","name":"b1","addr":"10.0.0.1"},{"ring":"web","name":"b2","addr":"10.0.0.2"}]'
		;;
	"-j service show")
		echo '[{"proto":"tcp","addr":"192.0.2.1","port":80,"ring":"web"},{"proto":"tcp","addr":"192.0.2.1","port":443,"ring":"web"},{"proto":"udp","addr":"192.0.2.2","port":53,"ring":"dns"}]'
		;;
	esac
}

# completes "WORD..." CANDIDATE...: the last of the words is to be completed
completes()
{
	local line=$1 want got

	shift
	read -ra COMP_WORDS <<< "flowring $line"
	[[ $line == *" " || -z $line ]] && COMP_WORDS+=("")
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	COMP_LINE="flowring $line"
	COMP_POINT=${#COMP_LINE}
	COMPREPLY=()
	_flowring
	want=$(printf '%s\n' "$@" | sort)
	got=$(printf '%s\n' "${COMPREPLY[@]}" | sort)
	echo "flowring $line -> $got"
	[ "$want" = "$got" ]
}

check syntax bash -n "$file"
# shellcheck source-path=SCRIPTDIR source=../completion/flowring
. "$file"
check objects completes "" ring backend service lookup monitor save restore \
	help
check object completes "ba" backend
check options completes "--n" --netns
check behind_options completes "-j --stats ri" ring
check behind_netns completes "-n other ri" ring
check commands completes "ring " add set del show help
check ring_names completes "ring show w" web wiki
check ring_names_netns completes "-n other ring show " elsewhere
check no_names_for_add completes "ring add w" ""
check ring_options completes "ring add x " bits vnodes key no-backend \
	masquerade
check ring_options_left completes "ring add x bits 8 key file /k " vnodes \
	no-backend masquerade
check ring_no_backend completes "ring set web no-backend " reject drop pass
check backend_rings completes "backend add " web wiki dns
check backend_names completes "backend set web " b1 b2
check backend_add_options completes "backend add web b9 m" mode
check backend_set_options completes "backend set web b1 m" ""
check backend_state completes "backend set web b1 state d" drain down
check service_proto completes "service add " tcp udp
check service_addr completes "service del tcp 1" 192.0.2.1
check service_port_word completes "service add tcp 192.0.2.9 " port
check service_port completes "service del tcp 192.0.2.1 port " 80 443
check service_ring_word completes "service add tcp 192.0.2.9 port 80 " ring
check service_ring completes "service add tcp 192.0.2.9 port 80 ring d" dns
check lookup completes "lookup t" tcp
finish
