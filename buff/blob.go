package buff

import (
	"slices"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/internal/wordlist"
)

// A blob is one owner, written down:
//
//	"buff"     4 bytes
//	format     1 byte, now 7
//	length     4 bytes, of the whole blob, the highest first
//	contents   as saved.append writes them
//	check      4 bytes: CRC-32C of all before
//
// Format 1 has no attributes, numbers and captures; formats 1 and 2 have no appliers, and say of
// an async stack up to when it counts in pulses in the place of its lag. Formats 1 to 3 do not say what came
// with which buff: of each link that is taken to be the oldest instance of the same source. Formats 1 to 4
// have no numbers of those that wait in a queue, which are taken to be those of the buff. Formats 1 to 5 do not
// say how many events the owner has had, which is taken to be none. Formats 1 to 6 do not say in which zone the owner was,
// which is taken to be 0, nor how many stacks of a link each head has brought, which is taken to be none; and with timers of their own, applications have no
// shield, charges and numbers: those of the buff are taken to be those of the application that ends last, the shields and charges of
// the others to be full, and the numbers to be those of the buff. They are read for ever.
//
// Numbers are varints of the least possible length, signed ones in zigzag. A name is its
// length and its bytes. A list is its length and its entries. Definitions, tags, groups,
// parameters and handlers stand by name, instants as ms from the moment of saving. So a
// blob means the same in another process, and under other definitions, and there is
// exactly one blob for the same contents.

const (
	blobMagic  = "buff"
	blobFormat = 7
	blobHead   = len(blobMagic) + 1 + 4
	blobCheck  = 4
)

// farthest is how far, in ms, an instant may be from the moment of saving: some nine
// million years, and what is farther does not come. Sums of a few such spans are still far
// from the end of an int64.
const farthest = 1 << 58

// mostAges is the most applications and timeouts of one owner that a blob may count.
const mostAges = 1 << 60

// saved is what a blob says. Empty lists are nil.
type saved struct {
	Format   int            `json:"format"`
	Wall     int64          `json:"wall_ms"`
	Uptime   int64          `json:"uptime_ms"`
	Time     int64          `json:"owner_time_ms"`
	Scale    *savedScale    `json:"pace,omitempty"` // nil: the owner's time is that of the world
	Ages     uint64         `json:"ages"`
	Dead     bool           `json:"dead,omitempty"` // the owner has been killed, and not revived since
	Rolls    uint64         `json:"rolls,omitempty"`
	Events   uint64         `json:"events,omitempty"`
	Zone     uint32         `json:"zone,omitempty"`
	Tags     []savedTag     `json:"tags,omitempty"`
	Immune   []savedTag     `json:"immune,omitempty"`
	Returns  []savedReturn  `json:"diminishing,omitempty"`
	Timeouts []savedTimeout `json:"timeouts,omitempty"`
	Bases    []savedValue   `json:"bases,omitempty"` // of attributes, where they are not what the definitions say
	Buffs    []savedBuff    `json:"buffs,omitempty"` // by age, and then those that were kept aside
}

// savedScale is a time that does not pass as the outer one, at the moment of saving.
type savedScale struct {
	Ahead int64  `json:"ahead_ms,omitempty"` // of a buff: it begins that long after the moment; negative: it stands still for so long
	Inner int64  `json:"inner_ms,omitempty"` // of a buff: its time less its owner's
	Rest  int64  `json:"rest,omitempty"`     // and so many parts of a ms
	Parts int64  `json:"parts"`              // of which a ms has that many
	Held  bool   `json:"held,omitempty"`
	Num   uint32 `json:"rate_num,omitempty"`
	Den   uint32 `json:"rate_den,omitempty"`
}

// savedTag is how often the owner was given a tag, or was made immune to it.
type savedTag struct {
	Name string `json:"tag"`
	N    int64  `json:"n"`
}

// savedReturn is what is remembered of a group of diminishing returns.
type savedReturn struct {
	Group  string  `json:"group"`
	Source OwnerID `json:"source,omitempty"`
	N      int64   `json:"n"`
	Left   int64   `json:"left_ms"`
}

// savedTimeout is a timeout that calls a handler by name.
type savedTimeout struct {
	Name    string `json:"name,omitempty"`
	Handler string `json:"handler"`
	Age     uint64 `json:"age"`
	Left    int64  `json:"left_ms"`
}

