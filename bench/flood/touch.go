package flood

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/bufftick/bufftick/bench/gauge"
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
)

// touched is the number of buffs on the single owner to which all commands are sent. It is the
// default limit minus three.
const touched = 1021

// Touch is the cost of a full inbox of one kind of command.
type Touch struct {
	Verb     string
	Commands int
	Ticks    int           // number of Ticks until the inbox was empty
	Longest  time.Duration // duration of the longest Tick
	Own      time.Duration // largest processor time of the loop's thread in a Tick
	All      time.Duration // total duration of all Ticks
}

// Touches measures each kind of command: it fills the inbox with commands of this kind, and runs
// Ticks until the inbox is empty.
func Touches(commands int) (out []Touch, err error) {
	for _, verb := range []string{"SetRate", "Pause", "Immunize", "AddBuff"} {
		t, err := touch(verb, commands)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

func touch(verb string, commands int) (t Touch, err error) {
	cat, err := buff.NewCatalog(
		buff.Spec{ID: "beat", Duration: time.Hour, Period: time.Minute},
		buff.Spec{ID: "hit", Kind: define.Instant},
		buff.Spec{ID: "ward", Kind: define.Instant, Tags: []string{"fire"}},
	)
	if err != nil {
		return t, err
	}
	e, err := engine.New(engine.Options{Catalog: cat, Limits: engine.Limits{Inbox: commands}})
	if err != nil {
		return t, err
	}
	defer func() { _ = e.Close(context.Background()) }()
	if err := e.Spawn(1, nil); err != nil {
		return t, err
	}
	for range touched {
		if r := e.AddBuff(1, buff.Application{Spec: cat.Spec("beat")}); r.Failure != nil {
			return t, r.Failure
		}
	}
	e.Tick(time.Millisecond)
	fire, _ := cat.Tag("fire")
	in := e.Inbox()
	for k := range commands {
		switch verb {
		case "SetRate":
			err = in.Do(buff.SetRate(1, buff.Ratio{Num: uint32(1 + k%2), Den: 2}))
		case "Pause":
			if k%2 == 0 {
				err = in.Do(buff.Pause(1))
			} else {
				err = in.Do(buff.Resume(1))
			}
		case "Immunize":
			err = in.Do(buff.Immunize(1, fire, false))
		default:
			err = in.AddBuff(1, buff.Application{Spec: cat.Spec("hit")})
		}
		if err != nil {
			return t, err
		}
	}
	t = Touch{Verb: verb, Commands: commands}
	runtime.LockOSThread() // the processor time of this thread is measured
	defer runtime.UnlockOSThread()
	for in.Stats().Waiting > 0 {
		start, spent := time.Now(), gauge.ThreadCPU()
		e.Tick(time.Millisecond)
		d := time.Since(start)
		t.Own = max(t.Own, gauge.ThreadCPU()-spent)
		t.Ticks++
		t.All += d
		t.Longest = max(t.Longest, d)
	}
	return t, nil
}

// PrintTouches writes a table.
func PrintTouches(w io.Writer, all []Touch) {
	fmt.Fprintf(w, "| %d buffs on one owner | commands | Ticks | longest Tick | of it the loop's processor time, at most | all of them | one command |\n|---|---|---|---|---|---|---|\n", touched)
	for _, t := range all {
		fmt.Fprintf(w, "| %s | %d | %d | %v | %v | %v | %v |\n", t.Verb, t.Commands, t.Ticks,
			t.Longest.Round(10*time.Microsecond), t.Own.Round(10*time.Microsecond), t.All.Round(time.Millisecond), (t.All / time.Duration(t.Commands)).Round(10*time.Nanosecond))
	}
}
