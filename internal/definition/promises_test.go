package definition

import "testing"

// The promises of docs/promises.md that tests of this package hold, by their numbers.

// TestP41_AllErrorsAtOnce: all errors of all files in one run, each with its place; nothing
// is loaded.
func TestP41_AllErrorsAtOnce(t *testing.T) { TestErrorClasses(t) }

// TestP42_ErrorsAreNotDefaults: what cannot be a definition is an error with a place.
func TestP42_ErrorsAreNotDefaults(t *testing.T) { TestHostile(t) }
