package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
)

// changes tells what it does to attributes while it lasts, and what goes with it.
func (t *teller) changes() {
	for i := range t.Modifiers {
		m := &t.Modifiers[i]
		how := map[stat.Op]string{
			stat.Add: "%s is added to %s", stat.MulAdd: "%s is added as a share to %s", stat.MulCompound: "%s is multiplied as a share with %s",
			stat.FinalAdd: "%s is added, last of all, to %s", stat.Override: "%s stands in place of %s",
		}[m.Op]
		channel := ""
		if m.Channel > 0 {
			channel = fmt.Sprintf(", in channel %d", m.Channel)
		}
		t.say("While it lasts, %s%s%s.", fmt.Sprintf(how, numberText(&m.Value), code(m.Attr)), eachStack(m.PerStack), channel)
	}
	t.sayIf(len(t.Links) > 0, "With it comes and goes %s.", links(t.Links))
}

func eachStack(each bool) string {
	if each {
		return ", for each stack"
	}
	return ""
}

// client tells what players see.
func (t *teller) client() {
	c := &t.Client
	t.sayIf(c.Icon != "", "Its icon is %s.", code(c.Icon))
	t.sayIf(c.Hide, "Players do not see it.")
	t.sayIf(c.Sync == define.SyncOwner, "Only its owner is told of it.")
	t.sayIf(c.Sync == define.SyncSource, "Only who applied it is told of it.")
	t.sayIf(c.Sync == define.SyncParty, "Only its owner and the owner's party are told of it.")
	t.sayIf(c.Sync == define.SyncNone, "No client is told of it.")
}

// beat is the time between two pulses.
func beat(s *buff.Spec) string {
	if s.PeriodBy != nil {
		return points(s.PeriodBy) + ", in seconds"
	}
	return shortSpan(s.Period)
}

func scaleOf(n *define.Number) string {
	if n == nil {
		return ""
	}
	return numberText(n)
}

// points are those of a curve, with its name.
func points(c *define.Curve) string {
	const most = 6
	var list []string
	for i, p := range c.Points() {
		if i == most {
			list = append(list, "…")
			break
		}
		list = append(list, fmt.Sprintf("%d: %s", p.Level, plainNumber(p.Value)))
	}
	return code(c.Name()) + " by level (" + strings.Join(list, ", ") + ")"
}

func plainNumber(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// numberText tells where a number comes from.
func numberText(n *define.Number) string {
	text := ""
	switch n.From {
	case define.FromConst:
		return plainNumber(n.Const)
	case define.FromCurve:
		return points(n.Curve)
	case define.FromAttr:
		text = attributeText(n)
	case define.FromCaller:
		text = "what the application gives as " + code(n.Caller)
		if !n.Default {
			text += ", without which it is refused"
		}
	case define.FromFormula:
		text = code(strings.Join(strings.Fields(n.Formula.String()), " "))
	}
	if n.Snapshot == define.SnapshotPulse {
		text += ", at each pulse anew"
	}
	if n.Default {
		text += ", or else " + plainNumber(n.Const)
	}
	return text
}

func attributeText(n *define.Number) string {
	text := fmt.Sprintf("%s of the %v", code(n.Attr), n.Of)
	if n.Pre != 0 {
		text = "(" + text + plus(n.Pre) + ")"
	}
	if n.Coef != 0 && n.Coef != 1 {
		text += " × " + plainNumber(n.Coef)
	}
	if n.Post != 0 {
		text += plus(n.Post)
	}
	return text
}

func plus(v float64) string {
	if v < 0 {
		return " - " + plainNumber(-v)
	}
	return " + " + plainNumber(v)
}
