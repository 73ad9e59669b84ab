package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/bufftick/bufftick/internal/misspelt"
)

// command is one command of the tool.
type command interface {
	// flags declares the flags of the command. The usage text of a flag has the name of the flag's
	// value in backquotes.
	flags(f *flags)
	// help returns the text that the help shows between the summary and the flags.
	help() string
	run(args []string, stdout, stderr io.Writer) error
}

// commands lists the commands in the order of the help. The field "arguments" has the form "",
// "NAME", "[NAME]" or "NAME...".
var commands = []struct {
	name, arguments, summary string
	new                      func() command
}{
	{"run", "FILE...", "Run scenario files and print their logs, or compare them with the expected logs.", func() command { return new(runCmd) }},
	{"preview", "ID", "Show the timeline of a buff, as text or as a picture.", func() command { return new(previewCmd) }},
	{"replay", "TRACE", "Replay a recorded trace of buffs and compare when they end.", func() command { return new(replayCmd) }},
	{"validate", "PATH...", "Check files of definitions: all errors at once, and warnings.", func() command { return new(validateCmd) }},
	{"gen", "PATH...", "Print a Go file with constants for the names in definitions.", func() command { return new(genCmd) }},
	{"schema", "", "Print the JSON Schema of files of definitions, for editors.", func() command { return new(schemaCmd) }},
	{"studio", "DIR", "Edit definitions in the browser, with their timelines, numbers and tests.", func() command { return new(studioCmd) }},
	{"new", "[RECIPE]", "Copy a recipe: the definitions of a buff of a real game, with a scenario.", func() command { return new(newCmd) }},
	{"convert", "PATH...", "Convert files of definitions to CSV, YAML or JSON.", func() command { return new(convertCmd) }},
	{"cut", "FILE", "Print the zones in a store: owners, buffs, clocks, damage.", func() command { return new(cutCmd) }},
}

// flags is a flag.FlagSet that also supports flags with several values.
type flags struct{ *flag.FlagSet }

// listVar declares a flag with several values. Its values can be separated by commas, and the flag
// can be repeated.
func (f *flags) listVar(to *[]string, name, usage string) {
	f.Func(name, usage, func(v string) error {
		*to = append(*to, strings.Split(v, ",")...)
		return nil
	})
}

// spanVar declares a flag with a duration.
func (f *flags) spanVar(to *time.Duration, name string, value time.Duration, usage string) {
	*to = value
	f.Var((*span)(to), name, usage)
}

type span time.Duration

func (s *span) String() string { return time.Duration(*s).String() }

func (s *span) Set(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil {
		return errors.New("want a span such as 50ms or 2s")
	}
	*s = span(d)
	return nil
}

// execute parses the command line and runs the command.
func execute(args []string, stdout, stderr io.Writer) error {
	if len(args) > 0 && args[0] == "help" {
		args = append(slices.Clone(args[1:]), "-help")
	}
	if len(args) == 0 {
		return usageError{errors.New("bufftick: missing command; see bufftick -help")}
	}
	if args[0] == "-h" || args[0] == "-help" || args[0] == "--help" {
		return printHelp(stdout)
	}
	for _, c := range commands {
		if c.name != args[0] {
			continue
		}
		cmd := c.new()
		f := &flags{flag.NewFlagSet(c.name, flag.ContinueOnError)}
		f.SetOutput(io.Discard)
		cmd.flags(f)
		rest, err := parse(f, args[1:])
		if err == nil {
			err = checkArguments(c.arguments, rest)
		}
		if errors.Is(err, flag.ErrHelp) {
			return printCommandHelp(stdout, strings.TrimSpace(c.name+" "+c.arguments), c.summary, cmd, f)
		}
		if err != nil {
			return usageError{fmt.Errorf("bufftick: %w; see bufftick %s -help", err, c.name)}
		}
		return cmd.run(rest, stdout, stderr)
	}
	var names []string
	for _, c := range commands {
		names = append(names, c.name)
	}
	return usageError{fmt.Errorf("bufftick: there is no command %q%s; see bufftick -help", args[0], suggestion(args[0], names))}
}

// parse parses flags before, between and after the arguments, and returns the arguments. Every word
// after "--" is an argument.
func parse(f *flags, args []string) (rest []string, err error) {
	var last []string
	if i := slices.Index(args, "--"); i >= 0 {
		args, last = args[:i], args[i+1:]
	}
	for {
		if err := f.Parse(args); err != nil {
			if name, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: -"); unknown {
				var names []string
				f.VisitAll(func(g *flag.Flag) { names = append(names, g.Name) })
				err = fmt.Errorf("there is no flag -%s%s", name, suggestion(name, names))
			}
			return nil, err
		}
		if f.NArg() == 0 {
			return append(rest, last...), nil
		}
		rest, args = append(rest, f.Arg(0)), f.Args()[1:]
	}
}

// suggestion returns the question "did you mean ...?" if one of the given names is similar to the
// wrong name, and otherwise "".
func suggestion(wrong string, names []string) string {
	if near := misspelt.Near(wrong, names); near != "" {
		return fmt.Sprintf(", did you mean %q?", near)
	}
	return ""
}

// checkArguments returns an error if the number of arguments does not match their declaration, such
// as "NAME" or "NAME...".
func checkArguments(declared string, args []string) error {
	least, most := 1, 1
	switch {
	case declared == "":
		least, most = 0, 0
	case strings.HasPrefix(declared, "["):
		least = 0
	case strings.HasSuffix(declared, "..."):
		most = len(args)
	}
	switch {
	case len(args) < least:
		return fmt.Errorf("want %s", declared)
	case len(args) > most:
		return fmt.Errorf("unexpected argument %q", args[most])
	}
	return nil
}

func printHelp(to io.Writer) error {
	var b strings.Builder
	b.WriteString("Bufftick runs buffs on the tick engine, from files.\n\nCommands:\n\n")
	for _, c := range commands {
		fmt.Fprintf(&b, "  %-18s %s\n", strings.TrimSpace(c.name+" "+c.arguments), c.summary)
	}
	b.WriteString("\nbufftick COMMAND -help describes a command and its flags.\n")
	_, err := io.WriteString(to, b.String())
	return err
}

func printCommandHelp(to io.Writer, usage, summary string, c command, f *flags) error {
	var declared bytes.Buffer
	f.SetOutput(&declared)
	f.PrintDefaults()
	text := fmt.Sprintf("Usage: bufftick %s [flags]\n\n%s\n\n%s\n", usage, summary, c.help())
	if declared.Len() > 0 {
		text += "\nFlags:\n" + strings.ReplaceAll(declared.String(), "\t", "  ")
	}
	_, err := io.WriteString(to, text)
	return err
}
