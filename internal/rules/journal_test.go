package rules_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/journal"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/rules"
	"github.com/bufftick/bufftick/wheel"
	"github.com/stretchr/testify/require"
)

// mirror is a copy of the state of an owner that is updated only from the Journal: of a buff that
// has changed, it reads only the aspects that the Journal lists.
type mirror struct {
	journal *journal.Journal
	deaf    journal.Aspect // aspects of buffs that the mirror ignores
	mute    journal.Aspect // aspects of the owner that the mirror ignores
	at      map[int]buff.Instance
	dead    bool
	values  map[stat.Attr]float64
	calls   int // number of times that the Journal reported its first entry
}

func newMirror() *mirror {
	m := &mirror{at: map[int]buff.Instance{}, values: map[stat.Attr]float64{}}
	m.journal = journal.New(func(uint32) { m.calls++ })
	return m
}

// read updates the mirror, and returns the remaining difference from the Owner.
func (m *mirror) read(set *rules.Owner, c *buff.Catalog) string {
	empty := m.journal.Owner() == 0
	for at, what := range m.journal.Slots() {
		empty = false
		is, ok := set.At(at)
		switch what &^= m.deaf; {
		case what == 0:
		case what&journal.Ended != 0 && !ok:
			delete(m.at, at)
		case what&journal.Begun != 0:
			m.at[at] = is
		default:
			m.at[at] = merged(m.at[at], is, what)
		}
	}
	owner := m.journal.Owner() &^ m.mute
	m.journal.Empty()
	if empty != (m.calls == 0) || m.calls > 1 {
		return fmt.Sprintf("called %d times for a Journal of which empty is %v", m.calls, empty)
	}
	m.calls = 0
	if owner&journal.Life != 0 {
		m.dead = set.Dead()
	}
	if owner&journal.Attributes != 0 {
		clear(m.values)
	}
	return m.differs(set, c)
}

func (m *mirror) differs(set *rules.Owner, c *buff.Catalog) string {
	if m.dead != set.Dead() {
		return "it is not known whether the owner is dead"
	}
	for v := range set.Attributes(c) {
		if was, ok := m.values[v.Attr]; ok && was != v.Value {
			return fmt.Sprintf("attribute %d is %v, not %v", v.Attr, v.Value, was)
		}
		m.values[v.Attr] = v.Value
	}
	n := 0
	for is := range set.All() {
		n++
		was := m.at[is.Handle.Slot()]
		was.NextPulse = is.NextPulse
		if was.Spec != nil && was.Spec.Lineage() == is.Spec.Lineage() && was.Spec.Revision() == is.Spec.Revision() {
			was.Spec = is.Spec
		}
		if was != is {
			return fmt.Sprintf("known is %+v, not %+v", was, is)
		}
	}
	if n != len(m.at) {
		return fmt.Sprintf("%d are known, and there are %d", len(m.at), n)
	}
	return ""
}

// merged returns `was` with the changed aspects of `is`.
func merged(was, is buff.Instance, what journal.Aspect) buff.Instance {
	other := is
	if what&journal.Time == 0 {
		other = was
	}
	pick := func(a journal.Aspect, take func(to, from *buff.Instance)) {
		if what&a != 0 {
			take(&other, &is)
		} else {
			take(&other, &was)
		}
	}
	pick(journal.Stacks, func(to, from *buff.Instance) { to.Stacks = from.Stacks })
	pick(journal.Power, func(to, from *buff.Instance) { to.Magnitude, to.Level = from.Magnitude, from.Level })
	pick(journal.Charges, func(to, from *buff.Instance) { to.Charges = from.Charges })
	pick(journal.Shield, func(to, from *buff.Instance) { to.Shield = from.Shield })
	pick(journal.Hidden, func(to, from *buff.Instance) { to.Hidden = from.Hidden })
	pick(journal.Waiting, func(to, from *buff.Instance) { to.Waiting = from.Waiting })
	pick(journal.Source, func(to, from *buff.Instance) { to.Source = from.Source })
	pick(journal.Spec, func(to, from *buff.Instance) { to.Spec = from.Spec })
	other.Handle = was.Handle
	return other
}

// mirrored is a Drive with a mirror.
type mirrored struct {
	*Drive
	mirror *mirror
	wrong  string
}

