package sheet

import "testing"

// TestP44_BackToBase is the promise of docs/promises.md: when all modifiers are off, every
// attribute has the bits of its base, whatever came and went in which order.
func TestP44_BackToBase(t *testing.T) { TestBase(t) }
