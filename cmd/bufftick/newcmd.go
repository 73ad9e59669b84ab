package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/bufftick/bufftick/cmd/bufftick/cookbook"
)

// newCmd is "bufftick new".
type newCmd struct {
	O string
}

func (c *newCmd) flags(f *flags) {
	f.StringVar(&c.O, "o", ".", "`DIR` to write to.")
}

func (*newCmd) help() string {
	return `A recipe shows how a real game uses buffs: pandemic-dot, shared-stun-dr, cooldown. Its
definitions are written to buffs/RECIPE.yaml, and a scenario with its log to
scenarios/RECIPE.yaml. Existing files are not overwritten. Without RECIPE, all are listed.

Examples:

    bufftick new
    bufftick new pandemic-dot

The exit code is 1 if there is no such recipe or a file cannot be written.`
}

// run lists the recipes or copies one.
func (c *newCmd) run(args []string, stdout, _ io.Writer) error {
	recipes := cookbook.All()
	if len(args) == 0 {
		for _, r := range recipes {
			if _, err := fmt.Fprintf(stdout, "%-18s %s\n", r.ID, r.Title); err != nil {
				return err
			}
		}
		return nil
	}
	for _, r := range recipes {
		if r.ID == args[0] {
			return c.copy(stdout, r)
		}
	}
	return fmt.Errorf("bufftick: there is no recipe %q; bufftick new lists them", args[0])
}

// copy writes both files of a recipe. If either file already exists, "copy" writes neither.
func (c *newCmd) copy(stdout io.Writer, r cookbook.Recipe) error {
	definitions := filepath.Join(c.O, "buffs", r.ID+".yaml")
	scenario := filepath.Join(c.O, "scenarios", r.ID+".yaml")
	for _, path := range []string{definitions, scenario} {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("bufftick: %s exists and is not overwritten", path)
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
	_, err := fmt.Fprintf(stdout, "%s\n%s\nbufftick preview -f %s ID shows one of them, bufftick run -check %s plays the scenario\n",
		definitions, scenario, definitions, scenario)
	return err
}
