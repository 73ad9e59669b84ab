package buff

import (
	"fmt"
	"math"
	"slices"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
)

// check returns what is wrong with the contents of a blob: nothing that a Set could have,
// or more than could be worked with. A blob comes from a store, from another machine, or from whoever can write
// to either: what is refused here no later code has to expect.
func (b *saved) check() error {
	c := &blobChecker{}
	c.format(b)
	c.within("owner_time_ms", b.Time, -farthest, farthest)
	if b.Ages > mostAges {
		c.failf("ages: %d, want at most %d", b.Ages, uint64(mostAges))
	}
	c.scale(b.Scale, false)
	if b.Scale != nil && (b.Scale.Ahead != 0 || b.Scale.Inner != 0) {
		c.failf("pace: ahead_ms and inner_ms are of buffs")
	}
	c.tags("tags", b.Tags)
	c.tags("immune", b.Immune)
	for k := range b.Returns {
		r := &b.Returns[k]
		c.in("diminishing", k, r.Group)
		c.named("group", r.Group)
		c.within("n", r.N, 1, maxTagCount)
		c.within("left_ms", r.Left, -farthest, define.MaxDuration.Milliseconds())
	}
	for k := range b.Timeouts {
		t := &b.Timeouts[k]
		c.in("timeouts", k, t.Handler)
		c.named("handler", t.Handler)
		c.age(t.Age, b.Ages)
		c.within("left_ms", t.Left, -farthest, farthest)
	}
	c.in("", 0, "")
	c.values("bases", b.Bases)
	last := uint64(0)
	for k := range b.Buffs {
		f := &b.Buffs[k]
		c.in("buffs", k, f.ID)
		c.buff(f, b.Ages)
		if b.Format == 1 && len(f.Numbers)+len(f.Captures) > 0 {
			c.failf("numbers: format 1 has none")
		}
		if b.Format < 3 && f.ofFormat3() {
			c.failf("appliers and lags: format %d has none", b.Format)
		}
		if b.Format < 4 && len(f.With) > 0 {
			c.failf("with: format %d has none", b.Format)
		}
		if b.Format < 5 && slices.ContainsFunc(f.Waiting, func(l savedStack) bool { return l.savedNumbers.some() }) {
			c.failf("waiting: in format %d they have no numbers", b.Format)
		}
		switch {
		case f.Since != nil:
			last = mostAges // only such ones follow
		case f.Age <= last:
			c.failf("age: %d, and that of the buff before it is not below", f.Age)
		default:
			last = f.Age
		}
	}
	c.numbered(b)
	return c.err
}

// format looks at the format, and that the owner has nothing that a later one has brought.
func (c *blobChecker) format(b *saved) {
	c.within("format", int64(b.Format), 1, blobFormat)
	if b.Format == 1 && len(b.Bases) > 0 {
		c.failf("bases: format 1 has none")
	}
}

// numbered checks the owner's own fields that later formats have added. It comes last: what earlier formats say in another way is told first.
func (c *blobChecker) numbered(b *saved) {
	if b.Format < 6 && b.Events > 0 {
		c.in("", 0, "")
		c.failf("events: format %d has none", b.Format)
	}
	if b.Format < 7 && b.Zone > 0 {
		c.in("", 0, "")
		c.failf("zone: format %d has none", b.Format)
	}
	for k := range b.Buffs {
		f := &b.Buffs[k]
		c.in("buffs", k, f.ID)
		if b.Format < 7 && f.ofFormat7() {
			c.failf("layers and waiting: in format %d they have no charges, shields and numbers", b.Format)
		}
		switch n := len(f.Brought); {
		case b.Format < 7 && n > 0:
			c.failf("brought: format %d has none", b.Format)
		case b.Format >= 7 && n != len(f.With):
			c.failf("brought: there are %d, want %d, as many as with has", n, len(f.With))
		}
	}
}

const maxTagCount = 1<<16 - 1

// blobChecker keeps the first thing that is wrong.
type blobChecker struct {
	list string // what is looked at: the entry at that place in a list; "": the owner
	at   int
	name string
	err  error
}

// in says what is looked at. It is put into words only if something is wrong.
func (c *blobChecker) in(list string, at int, name string) { c.list, c.at, c.name = list, at, name }

func (c *blobChecker) failf(format string, args ...any) {
	if c.err != nil {
		return
	}
	where := "the owner"
	if c.list != "" {
		where = fmt.Sprintf("%s[%d] %q", c.list, c.at, c.name)
	}
	c.err = fmt.Errorf("%w: %s: %s", ErrBlob, where, fmt.Sprintf(format, args...))
}

