package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// TestMain ignores the goroutines that the imported package ants starts.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.IgnoreCurrent()) }

// TestTranscripts runs the transcripts in testdata, which have these commands:
//
//	file NAME             write the text below to a file of that name
//	bufftick ARGUMENTS    run the tool and print its output, then its errors
//	                      after "stderr:", then its exit code if not 0
//
// A tab is written \t. The speed of the machine is replaced by "…".
func TestTranscripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		path, err := filepath.Abs(path)
		require.NoError(t, err)
		t.Chdir(t.TempDir())
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			var args []string
			for _, a := range d.CmdArgs {
				args = append(args, a.String()) // "-frame=7ms" was split, and is joined again
			}
			switch d.Cmd {
			case "file":
				require.NoError(t, os.MkdirAll(filepath.Dir(args[0]), 0o755))
				require.NoError(t, os.WriteFile(args[0], []byte(strings.ReplaceAll(d.Input, `\t`, "\t")+"\n"), 0o600))
				return ""
			case "bufftick":
				return transcript(args)
			}
			d.Fatalf(t, "unknown command %q", d.Cmd)
			return ""
		})
	})
}

// speed matches the parts of the output that depend on the speed of the machine.
var speed = regexp.MustCompile(`(commands, ).*( a second)`)

func transcript(args []string) string {
	stdout, stderr, code := tool(args...)
	out := speed.ReplaceAllString(stdout, "$1…$2")
	if stderr != "" {
		out += "stderr:\n" + stderr
	}
	if code != 0 {
		out += fmt.Sprintf("exit %d\n", code)
	}
	if out == "" {
		out = "nothing\n"
	}
	return out
}

// tool runs the tool in this process.
func tool(args ...string) (stdout, stderr string, code int) {
	var out, errs bytes.Buffer
	code = run(args, &out, &errs)
	return out.String(), errs.String(), code
}

func TestExecute_Flags(t *testing.T) {
	f := &flags{flag.NewFlagSet("", flag.ContinueOnError)}
	var list []string
	f.listVar(&list, "list", "")
	span := f.Duration("span", 0, "")
	on := f.Bool("on", false, "")
	rest, err := parse(f, []string{"a", "-list", "-2s@3s,x", "--span=7ms", "b", "-on", "--list", "y", "--", "-c"})
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b", "-c"}, rest)
	require.Equal(t, []string{"-2s@3s", "x", "y"}, list)
	require.Equal(t, 7*time.Millisecond, *span)
	require.True(t, *on)
}

// TestExecute_Help checks that the help of each command contains the flags of the command and an
// example.
func TestExecute_Help(t *testing.T) {
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"--help"}, []string{"run FILE...", "replay TRACE"}},
		{[]string{"run", "-help"}, []string{"-frame SPAN", "-check", "-workers N", "-sync", "    bufftick run -check", "    extend: BUFF, at_most, by\n", "    kill: true, source\n"}},
		{[]string{"help"}, []string{"run FILE...", "replay TRACE"}},
		{[]string{"help", "run"}, []string{"-check", "    bufftick run -check"}},
		{[]string{"validate", "-h"}, []string{"-json", "-strict", "-except RULE", "    bufftick validate -json"}},
		{[]string{"cut", "-h"}, []string{"-verify", "-json", "-zone NAME", "    bufftick cut -verify"}},
		{[]string{"gen", "-h"}, []string{"-package NAME", "    //go:generate"}},
		{[]string{"schema", "-h"}, []string{"yaml-language-server: $schema=", "    bufftick schema >"}},
		{[]string{"new", "-h"}, []string{"-o DIR", "    bufftick new pandemic-dot"}},
		{[]string{"convert", "-h"}, []string{"-o PATH", "-to FORMAT", "    bufftick convert buffs -to csv"}},
		{[]string{"studio", "-h"}, []string{"-addr HOST:PORT", "-attach URL", "    bufftick studio buffs/"}},
		{[]string{"preview", "-h"}, []string{"-f PATH", "-apply-at TIME", "    bufftick preview venom -f buffs/"}},
		{[]string{"replay", "-h"}, []string{"-spells FILE", "-frame SPAN", "-workers N", "    bufftick replay arena.csv"}},
	} {
		stdout, stderr, code := tool(c.args...)
		require.Zero(t, code, stderr)
		require.Empty(t, stderr)
		for _, w := range c.want {
			require.Contains(t, stdout, w, "%v", c.args)
		}
	}
}

// full is a writer that fails after a number of bytes.
type full int

func (f *full) Write(b []byte) (int, error) {
	n := min(len(b), int(*f))
	if *f -= full(n); n < len(b) {
		return n, errors.New("no space left")
	}
	return n, nil
}

// TestFullOutput checks that every command reports a write error, wherever in the output it occurs.
func TestFullOutput(t *testing.T) {
	t.Chdir(t.TempDir())
	const story = "- {want: [], script: [{at: 0, tick: true}]}\n"
	require.NoError(t, os.WriteFile("two.yaml", []byte(story+story), 0o600))
	require.NoError(t, os.WriteFile("spells.csv", []byte("spell,name,kind,duration_ms,refresh\n"), 0o600))
	require.NoError(t, os.WriteFile("trace.csv", []byte("ms,event,source,target,spell,name,kind,stacks\n"), 0o600))
	require.NoError(t, os.WriteFile("buffs.yaml", []byte("buffs: {a: {duration: 8s, period: 3s}}\n"), 0o600))
	for _, line := range []string{
		"run two.yaml", "run -check two.yaml", "replay trace.csv --spells spells.csv", "help",
		"schema", "gen buffs.yaml", "validate buffs.yaml", "validate -json buffs.yaml", "convert buffs.yaml",
	} {
		all, _, code := tool(strings.Fields(line)...)
		require.Zero(t, code, line)
		for _, n := range []int{0, 5, 3 * len(all) / 4} { // the length of a report varies
			var errs bytes.Buffer
			room := full(n)
			require.Equal(t, 1, run(strings.Fields(line), &room, &errs), line)
			require.Equal(t, "bufftick: no space left\n", errs.String(), line)
		}
	}
}
