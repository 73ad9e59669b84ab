package rules

import (
	"encoding/binary"
	"encoding/hex"
	"flag"
	"fmt"
	"math"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/handle"
	"github.com/bufftick/bufftick/internal/state"
	"github.com/bufftick/bufftick/internal/wire"
	"github.com/bufftick/bufftick/wheel"
	"github.com/stretchr/testify/require"
)

var golden = flag.Bool("golden", false, "write the golden blob anew, which is only right before a format is released")

// Lengths of the head and of the checksum of a blob.
const blobHead, blobCheck = 9, 4

func appendBlobHead(dst []byte, format int) []byte {
	return append(append(dst, "buff"...), byte(format), 0, 0, 0, 0)
}

// seal completes a blob whose head and contents start at an offset of dst.
func seal(dst []byte, start int) []byte {
	b := dst[start:]
	binary.BigEndian.PutUint32(b[5:], uint32(len(b)+blobCheck))
	return binary.BigEndian.AppendUint32(dst, wire.Checksum(b))
}

// blobSpecs returns a definition for each feature of a buff that a blob can contain.
func blobSpecs() []buff.Spec {
	minute := 60 * time.Second
	return []buff.Spec{
		{ID: "plain", Duration: minute, Period: 3 * time.Second, Grants: []string{"state.a"}},
		{ID: "for_ever", Kind: define.Infinite, Period: time.Second, Clock: define.Uptime, Interrupt: []string{"move"}},
		{ID: "layers", Duration: minute, Period: time.Second, Clock: define.Wall, Stack: define.Stacking{By: define.BySource, Limit: 9, Timers: define.TimersEach}},
		{ID: "queue", Duration: minute, Stack: define.Stacking{By: define.ByTarget, Timers: define.TimersQueue}},
		{ID: "key", Duration: minute, Stack: define.Stacking{By: define.ByKey, Limit: 4, Level: define.LevelSum}},
		{ID: "charges", Duration: minute, Charges: define.Charges{N: 5, ConsumeOn: []string{"cast"}}, Links: []string{"hidden"}},
		{ID: "shield", Duration: minute, Shield: define.Shield{On: true, Pool: 1000}},
		{ID: "params", Duration: minute, Params: []define.Param{{Name: "a", Value: define.Caller("a").Or(0)}, {Name: "b", Value: define.Const(0.1)}}},
		{ID: "hidden", Duration: minute, Require: define.Requirements{Ongoing: define.TagTest{None: []string{"state.a"}}}},
		{ID: "weak", Duration: minute, Group: define.Group{Name: "g", Rule: define.GroupHide}, Stack: define.Stacking{Effective: 2}},
		{ID: "stun", Duration: minute, DR: define.DR{Group: "stuns", Steps: []int{100, 50}, Reset: 15 * time.Second, Scope: define.ScopePair}, Stack: define.Stacking{By: define.ByTarget}},
		{ID: "quick", Duration: minute, Period: time.Second, Haste: define.HasteNext, Tail: define.TailPartial},
		{ID: "ability", Duration: minute, Charges: define.Charges{N: 2, ConsumeOn: []string{"cast"}, Recharge: 5 * time.Second}},
		{ID: "bank", Duration: minute, Vars: []define.Var{{Name: "stored", Base: define.Const(2.5)}}},
		{ID: "dead", Duration: minute, OnDeath: define.FatePause},
		{ID: "lucky", Kind: define.Instant, Chance: 500, On: define.Hooks{Exec: []define.Action{{Do: define.DoCall, Name: "handler"}}}},
		{ID: "tagged", Kind: define.Instant, Tags: []string{"state.b.c"}},
		{
			ID: "stat", Duration: minute, Params: []define.Param{{Name: "a", Value: define.Caller("a")}},
			Modifiers: []define.Modifier{
				{Attr: "power", Op: stat.MulAdd, Value: define.Number{From: define.FromAttr, Attr: "power", Of: define.OfSource, Coef: 0.125}},
				{Attr: "power", Value: define.Number{From: define.FromAttr, Attr: "power", Of: define.OfSource, Snapshot: define.SnapshotApply}},
			},
		},
		{
			ID: "turns", Duration: minute, Stack: define.Stacking{By: define.ByTarget, Timers: define.TimersQueue}, Params: []define.Param{{Name: "a", Value: define.Caller("a").Or(0)}},
			Modifiers: []define.Modifier{{Attr: "power", Value: define.Number{From: define.FromAttr, Attr: "power", Of: define.OfSource, Snapshot: define.SnapshotApply, Default: true}}},
		},
		{
			ID: "wards", Duration: minute, Stack: define.Stacking{By: define.ByTarget, Limit: 9, Timers: define.TimersEach}, Charges: define.Charges{N: 3, ConsumeOn: []string{"cast"}},
			Shield: define.Shield{On: true, Pool: 90}, Params: []define.Param{{Name: "a", Value: define.Caller("a").Or(0)}},
			Modifiers: []define.Modifier{{Attr: "power", Value: define.Number{From: define.FromAttr, Attr: "power", Of: define.OfSource, Snapshot: define.SnapshotApply, Default: true}}},
		},
		{
			ID: "wards_in_turn", Duration: minute, Stack: define.Stacking{By: define.ByTarget, Timers: define.TimersQueue}, Charges: define.Charges{N: 3, ConsumeOn: []string{"cast"}},
			Shield: define.Shield{On: true, Pool: 90},
		},
	}
}

