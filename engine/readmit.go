package engine

import (
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/wheel"
)

// Readmit is Restore for an owner of a world that was saved as a whole, by [Copies]: one that was in
// it, in that zone, until the world stood at the uptime until, in ms (buff.Moment), and of whom
// nothing had changed since its blob was made but the time. Its online buffs have gone on until
// then; what had come due by then comes in the next Tick. The zone has its time already.
//
// It fails as Restore does, and with [ErrTooManyZones].
//
// Only the loop goroutine may call it. It costs O(buffs of that owner).
func (e *Engine) Readmit(id buff.OwnerID, data any, blob []byte, zone uint32, until int64) (buff.Restoration, error) {
	e.enter("Readmit")
	e.record.begin(opReadmit, uint64(id), uint64(zone), uint64(until))
	e.record.blob(blob)
	if err := e.roomFor("owner", uint64(id)); err != nil {
		return buff.Restoration{}, err
	}
	_, uptime, err := buff.BlobMoment(blob)
	if err != nil {
		return buff.Restoration{}, e.overfull(id, err)
	}
	o, err := e.newOwner(id, data)
	if err != nil {
		return buff.Restoration{}, err
	}
	z, err := e.needZone(zone)
	if err != nil {
		e.free = append(e.free, o.number)
		return buff.Restoration{}, err
	}
	at := e.moment()
	if lived := until - uptime; lived > 0 && lived < int64(wheel.Never)/4 {
		at.Now, at.Wall, at.Uptime = at.Now.Add(-lived), at.Wall-lived, at.Uptime-lived
	}
	return e.restore(o, zone, z, at, blob)
}

// liveOn makes the events of an owner, who is there since an instant that has passed, ones of now.
func (e *Engine) liveOn(o *owner) {
	for k := e.index.read; k < len(e.loop.Events); k++ {
		if x := &e.loop.Events[k]; x.Owner == o.id && x.At < e.now {
			x.At, x.Seen = e.now, e.now
		}
	}
}

// changes returns the commands by which the time of an owner that has been told was follows that
// of its zone.
func (p zoneScale) changes(was zoneScale) (list [2]buff.Command, n int) {
	if was.held != p.held {
		verb := buff.VerbResume
		if p.held {
			verb = buff.VerbPause
		}
		list[n] = buff.Command{Verb: verb, Whose: buff.OfZone}
		n++
	}
	if was.rate != p.rate {
		list[n] = buff.Command{Verb: buff.VerbSetRate, Whose: buff.OfZone, Rate: p.rate}
		n++
	}
	return list, n
}

// noteRestored notes what has come back with an owner: the youngest first, since each is
// older than all that the cross-owner index has.
func (l *crossIndex) noteRestored(events []buff.Event) {
	from := len(l.changes)
	l.noteNew(events)
	back := l.changes[from:]
	slices.SortStableFunc(back, func(a, b change) int { return isBack(b) - isBack(a) })
	n := 0
	for n < len(back) && isBack(back[n]) == 1 {
		n++
	}
	slices.Reverse(back[:n])
}

func isBack(c change) int {
	if c.kind == buff.Restored {
		return 1
	}
	return 0
}

// present returns the owner of that id.
func (e *Engine) present(id buff.OwnerID) (*owner, error) {
	if e.closed {
		return nil, ErrClosed
	}
	if o := e.byID[id]; o != nil {
		return o, nil
	}
	return nil, &ownerError{ErrUnknownOwner, id}
}
