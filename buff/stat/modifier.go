package stat

// Limits of modifiers.
const (
	MaxModifiers = 4096 // modifiers of one owner
	MaxChannel   = 9    // the last channel; the first is 0
)

// Modifier is one modifier of one attribute.
type Modifier struct {
	Attr    Attr
	Op      Op
	Channel uint8   // 0 to MaxChannel
	Value   float64 // computed by the caller; its meaning depends on Op
	Of      uint64  // identifies the origin, such as the handle of a buff
}

// View is the state of one attribute of one owner.
type View struct {
	Attr      Attr
	Name      string
	Base      float64
	Value     float64
	Modifiers int  // number of modifiers on this attribute
	Overflow  bool // the running number exceeded MaxValue and was set to it
}
