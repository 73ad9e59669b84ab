package buff

import "github.com/bufftick/bufftick/buff/define"

// Definitions is what a [Catalog] is made of.
type Definitions struct {
	// Attributes are the numbers that every owner has. If there are none, no definition
	// may name one.
	Attributes []define.Attribute

	// Tags and Acts are names that the catalog knows, those too that no definition speaks
	// of: the game may give and ask for them.
	Tags, Acts []string

	// Dead is the rule of all definitions that do not say one.
	Dead define.DeadRule

	// Specs are what [NewCatalog] takes.
	Specs []Spec

	// Places say where each of Specs is written, for people: "buffs/venom.yaml:12". It may be
	// shorter than Specs, or nil. Two catalogs that differ in nothing else say the same.
	Places []string
}
