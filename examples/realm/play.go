package main

import (
	"fmt"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/cluster"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/engine/history"
	"github.com/bufftick/bufftick/store"
)

// What is played: the same in every process. A bot carries a purse, which gets a coin with each payment,
// a poison that hurts every three seconds, so that the frames have something to do, and a day that ends.
var catalog = func() *buff.Catalog {
	c, err := buff.NewCatalog(
		buff.Spec{ID: "coin", Kind: define.Infinite, Stack: define.Stacking{By: define.ByTarget, Limit: mostCoins}},
		buff.Spec{ID: "poison", Kind: define.Infinite, Period: 3 * time.Second},
		buff.Spec{ID: "day", Duration: 24 * time.Hour}, // of play: the ring that a screen draws
	)
	if err != nil {
		panic(err)
	}
	return c
}()

// mostCoins is how many coins a purse holds.
const mostCoins = 1 << 14

// botID is the owner of bot k of a zone.
func botID(zone, k int) buff.OwnerID { return buff.OwnerID(zone+1)*botsOfZone + buff.OwnerID(k) }

const botsOfZone = 1 << 20

func zoneNames(n int) (all []string) {
	for k := range n {
		all = append(all, fmt.Sprintf("zone-%d", k))
	}
	return all
}

// play says how a zone is played. One that is new gets its bots.
func play(zones, bots int, show *pages) func(zone string) (cluster.Zone, error) {
	return func(zone string) (cluster.Zone, error) {
		var number int
		if _, err := fmt.Sscanf(zone, "zone-%d", &number); err != nil {
			return cluster.Zone{}, fmt.Errorf("realm: %q is no zone of this world", zone)
		}
		return cluster.Zone{
			Page:    show.zone(zone),
			Screens: showing(zones),
			Engine:  engine.Options{Catalog: catalog, Synchronous: true, Number: uint32(number + 1), Trace: engine.Trace{History: history.MinBytes}},
			Begin: func(z *store.Saver, r store.Restored) error {
				show.begin(zone, z.Engine())
				if !r.Fresh {
					return nil
				}
				for k := range bots {
					if err := z.Engine().Spawn(botID(number, k), nil); err != nil {
						return err
					}
					for _, spec := range []string{"poison", "day"} {
						if _, r := z.Engine().AddBuff(botID(number, k), buff.Application{Spec: catalog.Spec(spec)}); r.Err != nil {
							return r.Err
						}
					}
				}
				return nil
			},
		}, nil
	}
}
