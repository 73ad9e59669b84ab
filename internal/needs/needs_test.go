package needs_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/internal/needs"
)

// recorder records how a test ends.
type recorder struct {
	testing.TB
	end string
}

func (r *recorder) Helper() {}

func (r *recorder) Fatalf(format string, args ...any) {
	r.end = "failed: " + fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func (r *recorder) Skipf(format string, args ...any) {
	r.end = "skipped: " + fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// TestProgram checks that a test without its program is skipped, and fails in CI.
func TestProgram(t *testing.T) {
	end := func(name string) string {
		r := &recorder{end: "ran"}
		done := make(chan struct{})
		go func() {
			defer close(done)
			needs.Program(r, name, "golang")
		}()
		<-done
		return r.end
	}
	t.Setenv("CI", "")
	require.Equal(t, "ran", end("go"))
	require.Equal(t, "skipped: no-such-program not found (apt-get install golang)", end("no-such-program"))
	t.Setenv("CI", "true")
	require.Equal(t, "ran", end("go"))
	require.Contains(t, end("no-such-program"), "failed: no-such-program not found")
}
