package stat

// Limits of modifiers.
const (
	MaxModifiers = 4096 // on one owner
	MaxChannel   = 9    // the last of the channels, which begin with 0
)

// Modifier is one modifier of one attribute.
type Modifier struct {
	Attr    Attr
	Op      Op
	Channel uint8   // 0 to MaxChannel
	Value   float64 // worked out by the caller; see the ops for what it means
	Of      uint64  // who put it there: the handle of a buff, say
}

// View is one attribute of one owner, with its value now.
type View struct {
	Attr      Attr
	Name      string
	Base      float64
	Value     float64
	Modifiers int  // how many lie on it
	Overflow  bool // the running number went beyond MaxValue, and was set to it
}
