package store

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sync"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
)

// Effect is an action on the outside world that was caused by an event and must not happen twice,
// such as paying out gold or counting a kill.
type Effect struct {
	// ID is the id of the event. A receiver must ignore an Effect with an ID that it has seen
	// before.
	ID buff.EventID

	// Data is the result of Options.Effect. It must not be changed.
	Data []byte
}

// MostEffects is the maximum number of pending Effects in a zone, and MostEffectBytes the
// maximum total length of their Data.
const (
	MostEffects     = 1 << 16
	MostEffectBytes = 4 << 20
)

// effects holds the pending effects. An effect is recorded at the end of a frame, saved in the cut
// of that frame or of a later frame, returned by Effects after the commit, and dropped when the
// game calls Given.
type effects struct {
	list     []waiting // used by the loop only
	returned int       // number of effects returned since the zone was opened
	bytes    int
	early    int // number of events of the next frame that noteUnreported has already processed

	mu    sync.Mutex
	given map[buff.EventID]struct{}
}

type waiting struct {
	Effect
	frame uint64 // the effect is on disk when this frame is on disk; 0 if restored from a cut
}

// Effects returns the Effects that have reached the disk since the last call, oldest first. After
// a restart, the first call also returns the restored Effects for which Given was not called. So
// each Effect is returned at most once in a run of the program and at least once in total, always
// with the same ID. Effects of events that were lost in a crash are never returned.
//
//	for _, x := range zone.Effects() {
//		go func() {
//			if bank.Pay(x.ID, x.Data) == nil { // pays once for each ID
//				zone.Given(x.ID)
//			}
//		}()
//	}
//
// Only the loop goroutine may call it. It costs O(1) if there are no Effects.
func (v *Saver) Effects() (list []Effect) {
	x := &v.effects
	if x.returned == len(x.list) {
		return nil
	}
	for onDisk := v.Stats().Frame; x.returned < len(x.list) && x.list[x.returned].frame <= onDisk; x.returned++ {
		list = append(list, x.list[x.returned].Effect)
	}
	return list
}

// Given records that an Effect is complete and need not be returned again. The next cut
// removes it.
//
// It is safe for concurrent use.
func (v *Saver) Given(id buff.EventID) {
	x := &v.effects
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.given == nil {
		x.given = map[buff.EventID]struct{}{}
	}
	x.given[id] = struct{}{}
}

// noteFrame records the effects of the events of f. They are saved in the first cut whose frame
// number is not below the given number.
func (v *Saver) noteFrame(f *engine.Frame, frame uint64) {
	if v.opts.Effect == nil {
		return
	}
	k := 0
	for e := range f.Events() {
		if k++; k > v.effects.early {
			v.noteEffect(&e, frame)
		}
	}
	v.effects.early = 0
	v.noteUnreported(frame)
}

// noteUnreported records the effects of events that loop calls have produced since the last Tick, so
// that a cut that starts now includes them.
func (v *Saver) noteUnreported(frame uint64) {
	if v.opts.Effect == nil {
		return
	}
	k := 0
	for e := range v.engine.Unreported() {
		if k++; k > v.effects.early {
			v.noteEffect(&e, frame)
		}
	}
	v.effects.early = k
}

// noteEffect calls Options.Effect for an event. Effects that exceed the limits are counted as
// refused.
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
		v.refused(fmt.Errorf("%w: %d effects of zone %q are pending, %d bytes; the effect of event %v is lost",
			ErrTooLarge, len(x.list), v.zone, x.bytes, e.ID()))
	default:
		x.list = append(x.list, waiting{Effect{e.ID(), data}, frame})
		x.bytes += len(data)
	}
}

// sweep removes the effects that are complete.
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
			if k < x.returned {
				x.returned--
				k--
			}
		}
		k++
		return given
	})
	clear(x.given)
}

// append appends the pending effects to dst, which already holds the version of a Head.State.
func (x *effects) append(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(x.list)))
	for k := range x.list {
		w := &x.list[k]
		dst = binary.AppendUvarint(binary.AppendUvarint(dst, uint64(w.ID.Owner)), w.ID.Seq)
		dst = append(binary.AppendUvarint(dst, uint64(len(w.Data))), w.Data...)
	}
	return dst
}

// decode decodes the effects that x.append has written, and returns the remaining bytes.
func (x *effects) decode(b []byte) (rest []byte, err error) {
	number := func() uint64 {
		n, size := binary.Uvarint(b)
		if size <= 0 {
			err = damaged("the state", "truncated effect")
			return 0
		}
		b = b[size:]
		return n
	}
	for n := number(); n > 0 && err == nil; n-- {
		id := buff.EventID{Owner: buff.OwnerID(number()), Seq: number()}
		length := number()
		if length > uint64(len(b)) {
			err = damaged("the state", "truncated effect")
		}
		if err != nil {
			break
		}
		x.list = append(x.list, waiting{Effect: Effect{id, slices.Clone(b[:length])}})
		x.bytes, b = x.bytes+int(length), b[length:]
	}
	return b, err
}
