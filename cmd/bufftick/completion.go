package main

import (
	"embed"
	"fmt"
)

// The scripts ask "bufftick complete" at each press of the key. So they know of every
// command and flag of the program that is installed, and there is nothing to generate.
//
//go:embed completion
var completionScripts embed.FS

// completionCmd is "bufftick completion".
type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Help is the part of --help behind the flags.
func (*completionCmd) Help() string {
	return `With the script, the tab key completes commands, flags, their values, files, and the
IDs of the definitions that a command is given. Where none are given yet, preview takes
those of the folder "buffs".

Examples:

    source <(bufftick completion bash)
    bufftick completion bash > ~/.local/share/bash-completion/completions/bufftick
    bufftick completion zsh > "${fpath[1]}/_bufftick"
    bufftick completion fish > ~/.config/fish/completions/bufftick.fish`
}

// Run prints the script.
func (c *completionCmd) Run(stdout output) error {
	script, err := completionScripts.ReadFile("completion/bufftick." + c.Shell)
	if err != nil {
		return fmt.Errorf("bufftick: %w", err)
	}
	_, err = stdout.Write(script)
	return err
}
