package state

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/internal/wire"
)

// coder visits the fields of an Owner in the order of the blob. To visit a field means to write,
// read or check it, depending on the mode. After an error, reading continues with zeros, so that no
// method has to return an error.
type coder struct {
	mode   mode
	format int
	utf8   bool   // if set, checking requires names in UTF-8
	b      []byte // when writing, the blob so far; when reading, the blob without its checksum
	next   int    // when reading, the offset of the next byte
	mask   uint64 // the optional fields that are present, one bit each
	mem    *Memory

	err  error // when reading, the first error in the form of the blob
	bad  error // the first value that is out of range
	late error // the first error about a field that was introduced after format 5 and that the owner's format does not have; reported if `bad` is nil

	path  [3]step // the list entries that contain the current field, the outermost first
	depth int     // number of entries in path
	name  string  // name of the entry path[0]
	ages  uint64  // Owner.Ages
}

type step struct {
	list string
	k    int
}

type mode uint8

const (
	writing mode = iota
	reading
	checking
)

// The optional fields of an owner, one bit each.
const (
	hasOwnScale = 1 << iota
	isDeadOwner
	hasZone

	ownerBits = 1<<iota - 1
)

// The optional fields of a buff, one bit each.
const (
	hasVersion = 1 << iota
	hasSince
	hasLevel
	hasMagnitude
	hasLeft
	hasDuration
	hasNext
	hasPeriod
	hasWanted
	hasKey
	hasCharges
	hasShield
	hasOwed
	hasHidden
	hasScale
	hasRunning
	hasAsync
	hasWaiting
	hasParams
	isUptime
	isWall
	isDead
	hasLength
	hasNumbers
	hasCaptures
	hasAppliers
	hasWith

	buffBits = 1<<iota - 1
	hasLists = hasAsync | hasWaiting | hasParams | hasNumbers | hasCaptures | hasAppliers | hasWith
)

// owner visits all fields of an owner.
func (c *coder) owner(o *Owner) {
	c.format, c.ages = o.Format, 0
	if c.mode == checking {
		c.limit(int64(o.Format), "format", 1, Format)
	}
	c.header(o)
	c.ages = o.Ages
	for k := range entries(c, &c.mem.tags, &o.Tags, 2*define.MaxTags, 2) {
		c.tag(&o.Tags[k], "tags", k)
	}
	for k := range entries(c, &c.mem.tags, &o.Immune, 2*define.MaxTags, 2) {
		c.tag(&o.Immune[k], "immune", k)
	}
	for k := range entries(c, &c.mem.returns, &o.Returns, 2*MaxPerOwner, 4) {
		c.returns(&o.Returns[k], k)
	}
	for k := range entries(c, &c.mem.timeouts, &o.Timeouts, 2*MaxPerOwner, 4) {
		c.timeout(&o.Timeouts[k], k)
	}
	c.depth = 0
	if c.since(2, len(o.Bases) > 0, "bases: format %d has none") {
		c.values(&o.Bases, c.count(len(o.Bases), 2*stat.MaxAttributes), "bases", true)
	}
	last := uint64(0)
	for k := range entries(c, &c.mem.buffs, &o.Buffs, 2*MaxPerOwner, 5) {
		c.path[0], c.depth = step{"buffs", k}, 1
		b := &o.Buffs[k]
		n := b.lists()
		c.buff(b, &n)
		c.lists(b, &n)
		switch {
		case c.mode == writing:
		case b.Since != nil:
			last = MaxAges // only buffs that are set aside may follow
		case b.Age <= last:
			c.failf("age: %d, and that of the buff before it is not below", b.Age)
		default:
			last = b.Age
		}
	}
	c.depth = 0
}

