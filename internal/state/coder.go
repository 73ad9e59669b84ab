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

// The optional fields of an owner, one bit each: see Owner.mask.
const (
	hasOwnScale = 1 << iota
	isDeadOwner
	hasArea
)

// mask returns the optional fields that the owner has.
func (o *Owner) mask() uint64 {
	return bit(o.Scale != Scale{})*hasOwnScale | bit(o.Dead)*isDeadOwner | bit(o.Area > 0)*hasArea
}

func bit(is bool) uint64 {
	if is {
		return 1
	}
	return 0
}

// The optional fields of a buff, one bit each: see Buff.mask.
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
	hasRecharge
	hasVars

	buffBits   = 1<<iota - 1
	commonBits = hasPeriod - 1
	rareBits   = hasPeriod | hasWanted | hasKey | hasCharges | hasShield | hasOwed | hasHidden | hasScale | hasRunning | hasLength | hasRecharge
	listBits   = hasAsync | hasWaiting | hasParams | hasNumbers | hasCaptures | hasAppliers | hasWith | hasVars
)

// commonMask returns those of commonBits that the buff has. Most buffs have no other optional
// fields.
func (b *Buff) commonMask() (mask uint64) {
	if b.Version != "" {
		mask |= hasVersion
	}
	if b.Since != nil {
		mask |= hasSince
	}
	if b.Level != 0 {
		mask |= hasLevel
	}
	if b.Magnitude != 0 {
		mask |= hasMagnitude
	}
	if b.Left.Is {
		mask |= hasLeft
	}
	if b.Duration != 0 {
		mask |= hasDuration
	}
	if b.Next.Is {
		mask |= hasNext
	}
	return mask
}

// mask returns the optional fields that the buff has.
func (b *Buff) mask() uint64 {
	mask := b.commonMask() | bit(b.Period != 0)*hasPeriod | bit(b.Wanted != 0)*hasWanted | bit(b.Key != 0)*hasKey | bit(b.Charges != 0)*hasCharges |
		bit(b.Shield.Is)*hasShield | bit(b.Owed != 0)*hasOwed | bit(b.Hidden != 0)*hasHidden | bit(b.Scale != Scale{})*hasScale |
		bit(b.Running != 0)*hasRunning | bit(len(b.Async) > 0)*hasAsync | bit(len(b.Waiting) > 0)*hasWaiting | bit(len(b.Params) > 0)*hasParams |
		bit(b.Dead)*isDead | bit(b.Length != 0)*hasLength |
		bit(len(b.Others) > 0)*hasNumbers | bit(len(b.Captures) > 0)*hasCaptures | bit(len(b.Appliers) > 0)*hasAppliers | bit(len(b.With) > 0)*hasWith |
		bit(b.Recharge.Is)*hasRecharge | bit(len(b.Vars) > 0)*hasVars
	if b.Clock != "" {
		mask |= bit(b.On(define.Uptime))*isUptime | bit(b.On(define.Wall))*isWall
	}
	return mask
}

