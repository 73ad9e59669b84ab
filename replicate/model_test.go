package replicate

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/internal/long"
	"github.com/bufftick/bufftick/replicate/client"
	"github.com/bufftick/bufftick/wheel"
	"github.com/stretchr/testify/require"
)

// world is an engine, its server, and clients on connections that lose, delay and duplicate
// packets.
type world struct {
	dice    *rand.Rand
	eng     *engine.Engine
	catalog *buff.Catalog
	specs   []string
	handles []buff.Handle
	srv     *Server
	health  stat.Attr
	seats   []*seat
	late    bool // the engine was changed after the Update

	stuck *stuck // nil if no owner is ever busy
	busy  int    // number of frames in which the changes of a busy owner were delayed
}

// seat is a viewer, its client, and the connection between them.
type seat struct {
	viewer  *Viewer
	client  *client.Client
	sees    map[buff.OwnerID]bool // owners in view; true if in the party
	down    [][]byte              // packets in flight to the client
	up      [][]byte
	slow    bool
	checked int
}

const crowd = 8 // maximum number of owners

func definitions(dice *rand.Rand) []buff.Spec {
	sync := func() define.Client {
		return define.Client{Sync: define.Sync(dice.IntN(5)), Priority: dice.IntN(9) - 4, Icon: "icon"}
	}
	specs := []buff.Spec{
		{ID: "dot", Duration: 3 * time.Second, Period: 500 * time.Millisecond, Stack: define.Stacking{By: define.BySource, Limit: 3}},
		{ID: "hot", Duration: 4 * time.Second, Stack: define.Stacking{By: define.ByTarget, Refresh: define.RefreshExtend, Limit: 5}},
		{ID: "each", Duration: 2 * time.Second, Stack: define.Stacking{By: define.ByTarget, Timers: define.TimersEach, Limit: 4}},
		{ID: "queue", Duration: 2 * time.Second, Stack: define.Stacking{By: define.ByTarget, Timers: define.TimersQueue, Limit: 4}},
		{ID: "shield", Duration: 5 * time.Second, Shield: define.Shield{On: true, Pool: 30}, Stack: define.Stacking{By: define.ByTarget}},
		{ID: "charged", Duration: 9 * time.Second, Charges: define.Charges{N: 4}, OnDeath: define.FatePause},
		{ID: "mark", Kind: define.Infinite, OnDeath: define.FateKeep, Modifiers: []define.Modifier{{Attr: "speed", Op: stat.MulAdd, Value: define.Const(0.04)}}},
		{ID: "adopted", Kind: define.Infinite, OnSourceGone: define.FateAdopt, Stack: define.Stacking{By: define.BySource}},
		{ID: "rage", Duration: 6 * time.Second, Stack: define.Stacking{By: define.ByTarget, Limit: 6, Expire: define.ExpireOne, Level: define.LevelSum}, Modifiers: []define.Modifier{{Attr: "max_health", Op: stat.Add, Value: define.Const(15), PerStack: true}}},
		{ID: "low", Kind: define.Infinite, Group: define.Group{Name: "g", Rule: define.GroupHide}, Modifiers: []define.Modifier{{Attr: "speed", Op: stat.Add, Value: define.Const(-1)}}},
		{ID: "torch", Duration: 3 * time.Second, Aura: define.Aura{Apply: "light", Radius: 2, Interval: 500 * time.Millisecond, Linger: 700 * time.Millisecond}},
		{ID: "lamp", Kind: define.Infinite, Stack: define.Stacking{By: define.ByTarget}, Aura: define.Aura{Apply: "light", Radius: 4, Interval: 700 * time.Millisecond}},
		{ID: "light", Kind: define.Infinite},
	}
	for k := range specs {
		specs[k].Client, specs[k].Reload = sync(), define.ReloadRule(dice.IntN(3))
	}
	return specs
}

func attributes() []define.Attribute {
	return []define.Attribute{
		{Attribute: stat.Attribute{Name: "health", Base: 100, Min: stat.At(0), Max: stat.By("max_health")}},
		{Attribute: stat.Attribute{Name: "max_health", Base: 100, Min: stat.At(1)}},
		{Attribute: stat.Attribute{Name: "speed", Base: 5}},
	}
}