// header visits the fields of an owner that are not lists.
func (c *coder) header(o *Owner) {
	c.place(o)
	if c.has(hasOwnScale, o.Scale != Scale{}) {
		c.scale(&o.Scale, 0)
		if o.Scale.Ahead != 0 || o.Scale.Inner != 0 {
			c.failf("pace: ahead_ms and inner_ms are of buffs")
		}
	}
	c.uint(&o.Ages)
	if o.Ages > MaxAges {
		c.failf("ages: %d, want at most %d", o.Ages, uint64(MaxAges))
	}
	c.uint(&o.Rolls)
	if c.since(6, o.Events > 0, "events: format %d has none") {
		c.uint(&o.Events)
	}
}

// place visits the fields that say where and when the owner was saved.
func (c *coder) place(o *Owner) {
	c.signed(&o.Wall)
	c.signed(&o.Uptime)
	c.int(&o.Time, "owner_time_ms", -Farthest, Farthest)
	bits := uint64(ownerBits)
	zoned := c.since(7, o.Zone > 0, "zone: format %d has none")
	if !zoned {
		bits &^= hasZone
	}
	if c.mode == writing {
		c.mask = 0
		for bit, has := range [...]bool{o.Scale != Scale{}, o.Dead, zoned && o.Zone > 0} {
			if has {
				c.mask |= 1 << bit
			}
		}
		c.b = wire.AppendUint(c.b, c.mask)
	} else if c.mode == reading {
		c.mask = c.below(bits)
		o.Dead = c.mask&isDeadOwner != 0
	}
	if zoned && c.has(hasZone, o.Zone > 0) {
		if c.uint32(&o.Zone); o.Zone == 0 {
			c.malformed("the zone is marked as present, but is 0")
		}
	}
}

// scale visits a time scale. Ahead must be at least `least`, unless the scale is paused.
func (c *coder) scale(p *Scale, least int64) {
	c.signed(&p.Ahead)
	c.int(&p.Inner, "inner_ms", -Farthest, Farthest)
	c.signed(&p.Rest)
	c.int(&p.Parts, "parts", 1, 1<<31)
	c.bool(&p.Held)
	c.uint32(&p.Num)
	c.uint32(&p.Den)
	if c.mode == writing {
		return
	}
	if p.Held {
		least = -Farthest
	}
	c.limit(p.Ahead, "ahead_ms", least, Farthest)
	c.limit(p.Rest, "rest", 0, p.Parts-1)
	if one := p.Num == 0 && p.Den == 0; !one && (p.Num == 0 || p.Num > MaxRate || p.Den == 0 || p.Den > MaxRate) {
		c.failf("rate: %d/%d, want parts from 1 to %d", p.Num, p.Den, MaxRate)
	}
}

func (c *coder) tag(t *Tag, list string, k int) {
	c.text(&t.Name)
	c.entry(list, k, t.Name, "tag")
	c.int(&t.N, "n", 1, MaxTagCount)
}

func (c *coder) returns(r *Return, k int) {
	c.text(&r.Group)
	c.entry("diminishing", k, r.Group, "group")
	c.uint(&r.Source)
	c.int(&r.N, "n", 1, MaxTagCount)
	c.int(&r.Left, "left_ms", -Farthest, define.MaxDuration.Milliseconds())
}

func (c *coder) timeout(t *Timeout, k int) {
	c.text(&t.Name)
	c.text(&t.Handler)
	c.entry("timeouts", k, t.Handler, "handler")
	c.age(&t.Age)
	c.int(&t.Left, "left_ms", -Farthest, Farthest)
}

// Lists holds the lengths of a buff's lists, in the order of the blob.
type Lists struct{ Async, Waiting, Params, Others, Captures, Appliers, With int }

func (b *Buff) lists() Lists {
	return Lists{len(b.Async), len(b.Waiting), len(b.Params), len(b.Others), len(b.Captures), len(b.Appliers), len(b.With)}
}

