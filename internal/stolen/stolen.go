package stolen

import (
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/internal/compile"
)

// Buff is the remaining state of a stolen buff: its numbers, shield and charges, and its further
// applications with separate timers.
type Buff struct {
	Spec    *compile.Program
	Values  []float64
	Vars    [define.MaxVars]float64 // in the order of Spec.Vars
	Shield  int64
	Charges int32
	Rest    []Part    // further parts, in the order of their application
	Waiting []float64 // numbers of the waiting applications of a queue: see Buff.ValuesOf
}

// Of returns the remaining state of the stolen buff in an Origin, or nil if there is none.
func Of(state any) *Buff {
	n, _ := state.(*Buff)
	return n
}

// Part is a part of a stolen buff, with a separate timer.
type Part struct {
	Left      int64 // remaining ms
	Magnitude int64
	Shield    int64 // remaining pool
	Charges   int32 // remaining charges
	Stacks    int16
	Level     int16
	Numbers   uint16 // index of the separate numbers in Buff.Waiting, from 1; 0 if the part has none
}

// Find returns the former value of the k-th number of a definition, or NoParam if the stolen
// version did not have that number. It compares names, not positions, because a reload may have
// inserted other numbers.
func (n *Buff) Find(spec *compile.Program, k int) (float64, reason.Reason) {
	switch {
	case n == nil:
		return 0, reason.NoParam
	case n.Spec == spec:
		return n.Values[k], reason.None
	}
	for j := range n.Spec.Numbers {
		if n.Spec.Numbers[j].Name == spec.Numbers[k].Name {
			return n.Values[j], reason.None
		}
	}
	return 0, reason.NoParam
}

// SetPart sets the numbers, shield and charges from a stolen part.
func (n *Buff) SetPart(l *Part) {
	n.Values, n.Shield, n.Charges = n.ValuesOf(l), l.Shield, l.Charges
}

// ValuesOf returns the numbers of a part: its separate numbers if it has some, otherwise the
// numbers of the instance.
func (n *Buff) ValuesOf(l *Part) []float64 {
	each := len(n.Values)
	if l.Numbers == 0 || each == 0 {
		return n.Values
	}
	return n.Waiting[int(l.Numbers-1)*each : int(l.Numbers)*each]
}
