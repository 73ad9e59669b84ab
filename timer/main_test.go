package timer_test

import (
	"testing"

	"go.uber.org/goleak"
)

// Importing ants starts its default pool; ignore its two goroutines.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.IgnoreCurrent()) }