// buff visits the fields of a buff and the lengths of its lists. The elements of the lists follow
// later in the blob. A field that has its default value is omitted from the blob; a blob in which
// such a field is present is malformed.
func (c *coder) buff(b *Buff, n *Lists) {
	c.known(&b.ID, &b.Number)
	c.name = b.ID
	c.named("buff", b.ID)
	at := c.openMask(b)
	c.age(&b.Age)
	c.uint(&b.Source)
	c.int(&b.Stacks, "stacks", 1, define.MaxStacks)
	if c.has(hasVersion, b.Version != "") {
		c.text(&b.Version)
		c.full(b, b.Version != "")
	}
	if c.has(hasSince, b.Since != nil) {
		if c.mode == reading {
			b.Since = &take(&c.mem.moments, 1)[0]
		}
		c.signed(&b.Since.Wall)
		c.signed(&b.Since.Uptime)
	}
	c.optional(b, hasLevel, &b.Level, "level", 0, define.MaxLevel)
	c.optional(b, hasMagnitude, &b.Magnitude, "magnitude", math.MinInt64, math.MaxInt64)
	c.maybe(hasLeft, &b.Left, "left_ms", -Farthest, Farthest)
	c.optional(b, hasDuration, &b.Duration, "duration_ms", 0, Farthest)
	c.maybe(hasNext, &b.Next, "next_ms", -Farthest, Farthest)
	if c.mode == reading && c.mask < hasPeriod { // most buffs have none of the following fields
		return
	}
	if c.mode != writing || b.rare() {
		c.rare(b)
	}
	if c.mode != reading && *n == (Lists{}) {
		c.finish(b, n, at)
		return
	}
	for _, l := range [...]struct {
		bit uint64
		n   *int
	}{{hasAsync, &n.Async}, {hasWaiting, &n.Waiting}, {hasParams, &n.Params}, {hasNumbers, &n.Others}, {hasCaptures, &n.Captures}, {hasAppliers, &n.Appliers}, {hasWith, &n.With}} {
		if c.has(l.bit, *l.n > 0) {
			*l.n = c.count(*l.n, math.MaxInt)
			c.full(b, *l.n > 0)
		}
	}
	c.finish(b, n, at)
}

// rare reports whether a buff has any of the fields that coder.rare visits.
func (b *Buff) rare() bool {
	return b.Period|b.Wanted|b.Charges|b.Owed|b.Length|int64(b.Key|b.Running)|int64(b.Hidden) != 0 || b.Shield.Is || b.Scale != Scale{}
}

// rare visits the numbers that few buffs have.
func (c *coder) rare(b *Buff) {
	c.period(b, hasPeriod, &b.Period, "period_ms")
	c.period(b, hasWanted, &b.Wanted, "wanted_ms")
	c.optional(b, hasCharges, &b.Charges, "charges", 0, define.MaxStacks)
	c.maybe(hasShield, &b.Shield, "shield", 0, math.MaxInt64)
	c.optional(b, hasOwed, &b.Owed, "owed_pulses", 0, math.MaxInt32)
	c.period(b, hasLength, &b.Length, "this_period_ms")
	if c.has(hasKey, b.Key != 0) {
		c.uint(&b.Key)
		c.full(b, b.Key != 0)
	}
	if c.has(hasHidden, b.Hidden != 0) {
		bits := uint64(b.Hidden)
		c.upTo(&bits, allCauses)
		b.Hidden = Causes(bits)
		c.full(b, bits != 0)
	}
	if c.has(hasScale, b.Scale != Scale{}) {
		least := int64(0)
		if b.Dead {
			least = -Farthest
		}
		c.scale(&b.Scale, least)
	}
	if c.has(hasRunning, b.Running != 0) {
		c.uint(&b.Running)
		c.full(b, b.Running != 0)
	}
}

// finish completes the fields of a buff, before the entries of its lists: it writes the mask, or
// checks that the fields are consistent.
func (c *coder) finish(b *Buff, n *Lists, at int) {
	if c.mode == writing {
		c.closeMask(at)
	} else {
		c.agree(b, n)
	}
}

