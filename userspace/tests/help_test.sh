#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The help texts and the manual pages speak of the same words, and both of the
# words that the tool takes. Environment: FLOWRING, the tool.

# The functions are called through check:
# shellcheck disable=SC2317
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source-path=SCRIPTDIR source=ktap_lib.inc
. "$here/ktap_lib.inc"
man=$here/../man

# The text of a manual page, without the requests and escapes of roff
page()
{
	sed -e 's/^\.\\".*//' -e 's/\\f.//g' -e 's/\\-/-/g' \
		-e 's/^\.[A-Z]* *//' -e 's/\\c//' -e 's/"//g' "$man/$1.8"
}

# has FILE WORD...: each word stands in the file, as a word
has()
{
	local file=$1 word status=0

	shift
	for word in "$@"; do
		grep -qE -- "(^|[^a-z0-9-])$word([^a-z0-9-]|$)" "$file" ||
			{ echo "'$word' is not there"; status=1; }
	done
	return "$status"
}

both()
{
	local topic=$1 status=0

	shift
	# shellcheck disable=SC2086
	"$FLOWRING" ${topic#-} help > "$tmp/help" || return 1
	page "flowring${topic:+-${topic}}" > "$tmp/page"
	has "$tmp/help" "$@" || { echo "in the help"; status=1; }
	has "$tmp/page" "$@" || { echo "in the page"; status=1; }
	return "$status"
}

# Long options that the page of the tool explains are all in its help, and the
# other way round
same_options()
{
	"$FLOWRING" help | grep -oE -- '--[a-z]+' | sort -u > "$tmp/help"
	page flowring | grep -oE -- '--[a-z]+' | sort -u > "$tmp/page"
	[ -s "$tmp/help" ] && diff "$tmp/help" "$tmp/page"
}

# Bold words that begin a paragraph under OPTIONS are all in the help
page_options()
{
	"$FLOWRING" "$1" help > "$tmp/help"
	awk '/^\.SH/ { on = $2 == "OPTIONS" }
	     on && tp { print } { tp = /^\.TP/ }' "$man/flowring-$1.8" |
		sed -e 's/^\.[A-Z]* *//' -e 's/\\-/-/g' -e 's/"//g' |
		awk '{ print $1 }' | tr -d , > "$tmp/words"
	[ -s "$tmp/words" ] && xargs < "$tmp/words"
	# shellcheck disable=SC2046
	has "$tmp/help" $(cat "$tmp/words")
}

# Words that a refusal of the tool names are in the page
values()
{
	local page=$1 words

	shift
	words=$("$FLOWRING" "$@" 2>&1 | sed -n 's/.*: must be //p' |
		sed 's/,\? or /, /; s/,//g')
	echo "$* -> $words"
	[ -n "$words" ] || return 1
	page "$page" > "$tmp/page"
	# shellcheck disable=SC2086
	has "$tmp/page" $words
}

# The page of save is also that of restore
restore_help()
{
	"$FLOWRING" restore help > "$tmp/help" &&
		has "$tmp/help" restore FILE --force
}

lint()
{
	local page

	for page in "$man"/*.8; do
		# One that only points to another is found once it is installed
		grep -q '^\.so' "$page" && continue
		mandoc -Tlint -Wwarning "$page" || return 1
	done
}

check main both "" ring backend service window pins lookup monitor plan apply \
	save restore help \
	--json --pretty --stats --netns --batch --force --version --help
check ring both ring add set del show bits vnodes key file no-backend \
	reject drop pass masquerade on off imbalance owner none commit create \
	expect epoch max-move max-share dry-run draw --offline freeze unfreeze \
	window pin-idle udp stick move
check backend both backend add set del show addr port weight mode nat dr \
	ipip gue mark checksum on off \
	state up drain down zone tokens derived force wait --wait timeout
check service both service add set del show tcp udp port ring owner
check window both window show close RING open closing steady closes-in
check pins both pins show set size
check lookup both lookup SADDR SPORT DADDR DPORT owners
check monitor both monitor SIGINT SIGTERM event
check save both save commands restore FILE
check plan both plan RING OLD NEW create --offline
check apply both apply FILE -n --dry-run --owner --all --max-move --max-share
check restore restore_help
check same_options same_options
for topic in ring backend service pins; do
	check "page_options_$topic" page_options $topic
done
check values_no_backend values flowring-ring ring add x no-backend x
check values_masquerade values flowring-ring ring add x masquerade x
check values_udp values flowring-ring ring add x udp x
check values_mode values flowring-backend backend add x y mode x
check values_checksum values flowring-backend backend add x y checksum x
check values_state values flowring-backend backend add x y state x
check values_proto values flowring-service service add x
if command -v mandoc > /dev/null; then
	check lint lint
else
	skip lint "no mandoc"
fi
finish
