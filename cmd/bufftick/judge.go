package main

import (
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/wheel"
)

// judge compares the ends decided by the engine with the recorded ends.
type judge struct {
	lives    map[lifeKey]*life     // the last life of each key
	byHandle map[buff.Handle]*life // lives of the buffs that are active in the engine

	now, before wheel.Time // time of the current line, and of the last line with an earlier time

	match, early int
	lates        []late
	skipped      [len(reasons)]int

	// plain counts, by spell, the early ends that are exactly one duration after the last refresh.
	// If the table says that a refresh carries over the remaining time, such ends suggest that the
	// table is wrong about the spell.
	plain map[spellID]int
}

func newJudge() judge {
	return judge{lives: map[lifeKey]*life{}, byHandle: map[buff.Handle]*life{}, plain: map[spellID]int{}, now: -1, before: -1}
}

// reach records the time of the next line.
func (j *judge) reach(at wheel.Time) {
	if at > j.now {
		j.now, j.before = at, j.now
	}
}

// lifeKey identifies the buff that a line refers to.
type lifeKey struct {
	source, target string
	spell          spellID
}

func lifeOf(rec *traceLine) lifeKey { return lifeKey{rec.source, rec.target, rec.spell} }

// life is one buff from its start to its end, in the engine and in the recording.
type life struct {
	key    lifeKey
	handle buff.Handle
	line   int  // line of the trace in which the life started
	timed  bool // the buff has a duration
	known  bool // the recording determines when the buff should end
	state  verdict
	end    wheel.Time // in the states "ended" and "killed": when the buff ended in the engine
	fresh  wheel.Time // one duration after the last refresh
}

// verdict is the state of a life.
type verdict uint8

const (
	alive    verdict = iota // active in the engine and in the recording
	removing                // ended in the recording, and will end in the engine within the tolerance
	ended                   // ended by a rule of the engine, not by a line of the recording
	killed                  // ended in the engine by the death of its owner
	over                    // ended in the engine and in the recording, and already judged
)

// late is an end that the engine decided too early, so the recorded end is late.
type late struct {
	by    wheel.Time
	end   wheel.Time // when the engine ended the buff
	line  int        // line of the trace in which the life started
	rec   *traceLine // line that shows that the buff was still active
	proof string

	// first is true if the trace has no line between the engine's end and rec. In this case the
	// recorder may have been unable to record the end earlier.
	first bool
}

// Reasons why an end cannot be compared.
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

// skip counts an end that cannot be compared.
func (j *judge) skip(l *life, why int) {
	if l.timed {
		j.skipped[why]++
	}
}

// born starts a life.
func (j *judge) born(rec *traceLine, h buff.Handle, timed, known bool) *life {
	l := &life{key: lifeOf(rec), handle: h, line: rec.line, timed: timed, known: known}
	j.lives[l.key] = l
	j.byHandle[h] = l
	return l
}

// ended records that the engine has removed a buff.
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
	case l.state != alive: // a line of the trace has caused the end, which is judged elsewhere
	case e.Why == reason.Death:
		l.state = killed
	default:
		l.state = ended
	}
}

// cut judges a recorded end of a buff that the engine will end at the given time. It returns true
// if the buff should stay in the engine until then.
func (j *judge) cut(l *life, rec *traceLine, end wheel.Time) (goOn bool) {
	if l.timed && l.known && end-rec.at <= tolerance {
		l.state = removing
		return true
	}
	j.forced(l, rec, end)
	j.drop(l)
	return false
}

// forced judges an end that a line of the trace causes in the engine.
func (j *judge) forced(l *life, rec *traceLine, end wheel.Time) {
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

// removed judges a recorded end of a buff that the engine has already ended.
func (j *judge) removed(l *life, rec *traceLine) {
	by := rec.at - l.end
	switch {
	case l.state == over || !l.timed:
	case l.state == removing: // the trace removes the buff twice
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

// revive judges a life that has ended. It is called when a line of the trace shows that the same
// buff is active again. If the ended buff is still in the engine, "revive" returns the handle of
// the buff, and the caller must remove the buff.
func (j *judge) revive(l *life, rec *traceLine) buff.Handle {
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

func (j *judge) late(l *life, rec *traceLine, proof string) {
	j.lates = append(j.lates, late{
		by: rec.at - l.end, end: l.end, line: l.line, rec: rec, proof: proof, first: j.before <= l.end,
	})
}

func (j *judge) drop(l *life) {
	if j.lives[l.key] == l {
		delete(j.lives, l.key)
	}
}

// close judges the remaining lives at the end of the recording.
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
			// Impossible, because the last Tick went beyond the tolerance.
			panic("bufftick: an end within the tolerance has not come")
		}
	}
}
