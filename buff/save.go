package buff

import (
	"errors"
	"math"

	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/internal/wire"
	"github.com/bufftick/bufftick/wheel"
)

// Moment is an instant on each of the clocks that a [Clock] names.
type Moment struct {
	// Now is the world's time of the engine that holds the Set.
	Now wheel.Time

	// Wall is the time of the calendar, in ms since any fixed instant: the same one for
	// the Save and the Restore.
	Wall int64

	// Uptime is how many ms the server has run so far. If it starts from zero with each
	// process, a Restore in another process may see no time away.
	Uptime int64
}

// ErrRoom: a blob would make more events, or call more handlers, at once than
// [Turn].MostEvents and [Turn].MostCalls allow. The error says how many.
var ErrRoom = errors.New("buff: too much at once")

// ErrBlob is matched by every error of a blob that is damaged or is none. The error
// names what is wrong, and where.
var ErrBlob = errors.New("buff: bad blob")

// Save appends to dst a blob with all of the owner that is kept, and returns it, and how
// many timeouts by function and handlers put off are not in it: those go with the Set.
// The Set does not change. The catalog is that of the Turns the Set is worked with.
//
// Of attributes it keeps the bases that are not those of the catalog, of a buff its numbers and
// what it knows of its source; modifiers follow from these. Not kept are what an aura gave, what Saving.Mode says, and what the owner's zone does to
// its time. All else goes on after a [Set.Restore] at the same Moment as if nothing had
// been.
//
// Save wants what a [Set.Do] wants: everything due up to at.Now has been run. It costs
// O(buffs) and allocates only what dst lacks.
func (s *Set) Save(dst []byte, c *Catalog, at Moment) (blob []byte, lost int) {
	start := len(dst)
	b := saved{Format: blobFormat, Wall: at.Wall, Uptime: at.Uptime, Ages: s.ages, Events: s.events}
	var own savedScale
	now := at.Now
	if s.own != nil {
		now, own = s.own.save(at.Now, OfOwner)
		b.Scale = &own
	}
	b.Time = int64(now)
	if s.gates != nil {
		b.Rolls, b.Dead = s.gates.rolls, s.gates.dead
	}
	aside := &nothing
	if s.gates != nil && s.gates.aside != nil {
		aside = s.gates.aside
	}
	dst = b.appendOwner(appendBlobHead(dst, blobFormat))
	dst = s.saveTags(dst, c, aside)
	dst = s.saveReturns(dst, c, aside, now)
	dst, lost = s.saveTimeouts(dst, c, aside, now)
	dst = s.saveBases(dst, aside)
	dst = s.saveBuffs(dst, aside, now)
	return seal(dst, start), lost + int(s.pending)
}

var nothing saved

// offset returns how far an instant is from the moment of saving.
func offset(at, now wheel.Time) int64 { return int64(at.Add(-int64(now))) }

// save returns the inner time that has been reached at an outer instant, and the time scale from
// there on, without its causes but one.
func (p *timeScale) save(outer wheel.Time, cause Whose) (wheel.Time, savedScale) {
	ms, rest := p.passed(outer)
	c, g := p.by(cause), int64(gcd(uint64(p.den), uint64(rest)))
	return p.inner.Add(ms), savedScale{Rest: rest / g, Parts: p.den / g, Held: c.held, Num: c.rate.Num, Den: c.rate.Den}
}

// saveTags writes which tags the owner was given, and to which it was made immune.
func (s *Set) saveTags(dst []byte, c *Catalog, aside *saved) []byte {
	var given, immune tagSet
	if s.gates != nil {
		given, immune = s.gates.given, s.gates.immune
	}
	for _, l := range [...]struct {
		set   tagSet
		aside []savedTag
	}{{given, aside.Tags}, {immune, aside.Immune}} {
		dst = appendTags(wire.AppendUint(dst, uint64(len(l.set)+len(l.aside))), l.aside)
		for _, t := range l.set {
			dst = wire.AppendInt(wire.AppendText(dst, c.TagName(t.tag)), int64(t.n))
		}
	}
	return dst
}

// saveReturns writes what is remembered of diminishing returns.
func (s *Set) saveReturns(dst []byte, c *Catalog, aside *saved, now wheel.Time) []byte {
	var returns []diminished
	if s.gates != nil {
		returns = s.gates.returns
	}
	dst = appendReturns(wire.AppendUint(dst, uint64(len(returns)+len(aside.Returns))), aside.Returns)
	for k := range returns {
		d := &returns[k]
		r := savedReturn{Group: c.drs.list[d.group-1], Source: d.source, N: int64(d.n), Left: bounded(offset(d.until, now))}
		dst = r.append(dst)
	}
	return dst
}

// saveTimeouts writes the timeouts by name and counts the others.
func (s *Set) saveTimeouts(dst []byte, c *Catalog, aside *saved, now wheel.Time) (_ []byte, lost int) {
	for k := range s.beside.waits().all() {
		if x := &s.beside.timeouts.list[k]; x.live && x.do != nil {
			lost++
		}
	}
	dst = wire.AppendUint(dst, uint64(s.Timeouts()-lost+len(aside.Timeouts)))
	dst = appendTimeouts(dst, aside.Timeouts)
	for k := range s.beside.waits().all() {
		x := &s.beside.timeouts.list[k]
		if !x.live || x.do != nil {
			continue
		}
		t := savedTimeout{Name: x.name, Handler: x.name, Age: x.age, Left: bounded(offset(x.at, now))}
		if name := c.HandlerName(x.handler); name != "" {
			t.Handler = name
		}
		dst = t.append(dst)
	}
	return dst, lost
}

// saveBases writes the bases of attributes that are not what the catalog says.
func (s *Set) saveBases(dst []byte, aside *saved) []byte {
	var schema *stat.Schema
	n := len(aside.Bases)
	if s.ownSheet() != nil {
		schema = s.ownSheet().Schema()
		for a := range schema.All() {
			if s.rebased(a) {
				n++
			}
		}
	}
	dst = wire.AppendUint(dst, uint64(n))
	if schema != nil {
		for a := range schema.All() {
			if s.rebased(a) {
				dst = appendValue(dst, "", schema.At(a).Name, s.ownSheet().Base(a))
			}
		}
	}
	return appendValues(dst, aside.Bases)
}

// rebased reports whether a base is another one than that of the schema, bit for bit.
func (s *Set) rebased(a stat.Attr) bool {
	return math.Float64bits(s.ownSheet().Base(a)) != math.Float64bits(s.ownSheet().Schema().At(a).Base)
}
