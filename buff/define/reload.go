package define

import "github.com/bufftick/bufftick/internal/wordlist"

// ChangeKind says how a definition differs from its version in the previous catalog.
type ChangeKind uint8

// Kinds of a [SpecChange].
const (
	SpecSame ChangeKind = iota // no difference; never in a SpecChange
	SpecAdded
	SpecChanged
	SpecRemoved
)

var changeWords = []string{"same", "added", "changed", "removed"}

// String returns the word used in reports, such as "added".
func (c ChangeKind) String() string { return wordlist.Word(changeWords, c) }

// SpecChange is one difference between a catalog and the previous catalog.
type SpecChange struct {
	ID   string     // ID of the definition
	Kind ChangeKind // never SpecSame
}
