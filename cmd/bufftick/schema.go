package main

import (
	"io"

	"github.com/bufftick/bufftick/internal/definition"
)

// schemaCmd is "bufftick schema".
type schemaCmd struct{}

func (*schemaCmd) flags(*flags) {}

func (*schemaCmd) help() string {
	return `With this first line in a file of definitions, an editor with YAML support completes fields,
explains them and marks errors:

    # yaml-language-server: $schema=./bufftick.schema.json

The schema may be in the folder of the definitions: the loader ignores *.schema.json.

Example:

    bufftick schema > buffs/bufftick.schema.json`
}

// run prints the schema.
func (*schemaCmd) run(_ []string, stdout, _ io.Writer) error {
	_, err := io.WriteString(stdout, definition.Schema())
	return err
}
