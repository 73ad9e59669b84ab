package policy

// Share divides the places of a queue among senders. Each sender may occupy as many places as are
// still free. So a single sender gets at most half of the places, two competing senders get a
// third each, and some places are always left for a sender that needs only a few. The zero Share
// has no places.
type Share[K comparable] struct {
	Most int // number of places
	n    int
	of   map[K]int
}

// Take occupies a place for a sender. It returns false if the sender has used its share.
func (s *Share[K]) Take(sender K) bool {
	if s.of[sender] >= s.Most-s.n {
		return false
	}
	if s.of == nil {
		s.of = map[K]int{}
	}
	s.of[sender]++
	s.n++
	return true
}

// Full reports whether a sender cannot occupy another place.
func (s *Share[K]) Full(sender K) bool { return s.of[sender] >= s.Most-s.n }

// Give frees a place of a sender.
func (s *Share[K]) Give(sender K) {
	s.n--
	if s.of[sender]--; s.of[sender] == 0 {
		delete(s.of, sender)
	}
}

// Clear frees all places.
func (s *Share[K]) Clear() {
	s.n = 0
	clear(s.of)
}
