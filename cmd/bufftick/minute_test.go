package main

import (
	"fmt"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/inspect"
	"github.com/bufftick/bufftick/wheel"
)

// The last minute of a player, as the live page hands it out, is a scenario that run plays: what begins,
// pulses and ends does so at the same instants as it did in the game.
func TestMinuteOfPlayer(t *testing.T) {
	cat, err := buff.NewCatalog(
		buff.Spec{ID: "venom", Duration: 7 * time.Second, Period: 1500 * time.Millisecond, Stack: buff.Stacking{By: buff.BySource, Limit: 3}},
		buff.Spec{ID: "rot", Kind: buff.Infinite, Period: 4 * time.Second, Stack: buff.Stacking{By: buff.ByTarget}},
		buff.Spec{ID: "ward", Duration: 20 * time.Second, Stack: buff.Stacking{By: buff.ByTarget, Overflow: buff.OverflowDeny}},
		buff.Spec{ID: "odd:name", Duration: 3 * time.Second},
	)
	require.NoError(t, err)
	eng, err := engine.New(engine.Options{Catalog: cat, Synchronous: true})
	require.NoError(t, err)
	require.NoError(t, eng.Spawn(7, nil))
	var want []string
	tick := func(to wheel.Time) {
		for e := range eng.Tick(time.Duration(to-eng.Now()) * time.Millisecond).Events() {
			if e.Seen >= 3000 && (e.Kind == buff.Applied || e.Kind == buff.Pulsed || e.Kind == buff.Removed || e.Kind == buff.Refreshed) {
				want = append(want, fmt.Sprintf("%d %v %s x%d", e.At, e.Kind, e.Spec.ID, e.Stacks))
			}
		}
	}
	add := func(spec string, source buff.OwnerID) buff.Handle {
		h, _ := eng.AddBuff(7, buff.Application{Spec: cat.Spec(spec), Source: source})
		return h
	}
	tick(1000)
	add("rot", 9) // before the minute that is known: the begin of its period is worked out
	tick(2000)
	for at := wheel.Time(6000); at < 60_000; at += 5300 {
		tick(at)
		add("venom", 8)
		if at%2 == 0 {
			add("venom", 8)
			add("venom", 10)
		}
		add("odd:name", 8)
		h := add("ward", 8)
		if at > 30_000 {
			eng.Remove(h)
		}
	}
	tick(63_000)

	w := httptest.NewRecorder()
	done := make(chan struct{})
	go func() {
		defer close(done)
		r := httptest.NewRequest("GET", "http://127.0.0.1/?scenario=7", nil)
		r.RemoteAddr = "127.0.0.1:1"
		inspect.Handler(eng).ServeHTTP(w, r)
	}()
	for waiting := true; waiting; {
		select {
		case <-done:
			waiting = false
		default:
			eng.Tick(0)
		}
	}
	require.Equal(t, 200, w.Code)
	all, err := parseScenarios("minute.yaml", w.Body.Bytes())
	require.NoError(t, err)
	require.Empty(t, all[0].faults, w.Body.String())
	log, err := all[0].play(engine.Options{Workers: 1}, 50*time.Millisecond)
	require.NoError(t, err)
	require.Equal(t, []string{"0 apply rot x1"}, log[:1])
	var got []string
	for _, l := range log[1:] {
		m := regexp.MustCompile(`^(\d+) (apply|pulse|remove|refresh) (\S+?)(?:_\d+)?( x\d+)?( .*)?$`).FindStringSubmatch(l)
		if m == nil {
			continue
		}
		at, err := strconv.Atoi(m[1])
		require.NoError(t, err)
		got = append(got, fmt.Sprintf("%d %s %s%s", at+1000, m[2], m[3], m[4]))
	}
	for i := range want {
		if strings.Contains(want[i], " remove ") {
			want[i], _, _ = strings.Cut(want[i], " x")
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	require.Equal(t, want, got, "%s", w.Body.String())
}
