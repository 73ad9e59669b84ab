package buff

// AtMin says what becomes of an owner of whom an attribute has come down to its least.
type AtMin uint8

// What there is at the least.
const (
	AtMinNothing AtMin = iota
	AtMinKill          // it dies
)

// Sync says which clients are told of a buff.
type Sync uint8

// Who may be told.
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
func (a AtMin) String() string { return word(atMinWords, a) }

// String returns the word of files and logs.
func (s Sync) String() string { return word(syncWords, s) }

// String returns the word of files and logs.
func (r ReloadRule) String() string { return word(reloadWords, r) }

// String returns the word of files and logs.
func (s Snapshot) String() string { return word(snapshotWords, s) }

// String returns the word of files and logs.
func (w Whose) String() string { return word(whomWords, w) }

// UnmarshalText sets a from its word.
func (a *AtMin) UnmarshalText(text []byte) error { return parse(a, atMinWords, text) }

// UnmarshalText sets s from its word.
func (s *Sync) UnmarshalText(text []byte) error { return parse(s, syncWords, text) }

// UnmarshalText sets r from its word.
func (r *ReloadRule) UnmarshalText(text []byte) error { return parse(r, reloadWords, text) }

// UnmarshalText sets s from its word.
func (s *Snapshot) UnmarshalText(text []byte) error { return parse(s, snapshotWords, text) }

// UnmarshalText sets w from its word.
func (w *Whose) UnmarshalText(text []byte) error { return parse(w, whomWords, text) }
