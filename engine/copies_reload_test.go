package engine_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/internal/snapshot"
)

// TestCopiesReload checks rounds during a Reload that is applied owner by owner, at the end of
// full Ticks that leave other owners waiting. Owners that were idle at the start of a round are
// copied in their state at that time, byte for byte. No coin is on two owners or on none. In the
// end, all owners use the new catalog.
func TestCopiesReload(t *testing.T) {
	inModes(t, func(t *testing.T, m mode) {
		r := newRobbersOf(t, m, 7, engine.Options{Limits: engine.Limits{Tick: 60}})
		c := engine.Copies(r.e, nil)
		disk := &copied{owners: map[buff.OwnerID]snapshot.Copy{}}
		waited, swept := 0, 0
		for round := range 30 {
			if round < 26 { // a stall, which fills several Ticks
				r.e.Tick(400 * time.Millisecond)
			}
			began := c.Begin(false)
			waited += len(began.Older)
			want := map[buff.OwnerID][]byte{}
			for id := range buff.OwnerID(robberCount) {
				blob, err := r.e.Save(id)
				if !errors.Is(err, engine.ErrBusy) {
					require.NoError(t, err)
					want[id] = blob
				}
			}
			if round%7 == 3 {
				r.edit(t)
				swept += c.Left()
			}
			for done := false; !done; {
				m.pass(r.e, 50*time.Millisecond)
				_, done = c.Step(2)
			}
			x := c.Take()
			for o := range x.All() {
				require.NoError(t, o.Err)
				if blob := want[o.Owner]; blob != nil {
					require.Equal(t, blob, o.Blob, "round %d, owner %d", round, o.Owner)
				}
				disk.owners[o.Owner] = snapshot.Copy{Owner: o.Owner, Blob: append([]byte(nil), o.Blob...)}
			}
			disk.waiting, disk.moment = began.Waiting, began.Moment
			x.Free()
			r.o.Catalog = r.cat
			require.Equal(t, robberCount*coinsEach, wealth(t, disk.revive(t, r.o), robberCount), "round %d", round)
		}
		require.Positive(t, swept, "no round was under way while the Reload was carried out")
		require.Positive(t, waited, "nobody has waited for TickLimit")
	})
}

// edit reloads the game with another period of a buff that every owner has.
func (r *robbers) edit(t *testing.T) {
	specs := append([]buff.Spec(nil), robbery...)
	for k := range specs {
		specs[k].Reload = define.ReloadMigrate
		if specs[k].ID == "itch" {
			r.edits++
			specs[k].Period += time.Duration(r.edits) * 10 * time.Millisecond
		}
	}
	r.cat = next(t, r.cat, specs...)
	reload(t, r.e, r.cat)
}
