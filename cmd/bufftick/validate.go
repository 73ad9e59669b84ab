package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bufftick/bufftick/internal/definition"
	"github.com/bufftick/bufftick/internal/scenario"
)

// validateCmd is "bufftick validate".
type validateCmd struct {
	JSON, Strict    bool
	Fix             bool
	Except, Applied []string
	Every, Frame    time.Duration
}

func (c *validateCmd) flags(f *flags) {
	f.BoolVar(&c.JSON, "json", false, "Print a JSON array with file, line, column, severity, id, field, rule and message.")
	f.BoolVar(&c.Fix, "fix", false, "First rewrite words and fields of earlier versions of the format, in place.")
	f.BoolVar(&c.Strict, "strict", false, "Exit with 1 if there is a warning.")
	f.listVar(&c.Except, "except", "`RULE` not to check: "+strings.Join(definition.Rules(), ", ")+".")
	f.listVar(&c.Applied, "applied", "`ID` that the game applies. Enables warnings about definitions that neither the game nor another definition applies.")
	f.spanVar(&c.Every, "every", 0, "Shortest `SPAN` between two applications of one definition by the game, for limit-unreached.")
	f.spanVar(&c.Frame, "frame", definition.DefaultFrame, "`SPAN` of the game's frames, for off-frame.")
}

func (*validateCmd) help() string {
	return `PATH is a file or a folder. Definitions belong to one catalog, each scenario has its own. All
errors of all files are reported at once, each with file, line, column and a caret. If there are
none, warnings report what is valid but probably a mistake. A scenario is checked, not run.

Examples:

    bufftick validate buffs
    bufftick validate buffs scenarios
    bufftick validate buffs/harm.yaml buffs/help.json
    bufftick validate -strict -except beyond-wheel,off-frame buffs
    bufftick validate -json buffs > findings.json
    bufftick validate -fix buffs scenarios

The exit code is 1 if there is an error, 2 if the command line is wrong, otherwise 0.`
}

// run checks the definitions as one catalog, and each scenario.
func (c *validateCmd) run(args []string, stdout, _ io.Writer) error {
	if err := c.check(); err != nil {
		return err
	}
	if c.Fix {
		if err := c.fix(args, stdout); err != nil {
			return err
		}
	}
	o := definition.CheckOptions{Frame: c.Frame, Applied: c.Applied, Every: c.Every, Except: c.Except}
	paths, scenarios, findings := split(args)
	var counts []string
	failed := len(findings) > 0
	if len(paths) > 0 {
		cat, warnings, err := definition.Check(nil, o, paths...)
		if err != nil {
			failed = true
			warnings = err.(definition.Errors)
		} else {
			counts = append(counts, counted(cat.Len(), "definition"))
		}
		findings = append(findings, warnings...)
	}
	defined := 0
	for _, s := range scenarios {
		if len(s.Faults) > 0 {
			failed = true
			findings = append(findings, s.Faults...)
			continue
		}
		defined += s.Catalog.Len()
		findings = append(findings, s.Warnings(o)...)
	}
	if len(scenarios) > 0 {
		counts = append(counts, fmt.Sprintf("%s in %s", counted(defined, "definition"), counted(len(scenarios), "scenario")))
	}
	if failed {
		findings = slices.DeleteFunc(findings, func(e *definition.Error) bool { return e.Rule != "" })
	}
	switch {
	case c.JSON:
		if err := writeFindings(stdout, findings); err != nil {
			return err
		}
	default:
		for _, f := range findings {
			fmt.Fprintln(stdout, f)
		}
		if failed {
			fmt.Fprintf(stdout, "%s, nothing is loaded\n", counted(len(findings), "error"))
			break
		}
		fmt.Fprintf(stdout, "%s, %s\n", strings.Join(counts, ", "), counted(len(findings), "warning"))
	}
	if failed || c.Strict && len(findings) > 0 {
		return errFailed
	}
	return nil
}

// fix rewrites the words of earlier versions in the files of all paths. A file that is not valid YAML
// is left alone: the check after this reports its errors.
func (c *validateCmd) fix(paths []string, stdout io.Writer) error {
	for _, path := range paths {
		files, _ := filesOf(path)
		for _, file := range files {
			text, err := readFile(file)
			if err != nil {
				continue
			}
			fixed, changes, err := definition.Fix(file, text)
			if err != nil || len(changes) == 0 {
				continue
			}
			if err := os.WriteFile(file, fixed, 0o666); err != nil { // keeps the mode of the file
				return fmt.Errorf("bufftick: %w", err)
			}
			for _, change := range changes {
				if !c.JSON {
					fmt.Fprintf(stdout, "%s:%d:%d: %s is now %s\n", file, change.Line, change.Column, change.Old, change.New)
				}
			}
		}
	}
	return nil
}

// split separates scenarios from definitions. It reads the scenarios, and returns the paths of the
// definitions. A folder without scenarios is returned as one path. Of a folder with scenarios, each
// definition file is returned as a path.
func split(all []string) (paths []string, scenarios []*scenario.Scenario, errs definition.Errors) {
	for _, path := range all {
		files, isFolder := filesOf(path)
		rest := []string{}
		found := false
		for _, file := range files {
			text, err := readFile(file)
			if err != nil || !scenario.Is(file, text) {
				rest = append(rest, file)
				continue
			}
			found = true
			list, err := scenario.Parse(file, text)
			if e := (*definition.Error)(nil); errors.As(err, &e) {
				errs = append(errs, e)
			}
			scenarios = append(scenarios, list...)
		}
		if !found || !isFolder && len(rest) > 0 {
			rest = []string{path}
		}
		paths = append(paths, rest...)
	}
	return paths, scenarios, errs
}

// filesOf returns the YAML and JSON files of a path, and whether the path is a folder.
func filesOf(path string) (files []string, isFolder bool) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return []string{path}, false
	}
	for _, e := range entries {
		if e.Type().IsRegular() && definition.IsDefinitions(e.Name()) {
			files = append(files, filepath.Join(path, e.Name()))
		}
	}
	return files, true
}

// readFile reads a regular file. If the file is too large, readFile returns its first
// definition.MaxFileSize+1 bytes.
func readFile(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil, errors.New("not a file")
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, definition.MaxFileSize+1))
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

// finding is the JSON form of an error or a warning.
type finding struct {
	File     string `json:"file"`
	Line     int    `json:"line"`   // counted from 1; 0 if the finding is about the whole file
	Column   int    `json:"column"` // counted from 1, in characters; 0 if the finding is about the whole file
	Severity string `json:"severity"`
	ID       string `json:"id"`
	Field    string `json:"field"`
	Rule     string `json:"rule,omitempty"`
	Message  string `json:"message"`
}

func writeFindings(to io.Writer, list definition.Errors) error {
	findings := make([]finding, 0, len(list)) // not nil, so that an empty list is [] in JSON and not null
	for _, e := range list {
		findings = append(findings, finding{e.File, e.Line, e.Column, e.Severity(), e.Buff, e.Field, e.Rule, e.Text})
	}
	enc := json.NewEncoder(to)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(findings)
}

// counted formats a number with its noun, such as "1 error" or "2 errors".
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
