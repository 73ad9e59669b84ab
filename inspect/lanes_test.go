package inspect_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/engine/history"
	"github.com/bufftick/bufftick/inspect"
)

// lanesOf requests the last minute of a player and writes each lane as a line. It ticks the engine
// until the response has arrived.
func lanesOf(t *testing.T, e *engine.Engine, query string) (answer map[string]any, lines []string) {
	t.Helper()
	page := inspect.Handler(e)
	done := make(chan *httptest.ResponseRecorder)
	go func() {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", "http://localhost/"+query, http.NoBody)
		r.RemoteAddr = "127.0.0.1:1"
		page.ServeHTTP(w, r)
		done <- w
	}()
	for {
		select {
		case w := <-done:
			require.Equal(t, 200, w.Code, w.Body)
			require.NoError(t, json.Unmarshal(w.Body.Bytes(), &answer))
			for _, l := range answer["lanes"].([]any) {
				lines = append(lines, laneText(l.(map[string]any)))
			}
			return answer, lines
		default:
			e.Tick(0)
		}
	}
}

func laneText(l map[string]any) string {
	text := fmt.Sprintf("%v %v to %v:", l["spec"], l["begin"], l["end"])
	for _, x := range l["steps"].([]any) {
		x := x.(map[string]any)
		text += fmt.Sprintf(" %v %v", x["at"], x["kind"])
		for _, k := range []string{"n", "end", "why", "text"} {
			if v, ok := x[k]; ok {
				text += fmt.Sprintf(" %s=%v", k, v)
			}
		}
		text += ","
	}
	if l["runs"] != nil {
		text += fmt.Sprintf(" runs to %v", l["runs"])
	}
	return strings.TrimSuffix(strings.TrimSuffix(text, ","), ":")
}

// TestLastMinute checks that there is a lane for each buff with its events, even if it has no
// events in the last minute, and lanes for denials and instant effects.
func TestLastMinute(t *testing.T) {
	cat, err := buff.NewCatalog(
		buff.Spec{ID: "oath", Kind: define.Infinite},
		buff.Spec{ID: "food", Duration: time.Hour},
		buff.Spec{ID: "venom", Duration: 6 * time.Second, Period: 2 * time.Second, Stack: define.Stacking{By: define.ByTarget, Limit: 2, Overflow: define.OverflowDeny}},
		buff.Spec{ID: "hit", Kind: define.Instant},
	)
	require.NoError(t, err)
	e, err := engine.New(engine.Options{Catalog: cat, Synchronous: true, Trace: engine.Trace{History: history.DefaultBytes}})
	require.NoError(t, err)
	require.NoError(t, e.Spawn(7, nil))
	require.NoError(t, e.Spawn(8, nil))
	add := func(spec string) { e.AddBuff(7, buff.Application{Spec: cat.Spec(spec), Source: 8}) }
	add("oath")
	e.Tick(100 * time.Second)
	add("food")
	e.AddBuff(8, buff.Application{Spec: cat.Spec("hit"), Source: 8})
	e.Tick(time.Second)
	for range 3 {
		add("venom")
	}
	add("hit")
	e.Tick(7 * time.Second)

	answer, lanes := lanesOf(t, e, "?history=7")
	require.Equal(t, []string{
		"venom <nil> to <nil>: 101000 deny why=limit",
		"hit <nil> to <nil>: 101000 exec n=1",
		"oath <nil> to <nil>",
		"food 100000 to <nil>: 100000 apply n=1 end=3.7e+06, runs to 3.7e+06",
		"venom 101000 to 107000: 101000 apply n=1 end=107000, 101000 stack n=2, 101000 refresh n=2 end=107000, 103000 pulse n=2, 105000 pulse n=2, 107000 pulse n=2, 107000 remove n=2 why=expired",
	}, lanes)
	require.Equal(t, []any{108000.0, 48000.0, true}, []any{answer["now"], answer["from"], answer["present"]})
	_, others := lanesOf(t, e, "?history=9")
	require.Empty(t, others)
}

