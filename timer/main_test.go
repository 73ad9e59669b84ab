package timer_test

import (
	"testing"

	"go.uber.org/goleak"
)

// Ignore the two goroutines of the default pool that ants starts when it is imported.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.IgnoreCurrent()) }
