package inspect

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine/view"
	"github.com/bufftick/bufftick/wheel"
)

// TestHealthLine checks the first line of the page with transcripts. Each line of input is a
// view, with the wall-clock time at which it arrives, the game time, and other data:
//
//	at=4s game=1s took=400ms stuck=7:trap:1s,8::0s waiting=12 late=250ms:30/1000
func TestHealthLine(t *testing.T) {
	datadriven.Walk(t, "testdata/verdict", func(t *testing.T, path string) {
		var in *Inspector
		cat, err := buff.NewCatalog(buff.Spec{ID: "trap", Duration: time.Second}, buff.Spec{ID: "venom", Duration: time.Second})
		require.NoError(t, err)
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if in == nil || d.Cmd == "game" {
				in = &Inspector{}
				in.opts.Budget = 50 * time.Millisecond
			}
			switch d.Cmd {
			case "game":
				for _, a := range d.CmdArgs {
					switch a.Key {
					case "speed":
						in.opts.Speed, err = strconv.ParseFloat(a.Vals[0], 64)
					case "stuck-after":
						in.opts.StuckAfter, err = time.ParseDuration(a.Vals[0])
					case "budget":
						in.opts.Budget, err = time.ParseDuration(a.Vals[0])
					}
					require.NoError(t, err)
				}
				return ""
			case "alarm":
				said := strings.TrimSpace(d.Input)
				in.opts.Alarm = func() string { return said }
				return ""
			case "reload":
				if refused := strings.TrimSpace(d.Input); refused != "" {
					in.reloads.add(time.Date(2026, 11, 22, 12, 34, 56, 0, time.UTC), nil, fmt.Errorf("%s", refused))
				} else {
					in.reloads.add(time.Date(2026, 11, 22, 12, 35, 0, 0, time.UTC), "fine", nil)
				}
				return ""
			case "views":
				var out strings.Builder
				for _, l := range strings.Split(strings.TrimSpace(d.Input), "\n") {
					at, v := viewIn(t, cat, l)
					got := in.viewOf(v, at)
					fmt.Fprintf(&out, "%v: %s [%s]: %s\n", at, got.Verdict.Level, got.Verdict.Topic, sentences(got.Verdict))
				}
				return out.String()
			}
			t.Fatalf("%s: what is %s?", d.Pos, d.Cmd)
			return ""
		})
	})
}

// sentences returns a verdict as the page shows it, with the targets of its links.
func sentences(v verdictJSON) string {
	var out []string
	for _, say := range v.Say {
		var b strings.Builder
		for _, p := range say {
			switch {
			case p.Player != nil:
				fmt.Fprintf(&b, "(#/player/%s)", p.Player.ID)
			case p.To != "":
				fmt.Fprintf(&b, "%s (%s)", p.Text, p.To)
			default:
				b.WriteString(p.Text)
			}
		}
		out = append(out, b.String())
	}
	return strings.Join(out, " ")
}

// viewIn parses one line of a transcript.
func viewIn(t *testing.T, cat *buff.Catalog, text string) (at time.Duration, v *view.View) {
	t.Helper()
	v = &view.View{Workers: 2, InboxLimit: 100, Buffs: 5000, Catalog: cat}
	v.Stats.Owners = 1000
	span := func(s string) time.Duration {
		d, err := time.ParseDuration(s)
		require.NoError(t, err, text)
		return d
	}
	number := func(s string) int {
		n, err := strconv.Atoi(s)
		require.NoError(t, err, text)
		return n
	}
	took := 5 * time.Millisecond
	for _, f := range strings.Fields(text) {
		key, val, _ := strings.Cut(f, "=")
		switch key {
		case "at":
			at = span(val)
		case "game":
			v.Now = wheel.Time(span(val) / time.Millisecond)
		case "since":
			v.Since = wheel.Time(span(val) / time.Millisecond)
		case "took":
			took = span(val)
		case "waiting":
			v.Waiting = number(val)
		case "inbox":
			v.Stats.Inbox = number(val)
		case "behind":
			v.Stats.Behind = span(val)
		case "lost":
			v.Stats.Lost = span(val)
		case "stuck":
			for _, s := range strings.Split(val, ",") {
				p := strings.Split(s, ":")
				v.Stuck = append(v.Stuck, view.Stuck{Owner: buff.OwnerID(number(p[0])), Spec: cat.Spec(p[1]), For: span(p[2])})
			}
		case "late": // n of m events are later than a bound
			bound, n, _ := strings.Cut(val, ":")
			some, all, _ := strings.Cut(n, "/")
			v.Late[0] = uint64(number(all) - number(some))
			for i, b := range view.LateBounds {
				if b == span(bound) {
					v.Late[i+1] = uint64(number(some))
				}
			}
		default:
			t.Fatalf("what is %s?", f)
		}
	}
	for n := range uint64(100) {
		v.Frames = append(v.Frames, view.FrameTime{Number: n, Took: took})
	}
	return at, v
}
