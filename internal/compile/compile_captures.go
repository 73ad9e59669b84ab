package compile

import (
	"slices"

	"github.com/bufftick/bufftick/buff/define"
)

// propagateCaptures adds, to the captures of each program, the captures of all programs that it can
// apply, directly or through others.
func (k *checker) propagateCaptures() {
	var changed []*Program
	for _, p := range k.catalog.Programs {
		if len(p.Captures) > 0 {
			changed = append(changed, p)
		}
	}
	if len(changed) == 0 {
		return
	}
	causes := map[*Program][]*Program{}
	for _, p := range k.catalog.Programs {
		p.eachApplied(func(o *Program) { causes[o] = append(causes[o], p) })
	}
	for ; len(changed) > 0; changed = changed[1:] {
		for _, cause := range causes[changed[0]] {
			n := len(cause.Captures)
			for _, c := range changed[0].Captures {
				cause.addLateCapture(c)
			}
			if len(cause.Captures) > n {
				changed = append(changed, cause)
			}
		}
	}
}

// addCapture records that the definition reads an attribute of its source.
func (p *Program) addCapture(c capture) {
	if !slices.Contains(p.Captures, c) {
		p.Captures = append(p.Captures, c)
	}
}

// addLateCapture records that an attribute of the source is read after the application: by another
// definition that this one applies, or when an act happens.
func (p *Program) addLateCapture(c capture) {
	p.addCapture(c)
	p.CapturesLate = p.CapturesLate || c.When == define.SnapshotCast
	p.Rereads = p.Rereads || c.When == define.SnapshotApply
}

// eachApplied calls f for each program that this one can apply. It may call f more than once for
// the same program.
func (p *Program) eachApplied(f func(*Program)) {
	lists := [][]Op{p.Apply, p.Refresh, p.Pulse, p.Exec, p.Overflow, p.Death, p.Absorb, p.WhenDo}
	for i := range p.reactions {
		lists = append(lists, p.reactions[i].ops)
	}
	for i := range p.Vars {
		lists = append(lists, p.Vars[i].AtMin, p.Vars[i].AtMax)
	}
	for _, ops := range append(lists, p.Remove[:]...) {
		for _, o := range ops {
			if o.Do == define.DoApply && o.Spec != nil {
				f(o.Spec)
			}
		}
	}
	for _, t := range p.Thresholds {
		if t.Apply != nil {
			f(t.Apply)
		}
	}
	for _, l := range p.Links {
		f(l)
	}
	if p.Aura != nil {
		f(p.Aura)
	}
}
