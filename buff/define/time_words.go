package define

import "github.com/bufftick/bufftick/internal/wordlist"

// First says whether a buff pulses at the moment of its application.
type First uint8

// The rules for the first pulse.
const (
	FirstNone  First = iota // the first pulse comes one period after the start
	FirstStart              // a new instance pulses at once
	FirstEvery              // as FirstStart, and again at each refresh
)

// Tail says what happens to the last part of a duration that is no multiple of the
// period.
type Tail uint8

// The rules for the tail.
const (
	TailNone    Tail = iota // nothing: only whole periods pulse
	TailPartial             // one more pulse at the end, with its fraction of a period
	TailFit                 // there is none: each duration is rounded to whole periods, half up, at least one
)

// Align says from where the periods are counted.
type Align uint8

// The rules of alignment.
const (
	AlignStart Align = iota // from the start of the instance
	AlignOwner              // from the zero of the owner's time: all its aligned buffs of one period pulse together
)

// Haste says what a change of the period does to the pulse that is to come.
type Haste uint8

// The rules of haste.
const (
	HasteSnapshot Haste = iota // nothing changes before the next refresh
	HasteNext                  // the pulse to come stays, the ones after it have the new period
	HasteRescale               // what is left until the pulse to come is scaled, half up
)

// Catchup says what becomes of the pulses of one instance that come due in one late
// frame.
type Catchup uint8

// The rules of catching up.
const (
	CatchupAll      Catchup = iota // each of them pulses
	CatchupCoalesce                // one pulse stands for them, with their count
	CatchupSkip                    // the last one pulses, the others are dropped
)

// Clock says which time a buff lives by while its owner is away.
type Clock uint8

// The clocks.
const (
	Online Clock = iota // it stands still
	Uptime              // it goes on while the server runs
	Wall                // it goes on
)

var (
	firstWords   = []string{"none", "start", "every"}
	tailWords    = []string{"none", "partial", "fit"}
	alignWords   = []string{"start", "owner"}
	hasteWords   = []string{"snapshot", "next", "rescale"}
	catchupWords = []string{"all", "coalesce", "skip"}
	clockNames   = []string{"online", "uptime", "wall"}
)

// String returns the word of files and logs.
func (f First) String() string { return wordlist.Word(firstWords, f) }

// String returns the word of files and logs.
func (t Tail) String() string { return wordlist.Word(tailWords, t) }

// String returns the word of files and logs.
func (a Align) String() string { return wordlist.Word(alignWords, a) }

// String returns the word of files and logs.
func (h Haste) String() string { return wordlist.Word(hasteWords, h) }

// String returns the word of files and logs.
func (c Catchup) String() string { return wordlist.Word(catchupWords, c) }

// String returns the word of files and logs.
func (c Clock) String() string { return wordlist.Word(clockNames, c) }

// UnmarshalText sets f from its word.
func (f *First) UnmarshalText(text []byte) error { return wordlist.Parse(f, firstWords, text) }

// UnmarshalText sets t from its word.
func (t *Tail) UnmarshalText(text []byte) error { return wordlist.Parse(t, tailWords, text) }

// UnmarshalText sets a from its word.
func (a *Align) UnmarshalText(text []byte) error { return wordlist.Parse(a, alignWords, text) }

// UnmarshalText sets h from its word.
func (h *Haste) UnmarshalText(text []byte) error { return wordlist.Parse(h, hasteWords, text) }

// UnmarshalText sets c from its word.
func (c *Catchup) UnmarshalText(text []byte) error { return wordlist.Parse(c, catchupWords, text) }

// UnmarshalText sets c from its word.
func (c *Clock) UnmarshalText(text []byte) error { return wordlist.Parse(c, clockNames, text) }
