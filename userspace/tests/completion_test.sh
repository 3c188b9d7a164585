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
	"service show")
		echo 'service tcp 192.0.2.1   port 80        ring web'
		echo 'service tcp 192.0.2.1   port 443       ring web'
		echo 'service tcp 192.0.2.0/24 port 1000-1999 action drop'
		echo 'service udp 192.0.2.2   port 53        ring dns'
		echo 'service any 192.0.2.3                  ring dns'
		echo 'service     mark 0x10 ipv4             ring dns'
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
check objects completes "" ring backend service window pins lookup monitor plan \
	apply save restore help
check object completes "ba" backend
check options completes "--n" --netns
check behind_options completes "-j --stats ri" ring
check behind_netns completes "-n other ri" ring
check commands completes "ring " add set del show commit draw freeze unfreeze \
	help
check ring_names completes "ring show w" web wiki
check ring_names_netns completes "-n other ring show " elsewhere
check no_names_for_add completes "ring add w" ""
check ring_options completes "ring add x " bits vnodes key imbalance owner \
	no-backend masquerade window pin-idle udp
check ring_options_left completes "ring add x bits 8 key file /k " vnodes \
	imbalance owner no-backend masquerade window pin-idle udp
check ring_imbalance completes "ring set web imbalance " off
check ring_window completes "ring set web window " off
check ring_udp completes "ring add x udp " stick move
check ring_freeze completes "ring freeze d" dns
check window_commands completes "window " show close help
check window_rings completes "window close w" web wiki
check pins_commands completes "pins " show set help
check pins_set completes "pins set " size
check commit_ring completes "ring commit w" web wiki
check commit_words completes "ring commit web create expect 7 " epoch max-move \
	max-share dry-run backend ring
check commit_value completes "ring commit web expect " ""
check commit_verbs completes "ring commit web dry-run backend " add set del
check commit_names completes "ring commit web backend del " b1 b2
check commit_no_names completes "ring commit web backend add b" ""
check commit_options completes "ring commit web backend set b1 port 1 " addr \
	weight checksum mark state zone tokens
check commit_ring_set completes "ring commit web ring " set
check commit_ring_options completes "ring commit web ring set bits 9 v" vnodes
check plan_rings completes "plan w" web wiki
check plan_options completes "plan -" --offline
check plan_words completes "plan web max-" max-move max-share
check plan_change completes "plan web backend del " b1 b2
check apply_options completes "apply --m" --max-move --max-share
check save_words completes "save " commands help
check draw_rings completes "ring draw d" dns
check ring_no_backend completes "ring set web no-backend " reject drop pass
check backend_rings completes "backend add " web wiki dns
check backend_names completes "backend set web " b1 b2
check backend_add_options completes "backend add web b9 m" mode mark
check backend_set_options completes "backend set web b1 m" mark
check backend_mode completes "backend add web b9 mode " nat dr ipip gue mark
check backend_mark_left completes "backend add web b9 mode mark m" mark
check backend_mark_used completes "backend add web b9 mode mark mark 1 m" ""
check backend_behind_mode completes "backend add web b9 addr 1 port 1 mode mark " \
	checksum mark state tokens weight zone
check backend_checksum completes "backend set web b1 checksum " on off
check backend_mark completes "backend set web b1 mark " ""
check backend_zone completes "backend set web b1 zone " none
check backend_tokens completes "backend set web b1 tokens " derived
check backend_state completes "backend set web b1 state d" drain down
check backend_commands completes "backend d" del drain
check backend_force completes "backend del web b1 " force
check backend_drain completes "backend drain web b1 " wait timeout
check backend_wait completes "backend drain web b1 wait " timeout
check backend_dashes completes "backend drain web b1 --w" --wait
check backend_timeout completes "backend drain web b1 wait timeout " ""
check service_proto completes "service add " tcp udp any mark
check service_addr completes "service del tcp 1" 192.0.2.1 192.0.2.0/24
check service_any completes "service del any " 192.0.2.3
check service_mark completes "service del mark " 0x10
check service_version completes "service add mark 7 " ipv4 ipv6
check service_new_port completes "service add tcp 192.0.2.9 port " all
check service_any_goal completes "service add any 192.0.2.9 " ring action
check service_mark_goal completes "service set mark 7 ipv4 " ring action
check service_action completes "service add any 192.0.2.9 action " \
	drop pass reject
check service_range completes "service del tcp 192.0.2.0/24 port " 1000-1999
check service_port_word completes "service add tcp 192.0.2.9 " port
check service_port completes "service del tcp 192.0.2.1 port " 80 443
check service_ring_word completes "service add tcp 192.0.2.9 port 80 " ring action
check service_ring completes "service add tcp 192.0.2.9 port 80 ring d" dns
check service_owner completes "service add tcp 192.0.2.9 port 80 ring dns " \
	owner
check service_set_owner completes "service set tcp 192.0.2.9 port 80 ring dns " \
	owner
check lookup completes "lookup t" tcp
check lookup_owners completes "lookup tcp 192.0.2.9 1 192.0.2.1 80 " mark owners
finish
