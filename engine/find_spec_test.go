package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
)

func TestFindSpec_UnknownSpec(t *testing.T) {
	build := func(ids ...string) *buff.Catalog {
		var specs []buff.Spec
		for _, id := range ids {
			specs = append(specs, buff.Spec{ID: id, Duration: time.Minute})
		}
		c, err := buff.NewCatalog(specs...)
		require.NoError(t, err)
		return c
	}
	own, other := build("venom", "renew"), build("other")
	e := open(t, engine.Options{Synchronous: true, Catalog: own})
	spawn(t, e, 1)
	require.True(t, e.AddBuff(1, buff.Application{Spec: own.MustSpec("venom")}).OK())
	for _, spec := range []*buff.Spec{nil, other.MustSpec("other")} {
		_, found, err := e.FindSpec(1, spec, 0)
		require.ErrorIs(t, err, engine.ErrUnknownSpec)
		require.False(t, found)
	}
	_, _, err := e.FindSpec(2, own.MustSpec("venom"), 0)
	require.ErrorIs(t, err, engine.ErrUnknownOwner)

	next, err := own.Next(buff.Spec{ID: "renew", Duration: time.Minute})
	require.NoError(t, err)
	_, err = e.Reload(next)
	require.NoError(t, err)
	b, found, err := e.FindSpec(1, own.MustSpec("venom"), 0)
	require.NoError(t, err)
	require.True(t, found, "a definition that was removed has buffs until they end")
	require.Equal(t, "venom", b.Spec.ID)
}
