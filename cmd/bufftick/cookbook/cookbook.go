// Package cookbook holds recipes: what real games do with buffs, each as one file. A
// recipe begins with what it is and where it comes from; then stand its definitions, a
// script, and the log that comes of it. All of them are run by the tests.
//
//	bufftick new                  lists them
//	bufftick new pandemic-dot     copies one: its definitions and its scenario
//	bufftick run -check cmd/bufftick/cookbook/*.yaml
package cookbook

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
)

//go:embed *.yaml
var files embed.FS

// Recipe is one of them.
type Recipe struct {
	ID    string // its name, and that of its file without .yaml
	Title string // what it shows, in a line
	About string // what it is for, and which game has it: one to three lines

	Definitions string // a file of definitions, which catalog.Load reads
	Scenario    string // a scenario with the same definitions, which "bufftick run" runs
}

// All returns the recipes by their IDs.
func All() []Recipe {
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		panic("cookbook: an embedded folder cannot be read: " + err.Error())
	}
	all := make([]Recipe, 0, len(entries))
	for _, e := range entries {
		text, err := files.ReadFile(e.Name())
		if err == nil {
			var r Recipe
			if r, err = parse(strings.TrimSuffix(e.Name(), ".yaml"), string(text)); err == nil {
				all = append(all, r)
				continue
			}
		}
		panic("cookbook: " + err.Error())
	}
	return all
}

// parse takes a recipe apart: its comment, two lines with its ID and its title, its
// definitions, and its script.
func parse(id, text string) (Recipe, error) {
	head, rest, ok := strings.Cut(text, "id: "+id+"\nname: ")
	title, rest, named := strings.Cut(rest, "\n")
	definitions, _, scripted := strings.Cut(rest, "script:\n")
	if !ok || !named || !scripted || !strings.HasPrefix(head, "# ") {
		return Recipe{}, fmt.Errorf("%s.yaml: want a comment, id: %s, name, definitions, script", id, id)
	}
	about := strings.TrimSuffix(strings.ReplaceAll("\n"+head, "\n# ", "\n"), "\n")
	return Recipe{ID: id, Title: title, About: strings.TrimPrefix(about, "\n"), Definitions: head + definitions, Scenario: text}, nil
}
