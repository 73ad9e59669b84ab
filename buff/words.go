package buff

import (
	"fmt"
	"strings"
)

// Each rule that a definition can choose is a small enumeration whose zero value
// is the default. In files and logs a value is one lower-case word; the tables of
// the files words*.go are the only place where the words stand.

// Kind says how a buff lives.
type Kind uint8

// The kinds of a [Spec].
const (
	Timed    Kind = iota // lives for Spec.Duration
	Instant              // does its work at once and is never carried
	Infinite             // lives until something removes it
)

// Polarity says what a buff is to its owner. Only queries read it.
type Polarity uint8

// The polarities.
const (
	Neutral  Polarity = iota
	Positive          // a buff in the narrow sense
	Negative          // a debuff
)

// Do is what an [Action] does.
type Do uint8

// The actions.
const (
	DoCall   Do = iota // call the Go handler Action.Name
	DoApply            // apply the definition Action.Name to the owner
	DoRemove           // remove the oldest instance of the definition Action.Name
	DoKill             // the owner dies
	DoChange           // change the base of an attribute: Action.Change
	DoDamage           // the same downwards, after the shields
)

// To says whom an [Action] is for. What is for another owner is a command across owners: it comes at
// the end of the frame; for one that is not there it is lost, and counted.
type To uint8

// Whom it may be for.
const (
	ToOwner  To = iota // who carries the buff
	ToSource           // who applied it; nobody if that is the game
	ToTarget           // of what happened, who else was in it: [Happened]
)

// Fate says what becomes of a buff when something befalls its owner, its source or
// its handler.
type Fate uint8

// The fates. The zero value stands for the default of the field it is used in.
const (
	FateDefault Fate = iota
	FateRemove
	FateKeep
	FatePause // it stands still until the owner is revived; only for OnDeath
	FateAdopt // the owner becomes its source; only for OnSourceGone
)

var (
	kindWords     = []string{"timed", "instant", "infinite"}
	polarityWords = []string{"neutral", "positive", "negative"}
	doWords       = []string{"call", "apply", "remove", "kill", "change", "damage"}
	toWords       = []string{"owner", "source", "target"}
	fateWords     = []string{"default", "remove", "keep", "pause", "adopt"}
)

// String returns the word of files and logs.
func (k Kind) String() string { return word(kindWords, k) }

// String returns the word of files and logs.
func (p Polarity) String() string { return word(polarityWords, p) }

// String returns the word of files and logs.
func (d Do) String() string { return word(doWords, d) }

// String returns the word of files and logs.
func (t To) String() string { return word(toWords, t) }

// String returns the word of files and logs.
func (f Fate) String() string { return word(fateWords, f) }

// UnmarshalText sets p from its word.
func (p *Polarity) UnmarshalText(text []byte) error { return parse(p, polarityWords, text) }

// UnmarshalText sets t from its word.
func (t *To) UnmarshalText(text []byte) error { return parse(t, toWords, text) }

// UnmarshalText sets f from its word; "default" is not one that may be written.
func (f *Fate) UnmarshalText(text []byte) error {
	if err := parse(f, fateWords[1:], text); err != nil {
		return err
	}
	*f++
	return nil
}

func word[E ~uint8](words []string, e E) string {
	if int(e) < len(words) {
		return words[e]
	}
	return fmt.Sprintf("%T(%d)", e, e)
}

func parse[E ~uint8](e *E, words []string, text []byte) error {
	for i, w := range words {
		if w == string(text) {
			*e = E(i)
			return nil
		}
	}
	last := len(words) - 1
	return fmt.Errorf("unknown word %q: want %s or %s%s", text, strings.Join(words[:last], ", "), words[last], didYouMean(string(text), words))
}