func blobAttributes() []define.Attribute {
	return []define.Attribute{
		{Attribute: stat.Attribute{Name: "health", Base: 100, Min: stat.At(0), Max: stat.At(100)}, AtMin: define.AtMinKill},
		{Attribute: stat.Attribute{Name: "power", Base: 10}},
	}
}

// blobCatalog returns a catalog of all these definitions and attributes.
func blobCatalog(t testing.TB) *buff.Catalog {
	c, err := buff.Build(buff.Definitions{Attributes: blobAttributes(), Specs: blobSpecs()})
	require.NoError(t, err)
	return c
}

func mustCatalog(t testing.TB, specs ...buff.Spec) *buff.Catalog {
	c, err := buff.NewCatalog(specs...)
	require.NoError(t, err)
	return c
}

var blobMoment = buff.Moment{Now: 5_000, Wall: 1_700_000_000_000, Uptime: 77_000}

// fullSet returns an Owner that uses all fields of a blob, repeated the given number of times.
func fullSet(t testing.TB, c *buff.Catalog, times int) *Owner {
	s, turn := NewOwner(7, 3, 0, buff.MaxPerOwner), &Turn{Catalog: c, Seed: 1, Call: func(*Turn, *Call) reason.Reason { return reason.None }}
	do := func(now wheel.Time, cmd buff.Command) buff.Handle {
		turn.Now = now
		require.True(t, s.Run(turn, now, 1<<30))
		r := s.Do(turn, now, cmd)
		require.NoError(t, r.Failure)
		require.True(t, s.Run(turn, now, 1<<30))
		return r.Handle
	}
	caster := NewOwner(1000, 4, 0, 1)
	health, _ := c.Attr("health")
	tag, _ := c.Tag("state.b.c")
	act, _ := c.Act("cast")
	do(0, buff.Command{Verb: verb.SetRate, Whose: define.OfOwner, Rate: buff.Ratio{Num: 3, Den: 7}})
	for k := range times {
		now := wheel.Time(k * 100)
		source := buff.OwnerID(1000 + k)
		apply := func(id string, magnitude int64) buff.Handle {
			a := buff.Application{Spec: c.Spec(id), Source: source, Magnitude: magnitude, Level: k % 5, Key: uint64(k), Params: Takes(c.Spec(id), buff.Arg{Caller: "a", Value: float64(k) - 0.5})}
			if k%3 < 2 { // of the others nothing is known, but they are their own source
				Capture(&a, nil, caster, c, define.SnapshotApply)
			} else if Captures(a.Spec) {
				a.Source = s.id
			}
			return do(now, buff.Command{Verb: verb.Apply, Application: a})
		}
		for spec := range c.All() {
			apply(spec.ID, int64(k))
		}
		apply("layers", 50)
		apply("queue", 1<<40)
		apply("turns", 1<<40)
		h := apply("for_ever", -3)
		do(now, buff.Command{Verb: verb.SetPeriod, Handle: h, By: 777 * time.Millisecond})
		do(now, buff.Command{Verb: verb.Inhibit, Handle: h})
		do(now+20, buff.Command{Verb: verb.SetRate, Whose: define.OfBuff, Handle: apply("plain", 1), Rate: buff.Ratio{Num: 2, Den: 3}})
		do(now+40, buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: c.Spec("layers"), Source: source}}) // between two boundaries of the period
		do(now+50, buff.Command{Verb: verb.AddTimeout, Handler: 1, By: time.Hour, Name: "handler"})
	}
	do(4_000, buff.Command{Verb: verb.AddBase, Attr: health, Value: -12.5})
	do(4_000, buff.Command{Verb: verb.AddTag, Tag: tag})
	do(4_000, buff.Command{Verb: verb.Immunize, Tag: tag})
	do(4_000, buff.Command{Verb: verb.Consume, Act: act})
	do(4_000, buff.Command{Verb: verb.Absorb, Amount: 300})
	for i := range s.All() {
		switch i.Spec.ID {
		case "dead":
			do(4_000, buff.Command{Verb: verb.Pause, Whose: define.OfBuff, Handle: i.Handle})
			setDeathPause(turn, s.slot(handle.Slot(i.Handle)), true)
		case "quick":
			do(blobMoment.Now, buff.Command{Verb: verb.SetPeriod, Handle: i.Handle, By: 770 * time.Millisecond})
			s.lookup(i.Handle).ensureExtra().pendingPulses = 2
		}
	}
	turn.Now = blobMoment.Now
	require.True(t, s.Run(turn, blobMoment.Now, 1<<30))
	return s
}

