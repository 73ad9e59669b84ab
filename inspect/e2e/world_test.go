package e2e

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/engine/history"
	"github.com/bufftick/bufftick/inspect"
	"github.com/stretchr/testify/require"
)

// world is a small game in real time, with 20 frames a second and a live page.
type world struct {
	eng   *engine.Engine
	page  *inspect.Inspector
	url   string
	names []string
	gate  chan struct{} // when closed, handlers in a trap return
	dice  *rand.Rand
	// wraps the responses of the page
	wrap  func(http.ResponseWriter, *http.Request) http.ResponseWriter
	specs []*buff.Spec

	server  *httptest.Server
	streams streams
	refuse  atomic.Bool // the server answers 502, like a proxy whose server is down
}

const (
	players = 1200
	frame   = 50 * time.Millisecond
	token   = "0123456789abcdef"
)

// hero is a player with a buff that lasts long enough for a test.
const hero = buff.OwnerID(7)

var (
	first  = []string{"Ragnar", "Sunna", "Thora", "Ivar", "Bela", "Mirko", "Odessa", "Wulf", "Cassia", "Hanno"}
	second = []string{"Flint", "Ashmore", "of the Ford", "Greycloak", "Ironhand", "the Younger", "Marsh", "Oakes"}
)

// attributes are the attributes of a player.
var attributes = []define.Attribute{
	{Attribute: stat.Attribute{Name: "stamina", Base: 200}},
	{Attribute: stat.Attribute{Name: "armour", Base: 40}},
	{Attribute: stat.Attribute{Name: "luck", Base: 3}},
}

func definitions() []buff.Spec {
	more := func(attr string, op stat.Op, by float64) []define.Modifier {
		return []define.Modifier{{Attr: attr, Op: op, Value: define.Const(by)}}
	}
	call := func(name string) []define.Action { return []define.Action{{Do: define.DoCall, Name: name}} }
	return []buff.Spec{
		{ID: "venom", Name: "Venom", Polarity: define.Negative, Tags: []string{"debuff.poison"}, Duration: 12 * time.Second, Period: time.Second, Stack: define.Stacking{By: define.BySource, Limit: 5}, On: define.Hooks{Pulse: call("work")}},
		{ID: "renew", Name: "Renew", Polarity: define.Positive, Tags: []string{"buff.heal"}, Duration: 15 * time.Second, Period: 3 * time.Second, Stack: define.Stacking{By: define.BySource}, On: define.Hooks{Pulse: call("work")}},
		{ID: "burn", Name: "Burn", Polarity: define.Negative, Tags: []string{"debuff.fire"}, Duration: 6 * time.Second, Period: 500 * time.Millisecond, Stack: define.Stacking{By: define.BySource, Limit: 3}, On: define.Hooks{Pulse: call("work")}},
		{ID: "shield_wall", Name: "Shield Wall", Polarity: define.Positive, Duration: 8 * time.Second, Stack: define.Stacking{By: define.ByTarget, Overflow: define.OverflowDeny}, Modifiers: more("armour", stat.Add, 60)},
		{ID: "hearty_stew", Name: "Hearty Stew", Polarity: define.Positive, Tags: []string{"buff.food"}, Duration: time.Hour, Period: time.Minute, Stack: define.Stacking{By: define.ByTarget}, Modifiers: more("stamina", stat.MulAdd, 0.1)},
		{ID: "well_rested", Name: "Well Rested", Polarity: define.Positive, Duration: 6 * time.Hour, Stack: define.Stacking{By: define.ByTarget}, Modifiers: more("stamina", stat.MulAdd, 0.15)},
		{ID: "champion", Name: "Champion", Polarity: define.Positive, Kind: define.Infinite, Stack: define.Stacking{By: define.ByTarget}},
		{ID: "torch", Name: "Torch", Polarity: define.Positive, Duration: 20 * time.Minute, Stack: define.Stacking{By: define.ByTarget}},
		{ID: "charm", Name: "Charm", Polarity: define.Positive, Duration: time.Hour, Stack: define.Stacking{By: define.ByTarget, Limit: 3}, Modifiers: []define.Modifier{
			{Attr: "luck", Op: stat.Add, Value: define.Number{From: define.FromAttr, Attr: "stamina", Of: define.OfSource, Coef: 0.01, Const: 2, Default: true}, PerStack: true},
		}},
		{ID: "trap", Name: "Trap", Polarity: define.Negative, Kind: define.Instant, On: define.Hooks{Exec: call("hang")}},
	}
}

// places returns the file and line of each definition, as if it had been loaded from a file.
func places() (out []string) {
	for i := range definitions() {
		out = append(out, "buffs/world.yaml:"+strconv.Itoa(1+7*i))
	}
	return out
}

// drain is a handler with a bug for one player, for which it waits forever.
func (w *world) drain(c *engine.Context, _ buff.Event) {
	if c.Owner() == hero {
		w.askTheCaster()
	}
}

func (w *world) askTheCaster() { <-w.gate }

