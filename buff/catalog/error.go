package catalog

import (
	"strings"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/internal/definition"
)

// Error is one thing wrong with a file of definitions.
//
// errors.Is matches it with [buff.ErrSpec] if the text of a file is at fault, and
// with the errors of package fs if the file could not be read.
type Error struct {
	// File is the file as it was named to Load or Parse.
	File string

	// Line and Column say where, both counted from 1; a column is a character,
	// not a byte. Both are 0 where the file as a whole is meant.
	Line, Column int

	// Buff is the ID of the definition and Field the field within it, as in
	// "on.pulse[0].call". Each is "" where there is none.
	Buff, Field string

	// Text says what is wrong, and what would be right.
	Text string

	// Source is the line with its number, and a second line with a caret under
	// the column. It is "" where Line is 0.
	Source string

	cause error
}

// Error returns one line, "file:line:column: buff "id": field: text", and below it
// the source with its caret.
func (e *Error) Error() string {
	return (&definition.Error{
		File: e.File, Line: e.Line, Column: e.Column, Buff: e.Buff, Field: e.Field, Text: e.Text, Source: e.Source,
	}).Error()
}

// Unwrap returns [buff.ErrSpec], or why the file could not be read.
func (e *Error) Unwrap() error {
	if e.cause != nil {
		return e.cause
	}
	return buff.ErrSpec
}

// Errors is everything wrong with the files of one catalog: the files in the order in which
// they were given, and each from top to bottom. There are never more than 1000 and one that
// counts the rest.
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

// own returns what the reading has made, with its errors as those of this package: the reader's
// are also warnings, and know the rule that was broken.
func own(c *buff.Catalog, err error) (*buff.Catalog, error) {
	found, wrong := err.(definition.Errors)
	if !wrong {
		return c, err
	}
	list := make(Errors, len(found))
	for i, e := range found {
		list[i] = &Error{
			File: e.File, Line: e.Line, Column: e.Column, Buff: e.Buff, Field: e.Field, Text: e.Text, Source: e.Source,
			cause: e.Unwrap(),
		}
	}
	return c, list
}
