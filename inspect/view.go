package inspect

import (
	"context"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine/view"
	"github.com/bufftick/bufftick/wheel"
)

// viewJSON is a View for the page. Times are in ms unless noted.
type viewJSON struct {
	At    int64  `json:"at"` // time of the View on the inspector's clock
	Frame string `json:"frame"`
	Now   int64  `json:"now"`
	Clock string `json:"clock"`
	Since int64  `json:"since"`

	Owners   int    `json:"owners"`
	Busy     int    `json:"busy"`
	Timers   int    `json:"timers"`
	Buffs    int    `json:"buffs"`
	Dropped  string `json:"dropped"`
	Refused  string `json:"refused"`
	Nobody   string `json:"undelivered"`
	Workers  int    `json:"workers"`
	Inbox    int    `json:"inbox"`
	InboxMax int    `json:"inboxMax"`
	Mail     int    `json:"mail"`
	Waiting  int    `json:"waiting"`
	Behind   int64  `json:"behind"` // game time that is still to be simulated
	Lost     int64  `json:"lost"`   // game time dropped since the engine was created

	Budget  float64     `json:"budget"`
	Speed   float64     `json:"speed,omitempty"` // recent speed of game time; 0 if unknown
	Recent  int64       `json:"recent"`          // 99th percentile of Frames, µs
	Verdict verdictJSON `json:"verdict"`

	Incidents string `json:"incidents"` // counter of changes; if it has changed, the page requests the incidents again
	Open      int    `json:"open"`      // number of open incidents

	Faults  []faultJSON `json:"faults,omitempty"` // functions in Options that have failed
	Stuck   []stuckJSON `json:"stuck"`            // players with a handler that has run for longer than Options.StuckAfter
	Faces   []faceJSON  `json:"faces"`
	Beyond  int         `json:"beyond"`
	Kinds   []countJSON `json:"kinds"`
	Late    []uint64    `json:"late"`
	First   string      `json:"first"`  // number of the first frame in Frames
	Frames  []int64     `json:"frames"` // frame times, µs
	Times   [][2]int64  `json:"times"`  // non-empty buckets of the histogram of frame times: upper bound in µs, count
	P50     int64       `json:"p50"`    // median frame time, µs
	P99     int64       `json:"p99"`
	Handled int64       `json:"handled"` // time of handlers, µs
	Busiest []rankJSON  `json:"busiest"`
	Most    []rankJSON  `json:"most"`
	Swept   float64     `json:"swept"` // share of all players considered in Most
}

type stuckJSON struct {
	pick
	Spec string `json:"spec"`
	For  int64  `json:"for"` // wall-clock time for which the handler has been running
	// For is only a lower bound, because the handler was already running when the first client
	// connected
	More bool `json:"more,omitempty"`
}

type faceJSON struct {
	Hand  int   `json:"hand"`
	Slots []int `json:"slots"`          // deadlines in each slot of the current round
	Next  []int `json:"next,omitempty"` // deadlines in each slot of the next round
}

type countJSON struct {
	Kind string `json:"kind"`
	N    uint64 `json:"n"`
}

type rankJSON struct {
	pick
	N int64 `json:"n"`
}

// maxStuck is the maximum number of stuck players listed.
const maxStuck = 64

