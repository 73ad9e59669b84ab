package engine_test

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/engine"
)

// TestP28_FatalErrors checks that handlers that overflow the stack, write a map concurrently
// or exit the process do end it, as documented.
func TestP28_FatalErrors(t *testing.T) {
	const env = "BUFFTICK_P28"
	shared := map[int]int{}
	handlers := map[string]func(*engine.Context){
		"stack": func(*engine.Context) {
			debug.SetMaxStack(1 << 20)
			var deeper func(n int) int
			deeper = func(n int) int { return deeper(n+1) + 1 }
			deeper(0)
		},
		"map": func(*engine.Context) {
			for { // until the runtime detects a concurrent write
				shared[1] = 1
			}
		},
		"exit": func(*engine.Context) { os.Exit(3) },
	}
	if which := os.Getenv(env); which != "" {
		runtime.GOMAXPROCS(2)
		e, err := engine.New(engine.Options{Workers: 2, Budget: patient})
		if err == nil && e.Spawn(1, nil) == nil && e.Spawn(2, nil) == nil {
			_, _ = e.AddTimeout(1, 0, handlers[which])
			_, _ = e.AddTimeout(2, 0, handlers[which])
			e.Tick(time.Second)
		}
		fmt.Println("it goes on")
		os.Exit(0)
	}
	for which, want := range map[string]string{"stack": "stack overflow", "map": "fatal error: concurrent map writes", "exit": ""} {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestP28_FatalErrors$")
		// Otherwise the race detector would report the same first, again and again.
		cmd.Env = append(os.Environ(), env+"="+which, "GORACE=halt_on_error=0 log_path=/dev/null")
		out, err := cmd.CombinedOutput()
		require.Error(t, err, which)
		require.Contains(t, string(out), want, which)
		require.NotContains(t, string(out), "it goes on", which)
	}
}

// TestTick_DueWhenIdleAgain checks that an event that becomes due at the instant at which its
// owner becomes idle is processed in that Tick, not in the next.
func TestTick_DueWhenIdleAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cell, rung := make(chan struct{}), 0
		e, err := engine.New(engine.Options{Workers: 1, Budget: brief})
		require.NoError(t, err)
		require.NoError(t, e.Spawn(1, nil))
		_, err = e.AddTimeout(1, time.Second, func(c *engine.Context) {
			<-cell
			c.AddTimeout(1, 500*time.Millisecond, func(*engine.Context) { rung++ })
		})
		require.NoError(t, err)
		e.Tick(time.Second)
		e.Tick(500 * time.Millisecond)
		close(cell)
		synctest.Wait()
		require.Equal(t, 2, e.Tick(0).Len())
		require.Equal(t, 1, rung)
		require.NoError(t, e.Close(t.Context()))
	})
}
