package game

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
)

// scene is a world in which nobody does anything by himself: two players, 1 and 2,
// and a boss.
type scene struct {
	*world
	log []string // of the last pass, without times
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
		if e.Spec != nil {
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

// cast applies a buff of a strength and passes two frames: its handlers run in the
// first, what they want of other owners comes in the second.
func (s *scene) cast(spec *buff.Spec, from, to buff.OwnerID, magnitude int64) {
	s.unit(to).dice = newUnit(0, 1, 0, 0, nil).dice // no critical hit among its first throws
	s.add(to, buff.Application{Spec: spec, Source: from, Magnitude: magnitude})
	var log []string
	for range 2 {
		s.pass(50 * time.Millisecond)
		log = append(log, s.log...)
	}
	s.log = log
}

func TestStats(t *testing.T) {
	s := newScene(t)
	u := s.unit(1)
	require.EqualValues(t, 1150, u.most, "a tenth more by the stew, a twentieth by the rest")
	require.EqualValues(t, 20, u.armour)
	s.cast(s.strike, boss, 1, 100)
	require.EqualValues(t, 1000-40+8, u.health)
	s.cast(s.swiftness, 2, 1, 100)
	s.cast(s.swiftness, 2, 1, 100)
	require.EqualValues(t, 30, u.armour)
	s.pass(20 * time.Second)
	require.EqualValues(t, 20, u.armour)
}

func TestShellBreaks(t *testing.T) {
	s := newScene(t)
	u := s.unit(1)
	s.cast(s.shell, 2, 1, 100)
	require.EqualValues(t, 200, u.shell)
	s.cast(s.strike, boss, 1, 500)
	require.EqualValues(t, 40, u.shell)
	require.EqualValues(t, 1000, u.health)
	s.cast(s.strike, boss, 1, 500)
	require.EqualValues(t, 880, u.health)
	require.Contains(t, s.log, "player 1 remove shell")
	require.Contains(t, s.log, "player 1 apply daze")
	require.True(t, u.held)
	require.True(t, s.players[0].dazed)
	s.pass(1500 * time.Millisecond)
	require.False(t, u.held)
	require.False(t, s.players[0].dazed)
}

func TestDeath(t *testing.T) {
	s := newScene(t)
	u := s.unit(1)
	s.cast(s.venom, boss, 1, 100)
	s.cast(s.strike, boss, 1, 10_000)
	require.Contains(t, s.log, "player 1 remove death_ward")
	require.Contains(t, s.log, "player 1 remove venom")
	require.NotContains(t, s.log, "player 1 apply ghost")
	require.EqualValues(t, u.most/2, u.health)

	s.cast(s.strike, boss, 1, 10_000)
	require.Contains(t, s.log, "player 1 apply ghost")
	require.True(t, s.players[0].dead)
	s.cast(s.mend, 2, 1, 100)
	require.Zero(t, u.health, "nobody mends the dead")
	s.pass(8 * time.Second)
	require.False(t, s.players[0].dead)
	require.EqualValues(t, u.most/2, u.health)

	s.cast(s.strike, 1, boss, 100_000)
	require.Contains(t, s.log, "boss 1 apply fallen")
	require.True(t, s.raids[0].fell)
}

func TestDrainMendsTheSource(t *testing.T) {
	s := newScene(t)
	s.cast(s.strike, boss, 1, 1000)
	before, whole := s.unit(1).health, s.unit(boss).health
	s.cast(s.leech, 1, boss, 100)
	s.pass(1500 * time.Millisecond)
	s.pass(50 * time.Millisecond)
	require.EqualValues(t, 12, whole-s.unit(boss).health)
	require.EqualValues(t, 7, s.unit(1).health-before, "mend is 60 at full strength; 12 in a hundred of that")
}

func TestChainJumps(t *testing.T) {
	s := newScene(t)
	s.cast(s.strike, boss, 1, 1000)
	s.cast(s.strike, boss, 2, 1000)
	one, two := s.unit(1).health, s.unit(2).health
	s.cast(s.chain, 1, 1, 100)
	s.pass(50 * time.Millisecond)
	s.pass(50 * time.Millisecond)
	require.EqualValues(t, 120+30, s.unit(1).health-one, "at 100 and, back again, at 25")
	require.EqualValues(t, 60, s.unit(2).health-two, "at 50; 12 would be too weak to go on")
}

func TestBomb(t *testing.T) {
	s := newScene(t)
	s.cast(s.bomb, boss, 1, 100)
	s.cast(s.cleanse, 2, 1, 100)
	require.Contains(t, s.log, "player 1 remove bomb")
	s.pass(5 * time.Second)
	require.NotContains(t, s.log, "player 1 exec explosion")
	s.cast(s.bomb, boss, 1, 100)
	s.pass(5 * time.Second)
	require.Contains(t, s.log, "player 1 exec explosion")
	require.Contains(t, s.log, "player 1 pulse burn")
	require.EqualValues(t, 1000-400-16, s.unit(1).health)
}

// The company of whoever bears an aura is all who are here of its raid.
func TestAround(t *testing.T) {
	s := newScene(t)
	totem := s.catalog.Spec("rain_totem")
	s.cast(totem, 1, 1, 100)
	require.Contains(t, s.log, name(1)+" apply soft_rain")
	require.Contains(t, s.log, name(2)+" apply soft_rain")
	s.players[1].dead = true
	s.pass(time.Second)
	s.pass(time.Second)
	require.Contains(t, s.log, name(2)+" remove soft_rain")
	var found []buff.OwnerID
	s.around(boss, func(id buff.OwnerID) { found = append(found, id) })
	require.Equal(t, []buff.OwnerID{1}, found)
}
