package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/bufftick/bufftick/buff"
)

// ReloadReport says what a [Engine.Reload] has changed.
type ReloadReport struct {
	// Changes are the definitions that were added, changed or removed, sorted by ID. What
	// is the same as before is not among them.
	Changes []ReloadChange
}

// ReloadChange is one definition that a [Engine.Reload] has changed.
type ReloadChange struct {
	buff.SpecChange
	Live int             // instances that ran when it was reloaded
	Rule buff.ReloadRule // what becomes of them; of a definition that was removed, keep or end
}

// String returns a line for each definition, "changed venom, 12 live: keep", or "no
// changes".
func (r ReloadReport) String() string {
	if len(r.Changes) == 0 {
		return "no changes"
	}
	var b strings.Builder
	for i, c := range r.Changes {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%v %s", c.Kind, c.ID)
		if c.Live > 0 {
			fmt.Fprintf(&b, ", %d live: %v", c.Live, c.Rule)
		}
	}
	return b.String()
}

// compare says in what a catalog differs from the one in force. The tally knows how many
// instances run.
func (e *Engine) compare(old, c *buff.Catalog) (r ReloadReport) {
	add := func(s *buff.Spec, kind buff.ChangeKind) {
		change := ReloadChange{SpecChange: buff.SpecChange{ID: s.ID, Kind: kind}, Rule: s.Reload}
		if line := s.Line(); line < len(e.tally.lines) {
			change.Live = e.tally.lines[line].live
		}
		if kind == buff.SpecRemoved && s.Reload == buff.ReloadMigrate {
			change.Rule = buff.ReloadKeep // there is nothing to follow
		}
		r.Changes = append(r.Changes, change)
	}
	for s := range c.All() {
		switch was := old.Spec(s.ID); {
		case was == nil:
			add(s, buff.SpecAdded)
		case was.Revision() != s.Revision():
			add(s, buff.SpecChanged)
		}
	}
	for s := range old.All() {
		if c.Spec(s.ID) == nil {
			add(s, buff.SpecRemoved)
		}
	}
	slices.SortStableFunc(r.Changes, func(a, b ReloadChange) int { return cmp.Compare(a.ID, b.ID) })
	return r
}
