package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/internal/definition"
	"github.com/bufftick/bufftick/internal/preview"
	"github.com/bufftick/bufftick/internal/scenario"
)

// previewCmd is "bufftick preview".
type previewCmd struct {
	ID    string   `arg:"" name:"id" help:"The definition that is previewed."`
	Files []string `name:"f" required:"" placeholder:"PATH" help:"Definitions: files or folders, or one scenario file, of which only the buffs are read."`

	ApplyAt []string `name:"apply-at" placeholder:"TIME" default:"0" help:"When it is applied: TIME, and behind it xN for stacks, =N for a magnitude, :NAME for a source. If not given, at 0."`
	Also    []string `placeholder:"ID@TIME" help:"Applies another definition, in the same way: curse@4sx2:b."`
	Haste   []string `placeholder:"F@TIME" help:"Its period is divided by F, in whole milliseconds, half up: 1.3@5s."`
	Extend  []string `placeholder:"SPAN@TIME" help:"Its end moves: 2s@3s, or -2s@3s."`
	Dispel  []string `placeholder:"@TIME" help:"A dispel of the highest grade: @6s, or x2@6s for two stacks."`
	Pause   []string `placeholder:"TIME-TIME" help:"The time of its owner stands still: 3s-5s."`
	Tag     []string `placeholder:"TAG@TIME-TIME" help:"Its owner has a tag: state.rooted@3s-5s, or without an end."`
	Param   []string `placeholder:"NAME=NUMBER" help:"A number that each application brings."`
	Stacks  int      `placeholder:"N" help:"Stacks of each application that does not say. If not given, what the definition says."`
	Level   int      `placeholder:"N" help:"Level of each application."`
	Seed    uint64   `placeholder:"N" help:"What chance depends on."`
	Until   string   `placeholder:"TIME" help:"Where the timeline ends. If not given, when everything has ended, or enough has been seen."`

	Events bool   `help:"Lists the events below, as \"bufftick run\" does."`
	Width  int    `placeholder:"N" help:"Columns of the text. If not given, those of the terminal, or 80."`
	SVG    string `name:"svg" placeholder:"FILE" help:"Writes a picture in place of the text; - is the standard output."`
}

// Help is the part of --help behind the flags.
func (*previewCmd) Help() string {
	return `A time is a span from the start: 0, 4s, 1500ms, 1m30s. Flags that take
several values may be repeated, or have them with commas between. What the
previewed buff applies has rows of its own. Each step comes after what is due
at its instant.

Examples:

    bufftick preview venom -f buffs/
    bufftick preview venom -f buffs/ -apply-at 0,4s -events
    bufftick preview venom -f buffs/ -apply-at 0x2:spider,4s:snake
    bufftick preview venom -f venom.yaml -haste 1.3@5s -extend 2s@3s -dispel @9s
    bufftick preview regen -f buffs/ -pause 3s-5s -until 30s
    bufftick preview venom -f buffs/ -also plague@4s -tag state.banished@6s-8s
    bufftick preview venom -f buffs/ -svg venom.svg

The exit code is 1 if a file or a flag is wrong.`
}

// Run reads the definitions, plays the script and draws it.
func (c *previewCmd) Run(stdout output, stderr messages) error {
	script, err := c.script()
	if err != nil {
		return fmt.Errorf("bufftick: %w; see bufftick preview --help", err)
	}
	defs, err := previewed(c.Files)
	if err != nil {
		return err
	}
	line, err := preview.Run(defs, script)
	if err != nil {
		return c.explain(err, defs)
	}
	if c.SVG == "" {
		return c.print(line, stdout)
	}
	if err := writePicture(c.SVG, line.Picture().SVG(), stdout); err != nil {
		return fmt.Errorf("bufftick: %w", err)
	}
	for _, n := range line.Notes { // a picture does not have them
		fmt.Fprintln(stderr, "note:", n)
	}
	return nil
}

func writePicture(file string, text []byte, stdout output) error {
	if file == "-" {
		_, err := stdout.Write(text)
		return err
	}
	return os.WriteFile(file, text, 0o644)
}

