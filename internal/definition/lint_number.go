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

// drPercent finds steps of diminishing returns that seem to be written as fractions of 1 and not
// in percent.
func (l *linter) drPercent(d *definition) {
	if steps := d.spec.DR.Steps; len(steps) > 0 && slices.Max(steps) == 1 {
		l.warn(d, "dr.steps", "percent: the longest is 1 %% of the duration; for the whole duration write 100")
	}
}