// newWorld starts a world. Its loop and its server end with the test.
func newWorld(t *testing.T, o inspect.Options) *world {
	t.Helper()
	w := &world{gate: make(chan struct{}), dice: rand.New(rand.NewPCG(1, 2))}
	cat, err := buff.Build(buff.Definitions{Attributes: attributes, Specs: definitions(), Places: places()})
	require.NoError(t, err)
	w.eng, err = engine.New(engine.Options{
		Catalog: cat, Workers: 4, Budget: 10 * time.Millisecond, Trace: engine.Trace{History: history.DefaultBytes},
		Handlers: engine.Handlers{
			"work":  func(c *engine.Context, _ buff.Event) { *c.Data().(*int)++ },
			"hang":  func(*engine.Context, buff.Event) { <-w.gate },
			"drain": w.drain,
		},
	})
	require.NoError(t, err)
	for s := range cat.All() {
		w.specs = append(w.specs, s)
	}
	for i := range players {
		w.names = append(w.names, first[i%len(first)]+" "+second[i/len(first)%len(second)])
	}
	w.names[hero] = "Sigrun Bold"
	if o.Name == nil {
		o.Name = func(id buff.OwnerID) string {
			if int(id) < len(w.names) {
				return w.names[id]
			}
			return ""
		}
	}
	// Otherwise the first line would report long frames on a busy machine.
	if o.Budget = time.Hour; *shots {
		o.Budget = frame
	}
	o.Speed = cmp.Or(o.Speed, -1) // the game is slow on a busy machine
	w.page, err = inspect.New(w.eng, o)
	require.NoError(t, err)
	w.populate(t)
	w.start(t)
	return w
}

func (w *world) populate(t *testing.T) {
	for id := range buff.OwnerID(players) {
		require.NoError(t, w.eng.Spawn(id, new(int)))
		w.add(id, "well_rested", 0)
		if id%3 == 0 {
			w.add(id, "hearty_stew", 0)
		}
		if id%5 == 0 {
			w.add(id, "torch", 0)
		}
		w.eng.Tick(time.Duration(id%7) * 60 * time.Millisecond)
	}
}

func (w *world) add(id buff.OwnerID, spec string, source buff.OwnerID) buff.Result {
	r := w.eng.AddBuff(id, buff.Application{Spec: w.eng.Catalog().Spec(spec), Source: source, Magnitude: 120})
	return r
}

// start runs the loop, with a fight in each frame, and the server.
func (w *world) start(t *testing.T) { w.run(t, w.fight) }

// startQuiet is like start, without a fight.
func (w *world) startQuiet(t *testing.T) { w.run(t, func() {}) }

func (w *world) run(t *testing.T, play func()) {
	mux := http.NewServeMux()
	mux.Handle("/debug/buffs", http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if w.wrap != nil {
			rw = w.wrap(rw, r)
		}
		if w.refuse.Load() {
			http.Error(rw, "the game is not there", http.StatusBadGateway)
			return
		}
		w.streams.handle(rw, r, w.page)
	}))
	srv := httptest.NewUnstartedServer(nil)
	srv.Config = inspect.NewServer(mux)
	srv.Start()
	w.server, w.url = srv, srv.URL+"/debug/buffs"
	stop := make(chan struct{})
	var loop sync.WaitGroup
	loop.Go(func() {
		tick := time.NewTicker(frame)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
			}
			began := time.Now()
			play()
			w.eng.Tick(frame)
			w.page.Frame(time.Since(began))
		}
	})
	t.Cleanup(func() {
		close(stop)
		loop.Wait()
		srv.CloseClientConnections()
		srv.Close()
		select {
		case <-w.gate:
		default:
			close(w.gate)
		}
		require.NoError(t, w.eng.Close(context.Background()))
	})
}

// fight runs the fight of one frame.
func (w *world) fight() {
	for range 40 {
		to, from := buff.OwnerID(w.dice.IntN(players)), buff.OwnerID(w.dice.IntN(players))
		if w.dice.IntN(3) == 0 {
			to %= 60 // some players are targets more often
		}
		switch n := w.dice.IntN(20); {
		case n < 8:
			w.add(to, "venom", from)
		case n < 13:
			w.add(to, "renew", from)
		case n < 16:
			w.add(to, "burn", from)
		default:
			w.add(to, "shield_wall", from)
		}
	}
}

// trap makes a player stuck in a handler that does not return.
func (w *world) trap(t *testing.T, id buff.OwnerID) {
	t.Helper()
	require.NoError(t, w.eng.Inbox().AddBuff(id, buff.Application{Spec: w.eng.Catalog().Spec("trap")}))
}

// errReload is an example of an error that is caused by a designer's typing error.
var errReload = errors.New(strings.TrimSpace(`
buffs/venom.yaml:6:12: buff "venom": duration: time: unknown unit " apples"
   4 |   - id: venom
   5 |     period: 1s
>  6 |     duration: 12 apples
                     ^
`))
