package inspect

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/engine/view"
	"github.com/bufftick/bufftick/wheel"
	"github.com/stretchr/testify/require"
)

// asJSON returns v as JSON, as the page receives it.
func asJSON(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	require.NoError(t, err)
	return string(data)
}

// fillFields gives each number of a struct a distinct value of several digits.
func fillFields(v reflect.Value, next *int64) {
	for k := range v.NumField() {
		f := v.Field(k)
		switch *next++; f.Kind() {
		case reflect.Int, reflect.Int64:
			if f.Type() == reflect.TypeFor[time.Duration]() {
				f.SetInt(*next * int64(time.Second))
			} else {
				f.SetInt(*next)
			}
		case reflect.Uint64, reflect.Uint32:
			f.SetUint(uint64(*next))
		}
	}
}

// TestEngineView checks that the page receives each field of a View.
func TestEngineView(t *testing.T) {
	in := &Inspector{}
	in.opts.Name = func(id buff.OwnerID) string { return fmt.Sprint("P", uint64(id)) }
	cat, err := buff.NewCatalog(buff.Spec{ID: "venom", Duration: time.Second}, buff.Spec{ID: "slow", Duration: time.Second})
	require.NoError(t, err)
	venom, slow := cat.Spec("venom"), cat.Spec("slow")
	next := int64(1000)
	v := &view.View{Frame: 1 << 60, Now: 3_723_004, Since: 12, Workers: 13, InboxLimit: 14, SlowFrame: 50 * time.Millisecond, Waiting: 15, Mail: 16, Beyond: 17, Buffs: 18, Handled: 19 * time.Microsecond, Swept: 0.25}
	fillFields(reflect.ValueOf(&v.Stats).Elem(), &next)
	v.Stuck = []view.Stuck{{Owner: 71, Spec: venom, For: 1500 * time.Millisecond}, {Owner: 72, For: 20 * time.Millisecond}}
	v.Busiest, v.Most = []view.Ranked{{Owner: 81, N: 5}, {Owner: 82, N: 4}}, []view.Ranked{{Owner: 91, N: 7}}
	for k := range v.Counts {
		v.Counts[k] = uint64(200 + k)
	}
	for k := range v.Late {
		v.Late[k] = uint64(k)
	}
	v.Frames = []view.FrameTime{{Number: 40, Took: 3 * time.Millisecond}, {Number: 41, Took: 4 * time.Millisecond}}
	v.Times[20], v.Times[22] = 1, 3
	for k := range v.Faces {
		v.Faces[k] = wheel.Face{Rounds: 2, Hand: k + 1, Slots: make([]int, 8)}
		v.Faces[k].Slots[2], v.Faces[k].Slots[5] = 1, k+2
	}
	v.Faces[0].Slots = make([]int, 2*25)
	v.Faces[0].Slots[9], v.Faces[0].Slots[10], v.Faces[0].Slots[24], v.Faces[0].Slots[25] = 1, 2, 3, 4

	in.opts.StuckAfter = time.Millisecond
	in.viewOf(v, 234*time.Millisecond)
	out := in.viewOf(v, 1234*time.Millisecond)
	s := v.Stats
	require.Equal(t, viewJSON{
		At: 1234, Frame: "1152921504606846976", Now: 3_723_004, Clock: "01:02:03.004", Since: 12,
		Owners: s.Owners, Busy: s.Busy, Timers: s.Timers, Buffs: 18, Dropped: fmt.Sprint(s.Dropped), Refused: fmt.Sprint(s.Refused), Nobody: fmt.Sprint(s.Undelivered),
		Workers: 13, Inbox: s.Inbox, InboxMax: 14, Mail: 16, Waiting: 15, Behind: s.Behind.Milliseconds(), Lost: s.Lost.Milliseconds(),
		Budget: 50, Beyond: 17, First: "40", Frames: []int64{3000, 4000}, Handled: 19, Swept: 0.25,
		Recent: 4000, Verdict: out.Verdict, Incidents: "5", Open: 5,
		Stuck:   []stuckJSON{{pick{"71", "P71"}, "venom", 1000, true}, {pick{"72", "P72"}, "a timeout", 1000, true}},
		Busiest: []rankJSON{{pick{"81", "P81"}, 5}, {pick{"82", "P82"}, 4}}, Most: []rankJSON{{pick{"91", "P91"}, 7}},
		Late:  []uint64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19}[:len(v.Late)],
		Times: [][2]int64{{v.Times.Bound(20).Microseconds(), 1}, {v.Times.Bound(22).Microseconds(), 3}},
		P50:   v.Times.Quantile(0.5).Microseconds(), P99: v.Times.Quantile(0.99).Microseconds(),
		Faces: []faceJSON{
			{Hand: 1, Slots: []int{1, 2, 3}}, // the current round of the dial, in steps of 10 ms
			{2, []int{0, 0, 1, 0}, []int{0, 3, 0, 0}}, {3, []int{0, 0, 1, 0}, []int{0, 4, 0, 0}}, {4, []int{0, 0, 1, 0}, []int{0, 5, 0, 0}},
		},
		Kinds: out.Kinds,
	}, out)
	require.Len(t, out.Kinds, len(v.Counts)-1, "each kind of event, of which 0 is none")
	for k, c := range out.Kinds {
		require.Equal(t, countJSON{buff.EventKind(k + 1).String(), uint64(201 + k)}, c)
	}
	require.Greater(t, out.P99, out.P50-1)

	in.opts.Budget = 16 * time.Millisecond
	require.InDelta(t, 16, in.viewOf(v, 0).Budget, 0)
	v.Stuck = make([]view.Stuck, maxStuck+1)
	for k := range v.Stuck {
		v.Stuck[k].Owner = buff.OwnerID(k)
	}
	in.viewOf(v, 0)
	require.Len(t, in.viewOf(v, time.Second).Stuck, maxStuck)
	v.Frames = nil
	require.Empty(t, in.viewOf(v, 0).First)

	// Frames that were sent before are not sent again.
	out.First, out.Frames = "40", []int64{1, 2, 3}
	for first, want := range map[uint64]string{39: "40 [1 2 3]", 40: "40 [1 2 3]", 41: "41 [2 3]", 42: "42 [3]", 43: "43 []", 44: "40 [1 2 3]"} {
		rest, next := out.since(first)
		require.Equal(t, want, fmt.Sprint(rest.First, " ", rest.Frames), "from %d", first)
		require.EqualValues(t, 43, next)
	}

	v.Catalog, v.Live, v.Refused = cat, []int{5, 6}, []uint64{7, 8}
	v.Denied = []view.Denial{{Spec: venom, Why: reason.Chance, Count: 2}, {Spec: venom, Why: reason.Immune, Count: 2}, {Spec: slow, Why: reason.Immune, Count: 2}, {Spec: venom, Why: reason.Immune, Count: 9}}
	one, two := reason.Immune.String(), reason.Chance.String()
	if reason.Chance < reason.Immune {
		one, two = two, one
	}
	counts := in.countsOf(v, nil, 0)
	require.Equal(t, countsJSON{
		Version: version(cat), Live: []int{5, 6}, Refused: []uint64{7, 8}, Kinds: map[string][]uint64{}, Reloads: []reloadJSON{},
		Denied: []deniedJSON{{"venom", reason.Immune.String(), 9}, {"slow", reason.Immune.String(), 2}, {"venom", one, 2}, {"venom", two, 2}},
	}, counts, "the most frequent first, then by name, then by reason")
	require.NotEqual(t, version(nil), version(cat))
}

