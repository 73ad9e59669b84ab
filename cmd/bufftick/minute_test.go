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
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/engine/history"
	"github.com/bufftick/bufftick/inspect"
	"github.com/bufftick/bufftick/internal/scenario"
	"github.com/bufftick/bufftick/wheel"
)

// TestMinuteOfPlayer checks that "bufftick run" can play the last minute of a player, which the
// live page exports as a scenario. Buffs start, pulse and end at the same times as in the game.
func TestMinuteOfPlayer(t *testing.T) {
	cat, err := buff.NewCatalog(
		buff.Spec{ID: "venom", Duration: 7 * time.Second, Period: 1500 * time.Millisecond, Stack: define.Stacking{By: define.BySource, Limit: 3}},
		buff.Spec{ID: "rot", Kind: define.Infinite, Period: 4 * time.Second, Stack: define.Stacking{By: define.ByTarget}},
		buff.Spec{ID: "ward", Duration: 20 * time.Second, Stack: define.Stacking{By: define.ByTarget, Overflow: define.OverflowDeny}},
		buff.Spec{ID: "odd:name", Duration: 3 * time.Second},
	)
	require.NoError(t, err)
	eng, err := engine.New(engine.Options{Catalog: cat, Synchronous: true, Trace: engine.Trace{History: history.MinBytes}})
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
		h := eng.AddBuff(7, buff.Application{Spec: cat.Spec(spec), Source: source}).Handle
		return h
	}
	tick(1000)
	add("rot", 9) // applied before the recorded minute, so the start of the period must be computed
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

	text := minuteOf(t, eng)
	all, err := scenario.Parse("minute.yaml", []byte(text))
	require.NoError(t, err)
	require.Empty(t, all[0].Faults, text)
	log, err := all[0].Play(engine.Options{Workers: 1}, 50*time.Millisecond)
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
	require.Equal(t, want, got, "%s", text)
}

// minuteOf requests the minute of player 7 from the page of an engine. It runs the engine's loop
// until the response is complete.
func minuteOf(t *testing.T, eng *engine.Engine) string {
	t.Helper()
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
	return w.Body.String()
}

// TestMinutePaused checks that the scenario contains the pauses and rates of the player, of the
// player's area and of single buffs. With these steps, every pulse and end has the right time, even
// for buffs that started before the recorded minute.
func TestMinutePaused(t *testing.T) {
	cat, err := buff.NewCatalog(
		buff.Spec{ID: "venom", Duration: 7 * time.Second, Period: 1500 * time.Millisecond, Stack: define.Stacking{By: define.BySource, Limit: 3}},
		buff.Spec{ID: "rot", Kind: define.Infinite, Period: 4 * time.Second, Stack: define.Stacking{By: define.ByTarget}},
		buff.Spec{ID: "food", Duration: 70 * time.Second, Period: 10 * time.Second, OnDeath: define.FatePause},
		buff.Spec{ID: "ward", Duration: 13 * time.Second, OnDeath: define.FateKeep},
	)
	require.NoError(t, err)
	half, double := buff.Ratio{Num: 1, Den: 2}, buff.Ratio{Num: 2, Den: 1}
	header := regexp.MustCompile(`# Time 0 is (\d\d):(\d\d):(\d\d)\.(\d{3})\.`)
	line := regexp.MustCompile(`^(\d+) (apply|pulse|remove|refresh) (\S+?)(?:_\d+)?( x\d+)?( .*)?$`)
	for _, before := range []int{0, 1, 2, 3} { // the pause that is active when the record starts
		eng, err := engine.New(engine.Options{Catalog: cat, Synchronous: true, Trace: engine.Trace{History: history.MinBytes}})
		require.NoError(t, err)
		require.NoError(t, eng.Spawn(7, nil))
		require.NoError(t, eng.Spawn(8, nil))
		type happened struct {
			seen wheel.Time
			text string
		}
		var log []happened
		do := func(to wheel.Time, list ...buff.Command) {
			for e := range eng.Tick(time.Duration(to-eng.Now()) * time.Millisecond).Events() {
				if e.Owner == 7 && (e.Kind == buff.Applied || e.Kind == buff.Pulsed || e.Kind == buff.Removed || e.Kind == buff.Refreshed) {
					stacks := fmt.Sprintf(" x%d", e.Stacks)
					if e.Kind == buff.Removed {
						stacks = ""
					}
					log = append(log, happened{e.Seen, fmt.Sprintf("%d %v %s%s", e.At, e.Kind, e.Spec.ID, stacks)})
				}
			}
			for _, c := range list {
				require.NoError(t, eng.Do(c).Failure, c)
			}
		}
		add := func(spec string) buff.Handle {
			h := eng.AddBuff(7, buff.Application{Spec: cat.Spec(spec), Source: 8}).Handle
			return h
		}
		rot, food := add("rot"), add("food")
		switch before {
		case 1:
			do(1000, buff.Pause(7))
		case 2:
			do(1000, buff.PauseBuff(rot), buff.SetRate(7, half))
		case 3:
			do(1300, buff.SetAreaRate(0, double), buff.SetBuffRate(rot, half))
		}
		// A scenario has no fractions of ms. The record starts at 7 s, a whole ms even at half speed.
		do(6999)
		for range 3 * history.MinBytes / 40 { // until the record has overflowed more than once
			eng.AddBuff(8, buff.Application{Spec: cat.Spec("ward"), Source: 8})
		}
		do(7350, buff.Resume(7), buff.ResumeBuff(rot))
		venom := add("venom")
		do(9000, buff.PauseArea(0))
		do(9700)
		ward := add("ward") // this buff is paused from its start
		do(11_000, buff.SetRate(7, half), buff.ResumeArea(0))
		do(13_000, buff.Extend(ward, 2*time.Second), buff.PauseBuff(food))
		add("venom")
		do(15_000, buff.SetRate(7, double), buff.PauseBuff(venom))
		do(16_100, buff.ResumeBuff(food), buff.SetBuffRate(rot, double))
		do(18_300, buff.ResumeBuff(venom), buff.SetRate(7, buff.Ratio{Num: 1, Den: 1}))
		do(19_000, buff.Pause(7), buff.Pause(7))
		do(19_500, buff.PauseArea(0), buff.Resume(7))
		do(21_000, buff.ResumeArea(0))
		do(44_000)
		require.Positive(t, eng.History().Since(), "its first seconds are not known any more")

		text := minuteOf(t, eng)
		all, err := scenario.Parse("minute.yaml", []byte(text))
		require.NoError(t, err)
		require.Empty(t, all[0].Faults, text)
		played, err := all[0].Play(engine.Options{Workers: 1}, 50*time.Millisecond)
		require.NoError(t, err)
		m := header.FindStringSubmatch(text)
		require.NotNil(t, m, text)
		offset := 0
		for k, unit := range []int{3_600_000, 60_000, 1000, 1} {
			n, err := strconv.Atoi(m[k+1])
			require.NoError(t, err)
			offset += n * unit
		}
		since := eng.History().Since()
		var want, got []string
		for _, x := range log {
			if x.seen >= since {
				want = append(want, x.text)
			}
		}
		for _, l := range played {
			if m := line.FindStringSubmatch(l); m != nil {
				at, err := strconv.Atoi(m[1])
				require.NoError(t, err)
				if at += offset; wheel.Time(at) >= since {
					got = append(got, fmt.Sprintf("%d %s %s%s", at, m[2], m[3], m[4]))
				}
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		require.Equal(t, want, got, "%d: %s", before, text)
		require.NoError(t, eng.Close(t.Context()))
	}
}
