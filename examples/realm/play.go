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

// catalog is the same in every process. The stacks of the buff "coin" are the coins in a bot's
// purse; each payment adds one. The buff "poison" pulses every three seconds, so that Ticks have
// work to do. The buff "day" has an end.
var catalog = func() *buff.Catalog {
	c, err := buff.NewCatalog(
		buff.Spec{ID: "coin", Kind: define.Infinite, Stack: define.Stacking{By: define.ByTarget, Limit: mostCoins}},
		buff.Spec{ID: "poison", Kind: define.Infinite, Period: 3 * time.Second},
		buff.Spec{ID: "day", Duration: 24 * time.Hour}, // a day of game time; screens show the end
	)
	if err != nil {
		panic(err)
	}
	return c
}()

// mostCoins is the maximum number of coins in a purse.
const mostCoins = 1 << 14

// botID returns the owner ID of bot k of a zone.
func botID(zone, k int) buff.OwnerID { return buff.OwnerID(zone+1)*botsOfZone + buff.OwnerID(k) }

const botsOfZone = 1 << 20

func zoneNames(n int) (all []string) {
	for k := range n {
		all = append(all, fmt.Sprintf("zone-%d", k))
	}
	return all
}

// play returns the function that configures a zone. If the zone is new, this function also creates
// the zone's bots.
func play(zones, bots int, show *pages) func(zone string) (cluster.Zone, error) {
	return func(zone string) (cluster.Zone, error) {
		var number int
		if _, err := fmt.Sscanf(zone, "zone-%d", &number); err != nil {
			return cluster.Zone{}, fmt.Errorf("realm: unknown zone %q", zone)
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
						if err := z.Engine().AddBuff(botID(number, k), buff.Application{Spec: catalog.Spec(spec)}).Err(); err != nil {
							return err
						}
					}
				}
				return nil
			},
		}, nil
	}
}
