package buff

import (
	"errors"
	"math"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/internal/sheet"
	"github.com/bufftick/bufftick/internal/wire"
	"github.com/bufftick/bufftick/wheel"
)

// Moment is an instant on each of the clocks that a [define.Clock] names.
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
// what it knows of its source; modifiers follow from these. Not kept are buffs that an aura gave or whose Saving.Mode says
// so, links that only such buffs have brought, and what the owner's zone does to
// its time: whoever restores the owner asks [BlobZone] for the zone and tells [Set.Restore] that. All else goes on after a [Set.Restore] at the same Moment as if nothing had
// been.
//
// The zone is the one that the owner is in.
//
// Save wants what a [Set.Do] wants: everything due up to at.Now has been run. It costs
// O(buffs) and allocates only what dst lacks.
func (s *Set) Save(dst []byte, c *Catalog, at Moment, zone uint32) (blob []byte, lost int) {
	start := len(dst)
	b := saved{Format: blobFormat, Wall: at.Wall, Uptime: at.Uptime, Zone: zone, Ages: s.ages, Events: s.events}
	var own savedScale
	now := at.Now
	if p := s.timeScale(); p != nil {
		now, own = p.save(at.Now, define.OfOwner)
		b.Scale = &own
	}
	b.Time = int64(now)
	if s.gates() != nil {
		b.Rolls, b.Dead = s.gates().rolls, s.gates().dead
	}
	aside := &nothing
	if s.gates() != nil && s.gates().aside != nil {
		aside = s.gates().aside
	}
	w := saver{set: s, catalog: c, aside: aside, now: now, dst: b.appendOwner(appendBlobHead(dst, blobFormat))}
	w.tags()
	w.diminishing()
	lost = w.timeouts()
	w.bases()
	w.buffs()
	return seal(w.dst, start), lost + s.deferredCalls()
}

// saver is one Save: each of its methods writes a part of the blob.
type saver struct {
	set     *Set
	catalog *Catalog
	aside   *saved // what the catalog did not know when the owner came back
	now     wheel.Time
	dst     []byte

	headless []uint64 // the ages of heads that are not kept, and of links that only such heads have
}

var nothing saved

// offset returns how far an instant is from the moment of saving.
func offset(at, now wheel.Time) int64 { return int64(at.Add(-int64(now))) }

// save returns the inner time that has been reached at an outer instant, and the time scale from
// there on, without its causes but one.
func (p *timeScale) save(outer wheel.Time, cause define.Whose) (wheel.Time, savedScale) {
	ms, rest := p.elapsed(outer)
	c, g := p.causeOf(cause), int64(gcd(uint64(p.den), uint64(rest)))
	return p.inner.Add(ms), savedScale{Rest: rest / g, Parts: p.den / g, Held: c.held, Num: c.rate.Num, Den: c.rate.Den}
}

// tags writes which tags the owner was given, and to which it was made immune.
func (w *saver) tags() {
	var given, immune tagSet
	if g := w.set.gates(); g != nil {
		given, immune = g.given, g.immune
	}
	for _, l := range [...]struct {
		set   tagSet
		aside []savedTag
	}{{given, w.aside.Tags}, {immune, w.aside.Immune}} {
		w.dst = appendTags(wire.AppendUint(w.dst, uint64(len(l.set)+len(l.aside))), l.aside)
		for _, t := range l.set {
			w.dst = wire.AppendInt(wire.AppendText(w.dst, w.catalog.TagName(t.tag)), int64(t.n))
		}
	}
}

// diminishing writes what is remembered of diminishing returns.
func (w *saver) diminishing() {
	var returns []diminished
	if g := w.set.gates(); g != nil {
		returns = g.returns
	}
	w.dst = appendReturns(wire.AppendUint(w.dst, uint64(len(returns)+len(w.aside.Returns))), w.aside.Returns)
	for k := range returns {
		d := &returns[k]
		r := savedReturn{Group: w.catalog.drs.list[d.group-1], Source: d.source, N: int64(d.n), Left: bounded(offset(d.until, w.now))}
		w.dst = r.append(w.dst)
	}
}

// timeouts writes the timeouts by name and counts the others.
func (w *saver) timeouts() (lost int) {
	all := w.set.timeouts().all()
	for k := range all {
		if x := &all[k]; x.live && x.do != nil {
			lost++
		}
	}
	w.dst = wire.AppendUint(w.dst, uint64(w.set.Timeouts()-lost+len(w.aside.Timeouts)))
	w.dst = appendTimeouts(w.dst, w.aside.Timeouts)
	for k := range all {
		x := &all[k]
		if !x.live || x.do != nil {
			continue
		}
		t := savedTimeout{Name: x.name, Handler: x.name, Age: x.age, Left: bounded(offset(x.at, w.now))}
		if name := w.catalog.HandlerName(x.handler); name != "" {
			t.Handler = name
		}
		w.dst = t.append(w.dst)
	}
	return lost
}

// bases writes the bases of attributes that are not what the catalog says.
func (w *saver) bases() {
	var schema *stat.Schema
	n, own := len(w.aside.Bases), w.set.sheet()
	if own != nil {
		schema = own.Schema()
		for a := range schema.All() {
			if baseChanged(own, a) {
				n++
			}
		}
	}
	w.dst = wire.AppendUint(w.dst, uint64(n))
	if schema != nil {
		for a := range schema.All() {
			if baseChanged(own, a) {
				w.dst = appendValue(w.dst, "", schema.At(a).Name, own.Base(a))
			}
		}
	}
	w.dst = appendValues(w.dst, w.aside.Bases)
}

// baseChanged reports whether a base is another one than that of the schema, bit for bit.
func baseChanged(own *sheet.Sheet, a stat.Attr) bool {
	return math.Float64bits(own.Base(a)) != math.Float64bits(own.Schema().At(a).Base)
}
