package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/bufftick/bufftick/internal/definition"
)

// validateCmd is "bufftick validate".
type validateCmd struct {
	Paths []string `arg:"" name:"path" help:"Folders and files of definitions: all that belong to one catalog."`

	JSON    bool          `help:"Print a JSON array, with file, line, column, severity, id, field, rule and message."`
	Strict  bool          `help:"Warnings count: the exit code is 1 if there is one."`
	Except  []string      `placeholder:"RULE" help:"Rules that are not looked for: ${rules}."`
	Applied []string      `placeholder:"ID" help:"What the game applies by itself. Warns of what neither it nor another definition applies."`
	Every   time.Duration `placeholder:"SPAN" help:"Shortest time between two applications of one definition by the game, for limit-unreached."`
	Frame   time.Duration `default:"${checkFrame}" placeholder:"SPAN" help:"Length of the game's frames, for off-frame. If not given, ${checkFrame}."`
}

// Help is the part of --help behind the flags.
func (*validateCmd) Help() string {
	return `All that is wrong with all the files is said at once, each with file, line, column
and a caret. If nothing is wrong, warnings tell what is valid but probably a mistake.

Examples:

    bufftick validate buffs
    bufftick validate buffs/harm.yaml buffs/help.json
    bufftick validate -strict -except beyond-wheel,off-frame buffs
    bufftick validate -json buffs > findings.json

The exit code is 1 if something is wrong, 2 if the command line is, otherwise 0.`
}

// Run checks the files as one catalog.
func (c *validateCmd) Run(stdout output) error {
	if err := c.check(); err != nil {
		return err
	}
	cat, findings, err := definition.Check(nil, definition.CheckOptions{
		Frame: c.Frame, Applied: c.Applied, Every: c.Every, Except: c.Except,
	}, c.Paths...)
	failed := err != nil || c.Strict && len(findings) > 0
	if err != nil {
		findings = err.(definition.Errors) // what Check returns
	}
	if c.JSON {
		if err := writeFindings(stdout, findings); err != nil {
			return err
		}
	} else {
		for _, f := range findings {
			fmt.Fprintln(stdout, f)
		}
		if err != nil {
			fmt.Fprintf(stdout, "%s, nothing is loaded\n", counted(len(findings), "error"))
		} else {
			fmt.Fprintf(stdout, "%s, %s\n", counted(cat.Len(), "definition"), counted(len(findings), "warning"))
		}
	}
	if failed {
		return errFailed
	}
	return nil
}

func (c *validateCmd) check() error {
	for _, name := range c.Except {
		if !slices.Contains(definition.Rules(), name) {
			return usageError{fmt.Errorf("bufftick: -except: no rule %q; want some of %s", name, strings.Join(definition.Rules(), ", "))}
		}
	}
	if c.Frame%time.Millisecond != 0 {
		return usageError{fmt.Errorf("bufftick: -frame must be whole milliseconds, and is %v", c.Frame)}
	}
	if err := checkFrame(c.Frame); err != nil {
		return usageError{err}
	}
	if c.Every < 0 {
		return usageError{fmt.Errorf("bufftick: -every must be above zero, and is %v", c.Every)}
	}
	return nil
}

// finding is an error or a warning as other programs read it.
type finding struct {
	File     string `json:"file"`
	Line     int    `json:"line"`   // from 1; 0 for the file as a whole
	Column   int    `json:"column"` // the same, in characters
	Severity string `json:"severity"`
	ID       string `json:"id"`
	Field    string `json:"field"`
	Rule     string `json:"rule,omitempty"`
	Message  string `json:"message"`
}

func writeFindings(to io.Writer, list definition.Errors) error {
	findings := make([]finding, 0, len(list)) // not null
	for _, e := range list {
		findings = append(findings, finding{e.File, e.Line, e.Column, e.Severity(), e.Buff, e.Field, e.Rule, e.Text})
	}
	enc := json.NewEncoder(to)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(findings)
}

// counted is a number of things in words: "1 error", "2 errors".
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
