// Package stolen defines the state of a stolen buff on its way to the thief: its numbers, its
// shield and charges, and its parts with separate timers. The state is part of the command that
// applies the buff to the thief.
package stolen