func (c *blobChecker) within(field string, n, least, most int64) {
	if n < least || n > most {
		c.outside(field, n, least, most)
	}
}

func (c *blobChecker) outside(field string, n, least, most int64) {
	c.failf("%s: %d, want %d to %d", field, n, least, most)
}

// withinIf is within for what may be missing.
func (c *blobChecker) withinIf(field string, n *int64, least, most int64) {
	if n != nil {
		c.within(field, *n, least, most)
	}
}

// beat checks a period, which is what one of a definition can be, or 0 for none.
func (c *blobChecker) beat(field string, ms int64) {
	if least, most := define.MinPeriod.Milliseconds(), define.MaxDuration.Milliseconds(); ms != 0 && (ms < least || ms > most) {
		c.failf("%s: %d, want 0 or %d to %d", field, ms, least, most)
	}
}

func (c *blobChecker) named(field, name string) {
	if name == "" {
		c.failf("%s: missing", field)
	}
}

func (c *blobChecker) age(age, ages uint64) {
	if age == 0 || age > ages {
		c.failf("age: %d, want 1 to the %d of the owner", age, ages)
	}
}

func (c *blobChecker) tags(field string, tags []savedTag) {
	for k := range tags {
		c.in(field, k, tags[k].Name)
		c.named("tag", tags[k].Name)
		c.within("n", tags[k].N, 1, maxTagCount)
	}
}

// scale checks a time of its own, which a death may hold besides.
func (c *blobChecker) scale(p *savedScale, dead bool) {
	if p == nil {
		return
	}
	least := int64(0)
	if p.Held || dead {
		least = -farthest
	}
	c.within("ahead_ms", p.Ahead, least, farthest)
	c.within("inner_ms", p.Inner, -farthest, farthest)
	c.within("parts", p.Parts, 1, 1<<31)
	c.within("rest", p.Rest, 0, p.Parts-1)
	rate := Ratio{p.Num, p.Den}
	if !rate.within(MaxRate) || rate.orOne().Num == 0 {
		c.failf("rate: %d/%d, want parts from 1 to %d", p.Num, p.Den, MaxRate)
	}
}

func (c *blobChecker) buff(b *savedBuff, ages uint64) {
	if b.plain(ages) {
		return
	}
	c.named("buff", b.ID)
	c.age(b.Age, ages)
	c.within("stacks", b.Stacks, 1, define.MaxStacks)
	c.within("level", b.Level, 0, define.MaxLevel)
	if b.Clock != "" && b.Clock != clockWords[define.Uptime] && b.Clock != clockWords[define.Wall] {
		c.failf("clock: %q is not %s or %s, and online is left out", b.Clock, clockWords[define.Uptime], clockWords[define.Wall])
	}
	c.withinIf("left_ms", b.Left, -farthest, farthest)
	c.withinIf("next_ms", b.Next, -farthest, farthest)
	c.within("duration_ms", b.Duration, 0, farthest)
	c.within("charges", b.Charges, 0, define.MaxStacks)
	c.withinIf("shield", b.Shield, 0, math.MaxInt64)
	c.within("owed_pulses", b.Owed, 0, math.MaxInt32)
	c.beat("period_ms", b.Period)
	c.beat("wanted_ms", b.Wanted)
	c.beat("this_period_ms", b.Length)
	c.scale(b.Scale, b.Dead)
	if b.Dead && b.Scale == nil {
		c.failf("death_pause: without a pace")
	}
	if b.Next == nil && (b.Period != 0 || b.Wanted != 0 || b.Length != 0) {
		c.failf("next_ms: missing, but there is a period")
	}
	c.asyncStacks(b, ages)
	if n := len(b.Appliers); n > MaxPerOwner {
		c.failf("appliers: %d, want at most %d", n, MaxPerOwner)
	}
	c.links(b.With)
	for k, n := range b.Brought {
		if n < 0 || n > define.MaxStacks {
			c.failf("brought[%d]: %d, want 0 to %d", k, n, define.MaxStacks)
		}
	}
	c.numbers("", &b.savedNumbers)
}

// numbers checks those of an application.
func (c *blobChecker) numbers(of string, n *savedNumbers) {
	c.names(of+"params", n.Params)
	c.values(of+"numbers", n.Numbers)
	c.values(of+"captures", n.Captures)
}

