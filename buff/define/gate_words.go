package define

import "github.com/bufftick/bufftick/internal/wordlist"

// GroupRule says how a new instance gets on with those of other kind in its group.
type GroupRule uint8

// The rules of a group. The rule of the newcomer decides.
const (
	GroupAlways        GroupRule = iota // the newcomer replaces whatever is there
	GroupNever                          // it is refused if anything is there
	GroupHigher                         // it replaces what has a lower priority, and is refused otherwise
	GroupEqualOrHigher                  // it replaces what has the same priority or a lower one, and is refused otherwise
	GroupSameSource                     // it replaces what the same source applied; others' stay
	GroupHide                           // all stay; only the one of the highest priority has an effect
)

// Evict says who gives way when a class of slots, or a source's share, is full.
type Evict uint8

// The rules of eviction.
const (
	EvictReject  Evict = iota // the newcomer is refused
	EvictOldest               // the oldest application
	EvictLowest               // the lowest group priority, then the oldest; a newcomer below all of them is refused
	EvictSoonest              // the one that ends soonest, then the oldest
)

// Inhibition says what becomes of the beat of a buff whose requirement fails and then
// holds again. While it fails, pulses are suppressed and the end comes nearer.
type Inhibition uint8

// The rules of inhibition.
const (
	InhibitionKeep    Inhibition = iota // the beat goes on
	InhibitionReset                     // the next pulse is one period after the return
	InhibitionExecute                   // one pulse at the return, the next one period later
)

// ImmuneRule says what becomes of a running buff whose owner becomes immune to it. A new
// one is refused in any case.
type ImmuneRule uint8

// The rules of immunity.
const (
	ImmuneSuppress ImmuneRule = iota // it is hidden while the immunity lasts: nothing of it takes effect, and its time goes on
	ImmuneRemove                     // it is removed
	ImmuneIgnore                     // nothing
)

// DeadRule says what becomes of an application to an owner who is dead: killed, and not
// revived since.
type DeadRule uint8

// The rules for the dead. The zero value is that of the catalog.
const (
	DeadDefault DeadRule = iota // what buff.Definitions.Dead says, and if that says nothing, DeadAllow
	DeadAllow                   // it is carried out
	DeadDeny                    // it is refused
)

// Grade says how strong a dispel must be.
type Grade uint8

// The grades, from the weakest.
const (
	GradeBasic Grade = iota
	GradeStrong
	GradeDeath         // nothing but death, and what removes by hand
	GradeUndispellable // not even a dispel of the grade death
)

// Per says how much one portion of a dispel takes off. A dispel of all takes whole buffs.
type Per uint8

// The portions of a dispel.
const (
	PerAll    Per = iota // the instance
	PerStack             // one stack
	PerCharge            // one charge
)

// Scope says whose applications diminish each other.
type Scope uint8

// The scopes of diminishing returns.
const (
	ScopeTarget Scope = iota // all on the owner
	ScopePair                // those of one source on the owner
)

var (
	deadWords       = []string{"default", "allow", "deny"}
	groupRuleWords  = []string{"always", "never", "higher", "equalOrHigher", "sameSourceOnly", "hide"}
	evictWords      = []string{"reject", "oldest", "lowest-priority", "soonest-to-end"}
	inhibitionWords = []string{"keep", "reset", "execute"}
	immuneRuleWords = []string{"suppress", "remove", "ignore"}
	gradeWords      = []string{"basic", "strong", "death", "undispellable"}
	perWords        = []string{"all", "stack", "charge"}
	scopeWords      = []string{"target", "pair"}
)

// String returns the word of files and logs.
func (g GroupRule) String() string { return wordlist.Word(groupRuleWords, g) }

// String returns the word of files and logs.
func (e Evict) String() string { return wordlist.Word(evictWords, e) }

// String returns the word of files and logs.
func (i Inhibition) String() string { return wordlist.Word(inhibitionWords, i) }

// String returns the word of files and logs.
func (i ImmuneRule) String() string { return wordlist.Word(immuneRuleWords, i) }

// String returns the word of files and logs.
func (g Grade) String() string { return wordlist.Word(gradeWords, g) }

// String returns the word of files and logs.
func (p Per) String() string { return wordlist.Word(perWords, p) }

// String returns the word of files and logs.
func (s Scope) String() string { return wordlist.Word(scopeWords, s) }

// UnmarshalText sets g from its word.
func (g *GroupRule) UnmarshalText(text []byte) error { return wordlist.Parse(g, groupRuleWords, text) }

// UnmarshalText sets e from its word.
func (e *Evict) UnmarshalText(text []byte) error { return wordlist.Parse(e, evictWords, text) }

// UnmarshalText sets i from its word.
func (i *Inhibition) UnmarshalText(text []byte) error {
	return wordlist.Parse(i, inhibitionWords, text)
}

// UnmarshalText sets i from its word.
func (i *ImmuneRule) UnmarshalText(text []byte) error {
	return wordlist.Parse(i, immuneRuleWords, text)
}

// UnmarshalText sets g from its word.
func (g *Grade) UnmarshalText(text []byte) error { return wordlist.Parse(g, gradeWords, text) }

// UnmarshalText sets p from its word.
func (p *Per) UnmarshalText(text []byte) error { return wordlist.Parse(p, perWords, text) }

// UnmarshalText sets s from its word.
func (s *Scope) UnmarshalText(text []byte) error { return wordlist.Parse(s, scopeWords, text) }

// String returns the word of files and logs.
func (d DeadRule) String() string { return wordlist.Word(deadWords, d) }

// UnmarshalText sets d from its word; "default" is not one that may be written.
func (d *DeadRule) UnmarshalText(text []byte) error {
	if err := wordlist.Parse(d, deadWords[1:], text); err != nil {
		return err
	}
	*d++
	return nil
}
