package define

import "github.com/bufftick/bufftick/internal/wordlist"

// ChangeKind says how a definition differs from the one that it took the place of.
type ChangeKind uint8

// The kinds of a [SpecChange].
const (
	SpecSame ChangeKind = iota // not at all; no SpecChange says so
	SpecAdded
	SpecChanged
	SpecRemoved
)

var changeWords = []string{"same", "added", "changed", "removed"}

// String returns the word of reports: "added".
func (c ChangeKind) String() string { return wordlist.Word(changeWords, c) }

// SpecChange is one definition in which a catalog differs from the one before.
type SpecChange struct {
	ID   string     // the definition
	Kind ChangeKind // never SpecSame
}
