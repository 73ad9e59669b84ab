package game

import (
	"context"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/inspect"
)

// scene is a world with a boss and two players, 1 and 2. No unit acts by itself.
type scene struct {
	*world
	log []string // log of the last call to pass, without times
}

const boss = firstBoss

func newScene(t *testing.T) *scene {
	s, err := parseFlags([]string{"-players", "2", "-bosses", "1", "-sync"})
	require.NoError(t, err)
	w, err := newWorld(s)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.eng.Close(context.Background())) })
	sc := &scene{world: w}
	w.trace = func(e buff.Event) {
		if e.Spec != nil && e.Kind != buff.Changed {
			sc.log = append(sc.log, name(e.Owner)+" "+e.Kind.String()+" "+e.Spec.String())
		}
	}
	sc.pass(50 * time.Millisecond)
	return sc
}

func (s *scene) pass(d time.Duration) {
	s.log = nil
	s.see(s.eng.Tick(d))
}

func (s *scene) unit(id buff.OwnerID) *unit { return s.eng.Data(id).(*unit) }

// value returns an attribute of an owner.
func (s *scene) value(id buff.OwnerID, attr stat.Attr) int {
	v, err := s.eng.Attribute(id, attr)
	if err != nil {
		panic(err)
	}
	return int(math.Round(v))
}

func (s *scene) health(id buff.OwnerID) int { return s.value(id, s.vigour) }

// cast applies a buff with a magnitude and plays two frames. The handlers of the buff run in the
// first frame, and the handlers' commands for other owners run in the second.
func (s *scene) cast(spec *buff.Spec, from, to buff.OwnerID, magnitude int64) {
	s.unit(to).dice = newUnit(0, 1, 0, nil).dice // with these dice, the first hits are not critical
	s.add(to, buff.Application{Spec: spec, Source: from, Magnitude: magnitude})
	var log []string
	for range 2 {
		s.pass(50 * time.Millisecond)
		log = append(log, s.log...)
	}
	s.log = log
}

// TestSheet checks that the attributes of a player include the modifiers of the player's buffs.
func TestSheet(t *testing.T) {
	s := newScene(t)
	require.Equal(t, 1219, s.value(1, s.maxHealth), "60 by the feast, then a tenth more by the stew and a twentieth by the rest")
	require.Equal(t, 20, s.value(1, s.hide))
	require.Equal(t, 105, s.value(1, s.power))
	whole := s.health(1)
	s.cast(s.strike, boss, 1, 100)
	require.Equal(t, whole-40+8, s.health(1))
	s.cast(s.swiftness, 2, 1, 100)
	s.cast(s.swiftness, 2, 1, 100)
	require.Equal(t, 30, s.value(1, s.hide))
	s.pass(20 * time.Second)
	require.Equal(t, 20, s.value(1, s.hide))
	require.Equal(t, 1500, s.value(boss, s.maxHealth))
}

// TestSheetShown checks that the page shows the buff of each modifier.
func TestSheetShown(t *testing.T) {
	s := newScene(t)
	shown := func() map[string]inspect.Attribute {
		out := map[string]inspect.Attribute{}
		for _, a := range s.sheet(s.unit(1)) {
			out[a.Name] = a
		}
		return out
	}
	require.Equal(t, inspect.Attribute{
		Name: "Most health", Base: 1000, Value: 1219,
		Modifiers: []inspect.Modifier{{From: "Hunter's Feast", Text: "+60"}, {From: "Well Rested", Text: "+5 %"}, {From: "Hearty Stew", Text: "+10 %"}},
	}, shown()["Most health"])
	require.Empty(t, shown()["Luck"].Modifiers)
	s.cast(s.zeal, 1, 1, 100)
	s.cast(s.zeal, 2, 1, 100)
	s.cast(s.statue, boss, 1, 100)
	require.Equal(t, []inspect.Modifier{{From: "Zeal", Text: "+10 %, 2 times, but only one counts"}, {From: "Turned to Stone", Text: "is 0"}}, shown()["Pace"].Modifiers)
	require.Zero(t, shown()["Pace"].Value)
	require.Nil(t, s.sheet("something else"))
}