// plain reports whether there is nothing in a buff but what most have, and nothing wrong with
// it: what takes the checker many looks takes one here.
func (b *savedBuff) plain(ages uint64) bool {
	within := func(ms *int64) bool { return ms == nil || *ms >= -farthest && *ms <= farthest }
	switch {
	case b.ID == "" || b.Age-1 >= ages || b.Clock != "" || b.Dead:
	case b.Stacks < 1 || b.Stacks > define.MaxStacks || b.Level < 0 || b.Level > define.MaxLevel:
	case !within(b.Left) || !within(b.Next) || b.Duration < 0 || b.Duration > farthest:
	case b.Period|b.Wanted|b.Length|b.Charges|b.Owed != 0 || b.Shield != nil || b.Scale != nil || b.Running != 0:
	default:
		return b.lengths() == lengths{} && len(b.Brought) == 0
	}
	return false
}

// links checks the ages of those whose link a buff is, which rise.
func (c *blobChecker) links(with []uint64) {
	for k, of := range with {
		if of == 0 || of > mostAges || k > 0 && of <= with[k-1] {
			c.failf("with[%d]: %d, want rising ages from 1 to %d", k, of, uint64(mostAges))
		}
	}
	if n := len(with); n > MaxPerOwner {
		c.failf("with: %d, want at most %d", n, MaxPerOwner)
	}
}

// ofFormat3 reports whether there is something in a buff that formats before 3 cannot say.
func (b *savedBuff) ofFormat3() bool {
	lag := func(l savedStack) bool { return l.Lag != 0 }
	return len(b.Appliers) > 0 || slices.ContainsFunc(b.Async, lag) || slices.ContainsFunc(b.Waiting, lag)
}

// ofFormat7 reports whether applications have what formats before 7 cannot say.
func (b *savedBuff) ofFormat7() bool {
	uses := func(l savedStack) bool { return l.Charges != 0 || l.Shield != nil }
	return slices.ContainsFunc(b.Async, uses) || slices.ContainsFunc(b.Waiting, uses) ||
		slices.ContainsFunc(b.Async, func(l savedStack) bool { return l.savedNumbers.some() })
}

func (c *blobChecker) names(field string, list []savedValue) {
	for k := range list {
		if list[k].Name == "" {
			c.failf("%s[%d].name: missing", field, k)
		}
	}
}

// values checks names and numbers. Those of parameters may be anything, as they were in
// format 1.
func (c *blobChecker) values(field string, list []savedValue) {
	c.names(field, list)
	for k := range list {
		if v := float64(list[k].Value); !finite(v) {
			c.failf("%s[%d].value: %v, want at most %v on either side of zero", field, k, v, stat.MaxValue)
		}
	}
}

// asyncStacks checks the two lists, of which at most one may be there.
func (c *blobChecker) asyncStacks(b *savedBuff, ages uint64) {
	if len(b.Async) > 0 && len(b.Waiting) > 0 {
		c.failf("waiting: the stacks have timers of their own, so that nothing can wait")
	}
	if (len(b.Async) > 0 || len(b.Waiting) > 0) && b.Left == nil {
		c.failf("left_ms: missing, but the stacks have ends")
	}
	if b.Running > ages-min(b.Age, ages) {
		c.failf("running: %d is younger than everything", b.Running)
	}
	sum := int64(0)
	for k := range b.Async {
		c.asyncStack("layers", k, &b.Async[k], 1, ages-min(b.Age, ages))
		if n := &b.Async[k].savedNumbers; n.some() {
			c.numbers(fmt.Sprintf("layers[%d].", k), n)
		}
		sum = min(sum+b.Async[k].Stacks, define.MaxStacks+1)
	}
	if len(b.Async) > 0 && sum != b.Stacks {
		c.failf("layers: they have not as many stacks as the buff, which has %d", b.Stacks)
	}
	for k := range b.Waiting {
		c.asyncStack("waiting", k, &b.Waiting[k], 0, ages-min(b.Age, ages))
		if n := &b.Waiting[k].savedNumbers; n.some() {
			c.numbers(fmt.Sprintf("waiting[%d].", k), n)
		}
	}
}

func (c *blobChecker) asyncStack(list string, k int, l *savedStack, leastStacks int64, mostAge uint64) {
	within := func(field string, n, least, most int64) {
		if n < least || n > most {
			c.outside(fmt.Sprintf("%s[%d].%s", list, k, field), n, least, most)
		}
	}
	within("left_ms", l.Left, -farthest, farthest)
	within("counts_for_ms", l.Last, -farthest, farthest)
	within("lag_ms", l.Lag, -1, define.MaxDuration.Milliseconds())
	within("stacks", l.Stacks, leastStacks, define.MaxStacks)
	within("level", l.Level, 0, define.MaxLevel)
	within("charges", l.Charges, 0, define.MaxStacks)
	if l.Shield != nil {
		within("shield", *l.Shield, 0, math.MaxInt64)
	}
	if l.Age > mostAge {
		c.failf("%s[%d].age: %d is younger than everything", list, k, l.Age)
	}
}
