package view

import (
	"fmt"
	"strings"

	"github.com/bufftick/bufftick/buff/define"
)

// ReloadReport says what a engine.Engine.Reload has changed.
type ReloadReport struct {
	// Changes are the definitions that were added, changed or removed, sorted by ID. What
	// is the same as before is not among them.
	Changes []ReloadChange
}

// ReloadChange is one definition that a engine.Engine.Reload has changed.
type ReloadChange struct {
	define.SpecChange
	Live int               // instances that ran when it was reloaded
	Rule define.ReloadRule // what becomes of them; of a definition that was removed, keep or end
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
