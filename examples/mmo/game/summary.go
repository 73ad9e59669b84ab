package game

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/bufftick/bufftick/buff"
)

// summary completes the checks. It returns the lines of the report and, separately, the line with
// the digest. It must be called before the engine is closed.
func (l *loop) summary() (lines, digest string) {
	l.pulses.close(l.now)
	l.weigh()
	var b strings.Builder
	line := func(head, format string, args ...any) {
		fmt.Fprintf(&b, "%-9s %s\n", head, fmt.Sprintf(format, args...))
	}
	t, s := &l.totals, l.eng.Stats()
	line("game", "%d players, %d bosses, %d Hz, seed %d", len(l.players), len(l.raids), l.rate, l.seed)
	line("time", "%v played in %v: %.1f times real time", l.at(l.played), l.took.Round(time.Millisecond),
		float64(l.at(l.played))/float64(max(l.took, 1)))
	line("events", "%d", t.total())
	for k, n := range t.events {
		if n > 0 {
			fmt.Fprintf(&b, "%9s %-8s %d\n", "", buff.EventKind(k), n)
		}
	}
	line("bots", "AddBuff: %.0f %% new, %.0f %% refresh, %.0f %% stack; %d hits and heals, %d refused", t.share(buff.Applied),
		t.share(buff.Refreshed), t.share(buff.Stacked), t.casts[buff.Executed], t.casts[buff.Denied])
	line("fights", "%d deaths, %d bosses killed, %d bursts, %d buffs dispelled", t.deaths, t.felled, t.bursts, t.dispels)
	line("pulses", "%d due, %d run", l.pulses.due, l.pulses.run)
	line("frames", "%d played, %d late", l.played, l.late)
	line("frame", "%s", quantiles(&l.frame))
	line("  Tick", "%s", quantiles(&l.tick))
	line("lateness", "events at most %d ms late; a frame is %v", t.latest, l.at(1))
	line("buffs", "%d live", t.alive())
	line("engine", "%d owners, %d deadlines waiting, %d fired, %d dropped, %d undelivered, %d refused", s.Owners, s.Timers,
		s.Fired, s.Dropped, s.Undelivered, s.Refused)
	if l.keep != nil {
		line("data", "%s", l.keep.came())
	}
	if t.stuck > 0 {
		line("stuck", "%d times a handler exceeded the budget, so the digest is not reproducible", t.stuck)
	}
	switch {
	case l.err != nil: // the error is printed elsewhere, and there is no digest
	case l.played < l.frames:
		digest = fmt.Sprintf("digest of the first %d of %d frames: %s\n", l.played, l.frames, &l.digest)
	default:
		digest = fmt.Sprintf("digest: %s\n", &l.digest)
	}
	return b.String(), digest
}

// weigh adds the health of all units to the digest.
func (w *world) weigh() {
	ids := make([]buff.OwnerID, 0, len(w.players)+len(w.raids))
	for i := range w.players {
		ids = append(ids, w.players[i].id)
	}
	for i := range w.raids {
		ids = append(ids, w.raids[i].boss)
	}
	for _, id := range ids {
		health, err := w.eng.Base(id, w.vigour)
		if err != nil {
			health = -1 // the unit is not in the engine
		}
		w.digest.number(int64(math.Float64bits(health)))
	}
}

func quantiles(t *times) string {
	return fmt.Sprintf("p50 %s, p99 %s, max %s", millis(t.quantile(50)), millis(t.quantile(99)), millis(t.max))
}

// millis formats a duration in milliseconds.
func millis(d time.Duration) string { return fmt.Sprintf("%.2f ms", float64(d)/1e6) }
