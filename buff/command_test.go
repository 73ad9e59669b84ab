package buff_test

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/buff/verb"
	_ "github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"
)

func commandCatalog(tb testing.TB) *buff.Catalog {
	tb.Helper()
	c, err := buff.Build(buff.Definitions{
		Attributes: []define.Attribute{{Attribute: stat.Attribute{Name: "health"}}, {Attribute: stat.Attribute{Name: "power"}}},
		Acts:       []string{"move", "cast"},
		Specs: []buff.Spec{
			{ID: "venom", Duration: 12 * time.Second, Tags: []string{"magic.fire"}},
			{ID: "slow=fall", Kind: define.Infinite, Params: []define.Param{{Name: "power", Value: define.Caller("power").Or(1)}}},
		},
	})
	require.NoError(tb, err)
	return c
}

// commandsOf returns the commands of each constructor, with the fewest and with all arguments.
func commandsOf(cat *buff.Catalog) map[string][]buff.Command {
	const h, t = buff.Handle(3<<44 | 7<<32 | 17), buff.TimeoutHandle(5<<44 | 1<<32 | 9)
	fire, _ := cat.Tag("magic.fire")
	cast, _ := cat.Act("cast")
	power, _ := cat.Attr("power")
	venom, fall := cat.Spec("venom"), cat.Spec("slow=fall")
	half := buff.Ratio{Num: 1, Den: 2}
	all := buff.Query{
		Spec: fall, Source: 9, Most: 3, Type: "old curse", Compensate: "always", Tag: fire, Polarity: define.Negative, Grade: define.GradeDeath, Newest: true,
	}
	ends := all
	ends.Grade = 0
	return map[string][]buff.Command{
		"Apply": {
			buff.Apply(7, buff.Application{Spec: venom}),
			buff.Apply(math.MaxUint64, buff.Application{
				Spec: fall, Source: 9, Stacks: -2, Level: 4, Key: math.MaxUint64, Duration: buff.Lasting(-1500 * time.Microsecond), Scale: buff.Ratio{Num: 3, Den: 4},
				Magnitude: math.MinInt64, Params: []buff.Arg{{Caller: "power", Value: 0.1}, {Caller: "a=b \"c\"", Value: math.Inf(-1)}},
			}),
		},
		"Remove":         {buff.Remove(h)},
		"RemoveStacks":   {buff.RemoveStacks(h, 2, reason.Dispelled)},
		"RemoveSpec":     {buff.RemoveSpec(7, venom, 0, reason.Cancelled), buff.RemoveSpec(7, fall, 2, reason.Stolen)},
		"Extend":         {buff.Extend(h, -2*time.Second)},
		"ExtendUpTo":     {buff.ExtendUpTo(h, 2*time.Second, time.Minute)},
		"SetRemaining":   {buff.SetRemaining(h, 1500*time.Millisecond)},
		"SetPeriod":      {buff.SetPeriod(h, time.Second)},
		"Inhibit":        {buff.Inhibit(h)},
		"Release":        {buff.Release(h)},
		"ConsumeCharges": {buff.ConsumeCharges(h, 2), buff.ConsumeCharges(h, 0)},
		"Cancel":         {buff.Cancel(t)},
		"AddTimeout":     {buff.AddTimeout(7, 5*time.Second, "bomb"), buff.AddTimeout(7, -1, "a bomb")},

		"Pause": {buff.Pause(7)}, "Resume": {buff.Resume(7)}, "SetRate": {buff.SetRate(7, half), buff.SetRate(7, buff.Ratio{})},
		"PauseBuff": {buff.PauseBuff(h)}, "ResumeBuff": {buff.ResumeBuff(h)}, "SetBuffRate": {buff.SetBuffRate(h, half)},
		"PauseArea": {buff.PauseArea(4)}, "ResumeArea": {buff.ResumeArea(4)}, "SetAreaRate": {buff.SetAreaRate(4, half)},
		"SetArea": {buff.SetArea(7, 4)},

		"AddTag": {buff.AddTag(7, fire)}, "DropTag": {buff.DropTag(7, fire)},
		"Immunize": {buff.Immunize(7, fire, false), buff.Immunize(7, fire, true)}, "DropImmunity": {buff.DropImmunity(7, fire)},
		"Dispel":     {buff.Dispel(7, buff.Query{}), buff.Dispel(7, all), buff.Dispel(7, buff.Query{Spec: venom, Most: 1, Stacks: 2}), buff.Dispel(7, buff.Query{Neutral: true})},
		"Steal":      {buff.Steal(7, 9, buff.Query{}, 0), buff.Steal(7, 9, all, time.Minute)},
		"Compensate": {buff.Compensate(buff.Query{}, time.Hour), buff.Compensate(ends, -time.Hour)},
		"Interrupt":  {buff.Interrupt(7, cast)}, "Consume": {buff.Consume(7, cast)},
		"Happened": {buff.Happened(7, cast, 9, 30), buff.Happened(7, cast, 0, -1), buff.Happened(7, cast, 0, 0), ofSchool(buff.Happened(7, cast, 9, 30), fire)},
		"Absorb":   {buff.Absorb(7, 70, 0), buff.Absorb(7, 70, fire)},
		"Damage":   {buff.Damage(7, power, 7.5, 0), buff.Damage(7, power, 7.5, fire), buff.Damage(7, power, 7.5, fire).From(9)},
		"SetBase":  {buff.SetBase(7, power, 0), buff.SetBase(7, power, -1e-300)}, "AddBase": {buff.AddBase(7, power, 0.1)},
		"Kill": {buff.Kill(7), buff.Kill(7).From(9)}, "Revive": {buff.Revive(7)}, "LoseSource": {buff.LoseSource(9)},
	}
}