func (m *mirrored) look() {
	if wrong := m.mirror.read(m.set, m.catalog); m.wrong == "" {
		m.wrong = wrong
	}
	for is := range m.set.All() {
		if is.Paused != (is.Held != 0) || is.Paused && is.End != wheel.Never {
			m.wrong = fmt.Sprintf("paused %v, held %d, end %v", is.Paused, is.Held, is.End)
		}
	}
}

func (m *mirrored) run(until int64) {
	m.Drive.run(until)
	m.look()
}

func (m *mirrored) do(at int64, o Op) string {
	defer m.look()
	return m.Drive.do(at, o)
}

func mirrorScript(s *Script, seed uint64, deaf, mute journal.Aspect) string {
	d := newDrive(s, nil, nil)
	m := &mirrored{Drive: d, mirror: newMirror()}
	m.mirror.deaf, m.mirror.mute = deaf, mute
	d.set.SetJournal(m.mirror.journal)
	replay(s, cut(s, rand.New(rand.NewPCG(seed, 5))), m)
	return m.wrong
}

// TestJournal checks that a mirror that follows the Journal equals the owner after each command and
// each frame.
func TestJournal(t *testing.T) {
	eachScript(t, func(s *Script, seed uint64) string { return mirrorScript(s, seed, 0, 0) })
}

// TestJournal_EveryAspectIsNeeded checks that a mirror that ignores any one aspect soon differs
// from the owner.
func TestJournal_EveryAspectIsNeeded(t *testing.T) {
	type control struct{ deaf, mute journal.Aspect }
	left := map[control]bool{}
	for a := journal.Begun; a <= journal.Source; a <<= 1 { // journal.Spec: TestAdoptAtRandom
		left[control{deaf: a}] = true
	}
	left[control{mute: journal.Life}], left[control{mute: journal.Attributes}] = true, true
	for k := range uint64(5000) {
		if len(left) == 0 {
			return
		}
		s, err := randomScript(seeded(k))
		if err != nil {
			continue
		}
		if m := newModel(s); replay(s, nil, m) != nil && m.over() {
			continue
		}
		for c := range left {
			if mirrorScript(s, k, c.deaf, c.mute) != "" {
				delete(left, c)
			}
		}
	}
	t.Errorf("nobody misses %+v", left)
}

// TestJournal_DoesNotAllocate checks that repeated changes of the same slot do not allocate.
func TestJournal_DoesNotAllocate(t *testing.T) {
	c, err := buff.NewCatalog(buff.Spec{ID: "a", Duration: time.Minute, Stack: define.Stacking{By: define.ByTarget, Limit: 9}})
	require.NoError(t, err)
	set, turn := rules.NewOwner(1, 2, 0, 20), &rules.Turn{Catalog: c}
	j := journal.New(nil)
	set.SetJournal(j)
	apply := func() {
		set.Apply(turn, 0, &buff.Application{Spec: c.Spec("a")})
		turn.Events = turn.Events[:0]
	}
	apply()
	j.Empty()
	n := 0
	require.Zero(t, testing.AllocsPerRun(100, func() {
		apply()
		for _, what := range j.Slots() {
			n += int(what & journal.Stacks)
		}
		j.Empty()
	}))
	require.NotZero(t, n)
	set.SetJournal(nil)
	apply()
	require.Zero(t, j.Owner())
	for at := range j.Slots() {
		t.Errorf("slot %d of a Set that has no Journal any more", at)
	}
}

