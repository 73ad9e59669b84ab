package definition

import (
	"slices"
	"strings"

	"github.com/bufftick/bufftick/buff/define"
)

// actMagnitude finds numbers in on.act that read the magnitude. The designer has probably meant
// the amount of the act.
func (l *linter) actMagnitude(d *definition) {
	eachAction(d.spec, func(field string, a *define.Action) {
		if !strings.HasPrefix(field, "on.act.") && !strings.HasPrefix(field, "on.absorb[") || a.Change == nil {
			return
		}
		if f, ok := a.Change.By.Formula.(*formula); ok && f.names(pushMagnitude) && !slices.ContainsFunc(f.reads, isAmount) {
			l.warn(d, join(join(field, a.Do.String()), "by.formula"),
				"magnitude is the magnitude of this buff's own application: write amount for the amount of the act")
		}
	})
}
