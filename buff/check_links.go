package buff

import (
	"slices"
	"strings"

	"github.com/bufftick/bufftick/buff/define"
)

// links checks what comes and goes with the buff.
func (k *checker) links(s *Spec) {
	if n := len(s.Links); n > define.MaxLinks {
		k.failf("links", "%d are more than %d", n, define.MaxLinks)
	}
	s.Links = slices.Clone(s.Links)
	for i, id := range s.Links[:min(len(s.Links), define.MaxLinks)] {
		field := element("links", i)
		of := k.ref(field, id)
		switch {
		case of == nil:
			continue
		case id == s.ID:
			k.failf(field, "a buff may not be its own link")
		case of.Kind == define.Instant:
			k.failf(field, "%q is instant: there would be nothing to take away; use on.apply", id)
		case slices.Contains(s.Links[:i], id):
			k.failf(field, "%q stands in the list already", id)
		}
		s.links = append(s.links, of)
	}
}

// linkRings finds definitions that are linked to each other in a ring, each ring once: one
// application would set off all of them for ever.
func (k *checker) linkRings() {
	const (
		fresh = iota
		onPath
		done
	)
	state := map[*Spec]uint8{}
	var path []*Spec
	var walk func(s *Spec)
	walk = func(s *Spec) {
		switch state[s] {
		case done:
			return
		case onPath:
			ring := path[slices.Index(path, s):]
			if len(ring) == 1 {
				return // which is said already
			}
			names := make([]string, 0, len(ring)+1)
			for _, r := range append(slices.Clone(ring), s) {
				names = append(names, r.ID)
			}
			k.current = s
			k.failf("links", "they come back to where they began: %s", strings.Join(names, ", "))
			return
		}
		state[s] = onPath
		path = append(path, s)
		for _, l := range s.links {
			walk(l)
		}
		path = path[:len(path)-1]
		state[s] = done
	}
	for _, s := range k.catalog.specs {
		if len(s.links) > 0 {
			walk(s)
		}
	}
}
