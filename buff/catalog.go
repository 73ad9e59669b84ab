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

// Catalog is a checked set of definitions. It never changes, so that any goroutine
// may read it.
type Catalog struct {
	programs    []*program // by number: see program.index
	byID        map[string]*program
	handlers    []string
	handlerIDs  map[string]HandlerID
	ownHandlers map[string]bool // by definitions of this very catalog

	tags, acts         names
	parents            []Tag // of tag i+1, the one above it
	groups, slots, drs names

	dead       define.DeadRule // of definitions that do not say one
	aligned    bool            // some definition has AlignOwner
	attributes []define.Attribute
	schema     *sheet.Layout // nil if there are no attributes, or wrong ones

	damaged, dealt Act    // define.ActDamaged, ActDealt; 0: no definition uses it
	damageActs     uint64 // the bits of both

	lineages names       // the IDs of this catalog and of those that it took the place of
	latest   []*program  // of line i+1, the definition here; nil if it has none any more
	ancestry []*identity // of the catalogs that it took the place of, and its own
	changes  []define.SpecChange

	revisions []uint32 // of line i+1, the highest that any version has had

	locations []string // by Spec.Index, as far as they are known
}

// ErrSpec is matched by every error of [NewCatalog], ErrAttributes by that of a
// [Catalog.Rebuild] with other attributes.
var (
	ErrSpec       = errors.New("buff: bad definition")
	ErrAttributes = errors.New("buff: the attributes that the owners have were changed")

	// ErrUnknownID is what [Catalog.Lookup] fails with.
	ErrUnknownID = errors.New("buff: no such definition")
)

// SpecError is one thing wrong with one definition.
type SpecError struct {
	ID    string // the definition; its place, "#3", where the ID itself is missing; "" for an attribute
	Field string // as in a file: "stack.limit", "on.pulse[0].apply"; "" for the whole definition
	Text  string // what is wrong, and what would be right
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

// SpecErrors is everything wrong with a set of definitions, in their order.
type SpecErrors []*SpecError

// Error returns one line for each error.
func (es SpecErrors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Is reports whether target is [ErrSpec].
func (es SpecErrors) Is(target error) bool { return target == ErrSpec }

// NewCatalog checks the definitions and returns a catalog of copies of them. If
// anything is wrong it returns all that is wrong as [SpecErrors], and no catalog.
func NewCatalog(specs ...Spec) (*Catalog, error) { return Build(Definitions{Specs: specs}) }

// Build is NewCatalog for definitions with attributes.
func Build(d Definitions) (*Catalog, error) {
	return newCatalog(&Catalog{handlerIDs: make(map[string]HandlerID)}, nil, d)
}

// Next returns a catalog of the definitions that takes the place of c, which does not
// change: tags, acts and handlers keep their numbers, and a definition is the next version of
// c's with the same ID. It fails as NewCatalog does.
//
// What runs goes on as its own version says. The next refresh takes the new one, but not if
// that has another [define.Stacking].Timers. What a definition applies is always the newest.
func (c *Catalog) Next(specs ...Spec) (*Catalog, error) {
	return c.Rebuild(Definitions{Attributes: c.attributes, Dead: c.dead, Specs: specs})
}

// Rebuild is Next for definitions with attributes. Those of c must be among them, unchanged: the
// owners have them already. Otherwise it fails with [ErrAttributes], and with [SpecErrors] that name
// each one that was changed or taken away. Their order stays that of c, and new ones come behind:
// an owner has their base.
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

// mergeAttributes returns the attributes of c and those of the list that it does not have.
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

// newCatalog completes c, which takes the place of the catalog before, if there is one.
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
	if before != nil { // its definitions may still run
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

// Lookup returns the definition with that ID, or [ErrUnknownID] naming the ID and the one that
// it is most likely meant to be: for IDs that come from elsewhere, such as a chat command or a
// table of loot. An ID that is known costs what [Catalog.Spec] does, another O(definitions).
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

// All returns the definitions in the order in which [NewCatalog] got them.
func (c *Catalog) All() iter.Seq[*Spec] {
	return func(yield func(*Spec) bool) {
		for _, p := range c.programs {
			if !yield(&p.Spec) {
				return
			}
		}
	}
}

// Place returns where a definition of this very catalog is written, "" if that is not known: for
// people who want to change it, see [Definitions].Places.
func (c *Catalog) Place(s *Spec) string {
	if !c.Has(s) || s.Index() >= len(c.locations) {
		return ""
	}
	return c.locations[s.Index()]
}

// Has reports whether s is one of the definitions of this very catalog.
func (c *Catalog) Has(s *Spec) bool {
	return s != nil && s.program != nil && s.program.catalog == c
}

// Handlers returns the names of the Go handlers that the definitions call, each
// once, in the order of their first use; first those that the definitions of earlier
// catalogs did. The first one has the [HandlerID] 1.
func (c *Catalog) Handlers() []string { return slices.Clone(c.handlers) }

// HandlerName returns the name of a handler of this catalog, "" for 0 and for one that it
// does not have.
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

// Attributes returns the attributes of the owners, nil if there are none.
func (c *Catalog) Attributes() *stat.Schema {
	if c.schema == nil {
		return nil
	}
	return c.schema.Schema
}

// Attr returns the attribute with that name, 0 if there is none, and reports whether there is
// one. No attribute is 0.
func (c *Catalog) Attr(name string) (stat.Attr, bool) {
	if c.schema == nil {
		return 0, false
	}
	return c.schema.Attr(name)
}

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