// TestLastMinuteOfMany checks that if a player has too many events for one response, the response
// contains the newest events and a note. If the engine has no history, the response says so.
func TestLastMinuteOfMany(t *testing.T) {
	t.Parallel()
	cat, err := buff.NewCatalog(buff.Spec{ID: "hit", Kind: define.Instant, Tags: []string{"x"}}, buff.Spec{ID: "stone", Kind: define.Infinite, Stack: define.Stacking{By: define.ByNone}})
	require.NoError(t, err)
	e, err := engine.New(engine.Options{Catalog: cat, Synchronous: true, Trace: engine.Trace{History: history.DefaultBytes}})
	require.NoError(t, err)
	require.NoError(t, e.Spawn(7, nil))
	e.Tick(time.Second)
	for range 500 {
		e.AddBuff(7, buff.Application{Spec: cat.Spec("stone")})
	}
	e.Tick(10 * time.Second)
	for range 20_000 {
		e.AddBuff(7, buff.Application{Spec: cat.Spec("hit")})
	}
	e.Tick(time.Second)
	answer, lanes := lanesOf(t, e, "?history=7")
	require.Equal(t, true, answer["cut"])
	require.Equal(t, 11_001.0, answer["since"], "of 11 s it has a part only")
	require.Len(t, lanes, 400)
	require.Contains(t, lanes[0], "hit")

	// The newest 8,000 of 8,010 events are returned. since is directly after the newest omitted
	// event.
	many, err := engine.New(engine.Options{Catalog: cat, Synchronous: true, Trace: engine.Trace{History: history.DefaultBytes}})
	require.NoError(t, err)
	require.NoError(t, many.Spawn(7, nil))
	for range 8010 {
		many.Tick(5 * time.Millisecond)
		many.AddBuff(7, buff.Application{Spec: cat.Spec("hit")})
	}
	many.Tick(5 * time.Millisecond)
	answer, lanes = lanesOf(t, many, "?history=7")
	require.Equal(t, []any{true, 51.0}, []any{answer["cut"], answer["since"]})
	require.Len(t, lanes, 1)
	require.Equal(t, 8000, strings.Count(lanes[0], " exec"))
	require.Contains(t, lanes[0], "hit <nil> to <nil>: 55 exec")

	none, err := engine.New(engine.Options{Catalog: cat, Synchronous: true})
	require.NoError(t, err)
	w := httptest.NewRecorder()
	r := httptest.NewRequest("GET", "http://localhost/?history=7", http.NoBody)
	r.RemoteAddr = "127.0.0.1:1"
	inspect.Handler(none).ServeHTTP(w, r)
	require.Equal(t, http.StatusNotFound, w.Code)
	require.Contains(t, w.Body.String(), "keeps no history")
}

// TestLastMinutePaused checks that pauses of the player, of a buff and of the area, a rate and a
// death are on their lanes, with the intervals in which time did not pass at normal speed.
func TestLastMinutePaused(t *testing.T) {
	cat, err := buff.NewCatalog(
		buff.Spec{ID: "food", Duration: 20 * time.Second, OnDeath: define.FatePause},
		buff.Spec{ID: "venom", Duration: 8 * time.Second, Period: 2 * time.Second, OnDeath: define.FateKeep},
	)
	require.NoError(t, err)
	e, err := engine.New(engine.Options{Catalog: cat, Synchronous: true, Trace: engine.Trace{History: history.DefaultBytes}})
	require.NoError(t, err)
	require.NoError(t, e.Spawn(7, nil))
	do := func(list ...buff.Command) {
		for _, c := range list {
			require.NoError(t, e.Do(c).Failure, c)
		}
		e.Tick(time.Second)
	}
	food := e.AddBuff(7, buff.Application{Spec: cat.Spec("food")}).Handle
	do()
	do(buff.PauseBuff(food))
	do(buff.Pause(7))
	venom := e.AddBuff(7, buff.Application{Spec: cat.Spec("venom")}).Handle
	require.NotZero(t, venom)
	do(buff.Resume(7), buff.ResumeBuff(food))
	do(buff.SetRate(7, buff.Ratio{Num: 1, Den: 2}))
	do(buff.PauseArea(0))
	do(buff.ResumeArea(0), buff.SetRate(7, buff.Ratio{Num: 1, Den: 1}))
	do(buff.Kill(7))
	do(buff.Revive(7))
	do()

	answer, lanes := lanesOf(t, e, "?history=7")
	require.Equal(t, []string{
		"<nil> <nil> to <nil>: 2000 pause text=the player, 3000 resume text=the player, 4000 rate text=the player at 1/2, " +
			"5000 pause text=its area, 6000 resume text=its area, 6000 rate text=the player at 1/1, 7000 die, 8000 revive",
		"food 0 to <nil>: 0 apply n=1 end=20000, 1000 pause text=the buff, 3000 resume text=the buff, 7000 pause text=by death, 8000 resume text=by death, runs to 24500",
		"venom 3000 to <nil>: 3000 apply n=1, 6500 pulse n=1, 8500 pulse n=1, runs to 12500",
	}, lanes)
	var times []string
	for _, l := range answer["lanes"].([]any) {
		text := fmt.Sprint(l.(map[string]any)["spec"], ":")
		list, _ := l.(map[string]any)["times"].([]any)
		for _, x := range list {
			x := x.(map[string]any)
			text += fmt.Sprintf(" %v to %v × %v", x["from"], x["to"], x["speed"])
		}
		times = append(times, text)
	}
	require.Equal(t, []string{
		"<nil>: 2000 to 3000 × 0 4000 to 5000 × 0.5 5000 to 6000 × 0",
		"food: 1000 to 3000 × 0 4000 to 5000 × 0.5 5000 to 6000 × 0 7000 to 8000 × 0",
		"venom: 4000 to 5000 × 0.5 5000 to 6000 × 0",
	}, times)
}
