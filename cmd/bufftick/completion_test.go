package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// shells are what is asked of each shell for the words of a command line, the last of
// which is completed, after its script was read. It prints a candidate on each line.
var shells = map[string]struct {
	script string
	cut    bool // it cuts words at "="
}{
	"bash": {`eval "$(bufftick completion bash)"
		COMP_WORDS=(bufftick "$@"); COMP_CWORD=$#; _bufftick; printf '%s\n' "${COMPREPLY[@]}"`, true},
	"zsh": {`compdef() { :; }; _files() { :; }; _describe() { print -rl -- ${${(P)2}%%:*}; }
		source <(bufftick completion zsh)
		words=(bufftick "$@"); CURRENT=$#words; _bufftick`, false},
	"fish": {`bufftick completion fish | source
		complete -C "bufftick $argv" | string replace -r '\t.*' ''`, false},
}

// The scripts work in the shells that this machine has.
func TestCompletionInShells(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the tool is put into the path by a script for sh, and bash is older elsewhere")
	}
	if testing.Short() {
		t.Skip("starts the tool some hundred times, each of them slow under the race detector")
	}
	bin := t.TempDir()
	self, err := os.Executable()
	require.NoError(t, err)
	tool := fmt.Sprintf("#!/bin/sh\nBUFFTICK_IS_TOOL=1 exec '%s' \"$@\"\n", self)
	require.NoError(t, os.WriteFile(filepath.Join(bin, "bufftick"), []byte(tool), 0o755))
	t.Chdir(t.TempDir())
	require.NoError(t, os.MkdirAll("buffs", 0o755))
	require.NoError(t, os.WriteFile("buffs/a.yaml", []byte("buffs: {venom: {name: 'Viper: the Venom'}, veil: {}, stun: {}}\n"), 0o600))
	found := 0
	for name, shell := range shells {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Logf("no %s here", name)
			continue
		}
		found++
		t.Run(name, func(t *testing.T) {
			for _, c := range []struct {
				words []string
				want  string
			}{
				{[]string{"va"}, "validate"},
				{[]string{"help", "sch"}, "schema"},
				{[]string{"run", "-ch"}, "-check"},
				{[]string{"run", "--ch"}, "--check"},
				{[]string{"preview", "-f", "buffs", "ve"}, "venom veil"},
				{[]string{"preview", "ve"}, "venom veil"},
				{[]string{"convert", "-to", "c"}, "csv"},
				{[]string{"validate", "-except", "lost-"}, "lost-tail lost-beat"},
				{[]string{"preview", "venom", "-also", "st"}, "stun@"},
				{[]string{"nonsense", "x"}, ""},
			} {
				require.Equal(t, c.want, inShell(t, bin, path, shell.script, c.words), "%q", c.words)
			}
			if shell.cut {
				require.Equal(t, "csv", inShell(t, bin, path, shell.script, []string{"convert", "--to", "=", "c"}))
				require.Equal(t, "yaml json csv", inShell(t, bin, path, shell.script, []string{"convert", "--to", "="}))
			}
		})
	}
	if found == 0 {
		t.Skip("neither bash nor zsh nor fish is here")
	}
}

func inShell(t *testing.T, bin, shell, script string, words []string) string {
	t.Helper()
	args := append([]string{"-c", script, "shell"}, words...)
	if filepath.Base(shell) == "fish" {
		args = append([]string{"-c", script}, words...)
	}
	cmd := exec.CommandContext(t.Context(), shell, args...)
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return strings.Join(strings.Fields(string(out)), " ")
}

// Every command and every flag is found, and what none of the shells can know prints
// nothing.
func TestCompleteAll(t *testing.T) {
	t.Chdir(t.TempDir())
	help, _, _ := tool("--help")
	commands, _, _ := tool("complete", "--", "")
	for line := range strings.Lines(commands) {
		name, _, _ := strings.Cut(line, "\t")
		if name == "help" {
			continue
		}
		require.Contains(t, help, "\n  "+name)
		flags, _, code := tool("complete", "--", name, "--")
		require.Zero(t, code)
		own, _, _ := tool(name, "--help")
		for flag := range strings.Lines(flags) {
			word, about, _ := strings.Cut(strings.TrimSpace(flag), "\t")
			require.Contains(t, own, word)
			require.NotEmpty(t, about)
		}
		require.Contains(t, flags, "--help\t")
	}
	require.Equal(t, 11, strings.Count(commands, "\n"), commands)
}

// Every command has examples in its help, of which each names the command and flags that
// it has.
func TestHelpHasExamples(t *testing.T) {
	commands, _, _ := tool("complete", "--", "")
	for line := range strings.Lines(commands) {
		name, _, _ := strings.Cut(line, "\t")
		if name == "help" {
			continue
		}
		help, _, code := tool("help", name)
		require.Zero(t, code)
		require.Regexp(t, `\nExamples?:\n`, help, name)
		found := 0
		for line := range strings.Lines(help) {
			example, ok := strings.CutPrefix(line, "    bufftick ")
			if !ok {
				continue
			}
			found++
			words := strings.Fields(example)
			require.Equal(t, name, words[0])
			for _, w := range words[1:] {
				flag, _, _ := strings.Cut(strings.TrimLeft(w, "-"), "=")
				if w != "-" && w[0] == '-' && !strings.ContainsAny(w[1:2], "0123456789") {
					require.Regexp(t, `(?m)^ +(-h, )?--`+flag+`\b`, help, line)
				}
			}
		}
		require.Positive(t, found, name)
	}
}
