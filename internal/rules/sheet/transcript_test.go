package sheet

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff/stat"
)

// TestTranscripts runs the transcripts in testdata. The commands are:
//
//	schema                   one attribute per line: NAME base=V min=LIMIT max=LIMIT
//	                         aggregate=WORD n=N; a LIMIT is a number or a name. Makes a
//	                         new sheet of the schema, or prints the error
//	sheet [limit=N]          makes a new sheet
//	add NAME ATTR OP VALUE [channel=N] [of=N]    adds a modifier, called NAME
//	set NAME VALUE           changes its value
//	remove NAME              removes it
//	remove-all OF            removes all modifiers with that number
//	set-base ATTR VALUE      changes a base permanently
//	add-base ATTR DELTA      the same; prints the difference
//	cut                      prints the effect of changed limits on the attributes that they limit
//	age NAME                 sets its slot to the generation before the last
//	show [ATTR]              prints base, value and modifiers, oldest first
//
// A VALUE is a number, or a percentage with a sign (+50% is 0.5). A command that changes values
// prints the changed values. After every command the harness checks the structure, and compares
// every value with the model.
func TestTranscripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		s := &transcript{}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			before := s.values()
			out, err := s.do(t, d)
			switch {
			case err != nil:
				out = "error: " + err.Error() + "\n"
			case out == "":
				out = s.changes(before)
			}
			if s.sheet != nil {
				require.NoError(t, check(s.sheet), d.Pos)
				require.NoError(t, s.model.compare(s.sheet), d.Pos)
			}
			return out
		})
	})
}

// TestDocExample checks that the intermediate results of the example in the documentation of
// package stat are the values of the transcript.
func TestDocExample(t *testing.T) {
	doc, err := os.ReadFile("../../../buff/stat/doc.go")
	require.NoError(t, err)
	story, err := os.ReadFile("testdata/order.txt")
	require.NoError(t, err)
	_, table, _ := strings.Cut(string(doc), "// # Example\n")
	table, _, _ = strings.Cut(table, "// # Independence")
	var numbers []string
	column := -1
	for line := range strings.Lines(table) {
		switch {
		case column < 0:
			column = strings.Index(line, "running number")
		case strings.HasPrefix(line, "//\t"):
			numbers = append(numbers, strings.Fields(line[len(string([]rune(line)[:column])):])[0])
		}
	}
	require.Equal(t, []string{"100", "150", "300", "225", "230", "345", "340"}, numbers)
	for _, n := range numbers {
		if n != "345" { // hidden by the limit
			require.Regexp(t, `(?m)^attack (\d+ -> )?`+n+`$`, string(story))
		}
	}
}

type transcript struct {
	schema *stat.Schema
	sheet  *Sheet
	model  *model
	keys   map[string]Key
	names  map[Key]string
}

func (s *transcript) do(t *testing.T, d *datadriven.TestData) (string, error) {
	arg := func(i int) string { return d.CmdArgs[i].Key }
	switch d.Cmd {
	case "schema":
		var err error
		if s.schema, err = s.parse(t, d.Input); err != nil {
			return err.Error() + "\n", nil
		}
		s.start(0)
	case "sheet":
		var limit int
		d.MaybeScanArgs(t, "limit", &limit)
		s.start(limit)
	case "add":
		return "", s.add(t, d)
	case "set":
		v := value(t, arg(1))
		if err := s.sheet.SetValue(s.keys[arg(0)], v); err != nil {
			return "", err
		}
		for i := range s.model.mods {
			if s.model.mods[i].key == s.keys[arg(0)] {
				s.model.mods[i].Value = v
			}
		}
	case "remove":
		s.model.remove(s.keys[arg(0)])
		if !s.sheet.Remove(s.keys[arg(0)]) {
			return "no such modifier\n", nil
		}
	case "remove-all":
		of, err := strconv.ParseUint(arg(0), 10, 64)
		require.NoError(t, err)
		n := s.sheet.RemoveAll(of)
		require.Equal(t, s.model.removeAll(of), n)
		if n == 0 {
			return "none\n", nil
		}
	case "set-base":
		v := value(t, arg(1))
		if err := s.sheet.SetBase(s.attr(t, arg(0)), v); err != nil {
			return "", err
		}
		s.model.bases[s.attr(t, arg(0))] = v
	case "add-base":
		before := s.values()
		by, err := s.sheet.AddBase(s.attr(t, arg(0)), value(t, arg(1)))
		if err != nil {
			return "", err
		}
		s.model.addBase(s.attr(t, arg(0)), value(t, arg(1)))
		return fmt.Sprintf("by %v\n%s", by, s.changes(before)), nil
	case "cut":
		before, out := s.values(), ""
		s.model.cut()
		for c, ok := s.sheet.NextCut(); ok; c, ok = s.sheet.NextCut() {
			out += fmt.Sprintf("%s was %v, fell %t, rose %t\n", s.schema.At(c.Attr).Name, c.Was, c.Fell, c.Rose)
		}
		return out + s.changes(before), nil
	case "age":
		s.age(arg(0))
	case "show":
		return s.show(d), nil
	default:
		d.Fatalf(t, "unknown command %s", d.Cmd)
	}
	return "", nil
}