// restoreHere restores a blob into a new Owner at the moment of saving.
func restoreHere(c *buff.Catalog, blob []byte) (*Owner, *Turn, buff.Restoration, error) {
	s, turn := NewOwner(7, 3, 0, buff.MaxPerOwner), &Turn{Catalog: c, Seed: 1, Now: blobMoment.Now}
	r, err := s.Restore(turn, blobMoment, blob, nil)
	return s, turn, r, err
}

// TestBlob_Damaged checks that every truncation and every flipped bit of a blob of more than 4 KiB
// is an error that leaves the Owner unchanged.
func TestBlob_Damaged(t *testing.T) {
	c := blobCatalog(t)
	blob, lost := fullSet(t, c, 11).Save(nil, c, blobMoment, 0)
	require.Zero(t, lost)
	require.Greater(t, len(blob), 4096)
	refused := func(damaged []byte, what string, k int) {
		s, turn := NewOwner(7, 3, 0, buff.MaxPerOwner), &Turn{Catalog: c}
		r, err := s.Restore(turn, blobMoment, damaged, nil)
		if err == nil || !reflect.DeepEqual(r, buff.Restoration{}) || s.Len()+s.Timeouts() > 0 || s.gates() != nil || s.timeScale() != nil || len(turn.Events) > 0 {
			require.Fail(t, "damage was not found", "%s %d", what, k)
		}
		if k%97 == 0 {
			require.ErrorIs(t, err, buff.ErrBlob)
		}
	}
	for n := range blob {
		refused(blob[:n], "cut to", n)
	}
	damaged := append([]byte(nil), blob...)
	for bit := range len(blob) * 8 {
		damaged[bit/8] ^= 1 << (bit % 8)
		refused(damaged, "flipped bit", bit)
		damaged[bit/8] ^= 1 << (bit % 8)
	}
	for n := range blob {
		damaged[n] = ^blob[n]
		refused(damaged, "wrong byte", n)
		damaged[n] = blob[n]
	}
	refused(append(append([]byte(nil), blob...), 0), "one byte more than", len(blob))
	refused(append(append([]byte(nil), blob...), blob...), "twice", len(blob))
	t.Logf("%d cuts and %d flipped bits of %d bytes", len(blob), len(blob)*8, len(blob))

	s, _, r, err := restoreHere(c, damaged)
	require.NoError(t, err, "it is whole again")
	require.Equal(t, s.Len(), r.Restored)
}