// TestInstance_PauseCauses checks that an instance lists the causes of its pause, and its remaining
// time by its own clock.
func TestInstance_PauseCauses(t *testing.T) {
	c, err := buff.NewCatalog(buff.Spec{ID: "a", Duration: 10 * time.Second, OnDeath: define.FatePause})
	require.NoError(t, err)
	set, turn := rules.NewOwner(1, 2, 0, 20), &rules.Turn{Catalog: c}
	h, _, _, err := set.Apply(turn, 0, &buff.Application{Spec: c.Spec("a")})
	require.NoError(t, err)
	for _, step := range []struct {
		name  string
		at    wheel.Time
		cmd   buff.Command
		held  buff.Held
		rate  buff.Ratio
		end   wheel.Time
		own   time.Duration
		world time.Duration
	}{
		{"nothing", 1000, buff.SetBuffRate(h, buff.Ratio{Num: 1, Den: 1}), 0, buff.Ratio{}, 10_000, 9 * time.Second, 9 * time.Second},
		{"twice as fast", 2000, buff.SetBuffRate(h, buff.Ratio{Num: 2, Den: 1}), 0, buff.Ratio{Num: 2, Den: 1}, 6000, 8 * time.Second, 4 * time.Second},
		{"of the owner, half", 3000, buff.SetRate(1, buff.Ratio{Num: 1, Den: 4}), 0, buff.Ratio{Num: 1, Den: 2}, 15_000, 6 * time.Second, 12 * time.Second},
		{"pause of the buff", 5000, buff.PauseBuff(h), buff.HeldByBuff, buff.Ratio{Num: 1, Den: 2}, wheel.Never, 5 * time.Second, 5 * time.Second},
		{"and of the owner", 6000, buff.Pause(1), buff.HeldByBuff | buff.HeldByOwner, buff.Ratio{Num: 1, Den: 2}, wheel.Never, 5 * time.Second, 5 * time.Second},
		{"and of the area", 7000, buff.Command{Verb: verb.Pause, Whose: define.OfArea}, buff.HeldByBuff | buff.HeldByOwner | buff.HeldByArea, buff.Ratio{Num: 1, Den: 2}, wheel.Never, 5 * time.Second, 5 * time.Second},
		{"and of death", 8000, buff.Kill(1), buff.HeldByBuff | buff.HeldByOwner | buff.HeldByArea | buff.HeldByDeath, buff.Ratio{Num: 1, Den: 2}, wheel.Never, 5 * time.Second, 5 * time.Second},
		{"the owner goes on", 9000, buff.Resume(1), buff.HeldByBuff | buff.HeldByArea | buff.HeldByDeath, buff.Ratio{Num: 1, Den: 2}, wheel.Never, 5 * time.Second, 5 * time.Second},
		{"and the area", 9000, buff.Command{Verb: verb.Resume, Whose: define.OfArea}, buff.HeldByBuff | buff.HeldByDeath, buff.Ratio{Num: 1, Den: 2}, wheel.Never, 5 * time.Second, 5 * time.Second},
		{"and the buff", 9000, buff.ResumeBuff(h), buff.HeldByDeath, buff.Ratio{Num: 1, Den: 2}, wheel.Never, 5 * time.Second, 5 * time.Second},
		{"and it lives", 10_000, buff.Revive(1), 0, buff.Ratio{Num: 1, Den: 2}, 20_000, 5 * time.Second, 10 * time.Second},
	} {
		turn.Now = step.at
		require.True(t, set.Run(turn, step.at, 100))
		require.NoError(t, set.Do(turn, step.at, step.cmd).Failure)
		i, ok := set.At(h.Slot())
		require.True(t, ok)
		require.Equal(t, h, i.Handle)
		require.Equal(t, step.held, i.Held, step.name)
		require.Equal(t, step.held != 0, i.Paused, step.name)
		require.Equal(t, step.rate, i.Rate, step.name)
		require.Equal(t, step.end, i.End, step.name)
		require.Equal(t, step.own, i.Own(step.at), step.name)
		require.Equal(t, step.world, i.Left(step.at), step.name)
	}
	for _, slot := range []int{-1, 1, buff.MaxPerOwner} {
		_, ok := set.At(slot)
		require.False(t, ok)
	}
}

// TestEvent_EndEqualsInstanceEnd checks that the end in an event equals the end of the instance,
// also while the instance is paused.
func TestEvent_EndEqualsInstanceEnd(t *testing.T) {
	c, err := buff.NewCatalog(buff.Spec{ID: "a", Duration: 10 * time.Second, Stack: define.Stacking{By: define.ByTarget}})
	require.NoError(t, err)
	for _, hold := range []buff.Command{buff.Pause(1), buff.SetRate(1, buff.Ratio{Num: 3, Den: 7})} {
		set, turn := rules.NewOwner(1, 2, 0, 20), &rules.Turn{Catalog: c}
		require.NoError(t, set.Do(turn, 0, hold).Failure)
		for range 2 { // the first application, then a refresh
			h, _, _, err := set.Apply(turn, 100, &buff.Application{Spec: c.Spec("a")})
			require.NoError(t, err)
			i, _ := set.Find(h)
			require.Equal(t, i.End, turn.Events[len(turn.Events)-1].End)
		}
	}
}
