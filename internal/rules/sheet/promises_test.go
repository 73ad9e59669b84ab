package sheet

import "testing"

// TestP44_BackToBase checks the promise of docs/promises.md that every attribute has exactly its
// base when all modifiers are removed, whatever modifiers there were and in whatever order.
func TestP44_BackToBase(t *testing.T) { TestBase(t) }
