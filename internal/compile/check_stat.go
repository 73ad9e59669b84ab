package compile

import (
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/internal/rules/sheet"
)

// attributes checks the attributes of the owners and adds them to the catalog. An error has a field
// such as "attributes.health".
func (k *checker) attributes(list []define.Attribute) {
	c := k.catalog
	c.Attributes = slices.Clone(list)
	if len(list) == 0 {
		return
	}
	attrs := make([]stat.Attribute, len(list))
	for i := range list {
		attrs[i] = list[i].Attribute
	}
	schema, err := stat.NewSchema(attrs...)
	if wrong := stat.SchemaErrors(nil); errors.As(err, &wrong) {
		for _, e := range wrong {
			if e.Name == "" {
				e.Index = len(list) // the error concerns the whole list
			}
			k.errs = append(k.errs, &define.SpecError{Field: attributeField(list, e.Index, e.Field), Text: e.Text})
		}
	}
	if schema != nil {
		c.Schema = sheet.Compile(schema)
	}
	for i := range list {
		text := ""
		switch a := &list[i]; {
		case a.AtMin > define.AtMinKill:
			text = fmt.Sprintf("%v is not one of the rules", a.AtMin)
		case a.AtMin != define.AtMinNothing && a.Min == stat.Limit{}:
			text = fmt.Sprintf("%v needs a min", a.AtMin)
		default:
			continue
		}
		k.errs = append(k.errs, &define.SpecError{Field: attributeField(list, i, "at_min"), Text: text})
	}
	for i := range list {
		name := list[i].DamageTaken
		switch text := wrongTag(name); {
		case name == "":
		case text != "":
			k.errs = append(k.errs, &define.SpecError{Field: attributeField(list, i, "damage_taken"), Text: text})
		case k.newTags(name) > define.MaxTags-len(c.Tags.List):
			k.errs = append(k.errs, &define.SpecError{Field: attributeField(list, i, "damage_taken"), Text: fmt.Sprintf("more than %d tags in one catalog", define.MaxTags)})
		default:
			c.scales = append(c.scales, damageScale{school: c.tag(name), attr: stat.Attr(i + 1)})
		}
	}
}

// damageScale is an attribute that multiplies the damage of a school.
type damageScale struct {
	school define.Tag
	attr   stat.Attr
}

// DamageScales returns the attributes that multiply damage of a school, in the order of the
// attributes.
func (c *Catalog) DamageScales(school define.Tag) iter.Seq[stat.Attr] {
	return func(yield func(stat.Attr) bool) {
		for _, s := range c.scales {
			for tag := school; tag != 0; tag = c.parents[tag-1] {
				if tag == s.school && !yield(s.attr) {
					return
				}
			}
		}
	}
}

func attributeField(list []define.Attribute, i int, of string) string {
	field := "attributes"
	if i < len(list) {
		field = "attributes." + list[i].Name
		if list[i].Name == "" {
			field = fmt.Sprintf("attributes[%d]", i)
		}
	}
	if of != "" {
		field += "." + of
	}
	return field
}

// attr returns the attribute with a name. If there is none, it records an error.
func (k *checker) attr(field, name string) stat.Attr {
	a, ok := k.catalog.Attr(name)
	switch {
	case name == "":
		k.failf(field, "missing")
	case !ok && !slices.ContainsFunc(k.catalog.Attributes, func(a define.Attribute) bool { return a.Name == name }):
		k.failf(field, "no attribute %q", name)
	}
	return a
}

// modifiers checks and compiles the modifiers.
func (k *checker) modifiers(s *Program) {
	if n := len(s.Spec.Modifiers); n > define.MaxModifiers {
		k.failf("modifiers", "%d are more than %d", n, define.MaxModifiers)
	}
	s.Spec.Modifiers = slices.Clone(s.Spec.Modifiers)
	for i := range min(len(s.Spec.Modifiers), define.MaxModifiers) {
		m := &s.Spec.Modifiers[i]
		field := element("modifiers", i)
		known(k, field+".op", &m.Op, stat.Override)
		k.within(field+".channel", m.Channel, 0, stat.MaxChannel)
		c := Modifier{Attr: k.attr(field+".attr", m.Attr), Op: m.Op, Channel: uint8(m.Channel), PerStack: m.PerStack}
		c.Value = k.kept(field+".value", fmt.Sprintf("modifiers.%s.%v.%d", m.Attr, m.Op, m.Channel), &m.Value)
		if m.Op == stat.Override && slices.ContainsFunc(s.Modifiers, func(o Modifier) bool {
			return o.Op == stat.Override && o.Attr == c.Attr && o.Channel == c.Channel
		}) {
			k.failf(field, "there is an override of %q in channel %d already", m.Attr, m.Channel)
		}
		s.Modifiers = append(s.Modifiers, c)
	}
}

// change checks and compiles the operand of a DoChange or DoDamage.
func (k *checker) change(at string, list string, a *define.Action) *Change {
	if a.Change == nil {
		k.failf(at, "what it changes is missing")
		return nil
	}
	c := *a.Change
	a.Change = &c
	o := &Change{Attr: k.attr(at+".attr", c.Attr), PerStack: c.PerStack, Pulsed: c.By.Snapshot == define.SnapshotPulse}
	k.operand(at+".by", list, fmt.Sprintf("%s.%v.%s", list, a.Do, c.Attr), &c.By, o)
	switch {
	case c.School == "":
	case a.Do != define.DoDamage:
		k.failf(at+".school", "is for damage")
	default:
		schools := []string{c.School}
		if tags := k.tagList(at+".school", &schools); len(tags) > 0 {
			o.School = tags[0]
		}
	}
	return o
}

