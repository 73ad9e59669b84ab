package buff

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/internal/misspelt"
	"github.com/bufftick/bufftick/internal/sheet"
)

// Catalog is an immutable set of checked definitions. Any goroutine may read it.
type Catalog struct {
	programs    []*program // by number: see program.index
	byID        map[string]*program
	handlers    []string
	handlerIDs  map[string]HandlerID
	ownHandlers map[string]bool // handlers that a definition of this catalog calls

	tags, acts         names
	parents            []Tag // parents[t-1] is the tag directly above tag t, or 0
	groups, slots, drs names

	dead       define.DeadRule // the rule of definitions with DeadDefault
	aligned    bool            // at least one definition has AlignOwner
	attributes []define.Attribute
	schema     *sheet.Layout // nil if there are no attributes, or if an attribute is invalid

	damaged, dealt Act    // define.ActDamaged and ActDealt; 0 if no definition uses the act
	damageActs     uint64 // the set of the acts damaged and dealt: see Act.bit

	lineages names       // the IDs of this catalog and of its predecessors
	latest   []*program  // latest[n-1] is the program of lineage n in this catalog, or nil
	ancestry []*identity // identities of the predecessors, oldest first, and of this catalog
	changes  []define.SpecChange

	revisions []uint32 // revisions[n-1] is the highest revision of lineage n so far

	locations []string // Definitions.Places: by Spec.Index, may be shorter than programs
}

// Errors of catalogs. Every error of [NewCatalog] matches ErrSpec. [Catalog.Rebuild] fails with
// ErrAttributes if an attribute was changed or removed.
var (
	ErrSpec       = errors.New("buff: bad definition")
	ErrAttributes = errors.New("buff: the attributes that the owners have were changed")

	// ErrUnknownID is the error of [Catalog.Lookup].
	ErrUnknownID = errors.New("buff: no such definition")
)

// SpecError is one error in one definition.
type SpecError struct {
	ID    string // ID of the definition, or its position ("#3") if it has no ID; "" for an attribute
	Field string // the field, as in a file ("on.pulse[0].apply"); "" for the whole definition
	Text  string // the error, and the allowed values
}

// Error returns the definition, the field and the text in one line.
func (e *SpecError) Error() string {
	if e.ID == "" {
		return fmt.Sprintf("%s: %s", e.Field, e.Text)
	}
	if e.Field == "" {
		return fmt.Sprintf("buff %q: %s", e.ID, e.Text)
	}
	return fmt.Sprintf("buff %q: %s: %s", e.ID, e.Field, e.Text)
}

// SpecErrors lists all errors in a set of definitions, in the order of the definitions.
type SpecErrors []*SpecError

