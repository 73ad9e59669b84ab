package define

import "github.com/bufftick/bufftick/internal/wordlist"

// First says whether a buff pulses when it is applied.
type First uint8

// Rules for the first pulse.
const (
	FirstNone  First = iota // the first pulse is one period after the start
	FirstStart              // a new instance also pulses when it starts
	FirstEvery              // like FirstStart, and it also pulses at each refresh
)

// Tail is the rule for the last part of a duration, if it is shorter than a period.
type Tail uint8

// Rules for the tail.
const (
	TailNone    Tail = iota // only whole periods pulse
	TailPartial             // one more pulse at the end, for the fraction of a period that is left
	TailFit                 // durations are rounded to whole periods, half up, at least one
)

// Align says from which instant periods are counted.
type Align uint8

// Rules of alignment.
const (
	AlignStart Align = iota // from the start of the instance
	// AlignOwner counts from the zero of the owner's time, so that all aligned buffs of the owner
	// that have the same period pulse together
	AlignOwner
)

// Haste says how a change of the period affects the next pulse.
type Haste uint8

// Rules of haste.
const (
	HasteSnapshot Haste = iota // the new period takes effect at the next refresh
	HasteNext                  // the next pulse does not move; later pulses use the new period
	HasteRescale               // the time left until the next pulse is scaled, rounded half up
)

// Catchup is the rule for several pulses of one instance that are due in the same late
// frame.
type Catchup uint8

// Rules of catching up.
const (
	CatchupAll      Catchup = iota // every due pulse runs
	CatchupCoalesce                // one pulse replaces all due pulses and counts for all of them
	CatchupSkip                    // only the last due pulse runs; the others are dropped
)

// Clock says when time passes for a buff while its owner is away.
type Clock uint8

// Clocks.
const (
	Online Clock = iota // no time passes while the owner is away, so the buff is paused
	Uptime              // time passes only while the server runs
	Wall                // real time passes
)

var (
	firstWords   = []string{"none", "start", "every"}
	tailWords    = []string{"none", "partial", "fit"}
	alignWords   = []string{"start", "owner"}
	hasteWords   = []string{"snapshot", "next", "rescale"}
	catchupWords = []string{"all", "coalesce", "skip"}
	clockNames   = []string{"online", "uptime", "wall"}
)

// String returns the word used in files and logs.
func (f First) String() string { return wordlist.Word(firstWords, f) }

// String returns the word used in files and logs.
func (t Tail) String() string { return wordlist.Word(tailWords, t) }

// String returns the word used in files and logs.
func (a Align) String() string { return wordlist.Word(alignWords, a) }

// String returns the word used in files and logs.
func (h Haste) String() string { return wordlist.Word(hasteWords, h) }

// String returns the word used in files and logs.
func (c Catchup) String() string { return wordlist.Word(catchupWords, c) }

// String returns the word used in files and logs.
func (c Clock) String() string { return wordlist.Word(clockNames, c) }

// UnmarshalText sets f to the value that text names.
func (f *First) UnmarshalText(text []byte) error { return wordlist.Parse(f, firstWords, text) }

// UnmarshalText sets t to the value that text names.
func (t *Tail) UnmarshalText(text []byte) error { return wordlist.Parse(t, tailWords, text) }

// UnmarshalText sets a to the value that text names.
func (a *Align) UnmarshalText(text []byte) error { return wordlist.Parse(a, alignWords, text) }

// UnmarshalText sets h to the value that text names.
func (h *Haste) UnmarshalText(text []byte) error { return wordlist.Parse(h, hasteWords, text) }

// UnmarshalText sets c to the value that text names.
func (c *Catchup) UnmarshalText(text []byte) error { return wordlist.Parse(c, catchupWords, text) }

// UnmarshalText sets c to the value that text names.
func (c *Clock) UnmarshalText(text []byte) error { return wordlist.Parse(c, clockNames, text) }