// TestBlob_ErrorTexts checks that an error names the fault and its position.
func TestBlob_ErrorTexts(t *testing.T) {
	c := blobCatalog(t)
	whole, _ := fullSet(t, c, 1).Save(nil, c, blobMoment, 0)
	change := func(f func(b []byte) []byte) string {
		_, _, _, err := restoreHere(c, f(append([]byte(nil), whole...)))
		require.ErrorIs(t, err, buff.ErrBlob)
		return err.Error()
	}
	require.Equal(t, `buff: bad blob: byte 0: it does not begin with "buff": this is no blob of an owner`,
		change(func([]byte) []byte { return nil }))
	require.Equal(t, `buff: bad blob: byte 0: 6 bytes, and the shortest blob has 13`, change(func(b []byte) []byte { return b[:6] }))
	require.Equal(t, `buff: bad blob: byte 4: format 9, and this build reads formats 1 to 8`, change(func(b []byte) []byte { b[4] = 9; return b }))
	require.Equal(t, fmt.Sprintf(`buff: bad blob: byte 5: the blob had %d bytes, and has %d`, len(whole), len(whole)-1),
		change(func(b []byte) []byte { return b[:len(b)-1] }))
	require.Contains(t, change(func(b []byte) []byte { b[20]++; return b }), "it is damaged")
	require.Contains(t, change(func(b []byte) []byte { return seal(b[:len(b)-4-3], 0) }), "byte", "cut, and sealed again")
	require.Contains(t, change(func(b []byte) []byte { return seal(append(b[:len(b)-4], 1, 2), 0) }), "2 bytes too many")
}

// TestBlob_LengthsDoNotAllocate checks that a wrong length anywhere in a blob does not allocate
// more memory than a valid blob of that size can need.
func TestBlob_LengthsDoNotAllocate(t *testing.T) {
	c := blobCatalog(t)
	blob, _ := fullSet(t, c, 2).Save(nil, c, blobMoment, 0)
	lengths := [][]byte{wire.AppendUint(nil, 1<<31), wire.AppendUint(nil, 1<<63), wire.AppendUint(nil, uint64(len(blob))), wire.AppendUint(nil, 1<<20), {0xff, 0xff}}
	var before, after runtime.MemStats
	for at := blobHead; at < len(blob)-blobCheck; at++ {
		for _, length := range lengths {
			hostile := append(append([]byte(nil), blob[:at]...), length...)
			hostile = seal(append(hostile, blob[min(at+1, len(blob)-blobCheck):len(blob)-blobCheck]...), 0)
			runtime.ReadMemStats(&before)
			_, _, _, err := restoreHere(c, hostile)
			runtime.ReadMemStats(&after)
			if n := after.TotalAlloc - before.TotalAlloc; n > uint64(200*len(blob)) {
				require.Fail(t, "too much allocated", "%d bytes for a blob of %d, at byte %d: %v", n, len(blob), at, err)
			}
		}
	}
}

// goldenBlob returns a blob with every field except the version of a definition, which is never
// written. The blob has passed through a server that did not know all definitions, so it also has
// parts that were set aside.
func goldenBlob(t *testing.T, c *buff.Catalog) []byte {
	blob, _ := fullSet(t, c, 2).Save(nil, c, blobMoment, 4)
	specs := blobSpecs()
	some := mustCatalog(t, append(specs[1:3], specs[4:9]...)...)
	s, _, _, err := restoreHere(some, blob)
	require.NoError(t, err)
	blob, _ = s.Save(nil, some, blobMoment, 4)
	return blob
}