// openMask visits the mask of a buff's optional fields, and the fields that are only a bit of the
// mask. When writing, it reserves room for the longest mask and returns its offset; closeMask
// writes the mask later.
func (c *coder) openMask(b *Buff) (at int) {
	switch c.mode {
	case writing:
		at, c.mask = len(c.b), 0
		c.b = append(c.b, 0, 0, 0, 0)
	case reading:
		c.mask = c.below(buffBits)
		c.full(b, c.mask&(isUptime|isWall) != isUptime|isWall)
		switch {
		case c.mask&isWall != 0:
			b.SetClock(define.Wall)
		case c.mask&isUptime != 0:
			b.SetClock(define.Uptime)
		}
		b.Dead = c.mask&isDead != 0
	case checking:
		if b.Clock != "" && !b.On(define.Uptime) && !b.On(define.Wall) {
			c.failf("clock: %q is not %s or %s, and online is left out", b.Clock, clocks[define.Uptime], clocks[define.Wall])
		}
	}
	c.has(isUptime, b.On(define.Uptime))
	c.has(isWall, b.On(define.Wall))
	c.has(isDead, b.Dead)
	return at
}

func (c *coder) closeMask(at int) {
	n := len(wire.AppendUint(c.b[:at], c.mask)) - at
	c.b = append(c.b[:at+n], c.b[at+4:]...)
}

// agree checks that the fields of a buff are consistent.
func (c *coder) agree(b *Buff, n *Lists) {
	if b.Dead && b.Scale == (Scale{}) {
		c.failf("death_pause: without a pace")
	}
	if !b.Next.Is && (b.Period != 0 || b.Wanted != 0 || b.Length != 0) {
		c.failf("next_ms: missing, but there is a period")
	}
	if n.Async > 0 && n.Waiting > 0 {
		c.failf("waiting: the stacks have timers of their own, so that nothing can wait")
	}
	if n.Async+n.Waiting > 0 && !b.Left.Is {
		c.failf("left_ms: missing, but the stacks have ends")
	}
	if most := c.ages - min(b.Age, c.ages); b.Running > most {
		c.failf("running: %d is younger than everything", b.Running)
	}
	if n.Appliers > MaxPerOwner {
		c.failf("appliers: %d, want at most %d", n.Appliers, MaxPerOwner)
	}
	if n.With > MaxPerOwner {
		c.failf("with: %d, want at most %d", n.With, MaxPerOwner)
	}
}

// lists visits the entries of a buff's lists.
func (c *coder) lists(b *Buff, n *Lists) {
	if c.mode == reading && c.mask&hasLists == 0 {
		return
	}
	sum := int64(0)
	for k := range list(c, &c.mem.stacks, &b.Async, n.Async, 7) {
		l := &b.Async[k]
		c.enter("layers", k)
		c.stack(l, 1, b.Age)
		if c.since(7, l.Some(), "params: format %d has none") {
			c.ownNumbers(&l.Numbers)
		}
		c.leave()
		sum = min(sum+l.Stacks, define.MaxStacks+1)
	}
	if len(b.Async) > 0 && sum != b.Stacks {
		c.failf("layers: they have not as many stacks as the buff, which has %d", b.Stacks)
	}
	for k := range list(c, &c.mem.stacks, &b.Waiting, n.Waiting, 7) {
		l := &b.Waiting[k]
		c.enter("waiting", k)
		c.stack(l, 0, b.Age)
		c.leave()
		if c.since(5, l.Some(), "waiting: in format %d they have no numbers") {
			c.enter("waiting", k)
			c.ownNumbers(&l.Numbers)
			c.leave()
		}
	}
	c.since(2, len(b.Others)+len(b.Captures) > 0, "numbers: format %d has none")
	c.since(3, len(b.Appliers) > 0, "appliers: format %d has none")
	c.since(4, len(b.With) > 0, "with: format %d has none")
	c.numbers(&b.Numbers, n.Params, n.Others, n.Captures)
	for k := range list(c, &c.mem.ids, &b.Appliers, n.Appliers, 1) {
		c.uint(&b.Appliers[k])
	}
	for k := range list(c, &c.mem.ids, &b.With, n.With, 1) {
		of := &b.With[k]
		if c.uint(of); *of == 0 || *of > MaxAges || k > 0 && *of <= b.With[k-1] {
			c.failf("with[%d]: %d, want rising ages from 1 to %d", k, *of, uint64(MaxAges))
		}
	}
	if !c.since(7, len(b.Brought) > 0, "brought: format %d has none") {
		return
	}
	if c.mode == checking && len(b.Brought) != n.With {
		c.failf("brought: there are %d, want %d, as many as with has", len(b.Brought), n.With)
	}
	for k := range list(c, &c.mem.numbers, &b.Brought, n.With, 1) {
		n := &b.Brought[k]
		if c.signed(n); *n < 0 || *n > define.MaxStacks {
			c.failf("brought[%d]: %d, want 0 to %d", k, *n, define.MaxStacks)
		}
	}
}