// TestFailuresReported checks the report of failed functions of the game: the number of failures
// as a decimal string, and the last failure.
func TestFailuresReported(t *testing.T) {
	in := &Inspector{}
	require.Empty(t, in.faults())
	in.naming.name, in.loading.name = "Options.Name", "Options.Reload"
	for k := range 12 {
		require.Error(t, in.naming.call(func() { panic(fmt.Sprint("oh ", k)) }))
	}
	require.Error(t, in.loading.call(func() { panic(errors.New("no")) }))
	require.Equal(t, []faultJSON{{"Options.Name", "12", "panicked: oh 11"}, {"Options.Reload", "1", "panicked: no"}}, in.faults())
}

// TestAlarmText checks that the text of Options.Alarm is shown in one line, also if the function
// fails.
func TestAlarmText(t *testing.T) {
	in := &Inspector{}
	require.Empty(t, in.alarm())
	in.opts.Alarm = func() string { return "The disk\nis full." }
	require.Equal(t, line("The disk\nis full."), in.alarm())
	require.NotContains(t, in.alarm(), "\n")
	in.opts.Alarm = func() string { panic("no stats") }
	require.Empty(t, in.alarm())
	require.Equal(t, []faultJSON{{"", "1", "panicked: no stats"}}, in.faults())
}

