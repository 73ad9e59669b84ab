package rules

import (
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/stretchr/testify/require"
)

func healthDefinitions(specs ...buff.Spec) buff.Definitions {
	return buff.Definitions{Attributes: []define.Attribute{{Attribute: stat.Attribute{Name: "health", Base: 1e6}}}, Specs: specs}
}

// strikesBack returns a reaction to the given act: damage to the other owner.
func strikesBack(act string) map[string][]define.Action {
	return map[string][]define.Action{act: {{Do: define.DoDamage, To: define.ToTarget, Change: &define.Change{Attr: "health", By: define.Const(3)}}}}
}

// TestDamage_ActsUnused checks that damage sends no command to its source if no definition uses the
// acts that report damage.
func TestDamage_ActsUnused(t *testing.T) {
	hit := buff.Spec{ID: "hit", Kind: define.Infinite, On: define.Hooks{Act: strikesBack("hit")}}
	for name, c := range map[string]struct {
		specs []buff.Spec
		want  int
	}{
		"no act":        {[]buff.Spec{{ID: "a", Kind: define.Infinite}}, 0},
		"another act":   {[]buff.Spec{hit}, 0},
		"only damaged":  {[]buff.Spec{hit, {ID: "a", Kind: define.Infinite, Interrupt: []string{define.ActDamaged}}}, 0},
		"interrupted":   {[]buff.Spec{hit, {ID: "a", Kind: define.Infinite, Interrupt: []string{define.ActDealt}}}, 1},
		"consumed":      {[]buff.Spec{{ID: "a", Kind: define.Infinite, Charges: define.Charges{N: 1, ConsumeOn: []string{define.ActDealt}}}}, 1},
		"with reaction": {[]buff.Spec{{ID: "a", Kind: define.Infinite, On: define.Hooks{Act: strikesBack(define.ActDealt)}}}, 1},
	} {
		d := healthDefinitions(c.specs...)
		d.Acts = []string{define.ActDealt, define.ActDamaged, "hit"} // an act that is only declared is not used
		catalog, err := buff.Build(d)
		require.NoError(t, err, name)
		s, turn := NewOwner(1, 1, 0, 9), &Turn{Catalog: catalog}
		require.NoError(t, s.Do(turn, 0, buff.Damage(1, 1, 5, 0).From(2)).Failure)
		require.Len(t, turn.Outbox, c.want, name)
		s.Do(turn, 0, buff.Damage(1, 1, 5, 0).From(1))
		s.Do(turn, 0, buff.Damage(1, 1, 5, 0))
		require.Len(t, turn.Outbox, c.want, name)
	}
}

// TestDamage_AfterReload checks that damage is still reported to buffs of an earlier version, on
// the owner and on others, if the new definitions do not use the acts.
func TestDamage_AfterReload(t *testing.T) {
	old, err := buff.Build(healthDefinitions(
		buff.Spec{ID: "leech", Kind: define.Infinite, On: define.Hooks{Act: strikesBack(define.ActDealt)}},
		buff.Spec{ID: "thorns", Kind: define.Infinite, On: define.Hooks{Act: strikesBack(define.ActDamaged)}},
	))
	require.NoError(t, err)
	next, err := old.Rebuild(healthDefinitions(buff.Spec{ID: "leech", Kind: define.Infinite}))
	require.NoError(t, err)
	s, turn := NewOwner(1, 1, 0, 9), &Turn{Catalog: old}
	s.Do(turn, 0, buff.Apply(1, buff.Application{Spec: old.Spec("thorns")}))
	turn.Catalog, turn.Events = next, nil
	s.Do(turn, 0, buff.Damage(1, 1, 5, 0).From(2))
	require.Equal(t, "0 react thorns damaged amount=5", turn.Events[1].String())
	require.Len(t, turn.Outbox, 2)
	require.Equal(t, "happened dealt owner=2 target=1 amount=5", turn.Outbox[1].Command.Text(next))
}

// TestDamage_LoopAcrossOwners checks that two owners whose buffs answer damage with damage cause no
// endless loop, even if the answering command comes from another machine.
func TestDamage_LoopAcrossOwners(t *testing.T) {
	c, err := buff.Build(healthDefinitions(buff.Spec{ID: "thorns", Kind: define.Infinite, On: define.Hooks{Act: strikesBack(define.ActDamaged)}}))
	require.NoError(t, err)
	turn := &Turn{Catalog: c}
	sets := map[buff.OwnerID]*Owner{}
	for id := buff.OwnerID(1); id <= 2; id++ {
		sets[id] = NewOwner(id, uint32(id), 0, 9)
		sets[id].Do(turn, 0, buff.Apply(id, buff.Application{Spec: c.Spec("thorns"), Source: id}))
	}
	turn.Events = nil
	sets[1].Do(turn, 0, buff.Damage(1, 1, 5, 0).From(2))
	for len(turn.Outbox) > 0 {
		require.Less(t, len(turn.Events), 9)
		cmd := turn.Outbox[0].Command
		turn.Outbox = turn.Outbox[1:]
		b, err := cmd.AppendBinary(nil, c)
		require.NoError(t, err)
		require.NoError(t, cmd.UnmarshalBinary(b, c))
		sets[cmd.Owner].Do(turn, 0, cmd)
	}
	var log []string
	for _, e := range turn.Events {
		log = append(log, e.String())
	}
	require.Equal(t, []string{"0 change health by=-5 value=999995", "0 react thorns damaged amount=5", "0 change thorns health by=-3 value=999997"}, log)
}

// TestDamage_ActsDoNotAllocate checks that neither the acts nor the commands for the source of the
// damage allocate.
func TestDamage_ActsDoNotAllocate(t *testing.T) {
	c, err := buff.Build(healthDefinitions(
		buff.Spec{ID: "thorns", Kind: define.Infinite, On: define.Hooks{Act: strikesBack(define.ActDamaged)}},
		buff.Spec{ID: "leech", Kind: define.Infinite, On: define.Hooks{Act: strikesBack(define.ActDealt)}},
		buff.Spec{ID: "armour", Duration: time.Hour, Charges: define.Charges{N: define.MaxStacks, ConsumeOn: []string{define.ActDamaged}}},
	))
	require.NoError(t, err)
	w := &work{set: NewOwner(1, 1, 0, buff.MaxPerOwner)}
	w.turn.Catalog = c
	for _, id := range []string{"thorns", "leech", "armour"} {
		w.do(buff.Apply(1, buff.Application{Spec: c.Spec(id), Source: 1}))
	}
	round := func() {
		w.do(buff.Damage(1, 1, 1, 0).From(2))
		w.do(buff.Damage(1, 1, 1, 0).From(1))
		w.turn.Outbox = w.turn.Outbox[:0]
	}
	round()
	require.Zero(t, testing.AllocsPerRun(200, round))
}