// stack visits an application with its own timer, except its numbers.
func (c *coder) stack(l *Stack, leastStacks int64, of uint64) {
	c.int(&l.Left, "left_ms", -Farthest, Farthest)
	c.int(&l.Last, "counts_for_ms", -Farthest, Farthest)
	if c.since(3, l.Lag != 0, "lag_ms: format %d has none") {
		c.int(&l.Lag, "lag_ms", -1, define.MaxDuration.Milliseconds())
	}
	c.signed(&l.Magnitude)
	c.uint(&l.Source)
	if c.uint(&l.Age); c.mode != writing && l.Age > c.ages-min(of, c.ages) {
		c.failf("age: %d is younger than everything", l.Age)
	}
	c.int(&l.Stacks, "stacks", leastStacks, define.MaxStacks)
	c.int(&l.Level, "level", 0, define.MaxLevel)
	if !c.since(7, l.Charges != 0 || l.Shield.Is, "charges: format %d has none") {
		return
	}
	c.int(&l.Charges, "charges", 0, define.MaxStacks)
	if c.bool(&l.Shield.Is); l.Shield.Is {
		c.int(&l.Shield.N, "shield", 0, math.MaxInt64)
	}
}

// ownNumbers visits the numbers of an application with its own timer.
func (c *coder) ownNumbers(n *Numbers) {
	params, others, captures := c.count(len(n.Params), math.MaxInt), c.count(len(n.Others), math.MaxInt), c.count(len(n.Captures), math.MaxInt)
	c.numbers(n, params, others, captures)
}

func (c *coder) numbers(n *Numbers, params, others, captures int) {
	c.values(&n.Params, params, "params", false) // format 1 allowed any number
	c.values(&n.Others, others, "numbers", true)
	c.values(&n.Captures, captures, "captures", true)
}

func (c *coder) values(to *[]Value, n int, field string, finite bool) {
	for k := range list(c, &c.mem.values, to, n, 9) {
		v := &(*to)[k]
		c.text(&v.Name)
		if c.float(&v.Value); c.mode == writing {
			continue
		}
		if c.depth == 0 {
			c.name = v.Name
		}
		f := float64(v.Value)
		c.enter(field, k)
		c.named("name", v.Name)
		if finite && !(math.Abs(f) <= stat.MaxValue) {
			c.failf("value: %v, want at most %v on either side of zero", f, stat.MaxValue)
		}
		c.leave()
	}
}

// entries visits the length of a list and returns it. The list has at most `most` entries, each of
// which takes at least `size` bytes.
func entries[E any](c *coder, from, to *[]E, most, size int) int {
	return list(c, from, to, c.count(len(*to), most), size)
}