func TestShellBreaks(t *testing.T) {
	s := newScene(t)
	left := func() int64 {
		buffs, err := s.eng.Buffs(1)
		require.NoError(t, err)
		for b := range buffs.All() {
			if is(b.Spec, s.shell) {
				return b.Shield
			}
		}
		return 0
	}
	whole := s.health(1)
	s.cast(s.shell, 2, 1, 100)
	require.EqualValues(t, 210, left(), "twice the power of its caster")
	s.cast(s.strike, boss, 1, 500)
	require.EqualValues(t, 50, left())
	require.Equal(t, whole, s.health(1))
	s.cast(s.strike, boss, 1, 500)
	require.Equal(t, whole-110, s.health(1))
	require.Contains(t, s.log, "player 1 remove shell")
	require.Contains(t, s.log, "player 1 apply daze")
	require.True(t, s.unit(1).held)
	require.True(t, s.players[0].dazed)
	s.pass(1500 * time.Millisecond)
	require.False(t, s.unit(1).held)
	require.False(t, s.players[0].dazed)
}

func TestDeath(t *testing.T) {
	s := newScene(t)
	s.cast(s.venom, boss, 1, 100)
	s.cast(s.strike, boss, 1, 10_000)
	require.Contains(t, s.log, "player 1 remove death_ward")
	require.Contains(t, s.log, "player 1 remove venom")
	require.NotContains(t, s.log, "player 1 apply ghost")
	require.Equal(t, (s.value(1, s.maxHealth)+1)/2, s.health(1))

	s.cast(s.strike, boss, 1, 10_000)
	require.Contains(t, s.log, "player 1 apply ghost")
	require.True(t, s.players[0].dead)
	s.cast(s.mend, 2, 1, 100)
	s.cast(s.strike, boss, 1, 100)
	require.Zero(t, s.health(1), "nobody mends the dead, or hurts them")
	s.pass(8 * time.Second)
	require.False(t, s.players[0].dead)
	require.Equal(t, (s.value(1, s.maxHealth)+1)/2, s.health(1))

	s.cast(s.strike, 1, boss, 100_000)
	require.Contains(t, s.log, "boss 1 apply fallen")
	require.True(t, s.raids[0].fell)
}

func TestDrainMendsTheSource(t *testing.T) {
	s := newScene(t)
	s.cast(s.strike, boss, 1, 1000)
	before, whole := s.health(1), s.health(boss)
	s.cast(s.leech, 1, boss, 100)
	s.pass(1500 * time.Millisecond)
	s.pass(50 * time.Millisecond)
	require.Equal(t, 12, whole-s.health(boss))
	require.Equal(t, 7, s.health(1)-before, "mend is 60 at full strength; 12 in a hundred of that")
}

func TestChainJumps(t *testing.T) {
	s := newScene(t)
	s.cast(s.strike, boss, 1, 1000)
	s.cast(s.strike, boss, 2, 1000)
	one, two := s.health(1), s.health(2)
	s.cast(s.chain, 1, 1, 100)
	s.pass(50 * time.Millisecond)
	s.pass(50 * time.Millisecond)
	require.Equal(t, 120+30, s.health(1)-one, "at 100 and, back again, at 25")
	require.Equal(t, 60, s.health(2)-two, "at 50; 12 would be too weak to go on")
}

func TestBomb(t *testing.T) {
	s := newScene(t)
	whole := s.health(1)
	s.cast(s.bomb, boss, 1, 100)
	s.cast(s.cleanse, 2, 1, 100)
	require.Contains(t, s.log, "player 1 remove bomb")
	s.pass(5 * time.Second)
	require.NotContains(t, s.log, "player 1 exec explosion")
	s.cast(s.bomb, boss, 1, 100)
	s.pass(5 * time.Second)
	require.Contains(t, s.log, "player 1 exec explosion")
	require.Contains(t, s.log, "player 1 pulse burn")
	require.Equal(t, whole-400-16, s.health(1))
}