// near reports the owners in range of an aura. The result depends only on the time and the
// owners.
func near(q engine.AuraQuery, found func(buff.OwnerID)) {
	for id := range buff.OwnerID(crowd) {
		if (uint64(id)+uint64(q.Bearer)*3+uint64(q.Due/1000))%crowd < uint64(q.Buff.Spec.Aura.Radius) {
			found(1 + id)
		}
	}
}

// newWorld returns a world that is closed when the test ends.
func newWorld(tb testing.TB, seed uint64, o Options) *world {
	w := openWorld(tb, seed, o)
	tb.Cleanup(func() { require.NoError(tb, w.eng.Close(tb.Context())) })
	return w
}

func openWorld(tb testing.TB, seed uint64, o Options) *world {
	w := &world{dice: rand.New(rand.NewPCG(seed, 7))}
	specs := definitions(w.dice)
	for _, s := range specs {
		w.specs = append(w.specs, s.ID)
	}
	var err error
	w.catalog, err = buff.Build(buff.Definitions{Specs: specs, Attributes: attributes()})
	require.NoError(tb, err)
	w.eng, err = engine.New(engine.Options{Catalog: w.catalog, Synchronous: true, Members: near})
	require.NoError(tb, err)
	w.health = w.catalog.MustAttr("health")
	w.srv = New(w.eng, o)
	return w
}

func (w *world) one(n int) bool { return w.dice.IntN(n) == 0 }

func (w *world) owner() buff.OwnerID { return buff.OwnerID(1 + w.dice.IntN(crowd)) }

// act makes one random change in the engine.
func (w *world) act(tb testing.TB) {
	e, id := w.eng, w.owner()
	var h buff.Handle
	if len(w.handles) > 0 {
		h = w.handles[w.dice.IntN(len(w.handles))]
	}
	rate := buff.Ratio{Num: 1 + uint32(w.dice.IntN(3)), Den: 1 + uint32(w.dice.IntN(3))}
	area := uint32(w.dice.IntN(3))
	list := []func() buff.Command{
		func() buff.Command { return buff.Extend(h, time.Duration(w.dice.IntN(3000)-800)*time.Millisecond) },
		func() buff.Command { return buff.RemoveStacks(h, 1, reason.Dispelled) },
		func() buff.Command { return buff.PauseBuff(h) },
		func() buff.Command { return buff.ResumeBuff(h) },
		func() buff.Command { return buff.SetBuffRate(h, rate) },
		func() buff.Command { return buff.Pause(id) },
		func() buff.Command { return buff.Resume(id) },
		func() buff.Command { return buff.SetRate(id, rate) },
		func() buff.Command { return buff.PauseArea(area) },
		func() buff.Command { return buff.ResumeArea(area) },
		func() buff.Command { return buff.SetAreaRate(area, rate) },
		func() buff.Command { return buff.SetArea(id, area) },
		func() buff.Command { return buff.ConsumeCharges(h, 1) },
		func() buff.Command { return buff.Absorb(id, int64(w.dice.IntN(20)), 0) },
		func() buff.Command { return buff.Inhibit(h) },
		func() buff.Command { return buff.Release(h) },
		func() buff.Command { return buff.Kill(id) },
		func() buff.Command { return buff.Revive(id) },
		func() buff.Command { return buff.LoseSource(w.owner()) },
		func() buff.Command { return buff.Steal(id, w.owner(), buff.Query{}, 0) },
		func() buff.Command { return buff.Dispel(id, buff.Query{Most: 1}) },
		func() buff.Command { return buff.SetRemaining(h, time.Second) },
		func() buff.Command { return buff.AddBase(id, w.health, float64(w.dice.IntN(60)-40)/4) },
		func() buff.Command { return buff.AddBase(id, w.health, float64(w.dice.IntN(60)-20)) },
		func() buff.Command { return buff.SetBase(id, w.health+1, float64(50+w.dice.IntN(90))) },
	}
	switch n := w.dice.IntN(40); {
	case n < 20:
		spec := e.Catalog().Spec(w.specs[w.dice.IntN(len(w.specs))])
		if spec == nil {
			return
		}
		got := e.AddBuff(id, buff.Application{Spec: spec, Source: w.owner(), Magnitude: w.dice.Int64N(400) - 99, Level: w.dice.IntN(4), Stacks: w.dice.IntN(3)}).Handle
		if got != 0 {
			w.handles = append(w.handles, got)
		}
	case n < 37:
		e.Do(list[w.dice.IntN(len(list))]())
	case n < 39:
		if err := e.Spawn(id, nil); err != nil {
			require.NoError(tb, e.Drop(id))
		}
	case w.one(3):
		c, err := e.Catalog().Next(definitions(w.dice)...)
		require.NoError(tb, err)
		_, err = e.Reload(c)
		require.NoError(tb, err)
	}
}