// TestGoldenBlob checks that old blobs of every format can be restored and keep their meaning. The
// restored Owner is saved again, and each field is compared. Fields that a format does not have
// must have the values that package state documents.
func TestGoldenBlob(t *testing.T) {
	c := blobCatalog(t)
	if *golden {
		writeGolden(t, fmt.Sprintf("testdata/save/format%d", state.Format), goldenBlob(t, c))
	}
	for format := 1; format <= state.Format; format++ {
		name := fmt.Sprintf("testdata/save/format%d", format)
		lines, err := os.ReadFile(name + ".hex")
		require.NoError(t, err)
		blob, err := hex.DecodeString(strings.Join(strings.Fields(string(lines)), ""))
		require.NoError(t, err)
		want, err := os.ReadFile(name + ".json")
		require.NoError(t, err)

		text, err := buff.BlobJSON(blob)
		require.NoError(t, err)
		require.Equal(t, string(want), string(text))
		parsed, err := buff.ParseBlobJSON(want)
		require.NoError(t, err)
		require.Equal(t, blob, parsed)
		b, err := state.Decode(blob, &state.Memory{})
		require.NoError(t, err)
		s, _, r, err := restoreHere(c, blob)
		require.NoError(t, err)
		require.Equal(t, buff.Restoration{Restored: len(b.Buffs), Timeouts: len(b.Timeouts)}, r)
		require.Equal(t, len(b.Buffs), s.Len())
		require.NotZero(t, r.Timeouts)
		require.NotEmpty(t, b.Tags)
		require.NotEmpty(t, b.Immune)
		require.NotEmpty(t, b.Returns)
		require.NotZero(t, b.Scale)
		require.Equal(t, format > 1, len(b.Bases) > 0)
		require.Equal(t, format > 6, b.Area > 0)
		require.Equal(t, format > 6, slices.ContainsFunc(b.Buffs, func(b state.Buff) bool { return len(b.Brought) > 0 }))
		numbered := slices.ContainsFunc(b.Buffs, func(b state.Buff) bool {
			return slices.ContainsFunc(b.Waiting, func(l state.Stack) bool { return len(l.Params) > 0 && len(l.Others) > 0 && len(l.Captures) > 0 })
		})
		require.Equal(t, format > 4, numbered, "numbers of one that waits")
		again, lost := s.Save(nil, c, blobMoment, 0)
		require.Zero(t, lost)
		text, err = buff.BlobJSON(again)
		require.NoError(t, err)
		if *golden {
			require.NoError(t, os.WriteFile(name+".restored.json", text, 0o644))
		}
		want, err = os.ReadFile(name + ".restored.json")
		require.NoError(t, err)
		require.Equal(t, string(want), string(text), "what it says when it is saved again at once")
	}
}

func writeGolden(t *testing.T, name string, blob []byte) {
	text, err := buff.BlobJSON(blob)
	require.NoError(t, err)
	var lines strings.Builder
	for ; len(blob) > 0; blob = blob[min(40, len(blob)):] {
		fmt.Fprintln(&lines, hex.EncodeToString(blob[:min(40, len(blob))]))
	}
	require.NoError(t, os.WriteFile(name+".hex", []byte(lines.String()), 0o644))
	require.NoError(t, os.WriteFile(name+".json", text, 0o644))
}

