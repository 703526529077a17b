# SPDX-License-Identifier: BSD-3-Clause
# bash completion for sluicectl.
#
# One line for each command; a word in capitals stands for what the user chooses: FILE completes
# file names, any other nothing.
_sluicectl_commands='
abort
addr add ADDRESS dev PORT
addr del ADDRESS dev PORT
begin
clear fwd stats all
clear port stats all
commit
help
neigh add ADDRESS lladdr MAC dev PORT
neigh del ADDRESS dev PORT
port config mtu PORT NUMBER
quit
route add PREFIX blackhole
route add PREFIX dev PORT
route add PREFIX via ADDRESS dev PORT weight NUMBER
route add PREFIX via ADDRESS weight NUMBER
route del PREFIX
route load FILE
route reload FILE
route replace PREFIX blackhole
route replace PREFIX dev PORT
route replace PREFIX via ADDRESS dev PORT weight NUMBER
route replace PREFIX via ADDRESS weight NUMBER
route save FILE
set burst NUMBER
set promisc PORT off
set promisc PORT on
show addr
show drops
show fib
show fwd stats all
show lcores
show ledger
show neigh
show plan
show pools
show port info all
show port stats all
show port xstats all
show route ADDRESS
show route PREFIX longer
show version
start
stop
'

# _sluicectl_next WORD...: what may follow these words, one a line.
_sluicectl_next()
{
	local -a rule
	local i match

	while read -ra rule; do
		[ "${#rule[@]}" -gt "$#" ] || continue
		match=1
		for ((i = 0; i < $#; i++)); do
			case ${rule[i]} in
			[A-Z]*) ;;
			"${@:i+1:1}") ;;
			*) match=0 ;;
			esac
		done
		[ "$match" -eq 0 ] || echo "${rule[$#]}"
	done <<<"$_sluicectl_commands"
}

_sluicectl()
{
	local cur=${COMP_WORDS[COMP_CWORD]} first=1 next

	COMPREPLY=()
	if [ "${COMP_WORDS[1]}" = --socket ] && [ "$COMP_CWORD" -gt 1 ]; then
		if [ "$COMP_CWORD" -eq 2 ]; then
			mapfile -t COMPREPLY < <(compgen -f -- "$cur")
			return
		fi
		first=3
	fi
	next=$(_sluicectl_next "${COMP_WORDS[@]:first:COMP_CWORD-first}" | sort -u)
	if [ "$COMP_CWORD" -eq 1 ]; then
		next="$next --socket --help --version"
	fi
	if [ "$next" = FILE ]; then
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return
	fi
	# What the user chooses has no list to choose from.
	next=$(tr " " "\n" <<<"$next" | grep -v "^[A-Z]")
	mapfile -t COMPREPLY < <(compgen -W "$next" -- "$cur")
}

complete -F _sluicectl sluicectl
