package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/internal/definition"
	"github.com/bufftick/bufftick/internal/preview"
	"github.com/bufftick/bufftick/internal/scenario"
)

// previewCmd is "bufftick preview".
type previewCmd struct {
	ID    string
	Files []string

	ApplyAt, Also, Haste, Extend, Dispel, Pause, Tag, Param []string

	Stacks, Level int
	Seed          uint64
	Until         string

	Events bool
	Width  int
	SVG    string
}

func (c *previewCmd) flags(f *flags) {
	f.listVar(&c.Files, "f", "`PATH` of definitions, a file or a folder, or of one scenario. Required.")
	f.listVar(&c.ApplyAt, "apply-at", "`TIME` of an application, followed by xN for stacks, =N for a magnitude, :NAME for a source. Default: 0.")
	f.listVar(&c.Also, "also", "`ID@TIME` of another definition to apply, with the same options: curse@4sx2:b.")
	f.listVar(&c.Haste, "haste", "`F@TIME`: divide the period by F, rounded half up to a millisecond: 1.3@5s.")
	f.listVar(&c.Extend, "extend", "`SPAN@TIME`: move the end: 2s@3s, or -2s@3s.")
	f.listVar(&c.Dispel, "dispel", "`@TIME` of a dispel of the highest grade: @6s, or x2@6s for two stacks.")
	f.listVar(&c.Pause, "pause", "`TIME-TIME` during which the owner is paused: 3s-5s.")
	f.listVar(&c.Tag, "tag", "`TAG@TIME-TIME`: the owner has a tag: state.rooted@3s-5s, or without an end.")
	f.listVar(&c.Param, "param", "`NAME=NUMBER`: a parameter of each application.")
	f.IntVar(&c.Stacks, "stacks", 0, "`N` stacks of each application that does not state them. Default: those of the definition.")
	f.IntVar(&c.Level, "level", 0, "`N`, the level of each application.")
	f.Uint64Var(&c.Seed, "seed", 0, "`N`, the seed of all chances.")
	f.StringVar(&c.Until, "until", "", "`TIME` at which the timeline ends. Default: when everything has ended, or has repeated itself long enough.")
	f.BoolVar(&c.Events, "events", false, "List the events below the timeline, as \"bufftick run\" does.")
	f.IntVar(&c.Width, "width", 80, "`N` columns of text.")
	f.StringVar(&c.SVG, "svg", "", "`FILE` to write a picture to instead of printing text; - is the standard output.")
}

func (*previewCmd) help() string {
	return `A time is a span from the start: 0, 4s, 1500ms, 1m30s. Flags with several
values may be repeated or take a list with commas. Buffs that the previewed
buff applies have their own rows. A step at an instant runs after the events
that are due then.

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

// run reads the definitions, plays the script and draws the timeline.
func (c *previewCmd) run(args []string, stdout, stderr io.Writer) error {
	c.ID = args[0]
	if len(c.Files) == 0 {
		return usageError{errors.New("bufftick: -f PATH is required; see bufftick preview -help")}
	}
	if len(c.ApplyAt) == 0 {
		c.ApplyAt = []string{"0"}
	}
	script, err := c.script()
	if err != nil {
		return fmt.Errorf("bufftick: %w; see bufftick preview -help", err)
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
	for _, n := range line.Notes { // print the notes, because the picture does not show them
		fmt.Fprintln(stderr, "note:", n)
	}
	return nil
}

func writePicture(file string, text []byte, stdout io.Writer) error {
	if file == "-" {
		_, err := stdout.Write(text)
		return err
	}
	return os.WriteFile(file, text, 0o644)
}

// print writes the timeline as text, and the events.
func (c *previewCmd) print(line *preview.Timeline, stdout io.Writer) error {
	text := []byte(line.Text(c.Width))
	if c.Events {
		text = append(text, '\n')
		for i := range line.Events {
			text = append(line.Events[i].AppendLog(text, false), '\n')
		}
	}
	_, err := stdout.Write(text)
	return err
}

// explain adds the IDs of known definitions to an error about an unknown definition.
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

// previewed reads definitions from definition files or from a scenario.
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

// scenarioOf returns the scenario in a file. If the file is not a scenario or cannot be read,
// scenarioOf returns nil, and the loader of definitions reports the error.
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

// script returns the steps that the flags describe.
func (c *previewCmd) script() (preview.Script, error) {
	s := preview.Script{ID: c.ID, Seed: c.Seed}
	if c.Stacks < 0 || c.Stacks > define.MaxStacks {
		return s, fmt.Errorf("-stacks must be from 1 to %d, and is %d", define.MaxStacks, c.Stacks)
	}
	if c.Level < 0 || c.Level > define.MaxLevel {
		return s, fmt.Errorf("-level must be from 0 to %d, and is %d", define.MaxLevel, c.Level)
	}
	if c.Width < 1 || c.Width > widest {
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

// widest is the maximum value of -width.
const widest = 10_000
