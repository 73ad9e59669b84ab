package state

import (
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func Example() {
	o := Owner{Format: Format, Ages: 1, Buffs: []Buff{{ID: "poison", Age: 1, Source: 9, Stacks: 2, Left: Some(5000)}}}
	blob := o.Append(nil)
	again, err := Decode(blob, &Memory{})
	fmt.Println(len(blob), err, again.Buffs[0].ID, again.Buffs[0].Left.N)

	o.Buffs[0].Stacks = 0
	fmt.Println(o.Check())
	// Output:
	// 39 <nil> poison 5000
	// buff: bad blob: buffs[0] "poison": stacks: 0, want 1 to 32767
}

func goldenBlob(t *testing.T, format int) []byte {
	t.Helper()
	lines, err := os.ReadFile(fmt.Sprintf("../../internal/rules/testdata/save/format%d.hex", format))
	require.NoError(t, err)
	blob, err := hex.DecodeString(strings.Join(strings.Fields(string(lines)), ""))
	require.NoError(t, err)
	return blob
}

// TestGolden_Fields checks that the golden blob of each format has every field of the format. The
// version of a definition is not written yet.
func TestGolden_Fields(t *testing.T) {
	missing := map[int]uint64{1: hasNumbers | hasCaptures | hasAppliers | hasWith, 2: hasAppliers | hasWith, 3: hasWith}
	for format := 1; format <= Format; format++ {
		if format < 8 {
			missing[format] |= hasRecharge | hasVars
		}
		o, err := Decode(goldenBlob(t, format), &Memory{})
		require.NoError(t, err)
		fields := uint64(0)
		for k := range o.Buffs {
			fields |= o.Buffs[k].mask()
		}
		require.Equal(t, uint64(buffBits)&^missing[format]&^hasVersion, fields, "format %d", format)
	}
}

// TestBuff_Clone checks that a copy shares no memory with the blob that was read.
func TestBuff_Clone(t *testing.T) {
	var m Memory
	for _, blob := range [][]byte{goldenBlob(t, Format), goldenBlob(t, 6)} {
		o, err := Decode(blob, &m)
		require.NoError(t, err)
		o.Upgrade()
		whole := Owner{Format: Format, Ages: o.Ages}
		for k := range o.Buffs {
			whole.Buffs = append(whole.Buffs, o.Buffs[k].Clone())
		}
		before := whole.Append(nil)
		clear(m.values[:cap(m.values)])
		clear(m.stacks[:cap(m.stacks)])
		clear(m.ids[:cap(m.ids)])
		clear(m.numbers[:cap(m.numbers)])
		clear(m.moments[:cap(m.moments)])
		require.Equal(t, before, whole.Append(nil))
	}
}

// TestWriter checks that a Writer gives the same bytes as Owner.Append.
func TestWriter(t *testing.T) {
	o := Owner{
		Format: Format, Ages: 3, Dead: true, Area: 4, Scale: Scale{Parts: 1, Num: 1, Den: 2},
		Tags: []Tag{{"a", 1}}, Returns: []Return{{"g", 1, 2, 3}}, Timeouts: []Timeout{{"n", "h", 3, 4}}, Bases: []Value{{"speed", 1.5}},
		Buffs: []Buff{
			{ID: "plain", Age: 1, Source: 1 << 40, Stacks: 1, Level: 2, Magnitude: -3, Left: Some(0), Duration: 1000, Next: Some(70)},
			{ID: "poison", Age: 2, Stacks: 1, Left: Some(5), Hidden: Weaker, Waiting: []Stack{{Left: 7}}, Numbers: Numbers{Params: []Value{{"p", 2}}}, With: []uint64{1}, Brought: []int64{1}},
		},
	}
	require.NoError(t, o.Check())
	var w Writer
	w.Start([]byte("x"), &o, 2)
	w.Plain(&o.Buffs[0])
	w.Buff(&o.Buffs[1])
	require.Equal(t, o.Append([]byte("x")), w.End())
}
