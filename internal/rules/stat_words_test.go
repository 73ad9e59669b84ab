package rules_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/internal/rules"
	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"
)

// The parts of a transcript that concern numbers and attributes.

// lexicon holds the attributes, curves and formulas that the definitions of a story may use.
type lexicon struct {
	attributes []define.Attribute
	curves     map[string]*define.Curve
	formulas   map[string]*testFormula
}

// decimal reads a number such as -0.5.
func decimal(t testing.TB, word string) float64 {
	v, err := strconv.ParseFloat(word, 64)
	require.NoError(t, err)
	return v
}

// speak reads attributes, curves and formulas, one on each line:
//
//	health base=1000 min=0 max=max_health at_min=kill
//	damage 1=10 10=55
//	burn reads=(owner.power, source.power, caller.dmg) level=2 stacks=1 magnitude=1
//
// A formula here is the sum of what it reads, and of its level, its stacks and its
// magnitude, each as often as it says.
func (l *lexicon) speak(t testing.TB, d *datadriven.TestData) string {
	for _, line := range strings.Split(d.Input, "\n") {
		name, args, err := datadriven.ParseLine(line)
		require.NoError(t, err)
		switch d.Cmd {
		case "attributes":
			l.attributes = append(l.attributes, attributeOf(t, name, args))
		case "curves":
			var points []define.Point
			for _, a := range args {
				points = append(points, define.Point{Level: number(t, a.Key), Value: decimal(t, a.Vals[0])})
			}
			c, err := define.NewCurve(name, points...)
			if err != nil {
				return err.Error()
			}
			if l.curves == nil {
				l.curves = map[string]*define.Curve{}
			}
			l.curves[name] = c
		default:
			if l.formulas == nil {
				l.formulas = map[string]*testFormula{}
			}
			l.formulas[name] = formulaOf(t, line, args)
		}
	}
	return ""
}

func attributeOf(t testing.TB, name string, args []datadriven.CmdArg) define.Attribute {
	a := define.Attribute{Attribute: stat.Attribute{Name: name}}
	limit := func(word string) stat.Limit {
		if v, err := strconv.ParseFloat(word, 64); err == nil {
			return stat.At(v)
		}
		return stat.By(word)
	}
	for _, arg := range args {
		switch word := arg.Vals[0]; arg.Key {
		case "base":
			a.Base = decimal(t, word)
		case "min":
			a.Min = limit(word)
		case "max":
			a.Max = limit(word)
		case "damage_taken":
			a.DamageTaken = word
		case "at_min":
			require.NoError(t, a.AtMin.UnmarshalText([]byte(word)))
		default:
			require.Fail(t, "unknown field", arg.Key)
		}
	}
	return a
}

func formulaOf(t testing.TB, text string, args []datadriven.CmdArg) *testFormula {
	f := &testFormula{text: text}
	for _, arg := range args {
		switch arg.Key {
		case "reads":
			for _, word := range arg.Vals {
				of, name, _ := strings.Cut(word, ".")
				r := define.Read{Name: name}
				switch of {
				case "caller":
					r.Kind = define.ReadCaller
				case "amount":
					r.Kind = define.ReadAmount
				default:
					require.NoError(t, r.Of.UnmarshalText([]byte(of)))
				}
				f.reads = append(f.reads, r)
			}
		case "level":
			f.level = decimal(t, arg.Vals[0])
		case "stacks":
			f.stacks = decimal(t, arg.Vals[0])
		case "magnitude":
			f.magnitude = decimal(t, arg.Vals[0])
		default:
			require.Fail(t, "unknown field", arg.Key)
		}
	}
	return f
}

// numberOf reads "5", "curve:NAME", "owner:power/coef:0.5/pulse", "source:power/apply",
// "caller:dmg/default:35", "formula:burn".
func (l *lexicon) numberOf(t testing.TB, word string) define.Number {
	parts := strings.Split(word, "/")
	of, name, named := strings.Cut(parts[0], ":")
	n := define.Number{}
	switch {
	case !named:
		n.Const = decimal(t, of)
	case of == "curve":
		n.From, n.Curve = define.FromCurve, l.curves[name]
	case of == "caller":
		n.From, n.Caller = define.FromCaller, name
	case of == "is": // a value of the buff: is:left, is:age, is:absorbed, is:amount, is:var.NAME
		word, name, _ := strings.Cut(name, ".")
		kinds := map[string]define.ReadKind{"amount": define.ReadAmount, "left": define.ReadLeft, "age": define.ReadAge, "absorbed": define.ReadAbsorbed, "var": define.ReadVar}
		n.From, n.Formula = define.FromFormula, &testFormula{text: parts[0], reads: []define.Read{{Kind: kinds[word], Name: name}}}
	case of == "formula":
		n.From, n.Formula = define.FromFormula, l.formulas[name]
	default:
		n.From, n.Attr = define.FromAttr, name
		require.NoError(t, n.Of.UnmarshalText([]byte(of)))
	}
	for _, part := range parts[1:] {
		switch key, v, _ := strings.Cut(part, ":"); key {
		case "pre":
			n.Pre = decimal(t, v)
		case "coef":
			n.Coef = decimal(t, v)
		case "post":
			n.Post = decimal(t, v)
		case "default":
			n = n.Or(decimal(t, v))
		default:
			require.NoError(t, n.Snapshot.UnmarshalText([]byte(key)))
		}
	}
	return n
}

