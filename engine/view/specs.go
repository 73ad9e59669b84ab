package view

import (
	"time"

	"github.com/bufftick/bufftick/buff"
)

// SpecStats holds the statistics of one definition, over all its versions, since the Watch was
// opened.
type SpecStats struct {
	// Spec is the newest version, or nil for events without a definition, such as timeouts.
	Spec   *buff.Spec
	Live   int                        // number of running instances
	Events [len(View{}.Counts)]uint64 // number of events, by kind

	// Handlers is the number of handler calls that have returned. Took is their total duration, and
	// Times is the distribution of their durations. Times is nil if no call was measured. All three
	// are estimates, because only a sample of the calls is measured: a worker measures the first
	// calls in a frame, later one call in two, chosen at random, and so on, down to one call in
	// 64. Each measured call also counts for the calls around it that are not measured.
	Handlers uint64
	Took     time.Duration
	Times    *Histogram
}

// Holder is an owner with buffs of one definition.
type Holder struct {
	Owner  buff.OwnerID
	Source buff.OwnerID // source of the oldest of these buffs
	Buffs  int          // number of these buffs
	Stacks int          // number of stacks of all these buffs
}

// Holders is the result of [Watch.Holders].
type Holders struct {
	List []Holder
	Busy int // number of busy owners, whose buffs cannot be read
	Next int // value of the parameter `from` for the next call; 0 if all owners have been visited
	All  int // number of owner numbers in use; `from`/All is the fraction visited by earlier calls
}
