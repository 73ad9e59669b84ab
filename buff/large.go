package buff

import "math"

// An instance has 32 bits for its age, its period and its duration: four thousand million applications on one owner, and
// 49 days. One of which a number does not fit has all three of them beside it; that costs it an extra, and changes nothing else.

// fits is the largest number that an instance has room for. In tests it may be smaller.
var maxInline uint64 = math.MaxUint32

// largeNumbers are the numbers of an instance that is flagged large.
type largeNumbers struct {
	age              uint64
	period, duration int64 // ms
}

// age returns the number of the application that made the instance, counted on its owner: equal ranks go by it.
func (s *Set) age(i *instance) uint64 {
	if i.flags&large != 0 {
		return s.extraOf(i).large.age
	}
	return uint64(i.age32)
}

// period returns the length of the periods after the one that runs, in ms; 0: it does not pulse.
func (s *Set) period(i *instance) int64 {
	if i.flags&large != 0 {
		return s.extraOf(i).large.period
	}
	return int64(i.period32)
}

// duration returns the length of the last application, in ms: what the end of a stack begins anew.
func (s *Set) duration(i *instance) int64 {
	if i.flags&large != 0 {
		return s.extraOf(i).large.duration
	}
	return int64(i.duration32)
}

// storeAge gives an instance its age, takePeriod and takeDuration another period and duration, wherever they have room.
func (s *Set) storeAge(i *instance, age uint64) {
	if i.age32 = uint32(age); i.flags&large != 0 || age > maxInline {
		s.useLarge(i).age = age
	}
}

func (s *Set) storePeriod(i *instance, ms int64) {
	if i.period32 = uint32(ms); i.flags&large != 0 || uint64(ms) > maxInline {
		s.useLarge(i).period = ms
	}
}

func (s *Set) storeDuration(i *instance, ms int64) {
	if i.duration32 = uint32(ms); i.flags&large != 0 || uint64(ms) > maxInline {
		s.useLarge(i).duration = ms
	}
}

// useLarge puts the numbers of an instance beside it, if they are not there, for as long as it lives.
func (s *Set) useLarge(i *instance) *largeNumbers {
	x := s.ensureExtra(i)
	if i.flags&large == 0 {
		x.large = &largeNumbers{age: uint64(i.age32), period: int64(i.period32), duration: int64(i.duration32)}
		i.flags |= large
	}
	return x.large
}
