package rules

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/state"
	"github.com/bufftick/bufftick/wheel"
	"github.com/stretchr/testify/require"
)

// numberRange is the range of a number in a blob.
type numberRange struct {
	least, most any  // int64, uint64, uint32 or float64, like the field; nil for every value of the field
	orZero      bool // zero is also allowed and means that there is no number
}

// blobNumbers returns the range of every number in a blob, by its path in JSON.
func blobNumbers() map[string]numberRange {
	const far = int64(state.Farthest)
	floor, ceiling := define.MinPeriod.Milliseconds(), define.MaxDuration.Milliseconds()
	any, span := numberRange{}, numberRange{-far, far, false}
	scale := map[string]numberRange{
		"ahead_ms": span, "inner_ms": span, "rest": {int64(0), nil, false}, "parts": {int64(1), int64(1 << 31), false},
		"rate_num": {nil, uint32(buff.MaxRate), false}, "rate_den": {nil, uint32(buff.MaxRate), false},
	}
	stack := map[string]numberRange{
		"left_ms": span, "counts_for_ms": span, "lag_ms": {int64(-1), ceiling, false}, "magnitude": any, "source": any, "age": {nil, uint64(state.MaxAges), false},
		"stacks": {nil, int64(define.MaxStacks), false}, "level": {int64(0), int64(define.MaxLevel), false},
		"charges": {int64(0), int64(define.MaxStacks), false}, "shield": {int64(0), nil, false}, "params.value": any,
	}
	finite := numberRange{-stat.MaxValue, stat.MaxValue, false}
	all := map[string]numberRange{
		"format": {1, state.Format, false}, "wall_ms": any, "uptime_ms": any, "owner_time_ms": span, "ages": {nil, uint64(state.MaxAges), false}, "rolls": any, "events": any, "area": any,
		"tags.n": {int64(1), int64(state.MaxTagCount), false}, "immune.n": {int64(1), int64(state.MaxTagCount), false},
		"diminishing.source": any, "diminishing.n": {int64(1), int64(state.MaxTagCount), false}, "diminishing.left_ms": {-far, ceiling, false},
		"timeouts.age": {uint64(1), uint64(state.MaxAges), false}, "timeouts.left_ms": span, "bases.value": finite,
		"buffs.since.wall_ms": any, "buffs.since.uptime_ms": any, "buffs.age": {uint64(1), uint64(state.MaxAges), false}, "buffs.source": any,
		"buffs.stacks": {int64(1), int64(define.MaxStacks), false}, "buffs.level": {int64(0), int64(define.MaxLevel), false}, "buffs.magnitude": any,
		"buffs.left_ms": span, "buffs.duration_ms": {int64(0), far, false}, "buffs.next_ms": span,
		"buffs.period_ms": {floor, ceiling, true}, "buffs.wanted_ms": {floor, ceiling, true}, "buffs.this_period_ms": {floor, ceiling, true},
		"buffs.key": any, "buffs.charges": {int64(0), int64(define.MaxStacks), false}, "buffs.shield": {int64(0), nil, false},
		"buffs.recharge_ms": span, "buffs.owed_pulses": {int64(0), int64(math.MaxInt32), false}, "buffs.running": {nil, uint64(state.MaxAges), false},
		"buffs.appliers": any, "buffs.with": {uint64(1), uint64(state.MaxAges), false}, "buffs.brought": {int64(0), int64(define.MaxStacks), false}, "buffs.params.value": any, "buffs.numbers.value": finite, "buffs.captures.value": finite, "buffs.vars.value": finite,
	}
	stack["numbers.value"], stack["captures.value"] = finite, finite
	for name, r := range scale {
		all["pace."+name], all["buffs.pace."+name] = r, r
	}
	for name, r := range stack {
		all["buffs.layers."+name], all["buffs.waiting."+name] = r, r
	}
	all["buffs.layers.params.value"] = any
	for _, of := range []string{"pace.ahead_ms", "pace.inner_ms"} { // only for buffs
		all[of] = numberRange{int64(0), int64(0), false}
	}
	least := all["buffs.layers.stacks"]
	least.least = int64(1)
	all["buffs.layers.stacks"], least.least = least, int64(0)
	all["buffs.waiting.stacks"] = least
	return all
}

