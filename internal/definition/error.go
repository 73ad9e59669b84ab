package definition

import (
	"fmt"
	"strings"

	"github.com/bufftick/bufftick/buff"
)

// Error is an error in a definition file or, if Rule is not empty, a warning of [Check].
//
// For an invalid text, errors.Is(err, [buff.ErrSpec]) is true. For a file that could not be read,
// the error wraps an error of package fs, such as fs.ErrNotExist. A warning wraps neither.
type Error struct {
	// File is the name of the file as passed to Load or Parse.
	File string

	// Line and Column are the position, counted from 1. Columns count characters, not bytes. Both
	// are 0 for errors about a whole file.
	Line, Column int

	// Buff is the ID of the definition, and Field is the field within it, such as
	// "on.pulse[0].call". They are "" if the error is not about a definition or a field.
	Buff, Field string

	// Rule is the name of the rule that a warning is about, such as "never-pulses". It is one of
	// [Rules], or "" for an error.
	Rule string

	// Text describes the problem and how to fix it.
	Text string

	// Source is an excerpt of the file: the line with its number, and a second line with a caret
	// under the column. It is "" if Line is 0.
	Source string

	cause error
}

// Severity returns "error" or "warning".
func (e *Error) Severity() string {
	if e.Rule != "" {
		return "warning"
	}
	return "error"
}

// Error returns one line, "file:line:column: buff "id": field: text", followed by the source
// line with a caret. A warning has "warning: " after the position and its rule after the text.
func (e *Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File)
		if e.Line > 0 {
			fmt.Fprintf(&b, ":%d:%d", e.Line, e.Column)
		}
		b.WriteString(": ")
	}
	if e.Rule != "" {
		b.WriteString("warning: ")
	}
	if e.Buff != "" {
		fmt.Fprintf(&b, "buff %q: ", brief(e.Buff))
	}
	if e.Field != "" {
		b.WriteString(brief(e.Field))
		b.WriteString(": ")
	}
	b.WriteString(e.Text)
	if e.Rule != "" {
		fmt.Fprintf(&b, " (%s)", e.Rule)
	}
	if e.Source != "" {
		b.WriteString("\n")
		b.WriteString(e.Source)
	}
	return b.String()
}

// Unwrap returns [buff.ErrSpec], or the error that prevented the file from being read. For a
// warning it returns nil.
func (e *Error) Unwrap() error {
	switch {
	case e.Rule != "":
		return nil
	case e.cause != nil:
		return e.cause
	}
	return buff.ErrSpec
}

// Errors holds all errors of the files of one catalog, or all warnings about them. They are in the
// order in which the files were given, and sorted by position within each file. If there are more
// than MaxErrors, the list has the first MaxErrors, followed by an error that says how many were
// left out.
type Errors []*Error

// Error returns the texts of all errors, one below the other.
func (es Errors) Error() string {
	texts := make([]string, len(es))
	for i, e := range es {
		texts[i] = e.Error()
	}
	return strings.Join(texts, "\n")
}

// Unwrap returns the individual errors.
func (es Errors) Unwrap() []error {
	list := make([]error, len(es))
	for i, e := range es {
		list[i] = e
	}
	return list
}

// brief shortens a text from a file for use in a message.
func brief(s string) string {
	const most = 60
	n := 0
	for i := range s {
		if n == most {
			return s[:i] + "…"
		}
		n++
	}
	return s
}

// didYouMean returns a hint with the given name, or "" if the name is empty.
func didYouMean(near string) string {
	if near == "" {
		return ""
	}
	return ": did you mean " + quote(near) + "?"
}

// quote returns brief(s) in quotes.
func quote(s string) string { return fmt.Sprintf("%q", brief(s)) }
