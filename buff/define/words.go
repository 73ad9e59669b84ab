package define

import "github.com/bufftick/bufftick/internal/wordlist"

// Kind says whether a buff ends by time, at once or never.
type Kind uint8

// Kinds of a buff.Spec.
const (
	Timed    Kind = iota // ends after Spec.Duration
	Instant              // executes its actions immediately and is never added to the owner
	Infinite             // ends only when it is removed
)

// Polarity says whether a buff is good or bad for its owner. Only queries read it.
type Polarity uint8

// Polarities.
const (
	Neutral  Polarity = iota
	Positive          // good for its owner: a buff in the narrow sense
	Negative          // bad for its owner: a debuff
)

// Do is the operation of an [Action].
type Do uint8

// Operations of an action.
const (
	DoCall    Do = iota // call the Go handler Action.Name
	DoApply             // apply the definition Action.Name to the owner
	DoRemove            // end the selected buffs, or remove Action.Stacks stacks of each
	DoKill              // kill the owner
	DoChange            // change the base of an attribute, by Action.Change
	DoDamage            // subtract from the base of an attribute, after the shields have absorbed their part
	DoExtend            // move the ends of the selected buffs by Action.By seconds
	DoUse               // use Action.Stacks charges of the selected buff, one if that is 0
	DoRate              // set the rate of the time of the selected buff to Action.By
	DoDispel            // dispel the selected buffs
	DoSet               // set the variable Action.Var of the buff to Action.By
	DoAdd               // add Action.By to the variable Action.Var of the buff
	DoRevive            // revive the owner
	DoNothing           // no effect; only for an alternative of Action.OneOf
)

// To is the owner that an [Action] acts on. An action on another owner is sent as a command and
// runs at the end of the frame. If that owner does not exist, or is the game itself, the only
// effect is an event of kind Missed. An action on bearers also runs at the end of the frame for the
// owner of the buff itself, and has no effect if there are none.
type To uint8

// Targets of an action.
const (
	ToOwner   To = iota // the owner of the buff
	ToSource            // the owner that applied the buff
	ToTarget            // the other owner of an act or a removal, or the killer; see buff.Event.Target
	ToBearers           // all owners with a buff of the definition Action.Of from the source of the action
)

// Fate is the rule for a buff when its owner dies, its source leaves, its owner changes
// area, or one of its handlers fails.
type Fate uint8

// Fates. The zero value selects the default of the field.
const (
	FateDefault Fate = iota
	FateRemove
	FateKeep
	FatePause // the buff is paused until the owner is revived; only for OnDeath
	FateAdopt // the owner becomes the source of the buff; only for OnSourceGone
)

var (
	kindWords     = []string{"timed", "instant", "infinite"}
	polarityWords = []string{"neutral", "positive", "negative"}
	doWords       = []string{"call", "apply", "remove", "kill", "change", "damage", "extend", "use", "rate", "dispel", "set", "add", "revive", "nothing"}
	toWords       = []string{"owner", "source", "target", "bearers"}
	fateWords     = []string{"default", "remove", "keep", "pause", "adopt"}
)

// String returns the word used in files and logs.
func (k Kind) String() string { return wordlist.Word(kindWords, k) }

// String returns the word used in files and logs.
func (p Polarity) String() string { return wordlist.Word(polarityWords, p) }

// String returns the word used in files and logs.
func (d Do) String() string { return wordlist.Word(doWords, d) }

// String returns the word used in files and logs.
func (t To) String() string { return wordlist.Word(toWords, t) }

// String returns the word used in files and logs.
func (f Fate) String() string { return wordlist.Word(fateWords, f) }

// UnmarshalText sets p to the value that text names.
func (p *Polarity) UnmarshalText(text []byte) error { return wordlist.Parse(p, polarityWords, text) }

// UnmarshalText sets t to the value that text names.
func (t *To) UnmarshalText(text []byte) error { return wordlist.Parse(t, toWords, text) }

// UnmarshalText sets f to the value that text names. The word "default" is not accepted.
func (f *Fate) UnmarshalText(text []byte) error {
	if err := wordlist.Parse(f, fateWords[1:], text); err != nil {
		return err
	}
	*f++
	return nil
}

// SaveMode says whether a buff is saved when its owner leaves.
type SaveMode uint8

// Save modes.
const (
	SaveAlways SaveMode = iota
	SaveNever
	SaveIfRemaining // saved if the remaining time is at least Saving.IfRemaining
)

// Offline is the rule for pulses that were due while the owner was away.
type Offline uint8

