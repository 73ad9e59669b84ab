package buff

import (
	"slices"

	"github.com/bufftick/bufftick/buff/define"
)

// propagateCaptures extends the captures of each program by the captures of all programs that it
// can apply, directly or through others.
func (k *checker) propagateCaptures() {
	var changed []*program
	for _, p := range k.catalog.programs {
		if len(p.captures) > 0 {
			changed = append(changed, p)
		}
	}
	if len(changed) == 0 {
		return
	}
	causes := map[*program][]*program{}
	for _, p := range k.catalog.programs {
		p.eachApplied(func(o *program) { causes[o] = append(causes[o], p) })
	}
	for ; len(changed) > 0; changed = changed[1:] {
		for _, cause := range causes[changed[0]] {
			n := len(cause.captures)
			for _, c := range changed[0].captures {
				cause.addLateCapture(c)
			}
			if len(cause.captures) > n {
				changed = append(changed, cause)
			}
		}
	}
}

// addCapture records that the definition reads an attribute of its source.
func (p *program) addCapture(c capture) {
	if !slices.Contains(p.captures, c) {
		p.captures = append(p.captures, c)
	}
}

// addLateCapture records that an attribute of the source is read after the application: by another
// definition that this one applies, or when an act happens.
func (p *program) addLateCapture(c capture) {
	p.addCapture(c)
	p.capturesLate = p.capturesLate || c.when == define.SnapshotCast
	p.rereads = p.rereads || c.when == define.SnapshotApply
}

// eachApplied calls f for each program that this one can apply. It may call f more than once for
// the same program.
func (p *program) eachApplied(f func(*program)) {
	lists := [][]op{p.apply, p.refresh, p.pulse, p.exec, p.overflow, p.death}
	for i := range p.reactions {
		lists = append(lists, p.reactions[i].ops)
	}
	for _, ops := range append(lists, p.remove[:]...) {
		for _, o := range ops {
			if o.do == define.DoApply && o.spec != nil {
				f(o.spec)
			}
		}
	}
	for _, t := range p.thresholds {
		if t.apply != nil {
			f(t.apply)
		}
	}
	for _, l := range p.links {
		f(l)
	}
	if p.aura != nil {
		f(p.aura)
	}
}
