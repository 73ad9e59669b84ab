package main

import (
	"io"

	"github.com/bufftick/bufftick/internal/definition"
)

// schemaCmd is "bufftick schema".
type schemaCmd struct{}

// Help is the part of --help behind the flags.
func (*schemaCmd) Help() string {
	return `With this as the first line of a file of definitions, an editor that knows YAML
completes its fields, tells what they mean and marks slips:

    # yaml-language-server: $schema=./bufftick.schema.json

It may stand among the definitions: a folder's *.schema.json are not read as such.

Example:

    bufftick schema > buffs/bufftick.schema.json`
}

// Run prints the schema.
func (*schemaCmd) Run(stdout output) error {
	_, err := io.WriteString(stdout, definition.Schema())
	return err
}