// modifier reads "(speed, mul_add, -0.1, per_stack, channel:1)".
func (l *lexicon) modifier(t testing.TB, words []string) define.Modifier {
	m := define.Modifier{Attr: words[0], Value: l.numberOf(t, words[2])}
	require.NoError(t, m.Op.UnmarshalText([]byte(words[1])))
	for _, w := range words[3:] {
		if channel, ok := strings.CutPrefix(w, "channel:"); ok {
			m.Channel = number(t, channel)
		} else {
			require.Equal(t, "per_stack", w)
			m.PerStack = true
		}
	}
	return m
}

// change reads "health+-35", "health+caller:dmg+per_stack+school:fire".
func (l *lexicon) change(t testing.TB, word string) *define.Change {
	parts := strings.Split(word, "+")
	c := &define.Change{Attr: parts[0], By: l.numberOf(t, parts[1])}
	for _, part := range parts[2:] {
		if school, ok := strings.CutPrefix(part, "school:"); ok {
			c.School = school
		} else {
			require.Equal(t, "per_stack", part)
			c.PerStack = true
		}
	}
	return c
}

// defineStat reads a field of a definition that concerns numbers, and reports whether the field was
// one of these.
func (l *lexicon) defineStat(t testing.TB, s *buff.Spec, a datadriven.CmdArg) bool {
	first := strings.Join(a.Vals[:min(1, len(a.Vals))], "")
	curve, byCurve := strings.CutPrefix(first, "curve:")
	switch {
	case a.Key == "modifier":
		s.Modifiers = append(s.Modifiers, l.modifier(t, a.Vals))
	case a.Key == "duration" && byCurve:
		s.DurationBy = l.curves[curve]
	case a.Key == "period" && byCurve:
		s.PeriodBy = l.curves[curve]
	case a.Key == "if":
		n := l.numberOf(t, first)
		s.Require.If = &n
	case a.Key == "require.from_source":
		s.Require.FromSource = true
	case a.Key == "if.why":
		require.Equal(t, "cost", a.Vals[0])
		s.Require.Why = reason.Cost
	case a.Key == "duration_scale":
		n := l.numberOf(t, first)
		s.DurationScale = &n
	case a.Key == "period_from":
		n := l.numberOf(t, first)
		s.PeriodFrom = &n
	case a.Key == "haste_by":
		n := l.numberOf(t, first)
		s.HasteBy = &n
	case a.Key == "shield_by":
		n := l.numberOf(t, first)
		s.Shield.On, s.Shield.By = true, &n
	case a.Key == "number":
		s.Params = append(s.Params, define.Param{Name: a.Vals[0], Value: l.numberOf(t, a.Vals[1])})
	case a.Key == "links":
		s.Links = a.Vals
	case a.Key == "reload":
		require.NoError(t, s.Reload.UnmarshalText([]byte(first)))
	case a.Key == "on_area":
		require.NoError(t, s.OnArea.UnmarshalText([]byte(first)))
	case a.Key == "compensate":
		s.Save.Compensate = first
	default:
		return false
	}
	return true
}

// stats lists the owner's attributes, and their bases where these differ.
func (s *side) stats() (out string) {
	for v := range s.set.Attributes(s.catalog) {
		out += v.Name + " " + strconv.FormatFloat(v.Value, 'g', -1, 64)
		if v.Value != v.Base {
			out += fmt.Sprintf(" (base %s)", strconv.FormatFloat(v.Base, 'g', -1, 64))
		}
		out += "\n"
	}
	return out
}

// params lists the parameters of the buffs.
func (s *side) params() (out string) {
	for i := range s.set.All() {
		for _, p := range i.Spec.Params {
			v, ok := s.set.Param(i.Handle, p.Name)
			require.True(s.t, ok)
			out += fmt.Sprintf("%v %s=%s\n", i.Spec, p.Name, strconv.FormatFloat(v, 'g', -1, 64))
		}
	}
	return out
}

// castBy captures the attributes of the source of an application: all attributes of owner b, and
// none of other owners.
func (s *side) castBy(a *buff.Application, when define.Snapshot) {
	if a.Source == s.caster.ID() {
		rules.Capture(a, nil, s.caster, s.catalog, when)
	}
}

// changes lists the differences between the definitions and the previous version.
func (s *Story) changes() (out string) {
	for _, c := range s.catalog.Changes() {
		out += fmt.Sprintf("%v %s\n", c.Kind, c.ID)
	}
	return out
}

// adopt updates the running buffs to the present definitions.
func (s *side) adopt() string {
	n := s.set.Adopt(&s.turn, s.now)
	return s.told(false) + fmt.Sprintf("%d migrated, %d ended, %d kept", n.Migrated, n.Ended, n.Kept)
}
