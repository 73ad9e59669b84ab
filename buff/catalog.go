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
	ownHandlers map[string]bool // called by definitions of this catalog

	tags, acts         names
	parents            []Tag // i: the tag above tag i+1, or 0
	groups, slots, drs names

	dead       define.DeadRule // for definitions with DeadDefault
	aligned    bool            // some definition has AlignOwner
	attributes []define.Attribute
	schema     *sheet.Layout // nil if there are no attributes, or invalid ones

	damaged, dealt Act    // define.ActDamaged and ActDealt; 0 if no definition uses the act
	damageActs     uint64 // the bits of both

	lineages names       // IDs of this catalog and of its predecessors
	latest   []*program  // i: the version of lineage i+1 in this catalog, or nil
	ancestry []*identity // of the predecessors, oldest first, and of this catalog
	changes  []define.SpecChange

	revisions []uint32 // i: the highest revision of lineage i+1 so far

	locations []string // by Spec.Index; may be shorter than programs
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
	ID    string // the definition, or its position, as in "#3", if it has no ID; "" for an attribute
	Field string // as in a file: "stack.limit", "on.pulse[0].apply"; "" for the whole definition
	Text  string // the error, and the allowed values
}

// Error returns one line.
func (e *SpecError) Error() string {
	if e.ID == "" {
		return fmt.Sprintf("%s: %s", e.Field, e.Text)
	}
	if e.Field == "" {
		return fmt.Sprintf("buff %q: %s", e.ID, e.Text)
	}
	return fmt.Sprintf("buff %q: %s: %s", e.ID, e.Field, e.Text)
}

// SpecErrors has all errors in a set of definitions, in the order of the definitions.
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

// NewCatalog checks the definitions and returns a catalog of copies of them. If there are errors,
// it returns all of them as [SpecErrors], and no catalog.
func NewCatalog(specs ...Spec) (*Catalog, error) { return Build(Definitions{Specs: specs}) }

// Build is NewCatalog for definitions with attributes, tags and acts.
func Build(d Definitions) (*Catalog, error) {
	return newCatalog(&Catalog{handlerIDs: make(map[string]HandlerID)}, nil, d)
}

// Next returns a catalog of the definitions that succeeds c, which does not change. Tags, acts and
// handlers keep their numbers. A definition is the next version of the definition of c with the
// same ID. Next fails as NewCatalog does.
//
// Running buffs keep the rules of their version. The next refresh changes them to the new version,
// unless that has a different [define.Stacking].Timers. Buffs that a definition applies are always
// of the newest version.
func (c *Catalog) Next(specs ...Spec) (*Catalog, error) {
	return c.Rebuild(Definitions{Attributes: c.attributes, Dead: c.dead, Specs: specs})
}

// Rebuild is Next for definitions with attributes. They must include all attributes of c, unchanged,
// because the owners already have values for them. Otherwise Rebuild fails with [ErrAttributes] and
// with [SpecErrors] that name each changed or missing attribute. The attributes of c keep their
// order, and new ones follow them.
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

// mergeAttributes returns the attributes of c, followed by those of the list that c does not have.
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

// newCatalog completes c. If before is not nil, c succeeds it.
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
	if before != nil { // buffs of its definitions may still run
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

// newest returns the version of p in c, or p itself if c has none.
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

// Has reports whether s is a definition of this catalog, not of one that it succeeds.
func (c *Catalog) Has(s *Spec) bool {
	return s != nil && s.program != nil && s.program.catalog == c
}

// Handlers returns the names of the Go handlers that the definitions call, without duplicates, in
// the order of their first use, starting with those of the catalogs that this one succeeds. The
// first has the [HandlerID] 1.
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

// Attributes returns the attributes of the owners, or nil if there are none.
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
	// Attributes are the attributes of every owner. Definitions can only name these.
	Attributes []define.Attribute

	// Tags and Acts are names for the game to use in addition to those in the definitions.
	Tags, Acts []string

	// Dead is the rule for all definitions with DeadDefault.
	Dead define.DeadRule

	// Specs are the definitions of the buffs.
	Specs []Spec

	// Places are the positions of Specs in their source, for people, as in "buffs/venom.yaml:12".
	// It may be shorter than Specs. [Catalog.Changes] ignores it.
	Places []string
}
