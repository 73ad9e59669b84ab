package slots

// Generations determines the generations of slots. The first use of a slot has the generation
// Origin+Base+1. Generations wrap around, skip 0, and end before the origin.
type Generations struct {
	Base   uint32 // number of generations, from the origin on, that are not used
	Origin uint32 // an even number
}

// First returns the generation of the first use of a slot.
func (g Generations) First() uint32 { return max(g.Origin+g.Base+1, 1) }

// Next returns the generation after the given one, and reports whether there is one. The last
// generation is Origin-1, which is never 0, because the origin is even.
func (g Generations) Next(generation uint32) (uint32, bool) {
	next := max(generation+1, 1)
	return next, generation+1 != g.Origin && next != g.Origin
}

// Count returns the number of generations from the origin to the given one.
func (g Generations) Count(generation uint32) uint32 { return generation - g.Origin }
