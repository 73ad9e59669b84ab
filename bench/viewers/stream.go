package viewers

import (
	"bufio"
	"encoding/json"
	"io"

	"github.com/bufftick/bufftick/bench/load"
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/wheel"
)

// stream writes the game as lines of JSON, for a server in another language. The first line has the
// players that each viewer sees. The second line has the initial buffs. Each further line has the
// changes in one frame.
type stream struct {
	eng    *engine.Engine
	places []map[int]place // the buffs as last written, by player and slot
	specs  map[*buff.Spec]int
	dirty  []bool
	out    *json.Encoder
}

// place is the data about a buff that a client gets.
type place struct {
	spec, stacks int
	source       buff.OwnerID
	end          wheel.Time
}

// writeStream plays the game for the given number of seconds and writes its stream. Only the given
// number of players are viewers.
func (o *Options) writeStream(w io.Writer, players, seconds int) error {
	fight, err := load.NewFight(o.Seed, o.Warm)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriter(w)
	s := &stream{
		eng: fight.Engine(), places: make([]map[int]place, players), specs: map[*buff.Spec]int{},
		dirty: make([]bool, players), out: json.NewEncoder(buffered),
	}
	sights := o.sight(players)
	for v := range sights {
		s.places[v] = map[int]place{}
		s.dirty[v] = true
		for k := range sights[v] {
			sights[v][k]++ // convert the index of a player to the player's id
		}
	}
	if err := s.out.Encode(sights); err != nil {
		return err
	}
	if err := s.out.Encode(s.changes()); err != nil {
		return err
	}
	for range seconds * framesASecond {
		var failed error
		fight.Frame(func(f *engine.Frame) {
			for x := range f.Events() {
				if x.Kind != buff.Pulsed && int(x.Owner) <= players {
					s.dirty[x.Owner-1] = true
				}
			}
			failed = s.out.Encode(s.changes())
		})
		if failed != nil {
			return failed
		}
	}
	if err := buffered.Flush(); err != nil {
		return err
	}
	return fight.End()
}

// changes returns the changed buffs of all players that are marked in the field "dirty".
func (s *stream) changes() [][]int64 {
	out := [][]int64{}
	for k := range s.dirty {
		if !s.dirty[k] {
			continue
		}
		s.dirty[k] = false
		buffs, err := s.eng.Buffs(owner(k))
		if err != nil {
			continue
		}
		there := map[int]bool{}
		for b := range buffs.All() {
			p := place{s.number(b.Spec), b.Stacks, b.Source, max(b.End, 0)}
			if b.End == wheel.Never {
				p.end = 0
			}
			at := b.Handle.Slot()
			if there[at] = true; s.places[k][at] != p {
				s.places[k][at] = p
				out = append(out, []int64{int64(k) + 1, int64(at), int64(p.spec), int64(p.source), int64(p.stacks), int64(p.end)})
			}
		}
		for at := range s.places[k] {
			if !there[at] {
				delete(s.places[k], at)
				out = append(out, []int64{int64(k) + 1, int64(at)})
			}
		}
	}
	return out
}

func (s *stream) number(spec *buff.Spec) int {
	n, ok := s.specs[spec]
	if !ok {
		n = len(s.specs) + 1
		s.specs[spec] = n
	}
	return n
}
