package inspect

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/engine/view"
)

// Options configures an [Inspector]. The zero value shows everything that the engine
// knows to this machine, and lets nobody change anything.
//
// A function of the game that panics does not harm the game, nor another client: without a
// Name a player has its id, who searched or reloaded gets the answer 500 with what the panic
// was about, Attributes are a fault on that player's page, and the first line of the page
// names the function. One that ends its goroutine with runtime.Goexit ends the request, is told
// likewise and is not called again; only Attributes, which the loop calls, would end the loop.
type Options struct {
	// Title is what the page is called. If empty, "bufftick".
	Title string

	// Name returns the name of a player, "" if it has none. Any goroutine calls it, also
	// several at once. If nil, players have their ids alone.
	Name func(id buff.OwnerID) string

	// Search returns the players who fit a text, most of them at most. Any goroutine calls
	// it, also several at once. If nil, the names of all players are tried.
	Search func(text string, most int) []buff.OwnerID

	// Attributes returns the attributes of a player, from what Spawn was given, for a game
	// that keeps its own. The loop calls it, in a Tick, while somebody looks at that player,
	// and never while its handlers run. It must be quick, and what it returns must not
	// change. Of more than 256, or more than 50 modifiers of one, the first are shown. If
	// nil, the page shows those of the engine's catalog with what each buff does to them.
	Attributes func(data any) []Attribute

	// Budget is how long a frame of the game may take, for the line in the charts. If zero,
	// that is the engine's Options.Trace.SlowFrame; if that is zero too, there is no line.
	Budget time.Duration

	// StuckAfter is how long a handler must have held a worker, by the clock and not by the game's
	// time, to be called stuck. If zero, 1 s.
	StuckAfter time.Duration

	// Speed is how fast the game's time is meant to pass: 1, which zero stands for, if a second of
	// the game takes a second. The page warns of a game that is slower by a twentieth. Below 0 it
	// may pass as it likes: a game that is played as fast as it goes, or by turns.
	Speed float64

	// Token allows actions to those who know it: at least 16 characters. If empty, there are
	// none.
	Token string

	// Unsafe is for development: whoever knows the Token may give any command, on the page of a player as
	// a line in the text form of commands (see buff.ParseCommand). It excludes Remote.
	Unsafe bool

	// Do carries out what an action asks of the engine: to remove a buff, to pause a player or to
	// let its time go on. A game that keeps books of its own, or a log of who did what, learns of
	// it here. It runs on a goroutine of the HTTP server, also several times at once. If nil, the
	// engine's Inbox takes the command.
	Do func(buff.Command) error

	// Reload loads the definitions anew and puts them into force, for the action of that
	// name. It runs on a goroutine of the HTTP server, never twice at once. What it returns
	// is shown as if it had been given to Reloaded. If nil, there is no such action.
	Reload func() (report any, err error)

	// Alarm returns what else is wrong with the game, as a sentence for the first line of the
	// page, such as store.Stats.Problem; "" if nothing is. Any goroutine calls it, some ten
	// times a second while somebody looks on.
	Alarm func() string

	// Hosts are names under which the page may be asked for, beside localhost and IP
	// addresses, without a port.
	Hosts []string

	// Remote allows clients on other machines. It needs a Token, which they must know to see
	// anything.
	Remote bool
}

// Attribute is a number of a player and what has made it so.
type Attribute struct {
	Name        string
	Base, Value float64
	Modifiers   []Modifier // in the order in which they are applied
}

// Modifier is one thing that has changed an [Attribute].
type Modifier struct {
	From string // a buff, an item
	Text string // what it does: "+10 %"
}

// minToken is the least length of a token.
const minToken = 16

// An Inspector shows one engine. It is an [http.Handler]; make one with [Handler] or
// [New]. It has a goroutine only while somebody looks on.
type Inspector struct {
	opts    Options
	eng     *engine.Engine
	watch   view.Watch
	hub     hub
	cross   http.CrossOriginProtection
	hosts   map[string]bool
	reloads reloads
	course  course
	log     incidents
	acting  chan struct{} // has room for one reload
	looking chan struct{} // has room for the searches of those without the token
	follows follows

	searchFor time.Duration

	naming, searching, doing, loading, alarming foreign
}

// Handler returns what shows an engine to this machine, and lets nobody change anything.
// It is to be mounted on any path, with or without a slash at its end.
func Handler(eng *engine.Engine) *Inspector {
	in, err := New(eng, Options{})
	if err != nil {
		panic("inspect: the zero Options: " + err.Error())
	}
	return in
}

// New returns an Inspector. It fails if the token is too short or missing where Remote
// needs one, and panics without an engine.
func New(eng *engine.Engine, o Options) (*Inspector, error) {
	if eng == nil {
		panic("inspect: New without an engine")
	}
	if o.Token != "" && len(o.Token) < minToken {
		return nil, fmt.Errorf("inspect: Options.Token must have at least %d characters", minToken)
	}
	if o.Remote && o.Token == "" {
		return nil, errors.New("inspect: Options.Remote needs a Token")
	}
	if o.Unsafe && (o.Remote || o.Token == "") {
		return nil, errors.New("inspect: Options.Unsafe needs a Token, and clients on this machine alone")
	}
	if o.Title == "" {
		o.Title = "bufftick"
	}
	in := &Inspector{
		opts: o, eng: eng, watch: eng.Watch(),
		hosts: map[string]bool{"localhost": true}, acting: make(chan struct{}, 1), looking: make(chan struct{}, maxSearches), searchFor: searchFor,
	}
	for _, h := range o.Hosts {
		in.hosts[strings.ToLower(h)] = true
	}
	in.naming.what, in.searching.what, in.doing.what = "Options.Name", "Options.Search", "Options.Do"
	in.loading.what, in.alarming.what = "Options.Reload", "Options.Alarm"
	in.hub.init(in)
	return in, nil
}

// Frame says how long a frame of the game took, all that belongs to it, right after the
// Tick in it. Without it the page shows how long Ticks take.
//
// Only the loop goroutine may call it. While nobody looks it costs a comparison.
func (in *Inspector) Frame(took time.Duration) { in.watch.Frame(took) }

// Reloaded tells the page how a reload of the definitions went: what came of it, in the
// words of its report (as fmt.Sprint writes it; nil for none), or why it failed. The last
// 20 are shown.
//
// Any goroutine may call it.
func (in *Inspector) Reloaded(report any, err error) { in.reloads.add(time.Now(), report, err) }

// name returns the name of a player as it may be shown.
func (in *Inspector) name(id buff.OwnerID) string { return line(in.ownName(id)) }

// ownName returns the name that the game has for a player, "" if it has none, or fails.
func (in *Inspector) ownName(id buff.OwnerID) (name string) {
	if in.opts.Name != nil {
		_ = in.naming.call(func() { name = in.opts.Name(id) }) // it is on the page
	}
	return name
}