// sight changes a viewer's view or reconnects its client.
func (w *world) sight(tb testing.TB, s *seat) {
	id := w.owner()
	switch {
	case w.one(60):
		s.viewer.Leave()
		require.NoError(tb, w.sit(s, s.viewer.Owner()))
	case w.one(40): // the client reconnects as the same viewer, and messages in flight are lost
		s.client.Reset()
		s.down, s.up = nil, [][]byte{s.client.Missed()}
	case w.one(2):
		party := w.one(2)
		if err := s.viewer.see(id, party); err == nil {
			s.sees[id] = party
		}
	case w.one(3):
		s.viewer.Unsee(id)
		delete(s.sees, id)
	}
}

func (w *world) sit(s *seat, id buff.OwnerID) error {
	v, err := w.srv.Join(id)
	*s = seat{viewer: v, client: client.New(client.Options{}), sees: map[buff.OwnerID]bool{}, slow: s.slow}
	return err
}

// line delivers messages in flight. If lossy is true, some are lost, delayed or duplicated.
func (w *world) line(tb testing.TB, s *seat, lossy bool) {
	for k := 0; k < len(s.down); k++ {
		switch {
		case lossy && w.one(12): // lost
		case lossy && w.one(12) && k+1 < len(s.down):
			s.down[k], s.down[k+1] = s.down[k+1], s.down[k]
			k--
		default:
			err := s.client.Receive(s.down[k])
			if errors.Is(err, client.ErrGap) {
				s.up = append(s.up, s.client.Missed())
				err = nil
			}
			require.NoError(tb, err)
			if lossy && w.one(20) {
				k-- // deliver it twice
				lossy = false
			}
		}
	}
	s.down = s.down[:0]
	for _, m := range s.up {
		if !lossy || !w.one(8) {
			require.NoError(tb, s.viewer.Receive(m))
		}
	}
	s.up = s.up[:0]
}

// frame runs one frame of the game and of all connections.
func (w *world) frame(tb testing.TB, lossy bool) string {
	w.hold(lossy)
	if lossy {
		for range w.dice.IntN(6) {
			w.act(tb)
		}
		w.eng.Tick(time.Duration(w.dice.IntN(300)) * time.Millisecond)
	} else {
		w.eng.Tick(0)
	}
	w.srv.Update()
	if w.late = lossy && w.one(4); w.late {
		w.act(tb) // viewers get this change in the next frame
	}
	for _, s := range w.seats {
		for id := range s.sees {
			if number, ok := w.srv.ids[id]; !ok || !s.has(number) {
				delete(s.sees, id) // the owner was removed, and may have been added again
			}
		}
		for lossy && w.one(2) {
			w.sight(tb, s)
		}
		if !s.slow || w.one(5) || !lossy {
			next := s.viewer.Append
			if w.one(10) || !lossy {
				next = s.viewer.Beat
			}
			if p := next(nil); len(p) > 0 {
				s.down = append(s.down, p)
			}
		}
		if !lossy || w.one(2) {
			w.line(tb, s, lossy)
		}
		if wrong := w.compare(s); wrong != "" {
			return fmt.Sprintf("viewer of %d: %s", s.viewer.Owner(), wrong)
		}
	}
	return ""
}

// hold makes the handlers of some owners block and releases others. If lossy is false, it
// releases all.
func (w *world) hold(lossy bool) {
	if w.stuck == nil {
		return
	}
	for id := range buff.OwnerID(crowd + 1) {
		if w.isBusy(id) {
			w.busy++
		}
		switch {
		case !lossy || w.one(4):
			w.stuck.hold(id, false)
		case w.one(3):
			w.stuck.hold(id, true)
		}
	}
	synctest.Wait()
}

// has reports whether the viewer sees the owner with that number.
func (s *seat) has(number uint32) bool {
	_, ok := s.viewer.localOf[number]
	return ok
}

