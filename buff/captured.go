package buff

import (
	"slices"

	"github.com/bufftick/bufftick/buff/stat"
)

// Captured is what was known of one attribute of a source at one moment.
type Captured struct {
	attr  stat.Attr
	when  Snapshot // SnapshotCast or SnapshotApply
	value float64
}

// capture is one attribute of the source that a definition reads.
type capture struct {
	attr stat.Attr
	when Snapshot
}

// Captures reports whether the definition, or anything that it can set off, reads attributes
// of its source: whether [Application.Capture] would do anything.
func (s *Spec) Captures() bool { return len(s.captures) > 0 }

// Capture reads attributes of the source for the definition of the application and all that
// it can set off. What is known stays as it is. With SnapshotCast that is done where the
// application is made, and reads what is of that moment; with SnapshotApply where it comes
// to the owner, and reads the rest. The Set is that of the source, or nil: then nothing more
// becomes known, and the numbers that want it have their defaults or refuse the application.
// Where the source is the owner it is not needed. The catalog is that of the Turns.
//
// What was read is appended to dst, which is returned. It allocates only what dst lacks. The
// Set of the source must be whoever's calls; see the package comment.
func (a *Application) Capture(dst []Captured, source *Set, c *Catalog, when Snapshot) []Captured {
	from := len(dst)
	for _, w := range a.Spec.captures {
		if v, ok := captured(a.Captured, w.attr, w.when); ok {
			dst = append(dst, Captured{w.attr, w.when, v})
		} else if source != nil && (w.when == SnapshotCast || when != SnapshotCast) {
			dst = append(dst, Captured{w.attr, w.when, source.Attribute(c, w.attr)})
		}
	}
	a.Captured = dst[from:len(dst):len(dst)]
	return dst
}

// Unknown reports whether a [Application.Capture] with SnapshotApply would read anything.
func (a *Application) Unknown() bool {
	for _, w := range a.Spec.captures {
		if _, ok := captured(a.Captured, w.attr, w.when); !ok {
			return true
		}
	}
	return false
}

// Inherit gives an application that the buff of a handle sets off what that knows of its
// source: of an aura, for the members. What is not live knows nothing.
func (a *Application) Inherit(dst []Captured, s *Set, h Handle) []Captured {
	from := len(dst)
	if i := s.lookup(h); i != nil {
		dst = append(dst, s.magnitudesOf(i).captured...)
	}
	a.Captured = dst[from:len(dst):len(dst)]
	return dst
}

// captured finds one attribute.
func captured(list []Captured, attr stat.Attr, when Snapshot) (float64, bool) {
	for k := range list {
		if c := &list[k]; c.attr == attr && c.when == when {
			return c.value, true
		}
	}
	return 0, false
}

// captures finds, for each definition, what it and all that it can set off reads of the
// source: what one reads is passed on to all that can set it off, until nothing is new.
func (k *checker) captures() {
	var wait []*Spec
	for _, s := range k.catalog.specs {
		if len(s.captures) > 0 {
			wait = append(wait, s)
		}
	}
	if len(wait) == 0 {
		return
	}
	causes := map[*Spec][]*Spec{}
	for _, s := range k.catalog.specs {
		s.setsOff(func(o *Spec) { causes[o] = append(causes[o], s) })
	}
	for ; len(wait) > 0; wait = wait[1:] {
		for _, cause := range causes[wait[0]] {
			n := len(cause.captures)
			for _, c := range wait[0].captures {
				cause.reads(c)
			}
			if len(cause.captures) > n {
				wait = append(wait, cause)
			}
		}
	}
}

// reads notes that the definition reads an attribute of its source.
func (s *Spec) reads(c capture) {
	if !slices.Contains(s.captures, c) {
		s.captures = append(s.captures, c)
	}
}

// setsOff calls f for each definition that this one can apply, some more than once.
func (s *Spec) setsOff(f func(*Spec)) {
	lists := [][]op{s.apply, s.refresh, s.pulse, s.exec, s.overflow}
	for k := range s.reactions {
		lists = append(lists, s.reactions[k].ops)
	}
	for _, list := range append(lists, s.remove[:]...) {
		for _, o := range list {
			if o.do == DoApply && o.spec != nil {
				f(o.spec)
			}
		}
	}
	for _, h := range s.thresholds {
		if h.apply != nil {
			f(h.apply)
		}
	}
	for _, l := range s.links {
		f(l)
	}
	if s.aura != nil {
		f(s.aura)
	}
}
