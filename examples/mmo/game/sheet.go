package game

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/inspect"
)

// headings are the headings of attributes on the page. For any other attribute, the page shows the
// attribute's name.
var headings = map[string]string{
	"vigour": "Health", "max_health": "Most health", "power": "Power, %", "pace": "Pace", "hide": "Hide: % of blows stopped",
	"luck": "Luck", "tenacity": "Tenacity",
}

// sheet returns the attributes of a unit for the page, with the buff that causes each modifier. It
// is called at the end of a Tick, when the units on the page are idle.
func (w *world) sheet(data any) []inspect.Attribute {
	u, ok := data.(*unit)
	if !ok {
		return nil
	}
	list, err := w.eng.Attributes(u.id)
	if err != nil {
		return nil // the attributes cannot be read now
	}
	schema := w.eng.Catalog().Attributes()
	var out []inspect.Attribute
	for a := range list {
		out = append(out, inspect.Attribute{
			Name: cmp.Or(headings[a.Name], a.Name), Base: round(a.Base), Value: round(a.Value),
			Modifiers: w.modifiers(u.id, a.Attr, schema.At(a.Attr).Aggregate),
		})
	}
	return out
}

// modifiers returns the modifiers of an attribute in the order in which they are applied. It
// merges equal modifiers.
func (w *world) modifiers(id buff.OwnerID, attr stat.Attr, which stat.Aggregate) []inspect.Modifier {
	lying, err := w.eng.Modifiers(id, attr)
	if err != nil {
		return nil
	}
	list := slices.SortedStableFunc(lying, func(a, b stat.Modifier) int {
		return cmp.Or(cmp.Compare(a.Channel, b.Channel), cmp.Compare(a.Op, b.Op))
	})
	var out []inspect.Modifier
	times := map[inspect.Modifier]int{}
	for _, m := range list {
		from := "a buff that has gone"
		if b, ok, err := w.eng.Find(buff.Handle(m.Of)); err == nil && ok {
			from = cmp.Or(b.Spec.Name, b.Spec.ID)
		}
		line := inspect.Modifier{From: from, Text: effect(m)}
		if times[line]++; times[line] == 1 {
			out = append(out, line)
		}
	}
	for i, line := range out {
		switch n := times[line]; {
		case n > 1 && (which == stat.Min || which == stat.Max):
			out[i].Text += fmt.Sprintf(", %d times, but only one counts", n)
		case n > 1:
			out[i].Text += fmt.Sprintf(", %d times", n)
		}
	}
	return out
}

// round removes rounding errors such as that in 114.99999999999999.
func round(v float64) float64 { return math.Round(v*1e6) / 1e6 }

// effect formats a modifier as players write it, such as +10 or +25 %.
func effect(m stat.Modifier) string {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
	signed := func(v float64) string {
		if v >= 0 {
			return "+" + number(v)
		}
		return number(v)
	}
	switch m.Op {
	case stat.MulAdd:
		return signed(m.Value*100) + " %"
	case stat.MulCompound:
		return "\u00d7" + number(1+m.Value)
	case stat.FinalAdd:
		return signed(m.Value) + " in the end"
	case stat.Override:
		return "is " + number(m.Value)
	default:
		return signed(m.Value)
	}
}
