#compdef bufftick
# zsh completion for bufftick: what can stand here is asked of the program. Where it has
# no answer, zsh offers files.
_bufftick() {
	local line word
	local -a shown
	while IFS= read -r line; do
		word=${line%%$'\t'*}
		shown+=("${word//:/\\:}:${line#*$'\t'}")
	done < <("${words[1]}" complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)
	if (( ${#shown} == 0 )); then
		_files
		return
	fi
	_describe bufftick shown
}
if [[ ${funcstack[1]} == _bufftick ]]; then
	_bufftick "$@"
else
	compdef _bufftick bufftick
fi