// TestPlayerView checks the data of a player, whose buffs are in pages of maxBuffs.
func TestPlayerView(t *testing.T) {
	in := &Inspector{}
	in.opts.Name = func(id buff.OwnerID) string { return fmt.Sprint("P", uint64(id)) }
	cat, err := buff.NewCatalog(
		buff.Spec{ID: "venom", Name: "Venom", Polarity: define.Negative, Duration: 90 * time.Second, Period: 3 * time.Second},
		buff.Spec{ID: "aegis", Kind: define.Infinite},
	)
	require.NoError(t, err)
	venom, aegis := cat.Spec("venom"), cat.Spec("aegis")
	o := &view.Owner{
		Owner: 1 << 60, Now: 10_000, Present: true, Busy: true, Paused: true, Area: 3, Mail: 4, Carried: 205, Timeouts: 6, Pulses: 1234567, Fault: "oh",
		Attributes: []view.Attribute{{Name: "speed", Base: 10, Value: 12.5, ModifierCount: 2, Modifiers: []view.Modifier{{Spec: venom, Source: 9, Op: stat.Add, Value: 2.5}}}},
		Events: []buff.Event{
			{At: 1000, Seen: 1040, Kind: buff.Applied, Spec: venom, Source: 9, Stacks: 2},
			{At: 2000, Seen: 2000, Kind: buff.Denied, Spec: venom, Source: 9, Why: reason.Immune},
			{At: 3000, Seen: 3000, Kind: buff.Changed, Name: "health", Delta: -40, Value: 960},
			{At: 4000, Seen: 4000, Kind: buff.Changed, Spec: venom, Name: "health", Delta: 0.5, Value: 1, Magnitude: 7},
		},
	}
	o.Buffs = append(o.Buffs,
		buff.Instance{Handle: 1 << 60, Spec: venom, Source: 9, Stacks: 2, Level: 3, Magnitude: -12, End: 10_500, NextPulse: 9_000, Charges: 4, Shield: 55, Waiting: 5, Hidden: true},
		buff.Instance{Handle: 12, Spec: aegis, Source: 10, Stacks: 1, End: wheel.Never, NextPulse: wheel.Never},
	)
	for len(o.Buffs) < 205 {
		o.Buffs = append(o.Buffs, buff.Instance{Handle: buff.Handle(len(o.Buffs)), Spec: venom, Stacks: 1, End: 11_000, NextPulse: wheel.Never})
	}
	p := in.playerOf(o, 0)
	require.Len(t, p.Buffs, maxBuffs)
	require.Equal(t, 200, p.Next)
	require.Zero(t, p.From)
	rest := in.playerOf(o, 200)
	require.Len(t, rest.Buffs, 5)
	require.Zero(t, rest.Next)
	require.Equal(t, 200, rest.From)
	require.Equal(t, "200", rest.Buffs[0].Handle)
	require.Zero(t, in.playerOf(o, 5).Next, "a page that is just full is the last")
	beyond := in.playerOf(o, 1000)
	require.Empty(t, beyond.Buffs)
	require.Equal(t, 205, beyond.From)

	p.Buffs = p.Buffs[:2]
	require.Equal(t, strings.Join([]string{
		`{"id":"1152921504606846976","name":"P1152921504606846976","now":10000,"present":true,"busy":true,"paused":true,"area":3,"mail":4,"carried":205,"timeouts":6,"pulses":"1234567"`,
		`"buffs":[{"handle":"1152921504606846976","spec":"venom","name":"Venom","side":"negative","source":{"id":"9","name":"P9"},"stacks":2,"level":3,"magnitude":"-12","left":500,"whole":90000,"next":0,"period":3000,"charges":4,"shield":"55","waiting":5,"hidden":true}`,
		`{"handle":"12","spec":"aegis","side":"neutral","source":{"id":"10","name":"P10"},"stacks":1,"magnitude":"0","left":null,"whole":0,"next":null,"period":0,"infinite":true}]`,
		`"events":[{"at":4000,"clock":"00:00:04.000","kind":"change","spec":"venom","source":{"id":"0","name":"P0"},"change":"health +0.5, now 1, 7 absorbed"}`,
		`{"at":3000,"clock":"00:00:03.000","kind":"change","spec":"health","change":"-40, now 960"}`,
		`{"at":2000,"clock":"00:00:02.000","kind":"deny","spec":"venom","source":{"id":"9","name":"P9"},"why":"immune"}`,
		`{"at":1000,"clock":"00:00:01.000","kind":"apply","spec":"venom","source":{"id":"9","name":"P9"},"stacks":2,"late":40}]`,
		`"fault":"oh","attributes":[{"name":"speed","base":10,"value":12.5,"modifiers":[{"from":"Venom of P9","text":"+2.5"},{"from":"others","text":"1 more"}]}],"next":200}`,
	}, ","), asJSON(t, p))

	// A response that is too large is cut. Each time, half of the longest list is removed.
	p = in.playerOf(o, 5)
	sizes := []string{}
	for p.cut() {
		sizes = append(sizes, fmt.Sprint(len(p.Buffs), len(p.Events), len(p.Numbers), p.Next))
	}
	require.Equal(t, []string{"100 4 1 105", "50 4 1 55", "25 4 1 30", "12 4 1 17", "6 4 1 11", "3 4 1 8", "3 2 1 8", "1 2 1 6", "1 1 1 6", "0 1 1 5", "0 0 1 5", "0 0 0 5"}, sizes)
	require.True(t, p.Cut)

	c := countsJSON{Denied: make([]deniedJSON, 21), Reloads: make([]reloadJSON, 2)}
	sizes = []string{}
	for c.cut() {
		sizes = append(sizes, fmt.Sprint(len(c.Denied), len(c.Reloads)))
	}
	require.Equal(t, []string{"10 2", "10 1", "10 0", "5 0", "2 0", "1 0", "0 0"}, sizes, "a reload has ten times as much to say")
}

// TestNumbersReported checks that infinities and NaN are encoded as strings, and all other
// numbers as numbers.
func TestNumbersReported(t *testing.T) {
	for n, want := range map[number]string{
		0: "0", -1.5: "-1.5", 1e300: "1e+300", number(math.Inf(1)): `"+Inf"`, number(math.Inf(-1)): `"-Inf"`, math.MaxFloat64: "1.7976931348623157e+308", 0.1: "0.1",
	} {
		require.Equal(t, want, asJSON(t, n))
	}
	require.Equal(t, `"NaN"`, asJSON(t, number(math.NaN())))
}
