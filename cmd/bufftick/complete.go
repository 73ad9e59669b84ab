package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/goccy/go-yaml/ast"

	"github.com/bufftick/bufftick/internal/definition"
)

// completeCmd is "bufftick complete", which the scripts for the shells ask: it prints
// what may stand in place of the last word, each on a line, and behind a tab what it is.
// Of files it prints nothing: the shell knows better.
type completeCmd struct {
	Words []string `arg:"" optional:"" help:"The words of the command line so far, without the program; the last one is completed."`
}

// Run prints the candidates.
func (c *completeCmd) Run(stdout output, ctx *kong.Context) error {
	for _, w := range completed(ctx.Model.Node, c.Words) {
		if _, err := fmt.Fprintf(stdout, "%s\t%s\n", w.word, w.help); err != nil {
			return err
		}
	}
	return nil
}

// candidate is a word that may stand at the end of the command line.
type candidate struct{ word, help string }

// commandLine is a command line as far as it is typed.
type commandLine struct {
	node     *kong.Node
	helped   bool       // it began with "help"
	given    int        // positional arguments
	flag     *kong.Flag // whose value is the last word
	files    []string   // what may hold definitions
	lastWord string
}

// completed returns what may stand in place of the last word.
func completed(app *kong.Node, words []string) []candidate {
	if len(words) == 0 {
		words = []string{""}
	}
	l := &commandLine{node: app}
	for _, w := range words[:len(words)-1] {
		if !l.read(w) {
			return nil
		}
	}
	w := words[len(words)-1]
	if w == "=" && l.flag != nil {
		w = ""
	}
	l.lastWord = w
	var list []candidate
	name, value, joined := strings.Cut(w, "=")
	switch f := l.flagOf(name); {
	case l.flag != nil:
		list = l.values(l.flag.Value, l.flag.PlaceHolder, w)
	case joined && f != nil && !f.IsBool():
		for _, c := range l.values(f.Value, f.PlaceHolder, value) {
			list = append(list, candidate{name + "=" + c.word, c.help})
		}
	case strings.HasPrefix(w, "-"):
		list = l.flags()
	case len(l.node.Children) > 0:
		list = l.commands()
	case !l.helped && len(l.node.Positional) > 0:
		p := l.node.Positional[min(l.given, len(l.node.Positional)-1)]
		if l.given < len(l.node.Positional) || p.IsSlice() {
			list = l.values(p, "", w)
		}
	}
	return slices.DeleteFunc(list, func(c candidate) bool { return !strings.HasPrefix(c.word, w) })
}

// read takes one of the words in front of the last, and reports whether it makes sense.
func (l *commandLine) read(w string) bool {
	switch name, value, joined := strings.Cut(w, "="); {
	case l.flag != nil && w == "=":
		// The shell has cut --flag=value into three words.
	case l.flag != nil:
		l.value(l.flag.PlaceHolder, w)
		l.flag = nil
	case strings.HasPrefix(w, "-") && w != "-":
		f := l.flagOf(name)
		switch {
		case f == nil || f.IsBool():
		case joined:
			l.value(f.PlaceHolder, value)
		default:
			l.flag = f
		}
	case l.node.Type == kong.ApplicationNode && w == "help" && !l.helped:
		l.helped = true
	case len(l.node.Children) > 0:
		i := slices.IndexFunc(l.node.Children, func(n *kong.Node) bool { return n.Name == w })
		if i < 0 {
			return false
		}
		l.node = l.node.Children[i]
	default:
		if n := len(l.node.Positional); n > 0 && l.node.Positional[min(l.given, n-1)].Name == "path" {
			l.value("PATH", w)
		}
		l.given++
	}
	return true
}

// value notes a path that may hold definitions.
func (l *commandLine) value(placeHolder, w string) {
	if placeHolder == "PATH" {
		l.files = append(l.files, strings.Split(w, ",")...)
	}
}

// flagOf returns the flag of that name, with one dash or two, or nil.
func (l *commandLine) flagOf(name string) *kong.Flag {
	if !strings.HasPrefix(name, "-") {
		return nil
	}
	name = strings.TrimPrefix(strings.TrimPrefix(name, "-"), "-")
	for _, group := range l.node.AllFlags(true) {
		for _, f := range group {
			if f.Name == name || name == string(f.Short) {
				return f
			}
		}
	}
	return nil
}

// flags returns the flags of the command, with as many dashes as were typed.
func (l *commandLine) flags() (list []candidate) {
	dashes := "-"
	if strings.HasPrefix(l.lastWord, "--") {
		dashes = "--"
	}
	for _, group := range l.node.AllFlags(true) {
		for _, f := range group {
			list = append(list, candidate{dashes + f.Name, firstSentence(f.Help)})
		}
	}
	slices.SortFunc(list, func(a, b candidate) int { return strings.Compare(a.word, b.word) })
	return list
}

func (l *commandLine) commands() (list []candidate) {
	for _, n := range l.node.Children {
		if !n.Hidden {
			list = append(list, candidate{n.Name, firstSentence(n.Help)})
		}
	}
	if l.node.Type == kong.ApplicationNode && !l.helped {
		list = append(list, candidate{"help", "Show how a command is used"})
	}
	return list
}

// values returns what a flag or argument may be, where that is known. Of a list with
// commas the last element is completed.
func (l *commandLine) values(v *kong.Value, placeHolder, w string) (list []candidate) {
	before := ""
	if i := strings.LastIndexByte(w, ','); i >= 0 && v.IsSlice() {
		before = w[:i+1]
	}
	add := func(word, help string) { list = append(list, candidate{before + word, help}) }
	switch {
	case v.Enum != "":
		for _, e := range v.EnumSlice() {
			if e != "" {
				add(e, "")
			}
		}
	case placeHolder == "RULE":
		for _, r := range definition.Rules() {
			add(r, "")
		}
	case placeHolder == "ID" || placeHolder == "ID@TIME" || v.Name == "id":
		for _, d := range l.definitions() {
			if placeHolder == "ID@TIME" {
				d.word += "@"
			}
			add(d.word, d.help)
		}
	}
	return list
}

// definitions returns the IDs of the definitions that the command is given, or if there
// are none those of the folder "buffs".
func (l *commandLine) definitions() (list []candidate) {
	files := l.files
	if _, err := os.Stat("buffs"); len(files) == 0 && err == nil {
		files = []string{"buffs"}
	}
	texts, _ := definition.Files(files...) // what cannot be read has no IDs to offer
	for _, t := range texts {
		file, err := readConverted(t.Name, t.Text)
		if err != nil {
			continue
		}
		table, _ := parted(file.root)
		for _, f := range table {
			ids, _ := definition.Fields(f.Value)
			for _, d := range ids {
				list = append(list, described(d))
			}
		}
	}
	return list
}

// described is a definition with its name.
func described(d *ast.MappingValueNode) candidate {
	id, _ := definition.Text(d.Key)
	fields, _ := definition.Fields(d.Value)
	for _, f := range fields {
		if key, _ := definition.Text(f.Key); key == "name" {
			name, _ := definition.Text(f.Value)
			return candidate{id, firstSentence(name)}
		}
	}
	return candidate{id, ""}
}

// firstSentence returns the first sentence of a text, on one line.
func firstSentence(s string) string {
	s, _, _ = strings.Cut(strings.Join(strings.Fields(s), " "), ". ")
	return strings.TrimSuffix(s, ".")
}
