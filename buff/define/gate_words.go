package define

import "github.com/bufftick/bufftick/internal/wordlist"

// GroupRule says how a new instance interacts with the other buffs of its group.
type GroupRule uint8

// Rules of a group. The rule in the definition of the new instance decides. In the comments below,
// "it" is the new instance, and "others" are the buffs of the group that the owner already has.
const (
	GroupAlways        GroupRule = iota // it replaces all others
	GroupNever                          // it is denied if there are others
	GroupHigher                         // it replaces lower priorities, and is denied by equal or higher ones
	GroupEqualOrHigher                  // it replaces equal or lower priorities, and is denied by higher ones
	GroupSameSource                     // it replaces others of the same source; the rest stay
	GroupHide                           // all buffs stay; only the highest priority has an effect
)

// Evict says which buff is removed when a class of slots is full.
type Evict uint8

// Rules of eviction.
const (
	EvictReject Evict = iota // no buff is removed; the new buff is denied
	EvictOldest              // the oldest buff is removed
	// EvictLowest removes the buff with the lowest group priority and, among buffs of equal
	// priority, the oldest. If the new buff has a lower priority than all others, it is denied.
	EvictLowest
	EvictSoonest // the buff that ends soonest is removed; among equal ends, the oldest buff
)

// Inhibition is the rule for the phase of the pulses of a buff when its requirement holds
// again after it has failed. While the requirement fails, pulses are suppressed but the duration
// passes.
type Inhibition uint8

// Rules of inhibition.
const (
	InhibitionKeep    Inhibition = iota // the next pulse is due as if the requirement had never failed
	InhibitionReset                     // the next pulse is due one period after the requirement holds again
	InhibitionExecute                   // like InhibitionReset, and also one pulse at once
)

// ImmuneRule is the rule for a running buff when its owner becomes immune to it. New
// applications are denied in any case.
type ImmuneRule uint8

// Rules of immunity.
const (
	// ImmuneSuppress hides the buff while the immunity lasts. The buff then has no effect, but its
	// time passes.
	ImmuneSuppress ImmuneRule = iota
	ImmuneRemove              // the buff is removed
	ImmuneIgnore              // the buff is not affected
)

// DeadRule says whether a buff can be applied to an owner that has been killed and not revived.
type DeadRule uint8

// Rules for dead owners. The zero value selects the rule of the catalog.
const (
	DeadDefault DeadRule = iota // buff.Definitions.Dead, or DeadAllow if that is DeadDefault too
	DeadAllow                   // the application is accepted
	DeadDeny                    // the application is denied
)

// Grade is the strength that a dispel needs to remove a buff.
type Grade uint8

// Grades, from the weakest.
const (
	GradeBasic Grade = iota
	GradeStrong
	GradeDeath         // removed only by a dispel of this grade, death or Remove
	GradeUndispellable // removed by no dispel
)

// Per is the unit in which a dispel removes a buff. A dispel without a limit removes whole buffs.
type Per uint8

// Units of a dispel.
const (
	PerAll    Per = iota // the whole instance
	PerStack             // one stack
	PerCharge            // one charge
)

// Scope says which applications count together for diminishing returns.
type Scope uint8

// Scopes of diminishing returns.
const (
	ScopeTarget Scope = iota // all applications to the owner
	ScopePair                // all applications to the owner by the same source
)

var (
	deadWords       = []string{"default", "allow", "deny"}
	groupRuleWords  = []string{"always", "never", "higher", "equal_or_higher", "same_source_only", "hide"}
	evictWords      = []string{"reject", "oldest", "lowest_priority", "soonest_to_end"}
	inhibitionWords = []string{"keep", "reset", "execute"}
	immuneRuleWords = []string{"suppress", "remove", "ignore"}
	gradeWords      = []string{"basic", "strong", "death", "undispellable"}
	perWords        = []string{"all", "stack", "charge"}
	scopeWords      = []string{"target", "pair"}
)

// String returns the word used in files and logs.
func (g GroupRule) String() string { return wordlist.Word(groupRuleWords, g) }

// String returns the word used in files and logs.
func (e Evict) String() string { return wordlist.Word(evictWords, e) }

// String returns the word used in files and logs.
func (i Inhibition) String() string { return wordlist.Word(inhibitionWords, i) }

// String returns the word used in files and logs.
func (i ImmuneRule) String() string { return wordlist.Word(immuneRuleWords, i) }

// String returns the word used in files and logs.
func (g Grade) String() string { return wordlist.Word(gradeWords, g) }

// String returns the word used in files and logs.
func (p Per) String() string { return wordlist.Word(perWords, p) }

// String returns the word used in files and logs.
func (s Scope) String() string { return wordlist.Word(scopeWords, s) }

// UnmarshalText sets g to the value that text names.
func (g *GroupRule) UnmarshalText(text []byte) error { return wordlist.Parse(g, groupRuleWords, text) }

// UnmarshalText sets e to the value that text names.
func (e *Evict) UnmarshalText(text []byte) error { return wordlist.Parse(e, evictWords, text) }

// UnmarshalText sets i to the value that text names.
func (i *Inhibition) UnmarshalText(text []byte) error {
	return wordlist.Parse(i, inhibitionWords, text)
}

// UnmarshalText sets i to the value that text names.
func (i *ImmuneRule) UnmarshalText(text []byte) error {
	return wordlist.Parse(i, immuneRuleWords, text)
}

// UnmarshalText sets g to the value that text names.
func (g *Grade) UnmarshalText(text []byte) error { return wordlist.Parse(g, gradeWords, text) }

// UnmarshalText sets p to the value that text names.
func (p *Per) UnmarshalText(text []byte) error { return wordlist.Parse(p, perWords, text) }

// UnmarshalText sets s to the value that text names.
func (s *Scope) UnmarshalText(text []byte) error { return wordlist.Parse(s, scopeWords, text) }

// String returns the word used in files and logs.
func (d DeadRule) String() string { return wordlist.Word(deadWords, d) }

// UnmarshalText sets d to the value that text names. The word "default" is not accepted.
func (d *DeadRule) UnmarshalText(text []byte) error {
	if err := wordlist.Parse(d, deadWords[1:], text); err != nil {
		return err
	}
	*d++
	return nil
}