// current reports whether the client has received everything and no full state is pending.
func (s *seat) current() bool {
	return s.upToDate() && len(s.viewer.pendingFulls) == 0 && len(s.viewer.pendingSpecs) == 0 && s.viewer.edition == s.viewer.server.edition
}

// upToDate is like current, but allows pending full states.
func (s *seat) upToDate() bool {
	return s.viewer.taken() && len(s.viewer.out) == 0 && !s.viewer.missed && string(s.client.Missed()) == string(lost(s.viewer.number))
}

// taken reports whether the viewer has taken all deliveries of the last Update.
func (v *Viewer) taken() bool {
	d := v.server.due[v.seat]
	return d.from == d.end
}

func lost(n uint64) []byte {
	c := []byte{kindLost}
	for ; n >= 0x80; n >>= 7 {
		c = append(c, byte(n)|0x80)
	}
	return append(c, byte(n))
}

// compare compares a client's state with the buffs in the engine that it may see.
func (w *world) compare(s *seat) string {
	if w.late {
		return ""
	}
	if s.upToDate() {
		for o := range s.client.Owners() {
			if _, ok := s.sees[o.ID()]; !ok {
				return fmt.Sprintf("it sees owner %d", o.ID())
			}
		}
	}
	if !s.current() {
		return ""
	}
	s.checked++
	if s.client.Now() > w.eng.Now() {
		return "its time is ahead of the server"
	}
	n := 0
	for o := range s.client.Owners() {
		n++
		party, ok := s.sees[o.ID()]
		if !ok {
			return fmt.Sprintf("it sees owner %d", o.ID())
		}
		buffs, err := w.eng.Buffs(o.ID())
		if errors.Is(err, engine.ErrBusy) {
			continue // the result is unknown while the owner is busy
		}
		if err != nil {
			return err.Error()
		}
		var want, got []shown
		for b := range buffs.All() {
			if mayKnow(s, o.ID(), party, &b) {
				want = append(want, wanted(&b, w.eng.Now()))
			}
		}
		for _, b := range o.Buffs() {
			got = append(got, known(&b, w.eng.Now()))
			if wrong := w.compareSpec(s.client.Spec(b.Spec)); wrong != "" {
				return fmt.Sprintf("definition %d of owner %d: %s", b.Spec, o.ID(), wrong)
			}
		}
		bySlot := func(a, b shown) int { return a.slot - b.slot }
		slices.SortFunc(want, bySlot)
		slices.SortFunc(got, bySlot)
		if wrong := w.compareValues(s, o, party); wrong != "" {
			return fmt.Sprintf("owner %d: %s", o.ID(), wrong)
		}
		if !slices.Equal(want, got) {
			return fmt.Sprintf("buffs of owner %d: got\n%+v, want\n%+v", o.ID(), got, want)
		}
	}
	if n != len(s.sees) {
		return fmt.Sprintf("it sees %d owners, want %d", n, len(s.sees))
	}
	return ""
}

// attributesSent are the attributes of the server's options, and compareValues the values that a
// viewer gets.
var attributesSent = []Attribute{
	{Name: "health", Sync: define.SyncParty},
	{Name: "health", Of: "max_health"},
	{Name: "max_health", Sync: define.SyncOwner},
	{Name: "speed", Step: 0.25},
}

func (w *world) compareValues(s *seat, o *client.Owner, party bool) string {
	if len(w.srv.opts.Attributes) == 0 {
		return ""
	}
	value := func(a stat.Attr) float64 {
		v, err := w.eng.Attribute(o.ID(), a)
		if err != nil {
			panic(err)
		}
		return v
	}
	health, most := value(w.health), value(w.health+1)
	want := map[string]float64{"health/max_health": math.Ceil(health/most*100-1e-9) * 0.01, "speed": math.Round(value(w.health+2)*4) / 4}
	own := o.ID() == s.viewer.Owner()
	if own || party {
		want["health"] = math.Round(health)
	}
	if own {
		want["max_health"] = math.Round(most)
	}
	got := map[string]float64{}
	for _, x := range o.Attributes() {
		got[x.Name] = x.Value
	}
	if !maps.Equal(got, want) {
		return fmt.Sprintf("got %v, want %v", got, want)
	}
	return ""
}