// savedBuff is one instance.
type savedBuff struct {
	ID        string       `json:"buff"`
	Version   string       `json:"version,omitempty"` // of the definition; nobody writes one yet
	Since     *savedMoment `json:"since,omitempty"`   // kept aside since then; nil: it was live
	Age       uint64       `json:"age"`
	Source    OwnerID      `json:"source"`
	Stacks    int64        `json:"stacks"`
	Level     int64        `json:"level,omitempty"`
	Magnitude int64        `json:"magnitude,omitempty"`
	Clock     string       `json:"clock,omitempty"`          // "" is online
	Left      *int64       `json:"left_ms,omitempty"`        // nil: for ever
	Duration  int64        `json:"duration_ms,omitempty"`    // of the last application; 0: for ever
	Next      *int64       `json:"next_ms,omitempty"`        // to the next boundary of the period, also beyond the end; nil: it does not pulse
	Period    int64        `json:"period_ms,omitempty"`      // 0: that of the definition
	Wanted    int64        `json:"wanted_ms,omitempty"`      // the period from the next refresh on; 0: as it is
	Length    int64        `json:"this_period_ms,omitempty"` // of the period that runs; 0: as those after it
	Key       uint64       `json:"key,omitempty"`
	Charges   int64        `json:"charges,omitempty"`
	Shield    *int64       `json:"shield,omitempty"` // nil: it is none
	Owed      int64        `json:"owed_pulses,omitempty"`
	Hidden    []string     `json:"hidden,omitempty"` // the causes, in the order of causeWords
	Dead      bool         `json:"death_pause,omitempty"`
	Scale     *savedScale  `json:"pace,omitempty"`
	Running   uint64       `json:"running,omitempty"` // with Waiting: the age of what runs, less Age
	Async     []savedStack `json:"layers,omitempty"`  // of TimersEach
	Waiting   []savedStack `json:"waiting,omitempty"` // of TimersQueue
	savedNumbers
	With     []uint64  `json:"with,omitempty"`     // the ages of its heads: the buffs whose link it is
	Brought  []int64   `json:"brought,omitempty"`  // how many stacks each of them has brought; from format 7 on
	Appliers []OwnerID `json:"appliers,omitempty"` // whose applications are in effect, if it is not just that of Source

	spec   *program // of that ID, if the blob is read for a catalog that has one
	fate   fate     // of a Restore
	causes uint64   // Hidden, a bit for each of causeWords: what the bytes have
}

// savedMoment is when a buff of which no definition was known came to be kept aside.
type savedMoment struct {
	Wall   int64 `json:"wall_ms"`
	Uptime int64 `json:"uptime_ms"`
}

// savedStack is one application with a time of its own.
type savedStack struct {
	Left      int64   `json:"left_ms"`
	Last      int64   `json:"counts_for_ms,omitempty"` // in the pulses of that time; from format 3 on only with a lag of -1
	Lag       int64   `json:"lag_ms,omitempty"`        // from a beat to the end of the period of its own that counts there; -1: see Last
	Magnitude int64   `json:"magnitude,omitempty"`
	Source    OwnerID `json:"source"`
	Age       uint64  `json:"age,omitempty"` // less that of the buff
	Stacks    int64   `json:"stacks,omitempty"`
	Level     int64   `json:"level,omitempty"`
	Charges   int64   `json:"charges,omitempty"` // from format 7 on
	Shield    *int64  `json:"shield,omitempty"`  // nil: it has none; from format 7 on

	savedNumbers // of TimersQueue; from format 7 on of TimersEach too
}

// savedNumbers are the numbers of one application.
type savedNumbers struct {
	Params   []savedValue `json:"params,omitempty"`
	Numbers  []savedValue `json:"numbers,omitempty"`  // that the definition reads besides
	Captures []savedValue `json:"captures,omitempty"` // attributes of the source
}

func (n *savedNumbers) some() bool { return len(n.Params)+len(n.Numbers)+len(n.Captures) > 0 }

func (n *savedNumbers) clone() savedNumbers {
	return savedNumbers{slices.Clone(n.Params), slices.Clone(n.Numbers), slices.Clone(n.Captures)}
}

