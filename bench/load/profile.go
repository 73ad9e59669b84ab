package load

import "fmt"

// Profile is one simulated game. Its exported fields are the parameters. The help text of each
// parameter is in the tag of its field.
type Profile interface {
	// Quick shortens the profile. All shortened profiles together run within a minute.
	Quick()

	// Run runs the profile. It returns an error only if the run itself fails; errors of the engine
	// are in the Result.
	Run(env *Env) (*Result, error)
}

// Entry is a profile with its names.
type Entry struct {
	Letter, Name string
	Simulates    string
	Proves       string
	New          func() Profile // returns a profile with the parameters of the full run
}

// Profiles are all profiles, in order.
var Profiles = []Entry{
	{"A", "city", "5,000 players in a city, with 25 long buffs each, of which few pulse", "that standing around is cheap", func() Profile { return newCity() }},
	{"B", "raids", "100 raids of 40 in steady fight, in the proportions of real logs", "what a fight costs", func() Profile { return newRaids() }},
	{"C", "siege", "2,000 players on one field; every 2 s a blow puts 3 debuffs on 500 of them at once", "that a burst fits into its frame", func() Profile { return newSiege() }},
	{"D", "storm", "3,000 players log in within a minute and out again, while one of them has 500 buffs a second", "that what is saved comes back to the millisecond, and at what price", func() Profile { return newStorm() }},
	{"E", "boss", "one creature with 400 buffs of 300 players", "that one owner, who cannot be shared out, is worked off in order", func() Profile { return newBoss() }},
	{"F", "cascade", "a million timers between 1 s and 12 h, one in a hundred beyond, across minutes and an hour", "that no frame pays for the hands of the clock", func() Profile { return newCascade() }},
	{"G", "cancel", "half of all deadlines never come: they are cancelled, or moved", "that what is cancelled is gone, and memory stays flat", func() Profile { return newCancel() }},
	{"H", "stall", "the raids, whose server stops for 5 s", "that order is kept, and how long it takes to be on time again", func() Profile { return newStall() }},
	{"I", "empty", "0 to 10 players with 0 to 100 buffs, at 1,000 frames a second", "that nothing costs nothing", func() Profile { return newEmpty() }},
	{"J", "soak", "ten raids of 40 for 24 hours", "that nothing drifts and nothing leaks", func() Profile { return newSoak() }},
	{"K", "slow", "the raids, and of each hundred players one whose handlers sleep for 20 ms", "that the others do not notice", func() Profile { return newSlow() }},
	{"L", "crowd", "the raids, while twice as many goroutines as processors do nothing but spin", "that nobody is taken for stuck because the machine is full", func() Profile { return newCrowd() }},
}

// result returns an empty Result with the names of the profile with the given letter.
func result(letter string) *Result {
	for _, e := range Profiles {
		if e.Letter == letter {
			return &Result{Letter: e.Letter, Name: e.Name, Proves: e.Proves, Counts: map[string]int64{}, Series: map[string][]XY{}}
		}
	}
	panic(fmt.Sprintf("load: there is no profile %s", letter))
}
