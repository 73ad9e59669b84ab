package rules

import (
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/internal/rules/clock"
)

// With Spec.HasteBy, the rate of a buff is one of its numbers, and its period is the period of the
// definition divided by the rate. Spec.Haste says when a running buff reads the rate again.

// followNumbers sets the period for the numbers of a further application, after the next pulse.
//
// Examples: testdata/stat/haste_snapshot.txt, period.txt.
func (i instance) followNumbers() {
	spec := i.program()
	if !spec.PeriodVaries() || i.period() == 0 {
		return
	}
	if is := spec.PeriodFor(int(i.level), i.magnitudes().values); is != i.period() {
		i.setNextPeriod(is)
	}
}

// rereadRate reads the rate again. If it cannot be evaluated, the rate does not change.
func (i instance) rereadRate(t *Turn) {
	spec, k := i.program(), i.magnitudes()
	q := evaluator{
		set: i.owner, turn: t, spec: spec, captured: k.captured, own: i.source == i.owner.id, level: int(i.level), stacks: int32(i.stacks), magnitude: i.magnitude,
	}
	if v, why := q.evaluate(spec.RateNow); why == reason.None {
		k.values[spec.Rate.Place] = v
	}
}

// nextPeriod starts the next period at a boundary. With HasteNext it reads the rate first.
//
// Examples: testdata/stat/haste_next.txt, haste_aligned.txt.
func nextPeriod(t *Turn, i instance, own clock.BuffTime) {
	spec := i.program()
	was := i.period()
	is := was
	if spec.RateNow != nil && !spec.Rescales() {
		i.rereadRate(t)
		if is = spec.PeriodFor(int(i.level), i.magnitudes().values); is != was {
			flushPulses(t, i)
			i.storePeriod(is)
		}
	}
	i.restartPeriod(own) // if aligned, the period returns to its phase after a change
	if own == i.end && spec.Tail == define.TailPartial && !i.continues() {
		// The pulse at the end is whole. The time since the last boundary of an aligned period
		// must not cause a partial pulse as well.
		i.boundary = own.Add(i.period())
	}
	if is != was {
		emitHastened(t, i, i.end > own && hastenEnd(i, own, is, was))
	}
}

// rescaleAll reads the rates of all instances with HasteRescale again, and rescales their running
// periods and the times until their next charges. It runs after each command and due event.
//
// Example: testdata/stat/haste_rescale.txt.
func rescaleAll(t *Turn, s *Owner) {
	found := false
	s.eachInstance(func(i instance) {
		spec := i.program()
		if !spec.Rescales() {
			return
		}
		found = true
		values := i.magnitudes().values
		span := spec.Hasten(spec.Recharge, values)
		i.rereadRate(t)
		if i.period() != 0 {
			if is := spec.PeriodFor(int(i.level), values); is != i.period() {
				changePeriod(t, i, is)
			}
		}
		if is := spec.Hasten(spec.Recharge, values); is != span && i.flags&recharging != 0 {
			x := i.extra()
			x.nextCharge = rescaled(i.now(t), x.nextCharge, is, span)
			i.markDirty(t)
		}
	})
	s.rare.rescales = found
}

// rechargeSpan returns the time that the next charge takes, in ms.
func rechargeSpan(t *Turn, i instance) int64 {
	spec := i.program()
	if spec.RateNow != nil {
		i.rereadRate(t)
	}
	return spec.Hasten(spec.Recharge, i.magnitudes().values)
}
