package rules

import (
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/internal/state"
)

// This line compiles only if package state has the same limits as this package.
const _ = uint(buff.MaxPerOwner-state.MaxPerOwner) + uint(state.MaxPerOwner-buff.MaxPerOwner) + uint(buff.MaxRate-state.MaxRate) + uint(state.MaxRate-buff.MaxRate)
