package rules

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/stretchr/testify/require"
)

// TestOwner_TwoCatalogs checks that instances of an older catalog keep their definitions, and that
// the Owner keeps no reference to that catalog once these instances are gone.
func TestOwner_TwoCatalogs(t *testing.T) {
	specs := make([]buff.Spec, 8)
	for k := range specs {
		specs[k] = buff.Spec{ID: "b" + strconv.Itoa(k), Duration: time.Hour}
	}
	c, err := buff.NewCatalog(specs...)
	require.NoError(t, err)
	s, turn := NewOwner(1, 1, 0, buff.MaxPerOwner), &Turn{Catalog: c}
	carries := func() (ids []string) {
		for i := range s.All() {
			ids = append(ids, i.Spec.ID)
		}
		return ids
	}
	var want []string
	var handles []buff.Handle
	for k := range specs {
		want = append(want, specs[k].ID)
		handles = append(handles, s.Do(turn, 0, buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: c.Spec(specs[k].ID)}}).Handle)
	}
	require.Equal(t, want, carries())
	require.Nil(t, s.rare)

	next, err := c.Next(specs[:3]...) // only the first three definitions remain
	require.NoError(t, err)
	turn.Catalog = next
	handle := s.Do(turn, 0, buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: next.Spec("b0")}}).Handle
	require.Equal(t, append(want, "b0"), carries())
	require.Len(t, s.rare.foreign, len(specs))
	s.Adopt(turn, 0)
	require.Equal(t, append(want, "b0"), carries())
	require.Zero(t, slices.IndexFunc(s.rare.foreign, func(p *compile.Program) bool { return p != nil })-3, "three are of the new one")
	for _, h := range handles {
		s.Do(turn, 0, buff.Command{Verb: verb.Remove, Handle: h})
	}
	require.Equal(t, []string{"b0"}, carries())
	for _, spec := range s.rare.foreign {
		require.Nil(t, spec, "nothing of the old catalog is kept")
	}
	turn.Catalog, err = next.Next(specs[:2]...)
	require.NoError(t, err)
	s.Adopt(turn, 0)
	require.Equal(t, []string{"b0"}, carries())
	require.True(t, s.isLive(handle))
	require.Nil(t, s.rare.foreign)
}