// numberFields calls f for every number in v with its path in JSON. Of each list it visits only the
// first entry.
func numberFields(v reflect.Value, path string, f func(path string, v reflect.Value)) {
	switch v.Kind() {
	case reflect.Struct:
		switch m := v.Interface().(type) {
		case state.Maybe:
			if m.Is {
				f(path, v.FieldByName("N"))
			}
			return
		case state.Scale:
			if v.IsZero() {
				return
			}
		}
		for k := range v.NumField() {
			name, _, _ := strings.Cut(v.Type().Field(k).Tag.Get("json"), ",")
			if v.Type().Field(k).Anonymous {
				numberFields(v.Field(k), path, f)
			} else if name != "" {
				numberFields(v.Field(k), strings.TrimPrefix(path+"."+name, "."), f)
			}
		}
	case reflect.Slice:
		for k := range v.Len() {
			numberFields(v.Index(k), path, f)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			numberFields(v.Elem(), path, f)
		}
	case reflect.Int, reflect.Int64, reflect.Uint64, reflect.Uint32, reflect.Float64:
		f(path, v)
	}
}

// TestBlob_NumberLimits checks that a number just outside its range is rejected, in the blob and in
// JSON, with an error that names the field. NaN and the infinities are rejected too. The limits
// themselves are accepted. The test covers every number of a blob.
func TestBlob_NumberLimits(t *testing.T) {
	c := blobCatalog(t)
	blob := goldenBlob(t, c)
	ranges := blobNumbers()
	seen := map[string]bool{}
	b, err := state.Decode(blob, &state.Memory{})
	require.NoError(t, err)
	numberFields(reflect.ValueOf(b).Elem(), "", func(path string, v reflect.Value) {
		r, known := ranges[path]
		require.True(t, known, "nothing says what %s may be", path)
		if seen[path] {
			return
		}
		seen[path] = true
		was := reflect.ValueOf(v.Interface())
		for _, wrong := range r.beyond() {
			v.Set(wrong.Convert(v.Type()))
			err := b.Check()
			require.ErrorIs(t, err, buff.ErrBlob, "%s: %v", path, wrong)
			name := path[strings.LastIndexByte(path, '.')+1:]
			if !strings.HasPrefix(name, "rate_") && path != "pace.ahead_ms" && path != "pace.inner_ms" {
				require.Contains(t, err.Error(), name, "%v", wrong)
			}
			s, _, _, again := restoreHere(c, b.Append(nil))
			require.ErrorIs(t, again, buff.ErrBlob, "%s: %v, sealed", path, wrong)
			require.Zero(t, s.Len())
			v.Set(was)
		}
		for _, end := range []any{r.least, r.most} {
			if end == nil {
				continue
			}
			v.Set(reflect.ValueOf(end).Convert(v.Type()))
			if err := b.Check(); err != nil && !strings.Contains(err.Error(), "of the owner") { // an error about another field of the blob
				require.NotContains(t, err.Error(), fmt.Sprintf("%s: %v, want", path[strings.LastIndexByte(path, '.')+1:], end))
			}
			v.Set(was)
		}
		if r.orZero {
			v.SetInt(0)
			require.NoError(t, b.Check(), path)
			v.Set(was)
		}
	})
	require.NoError(t, b.Check(), "all is as it was")
	for path := range ranges {
		require.True(t, seen[path], "the blob has no %s", path)
	}
}

// beyond returns the values just outside the range that the field can hold.
func (r numberRange) beyond() (wrong []reflect.Value) {
	add := func(v any) { wrong = append(wrong, reflect.ValueOf(v)) }
	switch least := r.least.(type) {
	case int:
		add(least - 1)
	case int64:
		add(least - 1)
		add(int64(math.MinInt64))
		if r.orZero {
			add(int64(1))
		}
	case uint64:
		add(least - 1)
	case float64:
		add(math.Nextafter(least, math.Inf(-1)))
		add(math.NaN())
		add(math.Inf(-1))
	}
	switch most := r.most.(type) {
	case int:
		add(most + 1)
	case int64:
		add(most + 1)
		add(int64(math.MaxInt64))
	case uint64:
		add(most + 1)
		add(uint64(math.MaxUint64))
	case uint32:
		add(most + 1)
	case float64:
		add(math.Nextafter(most, math.Inf(1)))
		add(math.Inf(1))
	}
	return wrong
}

