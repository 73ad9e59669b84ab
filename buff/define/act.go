package define

// The acts that the engine itself reports, for damage that the shields of an owner do not absorb. A
// definition may use these names without declaring them. See buff.Damage.
const (
	ActDamaged = "damaged" // reported for the damaged owner; the other owner is the source
	ActDealt   = "dealt"   // reported for the source; the other owner is the damaged owner
)
