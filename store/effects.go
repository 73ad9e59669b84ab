package store

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sync"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
)

// Effect is something that the game gives out to the world outside for an event, and that must not be
// given out twice: gold that is paid, a kill that is counted.
type Effect struct {
	// ID is that of the event. A receiver that has had an Effect of that ID before drops this one.
	ID buff.EventID

	// Data is what Options.Effect has said of it. It must not be changed.
	Data []byte
}

// MostEffects is how many Effects may wait in a zone to be given out, and MostEffectBytes how much Data all of
// them may have.
const (
	MostEffects     = 1 << 16
	MostEffectBytes = 4 << 20
)

// effects are those that wait: noted at the end of a frame, in the cut of that frame or a later one, and from the
// commit of it on handed out, until the game says that they have been given.
type effects struct {
	list  []waiting // the loop's
	out   int       // so many have been handed out since the zone was opened
	bytes int
	seen  int // how many events of calls of the loop have been looked at before their frame

	mu    sync.Mutex
	given map[buff.EventID]struct{}
}

type waiting struct {
	Effect
	frame uint64 // as in Stats.Frame; 0: it came with the cut
}

// Effects returns the Effects that have come to be on disk since the last call, the oldest first; those of before a
// crash come again in the first one, if nobody had said Given. So each comes once in this run, and at least
// once in all, with the same ID, and the Effect of no event that was lost with a crash comes at all:
//
//	for _, x := range zone.Effects() {
//		go func() {
//			if bank.Pay(x.ID, x.Data) == nil { // which pays once for an ID
//				zone.Given(x.ID)
//			}
//		}()
//	}
//
// Only the loop goroutine may call it. It costs O(1) if there are none.
func (v *Saver) Effects() (list []Effect) {
	x := &v.effects
	if x.out == len(x.list) {
		return nil
	}
	for onDisk := v.Stats().Frame; x.out < len(x.list) && x.list[x.out].frame <= onDisk; x.out++ {
		list = append(list, x.list[x.out].Effect)
	}
	return list
}

// Given says that an Effect has been given out, and need not come again. It is forgotten with the next cut.
//
// Any goroutine may call it.
func (v *Saver) Given(id buff.EventID) {
	x := &v.effects
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.given == nil {
		x.given = map[buff.EventID]struct{}{}
	}
	x.given[id] = struct{}{}
}

// noteFrame notes the Effects of a frame, of a cut with that number or a higher one.
func (v *Saver) noteFrame(f *engine.Frame, frame uint64) {
	if v.opts.Effect == nil {
		return
	}
	k := 0
	for e := range f.Events() {
		if k++; k > v.effects.seen {
			v.noteEffect(&e, frame)
		}
	}
	v.effects.seen = 0
	v.noteUntold(frame)
}

// noteUntold notes those of what calls of the loop have done since the Tick: a cut that begins now has it too.
func (v *Saver) noteUntold(frame uint64) {
	if v.opts.Effect == nil {
		return
	}
	k := 0
	for e := range v.engine.Untold() {
		if k++; k > v.effects.seen {
			v.noteEffect(&e, frame)
		}
	}
	v.effects.seen = k
}

// noteEffect asks the game what is to be given out for an event. What cannot be kept is counted.
func (v *Saver) noteEffect(e *buff.Event, frame uint64) {
	if e.Seq == 0 {
		return
	}
	x := &v.effects
	defer func() {
		if p := recover(); p != nil {
			v.refused(fmt.Errorf("store: Effect panicked at event %v: %v", e.ID(), p))
		}
	}()
	data, ok := v.opts.Effect(e, nil)
	switch {
	case !ok:
	case len(x.list) >= MostEffects || x.bytes+len(data) > MostEffectBytes:
		v.refused(fmt.Errorf("%w: %d effects of zone %q wait to be given out, %d bytes; that of event %v is lost",
			ErrTooLarge, len(x.list), v.zone, x.bytes, e.ID()))
	default:
		x.list = append(x.list, waiting{Effect{e.ID(), data}, frame})
		x.bytes += len(data)
	}
}

// sweep forgets those that have been given.
func (x *effects) sweep() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.given) == 0 {
		return
	}
	k := 0
	x.list = slices.DeleteFunc(x.list, func(w waiting) bool {
		_, given := x.given[w.ID]
		if given {
			x.bytes -= len(w.Data)
			if k < x.out {
				x.out--
				k--
			}
		}
		k++
		return given
	})
	clear(x.given)
}

// append appends those that wait to the state of a head, behind its version.
func (x *effects) append(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(x.list)))
	for k := range x.list {
		w := &x.list[k]
		dst = binary.AppendUvarint(binary.AppendUvarint(dst, uint64(w.ID.Owner)), w.ID.Seq)
		dst = append(binary.AppendUvarint(dst, uint64(len(w.Data))), w.Data...)
	}
	return dst
}

// take reads what append has written, and returns what follows it.
func (x *effects) take(b []byte) (rest []byte, err error) {
	number := func() uint64 {
		n, size := binary.Uvarint(b)
		if size <= 0 {
			err = damaged("the state", "an effect is cut off")
			return 0
		}
		b = b[size:]
		return n
	}
	for n := number(); n > 0 && err == nil; n-- {
		id := buff.EventID{Owner: buff.OwnerID(number()), Seq: number()}
		length := number()
		if length > uint64(len(b)) {
			err = damaged("the state", "an effect is cut off")
		}
		if err != nil {
			break
		}
		x.list = append(x.list, waiting{Effect: Effect{id, slices.Clone(b[:length])}})
		x.bytes, b = x.bytes+int(length), b[length:]
	}
	return b, err
}
