package engine

// owners is where the owners of an engine lie: in slabs, by number, so that a hundred thousand are some hundred pieces of memory to
// the collector, which it reads from one end to the other, and not one each, to be found through a pointer.
//
//	filings    ┌ 0 ┬ 1 ┬ 2 ┬ … by number: what is to be known of an owner without a look at it
//	rows       ┌ ─────────┬ ─────────┬ … of 16 owners each
//	             │          └───────▸ ┌ owner 16 ┬ owner 17 ┬ …
//	             └─▸ ┌ owner 0 ┬ …    └ a slab: one row of the first 256 owners, 16 rows of all others
//
// So a game of ten players has room for 16. The place of an owner who has left is the next one's, and a slab with nobody in it goes
// back. What outlasts a Tick therefore has no bare pointer to an owner but a [ref].
type owners struct {
	filings []filing
	rows    []*row
	living  []int32 // owners of each slabLength numbers, whose slab goes back with the last one
	lives   uint32  // owners so far
}

type row [rowLength]owner

const (
	rowLength  = 16
	slabLength = 256
)

// len returns how many numbers there are.
func (l *owners) len() int { return len(l.filings) }

// at returns the owner of that number, nil if there is none.
func (l *owners) at(number uint32) *owner {
	if !l.filings[number].is(here) {
		return nil
	}
	return l.place(number)
}

// there returns the owner of that number, if it is there and not leaving; nil otherwise, also of a number that nobody has had. It looks
// at the owner and at nothing else of it.
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

// place returns where the owner of that number is, or would be.
func (l *owners) place(number uint32) *owner {
	r := l.rows[number/rowLength]
	if r == nil { // having asked, the compiler takes the address of the owner without a look at the row
		panic("engine: no place for the owner of a number")
	}
	return &r[number%rowLength]
}

// next returns a number that nobody has had.
func (l *owners) next() uint32 {
	l.filings = append(l.filings, notFiled)
	return uint32(len(l.filings) - 1)
}

// begin returns a place for a new owner. It is not there before arrive.
func (l *owners) begin(number uint32) *owner {
	l.makeRoom(number)
	l.lives++
	o := l.place(number)
	*o = owner{number: number, life: l.lives}
	o.box.Owner = o
	return o
}

// arrive says that an owner is there.
func (l *owners) arrive(o *owner) {
	o.presence = there
	l.filings[o.number].note(here)
	l.living[o.number/slabLength]++
}

// depart says that an owner is not there any more. Until the number is used again it can be looked at.
func (l *owners) depart(o *owner) {
	o.box, o.data, o.presence = mailbox{Owner: o}, nil, absent
	l.filings[o.number].forget(here)
	slab := o.number / slabLength
	l.living[slab]--
	if l.living[slab] == 0 && slab > 0 {
		first := slab * (slabLength / rowLength)
		clear(l.rows[first:min(len(l.rows), int(first)+slabLength/rowLength)])
	}
}

// makeRoom makes the slab of a number.
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

// ref names an owner for longer than it may be there: its place may be another one's by then.
type ref struct {
	owner *owner
	life  uint32
}

// ref returns what names the owner.
func (o *owner) ref() ref { return ref{o, o.life} }

// alive returns the owner, nil if it has left or is leaving.
func (r ref) alive() *owner {
	if r.owner.life != r.life || r.owner.leaving() {
		return nil
	}
	return r.owner
}
