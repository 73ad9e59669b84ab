package view

import (
	"fmt"
	"strings"

	"github.com/bufftick/bufftick/buff/define"
)

// ReloadReport lists the changes made by engine.Engine.Reload.
type ReloadReport struct {
	// Changes are the definitions that were added, changed or removed, sorted by ID. Unchanged
	// definitions are left out.
	Changes []ReloadChange
}

// ReloadChange is one definition that engine.Engine.Reload has changed.
type ReloadChange struct {
	define.SpecChange
	Live int               // instances running at the time of the Reload
	Rule define.ReloadRule // rule applied to these instances
}

// String returns a line for each definition, such as "changed venom, 12 live: keep", or "no
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