// TestBlobJSON checks the errors for mistakes in edited JSON.
func TestBlobJSON(t *testing.T) {
	c := blobCatalog(t)
	blob, _ := fullSet(t, c, 1).Save(nil, c, blobMoment, 0)
	whole, err := buff.BlobJSON(blob)
	require.NoError(t, err)
	for _, k := range []struct{ old, new, want string }{
		{`"format": 8`, `"format": 9`, "the owner: format: 9, want 1 to 8"},
		{`"format": 8`, `"format": 1`, "the owner: bases: format 1 has none"},
		{`"format": 8`, `"format": 4`, "waiting: in format 4 they have no numbers"},
		{`"format": 8`, `"format": 5`, "the owner: events: format 5 has none"},
		{`"format": 8`, `"format": 6`, "brought: format 6 has none"},
		{`"rolls"`, `"rowls"`, `unknown field "rowls"`},
		{`"stacks": 1`, `"stacks": 0`, `buffs[0] "plain": stacks: 0, want 1 to 32767`},
		{`"stacks": 1`, `"stacks": 1.5`, `number 1.5`},
		{`"buff": "plain"`, `"buff": ""`, `buffs[0] "": buff: missing`},
		{`"clock": "wall"`, `"clock": "sand"`, `clock: "sand" is not uptime or wall`},
		{`"requirement"`, `"envy"`, `"envy" is not one of [requirement inhibited group effective immune]`},
		{`"rate_den": 3`, `"rate_den": 3000`, `rate: 2/3000, want parts from 1 to 1000`},
		{`"parts": 7`, `"parts": 0`, `parts: 0, want 1 to`},
		{`"ages": `, `"ages": -`, "cannot unmarshal number -"},
		{`"age": 2,`, `"age": 1,`, "age: 1, and that of the buff before it is not below"},
		{"{", "[", "invalid character"},
		{"\n}\n", "\n}\n{}", "something follows"},
	} {
		require.Contains(t, string(whole), k.old)
		_, err := buff.ParseBlobJSON([]byte(strings.Replace(string(whole), k.old, k.new, 1)))
		require.ErrorIs(t, err, buff.ErrBlob, k.new)
		require.ErrorContains(t, err, k.want)
	}
	_, err = buff.BlobJSON(blob[1:])
	require.ErrorIs(t, err, buff.ErrBlob)
	odd := state.Owner{Format: state.Format, Tags: []state.Tag{{Name: "\xff", N: 1}}}
	_, err = buff.BlobJSON(odd.Append(nil))
	require.ErrorContains(t, err, `"\xff" is not UTF-8`)
	for _, n := range []float64{0, math.Copysign(0, -1), 1e300, 0.1, math.NaN(), math.Inf(-1), math.Float64frombits(0x7ff8000000000123)} {
		text, err := state.Float(n).MarshalJSON()
		require.NoError(t, err)
		var back state.Float
		require.NoError(t, back.UnmarshalJSON(text))
		require.Equal(t, math.Float64bits(n), math.Float64bits(float64(back)), "%s", text)
	}
}

// TestBlob_ImpossibleState checks that a state that no Owner could have had is rejected, even with
// a valid checksum.
func TestBlob_ImpossibleState(t *testing.T) {
	c := blobCatalog(t)
	blob, _ := fullSet(t, c, 1).Save(nil, c, blobMoment, 0)
	saved := func(b *state.Owner, id string) *state.Buff {
		k := slices.IndexFunc(b.Buffs, func(f state.Buff) bool { return f.ID == id })
		return &b.Buffs[k]
	}
	for _, k := range []struct {
		change func(b *state.Owner)
		want   string
	}{
		{func(b *state.Owner) { b.Ages = state.MaxAges + 1 }, "the owner: ages: 1152921504606846977, want at most 1152921504606846976"},
		{func(b *state.Owner) { b.Scale.Ahead = 1 }, "pace: ahead_ms and inner_ms are of buffs"},
		{func(b *state.Owner) { b.Tags[0].N = 1 << 16 }, `tags[0] "state.b.c": n: 65536, want 1 to 65535`},
		{func(b *state.Owner) { b.Immune[0].Name = "" }, `immune[0] "": tag: missing`},
		{func(b *state.Owner) { b.Returns[0].N = 0 }, `diminishing[0] "stuns": n: 0, want 1 to 65535`},
		{func(b *state.Owner) { b.Timeouts[0].Age = b.Ages + 1 }, `timeouts[0] "handler": age: `},
		{func(b *state.Owner) { saved(b, "queue").Async = saved(b, "layers").Async }, "so that nothing can wait"},
		{func(b *state.Owner) { saved(b, "queue").Left = state.Maybe{} }, "left_ms: missing, but the stacks have ends"},
		{func(b *state.Owner) { saved(b, "queue").Running = b.Ages }, "is younger than everything"},
		{func(b *state.Owner) { saved(b, "queue").Waiting[0].Age = b.Ages }, "waiting[0].age: "},
		{func(b *state.Owner) { saved(b, "turns").Waiting[0].Params[0].Name = "" }, "waiting[0].params[0].name: missing"},
		{func(b *state.Owner) { saved(b, "turns").Waiting[0].Others[0].Value = state.Float(math.Inf(1)) }, "waiting[0].numbers[0].value: +Inf"},
		{func(b *state.Owner) { saved(b, "turns").Waiting[0].Captures[0].Name = "" }, "waiting[0].captures[0].name: missing"},
		{func(b *state.Owner) { saved(b, "queue").Waiting[0].Level = -1 }, "waiting[0].level: -1, want 0 to 32767"},
		{func(b *state.Owner) { saved(b, "layers").Async[0].Stacks++ }, "they have not as many stacks as the buff, which has 3"},
		{func(b *state.Owner) { saved(b, "plain").Next = state.Maybe{}; saved(b, "plain").Period = 70 }, "next_ms: missing, but there is a period"},
		{func(b *state.Owner) {
			saved(b, "dead").Dead, saved(b, "dead").Scale.Held, saved(b, "dead").Scale.Ahead = false, false, -1
		}, "ahead_ms: -1, want 0 to"},
		{func(b *state.Owner) { saved(b, "dead").Scale = state.Scale{} }, "death_pause: without a pace"},
		{func(b *state.Owner) { saved(b, "params").Params[1].Name = "" }, "params[1].name: missing"},
		{func(b *state.Owner) { b.Buffs[0].Since = &state.Moment{} }, "and that of the buff before it is not below"},
	} {
		b, err := state.Decode(blob, &state.Memory{})
		require.NoError(t, err)
		k.change(b)
		_, _, _, err = restoreHere(c, b.Append(nil))
		require.ErrorIs(t, err, buff.ErrBlob)
		require.ErrorContains(t, err, k.want)
	}

	b, err := state.Decode(blob, &state.Memory{})
	require.NoError(t, err)
	b.Buffs[0].Version = "2.1"
	read, err := state.Decode(b.Append(nil), &state.Memory{})
	require.NoError(t, err)
	require.Equal(t, b, read, "a version has its place")
}