// list returns the number of entries to visit. When reading, it takes memory for the entries, or
// returns 0 if the blob is too short for n entries.
func list[E any](c *coder, from, to *[]E, n, size int) int {
	if c.mode != reading {
		return len(*to)
	}
	if left := len(c.b) - c.next; n > left/size {
		c.malformed("a list of %d entries, but only %d bytes are left", n, left)
		n = 0
	}
	if *to = nil; n > 0 {
		*to = take(from, n)
	}
	return n
}

// has reports whether an optional field is present. When reading, this is a bit of the mask.
// Otherwise the result is `there`, and if it is true, the method sets the bit in the mask.
func (c *coder) has(bit uint64, there bool) bool {
	switch {
	case c.mode == reading:
		return c.mask&bit != 0
	case there:
		c.mask |= bit
	}
	return there
}

// since reports whether the blob's format has a field that was introduced in the given format. If
// the format does not have the field, `there` must be false.
func (c *coder) since(format int, there bool, text string) bool {
	if c.format >= format {
		return true
	}
	if c.mode != checking || !there {
		return false
	}
	bad := c.bad
	if c.failf(text, c.format); format > 5 && bad == nil {
		if c.late == nil {
			c.late = c.bad
		}
		c.bad = nil
	}
	return false
}

// count visits the length of a list.
func (c *coder) count(n, most int) int {
	bits := uint64(n)
	if c.upTo(&bits, uint64(most)); c.mode == reading && bits > uint64(len(c.b)-c.next) {
		c.malformed("length %d is too large: only %d bytes are left", bits, len(c.b)-c.next)
		return 0
	}
	return int(bits)
}

func (c *coder) uint(n *uint64) {
	switch c.mode {
	case writing:
		c.b = wire.AppendUint(c.b, *n)
	case reading:
		*n = c.readUint()
	}
}

func (c *coder) upTo(n *uint64, most uint64) {
	switch c.mode {
	case writing:
		c.b = wire.AppendUint(c.b, *n)
	case reading:
		*n = c.below(most)
	}
}

func (c *coder) uint32(n *uint32) {
	bits := uint64(*n)
	c.upTo(&bits, math.MaxUint32)
	*n = uint32(bits)
}

func (c *coder) bool(v *bool) {
	bits := uint64(0)
	if *v {
		bits = 1
	}
	c.upTo(&bits, 1)
	*v = bits == 1
}

func (c *coder) signed(n *int64) {
	switch c.mode {
	case writing:
		c.b = wire.AppendInt(c.b, *n)
	case reading:
		*n = wire.Signed(c.readUint())
	}
}

// int visits a number with limits.
func (c *coder) int(n *int64, field string, least, most int64) {
	if c.mode == writing {
		c.b = wire.AppendInt(c.b, *n)
		return
	}
	if c.mode == reading {
		*n = wire.Signed(c.readUint())
	}
	c.limit(*n, field, least, most)
}

// optional visits a number that is omitted from the blob if it is 0.
func (c *coder) optional(b *Buff, bit uint64, n *int64, field string, least, most int64) {
	if (c.mode == reading || *n != 0) && c.has(bit, *n != 0) {
		c.int(n, field, least, most)
		c.full(b, *n != 0)
	}
}

// maybe visits a number that the buff may not have; it is then omitted from the blob.
func (c *coder) maybe(bit uint64, m *Maybe, field string, least, most int64) {
	if m.Is = c.has(bit, m.Is); m.Is {
		c.int(&m.N, field, least, most)
	}
}

// period visits a period that is omitted from the blob if it is 0.
func (c *coder) period(b *Buff, bit uint64, ms *int64, field string) {
	if c.mode != reading && *ms == 0 || !c.has(bit, *ms != 0) {
		return
	}
	c.signed(ms)
	c.full(b, *ms != 0)
	if least, most := define.MinPeriod.Milliseconds(), define.MaxDuration.Milliseconds(); c.mode != writing && (*ms < least || *ms > most) {
		c.failf("%s: %d, want 0 or %d to %d", field, *ms, least, most)
	}
}

