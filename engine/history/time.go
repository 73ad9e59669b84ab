package history

import (
	"iter"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/wheel"
)

// Kinds of records that are not events. They are the two highest values that fit into a record, so
// that they differ from the kinds of events.
const (
	sheetChange buff.EventKind = 30 + iota
	timeChange
)

const _ = uint(sheetChange - buff.Revived - 1) // compile-time check that all kinds of events are lower

// Note records a pause, a resumption or a change of rate of an owner or a buff. Any goroutine may
// call it, even while another goroutine is between Begin and End.
func (r *Recorder) Note(c buff.TimeChange) {
	r.note(&buff.Event{
		Kind: timeChange, Why: reason.Reason(c.Verb-verb.Pause)<<3 | reason.Reason(c.Whose), At: c.At, Seen: c.Seen, End: wheel.Never,
		Owner: c.Owner, Source: c.Owner, Handle: c.Handle, Elapsed: int64(c.Rate.Num), Period: int64(c.Rate.Den), Delta: c.Was, Value: c.Is,
		Offline: int64(c.Old.Num)<<32 | int64(c.Old.Den),
	})
}

// NoteSheet records a change of the inputs of an owner's attributes. Any goroutine may call it,
// even while another goroutine is between Begin and End.
func (r *Recorder) NoteSheet(c buff.SheetChange) {
	e := buff.Event{
		Kind: sheetChange, At: c.At, Seen: c.Seen, End: wheel.Never, Owner: c.Owner, Source: c.Owner, Handle: c.Handle, Spec: c.Spec, Attr: c.Attr,
		Count: int32(c.Place), Delta: c.Was,
	}
	if c.Hidden {
		e.Level = 1
	}
	r.note(&e)
}

// note writes a record that does not count as an event.
func (r *Recorder) note(e *buff.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.put([]buff.Event{*e})
	r.at.events--
}

// TimeChanges returns the pauses, resumptions and rate changes of owners and their buffs, the
// oldest first. It uses only From, To and Owners of the [Query]. As with [Recorder.Events], dropped
// changes are left out, and the cost is the same. Any goroutine may call it.
func (r *Recorder) TimeChanges(q Query) iter.Seq[buff.TimeChange] {
	return func(yield func(buff.TimeChange) bool) {
		for e := range r.records(Query{From: q.From, To: q.To, Owners: q.Owners, Kinds: []buff.EventKind{timeChange}}) {
			c := buff.TimeChange{
				At: e.At, Seen: e.Seen, Owner: e.Owner, Handle: e.Handle, Verb: verb.Pause + verb.Verb(e.Why>>3), Whose: define.Whose(e.Why & 7),
				Rate: buff.Ratio{Num: uint32(e.Elapsed), Den: uint32(e.Period)}, Old: buff.Ratio{Num: uint32(e.Offline >> 32), Den: uint32(e.Offline)}, Was: e.Delta, Is: e.Value,
			}
			if !yield(c) {
				return
			}
		}
	}
}

// SheetChanges returns the changes of the inputs of attributes, the oldest first. Otherwise it is
// like [Recorder.TimeChanges].
func (r *Recorder) SheetChanges(q Query) iter.Seq[buff.SheetChange] {
	return func(yield func(buff.SheetChange) bool) {
		for e := range r.records(Query{From: q.From, To: q.To, Owners: q.Owners, Kinds: []buff.EventKind{sheetChange}}) {
			c := buff.SheetChange{
				At: e.At, Seen: e.Seen, Owner: e.Owner, Handle: e.Handle, Spec: e.Spec, Hidden: e.Level != 0, Place: int(e.Count), Attr: e.Attr, Was: e.Delta,
			}
			if !yield(c) {
				return
			}
		}
	}
}
