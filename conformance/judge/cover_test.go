package judge

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// leftOut are the words of the format that no scenario has, and why. A new word of the schema is made up by the dice, or
// stands here.
var leftOut = map[string]string{
	"$schema":                   "for editors",
	"version":                   "of files; a scenario has none",
	"buffs.data":                "the game's own",
	"attributes.at_min=nothing": "a default; kill is made up",
	"attributes.aggregate=sum":  "a default",
}

// schema is what this test knows of a JSON schema.
type schema struct {
	Ref        string             `json:"$ref"`
	Properties map[string]*schema `json:"properties"`
	More       json.RawMessage    `json:"additionalProperties"`
	Items      *schema            `json:"items"`
	AnyOf      []*schema          `json:"anyOf"`
	Enum       []any              `json:"enum"`
	Defs       map[string]*schema `json:"definitions"`
}

// words walks through a schema, and through what is written by it.
type coverage struct {
	defs map[string]*schema
	all  map[string]bool // the words, and values of words, that there are
	made map[string]bool // that occur
}

func (c *coverage) walk(s *schema, path string, deep int) {
	if s.Ref != "" {
		name := filepath.Base(s.Ref)
		if path = name; deep > 9 || c.all["in "+name] {
			return
		}
		c.all["in "+name] = true
		s = c.defs[name]
	}
	for _, e := range s.Enum {
		if word, ok := e.(string); ok {
			c.all[path+"="+word] = true
		}
	}
	for _, alt := range s.AnyOf {
		c.walk(alt, path, deep+1)
	}
	if s.Items != nil {
		c.walk(s.Items, path, deep+1)
	}
	for name, p := range s.Properties {
		c.all[under1(path, name)] = true
		c.walk(p, under1(path, name), deep+1)
	}
	var more schema
	if json.Unmarshal(s.More, &more) == nil {
		c.walk(&more, path, deep+1)
	}
}

func (c *coverage) see(s *schema, path string, v any) {
	if s.Ref != "" {
		path = filepath.Base(s.Ref)
		s = c.defs[path]
	}
	if word, ok := v.(string); ok && slices.Contains(s.Enum, any(word)) {
		c.made[path+"="+word] = true
	}
	for _, alt := range s.AnyOf {
		c.see(alt, path, v)
	}
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			if s.Items != nil {
				c.see(s.Items, path, x)
			}
		}
	case map[string]any:
		for name, x := range v {
			var more schema
			if p := s.Properties[name]; p != nil {
				c.made[under1(path, name)] = true
				c.see(p, under1(path, name), x)
			} else if json.Unmarshal(s.More, &more) == nil {
				c.see(&more, path, x)
			}
		}
	}
}

func under1(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// TestCoverage: each word of the format, and each of its values that is a word, is in some scenario of the dice, but for
// those that leftOut gives a reason for.
func TestCoverage(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "internal", "definition", "bufftick.schema.json"))
	require.NoError(t, err)
	var s schema
	require.NoError(t, json.Unmarshal(text, &s))
	c := coverage{s.Defs, map[string]bool{}, map[string]bool{}}
	c.walk(&s, "", 0)
	drafts := []*Draft{}
	for n := range 40 {
		drafts = append(drafts, Generate(1, n))
	}
	for _, w := range vocabulary {
		for _, v := range w.values {
			d := map[string]any{}
			choice{w.path, v}.put(d)
			drafts = append(drafts, &Draft{Buffs: map[string]map[string]any{"p": d}})
		}
	}
	for _, d := range drafts {
		var v any
		require.NoError(t, json.Unmarshal(d.JSON(), &v))
		c.see(&s, "", v)
	}
	var missing, stale []string
	for word := range c.all {
		if word[:min(3, len(word))] != "in " && !c.made[word] && leftOut[word] == "" {
			missing = append(missing, word)
		}
	}
	for word := range leftOut {
		if c.made[word] || !c.all[word] {
			stale = append(stale, word)
		}
	}
	slices.Sort(missing)
	require.Empty(t, missing, "words of the format that no scenario has")
	require.Empty(t, stale, "left out, and made up all the same, or no words")
}
