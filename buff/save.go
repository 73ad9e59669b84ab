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

// Moment is one instant on each of the clocks of a [define.Clock].
type Moment struct {
	// Now is the world time of the engine that has the Set.
	Now wheel.Time

	// Wall is calendar time, in ms since a fixed instant. The instant must be the same for Save
	// and Restore.
	Wall int64

	// Uptime is the time the server has run so far, in ms. If it starts from zero in each process,
	// a Restore in another process may count no time as away.
	Uptime int64
}

// ErrRoom means that restoring a blob would at once make more events or handler calls than
// [Turn].MostEvents and [Turn].MostCalls allow. The error text has the numbers.
var ErrRoom = errors.New("buff: too much at once")

// ErrBlob is matched by every error about a blob that is damaged or is not a blob. The error text
// has the fault and its position.
var ErrBlob = errors.New("buff: bad blob")

// Save appends a blob with the state of the owner to dst and returns it. It also returns the
// number of timeouts with a function and of deferred handlers, which a blob cannot contain. The
// Set does not change. The catalog must be that of the Set's Turns, and zone is the current zone
// of the owner.
//
// The blob has the bases that differ from the catalog, and the numbers and captured attributes of
// each buff; modifiers are derived from these. It does not have buffs applied by auras, buffs
// excluded by their Saving.Mode, links whose heads are all excluded, and the pause and rate of the
// zone: the caller of [Set.Restore] gets the zone from [BlobZone] and passes its time. After a
// Restore at the same Moment everything else continues unchanged.
//
// As for [Set.Do], everything due up to at.Now must have been run. Save costs O(buffs), and
// allocates only to extend dst.
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
	if s.gates() != nil && s.gates().unknownSaved != nil {
		aside = s.gates().unknownSaved
	}
	w := saver{set: s, catalog: c, aside: aside, now: now, dst: b.appendOwner(appendBlobHead(dst, blobFormat))}
	w.tags()
	w.diminishing()
	lost = w.timeouts()
	w.bases()
	w.buffs()
	return seal(w.dst, start), lost + s.deferredCalls()
}

// saver is the state of one Save. Each method appends a part of the blob.
type saver struct {
	set     *Set
	catalog *Catalog
	aside   *saved // parts of an earlier blob that the catalog did not know
	now     wheel.Time
	dst     []byte

	headless []uint64 // ages of heads that are not saved, and of links that only such heads have
}

var nothing saved

// offset returns the ms from now until at.
func offset(at, now wheel.Time) int64 { return int64(at.Add(-int64(now))) }

// save returns the inner time reached at an outer instant, and the time scale from then on, with
// only the given cause.
func (p *timeScale) save(outer wheel.Time, cause define.Whose) (wheel.Time, savedScale) {
	ms, rest := p.elapsed(outer)
	c, g := p.causeOf(cause), int64(gcd(uint64(p.den), uint64(rest)))
	return p.inner.Add(ms), savedScale{Rest: rest / g, Parts: p.den / g, Held: c.held, Num: c.rate.Num, Den: c.rate.Den}
}

// tags appends the tags of AddTag and of Immunize.
func (w *saver) tags() {
	var given, immune tagSet
	if g := w.set.gates(); g != nil {
		given, immune = g.commandTags, g.immune
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

// diminishing appends the counts of diminishing returns.
func (w *saver) diminishing() {
	var returns []drRecord
	if g := w.set.gates(); g != nil {
		returns = g.drRecords
	}
	w.dst = appendReturns(wire.AppendUint(w.dst, uint64(len(returns)+len(w.aside.Returns))), w.aside.Returns)
	for k := range returns {
		d := &returns[k]
		r := savedReturn{Group: w.catalog.drs.list[d.group-1], Source: d.source, N: int64(d.n), Left: bounded(offset(d.until, w.now))}
		w.dst = r.append(w.dst)
	}
}

// timeouts appends the timeouts with a handler, and counts those with a function.
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

// bases appends the bases of attributes that differ from the catalog.
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

// baseChanged reports whether a base differs from the schema, bit for bit.
func baseChanged(own *sheet.Sheet, a stat.Attr) bool {
	return math.Float64bits(own.Base(a)) != math.Float64bits(own.Schema().At(a).Base)
}
