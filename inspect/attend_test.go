package inspect_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/inspect"
)

type toldIncident struct {
	Time, TimeEnd     int64
	Title, Text, Kind string
	Tags              string
	Over              bool
	Players           []struct{ ID, Name string }
	Spec, Stack       string
}

func (g *game) incidents(query string) (out []toldIncident) {
	g.t.Helper()
	require.NoError(g.t, json.Unmarshal([]byte(answer(g.t, g.request("GET", "?incidents"+query, ""))), &out))
	return out
}

// TestAttend checks that Attend records a stuck player and the stack of its handler without a
// browser. Incidents that are over are kept and included in the answer for Grafana.
func TestAttend(t *testing.T) {
	t.Parallel()
	g := newGame(t, inspect.Options{StuckAfter: 100 * time.Millisecond, Speed: -1, Budget: time.Hour, Name: func(id buff.OwnerID) string { return fmt.Sprint("P", id) }})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		g.page.Attend(ctx)
	}()
	began := time.Now().UnixMilli()
	require.NoError(t, g.eng.Inbox().AddBuff(5, buff.Application{Spec: g.eng.Catalog().Spec("trap")}))
	stuck := func() (out []toldIncident) {
		for _, x := range g.incidents("") {
			if x.Kind == "stuck" {
				out = append(out, x)
			}
		}
		return out
	}
	for len(stuck()) == 0 {
	}
	x := stuck()[0]
	require.False(t, x.Over)
	require.Equal(t, "trap", x.Spec)
	require.Equal(t, "bufftick,stuck,alarm", x.Tags)
	require.Equal(t, "5", x.Players[0].ID)
	require.Regexp(t, `inspect_test\.newGame\.func1\n\t.*game_test\.go:\d+\n`, x.Stack)
	require.GreaterOrEqual(t, x.Time, began)
	require.Contains(t, x.Text, "P5 is stuck in a handler of trap for ")
	g.gate <- struct{}{}
	for !stuck()[0].Over {
	}
	require.GreaterOrEqual(t, stuck()[0].TimeEnd, x.Time)

	// Request the incidents of an interval, as Grafana does.
	require.Len(t, g.incidents(fmt.Sprintf("&from=%d&to=%d", began, time.Now().UnixMilli())), len(g.incidents("")))
	require.Empty(t, g.incidents(fmt.Sprintf("&to=%d", began-1000)))
	require.Empty(t, g.incidents(fmt.Sprintf("&from=%d", time.Now().Add(time.Hour).UnixMilli())))
	require.Equal(t, 400, g.request("GET", "?incidents&from=yesterday", "").StatusCode)
	cancel()
	<-done
}

// TestHoldersOf checks that the holders of a definition are returned in pages.
func TestHoldersOf(t *testing.T) {
	g := newGame(t, inspect.Options{})
	h := g.get("?holders=venom")
	require.Equal(t, 40.0, float64(len(h["list"].([]any))))
	require.Nil(t, h["next"])
	no := g.request("GET", "?holders=venon", "")
	require.Equal(t, 404, no.StatusCode)
	text, err := io.ReadAll(no.Body)
	require.NoError(t, err)
	require.Contains(t, string(text), `did you mean "venom"?`)
	require.Equal(t, 400, g.request("GET", "?holders=venom&from=-1", "").StatusCode)
}
