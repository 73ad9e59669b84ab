package rules

import "math"

// An instance has 32 bits each for its age, period and duration. That is enough for 4 billion
// applications on one owner and for times of 49 days. If one of the three numbers does not fit, all
// three are stored in the extra of the instance.

// maxInline is the largest number that is stored in the instance itself. Tests may lower it.
var maxInline uint64 = math.MaxUint32

// largeNumbers holds the age, period and duration of an instance that has the flag `large`.
type largeNumbers struct {
	age              uint64
	period, duration int64 // ms
}

// age returns the age of an instance: the number of the application that has started it. Ages are
// unique for an owner. They order events of equal rank.
func (i instance) age() uint64 {
	if i.flags&large != 0 {
		return i.extra().large.age
	}
	return uint64(i.age32)
}

// period returns the length of the periods after the current one, in ms; 0 means no pulses.
func (i instance) period() int64 {
	if i.flags&large != 0 {
		return i.extra().large.period
	}
	return int64(i.period32)
}

// duration returns the duration of the last application, in ms. If only some stacks end, the same
// duration starts again.
func (i instance) duration() int64 {
	if i.flags&large != 0 {
		return i.extra().large.duration
	}
	return int64(i.duration32)
}

func (i instance) storeAge(age uint64) {
	if i.age32 = uint32(age); i.flags&large != 0 || age > maxInline {
		i.useLarge().age = age
	}
}

func (i instance) storePeriod(ms int64) {
	if i.period32 = uint32(ms); i.flags&large != 0 || uint64(ms) > maxInline {
		i.useLarge().period = ms
	}
}

func (i instance) storeDuration(ms int64) {
	if i.duration32 = uint32(ms); i.flags&large != 0 || uint64(ms) > maxInline {
		i.useLarge().duration = ms
	}
}

// useLarge returns the large numbers of an instance. If the instance has none yet, useLarge moves
// its age, period and duration into new large numbers, where they stay for the rest of its life.
func (i instance) useLarge() *largeNumbers {
	x := i.ensureExtra()
	if i.flags&large == 0 {
		x.large = &largeNumbers{age: uint64(i.age32), period: int64(i.period32), duration: int64(i.duration32)}
		i.flags |= large
	}
	return x.large
}