// Rules for pulses while the owner is away.
const (
	OfflineNone     Offline = iota // the missed pulses are lost
	OfflineCoalesce                // one pulse at the owner's return replaces all missed pulses
	OfflineAll                     // each missed pulse runs at the owner's return, at most Saving.OfflineCap pulses
)

// OfflineExpire is the rule for a buff that ended while its owner was away.
type OfflineExpire uint8

// Rules for buffs that end while the owner is away.
const (
	OfflineNotify OfflineExpire = iota // the removal is reported at the owner's return
	OfflineSilent                      // the removal is not reported
	// OfflineRun reports the removal and runs the on.remove actions. A buff that these actions
	// apply starts at the time when the first buff ended, if both use the same clock.
	OfflineRun
)

var (
	saveModeWords      = []string{"always", "never", "if_remaining"}
	offlineWords       = []string{"none", "coalesce", "all"}
	offlineExpireWords = []string{"notify", "silent", "run"}
)

// String returns the word used in files and logs.
func (s SaveMode) String() string { return wordlist.Word(saveModeWords, s) }

// String returns the word used in files and logs.
func (o Offline) String() string { return wordlist.Word(offlineWords, o) }

// String returns the word used in files and logs.
func (o OfflineExpire) String() string { return wordlist.Word(offlineExpireWords, o) }

// UnmarshalText sets s to the value that text names.
func (s *SaveMode) UnmarshalText(text []byte) error { return wordlist.Parse(s, saveModeWords, text) }

// UnmarshalText sets o to the value that text names.
func (o *Offline) UnmarshalText(text []byte) error { return wordlist.Parse(o, offlineWords, text) }

// UnmarshalText sets o to the value that text names.
func (o *OfflineExpire) UnmarshalText(text []byte) error {
	return wordlist.Parse(o, offlineExpireWords, text)
}

// AtMin is the rule for an owner when the base of an attribute reaches its minimum.
type AtMin uint8

// Effects of an attribute at its minimum.
const (
	AtMinNothing AtMin = iota
	AtMinKill          // the owner dies
)

// Sync says which clients receive a buff.
type Sync uint8

// Audiences of a buff.
const (
	SyncAll    Sync = iota // every client that sees the owner
	SyncOwner              // the client of the owner
	SyncNone               // no client
	SyncSource             // the client of the source
	SyncParty              // the clients of the owner and of its party
)

// ReloadRule is the rule for running instances when a new version of their definition is
// loaded.
type ReloadRule uint8

// Rules of a reload.
const (
	ReloadKeep    ReloadRule = iota // instances keep the old version until they are refreshed or end
	ReloadMigrate                   // instances switch to the new version at once; their pulses keep their phase
	ReloadEnd                       // instances end, with reason Reload
)

var (
	atMinWords    = []string{"nothing", "kill"}
	syncWords     = []string{"all", "owner", "none", "source", "party"}
	reloadWords   = []string{"keep", "migrate", "end"}
	snapshotWords = []string{"cast", "apply", "pulse", "run"}
	whomWords     = []string{"owner", "source"}
)

// String returns the word used in files and logs.
func (a AtMin) String() string { return wordlist.Word(atMinWords, a) }

// String returns the word used in files and logs.
func (s Sync) String() string { return wordlist.Word(syncWords, s) }

// String returns the word used in files and logs.
func (r ReloadRule) String() string { return wordlist.Word(reloadWords, r) }

// String returns the word used in files and logs.
func (s Snapshot) String() string { return wordlist.Word(snapshotWords, s) }

// String returns the word used in files and logs.
func (w Whose) String() string { return wordlist.Word(whomWords, w) }

// UnmarshalText sets a to the value that text names.
func (a *AtMin) UnmarshalText(text []byte) error { return wordlist.Parse(a, atMinWords, text) }

// UnmarshalText sets s to the value that text names.
func (s *Sync) UnmarshalText(text []byte) error { return wordlist.Parse(s, syncWords, text) }

// UnmarshalText sets r to the value that text names.
func (r *ReloadRule) UnmarshalText(text []byte) error { return wordlist.Parse(r, reloadWords, text) }

// UnmarshalText sets s to the value that text names.
func (s *Snapshot) UnmarshalText(text []byte) error { return wordlist.Parse(s, snapshotWords, text) }

// UnmarshalText sets w to the value that text names.
func (w *Whose) UnmarshalText(text []byte) error { return wordlist.Parse(w, whomWords, text) }
