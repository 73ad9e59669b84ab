// Package cookbook holds recipes. Each recipe is a file that shows how real games use buffs. The
// file has a comment, definitions, a script that shows how these buffs change a player's
// attributes, and the log that the script produces. The tests run and validate all recipes.
//
//	bufftick new                  lists the recipes
//	bufftick new pandemic-dot     copies a recipe: its definitions and its scenario
//	bufftick run -check cmd/bufftick/cookbook/*.yaml
//	bufftick validate cmd/bufftick/cookbook
package cookbook

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
)

//go:embed *.yaml
var files embed.FS

// Recipe is one file.
type Recipe struct {
	ID    string // name of the file, without .yaml
	Title string // one line
	About string // one to three lines: how the recipe works, and which game has such a buff

	Definitions string // a file of definitions for catalog.Load
	Scenario    string // the whole file, for "bufftick run"
}

// All returns the recipes, sorted by ID.
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

// parse splits a recipe into its comment, its ID and title, its definitions and its script.
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
