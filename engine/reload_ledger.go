package engine

import "github.com/bufftick/bufftick/buff"

// revised is the kind of a change that stands for several events: an instance is, or may be,
// of another version of its definition from here on.
const revised = buff.Refreshed

// reload makes the ledger ready for the definitions of a catalog. The lines know the
// versions before.
func (l *ledger) reload(lines []counted, c *buff.Catalog) {
	if n := c.Lines() + 1; n > len(l.shifts) {
		l.shifts = append(l.shifts, make([]bool, n-len(l.shifts))...)
	}
	for s := range c.All() {
		l.all |= caresOf(s)
		if line := s.Line(); line < len(lines) && lines[line].spec != nil {
			old := lines[line].spec
			l.shifts[line] = l.shifts[line] || caresOf(old) != caresOf(s) || old.Aura != s.Aura
		}
	}
}

// shifting reports whether there are versions of a definition for which the ledger keeps
// different things.
func (l *ledger) shifting(s *buff.Spec) bool {
	return int(s.Line()) < len(l.shifts) && l.shifts[s.Line()]
}