// compareSpec compares a definition that a client knows with the engine's current catalog.
func (w *world) compareSpec(got *client.Spec) string {
	if got == nil {
		return "it is unknown"
	}
	want := w.eng.Catalog().Spec(got.ID)
	if want == nil {
		return "there is no " + got.ID
	}
	if got.Priority != want.Client.Priority || got.Duration != want.Duration || got.By != want.Stack.By {
		return fmt.Sprintf("got %+v, want %+v", *got, want.Client)
	}
	return ""
}

// mayKnow reports whether a viewer may know a buff, as documented for the field sync.
func mayKnow(s *seat, owner buff.OwnerID, party bool, b *buff.Instance) bool {
	own := owner == s.viewer.Owner()
	switch b.Spec.Client.Sync {
	case define.SyncOwner:
		return own
	case define.SyncParty:
		return own || party
	case define.SyncSource:
		return b.Source == s.viewer.Owner()
	case define.SyncNone:
		return false
	}
	return true
}

// shown is the visible state of a buff.
type shown struct {
	slot, stacks, level, charges, waiting int
	spec                                  uint32
	source                                buff.OwnerID
	magnitude, shield                     int64
	hidden, ends                          bool
	held                                  buff.Held
	rate                                  buff.Ratio
	end                                   wheel.Time
	left                                  int64
}

func wanted(b *buff.Instance, now wheel.Time) shown {
	x := shown{
		slot: b.Handle.Slot(), spec: uint32(b.Spec.Lineage()), source: b.Source, stacks: b.Stacks, magnitude: b.Magnitude, level: b.Level,
		charges: b.Charges, shield: b.Shield, waiting: b.Waiting, hidden: b.Hidden, end: b.End, held: b.Held, rate: b.Rate,
	}
	switch left := b.Left(now); {
	case b.Paused && left < 1<<62:
		x.left, x.ends = left.Milliseconds(), true
	case !b.Paused && b.End != wheel.Never:
		x.ends = true
	}
	return x
}

func known(b *client.Buff, now wheel.Time) shown {
	x := shown{
		slot: b.Slot, spec: b.Spec, source: b.Source, stacks: b.Stacks, magnitude: b.Magnitude, level: b.Level,
		charges: b.Charges, shield: b.Shield, waiting: b.Waiting, hidden: b.Hidden, end: b.End, held: b.Held, rate: b.Rate,
	}
	if x.left, x.ends = b.Left(now); b.Held == 0 {
		x.left = 0 // can be computed from End and Rate
	}
	return x
}

// run runs one random history. It returns the number of comparisons and the first difference.
func (w *world) run(tb testing.TB, frames int) (checked int, wrong string) {
	for range 2 + w.dice.IntN(3) {
		s := &seat{slow: w.one(4)}
		require.NoError(tb, w.sit(s, w.owner()))
		w.seats = append(w.seats, s)
	}
	for k := range frames {
		if wrong := w.frame(tb, true); wrong != "" {
			return 0, fmt.Sprintf("frame %d: %s", k, wrong)
		}
	}
	for range 30 { // without losses and changes, all clients must soon have everything
		if wrong := w.frame(tb, false); wrong != "" {
			return 0, "at the end: " + wrong
		}
	}
	for _, s := range w.seats {
		s.checked++
		if !s.current() {
			return 0, "a client never receives everything that it has missed"
		}
		checked += s.checked
	}
	return checked, ""
}

func optionsOf(seed uint64) Options {
	dice := rand.New(rand.NewPCG(seed, 8))
	o := Options{Pending: 20 << dice.IntN(8), Packet: 30 << dice.IntN(9), Views: 3 + dice.IntN(crowd)}
	if seed%2 == 0 {
		o.Attributes = attributesSent
	}
	return o
}

// TestModel checks that a client that has received everything knows exactly the buffs that
// engine.Buffs returns and that it may see. Packets may be lost, delayed or duplicated, and
// clients reconnect. In the end every client has received everything.
func TestModel(t *testing.T) {
	n, checked := long.Times(40), 0
	for k := range uint64(n) {
		seed := long.Seed() + k
		w := openWorld(t, seed, optionsOf(seed))
		c, wrong := w.run(t, 60)
		require.Empty(t, wrong, "seed %d", seed)
		require.NoError(t, w.eng.Close(t.Context()))
		checked += c
	}
	t.Logf("%d histories, %d comparisons", n, checked)
	require.Greater(t, checked, n*60)
}
