package define

// The acts that the engine reports itself, for damage that passes the shields of its owner. A definition may use these names
// without declaring them. See buff.Damage.
const (
	ActDamaged = "damaged" // of the owner of the damage; the other owner is the source
	ActDealt   = "dealt"   // of the source; the other owner is the one that was damaged
)