// operand checks and compiles the number of an action of a list. Name is the name under which
// instances store it, unless it is evaluated when the action runs.
func (k *checker) operand(at, list, name string, n *define.Number, to *Change) {
	runs := n.Snapshot == define.SnapshotRun && (n.From == define.FromFormula || n.From == define.FromAttr)
	if runs || readsRunning(n) {
		to.Run = k.run(at, list, n)
	} else {
		to.By = k.kept(at, name, n)
	}
}

// with checks and compiles the numbers of an application.
func (k *checker) with(at, list string, a *define.Action) *[4]*Change {
	if a.With == nil {
		return nil
	}
	w := *a.With
	a.With = &w
	out := &[4]*Change{}
	for i, n := range w.Numbers() {
		if *n.Number != nil {
			c := **n.Number
			*n.Number = &c
			out[i] = &Change{Pulsed: c.Snapshot == define.SnapshotPulse}
			k.operand(at+"."+n.Name, list, fmt.Sprintf("%s.%v.%s.%s", list, a.Do, a.Name, n.Name), &c, out[i])
		}
	}
	return out
}

// scaling checks and compiles the numbers that are evaluated only when the buff is applied.
func (k *checker) scaling(s *Program) {
	if n := s.DurationScale; n != nil {
		c := *n
		s.DurationScale = &c
		if c.From == define.FromConst && c.Const < 0 {
			k.failf("duration_scale", "must not be below zero, and is %v", c.Const)
		}
		k.once("duration_scale", n)
		s.Scale = k.number("duration_scale", "", n)
	}
	if n := s.Spec.Require.If; n != nil {
		c := *n
		s.Spec.Require.If = &c
		k.once("require.apply.if", n)
		s.If = k.number("require.apply.if", "", n)
	}
	if s.Spec.Require.FromSource && noTest(&s.Spec.Require.Apply) {
		k.failf("require.apply.from", "has no effect without tags")
	}
	switch why := s.Spec.Require.Why; {
	case why != reason.None && why != reason.Requirement && why != reason.Cost:
		k.failf("require.apply.why", "must be %v or %v, not %v", reason.Requirement, reason.Cost, why)
	case why != reason.None && s.Spec.Require.If == nil:
		k.failf("require.apply.why", "is the reason of if, which is missing")
	}
	if n := s.Shield.By; n != nil {
		c := *n
		s.Shield.By = &c
		switch {
		case s.Shield.Pool != 0:
			k.failf("shield.pool", "there are two: %d, and a number that is worked out", s.Shield.Pool)
		case c.From == define.FromConst && c.Const < 0:
			k.failf("shield.pool", "must not be below zero, and is %v", c.Const)
		}
		k.once("shield.pool", n)
		s.PoolBy = k.number("shield.pool", "", n)
	}
}

// every checks and compiles a period that is a number.
func (k *checker) every(s *Program) {
	s.Every.Place = -1
	if s.PeriodFrom == nil {
		return
	}
	if s.Spec.Period != 0 || s.PeriodBy != nil {
		k.failf("period", "there are two: a number, and a span or a curve")
	}
	read, ok := k.pulseNumber(s, "period", &s.PeriodFrom,
		"the number is read when the application reaches the owner", "want a span, such as 3s, not a constant")
	if ok {
		s.Every = k.kept("period", "period", &read)
	}
}

// pulseNumber checks what a period and a rate have in common, and returns the number as it is read,
// when an application reaches the owner. It is false if the number has no effect.
func (k *checker) pulseNumber(s *Program, field string, from **define.Number, snapshot, constant string) (read define.Number, ok bool) {
	n := **from
	*from = &n
	switch {
	case n.Snapshot != define.SnapshotCast:
		k.failf(field+".snapshot", "has no effect: %s", snapshot)
		return n, false
	case n.From == define.FromConst:
		k.failf(field, "%s", constant)
		return n, false
	case s.Stack.Timers == define.TimersQueue:
		k.failf(field, "a number has no effect with timers queue: each application waits with its own numbers")
	}
	read = n
	if n.From != define.FromCurve {
		read.Snapshot = define.SnapshotApply
	}
	return read, true
}

// rate checks and compiles the rate of the pulses.
func (k *checker) rate(s *Program) {
	s.Rate.Place = -1
	if s.HasteBy == nil {
		return
	}
	read, ok := k.pulseNumber(s, "haste", &s.HasteBy,
		"mode says when the number is read", "a constant has no effect: write the period that it gives")
	if !ok {
		return
	}
	s.Rate = k.kept("haste", "haste", &read)
	if s.Haste == define.HasteSnapshot {
		return
	}
	k.late = true
	s.RateNow = k.number("haste", "", &read)
	k.late = false
	source := read.From == define.FromAttr && read.Of == define.OfSource
	given := read.From != define.FromAttr && read.From != define.FromFormula
	for _, r := range s.RateNow.Reads {
		source, given = source || r.Kind == define.ReadAttribute && r.Whom == define.OfSource, given || r.Kind == define.ReadCaller
	}
	switch {
	case given:
		k.failf("haste.mode", "%v cannot read a number that the application brings; say mode: snapshot", s.Haste)
	case source && s.Haste == define.HasteRescale:
		k.failf("haste.mode", "rescale cannot follow an attribute of the source, which is read at the pulses; say mode: next")
	}
}

func (k *checker) once(field string, n *define.Number) {
	if n.Snapshot == define.SnapshotPulse {
		k.failf(field+".snapshot", "%v is too late: it is asked for when the buff is applied", n.Snapshot)
	}
}
