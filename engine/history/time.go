package history

import (
	"iter"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/wheel"
)

// The kinds that records of what is no event have among those of the events: none of theirs, and the last for
// which there is room.
const (
	sheetChange buff.EventKind = 30 + iota
	timeChange
)

const _ = uint(sheetChange - buff.Revived - 1) // an event of that kind would be taken for one

// Note takes in a change of how time passes. Any goroutine may call it, also between Begin and End of
// another.
func (r *Recorder) Note(c buff.TimeChange) {
	r.note(&buff.Event{
		Kind: timeChange, Why: buff.Reason(c.Verb-verb.Pause)<<3 | buff.Reason(c.Whose), At: c.At, Seen: c.Seen, End: wheel.Never,
		Owner: c.Owner, Source: c.Owner, Handle: c.Handle, Elapsed: int64(c.Rate.Num), Period: int64(c.Rate.Den), Delta: c.Was, Value: c.Is,
		Offline: int64(c.Old.Num)<<32 | int64(c.Old.Den),
	})
}

// NoteSheet takes in what the attributes of an owner were worked out from. Any goroutine may call it, also
// between Begin and End of another.
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

// note takes in what is no event.
func (r *Recorder) note(e *buff.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.put([]buff.Event{*e})
	r.at.events--
}

// TimeChanges returns how the time of owners has changed, from the oldest on: of a [Query] it goes by From,
// To and Owners. Since holds for it as well, and its cost is that of [Recorder.Events]. Any goroutine may call it.
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

// SheetChanges returns what the attributes of owners were worked out from, from the oldest on. For it holds what
// holds for [Recorder.TimeChanges].
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
