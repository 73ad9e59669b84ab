package define

import "github.com/bufftick/bufftick/internal/wordlist"

// Kind says how a buff lives.
type Kind uint8

// The kinds of a buff.Spec.
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

// Do is what an buff.Action does.
type Do uint8

// The actions.
const (
	DoCall   Do = iota // call the Go handler Action.Name
	DoApply            // apply the definition Action.Name to the owner
	DoRemove           // remove the oldest instance of the definition Action.Name that has the source of the action, or else the oldest
	DoKill             // the owner dies
	DoChange           // change the base of an attribute: Action.Change
	DoDamage           // the same downwards, after the shields
)

// To says whom a buff.Action is for. An action for another owner is a command across owners, carried
// out at the end of the frame. If that owner is not there, or is the game, nothing is done and an event
// of the kind Missed says so.
type To uint8

// Whom it may be for.
const (
	ToOwner  To = iota // who carries the buff
	ToSource           // who applied it
	ToTarget           // the other owner of the act: buff.Happened
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
func (k Kind) String() string { return wordlist.Word(kindWords, k) }

// String returns the word of files and logs.
func (p Polarity) String() string { return wordlist.Word(polarityWords, p) }

// String returns the word of files and logs.
func (d Do) String() string { return wordlist.Word(doWords, d) }

// String returns the word of files and logs.
func (t To) String() string { return wordlist.Word(toWords, t) }

// String returns the word of files and logs.
func (f Fate) String() string { return wordlist.Word(fateWords, f) }

// UnmarshalText sets p from its word.
func (p *Polarity) UnmarshalText(text []byte) error { return wordlist.Parse(p, polarityWords, text) }

// UnmarshalText sets t from its word.
func (t *To) UnmarshalText(text []byte) error { return wordlist.Parse(t, toWords, text) }

// UnmarshalText sets f from its word; "default" is not one that may be written.
func (f *Fate) UnmarshalText(text []byte) error {
	if err := wordlist.Parse(f, fateWords[1:], text); err != nil {
		return err
	}
	*f++
	return nil
}

// SaveMode says whether a buff is kept when its owner leaves.
type SaveMode uint8

// The modes of saving.
const (
	SaveAlways SaveMode = iota
	SaveNever
	SaveIfRemaining // if at least Saving.IfRemaining is left
)

// Offline says what becomes of the pulses that fell into the time away.
type Offline uint8

// The rules for pulses offline.
const (
	OfflineNone     Offline = iota // they are lost
	OfflineCoalesce                // one pulse at the return stands for them
	OfflineAll                     // each pulses at the return, at most Saving.OfflineCap
)

// OfflineExpire says what is told of a buff that ended while its owner was away.
type OfflineExpire uint8

// The rules for ends offline.
const (
	OfflineNotify OfflineExpire = iota // its removal is reported at the return
	OfflineSilent                      // nothing
	OfflineRun                         // it is reported, and on.remove is done: what that applies by the same clock starts at the end
)

var (
	saveModeWords      = []string{"always", "never", "ifRemaining"}
	offlineWords       = []string{"none", "coalesce", "all"}
	offlineExpireWords = []string{"notify", "silent", "run"}
)

// String returns the word of files and logs.
func (s SaveMode) String() string { return wordlist.Word(saveModeWords, s) }

// String returns the word of files and logs.
func (o Offline) String() string { return wordlist.Word(offlineWords, o) }

// String returns the word of files and logs.
func (o OfflineExpire) String() string { return wordlist.Word(offlineExpireWords, o) }

// UnmarshalText sets s from its word.
func (s *SaveMode) UnmarshalText(text []byte) error { return wordlist.Parse(s, saveModeWords, text) }

// UnmarshalText sets o from its word.
func (o *Offline) UnmarshalText(text []byte) error { return wordlist.Parse(o, offlineWords, text) }

// UnmarshalText sets o from its word.
func (o *OfflineExpire) UnmarshalText(text []byte) error {
	return wordlist.Parse(o, offlineExpireWords, text)
}

// AtMin says what becomes of an owner when the base of an attribute reaches its minimum.
type AtMin uint8

// What there is at the least.
const (
	AtMinNothing AtMin = iota
	AtMinKill          // it dies
)

// Sync says which clients are told of a buff.
type Sync uint8

// Which clients are told of a buff.
const (
	SyncAll    Sync = iota // all who see the owner
	SyncOwner              // the owner's own
	SyncNone               // none
	SyncSource             // that of whoever has applied it
	SyncParty              // the owner's own, and those of its party
)

// ReloadRule says what becomes of running instances when a new version of their definition
// is loaded.
type ReloadRule uint8

// The rules of a reload.
const (
	ReloadKeep    ReloadRule = iota // they go on as they are, until they are refreshed or end
	ReloadMigrate                   // they take the new version at once; the beat is kept
	ReloadEnd                       // they end, for the reason Reload
)

var (
	atMinWords    = []string{"nothing", "kill"}
	syncWords     = []string{"all", "owner", "none", "source", "party"}
	reloadWords   = []string{"keep", "migrate", "end"}
	snapshotWords = []string{"cast", "apply", "pulse"}
	whomWords     = []string{"owner", "source"}
)

// String returns the word of files and logs.
func (a AtMin) String() string { return wordlist.Word(atMinWords, a) }

// String returns the word of files and logs.
func (s Sync) String() string { return wordlist.Word(syncWords, s) }

// String returns the word of files and logs.
func (r ReloadRule) String() string { return wordlist.Word(reloadWords, r) }

// String returns the word of files and logs.
func (s Snapshot) String() string { return wordlist.Word(snapshotWords, s) }

// String returns the word of files and logs.
func (w Whose) String() string { return wordlist.Word(whomWords, w) }

// UnmarshalText sets a from its word.
func (a *AtMin) UnmarshalText(text []byte) error { return wordlist.Parse(a, atMinWords, text) }

// UnmarshalText sets s from its word.
func (s *Sync) UnmarshalText(text []byte) error { return wordlist.Parse(s, syncWords, text) }

// UnmarshalText sets r from its word.
func (r *ReloadRule) UnmarshalText(text []byte) error { return wordlist.Parse(r, reloadWords, text) }

// UnmarshalText sets s from its word.
func (s *Snapshot) UnmarshalText(text []byte) error { return wordlist.Parse(s, snapshotWords, text) }

// UnmarshalText sets w from its word.
func (w *Whose) UnmarshalText(text []byte) error { return wordlist.Parse(w, whomWords, text) }
