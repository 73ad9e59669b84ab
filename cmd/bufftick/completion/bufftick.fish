# fish completion for bufftick: what can stand here is asked of the program. Where it has
# no answer, fish offers files.
function __bufftick_complete
    set -l before (commandline -opc)
    set -l current (commandline -ct)
    set -l list ($before[1] complete -- $before[2..-1] "$current" 2>/dev/null)
    if test (count $list) -gt 0
        printf '%s\n' $list
    else
        __fish_complete_path "$current"
    end
end
complete -c bufftick -f -a '(__bufftick_complete)'
