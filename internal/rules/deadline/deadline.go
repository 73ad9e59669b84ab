// Package deadline has the deadlines of the buffs and timeouts of owners, and the order of the
// events that are due.
//
// Each buff and each timeout has at most one deadline on the timing wheel of the caller, which is
// not after its next event. A [List] collects new deadlines for the wheel. An [Agenda] lists, for
// one owner, the deadlines that must be computed again and the due events.
package deadline

import "github.com/bufftick/bufftick/wheel"

// Deadline is an instant at which an owner needs a Run, for one of its buffs or timeouts.
type Deadline struct {
	Due   wheel.Time
	Place Place
}

// Ref identifies a buff or a timeout of one owner by its slot.
type Ref uint16

const timeoutRef Ref = 1 << 15

// BuffRef returns the reference of a buff.
func BuffRef(slot uint16) Ref { return Ref(slot) }

// TimeoutRef returns the reference of a timeout.
func TimeoutRef(slot uint16) Ref { return Ref(slot) | timeoutRef }

// Slot returns the slot of the buff or timeout.
func (r Ref) Slot() uint16 { return uint16(r &^ timeoutRef) }

// IsTimeout reports whether it is the reference of a timeout.
func (r Ref) IsTimeout() bool { return r&timeoutRef != 0 }

// Place identifies a buff or a timeout among many owners. It has 33 bits: the number of the owner,
// one bit that is set for a timeout, and the slot.
type Place uint64

const (
	placeNumberShift = 13
	placeTimeout     = 1 << 12
)

// NoPlace means no place. It differs from every place.
const NoPlace Place = 1<<64 - 1

// PlaceOf returns the place of a buff or timeout of the owner with the given number.
func PlaceOf(number uint32, r Ref) Place {
	p := Place(number)<<placeNumberShift | Place(r.Slot())
	if r.IsTimeout() {
		p |= placeTimeout
	}
	return p
}

// Number returns the number of the owner.
func (p Place) Number() uint32 { return uint32(p >> placeNumberShift) }

// Slot returns the slot of the buff or timeout.
func (p Place) Slot() uint16 { return uint16(p) & (placeTimeout - 1) }

// IsTimeout reports whether it is the place of a timeout.
func (p Place) IsTimeout() bool { return p&placeTimeout != 0 }

// List collects the instants at which owners need a Run.
type List struct {
	// Deadlines has the deadlines for the timing wheel of the caller. New ones are appended. A
	// Deadline need not be removed from the wheel: a Run without due events does no harm.
	Deadlines []Deadline

	// Waiting is the number of appended Deadlines for which an owner still waits. If several Lists
	// serve the same owners, only the sum of Waiting over these Lists is meaningful.
	Waiting int

	spare *buffers // nil while lent to an Agenda, and before the first use
}

// File makes sure that the buff or timeout at a place has a deadline at or before the instant `due`.
// The parameter "filed" is the present deadline, or Never. If the present deadline is earlier, it
// remains: at that instant a Run finds no due event and calls File again. So most refreshes
// and pauses do not touch the wheel. A deadline farther away than [wheel.Horizon] is set in steps of
// at most that length. The instant `now` must not be after the time of the wheel.
func (l *List) File(filed *wheel.Time, p Place, due, now wheel.Time) {
	if due >= *filed {
		return
	}
	if due = min(due, now.Add(wheel.Horizon)); due >= *filed {
		return
	}
	if *filed == wheel.Never {
		l.Waiting++
	}
	*filed = due
	l.Deadlines = append(l.Deadlines, Deadline{due, p})
}

// Withdraw removes a deadline, like Unfile, and also from Deadlines if no other was added after it.
func (l *List) Withdraw(filed *wheel.Time, p Place) {
	if n := len(l.Deadlines); n > 0 && l.Deadlines[n-1] == (Deadline{*filed, p}) {
		l.Deadlines = l.Deadlines[:n-1]
	}
	l.Unfile(filed)
}

// Unfile removes the deadline of a buff or timeout, if there is one.
func (l *List) Unfile(filed *wheel.Time) {
	if *filed != wheel.Never {
		*filed = wheel.Never
		l.Waiting--
	}
}
