package buff

import (
	"fmt"

	"github.com/bufftick/bufftick/buff/stat"
)

// check returns what is wrong with the contents of a blob: nothing that a Set could have,
// or more than could be worked with.
func (b *saved) check() error {
	c := &blobChecker{where: "the owner"}
	c.within("format", int64(b.Format), 1, blobFormat)
	if b.Format == 1 && len(b.Bases) > 0 {
		c.failf("bases: format 1 has none")
	}
	c.within("owner_time_ms", b.Time, -farthest, farthest)
	if b.Ages > mostAges {
		c.failf("ages: %d, want at most %d", b.Ages, uint64(mostAges))
	}
	c.pace(b.Pace)
	if b.Pace != nil && (b.Pace.Ahead != 0 || b.Pace.Inner != 0) {
		c.failf("pace: ahead_ms and inner_ms are of buffs")
	}
	c.tags("tags", b.Tags)
	c.tags("immune", b.Immune)
	for k := range b.Returns {
		r := &b.Returns[k]
		c.where = fmt.Sprintf("diminishing[%d] %q", k, r.Group)
		c.named("group", r.Group)
		c.within("n", r.N, 1, maxTagCount)
		c.within("left_ms", r.Left, -farthest, farthest)
	}
	for k := range b.Timeouts {
		t := &b.Timeouts[k]
		c.where = fmt.Sprintf("timeouts[%d] %q", k, t.Handler)
		c.named("handler", t.Handler)
		c.age(t.Age, b.Ages)
		c.within("left_ms", t.Left, -farthest, farthest)
	}
	c.where = "the owner"
	c.values("bases", b.Bases)
	last := uint64(0)
	for k := range b.Buffs {
		f := &b.Buffs[k]
		c.where = fmt.Sprintf("buffs[%d] %q", k, f.ID)
		c.buff(f, b.Ages)
		if b.Format == 1 && len(f.Numbers)+len(f.Captures) > 0 {
			c.failf("numbers: format 1 has none")
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
	return c.err
}

const maxTagCount = 1<<16 - 1

// blobChecker keeps the first thing that is wrong.
type blobChecker struct {
	where string
	err   error
}

func (c *blobChecker) failf(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("%w: %s: %s", ErrBlob, c.where, fmt.Sprintf(format, args...))
	}
}

func (c *blobChecker) within(field string, n, least, most int64) {
	if n < least || n > most {
		c.failf("%s: %d, want %d to %d", field, n, least, most)
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
		c.where = fmt.Sprintf("%s[%d] %q", field, k, tags[k].Name)
		c.named("tag", tags[k].Name)
		c.within("n", tags[k].N, 1, maxTagCount)
	}
}

func (c *blobChecker) pace(p *savedPace) {
	if p == nil {
		return
	}
	c.within("ahead_ms", p.Ahead, 0, farthest)
	c.within("inner_ms", p.Inner, -farthest, farthest)
	c.within("parts", p.Parts, 1, 1<<31)
	c.within("rest", p.Rest, 0, p.Parts-1)
	rate := Ratio{p.Num, p.Den}
	if !rate.within(MaxRate) || rate.orOne().Num == 0 {
		c.failf("rate: %d/%d, want parts from 1 to %d", p.Num, p.Den, MaxRate)
	}
}

func (c *blobChecker) buff(b *savedBuff, ages uint64) {
	c.named("buff", b.ID)
	c.age(b.Age, ages)
	c.within("stacks", b.Stacks, 1, MaxStacks)
	c.within("level", b.Level, 0, MaxLevel)
	if b.Clock != "" && b.Clock != clockWords[Uptime] && b.Clock != clockWords[Wall] {
		c.failf("clock: %q is not %s or %s, and online is left out", b.Clock, clockWords[Uptime], clockWords[Wall])
	}
	for _, f := range []struct {
		field       string
		n           *int64
		least, most int64
	}{
		{"left_ms", b.Left, -farthest, farthest},
		{"next_ms", b.Next, -farthest, farthest},
		{"duration_ms", &b.Duration, 0, farthest},
		{"period_ms", &b.Period, 0, MaxDuration.Milliseconds()},
		{"wanted_ms", &b.Wanted, 0, MaxDuration.Milliseconds()},
		{"this_period_ms", &b.Length, 0, MaxDuration.Milliseconds()},
		{"charges", &b.Charges, 0, MaxStacks},
		{"shield", b.Shield, 0, 1<<63 - 1},
		{"owed_pulses", &b.Owed, 0, 1<<31 - 1},
	} {
		if f.n != nil {
			c.within(f.field, *f.n, f.least, f.most)
		}
	}
	c.pace(b.Pace)
	if b.Dead && b.Pace == nil {
		c.failf("death_pause: without a pace")
	}
	if b.Next == nil && (b.Period != 0 || b.Wanted != 0 || b.Length != 0) {
		c.failf("next_ms: missing, but there is a period")
	}
	c.layers(b, ages)
	for k := range b.Params {
		c.named(fmt.Sprintf("params[%d].name", k), b.Params[k].Name)
	}
	c.values("numbers", b.Numbers)
	c.values("captures", b.Captures)
}

// values checks names and numbers. Those of parameters may be anything, as they were in
// format 1.
func (c *blobChecker) values(field string, list []savedValue) {
	for k := range list {
		c.named(fmt.Sprintf("%s[%d].name", field, k), list[k].Name)
		if v := float64(list[k].Value); !finite(v) {
			c.failf("%s[%d].value: %v, want at most %v on either side of zero", field, k, v, stat.MaxValue)
		}
	}
}

// layers checks the two lists, of which at most one may be there.
func (c *blobChecker) layers(b *savedBuff, ages uint64) {
	if len(b.Layers) > 0 && len(b.Waiting) > 0 {
		c.failf("waiting: the stacks have timers of their own, so that nothing can wait")
	}
	if (len(b.Layers) > 0 || len(b.Waiting) > 0) && b.Left == nil {
		c.failf("left_ms: missing, but the stacks have ends")
	}
	if b.Running > ages-min(b.Age, ages) {
		c.failf("running: %d is younger than everything", b.Running)
	}
	sum := int64(0)
	for k := range b.Layers {
		c.layer(fmt.Sprintf("layers[%d]", k), &b.Layers[k], 1, ages-min(b.Age, ages))
		sum = min(sum+b.Layers[k].Stacks, MaxStacks+1)
	}
	if len(b.Layers) > 0 && sum != b.Stacks {
		c.failf("layers: they have not as many stacks as the buff, which has %d", b.Stacks)
	}
	for k := range b.Waiting {
		c.layer(fmt.Sprintf("waiting[%d]", k), &b.Waiting[k], 0, ages-min(b.Age, ages))
	}
}

func (c *blobChecker) layer(field string, l *savedLayer, leastStacks int64, mostAge uint64) {
	c.within(field+".left_ms", l.Left, -farthest, farthest)
	c.within(field+".counts_for_ms", l.Last, -farthest, farthest)
	c.within(field+".stacks", l.Stacks, leastStacks, MaxStacks)
	c.within(field+".level", l.Level, 0, MaxLevel)
	if l.Age > mostAge {
		c.failf("%s.age: %d is younger than everything", field, l.Age)
	}
}
