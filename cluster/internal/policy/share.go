package policy

// Share divides the room for what waits among those who send. Each may have as much as is left free, and no more:
// one that floods has half of the room, two have a third each, and there is always some for who has little.
// The zero Share has no room.
type Share[K comparable] struct {
	Most int // that may wait in all
	n    int
	of   map[K]int
}

// Take takes a place, and reports whether there was one for this sender.
func (s *Share[K]) Take(who K) bool {
	if s.of[who] >= s.Most-s.n {
		return false
	}
	if s.of == nil {
		s.of = map[K]int{}
	}
	s.of[who]++
	s.n++
	return true
}

// Full reports whether there is no place for this sender.
func (s *Share[K]) Full(who K) bool { return s.of[who] >= s.Most-s.n }

// Give gives a place back.
func (s *Share[K]) Give(who K) {
	s.n--
	if s.of[who]--; s.of[who] == 0 {
		delete(s.of, who)
	}
}

// Clear gives all back.
func (s *Share[K]) Clear() {
	s.n = 0
	clear(s.of)
}
