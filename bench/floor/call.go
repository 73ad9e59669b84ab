package floor

// Verb is what a command asks for.
type Verb uint8

// The verbs.
const (
	Apply Verb = iota
	Remove
)

// Command is a call as a value.
type Command struct {
	Verb      Verb
	Spec      uint16
	Level     int16
	Owner     uint64
	Source    uint64
	Magnitude int64
	Duration  int64 // ms; 0: that of the definition
	Handle    Handle
}

// Result is what came of it: what was told, and of what.
type Result struct {
	Handle Handle
	Kind   Kind // 0: nothing, the handle was stale
}

// Do does one command now.
func (w *World) Do(c *Command) Result {
	o, ok := w.whose1(c)
	if !ok {
		return Result{}
	}
	return w.do(o, c, w.now)
}

func (w *World) whose1(c *Command) (uint32, bool) {
	if c.Verb == Remove {
		at := uint32(c.Handle)
		if at>>3 >= w.instances.n {
			return 0, false
		}
		return w.instances.at(at >> 3)[at&7].owner, true
	}
	o, ok := w.byID[c.Owner]
	return o, ok
}

// DoAll does many, as Do one after the other. Before it does it reads what they will need.
func (w *World) DoAll(all []Command, results []Result) {
	const batch = 64
	for from := 0; from < len(all); from += batch {
		some := all[from:min(from+batch, len(all))]
		w.ahead(some)
		for k := range some {
			r := Result{}
			if o := w.whose[k]; o != nobody {
				r = w.do(o, &some[k], w.now)
			}
			results[from+k] = r
		}
	}
}

// ahead reads what the commands will need, one level after the other.
func (w *World) ahead(some []Command) {
	seen := uint64(0)
	w.whose = w.whose[:0]
	for k := range some {
		o, ok := w.whose1(&some[k])
		if !ok {
			o = nobody
		}
		w.whose = append(w.whose, o)
	}
	for _, o := range w.whose {
		if o != nobody {
			h := w.owners.at(o)
			seen += h.id + uint64(h.number[0])
		}
	}
	for _, o := range w.whose {
		if o != nobody {
			h := w.owners.at(o)
			for b := range h.used {
				seen += uint64(w.lines.at(h.number[b]).key[0])
			}
		}
	}
	for k, o := range w.whose {
		if o != nobody {
			if place, ok := w.touches(o, &some[k]); ok {
				seen += uint64(w.instances.at(place >> 3)[place&7].generation)
			}
		}
	}
	w.seen += seen
}

// touches guesses which instance a command will be about.
func (w *World) touches(o uint32, c *Command) (uint32, bool) {
	if c.Verb == Remove {
		return uint32(c.Handle), true
	}
	h := w.owners.at(o)
	want := w.keyOf(c)
	free, found := uint32(0), false
	for b := range h.used {
		for k, key := range &w.lines.at(h.number[b]).key {
			if key == want {
				return h.number[b]<<3 | uint32(k), true
			}
			if key == 0 && !found {
				free, found = h.number[b]<<3|uint32(k), true
			}
		}
	}
	return free, found
}

// keyOf is what stands in a line for an instance of that definition and source. It is not 0.
func (w *World) keyOf(c *Command) uint32 {
	key := (uint32(c.Spec) + 1) << 20
	if w.specs[c.Spec].BySource {
		key |= uint32(c.Source*0x9e3779b97f4a7c15>>44) & (1<<20 - 1)
	}
	return key
}

func (w *World) do(o uint32, c *Command, at int64) Result {
	if c.Verb == Remove {
		return w.remove(o, c.Handle, at)
	}
	return w.apply(o, c, at)
}

// lookup returns a live instance, or nil.
func (w *World) lookup(h Handle) *instance {
	at := uint32(h)
	i := &w.instances.at(at >> 3)[at&7]
	if !i.live || i.generation != uint32(h>>32) {
		return nil
	}
	return i
}

func (w *World) remove(o uint32, handle Handle, at int64) Result {
	i := w.lookup(handle)
	if i == nil {
		return Result{}
	}
	w.tell(Removed, at, w.owners.at(o).id, handle, i).Why = Cancelled
	w.free(o, uint32(handle), i)
	return Result{handle, Removed}
}

func (w *World) apply(o uint32, c *Command, at int64) Result {
	h := w.owners.at(o)
	want, spec := w.keyOf(c), &w.specs[c.Spec]
	place, found := uint32(0), false
	for b := range h.used {
		l := w.lines.at(h.number[b])
		for k, key := range &l.key {
			switch {
			case key == want:
				p := h.number[b]<<3 | uint32(k)
				if i := &w.instances.at(p >> 3)[p&7]; !spec.BySource || i.source == c.Source {
					return w.again(h, o, p, i, c, spec, at)
				}
			case key == 0 && !found:
				place, found = h.number[b]<<3|uint32(k), true
			}
		}
	}
	if !found {
		if h.used == blocks {
			panic("floor: an owner with more than 96 buffs")
		}
		number := w.lines.add()
		w.instances.add()
		l := w.lines.at(number)
		for k := range l.due {
			l.due[k] = far
		}
		h.number[h.used] = number
		h.used++
		place = number << 3
	}
	i := &w.instances.at(place >> 3)[place&7]
	h.ages++
	h.live++
	generation := i.generation + 1
	*i = instance{
		source: c.Source, magnitude: c.Magnitude, period: uint32(spec.Period), age: h.ages,
		generation: generation, owner: o, stacks: 1, level: c.Level, spec: c.Spec, live: true, beat: never,
	}
	i.last(c, spec, at)
	if spec.Period > 0 {
		i.beat = at + spec.Period
	}
	w.lines.at(place >> 3).key[place&7] = want
	w.file(o, h, place, i)
	handle := Handle(generation)<<32 | Handle(place)
	w.tell(Applied, at, h.id, handle, i).End = i.end
	return Result{handle, Applied}
}

// last gives an instance its end.
func (i *instance) last(c *Command, spec *Spec, at int64) {
	d := spec.Duration
	if c.Duration > 0 {
		d = c.Duration
	}
	i.duration, i.end = uint32(d), never
	if d > 0 {
		i.end = at + d
	}
}

// again is an application to what is there: one more stack, up to the most, and a new end.
func (w *World) again(h *header, o, place uint32, i *instance, c *Command, spec *Spec, at int64) Result {
	handle, kind := Handle(i.generation)<<32|Handle(place), Refreshed
	i.magnitude, i.level = c.Magnitude, c.Level
	if int(i.stacks) < spec.Stacks {
		i.stacks++
		kind = Stacked
		w.tell(Stacked, at, h.id, handle, i)
	}
	i.last(c, spec, at)
	w.file(o, h, place, i)
	w.tell(Refreshed, at, h.id, handle, i).End = i.end
	return Result{handle, kind}
}