// ownNumbers gives those that wait, in a blob of a format before 5, the numbers that were then of the
// buff, whichever ran: what was known of its source only to those of the same.
func (b *savedBuff) ownNumbers() {
	b.sameNumbers(b.Waiting)
}

func (b *savedBuff) sameNumbers(list []savedStack) {
	for k := range list {
		l := &list[k]
		if l.savedNumbers = b.savedNumbers; l.Source != b.Source {
			l.Captures = nil
		}
	}
}

// ownUses gives the stacks with ends of their own, in a blob of a format before 7, the numbers of the buff, and the one that ends
// last its shield and its charges.
func (b *savedBuff) ownUses() {
	b.sameNumbers(b.Async)
	last := -1
	for k := range b.Async {
		if last < 0 || b.Async[k].Left >= b.Async[last].Left {
			last = k
		}
	}
	if last >= 0 {
		b.Async[last].Charges, b.Async[last].Shield = b.Charges, b.Shield
		b.Charges, b.Shield = 0, nil
	}
}

// savedValue is the value of a parameter, of a number of a definition, or of an attribute;
// of one of a source with the word of its snapshot before it.
type savedValue struct {
	Name  string      `json:"name"`
	Value savedNumber `json:"value"`
}

// lengths are how many entries the lists of a buff have, in the order in which they stand.
type lengths struct{ async, waiting, params, numbers, captures, appliers, with int }

func (b *savedBuff) lengths() lengths {
	return lengths{len(b.Async), len(b.Waiting), len(b.Params), len(b.Numbers), len(b.Captures), len(b.Appliers), len(b.With)}
}

// Which of the fields that a buff may lack it has, a bit each, in the order in which they
// stand.
const (
	hasVersion = 1 << iota
	hasSince
	hasLevel
	hasMagnitude
	hasLeft
	hasDuration
	hasNext
	hasPeriod
	hasWanted
	hasKey
	hasCharges
	hasShield
	hasOwed
	hasHidden
	hasScale
	hasRunning
	hasAsync
	hasWaiting
	hasParams
	isUptime
	isWall
	isDead
	hasLength
	hasNumbers
	hasCaptures
	hasAppliers
	hasWith

	allBits = 1<<iota - 1
)

// What is true of an owner, a bit each in a blob.
const (
	ownerScaled = 1 << iota // its time is not the world's
	ownerDead
	ownerZoned // it is not in zone 0
)

// The causes for which a buff is hidden, a bit each in a blob, and their words in JSON.
var (
	causeFlags = [...]flags{unmet, inhibited, weaker, ineffective, immune}
	causeWords = [...]string{"requirement", "inhibited", "group", "effective", "immune"}
)

// clockWords are the words of the clocks.
var clockWords = wordlist.All(define.Wall)

// BlobMoment returns the time of the calendar and the uptime, in ms, that [Set.Save] was given for
// a blob. It fails with [ErrBlob]; of what else is in the blob it looks at the check only.
func BlobMoment(blob []byte) (wall, uptime int64, err error) {
	r := &reader{b: blob}
	r.format = r.open()
	wall, uptime = r.int(), r.int()
	return wall, uptime, r.err
}

// BlobZone returns the zone that the owner of a blob was in: see [Set.Save]. It fails with [ErrBlob]; of what else is in
// the blob it looks at the check only.
func BlobZone(blob []byte) (zone uint32, err error) {
	r := &reader{b: blob}
	r.format = r.open()
	if b := (saved{Format: r.format}); r.format > 6 {
		r.place(&b)
		zone = b.Zone
	}
	return zone, r.err
}

// MoveBlob returns a blob as [Set.Save] would have made it on a server that had run for uptime ms, of an owner in zone 0: so
// it goes to another server, whose uptime and zones are its own. No time passes by uptime for its Uptime buffs; the
// time of the calendar passes. It fails with [ErrBlob].
func MoveBlob(blob []byte, uptime int64) ([]byte, error) {
	b, err := readBlob(blob, &blobScratch{})
	if err != nil {
		return nil, err
	}
	on := uptime - b.Uptime
	b.Uptime, b.Zone = uptime, 0
	for k := range b.Buffs {
		if since := b.Buffs[k].Since; since != nil {
			since.Uptime += on
		}
	}
	return b.append(make([]byte, 0, len(blob)+8)), nil
}