// constructors returns the names of the functions of package buff that return a Command.
func constructors(tb testing.TB) (names []string) {
	tb.Helper()
	files, err := os.ReadDir(".")
	require.NoError(tb, err)
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), f.Name(), nil, parser.SkipObjectResolution)
		require.NoError(tb, err)
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil || !fn.Name.IsExported() || fn.Type.Results.NumFields() != 1 {
				continue
			}
			if id, ok := fn.Type.Results.List[0].Type.(*ast.Ident); ok && id.Name == "Command" {
				names = append(names, fn.Name.Name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// TestCommandForms checks that the command of each constructor is the same after conversion to its
// binary form or its text and back, and that both forms equal those in testdata/commands.
func TestCommandForms(t *testing.T) {
	cat := commandCatalog(t)
	all := commandsOf(cat)
	require.Equal(t, constructors(t), slices.Sorted(maps.Keys(func() map[string][]buff.Command {
		with := maps.Clone(all)
		with["AddTimeoutFunc"] = nil // see TestCommandErrors
		return with
	}())), "a constructor without a row")

	var golden strings.Builder
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for _, c := range all[name] {
			data, err := c.AppendBinary(nil, cat)
			require.NoError(t, err, name)
			var again buff.Command
			require.NoError(t, again.UnmarshalBinary(data, cat), name)
			require.Equal(t, c, again, name)

			for _, text := range []string{c.Text(cat), c.String()} {
				read, err := buff.ParseCommand(text, buff.Names{Catalog: cat})
				require.NoError(t, err, text)
				require.Equal(t, c, read, text)
			}
			fmt.Fprintf(&golden, "%s\n\t%s\n\t%x\n", name, c.Text(cat), data)
		}
	}
	const file = "testdata/commands/v1.golden"
	if flag.Lookup("rewrite").Value.String() == "true" {
		require.NoError(t, os.WriteFile(file, []byte(golden.String()), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), golden.String(), "the forms of version 1 must never change; a new constructor adds its lines")
}

// TestCommandGolden checks that the binary forms of all earlier versions can be read.
func TestCommandGolden(t *testing.T) {
	cat := commandCatalog(t)
	file, err := os.ReadFile("testdata/commands/v1.golden")
	require.NoError(t, err)
	lines, n := bufio.NewScanner(bytes.NewReader(file)), 0
	for lines.Scan() {
		name := lines.Text()
		require.True(t, lines.Scan())
		text := strings.TrimSpace(lines.Text())
		require.True(t, lines.Scan())
		data, err := hex.DecodeString(strings.TrimSpace(lines.Text()))
		require.NoError(t, err)
		var c buff.Command
		require.NoError(t, c.UnmarshalBinary(data, cat), name)
		require.Equal(t, text, c.Text(cat))
		n++
	}
	require.Greater(t, n, 40)

	// When these bytes were written, a Compensate accepted a grade and ignored it.
	data, err := hex.DecodeString("011c80c080b07fffffc48bc6d10109736c6f773d66616c6c0906096f6c6420637572736506616c776179730a6d616769632e66697265086e65676174697665056465617468")
	require.NoError(t, err)
	var c buff.Command
	require.NoError(t, c.UnmarshalBinary(data, cat))
	require.Equal(t, commandsOf(cat)["Compensate"][1], c)
}

// TestCommandDamage checks that bytes that are truncated, of another version, too long or followed
// by other bytes fail with the right error. No flipped bit causes a panic, or a command without a
// binary form.
func TestCommandDamage(t *testing.T) {
	cat := commandCatalog(t)
	for name, list := range commandsOf(cat) {
		for _, c := range list {
			data, err := c.AppendBinary([]byte("before"), cat)
			require.NoError(t, err)
			require.Equal(t, "before", string(data[:6]))
			data = data[6:]
			var got buff.Command
			for n := range data {
				require.Error(t, got.UnmarshalBinary(data[:n], cat), "%s cut to %d bytes", name, n)
			}
			require.ErrorIs(t, got.UnmarshalBinary(append(slices.Clone(data), 0), cat), buff.ErrCommand)
			for bit := range 8 * len(data) {
				bad := slices.Clone(data)
				bad[bit/8] ^= 1 << (bit % 8)
				readCommand(t, cat, bad)
			}
		}
	}
	kill := buff.Kill(7)
	data, err := kill.AppendBinary(nil, cat)
	require.NoError(t, err)
	for _, c := range []struct {
		name string
		data []byte
		err  error
	}{
		{"nothing", nil, buff.ErrCommand},
		{"a later version", append([]byte{2}, data[1:]...), buff.ErrCommandVersion},
		{"a later field", []byte{1, 5, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1}, buff.ErrCommandVersion},
		{"no verb", []byte{1, 0, 0}, buff.ErrCommand},
		{"the engine's own verb", []byte{1, 26, 0}, buff.ErrCommand},
		{"a definition that is not there", []byte{1, 1, 16, 3, 'o', 'w', 'l'}, buff.ErrName},
		{"too long", append(data, make([]byte, buff.MaxCommandBytes)...), buff.ErrCommand},
		{"many parameters", []byte{1, 1, 0x80, 0x20, 0xff, 0xff, 0xff, 0xff, 0x0f}, buff.ErrCommand},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got buff.Command
			require.ErrorIs(t, got.UnmarshalBinary(c.data, cat), c.err)
			if c.name != "too long" {
				require.Less(t, testing.AllocsPerRun(10, func() { _ = got.UnmarshalBinary(c.data, cat) }), 20.0)
			}
		})
	}
}