func (in *Inspector) viewOf(v *view.View, at time.Duration) viewJSON {
	s := v.Stats
	out := viewJSON{
		At: at.Milliseconds(), Frame: strconv.FormatUint(v.Frame, 10), Now: int64(v.Now), Clock: v.Now.String(), Since: int64(v.Since),
		Owners: s.Owners, Busy: s.Busy, Timers: s.Timers, Buffs: v.Buffs,
		Dropped: strconv.FormatUint(s.Dropped, 10), Refused: strconv.FormatUint(s.Refused, 10), Nobody: strconv.FormatUint(s.Undelivered, 10),
		Workers: v.Workers, Inbox: s.Inbox, InboxMax: v.InboxLimit, Mail: v.Mail, Waiting: v.Waiting, Behind: s.Behind.Milliseconds(), Lost: s.Lost.Milliseconds(),
		Budget: in.budget(v).Seconds() * 1000, Stuck: []stuckJSON{}, Beyond: v.Beyond, Late: v.Late[:],
		Times: [][2]int64{}, P50: v.Times.Quantile(0.5).Microseconds(), P99: v.Times.Quantile(0.99).Microseconds(),
		Handled: v.Handled.Microseconds(), Busiest: in.ranked(v.Busiest), Most: in.ranked(v.Most), Swept: v.Swept, Frames: []int64{},
	}
	now := in.course.see(v, at, in.stuckAfter())
	for _, st := range now.stuck[:min(len(now.stuck), maxStuck)] {
		out.Stuck = append(out.Stuck, in.stuckOf(st))
	}
	recent := p99(v.Frames)
	found := in.judge(v, now, recent)
	out.Speed, out.Recent, out.Verdict = math.Round(now.speed*1000)/1000, recent.Microseconds(), found.json()
	out.Incidents, out.Open = in.noteIncidents(v, found, now.stuck)
	out.Faults = in.faults() // after judge, which calls Options.Alarm: faults includes its panics
	for i, f := range v.Faces {
		out.Faces = append(out.Faces, faceOf(f, i == 0))
	}
	for kind := buff.Applied; int(kind) < len(v.Counts); kind++ {
		out.Kinds = append(out.Kinds, countJSON{kind.String(), v.Counts[kind]})
	}
	if len(v.Frames) > 0 {
		out.First = strconv.FormatUint(v.Frames[0].Number, 10)
	}
	for _, f := range v.Frames {
		out.Frames = append(out.Frames, f.Took.Microseconds())
	}
	for i, n := range v.Times {
		if n > 0 {
			out.Times = append(out.Times, [2]int64{v.Times.Bound(i).Microseconds(), int64(n)})
		}
	}
	return out
}

// p99 returns the 99th percentile of frame times, or 0 if there are none.
func p99(frames []view.FrameTime) time.Duration {
	took := make([]time.Duration, 0, len(frames))
	for _, f := range frames {
		took = append(took, f.Took)
	}
	slices.Sort(took)
	if len(took) == 0 {
		return 0
	}
	return took[(len(took)*99+99)/100-1]
}

// since returns the view without the frames whose number is less than the given number. It also
// returns the number of the frame after the last frame of the view.
func (v viewJSON) since(first uint64) (viewJSON, uint64) {
	n, err := strconv.ParseUint(v.First, 10, 64)
	if err != nil {
		return v, first // the view has no frames
	}
	next := n + uint64(len(v.Frames))
	if n < first && first <= next {
		v.Frames, v.First = v.Frames[first-n:], strconv.FormatUint(first, 10)
	}
	return v, next
}

func (in *Inspector) budget(v *view.View) time.Duration {
	if in.opts.Budget > 0 {
		return in.opts.Budget
	}
	return v.SlowFrame
}

func (in *Inspector) ranked(list []view.Ranked) []rankJSON {
	out := []rankJSON{}
	for _, r := range list {
		out = append(out, rankJSON{in.pick(r.Owner), r.N})
	}
	return out
}

// dialStep is the number of slots of the wheel's dial that the page shows as one slot. A slot of
// the dial is one millisecond.
const dialStep = 10

// faceOf splits the slots of a face of the wheel into the current and the next round. For the
// dial, it combines each group of dialStep slots into one slot.
func faceOf(f wheel.Face, dial bool) faceJSON {
	size := len(f.Slots) / max(f.Rounds, 1)
	out := faceJSON{Hand: f.Hand, Slots: slices.Clone(f.Slots[:size]), Next: slices.Clone(f.Slots[size:])}
	if !dial {
		return out
	}
	coarse := make([]int, (size+dialStep-1)/dialStep)
	for i, n := range out.Slots {
		coarse[i/dialStep] += n
	}
	return faceJSON{Hand: f.Hand, Slots: coarse}
}

// requestView requests one View from the engine.
func (in *Inspector) requestView(r *http.Request) (*view.View, error) {
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	return in.watch.Next(ctx)
}

func (in *Inspector) serveView(w http.ResponseWriter, r *http.Request) {
	v, err := in.requestView(r)
	if err != nil {
		refuse(w, refusal{http.StatusServiceUnavailable, line(err.Error())})
		return
	}
	serveJSON(w, in.viewOf(v, in.hub.since()))
}