// print writes the timeline as text, and the events.
func (c *previewCmd) print(line *preview.Timeline, stdout output) error {
	text := []byte(line.Text(c.width(stdout)))
	if c.Events {
		text = append(text, '\n')
		for i := range line.Events {
			text = append(line.Events[i].AppendLog(text, false), '\n')
		}
	}
	_, err := stdout.Write(text)
	return err
}

// plainWidth is that of a text that goes to no terminal.
const plainWidth = 80

func (c *previewCmd) width(stdout output) int {
	if c.Width > 0 {
		return c.Width
	}
	if s, ok := stdout.(*sink); ok {
		if f, ok := s.to.(*os.File); ok {
			if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
				return w
			}
		}
	}
	return plainWidth
}

// explain makes an error of the preview one of the tool. Where the definition is not
// known it says which there are.
func (c *previewCmd) explain(err error, defs *buff.Catalog) error {
	if !errors.Is(err, preview.ErrUnknown) {
		return fmt.Errorf("bufftick: %w", err)
	}
	const most = 20
	var ids []string
	for s := range defs.All() {
		if len(ids) == most {
			ids = append(ids, fmt.Sprintf("… %d in all", defs.Len()))
			break
		}
		ids = append(ids, s.ID)
	}
	return fmt.Errorf("bufftick: %w; the buffs in %s are %s", err, strings.Join(c.Files, ", "), strings.Join(ids, ", "))
}

// previewed reads the definitions. A scenario has them among other things.
func previewed(paths []string) (*buff.Catalog, error) {
	if len(paths) == 1 {
		if s := scenarioOf(paths[0]); s != nil {
			if len(s.Faults) > 0 {
				return nil, s.Faults
			}
			return s.Catalog, nil
		}
	}
	return definition.Load(paths...)
}

// scenarioOf returns the scenario that a file holds, or nil if it holds something else
// or cannot be read: the loader of definitions then says why.
func scenarioOf(path string) *scenario.Scenario {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() > definition.MaxFileSize {
		return nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	root, err := definition.Tree(path, text)
	if err != nil {
		return nil
	}
	fields, _ := definition.Fields(root)
	for _, f := range fields {
		if key, _ := definition.Text(f.Key); key == "script" {
			list, err := scenario.Parse(path, text)
			if err != nil {
				return nil
			}
			return list[0]
		}
	}
	return nil
}

// script makes the steps that the flags ask for.
func (c *previewCmd) script() (preview.Script, error) {
	s := preview.Script{ID: c.ID, Seed: c.Seed}
	if c.Stacks < 0 || c.Stacks > define.MaxStacks {
		return s, fmt.Errorf("-stacks must be from 1 to %d, and is %d", define.MaxStacks, c.Stacks)
	}
	if c.Level < 0 || c.Level > define.MaxLevel {
		return s, fmt.Errorf("-level must be from 0 to %d, and is %d", define.MaxLevel, c.Level)
	}
	if c.Width < 0 || c.Width > widest {
		return s, fmt.Errorf("-width must be from %d to %d, and is %d", preview.NarrowestText, widest, c.Width)
	}
	params, err := previewParams(c.Param)
	if err != nil {
		return s, err
	}
	if c.Until != "" {
		at, err := instant("-until", c.Until)
		if err != nil {
			return s, err
		}
		if at == 0 {
			return s, errors.New("-until must be above 0")
		}
		s.Until = time.Duration(at) * time.Millisecond
	}
	for _, f := range []struct {
		name   string
		values []string
		read   func(flag, value string) ([]preview.Step, error)
	}{
		{"-apply-at", c.ApplyAt, c.readApply},
		{"-also", c.Also, c.readAlso},
		{"-haste", c.Haste, readHaste},
		{"-extend", c.Extend, readExtend},
		{"-dispel", c.Dispel, readDispel},
		{"-pause", c.Pause, readPause},
		{"-tag", c.Tag, readTag},
	} {
		for _, v := range f.values {
			steps, err := f.read(f.name, v)
			if err != nil {
				return s, err
			}
			s.Steps = append(s.Steps, steps...)
		}
	}
	for i := range s.Steps {
		s.Steps[i].Params = params
	}
	return s, nil
}

// widest is more than any terminal has.
const widest = 10_000
