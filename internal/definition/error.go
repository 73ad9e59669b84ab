package definition

import (
	"fmt"
	"strings"

	"github.com/bufftick/bufftick/buff"
)

// Error is one thing wrong with a file of definitions, or, if it has a Rule, a
// warning of [Check].
//
// errors.Is matches it with [buff.ErrSpec] if the text of a file is at fault, and
// with the errors of package fs if the file could not be read. It matches a warning
// with neither.
type Error struct {
	// File is the file as it was named to Load or Parse.
	File string

	// Line and Column say where, both counted from 1; a column is a character,
	// not a byte. Both are 0 where the file as a whole is meant.
	Line, Column int

	// Buff is the ID of the definition and Field the field within it, as in
	// "on.pulse[0].call". Each is "" where there is none.
	Buff, Field string

	// Rule names the rule of the warning, as in "never-pulses"; it is one of [Rules].
	// It is "" for an error.
	Rule string

	// Text says what is wrong, and what would be right.
	Text string

	// Source is the line with its number, and a second line with a caret under
	// the column. It is "" where Line is 0.
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

// Error returns one line, "file:line:column: buff "id": field: text", and below it
// the source with its caret. A warning has "warning: " behind the place and its rule
// behind the text.
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

// Unwrap returns [buff.ErrSpec], or why the file could not be read; nil for a warning.
func (e *Error) Unwrap() error {
	switch {
	case e.Rule != "":
		return nil
	case e.cause != nil:
		return e.cause
	}
	return buff.ErrSpec
}

// Errors is everything wrong with the files of one catalog, or all its warnings: the
// files in the order in which they were given, and each from top to bottom. There are
// never more than MaxErrors and one that counts the rest.
type Errors []*Error

// Error returns all of them, one below the other.
func (es Errors) Error() string {
	texts := make([]string, len(es))
	for i, e := range es {
		texts[i] = e.Error()
	}
	return strings.Join(texts, "\n")
}

// Unwrap returns the single errors.
func (es Errors) Unwrap() []error {
	list := make([]error, len(es))
	for i, e := range es {
		list[i] = e
	}
	return list
}

// brief cuts a text from a file that goes into a message.
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

// didYouMean returns a hint at a name that was found to be near, or "" if none was.
func didYouMean(near string) string {
	if near == "" {
		return ""
	}
	return ": did you mean " + quote(near) + "?"
}

// quote is brief in quotes.
func quote(s string) string { return fmt.Sprintf("%q", brief(s)) }
