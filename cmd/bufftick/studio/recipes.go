package studio

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

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

// SearchRequest searches the cookbook.
type SearchRequest struct {
	Query string `json:"query"` // words; all recipes match an empty query
}

// effects are the effects of definitions, in the words of designers, with their form in a file.
var effects = []struct {
	form  *regexp.Regexp
	words string
}{
	{regexp.MustCompile(`pulse: \[\{damage|first: .*damage`), "damage over time, dot, poison, bleeding"},
	{regexp.MustCompile(`pulse: \[\{change`), "heal over time, hot, regeneration"},
	{regexp.MustCompile(`exec: \[\{damage`), "direct damage, strike, burst"},
	{regexp.MustCompile(`expired: \[`), "does something at its end, explodes, blooms"},
	{regexp.MustCompile(`broken: \[`), "does something when it breaks, explodes"},
	{regexp.MustCompile(`dispelled: \[`), "does something when it is dispelled"},
	{regexp.MustCompile(`shield:`), "absorbs damage, shield, barrier"},
	{regexp.MustCompile(`state\.(stunned|asleep|sheep)`), "disables, crowd control, stuns"},
	{regexp.MustCompile(`attr: speed.*value: -`), "slows"},
	{regexp.MustCompile(`limit: `), "stacks"},
	{regexp.MustCompile(`refresh: `), "a refresh, lasts longer when applied again"},
	{regexp.MustCompile(`\bdr:`), "diminishing returns, shorter each time"},
	{regexp.MustCompile(`\[?cd\.|icd\.`), "cooldown, cannot be used again for a time"},
	{regexp.MustCompile(`charges:`), "charges, a number of uses"},
	{regexp.MustCompile(`chance:`), "proc, chance, random"},
	{regexp.MustCompile(`aura:`), "aura, area, those nearby"},
	{regexp.MustCompile(`interrupt: \[`), "interrupted, breaks on damage or movement"},
	{regexp.MustCompile(`immunity:`), "immunity, cannot be applied"},
	{regexp.MustCompile(`group:|slot:`), "exclusive, replaces others, only one"},
	{regexp.MustCompile(`act: \{`), "reacts to hits, on hit, thorns"},
	{regexp.MustCompile(`clock: `), "offline, real time"},
	{regexp.MustCompile(`on_death: keep|death: \[`), "death, persists through death"},
	{regexp.MustCompile(`links: `), "linked effects"},
	{regexp.MustCompile(`level: `), "level, rank"},
	{regexp.MustCompile(`haste: `), "haste, faster pulses"},
}

// search returns the recipes that match a query, the best first: those with most of its words in
// their title, their text, the effects of their definitions, or their definitions.
func search(r SearchRequest) (any, error) {
	all := recipes()
	words := slices.DeleteFunc(stems(r.Query), func(w string) bool { return common[w] })
	if len(words) == 0 {
		return all, nil
	}
	score := map[string]int{}
	for _, x := range all {
		var does []string
		for _, e := range effects {
			if e.form.MatchString(x.Definitions) {
				does = append(does, e.words)
			}
		}
		fields := []map[string]bool{set(x.ID + " " + x.Title), set(x.About), set(strings.Join(does, " ")), set(x.Definitions)}
		for _, w := range words {
			for i, f := range fields {
				if f[w] {
					score[x.ID] += 10 + 3 - i
					break
				}
			}
		}
	}
	most := 0
	for _, n := range score {
		most = max(most, n/10)
	}
	all = slices.DeleteFunc(all, func(x Recipe) bool { return score[x.ID] == 0 || score[x.ID]/10 < most })
	slices.SortStableFunc(all, func(a, b Recipe) int { return score[b.ID] - score[a.ID] })
	return all, nil
}

// common are words of a query that do not describe a recipe.
var common = set("a an the that which it its is at of for in on to and or when if with by buff each")

// stems returns the words of a text without their endings.
func stems(text string) (out []string) {
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		for _, end := range []string{"ing", "es", "ed", "s", "e"} {
			if len(w) > len(end)+2 && strings.HasSuffix(w, end) {
				w = strings.TrimSuffix(w, end)
				break
			}
		}
		out = append(out, w)
	}
	return out
}

func set(text string) map[string]bool {
	m := map[string]bool{}
	for _, w := range stems(text) {
		m[w] = true
	}
	return m
}

func recipes() []Recipe {
	var out []Recipe
	for _, r := range cookbook.All() {
		_, script, _ := strings.Cut(r.Scenario, "\nscript:\n")
		script, _, _ = strings.Cut(script, "\nwant:")
		script = notSteps.ReplaceAllString(script, "")
		out = append(out, Recipe{r.ID, r.Title, r.About, r.Definitions, dedent(script)})
	}
	return out
}

// dedent removes the indentation of list elements.
func dedent(text string) string {
	return strings.ReplaceAll("\n"+text, "\n  ", "\n")[1:]
}

// notSteps matches the fields between the steps and the log of a recipe.
var notSteps = regexp.MustCompile(`\n(seen|life|frame): .*`)

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
