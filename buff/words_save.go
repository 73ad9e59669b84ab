package buff

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
	OfflineRun                         // it is reported, and on.remove is done
)

var (
	saveModeWords      = []string{"always", "never", "ifRemaining"}
	offlineWords       = []string{"none", "coalesce", "all"}
	offlineExpireWords = []string{"notify", "silent", "run"}
)

// String returns the word of files and logs.
func (s SaveMode) String() string { return word(saveModeWords, s) }

// String returns the word of files and logs.
func (o Offline) String() string { return word(offlineWords, o) }

// String returns the word of files and logs.
func (o OfflineExpire) String() string { return word(offlineExpireWords, o) }

// UnmarshalText sets s from its word.
func (s *SaveMode) UnmarshalText(text []byte) error { return parse(s, saveModeWords, text) }

// UnmarshalText sets o from its word.
func (o *Offline) UnmarshalText(text []byte) error { return parse(o, offlineWords, text) }

// UnmarshalText sets o from its word.
func (o *OfflineExpire) UnmarshalText(text []byte) error { return parse(o, offlineExpireWords, text) }
