package view

import (
	"time"

	"github.com/bufftick/bufftick/buff"
)

// SpecStats is what one definition has led to, all its versions together, since the Watch was opened.
type SpecStats struct {
	Spec   *buff.Spec                 // the newest version; nil: what no definition has led to: timeouts, and commands of the game
	Live   int                        // instances that run
	Events [len(View{}.Counts)]uint64 // by kind

	// Handlers is how many calls of handlers have returned, Took how long they took all together,
	// and Times how they are distributed; nil, if none was measured. Of the first calls of a worker in
	// a frame each is measured, then every second, and so on to every 64th, chosen by chance; a
	// measured one stands for the others.
	Handlers uint64
	Took     time.Duration
	Times    *Histogram
}

// Holder is an owner that carries a buff of one definition.
type Holder struct {
	Owner  buff.OwnerID
	Source buff.OwnerID // of the oldest of them
	Buffs  int          // how many it carries
	Stacks int          // of all of them
}

// Holders is a part of an answer of [Watch.Holders].
type Holders struct {
	List []Holder
	Busy int // owners of whom it is not known: their handlers run
	Next int // where the rest of the owners begins; 0: there is none
	All  int // owners that there are, for how far it has come
}
