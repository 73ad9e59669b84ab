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

// TestP43_DefinitionGone tests a promise of docs/promises.md: if the catalog does not have the
// definition of a saved buff, the buff is set aside and counted, and is restored once the
// definition is known again. For a reload, see testdata/cases/w13_reload_gone.txt: there the buff
// continues with its own version.
func TestP43_DefinitionGone(t *testing.T) {
	old := buff.Spec{ID: "old", Duration: time.Minute}
	with, err := buff.NewCatalog(old, buff.Spec{ID: "kept", Duration: time.Minute})
	require.NoError(t, err)
	without, err := buff.NewCatalog(buff.Spec{ID: "kept", Duration: time.Minute})
	require.NoError(t, err)
	set := rules.NewOwner(1, 0, 0, 10)
	turn := rules.Turn{Catalog: with}
	for s := range with.All() {
		require.NoError(t, set.Do(&turn, 0, buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: s}}).Failure)
	}
	blob, _ := set.Save(nil, with, buff.Moment{Now: 1000}, 0)
	for _, want := range []struct {
		catalog *buff.Catalog
		carried int
	}{{without, 1}, {without, 1}, {with, 2}} {
		set = rules.NewOwner(1, 0, 0, 10)
		r, err := set.Restore(&rules.Turn{Catalog: want.catalog}, buff.Moment{Now: 2000}, blob, func(string) (define.HandlerID, bool) { return 0, false })
		require.NoError(t, err)
		require.Equal(t, want.carried, set.Len())
		require.Equal(t, want.carried, r.Restored)
		require.Equal(t, 2-want.carried, r.Unknown)
		blob, _ = set.Save(nil, want.catalog, buff.Moment{Now: 2000}, 0)
	}
}
