package engine

// owners stores the owners of an engine in slabs, by number. A hundred thousand owners are then a
// few hundred large objects that the garbage collector scans sequentially, and not a hundred
// thousand small ones.
//
//	marks      ┌ 0 ┬ 1 ┬ 2 ┬ … by number: what the loop notes about the owners
//	rows       ┌ ─────────┬ ─────────┬ … of 16 owners each
//	             │          └───────▸ ┌ owner 16 ┬ owner 17 ┬ …
//	             └─▸ ┌ owner 0 ┬ …    └ a slab: 1 row for the first 256 owners, 16 rows for later ones
//
// So a game of ten players has memory for 16 owners. When an owner leaves, its place is reused,
// and a slab without owners is freed. Therefore references to owners that outlast a Tick must not
// be pointers but [ref]s.
type owners struct {
	marks  []ownerMark
	rows   []*row
	living []int32 // number of owners in each slab; at 0, the slab is freed
	lives  uint32  // number of owners made so far
}

type row [rowLength]owner

const (
	rowLength  = 16
	slabLength = 256
)

// len returns the number of owner numbers in use.
func (l *owners) len() int { return len(l.marks) }

// at returns the owner with the given number, or nil if there is none. The number must be below
// len.
func (l *owners) at(number uint32) *owner {
	if !l.marks[number].has(markPresent) {
		return nil
	}
	return l.place(number)
}

// there returns the owner with the given number if that owner is present and not leaving, otherwise
// nil. It accepts any number, and accesses only the owner itself, not its record.
func (l *owners) there(number uint32) *owner {
	k := number / rowLength
	if int(k) >= len(l.rows) {
		return nil
	}
	r := l.rows[k]
	if r == nil {
		return nil
	}
	if o := &r[number%rowLength]; !o.leaving() {
		return o
	}
	return nil
}

// place returns the place for the owner with the given number, even if the number is not in use.
func (l *owners) place(number uint32) *owner {
	r := l.rows[number/rowLength]
	// With this check, the compiler computes the address below without loading the row.
	if r == nil {
		panic("engine: no place for the owner of a number")
	}
	return &r[number%rowLength]
}

// next returns a new owner number.
func (l *owners) next() uint32 {
	l.marks = append(l.marks, 0)
	return uint32(len(l.marks) - 1)
}

// reserve returns the place for a new owner. The owner is absent until arrive is called.
func (l *owners) reserve(number uint32) *owner {
	l.makeRoom(number)
	l.lives++
	o := l.place(number)
	*o = owner{number: number, life: l.lives}
	o.box.Owner = o
	return o
}

// arrive marks an owner as present.
func (l *owners) arrive(o *owner) {
	o.presence = there
	l.marks[o.number] = markPresent
	l.living[o.number/slabLength]++
}

// depart marks an owner as absent. The owner can still be read until its number is reused.
func (l *owners) depart(o *owner) {
	o.box, o.data, o.presence = mailbox{Owner: o}, nil, absent
	l.marks[o.number].clear(markPresent)
	slab := o.number / slabLength
	l.living[slab]--
	if l.living[slab] == 0 && slab > 0 {
		first := slab * (slabLength / rowLength)
		clear(l.rows[first:min(len(l.rows), int(first)+slabLength/rowLength)])
	}
}

// makeRoom allocates the slab of a number, if it is not allocated.
func (l *owners) makeRoom(number uint32) {
	k := int(number / rowLength)
	for len(l.rows) <= k {
		l.rows = append(l.rows, nil)
	}
	for len(l.living) <= int(number/slabLength) {
		l.living = append(l.living, 0)
	}
	switch {
	case l.rows[k] != nil:
	case number < slabLength:
		l.rows[k] = new(row)
	default:
		const rows = slabLength / rowLength
		slab := new([rows]row)
		first := k / rows * rows
		for len(l.rows) < first+rows {
			l.rows = append(l.rows, nil)
		}
		for j := range slab {
			l.rows[first+j] = &slab[j]
		}
	}
}

// ref is a reference to an owner. It detects that the owner has left, even if its place has been
// reused.
type ref struct {
	owner *owner
	life  uint32
}

func (o *owner) ref() ref { return ref{o, o.life} }

// alive returns the owner, or nil if it has left or is leaving.
func (r ref) alive() *owner {
	if r.owner.life != r.life || r.owner.leaving() {
		return nil
	}
	return r.owner
}
