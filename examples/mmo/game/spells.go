package game

import (
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/wheel"
)

// aim is what a spell is for.
type aim uint8

const (
	foe aim = iota
	friend
	self
)

type spell struct {
	spec *buff.Spec
	aim  aim
	time time.Duration // that it takes to cast; by a timeout
}

// class is what a kind of player can cast.
type class struct {
	name     string
	instants []spell
	lasting  []spell
	stacking spell
}

func newClasses(b *book) []class {
	strike := spell{spec: b.strike, aim: foe}
	zeal, fury := spell{spec: b.zeal, aim: friend}, spell{spec: b.fury, aim: self}
	bleed, burn, venom := spell{spec: b.bleed, aim: foe}, spell{spec: b.burn, aim: foe}, spell{spec: b.venom, aim: foe}
	renew, bloom := spell{spec: b.renew, aim: friend}, spell{spec: b.bloom, aim: friend}
	shell, swiftness := spell{spec: b.shell, aim: friend}, spell{spec: b.swiftness, aim: friend}
	return []class{
		{
			name:     "warrior",
			instants: []spell{strike},
			lasting:  []spell{zeal, zeal, zeal, zeal, zeal, bleed},
			stacking: fury,
		},
		{
			name:     "rogue",
			instants: []spell{strike},
			lasting:  []spell{zeal, zeal, zeal, zeal, burn, venom},
			stacking: venom,
		},
		{
			name:     "mage",
			instants: []spell{{spec: b.meteor, aim: foe, time: 1500 * time.Millisecond}},
			lasting:  []spell{zeal, zeal, zeal, zeal, zeal, shell, swiftness},
			stacking: fury,
		},
		{
			name:     "priest",
			instants: []spell{{spec: b.chain, aim: friend}, {spec: b.mend, aim: friend}},
			lasting:  []spell{renew, renew, renew, renew, bloom, {spec: b.regrowth, aim: friend}},
			stacking: bloom,
		},
		{
			name:     "warlock",
			instants: []spell{strike},
			lasting:  []spell{zeal, zeal, zeal, zeal, {spec: b.leech, aim: foe}},
			stacking: venom,
		},
	}
}

// cast is a spell that a player has cast on a target, and when that will be over.
type cast struct {
	spell
	on    buff.OwnerID
	until wheel.Time
}
