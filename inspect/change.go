package inspect

import (
	"fmt"

	"github.com/bufftick/bufftick/buff"
)

// changeOf says what a Changed did: "-40, now 960". Where the line begins with the buff that
// did it, the attribute comes first.
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