func (s *transcript) start(limit int) {
	s.sheet, s.model = newSheet(s.schema, limit), newModel(s.schema)
	s.keys, s.names = map[string]Key{}, map[Key]string{}
}

func (s *transcript) attr(t *testing.T, name string) stat.Attr {
	a, ok := s.schema.Attr(name)
	require.True(t, ok, name)
	return a
}

func value(t *testing.T, text string) float64 {
	share, isShare := strings.CutSuffix(text, "%")
	v, err := strconv.ParseFloat(share, 64)
	require.NoError(t, err)
	if isShare {
		v /= 100
	}
	return v + 0
}

func (s *transcript) parse(t *testing.T, input string) (*stat.Schema, error) {
	var attrs []stat.Attribute
	for line := range strings.Lines(input) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		a := stat.Attribute{Name: strings.Trim(name, `"`)}
		for _, field := range strings.Fields(rest) {
			key, text, _ := strings.Cut(field, "=")
			switch key {
			case "base":
				a.Base = value(t, text)
			case "min":
				a.Min = limit(text)
			case "max":
				a.Max = limit(text)
			case "aggregate":
				require.NoError(t, a.Aggregate.UnmarshalText([]byte(text)))
			case "n":
				a.N = int(value(t, text))
			default:
				require.Fail(t, "unknown field", field)
			}
		}
		attrs = append(attrs, a)
	}
	return stat.NewSchema(attrs...)
}

func limit(text string) stat.Limit {
	if v, err := strconv.ParseFloat(text, 64); err == nil {
		return stat.At(v)
	}
	return stat.By(text)
}

func (s *transcript) add(t *testing.T, d *datadriven.TestData) error {
	m := stat.Modifier{Value: value(t, d.CmdArgs[3].Key)}
	if a, ok := s.schema.Attr(d.CmdArgs[1].Key); ok {
		m.Attr = a
	}
	if m.Op.UnmarshalText([]byte(d.CmdArgs[2].Key)) != nil {
		m.Op = vacant
	}
	var channel int
	d.MaybeScanArgs(t, "channel", &channel)
	m.Channel = uint8(channel)
	d.MaybeScanArgs(t, "of", &m.Of)
	k, err := s.sheet.Add(m)
	if err == nil {
		require.NotContains(t, s.names, k, "the key was given out before")
		s.keys[d.CmdArgs[0].Key], s.names[k] = k, d.CmdArgs[0].Key
		s.model.mods = append(s.model.mods, entry{m, k})
	}
	return err
}

// age moves a modifier from its generation to the last but one.
func (s *transcript) age(name string) {
	was := s.keys[name]
	s.sheet.slots[uint32(was)].gen = lastGeneration - 1
	k := s.sheet.key(uint16(was))
	s.keys[name], s.names[k] = k, name
	for i := range s.model.mods {
		if s.model.mods[i].key == was {
			s.model.mods[i].key = k
		}
	}
}

func (s *transcript) values() []stat.View {
	if s.sheet == nil {
		return nil
	}
	return slices.Collect(s.sheet.All(nil))
}

// changes writes the values that have changed; all values, on a new sheet.
func (s *transcript) changes(before []stat.View) string {
	var b strings.Builder
	for v := range s.sheet.All(nil) {
		if len(before) != s.schema.Len() || len(s.names) == 0 {
			fmt.Fprintf(&b, "%s %v\n", v.Name, v.Value)
		} else if was := before[v.Attr-1]; was.Value != v.Value || was.Overflow != v.Overflow {
			fmt.Fprintf(&b, "%s %v -> %v%s\n", v.Name, was.Value, v.Value, overflow(v))
		}
	}
	if b.Len() == 0 {
		return "no change\n"
	}
	return b.String()
}

func overflow(v stat.View) string {
	if v.Overflow {
		return " (overflow)"
	}
	return ""
}

func (s *transcript) show(d *datadriven.TestData) string {
	var b strings.Builder
	for v := range s.sheet.All(nil) {
		if len(d.CmdArgs) > 0 && d.CmdArgs[0].Key != v.Name {
			continue
		}
		fmt.Fprintf(&b, "%s %v, base %v, %d on it%s\n", v.Name, v.Value, v.Base, v.Modifiers, overflow(v))
		for k, m := range s.sheet.On(v.Attr) {
			fmt.Fprintf(&b, "  %s: channel %d %v %v of %d\n", s.names[k], m.Channel, m.Op, m.Value, m.Of)
		}
	}
	return b.String()
}