// TestOwner_Save_WithoutAreaTime checks that the pause of an area is not saved with the area's
// owners.
func TestOwner_Save_WithoutAreaTime(t *testing.T) {
	c := mustCatalog(t, buff.Spec{ID: "p", Duration: time.Minute, Clock: define.Wall}, buff.Spec{ID: "q", Duration: time.Minute})
	s, turn := NewOwner(7, 3, 0, 9), &Turn{Catalog: c}
	for spec := range c.All() {
		s.Do(turn, 0, buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: spec}})
	}
	s.Do(turn, 0, buff.Command{Verb: verb.SetRate, Whose: define.OfOwner, Rate: buff.Ratio{Num: 1, Den: 2}})
	s.Do(turn, 0, buff.Command{Verb: verb.Pause, Whose: define.OfArea})
	blob, _ := s.Save(nil, c, buff.Moment{Now: 10_000}, 0)
	s, turn = NewOwner(7, 3, 0, 9), &Turn{Catalog: c, Now: 50_000}
	_, err := s.Restore(turn, buff.Moment{Now: 50_000, Wall: 20_000}, blob, nil)
	require.NoError(t, err)
	require.Len(t, turn.Events, 2)
	require.Equal(t, "50000 restore p x1 end=150000", turn.Events[0].String())
	require.Equal(t, "50000 restore q x1 end=170000", turn.Events[1].String())
}

// TestOwner_Save_DoesNotAllocate checks that Save does not allocate if dst is large enough.
func TestOwner_Save_DoesNotAllocate(t *testing.T) {
	c := blobCatalog(t)
	s := fullSet(t, c, 4)
	blob, _ := s.Save(nil, c, blobMoment, 0)
	require.Zero(t, testing.AllocsPerRun(100, func() { blob, _ = s.Save(blob[:0], c, blobMoment, 0) }))

	blob, _ = s.Save([]byte("before"), c, blobMoment, 0)
	_, _, _, err := restoreHere(c, blob[len("before"):])
	require.NoError(t, err, "appended to something")
}

// TestOwner_Restore_UsedOwnerPanics checks that Restore panics if the Owner has been used.
func TestOwner_Restore_UsedOwnerPanics(t *testing.T) {
	c := blobCatalog(t)
	s := fullSet(t, c, 1)
	blob, _ := s.Save(nil, c, blobMoment, 0)
	require.PanicsWithValue(t, "rules: Restore into an Owner that has been used", func() {
		_, _ = s.Restore(&Turn{Catalog: c}, blobMoment, blob, nil)
	})
}
