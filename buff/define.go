package buff

import "github.com/bufftick/bufftick/buff/define"

// The vocabulary of definitions.
type (
	// Spec is the definition of a buff, as written by a designer: see [define.Spec].
	Spec = define.Spec
	// OwnerID identifies an owner or source of buffs, such as a player or a creature. The game
	// chooses the numbers.
	OwnerID = define.OwnerID
	// Tag is the number of a tag in its [Catalog], or 0 for none.
	Tag = define.Tag
	// Act is the number of an act in its [Catalog], or 0 for none: see [define.Act].
	Act = define.Act
	// Definitions is the content of a [Catalog].
	Definitions = define.Definitions
	// SpecError is one error in one definition.
	SpecError = define.SpecError
	// SpecErrors lists all errors in a set of definitions.
	SpecErrors = define.SpecErrors
)

// NoSchool is the school of damage that has none. Shields that absorb only certain schools do not
// absorb it.
const NoSchool Tag = 0

// Errors of catalogs. Every error of [NewCatalog] matches ErrSpec. [Catalog.Rebuild] fails with
// ErrAttributes if an attribute was changed or removed.
var (
	ErrSpec       = define.ErrSpec
	ErrAttributes = define.ErrAttributes
)
