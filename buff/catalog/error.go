package catalog

import (
	"strings"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/internal/definition"
)

// Error is one error in a file of definitions.
//
// It matches [buff.ErrSpec] if the contents of a file are invalid, and the errors of package fs
// if the file could not be read.
type Error struct {
	// File is the name of the file as passed to Load or Parse.
	File string

	// Line and Column are the position, counted from 1, in characters and not bytes. Both are 0
	// if the error concerns the whole file.
	Line, Column int

	// Buff is the ID of the definition, and Field the field within it, such as
	// "on.pulse[0].call". Both may be empty.
	Buff, Field string

	// Text describes the error and how to correct it.
	Text string

	// Source is the line with its number, followed by a line with a caret under the column. It is
	// empty if Line is 0.
	Source string

	cause error
}

// Error returns "file:line:column: buff "id": field: text", followed by Source on the next lines.
func (e *Error) Error() string {
	return (&definition.Error{
		File: e.File, Line: e.Line, Column: e.Column, Buff: e.Buff, Field: e.Field, Text: e.Text, Source: e.Source,
	}).Error()
}

// Unwrap returns [buff.ErrSpec], or the error that prevented the file from being read.
func (e *Error) Unwrap() error {
	if e.cause != nil {
		return e.cause
	}
	return buff.ErrSpec
}

// Errors is the list of all errors in the files of a catalog, in the order of the files and, within
// each file, of the lines. It holds at most 1000 errors, followed by an error that says how many
// were left out.
type Errors []*Error

// Error returns the texts of all errors, separated by newlines.
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

// own converts errors of package definition, which can also be warnings, to errors of this package.
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