// TestBlob_NewFieldInOldFormat checks that a blob of an older format is rejected if it has a field
// that the format does not have.
func TestBlob_NewFieldInOldFormat(t *testing.T) {
	for _, k := range []struct {
		since  int // the first format that has the field
		change func(b *state.Owner, f *state.Buff)
	}{
		{2, func(b *state.Owner, f *state.Buff) { b.Bases = []state.Value{{Name: "speed", Value: 1}} }},
		{2, func(b *state.Owner, f *state.Buff) { f.Others = []state.Value{{Name: "n", Value: 1}} }},
		{2, func(b *state.Owner, f *state.Buff) { f.Captures = []state.Value{{Name: "apply speed", Value: 1}} }},
		{3, func(b *state.Owner, f *state.Buff) { f.Appliers = []uint64{4} }},
		{3, func(b *state.Owner, f *state.Buff) { f.Async = []state.Stack{{Stacks: 1, Lag: 1}} }},
		{3, func(b *state.Owner, f *state.Buff) { f.Waiting = []state.Stack{{Stacks: 1, Lag: -1}} }},
		{4, func(b *state.Owner, f *state.Buff) {
			if f.With = []uint64{1}; b.Format > 6 {
				f.Brought = []int64{0}
			}
		}},
		{7, func(b *state.Owner, f *state.Buff) {
			if f.Brought = []int64{0}; b.Format > 6 {
				f.With = []uint64{1}
			}
		}},
		{7, func(b *state.Owner, f *state.Buff) { b.Area = 1 }},
	} {
		for format := 1; format <= state.Format; format++ {
			left := int64(1000)
			b := &state.Owner{Format: format, Ages: 2, Buffs: []state.Buff{{ID: "plain", Age: 2, Stacks: 1, Left: state.Some(left)}}}
			require.NoError(t, b.Check())
			k.change(b, &b.Buffs[0])
			if format >= k.since {
				require.NoError(t, b.Check(), "format %d", format)
			} else {
				require.ErrorContains(t, b.Check(), "has none", "format %d", format)
			}
		}
	}
}

// TestBlob_Forged checks that a blob with a valid checksum but with values that no Owner could have
// had does no more than a definition could do.
func TestBlob_Forged(t *testing.T) {
	c := mustCatalog(t, buff.Spec{ID: "dot", Duration: 10_000_000_000, Period: 1_000_000_000})
	s, turn := NewOwner(7, 3, 0, 10), &Turn{Catalog: c, Now: blobMoment.Now}
	s.Do(turn, turn.Now, buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: c.Spec("dot"), Source: 1}})
	require.True(t, s.Run(turn, turn.Now, 10))
	plain, _ := s.Save(nil, c, blobMoment, 0)
	forge := func(what string) ([]byte, error) {
		text, err := buff.BlobJSON(plain)
		require.NoError(t, err)
		return buff.ParseBlobJSON([]byte(strings.Replace(string(text), `"next_ms": 1000`, what, 1)))
	}
	for _, field := range []string{"wanted_ms", "period_ms", "this_period_ms"} {
		_, err := forge(`"next_ms": 1000, "` + field + `": 49`)
		require.EqualError(t, err, fmt.Sprintf("buff: bad blob: buffs[0] \"dot\": %s: 49, want 0 or 50 to 34560000000", field))
	}

	pulses := func(what string) (n int, first wheel.Time) {
		blob, err := forge(what)
		require.NoError(t, err)
		s, turn, _, err := restoreHere(c, blob)
		require.NoError(t, err)
		turn.Now = blobMoment.Now.Add(20_000)
		require.True(t, s.Run(turn, turn.Now, 1000), "it comes to an end")
		for k := range turn.Events {
			if e := &turn.Events[k]; e.Kind == buff.Pulsed {
				if n++; n == 1 {
					first = e.At
				}
			}
		}
		return n, first
	}
	n, first := pulses(`"next_ms": 1000`)
	require.Equal(t, 10, n)
	require.Equal(t, blobMoment.Now.Add(1000), first)
	n, _ = pulses(`"next_ms": -288230376151711743`)
	require.LessOrEqual(t, n, 11, "a boundary long before the moment of saving")
	n, _ = pulses(`"next_ms": -288230376151711743, "pace": {"ahead_ms": 5, "parts": 1}`)
	require.LessOrEqual(t, n, 12, "and in a time that has yet to begin: it may have gone at the greatest rate in the ms before")
	n, _ = pulses(`"next_ms": 1000, "owed_pulses": 2147483647`)
	require.Equal(t, 10, n, "the definition owes nothing")
	n, _ = pulses(`"next_ms": 1000, "left_ms": -5`) // the greater of two counts
	require.Zero(t, n, "it is over")
}