// Error returns the errors, one per line.
func (es SpecErrors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Is reports whether target is [ErrSpec].
func (es SpecErrors) Is(target error) bool { return target == ErrSpec }

// NewCatalog checks the definitions and returns a catalog with copies of them. If definitions have
// errors, it returns all errors as [SpecErrors], and no catalog.
func NewCatalog(specs ...Spec) (*Catalog, error) { return Build(Definitions{Specs: specs}) }

// Build is like NewCatalog but also takes attributes, tags and acts.
func Build(d Definitions) (*Catalog, error) {
	return newCatalog(&Catalog{handlerIDs: make(map[string]HandlerID)}, nil, d)
}

// Next returns a catalog of the definitions that succeeds the catalog c. It does not change c.
// Tags, acts and handlers keep their numbers. A definition is the next version of the definition in
// c with the same ID. Next fails as NewCatalog does.
//
// Running buffs keep the rules of their version. The next refresh of a buff switches it to the new
// version, unless the two versions have different [define.Stacking].Timers. Buffs that a definition
// applies always have the newest version.
func (c *Catalog) Next(specs ...Spec) (*Catalog, error) {
	return c.Rebuild(Definitions{Attributes: c.attributes, Dead: c.dead, Specs: specs})
}

// Rebuild is like Next but also takes attributes, tags and acts. All attributes of c must be in d,
// unchanged, because the owners already have values for them. Otherwise Rebuild fails with an error
// that matches [ErrAttributes], and with [SpecErrors] that name each changed or missing attribute.
// The attributes of c keep their order, and new attributes follow them.
func (c *Catalog) Rebuild(d Definitions) (*Catalog, error) {
	var err error
	if d.Attributes, err = c.mergeAttributes(d.Attributes); err != nil {
		return nil, err
	}
	return newCatalog(&Catalog{
		handlers: slices.Clip(c.handlers), handlerIDs: maps.Clone(c.handlerIDs), parents: slices.Clip(c.parents),
		tags: c.tags.clone(), acts: c.acts.clone(), groups: c.groups.clone(), slots: c.slots.clone(), drs: c.drs.clone(),
		lineages: c.lineages.clone(),
	}, c, d)
}

// mergeAttributes returns the attributes of c, followed by the attributes in the list that c does
// not have.
func (c *Catalog) mergeAttributes(list []define.Attribute) ([]define.Attribute, error) {
	var errs SpecErrors
	all, old := slices.Clip(c.attributes), make([]bool, len(list))
	for _, a := range c.attributes {
		switch i := slices.IndexFunc(list, func(b define.Attribute) bool { return a.Name == b.Name }); {
		case i < 0:
			errs = append(errs, &SpecError{Field: "attributes." + a.Name, Text: "taken away: the owners have it, so that it stays while the game runs"})
		case list[i] != a:
			errs = append(errs, &SpecError{Field: "attributes." + a.Name, Text: "changed: the owners have it as it was, and attributes can be added while the game runs, but not changed"})
		default:
			old[i] = true
		}
	}
	if errs != nil {
		return nil, fmt.Errorf("%w: %w", ErrAttributes, errs)
	}
	for i := range list {
		if !old[i] {
			all = append(all, list[i])
		}
	}
	return all, nil
}

// newCatalog completes c, which succeeds the catalog before if before is not nil.
func newCatalog(c, before *Catalog, d Definitions) (*Catalog, error) {
	specs := d.Specs
	c.byID = make(map[string]*program, len(specs))
	c.ownHandlers, c.dead = make(map[string]bool), d.Dead
	c.locations = slices.Clone(d.Places)
	k := checker{catalog: c}
	k.attributes(d.Attributes)
	for i := range specs {
		p := &program{Spec: specs[i], catalog: c, index: uint32(i)}
		p.Spec.program = p
		c.programs = append(c.programs, p)
		k.id(p)
		p.lineage = k.lineageOf(p.ID)
	}
	for _, p := range c.programs {
		k.spec(p)
	}
	k.declared(&d)
	k.linkRings()
	k.cascades()
	if len(k.errs) > 0 {
		return nil, k.errs
	}
	k.propagateCaptures()
	used := uint64(0)
	if before != nil { // buffs with definitions of before may still run
		used = before.damageActs
	}
	for _, p := range c.programs {
		p.uses = p.findUses()
		used |= p.acts()
	}
	c.damaged, c.dealt = c.actIn(used, define.ActDamaged), c.actIn(used, define.ActDealt)
	c.damageActs = c.damaged.bit() | c.dealt.bit()
	c.latest = make([]*program, len(c.lineages.list))
	for _, p := range c.programs {
		c.latest[p.lineage-1] = p
	}
	c.findChanges(before)
	return c, nil
}

// newest returns the version of p in c, or p itself if c has no version of p.
func (c *Catalog) newest(p *program) *program {
	if c == nil || p.catalog == c || int(p.lineage) > len(c.latest) || c.latest[p.lineage-1] == nil {
		return p
	}
	return c.latest[p.lineage-1]
}

// Spec returns the definition with that ID, or nil.
func (c *Catalog) Spec(id string) *Spec { return c.byID[id].spec() }

// Lookup returns the definition with that ID. Otherwise it fails with [ErrUnknownID] and suggests
// the most similar ID. Use it for IDs from outside the program, such as a chat command or a loot
// table. An unknown ID costs O(definitions).
func (c *Catalog) Lookup(id string) (*Spec, error) {
	if p := c.byID[id]; p != nil {
		return &p.Spec, nil
	}
	ids := make([]string, len(c.programs))
	for i, p := range c.programs {
		ids[i] = p.ID
	}
	if near := misspelt.Near(id, ids); near != "" {
		return nil, fmt.Errorf("%w: %.100q: did you mean %.100q?", ErrUnknownID, id, near)
	}
	return nil, fmt.Errorf("%w: %.100q", ErrUnknownID, id)
}

// Len returns the number of definitions.
func (c *Catalog) Len() int { return len(c.programs) }

// All returns the definitions in the order passed to [NewCatalog].
func (c *Catalog) All() iter.Seq[*Spec] {
	return func(yield func(*Spec) bool) {
		for _, p := range c.programs {
			if !yield(&p.Spec) {
				return
			}
		}
	}
}

// Place returns the position of a definition of this catalog in its source, for people, or "" if
// it is not known: see [Definitions].Places.
func (c *Catalog) Place(s *Spec) string {
	if !c.Has(s) || s.Index() >= len(c.locations) {
		return ""
	}
	return c.locations[s.Index()]
}

// Has reports whether s is a definition of this catalog. It returns false for a definition of a
// catalog that this catalog succeeds.
func (c *Catalog) Has(s *Spec) bool {
	return s != nil && s.program != nil && s.program.catalog == c
}

// Handlers returns the names of the Go handlers that are called by definitions of this catalog and
// of the catalogs that it succeeds, the oldest catalog first. There are no duplicates. The first
// name has the [HandlerID] 1.
func (c *Catalog) Handlers() []string { return slices.Clone(c.handlers) }

// HandlerName returns the name of a handler of this catalog, or "" if there is none.
func (c *Catalog) HandlerName(id HandlerID) string {
	if id <= 0 || int(id) > len(c.handlers) {
		return ""
	}
	return c.handlers[id-1]
}

func (c *Catalog) handler(name string) HandlerID {
	id, ok := c.handlerIDs[name]
	if !ok {
		c.handlers = append(c.handlers, name)
		id = HandlerID(len(c.handlers))
		c.handlerIDs[name] = id
	}
	c.ownHandlers[name] = true
	return id
}

// Attributes returns the attributes that every owner has, or nil if there are none.
func (c *Catalog) Attributes() *stat.Schema {
	if c.schema == nil {
		return nil
	}
	return c.schema.Schema
}

// Attr returns the attribute with that name and reports whether there is one. No attribute is 0.
func (c *Catalog) Attr(name string) (stat.Attr, bool) {
	if c.schema == nil {
		return 0, false
	}
	return c.schema.Attr(name)
}

// Definitions is the content of a [Catalog].
type Definitions struct {
	// Attributes are the attributes of every owner. Definitions can use no other attributes.
	Attributes []define.Attribute

	// Tags and Acts are names for the game to use in addition to those in the definitions.
	Tags, Acts []string

	// Dead is the rule for all definitions with Dead DeadDefault.
	Dead define.DeadRule

	// Specs are the definitions of the buffs.
	Specs []Spec

	// Places are the positions of the Specs in their source, for people, as in
	// "buffs/venom.yaml:12". The slice may be shorter than Specs. [Catalog.Changes] ignores it.
	Places []string
}
