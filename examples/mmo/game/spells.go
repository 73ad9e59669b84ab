package game

import (
	"strings"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/wheel"
)

// aim is the kind of target of a spell.
type aim uint8

const (
	foe aim = iota
	friend
	self
)

type spell struct {
	spec *buff.Spec
	aim  aim
	time time.Duration // casting time; 0 means that the spell takes effect at once
}

// class describes a kind of player: its spells, and its usual place.
type class struct {
	name     string
	paces    int // usual distance from the boss, in paces
	instants []spell
	lasting  []spell // spells with a duration; a spell that is listed twice is cast twice as often
	stacking spell
	aura     *buff.Spec // aura over the whole raid, cast by one player of this class in each raid; nil if none
}

// title returns the capitalized name of the class.
func (c *class) title() string { return strings.ToUpper(c.name[:1]) + c.name[1:] }

// The usual places of classes, in paces from the boss.
const (
	near   = 2
	middle = 12
	far    = 24
)

func newClasses(b *book) []class {
	strike := spell{spec: b.strike, aim: foe}
	zeal, fury := spell{spec: b.zeal, aim: friend}, spell{spec: b.fury, aim: self}
	bleed, burn, venom := spell{spec: b.bleed, aim: foe}, spell{spec: b.burn, aim: foe}, spell{spec: b.venom, aim: foe}
	renew, bloom, mend := spell{spec: b.renew, aim: friend}, spell{spec: b.bloom, aim: friend}, spell{spec: b.mend, aim: friend}
	shell, swiftness := spell{spec: b.shell, aim: friend}, spell{spec: b.swiftness, aim: friend}
	return []class{
		{
			name: "warrior", paces: near,
			instants: []spell{strike},
			lasting:  []spell{zeal, zeal, zeal, zeal, zeal, bleed},
			stacking: fury,
		},
		{
			name: "priest", paces: far,
			instants: []spell{{spec: b.chain, aim: friend}, mend},
			lasting:  []spell{renew, renew, renew, renew, bloom, {spec: b.regrowth, aim: friend}},
			stacking: bloom,
		},
		{
			name: "mage", paces: far,
			instants: []spell{{spec: b.meteor, aim: foe, time: 1500 * time.Millisecond}},
			lasting:  []spell{zeal, zeal, zeal, zeal, zeal, shell, swiftness, {spec: b.chill, aim: foe}},
			stacking: fury,
		},
		{
			name: "rogue", paces: near,
			instants: []spell{strike},
			lasting:  []spell{zeal, zeal, zeal, zeal, zeal, burn, venom, {spec: b.quarry, aim: foe}},
			stacking: venom,
		},
		{
			name: "paladin", paces: near,
			instants: []spell{strike, mend},
			lasting:  []spell{zeal, zeal, zeal, zeal, zeal, {spec: b.ironWill, aim: self}, {spec: b.boneWall, aim: friend}},
			stacking: fury,
			aura:     b.devotion,
		},
		{
			name: "warlock", paces: far,
			instants: []spell{strike},
			lasting:  []spell{zeal, zeal, zeal, zeal, {spec: b.leech, aim: foe}},
			stacking: venom,
		},
		{
			name: "bard", paces: middle,
			instants: []spell{mend},
			lasting:  []spell{zeal, zeal, zeal, zeal, zeal, swiftness},
			stacking: spell{spec: b.warSong, aim: friend},
		},
		{
			name: "druid", paces: middle,
			instants: []spell{mend},
			lasting:  []spell{renew, renew, renew, renew, bloom, {spec: b.static, aim: foe}},
			stacking: bloom,
			aura:     b.totem,
		},
	}
}

// cast is a spell that a player has cast on a target, with the time when the buff ends.
type cast struct {
	spell
	on    buff.OwnerID
	until wheel.Time
}
