package inspect

import (
	"fmt"

	"github.com/bufftick/bufftick/buff"
)

// changeOf describes a Changed event: "-40, now 960". Lines that start with the responsible
// buff have the attribute in front.
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
