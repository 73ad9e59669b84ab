package buff

import "github.com/bufftick/bufftick/wheel"

func (s *Set) Adopt(t *Turn, at wheel.Time) {
	t.begin(at, s.started(at), false)
	s.each(func(k uint16) {
		i := &s.slots[k]
		n, _ := t.Catalog.Newest(i.spec)
		rule := i.spec.Reload
		if n != nil {
			rule = n.Reload
		}
		switch {
		case i.spec == n || n != nil && n.revision == i.spec.revision:
		case rule == ReloadEnd:
			s.end(t, k, Reload)
		case rule == ReloadMigrate && n != nil:
			s.takeVersion(t, k, &Application{Spec: n})
			s.touch(k)
		}
	})
	for t.head < len(t.items) {
		s.step(t)
	}
	t.rest()
	s.settle(at)
}
