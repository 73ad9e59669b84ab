package main

import (
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/wheel"
)

// judge compares the ends that the engine decides with those that were recorded.
type judge struct {
	lives    map[lifeKey]*life     // the last one of each
	byHandle map[buff.Handle]*life // those that the engine runs

	now, before wheel.Time // of this line, and of the last one with another time

	match, early int
	lates        []late
	skipped      [len(reasons)]int

	// plain counts, by spell, the early ends that came one duration after the last
	// refresh, though the table carries over what was left: perhaps the table errs.
	plain map[spellID]int
}

func newJudge() judge {
	return judge{lives: map[lifeKey]*life{}, byHandle: map[buff.Handle]*life{}, plain: map[spellID]int{}, now: -1, before: -1}
}

// reach hears the time of the next line.
func (j *judge) reach(at wheel.Time) {
	if at > j.now {
		j.now, j.before = at, j.now
	}
}

// lifeKey is what makes two lines speak of the same buff.
type lifeKey struct {
	source, target string
	spell          spellID
}

func lifeOf(rec *record) lifeKey { return lifeKey{rec.source, rec.target, rec.spell} }

// life is one buff from its beginning to its end, in the engine and in the
// recording.
type life struct {
	key    lifeKey
	handle buff.Handle
	line   int  // where it began
	timed  bool // it ends by itself
	known  bool // the recording says when it should
	state  state
	end    wheel.Time // of ended and killed: by the engine
	fresh  wheel.Time // one duration after the last refresh
}

// state says where a life stands.
type state uint8

const (
	alive    state = iota // for both
	removing              // over in the recording, about to end in the engine
	ended                 // over in the engine, which decided so by itself
	killed                // over in the engine: its owner died
	over                  // judged: the recording has said by what it ended
)

// late is an end that the engine decided too soon.
type late struct {
	by    wheel.Time
	end   wheel.Time // by the engine
	line  int        // where the life began
	rec   *record    // which shows that it went on
	proof string

	// first is set if the trace has no line between the engine's end and the proof:
	// the recorder could not have noted the end earlier than it did.
	first bool
}

// Why an end cannot be compared.
const (
	unborn = iota
	unknown
	unended
	survived
	renewed
	mourned
	running
)

var reasons = [...]string{
	unborn:   "began before the recording",
	unknown:  "began before the recording or outlived a death, and carries over what was left",
	unended:  "ended by the engine, and the recording has no end",
	survived: "ended by a recorded death, and alive after it in the recording",
	renewed:  "refreshed in the recording within 100 ms of the engine's end",
	mourned:  "ended by a recorded death, and the recording has no end",
	running:  "alive at the end of the recording",
}

func (j *judge) compared() int { return j.match + j.early + len(j.lates) }

// skip notes an end that cannot be compared.
func (j *judge) skip(l *life, why int) {
	if l.timed {
		j.skipped[why]++
	}
}

// born begins a life.
func (j *judge) born(rec *record, h buff.Handle, timed, known bool) *life {
	l := &life{key: lifeOf(rec), handle: h, line: rec.line, timed: timed, known: known}
	j.lives[l.key] = l
	j.byHandle[h] = l
	return l
}

// ended hears that the engine has removed a buff.
func (j *judge) ended(e buff.Event) {
	l := j.byHandle[e.Handle]
	if l == nil {
		return
	}
	delete(j.byHandle, e.Handle)
	l.end = e.At
	switch {
	case l.state == removing:
		j.match++
		j.drop(l)
	case l.state != alive: // the engine was told
	case e.Why == buff.Death:
		l.state = killed
	default:
		l.state = ended
	}
}

// cut judges a recorded end of a buff that the engine would have ended at end. It
// reports whether the engine shall go on and do so.
func (j *judge) cut(l *life, rec *record, end wheel.Time) (goOn bool) {
	if l.timed && l.known && end-rec.at <= tolerance {
		l.state = removing
		return true
	}
	j.told(l, rec, end)
	j.drop(l)
	return false
}

// told judges an end of which the engine is told by a line of the trace.
func (j *judge) told(l *life, rec *record, end wheel.Time) {
	l.state = over
	switch {
	case !l.timed:
	case !l.known:
		j.skip(l, unknown)
	case end-rec.at <= tolerance:
		j.match++
	default:
		j.early++
		if d := rec.at - l.fresh; d >= -tolerance && d <= tolerance {
			j.plain[l.key.spell]++
		}
	}
}

// removed judges a recorded end of a buff that the engine has ended before.
func (j *judge) removed(l *life, rec *record) {
	by := rec.at - l.end
	switch {
	case l.state == over || !l.timed:
	case l.state == removing: // removed twice
		return
	case !l.known:
		j.skip(l, unknown)
	case l.state == killed && by <= tolerance:
		j.early++
	case l.state == killed:
		j.skip(l, survived)
	case by <= tolerance:
		j.match++
	default:
		j.late(l, rec, "removed")
	}
	j.drop(l)
}

// revive judges a life that the engine has ended and that a line of the trace shows
// alive, or a new one in its place. If the engine still runs the old one, revive
// returns its handle: it is to be removed.
func (j *judge) revive(l *life, rec *record) buff.Handle {
	by := rec.at - l.end
	j.drop(l)
	switch {
	case l.state == over || !l.timed:
	case l.state == removing:
		j.match++
		delete(j.byHandle, l.handle)
		return l.handle
	case l.state == killed && rec.event == "apply":
		j.skip(l, mourned)
	case l.state == killed:
		j.skip(l, survived)
	case rec.event == "apply":
		j.skip(l, unended)
	case !l.known:
		j.skip(l, unknown)
	case by <= tolerance:
		j.skip(l, renewed)
	default:
		j.late(l, rec, "alive")
	}
	return 0
}

func (j *judge) late(l *life, rec *record, proof string) {
	j.lates = append(j.lates, late{
		by: rec.at - l.end, end: l.end, line: l.line, rec: rec, proof: proof, first: j.before <= l.end,
	})
}

func (j *judge) drop(l *life) {
	if j.lives[l.key] == l {
		delete(j.lives, l.key)
	}
}

// close judges what is left when the recording is over.
func (j *judge) close() {
	for _, l := range j.lives {
		switch l.state {
		case ended:
			j.skip(l, unended)
		case killed:
			j.skip(l, mourned)
		case alive:
			j.skip(l, running)
		case removing:
			// The last Tick went beyond the tolerance.
			panic("bufftick: an end within the tolerance has not come")
		}
	}
}
