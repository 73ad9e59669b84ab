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

// Options configures an [Inspector]. The zero value shows everything to clients on this
// machine and allows no actions.
//
// A panic in one of the functions below harms neither the game nor other clients. If Name panics,
// the player is shown by id. If Search or Reload panics, the response has status 500 with the
// panic's text. If Attributes panics, that player's page shows the panic. The first line of the
// page names the function that has failed.
//
// A function that calls runtime.Goexit ends the request. It is reported like a panic, and is not
// called again. Attributes must not call runtime.Goexit, because that would end the loop.
type Options struct {
	// Title is the title of the page. The default is "bufftick".
	Title string

	// Name returns the name of a player, or "". It must be safe for concurrent use. If nil,
	// players are shown by id only.
	Name func(id buff.OwnerID) string

	// Search returns the players that match a text, up to the given number. It must be safe for
	// concurrent use. If nil, the names of all players are searched.
	Search func(text string, most int) []buff.OwnerID

	// Attributes is for games that keep attributes themselves. It returns the attributes of a
	// player; data is the value that was passed to Spawn for the player. The loop calls it in a
	// Tick while a client shows that player, and never while the player's handlers run. It must
	// be fast, and its result must not change afterwards. At most 256 attributes with 50
	// modifiers each are shown. If nil, the page shows the attributes of the engine's catalog
	// with the effect of each buff.
	Attributes func(data any) []Attribute

	// Budget is the time that a frame may take, shown as a line in the charts. The default is the
	// engine's Options.Trace.SlowFrame; if that is zero, no line is shown.
	Budget time.Duration

	// StuckAfter is the wall-clock time after which a running handler is reported as stuck. The
	// default is 1 s.
	StuckAfter time.Duration

	// Speed is the intended speed of game time relative to real time. The default is 1. The page
	// warns if the game is slower by more than 5 %. If negative, any speed is accepted, as for
	// turn-based games or simulations.
	Speed float64

	// Token is a secret of at least 16 characters. Clients that send it may execute actions. If
	// empty, there are no actions.
	Token string

	// Unsafe permits clients with the Token to execute any command. Commands are entered on a
	// player's page in their text form (see buff.ParseCommand). Unsafe is for development, and
	// cannot be combined with Remote.
	Unsafe bool

	// Do executes the command of an action, such as removing a buff, or pausing or resuming a
	// player. Set it if the game keeps its own records or an audit log. It is called on goroutines
	// of the HTTP server, possibly concurrently. If nil, commands are posted to the engine's Inbox.
	Do func(buff.Command) error

	// Reload loads the definitions and applies them to the engine. The page's reload action calls
	// it, on a goroutine of the HTTP server, never concurrently. Its result is shown as if it
	// were passed to Reloaded. If nil, there is no reload action.
	Reload func() (report any, err error)

	// Alarm reports a problem that the engine does not know about, such as store.Stats.Problem. It
	// returns a sentence for the first line of the page, or "" if there is no problem. It must be
	// safe for concurrent use, and is called about ten times a second while a client is connected.
	Alarm func() string

	// Hosts lists host names, without port, under which the page may be requested, in addition to
	// localhost and IP addresses.
	Hosts []string

	// Remote permits clients on other machines. It requires a Token, and then every request for
	// data needs the token.
	Remote bool
}

// Attribute is a numeric value of a player, with its modifiers.
type Attribute struct {
	Name        string
	Base, Value float64
	Modifiers   []Modifier // in order of application
}

// Modifier is a change of an [Attribute].
type Modifier struct {
	From string // name of the buff or item that has the effect
	Text string // description of the effect, such as "+10 %"
}

// minToken is the minimum length of a token.
const minToken = 16

// An Inspector is an [http.Handler] that serves the page of one engine. Create one with [Handler]
// or [New]. It runs a goroutine only while a client is connected.
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
	acting  chan struct{} // semaphore: allows one reload at a time
	looking chan struct{} // semaphore: limits concurrent searches by clients without the token
	follows follows

	searchFor time.Duration

	naming, searching, doing, loading, alarming foreign
}

// Handler returns an Inspector for clients on this machine, without actions. It can be mounted
// on any path, with or without a trailing slash.
func Handler(eng *engine.Engine) *Inspector {
	in, err := New(eng, Options{})
	if err != nil {
		panic("inspect: the zero Options: " + err.Error())
	}
	return in
}

// New returns an Inspector. It returns an error if the token is too short, if Remote or Unsafe is
// set without a token, or if both are set. It panics if eng is nil.
func New(eng *engine.Engine, o Options) (*Inspector, error) {
	if eng == nil {
		panic("inspect: New of a nil engine")
	}
	if o.Token != "" && len(o.Token) < minToken {
		return nil, fmt.Errorf("inspect: Options.Token must have at least %d characters", minToken)
	}
	if o.Remote && o.Token == "" {
		return nil, errors.New("inspect: Options.Remote requires a Token")
	}
	if o.Unsafe && (o.Remote || o.Token == "") {
		return nil, errors.New("inspect: Options.Unsafe requires a Token and excludes Remote")
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
	in.naming.name, in.searching.name, in.doing.name = "Options.Name", "Options.Search", "Options.Do"
	in.loading.name, in.alarming.name = "Options.Reload", "Options.Alarm"
	in.hub.init(in)
	return in, nil
}

// Frame reports the duration of a frame of the game, including the work before and after Tick. Call
// it right after the frame's Tick. Without it the page shows the duration of Ticks.
//
// Only the loop goroutine may call it. It costs one comparison if no client is connected.
func (in *Inspector) Frame(took time.Duration) { in.watch.Frame(took) }

// Reloaded adds a reload of the definitions to the page: a report, formatted with fmt.Sprint
// (nil for none), or an error. The last 20 reloads are shown.
//
// It is safe for concurrent use.
func (in *Inspector) Reloaded(report any, err error) { in.reloads.add(time.Now(), report, err) }

// name returns the name of a player in displayable form.
func (in *Inspector) name(id buff.OwnerID) string { return line(in.ownName(id)) }

// ownName returns the player's name from Options.Name, or "".
func (in *Inspector) ownName(id buff.OwnerID) (name string) {
	if in.opts.Name != nil {
		_ = in.naming.call(func() { name = in.opts.Name(id) }) // an error is shown on the page
	}
	return name
}
