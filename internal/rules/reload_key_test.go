package rules_test

import (
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/rules"
	"github.com/stretchr/testify/require"
)

// TestReload_InstanceWithoutKey checks that an instance that keeps a version without keys has no
// key, even if it has an extra. So an application of the new version does not join it, not even
// with the key 0.
func TestReload_InstanceWithoutKey(t *testing.T) {
	for name, plain := range map[string]bool{"plain": true, "with charges": false} {
		t.Run(name, func(t *testing.T) {
			before := buff.Spec{ID: "rune", Duration: time.Hour, Reload: define.ReloadKeep, Stack: define.Stacking{By: define.BySource}}
			if !plain {
				before.Charges.N = 3
			}
			after := before
			after.Stack.By = define.ByKey
			c, err := buff.NewCatalog(before)
			require.NoError(t, err)
			turn, set := &rules.Turn{Catalog: c}, rules.NewOwner(1, 0, 0, 8)
			apply := func(c *buff.Catalog, key uint64) buff.Handle {
				r := set.Do(turn, 0, buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: c.Spec("rune"), Source: 2, Key: key}})
				require.NoError(t, r.Failure)
				return r.Handle
			}
			old := apply(c, 0)
			c, err = c.Rebuild(buff.Definitions{Specs: []buff.Spec{after}})
			require.NoError(t, err)
			turn.Catalog = c
			require.Equal(t, 1, set.Adopt(turn, 0).Kept)
			first, other := apply(c, 0), apply(c, 1)
			require.NotEqual(t, old, first, "key 0")
			require.NotEqual(t, old, other, "key 1")
			require.NotEqual(t, first, other)
			require.Equal(t, first, apply(c, 0), "its own key")
			require.Equal(t, 3, set.Len())
		})
	}
}
