package viewers

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/replicate"
	"github.com/bufftick/bufftick/wheel"
)

// Number of viewers, and number of players that each viewer sees. Every player of the raids is a
// viewer.
const (
	viewers = 4000
	inView  = 40
)

// owner returns the id of the player with the index k.
func owner(k int) buff.OwnerID { return buff.OwnerID(k) + 1 }

// sight returns the players that each viewer sees. A viewer sees its raid or, with Options.Crowd,
// itself and random players.
func (o *Options) sight(viewers int) [][]int {
	dice := rand.New(rand.NewPCG(o.Seed, 40))
	all := make([][]int, viewers)
	for v := range all {
		first := v / inView * inView
		for k := range inView {
			all[v] = append(all[v], first+k)
		}
		if o.Crowd {
			all[v] = []int{v}
			for len(all[v]) < inView {
				if other := dice.IntN(viewers); !slices.Contains(all[v], other) {
					all[v] = append(all[v], other)
				}
			}
		}
	}
	return all
}

// replicated shows buffs to viewers in packets of package replicate. It returns a function that
// must be called after each Tick.
func replicated(e *engine.Engine, sight [][]int, s *sent) (func(*engine.Frame), error) {
	srv := replicate.New(e, replicate.Options{})
	var list []*replicate.Viewer
	for k, sees := range sight {
		v, err := srv.Join(owner(k))
		if err != nil {
			return nil, err
		}
		for _, other := range sees {
			if err := v.SeeParty(owner(other)); err != nil {
				return nil, err
			}
		}
		list = append(list, v)
	}
	var packet []byte
	return func(*engine.Frame) {
		srv.Update()
		for _, v := range list {
			packet = v.Append(packet[:0])
			s.add(len(packet))
		}
	}, nil
}

// shown is a buff in the messages of a hand-written game.
type shown struct {
	Name   string `json:"name"`
	Source uint64 `json:"source"`
	Stacks int    `json:"stacks"`
	Left   int64  `json:"left"` // remaining time in ms
}

// byHand shows buffs to viewers as lists in JSON, like a simple hand-written game. If an owner has
// any event in a frame except pulses, each viewer that sees the owner gets the list of the owner's
// buffs. Each list is encoded once and copied for each viewer.
func byHand(e *engine.Engine, sight [][]int, s *sent) func(*engine.Frame) {
	watchers := make([][]int, viewers)
	for v, sees := range sight {
		for _, k := range sees {
			watchers[k] = append(watchers[k], v)
		}
	}
	out, changed, list := make([][]byte, viewers), make([]bool, viewers), []shown{}
	return func(f *engine.Frame) {
		for x := range f.Events() {
			if x.Kind != buff.Pulsed {
				changed[x.Owner-1] = true
			}
		}
		for k := range changed {
			if !changed[k] {
				continue
			}
			changed[k] = false
			buffs, err := e.Buffs(owner(k))
			if err != nil {
				continue
			}
			list = list[:0]
			for b := range buffs.All() {
				x := shown{Name: b.Spec.ID, Source: uint64(b.Source), Stacks: b.Stacks}
				if b.End != wheel.Never {
					x.Left = int64(b.End - e.Now())
				}
				list = append(list, x)
			}
			text, err := json.Marshal(list)
			if err != nil {
				panic(err) // cannot fail
			}
			for _, v := range watchers[k] {
				out[v] = append(strconv.AppendInt(append(out[v], `{"owner":`...), int64(owner(k)), 10), `,"buffs":`...)
				out[v] = append(append(out[v], text...), '}')
			}
		}
		for v := range out {
			s.add(len(out[v]))
			out[v] = out[v][:0]
		}
	}
}