// TestBurst checks that the boss becomes stronger when its health falls to certain fractions, and
// that all living players get plagues in the same frame. Each dispel removes one plague.
func TestBurst(t *testing.T) {
	s := newScene(t)
	r := &s.raids[0]
	strong := s.value(boss, s.power)
	s.cast(s.strike, 1, boss, 1000)
	s.actBoss(r)
	require.Zero(t, r.phase, "at 1100 of 1500")
	s.cast(s.strike, 1, boss, 250)
	s.players[1].dead = true
	s.actBoss(r)
	s.pass(50 * time.Millisecond)
	require.Equal(t, 1, r.phase)
	require.Contains(t, s.log, "boss 1 apply wrath")
	require.Equal(t, plagues, count(s.log, "player 1 apply plague"))
	require.Zero(t, count(s.log, "player 2 apply plague"))
	require.Greater(t, s.value(boss, s.power), strong)
	for left := plagues; left > 0; left-- {
		for s.log = nil; len(s.log) == 0; s.pass(50 * time.Millisecond) {
			s.purge(r) // if purge chooses the dead player, it has no effect
		}
		require.Equal(t, []string{"player 1 remove plague"}, s.log)
	}
	s.cast(s.strike, 1, boss, 1200)
	s.actBoss(r)
	s.pass(50 * time.Millisecond)
	require.Contains(t, s.log, "boss 1 apply last_stand")
	require.Equal(t, 2, r.phase)
	s.actBoss(r)
	s.pass(50 * time.Millisecond)
	require.NotContains(t, s.log, "player 1 apply plague", "only once")
}

func count(list []string, what string) (n int) {
	for _, x := range list {
		if x == what {
			n++
		}
	}
	return n
}

// TestAura checks that an aura affects the raid members near its bearer, and that the effect ends
// for members that move away.
func TestAura(t *testing.T) {
	s := newScene(t)
	one, two := &s.players[0], &s.players[1]
	one.paces, two.paces = 2, 14
	power := s.value(2, s.power)
	s.cast(s.devotion, 1, 1, 100)
	require.Contains(t, s.log, name(1)+" apply courage")
	require.Contains(t, s.log, name(2)+" apply courage")
	require.Equal(t, power+10, s.value(2, s.power))
	two.paces = 15
	s.pass(500 * time.Millisecond)
	require.Empty(t, s.log)
	s.pass(500 * time.Millisecond)
	require.Equal(t, []string{name(2) + " remove courage"}, s.log)
	require.Equal(t, power, s.value(2, s.power))
	two.paces = 13
	s.pass(500 * time.Millisecond)
	require.Equal(t, []string{name(2) + " apply courage"}, s.log)

	s.cast(s.totem, 1, 1, 100)
	require.Contains(t, s.log, name(2)+" apply soft_rain")
	two.dead = true
	s.pass(time.Second)
	s.pass(time.Second)
	require.Contains(t, s.log, name(2)+" remove soft_rain")
	require.Contains(t, s.log, name(2)+" apply fresh")
	var found []buff.OwnerID
	near := *s.devotion
	s.around(engine.AuraQuery{Bearer: boss, Buff: buff.Instance{Spec: &near}}, func(id buff.OwnerID) { found = append(found, id) })
	require.Equal(t, []buff.OwnerID{1}, found)
}

// TestBearers checks that one player of a class bears the aura of the class, and that another
// player bears the aura after the first bearer has died.
func TestBearers(t *testing.T) {
	s := newScene(t)
	r := &s.raids[0]
	for i := range s.players {
		s.players[i].class = &s.classes[slices.IndexFunc(s.classes, func(c class) bool { return c.name == "paladin" })]
	}
	s.bear(r)
	s.bear(r)
	s.pass(50 * time.Millisecond)
	require.Equal(t, 1, count(s.log, name(1)+" apply devotion"))
	require.Zero(t, count(s.log, name(2)+" apply devotion"))
	s.players[0].dead = true
	s.bear(r)
	s.pass(50 * time.Millisecond)
	require.Equal(t, 1, count(s.log, name(2)+" apply devotion"))
}