// readCommand decodes data. If data is a command, readCommand checks that both forms of the command
// can be read again.
func readCommand(tb testing.TB, cat *buff.Catalog, data []byte) {
	tb.Helper()
	var c, again buff.Command
	if c.UnmarshalBinary(data, cat) != nil {
		return
	}
	first, err := c.AppendBinary(nil, cat)
	if err != nil {
		tb.Fatalf("%x was read as %v, and has no form: %v", data, c, err)
	}
	if err := again.UnmarshalBinary(first, cat); err != nil {
		tb.Fatalf("%x of %v is not read: %v", first, c, err)
	}
	if second, err := again.AppendBinary(nil, cat); err != nil || !bytes.Equal(first, second) {
		tb.Fatalf("%x of %v is %x after another time: %v", first, c, second, err)
	}
}

// TestCommandErrors checks the errors for commands that have no binary form and for bytes that are
// not a command.
func TestCommandErrors(t *testing.T) {
	cat := commandCatalog(t)
	other, err := buff.NewCatalog(buff.Spec{ID: "owl", Kind: define.Infinite})
	require.NoError(t, err)
	for name, c := range map[string]struct {
		cmd buff.Command
		err error
	}{
		"function":         {buff.AddTimeoutFunc(7, 0, func() {}), buff.ErrFunc},
		"no verb":          {buff.Command{}, buff.ErrCommand},
		"the engine's own": {buff.Command{Verb: verb.Enter, Application: buff.Application{Spec: cat.Spec("venom")}}, buff.ErrCommand},
		"no definition":    {buff.Apply(7, buff.Application{}), buff.ErrCommand},
		"calls nothing":    {buff.AddTimeout(7, 0, ""), buff.ErrCommand},
		"reason":           {buff.Command{Verb: verb.Remove, Reason: reason.Immune}, buff.ErrCommand},
		"whose":            {buff.Command{Verb: verb.Pause, Whose: define.OfSource}, buff.ErrCommand},
		"tag":              {buff.AddTag(7, 77), buff.ErrName},
		"tag of a query":   {buff.Dispel(7, buff.Query{Tag: 77}), buff.ErrName},
		"act":              {buff.Interrupt(7, 77), buff.ErrName},
		"attribute":        {buff.AddBase(7, 77, 1), buff.ErrName},
		"no attribute":     {buff.AddBase(7, 0, 1), buff.ErrName},
		"too long":         {buff.AddTimeout(7, 0, strings.Repeat("x", buff.MaxCommandBytes)), buff.ErrCommand},
	} {
		t.Run(name, func(t *testing.T) {
			kept := []byte("kept")
			out, err := c.cmd.AppendBinary(kept, cat)
			require.ErrorIs(t, err, c.err)
			require.Equal(t, kept, out)
			_ = c.cmd.String()
		})
	}
	venom := buff.Apply(7, buff.Application{Spec: cat.Spec("venom")})
	data, err := venom.AppendBinary(nil, cat)
	require.NoError(t, err)
	require.ErrorIs(t, venom.UnmarshalBinary(data, other), buff.ErrName)
	require.PanicsWithValue(t, "buff: immune is not a reason that ends a buff", func() { buff.RemoveStacks(1, 1, reason.Immune) })
	require.PanicsWithValue(t, "buff: immune is not a reason that ends a buff", func() { buff.RemoveSpec(1, nil, 1, reason.Immune) })
}