// TestOfflineCap checks that at most offline_cap pulses of the time away are emitted, or 100 if
// offline_cap is not set. With coalesce, one pulse counts all of them.
func TestOfflineCap(t *testing.T) {
	for _, k := range []struct {
		rule      define.Offline
		top, away int
		want      int
	}{
		{define.OfflineAll, 0, 99, 99},
		{define.OfflineAll, 0, 100, 100},
		{define.OfflineAll, 0, 101, 100},
		{define.OfflineAll, 0, 150, 100},
		{define.OfflineAll, 3, 150, 3},
		{define.OfflineAll, 120, 150, 120},
		{define.OfflineNone, 0, 150, 0},
	} {
		c := mustCatalog(t, buff.Spec{
			ID: "dot", Kind: define.Infinite, Period: define.MinPeriod, Clock: define.Wall, Save: define.Saving{Offline: k.rule, OfflineCap: k.top},
		})
		s, turn := NewOwner(7, 3, 0, 10), &Turn{Catalog: c, Now: blobMoment.Now}
		s.Do(turn, turn.Now, buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: c.Spec("dot"), Source: 1}})
		blob, _ := s.Save(nil, c, blobMoment, 0)
		later := blobMoment
		later.Wall += int64(k.away) * define.MinPeriod.Milliseconds()
		s, turn = NewOwner(7, 3, 0, 10), &Turn{Catalog: c, Now: later.Now}
		_, err := s.Restore(turn, later, blob, nil)
		require.NoError(t, err)
		pulses := 0
		for i := range turn.Events {
			if turn.Events[i].Kind == buff.Pulsed {
				pulses++
			}
		}
		require.Equal(t, k.want, pulses, "%+v", k)
	}
}

// TestBlob_WaitingWithoutTime checks that a waiting application whose remaining time is zero or
// negative, which no Owner could have saved, runs and ends at once.
func TestBlob_WaitingWithoutTime(t *testing.T) {
	c := mustCatalog(t, buff.Spec{ID: "q", Duration: 1_000_000_000, Stack: define.Stacking{By: define.ByTarget, Timers: define.TimersQueue}})
	s, turn := NewOwner(7, 3, 0, 10), &Turn{Catalog: c, Now: blobMoment.Now}
	for range 2 {
		s.Do(turn, turn.Now, buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: c.Spec("q"), Source: 1}})
	}
	plain, _ := s.Save(nil, c, blobMoment, 0)
	text, err := buff.BlobJSON(plain)
	require.NoError(t, err)
	at := strings.LastIndex(string(text), `"left_ms": 1000`)
	require.Greater(t, at, strings.Index(string(text), `"waiting"`))
	for _, left := range []string{"0", "-5"} {
		blob, err := buff.ParseBlobJSON([]byte(string(text[:at]) + `"left_ms": ` + left + string(text[at+len(`"left_ms": 1000`):])))
		require.NoError(t, err)
		s, turn, _, err := restoreHere(c, blob)
		require.NoError(t, err)
		turn.Now = blobMoment.Now.Add(5000)
		turn.Events = turn.Events[:0]
		require.True(t, s.Run(turn, turn.Now, 1000))
		for k := range turn.Events {
			require.Equal(t, blobMoment.Now.Add(1000), turn.Events[k].At, "%v", turn.Events[k])
		}
		require.Equal(t, buff.Removed, turn.Events[len(turn.Events)-1].Kind)
	}
}
