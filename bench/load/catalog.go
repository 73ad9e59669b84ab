package load

import (
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
)

// kind is a definition in the form that the books use, which is independent of buff.Spec.
type kind struct {
	id       string
	period   int64 // ms from one pulse to the next; 0 means no pulses
	limit    int32 // maximum number of stacks
	magic    bool  // if set, a dispel removes the buff
	infinite bool
	weight   int // relative frequency among the short buffs that players cast; 0 for other buffs
	handler  string
}

// kinds are the definitions. The casts of different sources are separate buffs. A refresh restarts
// the duration but does not change the times of the pulses. A change of the period does not move
// the next pulse.
var kinds = []kind{
	{id: "mend", period: 1000, limit: 1, weight: 90, handler: hit, magic: true},
	{id: "burn", period: 1500, limit: 1, weight: 70, handler: hit, magic: true},
	{id: "bleed", period: 2000, limit: 1, weight: 60, handler: hit},
	{id: "curse", period: 3000, limit: 1, weight: 70, handler: hit, magic: true},
	{id: "plague", period: 2000, limit: 1, weight: 20, handler: spread},
	{id: "venom", period: 2000, limit: 5, weight: 40, handler: hit},
	{id: "sunder", limit: 5, weight: 160},
	{id: "slow", limit: 1, weight: 160, magic: true},
	{id: "ward", limit: 1, weight: 180},
	{id: "stun", limit: 1, weight: 150},
	{id: "scar", limit: 1},
	{id: "flask", limit: 1},
	{id: "blessing", limit: 1, infinite: true},
	{id: "regen3", period: 3000, limit: 1, handler: hit},
	{id: "regen4", period: 4000, limit: 1, handler: hit},
	{id: "regen6", period: 6000, limit: 1, handler: hit},
	{id: "clock", period: 7000, limit: 1, infinite: true, handler: hit},
}

// The indexes in kinds that the code uses by name.
const (
	bleedKind    = 2
	plagueKind   = 4
	slowKind     = 7
	stunKind     = 9
	scarKind     = 10
	flaskKind    = 11
	blessingKind = 12
	regenKind    = 13 // the first of regenKinds kinds
	regenKinds   = 3
	clockKind    = 16
)

// Names of handlers.
const (
	hit    = "hit"
	spread = "spread"
)

const (
	magicType  = "magic"
	scarLength = 4000 // ms
)

// newCatalog returns the definitions, in the order of kinds.
func newCatalog() (*buff.Catalog, error) {
	var specs []buff.Spec
	for _, k := range kinds {
		s := buff.Spec{
			ID: k.id, Duration: time.Minute, Period: ms(k.period),
			Stack: define.Stacking{By: define.BySource, Limit: int(k.limit)},
		}
		if k.infinite {
			s.Kind, s.Duration = define.Infinite, 0
		}
		if k.period > 0 {
			s.Haste = define.HasteNext
		}
		if k.magic {
			s.Dispel.Type = magicType
		}
		if k.handler != "" {
			s.On.Pulse = []define.Action{{Do: define.DoCall, Name: k.handler}}
		}
		specs = append(specs, s)
	}
	return buff.NewCatalog(specs...)
}

func ms(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
