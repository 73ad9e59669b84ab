package rules

import (
	"cmp"
	"slices"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/internal/rules/clock"
	"github.com/bufftick/bufftick/internal/stolen"
)

// A steal removes the buffs that match a query from the owner and applies them to the thief, with
// the time, the shield and the charges that are left.

// steal removes the buffs that match the query from the owner and applies them to the thief with
// their remaining times. If `most` is above zero, it limits each of these times.
//
// The thief also gets the remaining shield and charges, the async stacks with their separate ends,
// and the waiting applications of a queue, each with its numbers. On the thief, this is an ordinary
// application with the thief as source. If the application is denied, the buff is lost.
//
// Examples: testdata/steal.txt, steal_left.txt, steal_stacks.txt, steal_longer.txt,
// steal_resist.txt, steal_links.txt, steal_aura.txt.
func steal(t *Turn, s *Owner, q *buff.Query, most time.Duration) buff.Result {
	return portions(t, s, q, reason.Stolen, func(i instance) {
		a := buff.Application{Spec: &i.program().Spec, Source: q.To, Level: int(i.level), Magnitude: i.magnitude, Origin: buff.Origin{Steal: true}}
		n := i.stacks
		if q.Stacks > 0 && i.divisible() {
			n = int16(min(q.Stacks, int(n)))
		}
		left := fillStolen(t, i, &a, n, most)
		removeStacks(t, i, int(n), reason.Stolen)
		if left {
			t.Outbox = append(t.Outbox, Outgoing{At: t.at, From: s.id, To: q.To, Command: buff.Command{Verb: verb.Apply, Owner: q.To, Application: a}})
		}
	})
}

// stealable reports whether an instance can be stolen. A link cannot be stolen by itself: if its
// head is stolen, the head applies its links again for the thief. A buff from an aura cannot be
// stolen, because it ends with the aura.
func (i instance) stealable() bool {
	return !i.program().Dispel.Keep && i.flags&member == 0 && i.owner.gates().headCount(i.handle()) == 0
}

// divisible reports whether single stacks of an instance can be stolen. A shield, charges and a
// queue belong to all stacks together.
func (i instance) divisible() bool {
	spec := i.program()
	return spec.Stack.Timers != define.TimersQueue && !spec.Shield.On && spec.Charges.N == 0
}

// fillStolen fills the application of a steal with what remains of n stacks of an instance, and
// reports whether any time is left.
//
// With shared timers, this is one application. With TimersEach, and in a queue, there is one
// application for each part, ordered by age or by turn. The first part is stored in the application
// itself, the others in stolen.Buff.Rest: see startRest.
func fillStolen(t *Turn, i instance, a *buff.Application, n int16, most time.Duration) bool {
	a.Stacks = int(n)
	var taken *stolen.Buff
	longest := define.MaxDuration.Milliseconds()
	if most > 0 {
		longest = min(longest, ceilMillis(most))
	}
	if i.extraIndex != noSlot {
		x := i.extra()
		taken = t.allocStolen(i.program(), i.magnitudes().values)
		taken.Shield, taken.Charges = x.shield, x.charges
		if len(i.program().Vars) > 0 {
			taken.Vars = x.live.vars
		}
		a.Origin.Stolen = taken
		if i.program().Stack.By == define.ByKey {
			a.Key = x.key
		}
	}
	if i.end == clock.Never {
		if most > 0 {
			a.Duration = buff.Lasting(time.Duration(longest) * time.Millisecond)
		}
		return true
	}
	now := i.now(t)
	whole := asyncStack{left: min(clock.Until(now, i.end), longest), magnitude: i.magnitude, stacks: n, level: i.level}
	if taken != nil {
		whole.shield, whole.charges = taken.Shield, taken.Charges
	}
	if i.program().Stack.Timers == define.TimersShared {
		part := whole.stolen()
		setPart(a, &part)
		return part.Left > 0
	}
	parts := stolenParts(t, i, now, &whole)
	if taken != nil {
		copyWaiting(taken, i.magnitudes(), parts)
	}
	for k := range parts {
		parts[k].left = min(parts[k].left, longest)
	}
	parts = slices.DeleteFunc(parts, func(l asyncStack) bool { return l.left <= 0 })
	if len(parts) == 0 {
		return false
	}
	first := parts[0].stolen()
	setPart(a, &first)
	if taken != nil {
		taken.SetPart(&first)
	}
	if len(parts) > 1 {
		taken.Rest = t.allocRest(parts[1:])
	}
	return true
}

