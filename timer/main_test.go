package timer_test

import (
	"testing"

	"go.uber.org/goleak"
)

// Importing ants starts its default pool: those two goroutines are not ours.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.IgnoreCurrent()) }
