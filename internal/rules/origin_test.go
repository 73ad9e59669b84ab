package rules

import (
	"fmt"
	"math"
	"testing"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/handle"
	"github.com/stretchr/testify/require"
)

// TestOwner_SetOrigin checks that the generations of a slot start at the origin, wrap around once,
// skip the 0 of the zero Handle, and are used up when they reach the origin again.
func TestOwner_SetOrigin(t *testing.T) {
	c := mustCatalog(t, buff.Spec{ID: "oath", Kind: define.Infinite})
	for _, origin := range []uint32{0, 2, 4, 1 << 31, math.MaxUint32 - 1} {
		t.Run(fmt.Sprint(origin), func(t *testing.T) {
			s, turn := NewOwner(7, 0, 0, 2), &Turn{Catalog: c}
			s.SetOrigin(origin)
			apply := func() buff.Handle {
				r := s.Do(turn, 0, buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: c.Spec("oath")}})
				require.NoError(t, r.Err)
				require.NotZero(t, r.Handle)
				return r.Handle
			}
			remove := func(h buff.Handle) { require.NoError(t, s.Do(turn, 0, buff.Command{Verb: verb.Remove, Handle: h}).Err) }
			first := apply()
			require.Equal(t, max(origin+1, 1), handle.Generation(first))
			remove(first)

			s.slot(0).generation = origin - 3 // near the last generation
			uses, last := 0, uint32(0)
			for s.free != noSlot {
				h := apply()
				require.NotEqual(t, handle.Generation(h), last)
				require.NotEqual(t, origin, handle.Generation(h))
				uses, last = uses+1, handle.Generation(h)
				remove(h)
			}
			want := 3
			if origin == 2 { // the generation 0 is skipped on the way
				want = 2
			}
			require.Equal(t, want, uses)
			require.Equal(t, uint16(0), handle.Slot(first))
			require.Equal(t, uint32(math.MaxUint32), s.Generation(), "none is left")
			require.Equal(t, uint16(1), handle.Slot(apply()), "the slot is retired")

			r := s.Do(turn, 0, buff.Command{Verb: verb.AddTimeout, Handler: 1, Name: "a"})
			require.Equal(t, max(origin+1, 1), handle.Generation(r.Timeout))
			require.Panics(t, func() { s.SetOrigin(6) })
			require.Panics(t, func() { NewOwner(7, 0, 0, 2).SetOrigin(5) })
		})
	}
}
