package inspect

import (
	"fmt"

	"github.com/bufftick/bufftick/buff"
)

// changeOf describes a Changed event, such as "-40, now 960". If a buff caused the change, the
// text starts with the name of the attribute. Otherwise the event already has the attribute's
// name.
func changeOf(e *buff.Event) string {
	text := fmt.Sprintf("%+.6g, now %.6g", e.Delta, e.Value)
	if e.Spec != nil {
		text = line(e.Name) + " " + text
	}
	if e.Magnitude > 0 {
		text += fmt.Sprintf(", %d absorbed", e.Magnitude)
	}
	return text
}