// TestParseCommandErrors checks that the error for an invalid line names the wrong part and a
// correct alternative.
func TestParseCommandErrors(t *testing.T) {
	names := buff.Names{Catalog: commandCatalog(t), Self: 7}
	for line, want := range map[string]string{
		"":                                "there is no verb \"\"",
		"hop 3":                           "there is no verb \"hop\"",
		"enter venom":                     "there is no verb \"enter\"",
		"aply venom":                      "there is no verb \"aply\": did you mean \"apply\"?",
		"apply venmo":                     "apply: buff: the catalog has no such name: definition \"venmo\": did you mean \"venom\"?",
		"apply":                           "apply: of which definition?",
		"apply owl":                       "apply: buff: the catalog has no such name: definition \"owl\"",
		"apply venom owner=me":            "apply: \"owner\" must be a whole number from 0 to 18446744073709551615, not \"me\"",
		"apply venom stacks=x":            "apply: \"stacks\" must be a whole number, not \"x\"",
		"apply venom by=2s":               "apply: \"by\" says nothing here",
		"apply venom newest":              "apply: \"newest\" says nothing here",
		"apply venom level=1 level=2":     "apply: \"level\" stands there twice",
		"apply venom level":               "apply: \"level\" has no value",
		"apply venom duration=2":          "apply: \"duration\" must be a span such as 12s, 1500ms or 36h, not \"2\"",
		"apply venom param.x=y":           "apply: \"param.x\" must be a number, not \"y\"",
		"apply \"venom":                   "apply: a quote does not end: \"venom",
		"apply \"venom\"x":                "apply: something stands behind \"venom\": \"x\"",
		"remove venom":                    "remove: a handle is owner number, slot and generation, 3/0/17, not \"venom\"",
		"remove 1/2/3 why=immune":         "remove: \"why\" unknown word \"immune\": want",
		"remove 1048576/0/1":              "remove: must be a whole number from 0 to 1048575, not \"1048576\"",
		"extend 1/2/3":                    "extend: it needs \"by\"",
		"extend 1/2/3 by=2s at_most=-1s":  "extend: \"at_most\" must be above 0, not -1s",
		"rate fast":                       "rate: must be a ratio such as 2, 0.25 or \"1/3\", not \"fast\"",
		"tag owl":                         "tag: buff: the catalog has no such name: tag \"owl\"",
		"tag #99":                         "tag: buff: the catalog has no such name: tag with the tag number 99",
		"kill him":                        "kill: nothing stands behind it, or true, not \"him\"",
		"dispel stacks=0":                 "dispel: \"stacks\" must be from 1 to 32767, not 0",
		"dispel newest=maybe":             "dispel: \"newest\" must be true or false, not \"maybe\"",
		"change owl by=1":                 "change: buff: the catalog has no such name: attribute \"owl\"",
		"change #0 by=1":                  "change: buff: the catalog has no such name: change with the attribute number 0",
		"interrupt owl":                   "interrupt: buff: the catalog has no such name: act \"owl\"",
		"use 1/2/3 charges=0":             "use: \"charges\" must be from 1 to",
		"area 4294967296":                 "area: must be a whole number from 0 to 4294967295",
		"timeout \"\" after=1s":           "timeout: buff: bad command: a timeout that calls nothing",
		strings.Repeat("x", 1<<16) + " x": "a line of 65538 bytes",
	} {
		_, err := buff.ParseCommand(line, names)
		require.ErrorContains(t, err, want, "%.100q", line)
		require.ErrorIs(t, err, buff.ErrCommand)
		var at *buff.TextError
		require.ErrorAs(t, err, &at)
	}
}

