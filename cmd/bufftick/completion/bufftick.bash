# bash completion for bufftick: what can stand here is asked of the program. Where it
# has no answer, bash offers files.
_bufftick() {
	local word
	COMPREPLY=()
	while IFS=$'\t' read -r word _; do
		COMPREPLY+=("$word")
	done < <("${COMP_WORDS[0]}" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
	# A word that ends in @ or = wants something behind it.
	[[ ${#COMPREPLY[@]} -ne 1 || ${COMPREPLY[0]} != *[@=] ]] || compopt -o nospace 2>/dev/null
}
complete -o default -F _bufftick bufftick
