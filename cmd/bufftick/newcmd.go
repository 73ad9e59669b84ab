package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/bufftick/bufftick/cmd/bufftick/cookbook"
)

// newCmd is "bufftick new".
type newCmd struct {
	Recipe string `arg:"" optional:"" help:"Recipe to copy. If not given, they are listed."`

	O string `name:"o" placeholder:"DIR" default:"." help:"Folder to write to. If not given, the current one."`
}

// Help is the part of --help behind the flags.
func (*newCmd) Help() string {
	return `A recipe is what a real game does with a buff: pandemic-dot, shared-stun-dr,
cooldown. Its definitions are written to buffs/RECIPE.yaml, and a scenario with the
log that comes of it to scenarios/RECIPE.yaml. A file that exists is left as it is.

Examples:

    bufftick new
    bufftick new pandemic-dot

The exit code is 1 if there is no such recipe, or a file cannot be written.`
}

// Run lists the recipes, or copies one.
func (c *newCmd) Run(stdout output) error {
	recipes := cookbook.All()
	if c.Recipe == "" {
		for _, r := range recipes {
			if _, err := fmt.Fprintf(stdout, "%-18s %s\n", r.ID, r.Title); err != nil {
				return err
			}
		}
		return nil
	}
	for _, r := range recipes {
		if r.ID == c.Recipe {
			return c.copy(stdout, r)
		}
	}
	return fmt.Errorf("bufftick: there is no recipe %q; bufftick new lists them", c.Recipe)
}

// copy writes the files of a recipe: both, or none if one of them exists.
func (c *newCmd) copy(stdout output, r cookbook.Recipe) error {
	definitions := filepath.Join(c.O, "buffs", r.ID+".yaml")
	scenario := filepath.Join(c.O, "scenarios", r.ID+".yaml")
	for _, path := range []string{definitions, scenario} {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("bufftick: %s exists, and is left as it is", path)
		}
	}
	for path, text := range map[string]string{definitions: r.Definitions, scenario: r.Scenario} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("bufftick: %w", err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return fmt.Errorf("bufftick: %w", err)
		}
	}
	_, err := fmt.Fprintf(stdout, "%s\n%s\nbufftick preview -f %s ID shows what one of them does, bufftick run -check %s plays the story\n",
		definitions, scenario, definitions, scenario)
	return err
}