// TestParseCommandForms checks the parts of a line that can be written in more than one way.
func TestParseCommandForms(t *testing.T) {
	cat := commandCatalog(t)
	venom := cat.Spec("venom")
	named := errNamed("nobody")
	names := buff.Names{
		Catalog: cat, Self: 1, Source: 2,
		Owner: func(name string) (buff.OwnerID, error) {
			if name == "boss" {
				return 9, nil
			}
			return 0, named
		},
		Buff: func(owner buff.OwnerID, name string) (buff.Handle, error) {
			if name == "hers" {
				return buff.Handle(owner)<<44 | 5, nil
			}
			return 0, named
		},
		Timeout: func(buff.OwnerID, string) (buff.TimeoutHandle, error) { return 0, named },
	}
	for line, want := range map[string]buff.Command{
		"apply venom":                     buff.Apply(1, buff.Application{Spec: venom, Source: 2}),
		" apply\tvenom  source=boss ":     buff.Apply(1, buff.Application{Spec: venom, Source: 9}),
		"owner":                           {},
		"kill true owner=boss":            buff.Kill(9),
		"remove hers owner=boss stacks=2": buff.RemoveStacks(9<<44|5, 2, reason.Cancelled),
		"dispel venom":                    buff.Dispel(1, buff.Query{Spec: venom, Grade: define.GradeDeath, Most: 1}),
		"dispel venom stacks=2":           buff.Dispel(1, buff.Query{Spec: venom, Grade: define.GradeDeath, Most: 1, Stacks: 2}),
		"dispel stacks=2 newest":          buff.Dispel(1, buff.Query{Newest: true, Stacks: 2}),
		"steal venom to=boss":             buff.Steal(1, 9, buff.Query{Spec: venom, Grade: define.GradeDeath, Most: 1}, 0),
		"compensate venom by=1h":          buff.Compensate(buff.Query{Spec: venom}, time.Hour),
		"dispel newest":                   buff.Dispel(1, buff.Query{Newest: true}),
		"dispel newest=false":             buff.Dispel(1, buff.Query{}),
		"dispel target=boss":              {Verb: verb.Dispel, Owner: 1, Application: buff.Application{Source: 9}},
		"immune \"magic\" purge=true":     buff.Immunize(1, tagOf(t, cat, "magic"), true),
		"rate 0.25":                       buff.SetRate(1, buff.Ratio{Num: 1, Den: 4}),
		"rate 1.0":                        buff.SetRate(1, buff.Ratio{}),
		"rate 6/4":                        buff.SetRate(1, buff.Ratio{Num: 3, Den: 2}),
		"rate 0/3":                        buff.SetRate(1, buff.Ratio{Den: 3}),
	} {
		got, err := buff.ParseCommand(line, names)
		if want.Verb == 0 {
			require.Error(t, err)
			continue
		}
		require.NoError(t, err, line)
		require.Equal(t, want, got, line)
	}
	for _, line := range []string{"kill owner=me", "remove his", "cancel it"} {
		_, err := buff.ParseCommand(line, names)
		require.ErrorIs(t, err, named, line)
	}
}