// owner visits all fields of an owner.
func (c *coder) owner(o *Owner) {
	c.beforeBuffs(o)
	last := uint64(0)
	for k := range length(c, &c.mem.buffs, &o.Buffs, 2*MaxPerOwner, 5) {
		c.path[0], c.depth = step{"buffs", k}, 1
		b := &o.Buffs[k]
		mask := uint64(0)
		if c.mode != reading {
			mask = b.mask()
		}
		c.buff(b, mask)
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

// beforeBuffs visits all fields of an owner except Buffs.
func (c *coder) beforeBuffs(o *Owner) {
	c.format, c.ages = o.Format, 0
	if c.mode == checking {
		c.limit(int64(o.Format), "format", 1, Format)
	}
	c.place(o)
	if c.mask&hasOwnScale != 0 {
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
	c.ages = o.Ages
	for k := range length(c, &c.mem.tags, &o.Tags, 2*define.MaxTags, 2) {
		c.tag(&o.Tags[k], "tags", k)
	}
	for k := range length(c, &c.mem.tags, &o.Immune, 2*define.MaxTags, 2) {
		c.tag(&o.Immune[k], "immune", k)
	}
	for k := range length(c, &c.mem.returns, &o.Returns, 2*MaxPerOwner, 4) {
		c.returns(&o.Returns[k], k)
	}
	for k := range length(c, &c.mem.timeouts, &o.Timeouts, 2*MaxPerOwner, 4) {
		c.timeout(&o.Timeouts[k], k)
	}
	c.depth = 0
	if c.since(2, len(o.Bases) > 0, "bases: format %d has none") {
		length(c, &c.mem.values, &o.Bases, 2*stat.MaxAttributes, 9)
		c.values(o.Bases, "bases", true)
	}
}

// place visits the fields that say where and when the owner was saved, and the mask.
func (c *coder) place(o *Owner) {
	c.signed(&o.Wall)
	c.signed(&o.Uptime)
	c.int(&o.Time, "owner_time_ms", -Farthest, Farthest)
	known := uint64(hasOwnScale | isDeadOwner)
	if c.since(7, o.Area > 0, "area: format %d has none") {
		known |= hasArea
	}
	c.mask = o.mask() & known
	c.upTo(&c.mask, known)
	o.Dead = c.mask&isDeadOwner != 0
	if c.mask&hasArea != 0 {
		if c.uint32(&o.Area); o.Area == 0 {
			c.malformed("the area is marked as present, but is 0")
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

// buff visits a buff. The parameter `mask` has its optional fields; it is not used when reading. A
// field that has its default value is omitted from the blob; a blob in which such a field is
// present is malformed.
func (c *coder) buff(b *Buff, mask uint64) {
	c.mask = mask
	if c.mode == writing && mask&(hasVersion|hasSince) == 0 {
		c.b = b.appendCommon(c.b, mask)
	} else {
		c.common(b)
	}
	if c.mode != checking && c.mask <= commonBits {
		return
	}
	if c.mode == reading {
		switch {
		case c.mask&isWall != 0:
			b.SetClock(define.Wall)
		case c.mask&isUptime != 0:
			b.SetClock(define.Uptime)
		}
		b.Dead = c.mask&isDead != 0
	}
	if c.mask&rareBits != 0 {
		c.rare(b)
	}
	if c.mask&listBits != 0 {
		c.lengths(b)
	}
	if c.mode != writing {
		c.full(c.mask == b.mask(), b)
		c.agree(b)
	}
	if c.mode == checking || c.mask&listBits != 0 {
		c.entries(b)
	}
}

// common visits the fields that all or most buffs have.
func (c *coder) common(b *Buff) {
	c.known(&b.ID, &b.Number)
	c.name = b.ID
	c.named("buff", b.ID)
	c.upTo(&c.mask, buffBits)
	c.age(&b.Age)
	c.uint(&b.Source)
	c.int(&b.Stacks, "stacks", 1, define.MaxStacks)
	if c.mask&hasVersion != 0 {
		c.text(&b.Version)
	}
	if c.mask&hasSince != 0 {
		if c.mode == reading {
			b.Since = &take(&c.mem.moments, 1)[0]
		}
		c.signed(&b.Since.Wall)
		c.signed(&b.Since.Uptime)
	}
	c.optional(hasLevel, &b.Level, "level", 0, define.MaxLevel)
	c.optional(hasMagnitude, &b.Magnitude, "magnitude", math.MinInt64, math.MaxInt64)
	c.maybe(hasLeft, &b.Left, "left_ms", -Farthest, Farthest)
	c.optional(hasDuration, &b.Duration, "duration_ms", 0, Farthest)
	c.maybe(hasNext, &b.Next, "next_ms", -Farthest, Farthest)
	c.full(c.mask&commonBits == b.commonMask(), b)
}

// appendCommon appends the same bytes as coder.common when writing, but is several times as fast.
// The mask must not have hasVersion and hasSince.
func (b *Buff) appendCommon(dst []byte, mask uint64) []byte {
	dst = wire.AppendUint(wire.AppendText(dst, b.ID), mask)
	dst = wire.AppendInt(wire.AppendUint(wire.AppendUint(dst, b.Age), b.Source), b.Stacks)
	if b.Level != 0 {
		dst = wire.AppendInt(dst, b.Level)
	}
	if b.Magnitude != 0 {
		dst = wire.AppendInt(dst, b.Magnitude)
	}
	if b.Left.Is {
		dst = wire.AppendInt(dst, b.Left.N)
	}
	if b.Duration != 0 {
		dst = wire.AppendInt(dst, b.Duration)
	}
	if b.Next.Is {
		dst = wire.AppendInt(dst, b.Next.N)
	}
	return dst
}

// full records an error if `is` is false, because a field of the buff is then present in the blob
// but empty.
func (c *coder) full(is bool, b *Buff) {
	if !is {
		c.malformed("a field of the buff %q is marked as present, but is empty", b.ID)
	}
}

// rare visits the numbers that few buffs have.
func (c *coder) rare(b *Buff) {
	c.period(hasPeriod, &b.Period, "period_ms")
	c.period(hasWanted, &b.Wanted, "wanted_ms")
	c.optional(hasCharges, &b.Charges, "charges", 0, define.MaxStacks)
	c.maybe(hasShield, &b.Shield, "shield", 0, math.MaxInt64)
	c.optional(hasOwed, &b.Owed, "owed_pulses", 0, math.MaxInt32)
	c.period(hasLength, &b.Length, "this_period_ms")
	if c.mask&hasKey != 0 {
		c.uint(&b.Key)
	}
	if c.mask&hasHidden != 0 {
		causes := uint64(b.Hidden)
		c.upTo(&causes, allCauses)
		b.Hidden = Causes(causes)
	}
	if c.mask&hasScale != 0 {
		least := int64(0)
		if b.Dead {
			least = -Farthest
		}
		c.scale(&b.Scale, least)
	}
	if c.mask&hasRunning != 0 {
		c.uint(&b.Running)
	}
	if c.since(8, b.Recharge.Is, "recharge_ms: format %d has none") {
		c.maybe(hasRecharge, &b.Recharge, "recharge_ms", -Farthest, Farthest)
	}
}

// lengths visits the lengths of a buff's lists. A list is omitted from the blob if it is empty.
func (c *coder) lengths(b *Buff) {
	optionalLength(c, hasAsync, &c.mem.stacks, &b.Async, 7)
	optionalLength(c, hasWaiting, &c.mem.stacks, &b.Waiting, 7)
	optionalLength(c, hasParams, &c.mem.values, &b.Params, 9)
	optionalLength(c, hasNumbers, &c.mem.values, &b.Others, 9)
	optionalLength(c, hasCaptures, &c.mem.values, &b.Captures, 9)
	optionalLength(c, hasAppliers, &c.mem.ids, &b.Appliers, 1)
	optionalLength(c, hasWith, &c.mem.ids, &b.With, 1)
	optionalLength(c, hasVars, &c.mem.values, &b.Vars, 9)
}

// agree checks that the fields of a buff are consistent.
func (c *coder) agree(b *Buff) {
	if b.Clock != "" && !b.On(define.Uptime) && !b.On(define.Wall) {
		c.failf("clock: %q is not %s or %s, and online is left out", b.Clock, clocks[define.Uptime], clocks[define.Wall])
	}
	if b.Dead && b.Scale == (Scale{}) {
		c.failf("death_pause: without a pace")
	}
	if !b.Next.Is && (b.Period != 0 || b.Wanted != 0 || b.Length != 0) {
		c.failf("next_ms: missing, but there is a period")
	}
	if len(b.Async) > 0 && len(b.Waiting) > 0 {
		c.failf("waiting: the stacks have timers of their own, so that nothing can wait")
	}
	if len(b.Async)+len(b.Waiting) > 0 && !b.Left.Is {
		c.failf("left_ms: missing, but the stacks have ends")
	}
	if most := c.ages - min(b.Age, c.ages); b.Running > most {
		c.failf("running: %d is younger than everything", b.Running)
	}
	if len(b.Appliers) > MaxPerOwner {
		c.failf("appliers: %d, want at most %d", len(b.Appliers), MaxPerOwner)
	}
	if len(b.With) > MaxPerOwner {
		c.failf("with: %d, want at most %d", len(b.With), MaxPerOwner)
	}
}

// entries visits the entries of a buff's lists.
func (c *coder) entries(b *Buff) {
	sum := int64(0)
	for k := range b.Async {
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
	for k := range b.Waiting {
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
	c.since(8, len(b.Vars) > 0, "vars: format %d has none")
	c.numbers(&b.Numbers)
	c.values(b.Vars, "vars", true)
	for k := range b.Appliers {
		c.uint(&b.Appliers[k])
	}
	for k := range b.With {
		of := &b.With[k]
		if c.uint(of); *of == 0 || *of > MaxAges || k > 0 && *of <= b.With[k-1] {
			c.failf("with[%d]: %d, want rising ages from 1 to %d", k, *of, uint64(MaxAges))
		}
	}
	if !c.since(7, len(b.Brought) > 0, "brought: format %d has none") {
		return
	}
	if c.mode == reading && len(b.With) > 0 {
		b.Brought = take(&c.mem.numbers, len(b.With))
	}
	if len(b.Brought) != len(b.With) {
		c.failf("brought: there are %d, want %d, as many as with has", len(b.Brought), len(b.With))
	}
	for k := range b.Brought {
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
	length(c, &c.mem.values, &n.Params, math.MaxInt, 9)
	length(c, &c.mem.values, &n.Others, math.MaxInt, 9)
	length(c, &c.mem.values, &n.Captures, math.MaxInt, 9)
	if n.Some() {
		c.numbers(n)
	}
}

func (c *coder) numbers(n *Numbers) {
	c.values(n.Params, "params", false) // format 1 allowed any number
	c.values(n.Others, "numbers", true)
	c.values(n.Captures, "captures", true)
}

func (c *coder) values(list []Value, field string, finite bool) {
	for k := range list {
		v := &list[k]
		if c.mode == writing {
			c.b = binary.BigEndian.AppendUint64(wire.AppendText(c.b, v.Name), math.Float64bits(float64(v.Value)))
			continue
		}
		c.text(&v.Name)
		c.float(&v.Value)
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

// length visits the length of a list and returns it. The list has at most `most` entries, each of
// which takes at least `size` bytes. When reading, length takes memory for the entries, unless the
// blob is too short for them.
func length[E any](c *coder, from, to *[]E, most, size int) int {
	n := uint64(len(*to))
	c.upTo(&n, uint64(most))
	if c.mode != reading {
		return len(*to)
	}
	if left := len(c.b) - c.next; n > uint64(left/size) {
		c.malformed("a list of %d entries, but only %d bytes are left", n, left)
		n = 0
	}
	if *to = nil; n > 0 {
		*to = take(from, int(n))
	}
	return int(n)
}

func optionalLength[E any](c *coder, bit uint64, from, to *[]E, size int) {
	if c.mask&bit != 0 {
		length(c, from, to, math.MaxInt, size)
	}
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

func (c *coder) uint(n *uint64) { c.upTo(n, math.MaxUint64) }

// upTo visits a number that must not be above `most`.
func (c *coder) upTo(n *uint64, most uint64) {
	switch c.mode {
	case writing:
		c.b = wire.AppendUint(c.b, *n)
	case reading:
		at := c.next
		if *n = c.readUint(); *n > most {
			c.next = at
			c.malformed("%d, and the most is %d", *n, most)
			*n = 0
		}
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
	if c.signed(n); c.mode != writing {
		c.limit(*n, field, least, most)
	}
}

// optional visits a number that is omitted from the blob if it is 0.
func (c *coder) optional(bit uint64, n *int64, field string, least, most int64) {
	if c.mask&bit != 0 {
		c.int(n, field, least, most)
	}
}

// period visits a period that is omitted from the blob if it is 0.
func (c *coder) period(bit uint64, ms *int64, field string) {
	if c.mask&bit == 0 {
		return
	}
	c.signed(ms)
	if least, most := define.MinPeriod.Milliseconds(), define.MaxDuration.Milliseconds(); c.mode != writing && (*ms < least || *ms > most) {
		c.failf("%s: %d, want 0 or %d to %d", field, *ms, least, most)
	}
}

// maybe visits a number that the buff may not have; it is then omitted from the blob.
func (c *coder) maybe(bit uint64, m *Maybe, field string, least, most int64) {
	if c.mask&bit != 0 {
		m.Is = true
		c.int(&m.N, field, least, most)
	}
}

// age visits the age of a buff or timeout.
func (c *coder) age(age *uint64) {
	if c.uint(age); c.mode != writing && *age-1 >= c.ages {
		c.failf("age: %d, want 1 to the %d of the owner", *age, c.ages)
	}
}

// float reads or checks a floating-point number.
func (c *coder) float(v *Float) {
	switch {
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
		n := c.readUint()
		if left := len(c.b) - c.next; n > uint64(left) {
			c.malformed("a name of %d bytes, but only %d bytes are left", n, left)
			n = 0
		}
		if n := int(n); n > 0 {
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

// malformed records that the blob is malformed at the next byte, and drops the rest of the blob.
func (c *coder) malformed(format string, args ...any) {
	if c.mode == reading && c.err == nil {
		c.err = fmt.Errorf("%w: byte %d: %s", Err, c.next, fmt.Sprintf(format, args...))
		c.b = c.b[:c.next]
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