// age visits the age of a buff or timeout.
func (c *coder) age(age *uint64) {
	if c.uint(age); c.mode != writing && *age-1 >= c.ages {
		c.failf("age: %d, want 1 to the %d of the owner", *age, c.ages)
	}
}

func (c *coder) float(v *Float) {
	switch {
	case c.mode == writing:
		c.b = binary.BigEndian.AppendUint64(c.b, math.Float64bits(float64(*v)))
	case c.mode == checking:
	case len(c.b)-c.next < 8:
		c.malformed("a value is cut off")
	default:
		*v = Float(math.Float64frombits(binary.BigEndian.Uint64(c.b[c.next:])))
		c.next += 8
	}
}

func (c *coder) text(s *string) {
	var number int32
	c.known(s, &number)
}

// known visits a name. When reading, it also looks up the name's number.
func (c *coder) known(s *string, number *int32) {
	switch c.mode {
	case writing:
		c.b = wire.AppendText(c.b, *s)
	case reading:
		*s, *number = "", 0
		if n := c.count(0, len(c.b)); n > 0 {
			c.next += n
			k := c.mem.name(c.b[c.next-n : c.next])
			*s, *number = k.name, k.number
		}
	case checking:
		c.legible(*s)
	}
}

// readUint reads a number, which must be encoded in as few bytes as possible.
func (c *coder) readUint() uint64 {
	if c.next < len(c.b) && c.b[c.next] < 0x80 { // most numbers are short
		c.next++
		return uint64(c.b[c.next-1])
	}
	n, size := wire.Uint(c.b[c.next:])
	if size <= 0 {
		c.malformed("not a valid number")
		return 0
	}
	c.next += size
	return n
}

// below reads a number that must not be above `most`.
func (c *coder) below(most uint64) uint64 {
	at, n := c.next, c.readUint()
	if n > most {
		c.next = at
		c.malformed("%d, and the most is %d", n, most)
		return 0
	}
	return n
}

// malformed records that the blob is malformed at the next byte, and drops the rest of the blob.
func (c *coder) malformed(format string, args ...any) {
	if c.mode == reading && c.err == nil {
		c.err = fmt.Errorf("%w: byte %d: %s", Err, c.next, fmt.Sprintf(format, args...))
		c.b = c.b[:c.next]
	}
}

// full records an error if `is` is false, because a field of the buff is then present in the blob
// but empty.
func (c *coder) full(b *Buff, is bool) {
	if !is {
		c.malformed("a field of the buff %q is marked as present, but is empty", b.ID)
	}
}

func (c *coder) limit(n int64, field string, least, most int64) {
	if n < least || n > most {
		c.failf("%s: %d, want %d to %d", field, n, least, most)
	}
}

func (c *coder) named(field, name string) {
	if name == "" {
		c.failf("%s: missing", field)
	}
}

// entry makes entry k of a list the current one: the fields visited next belong to it. entry
// records an error if the entry's name is empty.
func (c *coder) entry(list string, k int, name, field string) {
	c.path[0], c.depth, c.name = step{list, k}, 1, name
	c.named(field, name)
}

func (c *coder) enter(list string, k int) {
	c.path[c.depth] = step{list, k}
	c.depth++
}

func (c *coder) leave() { c.depth-- }

// failf records that a value is out of range, with the list entry that contains it.
func (c *coder) failf(format string, args ...any) {
	if c.mode == writing || c.bad != nil {
		return
	}
	where := "the owner: "
	for k, s := range c.path[:c.depth] {
		if k == 0 {
			where = fmt.Sprintf("%s[%d] %q: ", s.list, s.k, c.name)
		} else {
			where += fmt.Sprintf("%s[%d].", s.list, s.k)
		}
	}
	c.bad = fmt.Errorf("%w: %s%s", Err, where, fmt.Sprintf(format, args...))
}
