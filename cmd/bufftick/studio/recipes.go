package studio

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/bufftick/bufftick/cmd/bufftick/cookbook"
)

// Recipe is a recipe of the cookbook.
type Recipe struct {
	ID          string `json:"id"`
	Title       string `json:"title"`
	About       string `json:"about"`
	Definitions string `json:"definitions"`
	Script      string `json:"script"` // the steps
}

func recipes() []Recipe {
	var out []Recipe
	for _, r := range cookbook.All() {
		_, script, _ := strings.Cut(r.Scenario, "\nscript:\n")
		script, _, _ = strings.Cut(script, "\nwant:")
		out = append(out, Recipe{r.ID, r.Title, r.About, r.Definitions, dedent(script)})
	}
	return out
}

// dedent removes the indentation of list elements.
func dedent(text string) string {
	return strings.ReplaceAll("\n"+text, "\n  ", "\n")[1:]
}

// RecipeRequest requests a recipe as a new file in a folder.
type RecipeRequest struct {
	Edits
	ID  string `json:"id"`
	Dir string `json:"dir"`
}

// RecipeResult is a new, unsaved file.
type RecipeResult struct {
	Name   string `json:"name"`
	Text   string `json:"text"`
	Script string `json:"script"`
	Note   string `json:"note,omitempty"`
}

var attributesBlock = regexp.MustCompile(`(?m)^attributes:.*\n(?:[ #].*\n|\n)*`)

// recipe returns a recipe as a new file. If the folder already has attributes, which must be in one
// file, the recipe's attributes are left out.
func (s *Studio) recipe(r RecipeRequest) (any, error) {
	all := recipes()
	i := slices.IndexFunc(all, func(x Recipe) bool { return x.ID == r.ID })
	if i < 0 {
		return nil, fmt.Errorf("there is no recipe %q", r.ID)
	}
	files, err := s.now(r.Open)
	if err != nil {
		return nil, err
	}
	out := RecipeResult{Name: path.Join(r.Dir, r.ID+".yaml"), Text: all[i].Definitions, Script: all[i].Script}
	needs := indexOf(File{Name: out.Name, Text: []byte(out.Text)}).names["attributes"]
	var has []string
	for _, f := range files {
		if f.Name == out.Name {
			return nil, fmt.Errorf("there is already a file %s", f.Name)
		}
		if x := s.index(f); path.Dir(f.Name) == r.Dir && !x.scenario {
			has = append(has, x.names["attributes"]...)
		}
	}
	if len(has) > 0 && len(needs) > 0 {
		out.Text = attributesBlock.ReplaceAllString(out.Text, "")
		if missing := slices.DeleteFunc(needs, func(n string) bool { return slices.Contains(has, n) }); len(missing) > 0 {
			out.Note = "The recipe also needs the attributes " + strings.Join(missing, ", ") + "."
		}
	}
	return out, nil
}
