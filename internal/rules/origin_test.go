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

// TestOwner_SetOrigin checks that the generations of handles start at the origin and skip the 0 of
// the zero Handle.
func TestOwner_SetOrigin(t *testing.T) {
	c := mustCatalog(t, buff.Spec{ID: "oath", Kind: define.Infinite})
	for _, origin := range []uint32{0, 2, 4, 1 << 31, math.MaxUint32 - 1} {
		t.Run(fmt.Sprint(origin), func(t *testing.T) {
			s, turn := NewOwner(7, 0, 0, 2), &Turn{Catalog: c}
			s.SetOrigin(origin)
			apply := func() buff.Handle {
				r := s.Do(turn, 0, buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: c.Spec("oath")}})
				require.NoError(t, r.Failure)
				require.NotZero(t, r.Handle)
				return r.Handle
			}
			remove := func(h buff.Handle) {
				require.NoError(t, s.Do(turn, 0, buff.Command{Verb: verb.Remove, Handle: h}).Failure)
			}
			first := apply()
			require.Equal(t, max(origin+1, 1), handle.Generation(first))
			remove(first)
			second := apply()
			require.Equal(t, handle.Slot(first), handle.Slot(second))
			require.Equal(t, max(handle.Generation(first)+1, 1), handle.Generation(second))

			r := s.Do(turn, 0, buff.Command{Verb: verb.AddTimeout, Handler: 1, Name: "a"})
			require.Equal(t, max(origin+1, 1), handle.Generation(r.Timeout))
			require.Panics(t, func() { s.SetOrigin(6) })
			require.Panics(t, func() { NewOwner(7, 0, 0, 2).SetOrigin(5) })
		})
	}
}
