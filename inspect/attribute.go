package inspect

import (
	"fmt"
	"strconv"

	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/engine/view"
)

// Limits of the attributes shown.
const (
	maxNumbers   = 256
	maxModifiers = 50 // per attribute
)

type attributeJSON struct {
	Name      string         `json:"name"`
	Base      number         `json:"base"`
	Value     number         `json:"value"`
	Modifiers []modifierJSON `json:"modifiers"`
}

type modifierJSON struct {
	From string `json:"from"`
	Text string `json:"text"`
}

// attributesOf returns the attributes from Options.Attributes if it is set, and otherwise the
// attributes of the engine.
func (in *Inspector) attributesOf(o *view.Owner) []attributeJSON {
	out := []attributeJSON{}
	if in.opts.Attributes != nil {
		list, _ := o.Data.([]Attribute)
		for _, a := range list[:min(len(list), maxNumbers)] {
			j := attributeJSON{line(a.Name), number(a.Base), number(a.Value), []modifierJSON{}}
			for _, m := range a.Modifiers[:min(len(a.Modifiers), maxModifiers)] {
				j.Modifiers = append(j.Modifiers, modifierJSON{line(m.From), line(m.Text)})
			}
			out = append(out, j.andMore(len(a.Modifiers)))
		}
		return out
	}
	for _, a := range o.Attributes[:min(len(o.Attributes), maxNumbers)] {
		j := attributeJSON{line(a.Name), number(a.Base), number(a.Value), []modifierJSON{}}
		for _, m := range a.Modifiers {
			if len(j.Modifiers) < maxModifiers {
				j.Modifiers = append(j.Modifiers, in.modifierOf(m))
			}
		}
		out = append(out, j.andMore(a.ModifierCount))
	}
	return out
}

// andMore appends an entry with the number of modifiers that are not shown. The parameter "all" is
// the total number of modifiers.
func (j attributeJSON) andMore(all int) attributeJSON {
	if n := all - len(j.Modifiers); n > 0 {
		j.Modifiers = append(j.Modifiers, modifierJSON{"others", strconv.Itoa(n) + " more"})
	}
	return j
}

func (in *Inspector) modifierOf(m view.Modifier) modifierJSON {
	from := "an unknown buff"
	if m.Spec != nil {
		from = line(m.Spec.ID)
		if m.Spec.Name != "" {
			from = line(m.Spec.Name)
		}
		if m.Source != 0 {
			from += " of " + in.title(m.Source)
		}
	}
	text := effect(m.Op, m.Value)
	if m.Channel != 0 {
		text += fmt.Sprintf(" in channel %d", m.Channel)
	}
	return modifierJSON{from, text}
}

// effect formats the effect of a modifier.
func effect(op stat.Op, v float64) string {
	sign := func(v float64) string { return fmt.Sprintf("%+.6g", v) }
	switch op {
	case stat.Add:
		return sign(v)
	case stat.MulAdd:
		return sign(100*v) + " %"
	case stat.MulCompound:
		return fmt.Sprintf("× %.6g", 1+v)
	case stat.FinalAdd:
		return sign(v) + " at the end"
	case stat.Override:
		return fmt.Sprintf("= %.6g", v)
	}
	return op.String() + " " + sign(v)
}

// look returns the function that the loop calls for each shown player, or nil. To save time on the
// loop, the result of that function is formatted later.
func (in *Inspector) look() func(any) any {
	if in.opts.Attributes == nil {
		return nil
	}
	return func(data any) any { return in.opts.Attributes(data) }
}
