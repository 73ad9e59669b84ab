package buff

import (
	"fmt"
	"maps"
	"slices"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/internal/sheet"
)

// catalog is the compiled form of a set of definitions: their programs, and the numbers of all
// names. It is immutable once it has been built.
type catalog struct {
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

// build checks definitions and compiles them into a catalog.
func build(d Definitions) (*catalog, error) {
	return newCatalog(&catalog{handlerIDs: make(map[string]HandlerID)}, nil, d)
}

// rebuild returns a catalog that succeeds c: see [Catalog.Rebuild].
func (c *catalog) rebuild(d Definitions) (*catalog, error) {
	var err error
	if d.Attributes, err = c.mergeAttributes(d.Attributes); err != nil {
		return nil, err
	}
	return newCatalog(&catalog{
		handlers: slices.Clip(c.handlers), handlerIDs: maps.Clone(c.handlerIDs), parents: slices.Clip(c.parents),
		tags: c.tags.clone(), acts: c.acts.clone(), groups: c.groups.clone(), slots: c.slots.clone(), drs: c.drs.clone(),
		lineages: c.lineages.clone(),
	}, c, d)
}

// mergeAttributes returns the attributes of c, followed by the attributes in the list that c does
// not have.
func (c *catalog) mergeAttributes(list []define.Attribute) ([]define.Attribute, error) {
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
func newCatalog(c, before *catalog, d Definitions) (*catalog, error) {
	specs := d.Specs
	c.byID = make(map[string]*program, len(specs))
	c.ownHandlers, c.dead = make(map[string]bool), d.Dead
	c.locations = slices.Clone(d.Places)
	k := checker{catalog: c}
	k.attributes(d.Attributes)
	for i := range specs {
		p := &program{Spec: specs[i], catalog: c}
		*p.Compiled() = Compiled{Program: p, Index: uint32(i)}
		c.programs = append(c.programs, p)
		k.id(p)
		p.Compiled().Lineage = k.lineageOf(p.ID)
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
		c.latest[p.Compiled().Lineage-1] = p
	}
	c.findChanges(before)
	return c, nil
}

// newest returns the version of p in c, or p itself if c has no version of p.
func (c *catalog) newest(p *program) *program {
	if c == nil || p.catalog == c || int(p.Compiled().Lineage) > len(c.latest) || c.latest[p.Compiled().Lineage-1] == nil {
		return p
	}
	return c.latest[p.Compiled().Lineage-1]
}

// handlerName returns the name of a handler, or "" if there is none.
func (c *catalog) handlerName(id HandlerID) string {
	if id <= 0 || int(id) > len(c.handlers) {
		return ""
	}
	return c.handlers[id-1]
}

// handler returns the number of a handler that a definition calls.
func (c *catalog) handler(name string) HandlerID {
	id, ok := c.handlerIDs[name]
	if !ok {
		c.handlers = append(c.handlers, name)
		id = HandlerID(len(c.handlers))
		c.handlerIDs[name] = id
	}
	c.ownHandlers[name] = true
	return id
}

// attr returns the attribute with that name and reports whether there is one. No attribute is 0.
func (c *catalog) attr(name string) (stat.Attr, bool) {
	if c.schema == nil {
		return 0, false
	}
	return c.schema.Attr(name)
}