type errNamed string

func (e errNamed) Error() string { return string(e) }

func tagOf(tb testing.TB, cat *buff.Catalog, name string) buff.Tag {
	tb.Helper()
	tag, ok := cat.Tag(name)
	require.True(tb, ok)
	return tag
}

// TestCommandIsFor checks Command.Number and Command.Many for each command.
func TestCommandIsFor(t *testing.T) {
	for name, list := range commandsOf(commandCatalog(t)) {
		for _, c := range list {
			number, by := c.Number()
			switch {
			case c.Many():
				require.Contains(t, []string{"Compensate", "LoseSource", "PauseArea", "ResumeArea", "SetAreaRate"}, name)
				require.False(t, by)
			case name == "Cancel":
				require.EqualValues(t, 5, number)
			case by:
				require.EqualValues(t, 3, number, name)
				require.Zero(t, c.Owner)
			default:
				require.NotZero(t, c.Owner, name)
				require.Zero(t, c.Handle)
			}
		}
	}
}

// TestCommandAllocates checks that AppendBinary does not allocate.
func TestCommandAllocates(t *testing.T) {
	cat := commandCatalog(t)
	var room [1 << 10]byte
	for name, list := range commandsOf(cat) {
		for _, c := range list {
			require.Zero(t, testing.AllocsPerRun(10, func() { _, _ = c.AppendBinary(room[:0], cat) }), name)
		}
	}
}