// stolenParts returns the parts that make up whole.stacks stacks of an instance, each with its
// remaining time. With TimersEach, these are the stacks that end first, sorted by age. In a queue,
// they are the running application and then the waiting ones in the order of their turns.
func stolenParts(t *Turn, i instance, now clock.BuffTime, whole *asyncStack) []asyncStack {
	async := i.extra().async
	parts := append(t.partsBuffer(len(async)+1), async...)
	if i.program().Stack.Timers == define.TimersEach {
		n := whole.stacks
		for k := range parts {
			parts[k].left = clock.Until(now, parts[k].end)
			parts[k].stacks = min(parts[k].stacks, n)
			n -= parts[k].stacks
		}
		parts = slices.DeleteFunc(parts, func(l asyncStack) bool { return l.stacks == 0 })
		slices.SortFunc(parts, func(a, b asyncStack) int { return cmp.Compare(a.age, b.age) })
		return parts
	}
	for k := range parts {
		parts[k].stacks = 1
	}
	slices.SortFunc(parts, func(a, b asyncStack) int { return turnOrder(&a, &b) })
	return slices.Insert(parts, 0, *whole)
}

// partsBuffer returns an empty list with capacity n. The next call reuses its memory.
func (t *Turn) partsBuffer(n int) []asyncStack {
	l := &t.stolen
	if cap(l.parts) < n {
		l.parts = make([]asyncStack, 0, max(32, n))
	}
	return l.parts
}

// stolen returns the state of an async stack in the form that the thief gets.
func (l *asyncStack) stolen() stolen.Part {
	return stolen.Part{Left: l.left, Magnitude: l.magnitude, Shield: l.shield, Charges: l.charges, Stacks: l.stacks, Level: l.level, Numbers: l.numbers}
}

// allocRest returns the parts in the form that the thief gets.
func (t *Turn) allocRest(parts []asyncStack) []stolen.Part {
	l := &t.stolen
	if cap(l.rest)-len(l.rest) < len(parts) {
		l.rest = make([]stolen.Part, 0, max(32, len(parts)))
	}
	from := len(l.rest)
	for k := range parts {
		l.rest = append(l.rest, parts[k].stolen())
	}
	return l.rest[from:len(l.rest):len(l.rest)]
}

// setPart sets the fields of an application from a stolen part.
func setPart(a *buff.Application, l *stolen.Part) {
	a.Stacks, a.Level, a.Magnitude = int(l.Stacks), int(l.Level), l.Magnitude
	a.Duration = buff.Lasting(time.Duration(l.Left) * time.Millisecond)
}

// copyWaiting copies the separate numbers of those parts that have them, and lets each of these
// parts refer to its copy.
func copyWaiting(n *stolen.Buff, k *magnitudes, parts []asyncStack) {
	for j := range parts {
		if l := &parts[j]; l.numbers != 0 {
			n.Waiting = append(n.Waiting, k.waitingOf(l).values...)
			l.numbers = uint16(len(n.Waiting) / max(len(n.Values), 1))
		}
	}
}

// useTakenNumbers replaces the evaluated numbers with the numbers of a stolen part. A number that
// did not exist in the version that was stolen keeps its evaluated value.
//
// Example: testdata/stat/steal.txt.
func useTakenNumbers(t *Turn, s *Owner, a *buff.Application) {
	spec, taken := compile.Of(a.Spec), stolen.Of(a.Origin.Stolen)
	for k := range spec.Numbers {
		if v, why := taken.Find(spec, k); why == reason.None {
			t.evaluated.values[k] = v
		}
	}
}

// startRest applies the second and later parts of a stolen buff. They belong to the application of
// the first part: they are not checked again, and all parts together count once for diminishing
// returns.
//
// Example: testdata/steal_left.txt.
func startRest(t *Turn, s *Owner, a *buff.Application) {
	taken := stolen.Of(a.Origin.Stolen)
	for k := range taken.Rest {
		b := *a
		b.Origin.Rest = true
		l := &taken.Rest[k]
		setPart(&b, l)
		part := *taken
		part.SetPart(l)
		b.Origin.Stolen = &part
		if l.Numbers != 0 {
			useTakenNumbers(t, s, &b)
		}
		spec := compile.Of(b.Spec)
		if d, why := effectiveDuration(t, s, &b, spec); why == reason.None {
			joinOrStart(t, s, &b, spec, d)
		}
	}
}
