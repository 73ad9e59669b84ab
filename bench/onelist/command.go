package onelist

import (
	"cmp"
	"slices"
)

// Context gives a running handler access to the World.
type Context struct {
	world *World
	owner uint32
	at    uint32
}

// Data returns the owner's data, as passed to Spawn.
func (c *Context) Data() any { return c.world.data[c.owner] }

// AddBuff applies a definition. If the target is the handler's own owner, the buff is applied after
// the handler has returned. Otherwise it is applied at the end of the Tick.
func (c *Context) AddBuff(to uint64, spec uint16, source uint64, duration int64) {
	k := command{to: to, spec: spec, source: source, duration: duration}
	if from := c.world.owners.at(c.owner).id; to != from {
		c.world.cross = append(c.world.cross, crossing{c.at, from, k})
		return
	}
	c.world.own = append(c.world.own, k)
}

// Remove removes a buff of the owner after the handler has returned.
func (c *Context) Remove(handle uint64) {
	c.world.own = append(c.world.own, command{handle: handle, remove: true})
}

type command struct {
	to       uint64
	spec     uint16
	source   uint64
	duration int64
	handle   uint64
	remove   bool
}

// crossing is a command for another owner.
type crossing struct {
	at      uint32
	from    uint64
	command command
}

// runCommands executes the commands that a handler has issued, and the commands that these
// commands cause.
func (w *World) runCommands(at uint32) {
	for k := 0; k < len(w.own); k++ {
		w.do(&w.own[k], at)
	}
	w.own = w.own[:0]
}

// deliver executes the commands for other owners, in the order of the game times at which they were
// issued. Commands of the same time run in the order of the issuing owners.
func (w *World) deliver() {
	if len(w.cross) == 0 {
		return
	}
	slices.SortStableFunc(w.cross, func(a, b crossing) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.from, b.from)) })
	for k := range w.cross {
		w.do(&w.cross[k].command, w.now)
	}
	w.cross = w.cross[:0]
}

func (w *World) do(c *command, at uint32) (uint64, Kind) {
	if c.remove {
		return w.remove(c.handle, at)
	}
	if o, ok := w.numbers[c.to]; ok {
		return w.apply(o, c, at)
	}
	return 0, 0
}

// AddBuff applies a definition. If the duration is zero, the buff has the duration of the
// definition.
func (w *World) AddBuff(id uint64, spec uint16, source uint64, duration int64) (handle uint64, k Kind) {
	return w.do(&command{to: id, spec: spec, source: source, duration: duration}, w.now)
}

// Remove removes a buff. It ignores a stale handle.
func (w *World) Remove(handle uint64) Kind {
	_, k := w.remove(handle, w.now)
	return k
}

func (w *World) remove(h uint64, at uint32) (uint64, Kind) {
	place := uint32(h)
	r := w.record(place)
	if r.generation != uint32(h>>32) || r.spec == unused {
		return h, 0
	}
	w.emit(place, r, Removed, at).Why = Cancelled
	w.free(place, r)
	return h, Removed
}

func (w *World) free(place uint32, r *record) {
	w.keys.at(place >> 3)[place&7] = 0
	w.owners.at(r.owner).live--
	r.generation++
	r.filed, r.pulse, r.end, r.spec = never, never, never, unused
}

func (w *World) apply(number uint32, c *command, at uint32) (uint64, Kind) {
	o, spec := w.owners.at(number), &w.specs[c.spec]
	want := (uint32(c.spec) + 1) << 20
	if spec.BySource {
		want |= uint32(c.source*0x9e3779b97f4a7c15>>44) & (1<<20 - 1)
	}
	place := never
	for b := range o.used {
		for k, key := range w.keys.at(o.blocks[b]) {
			switch {
			case key == want:
				p := o.blocks[b]<<3 | uint32(k)
				if r := w.record(p); !spec.BySource || r.source == c.source {
					return w.refresh(p, r, c, spec, at)
				}
			case key == 0 && place == never:
				place = o.blocks[b]<<3 | uint32(k)
			}
		}
	}
	if place == never {
		place = w.grow(o)
	}
	r := w.record(place)
	w.ages++
	o.live++
	*r = record{
		generation: r.generation, pulse: never, end: never, filed: never, period: uint32(spec.Period), age: w.ages,
		owner: number, id: o.id, source: c.source, spec: c.spec, stacks: 1,
	}
	r.setEnd(c, spec, at)
	if spec.Period > 0 {
		r.pulse = at + r.period
	}
	w.keys.at(place >> 3)[place&7] = want
	w.file(place, r)
	return w.emit(place, r, Applied, at).Handle, Applied
}

// grow gives an owner another block of eight records, and returns the index of the block's first
// record.
func (w *World) grow(o *owner) (place uint32) {
	if o.used == ownerBlocks {
		panic("onelist: an owner has more than 96 buffs")
	}
	b := w.blocks.add()
	w.keys.add()
	x := w.blocks.at(b)
	for k := range x {
		x[k].spec, x[k].filed = unused, never
	}
	o.blocks[o.used] = b
	o.used++
	return b << 3
}

func (r *record) setEnd(c *command, spec *Spec, at uint32) {
	d := spec.Duration
	if c.duration > 0 {
		d = c.duration
	}
	r.duration, r.end = uint32(d), never
	if d > 0 {
		r.end = at + uint32(d)
	}
}

func (w *World) refresh(place uint32, r *record, c *command, spec *Spec, at uint32) (uint64, Kind) {
	kind := Refreshed
	if r.stacks < max(1, spec.Limit) {
		r.stacks++
		kind = Stacked
		w.emit(place, r, Stacked, at)
	}
	r.setEnd(c, spec, at)
	w.file(place, r)
	return w.emit(place, r, Refreshed, at).Handle, kind
}