// TestCommandFields checks that the binary form has all fields of a command, an application and a
// query: each field that a caller can set is set by some constructor.
func TestCommandFields(t *testing.T) {
	set := map[string]bool{"Command.Do": true, "Command.Handler": true, "Application.Captured": true, "Application.Origin": true} // these fields are set when a command is executed, or have no binary form
	var note func(v reflect.Value)
	note = func(v reflect.Value) {
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if !v.Field(i).IsZero() {
				set[v.Type().Name()+"."+f.Name] = true
			}
			if f.Type == reflect.TypeFor[buff.Application]() || f.Type == reflect.TypeFor[buff.Query]() {
				note(v.Field(i))
			}
		}
	}
	for _, list := range commandsOf(commandCatalog(t)) {
		for _, c := range list {
			note(reflect.ValueOf(c))
		}
	}
	for _, of := range []reflect.Type{reflect.TypeFor[buff.Command](), reflect.TypeFor[buff.Application](), reflect.TypeFor[buff.Query]()} {
		for i := range of.NumField() {
			if f := of.Field(i); f.IsExported() {
				require.True(t, set[of.Name()+"."+f.Name], "%s.%s is set by no constructor", of.Name(), f.Name)
			}
		}
	}
}

// FuzzCommandBinary checks that no bytes cause a panic, and that a decoded command has exactly one
// binary form.
func FuzzCommandBinary(f *testing.F) {
	cat := commandCatalog(f)
	for _, list := range commandsOf(cat) {
		for _, c := range list {
			data, err := c.AppendBinary(nil, cat)
			require.NoError(f, err)
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) { readCommand(t, cat, data) })
}

// FuzzCommandText checks that no line causes a panic, and that the text of a parsed command is
// parsed as the same command.
func FuzzCommandText(f *testing.F) {
	cat := commandCatalog(f)
	for _, list := range commandsOf(cat) {
		for _, c := range list {
			f.Add(c.Text(cat))
		}
	}
	names := buff.Names{Catalog: cat}
	f.Fuzz(func(t *testing.T, line string) {
		c, err := buff.ParseCommand(line, names)
		if err != nil {
			return
		}
		text := c.Text(cat)
		again, err := buff.ParseCommand(text, names)
		if err != nil {
			t.Fatalf("%q is written as %q, which is not read: %v", line, text, err)
		}
		if twice := again.Text(cat); twice != text {
			t.Fatalf("%q is written as %q, then as %q", line, text, twice)
		}
	})
}

// TestResultText checks the text of a Result in a log.
func TestResultText(t *testing.T) {
	for want, r := range map[string]buff.Result{
		"nothing changed":       {},
		"queued":                {Queued: true, Kind: buff.Applied},
		"deny limit":            {Kind: buff.Denied, Why: reason.Limit},
		"apply 0/0/17":          {Kind: buff.Applied, Handle: 17},
		"remove amount=3":       {Kind: buff.Removed, Amount: 3},
		"timeout timeout 0/0/1": {Kind: buff.TimedOut, Timeout: 1},
		"buff: bad duration":    {Kind: buff.Faulted, Failure: buff.ErrDuration},
	} {
		require.Equal(t, want, r.String())
	}
}

// TestCommand_UnmarshalBinary_DefaultWord checks that a field whose word stands for the zero value
// need not be in the binary form, and that bytes with this field give the same command.
func TestCommand_UnmarshalBinary_DefaultWord(t *testing.T) {
	c, err := buff.NewCatalog(buff.Spec{ID: "a", Duration: time.Second})
	require.NoError(t, err)
	said := buff.RemoveStacks(7, 1, reason.Expired)
	b, err := said.AppendBinary(nil, c)
	require.NoError(t, err)
	require.Equal(t, 1, bytes.Count(b, []byte("\x07expired")), "%q", b)
	b = bytes.Replace(b, []byte("\x07expired"), []byte("\x04none"), 1)
	var got buff.Command
	require.NoError(t, got.UnmarshalBinary(b, c))
	said.Reason = reason.None
	require.Equal(t, said, got)
}

// ofSchool is the act that the engine reports for damage of a school.
func ofSchool(c buff.Command, school buff.Tag) buff.Command {
	c.Tag = school
	return c
}
