package compile

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/internal/rules/sheet"
)

// Catalog is the compiled form of a set of definitions: their programs, and the numbers of all
// names. It is immutable once it has been built.
type Catalog struct {
	Programs    []*Program // in the order of Spec.Index
	ByID        map[string]*Program
	Handlers    []string
	HandlerIDs  map[string]define.HandlerID
	OwnHandlers map[string]bool // handlers that a definition of this catalog calls

	Tags, Acts         names
	parents            []define.Tag // parents[t-1] is the tag directly above tag t, or 0
	groups, slots, Drs names

	Dead       define.DeadRule // the rule of definitions with DeadDefault
	Aligned    bool            // at least one definition has AlignOwner
	Attributes []define.Attribute
	scales     []damageScale
	Schema     *sheet.Layout // nil if there are no attributes, or if an attribute is invalid

	captureNames [len(captureWords)][]string // by define.Snapshot and stat.Attr: see CaptureName

	Damaged, Dealt define.Act // define.ActDamaged and ActDealt; 0 if no definition uses the act
	DamageActs     uint64     // the set of the acts Damaged and Dealt: see Bit

	Lineages names       // the IDs of this catalog and of its predecessors
	latest   []*Program  // latest[n-1] is the program of lineage n in this catalog, or nil
	ancestry []*identity // identities of the predecessors, oldest first, and of this catalog
	Changes  []define.SpecChange

	revisions []uint32 // revisions[n-1] is the highest revision of lineage n so far

	Locations []string // Definitions.Places, by Spec.Index; may be shorter than Programs
}

// Build checks definitions and compiles them into a catalog.
func Build(d define.Definitions) (*Catalog, error) {
	return newCatalog(&Catalog{HandlerIDs: make(map[string]define.HandlerID)}, nil, d)
}

// Rebuild returns a catalog that succeeds c: see buff.Catalog.Rebuild.
func (c *Catalog) Rebuild(d define.Definitions) (*Catalog, error) {
	var err error
	if d.Attributes, err = c.mergeAttributes(d.Attributes); err != nil {
		return nil, err
	}
	return newCatalog(&Catalog{
		Handlers: slices.Clip(c.Handlers), HandlerIDs: maps.Clone(c.HandlerIDs), parents: slices.Clip(c.parents),
		Tags: c.Tags.clone(), Acts: c.Acts.clone(), groups: c.groups.clone(), slots: c.slots.clone(), Drs: c.Drs.clone(),
		Lineages: c.Lineages.clone(),
	}, c, d)
}

// mergeAttributes returns the attributes of c, followed by the attributes in the list that c does
// not have.
func (c *Catalog) mergeAttributes(list []define.Attribute) ([]define.Attribute, error) {
	var errs define.SpecErrors
	all, old := slices.Clip(c.Attributes), make([]bool, len(list))
	for _, a := range c.Attributes {
		switch i := slices.IndexFunc(list, func(b define.Attribute) bool { return a.Name == b.Name }); {
		case i < 0:
			errs = append(errs, &define.SpecError{Field: "attributes." + a.Name, Text: "taken away: the owners have it, so that it stays while the game runs"})
		case list[i] != a:
			errs = append(errs, &define.SpecError{Field: "attributes." + a.Name, Text: "changed: the owners have it as it was, and attributes can be added while the game runs, but not changed"})
		default:
			old[i] = true
		}
	}
	if errs != nil {
		return nil, fmt.Errorf("%w: %w", define.ErrAttributes, errs)
	}
	for i := range list {
		if !old[i] {
			all = append(all, list[i])
		}
	}
	return all, nil
}

// newCatalog completes c. If `before` is not nil, c succeeds that catalog.
func newCatalog(c, before *Catalog, d define.Definitions) (*Catalog, error) {
	specs := d.Specs
	c.ByID = make(map[string]*Program, len(specs))
	c.OwnHandlers, c.Dead = make(map[string]bool), d.Dead
	c.Locations = slices.Clone(d.Places)
	k := checker{catalog: c}
	k.attributes(d.Attributes)
	c.nameCaptures()
	for i := range specs {
		p := &Program{Spec: specs[i], Catalog: c}
		*p.Compiled() = define.Compiled{Program: p, Index: uint32(i)}
		c.Programs = append(c.Programs, p)
		k.id(p)
		p.Compiled().Lineage = k.lineageOf(p.ID)
	}
	for _, p := range c.Programs {
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
	if before != nil { // buffs with definitions of the earlier catalog may still run
		used = before.DamageActs
	}
	for _, p := range c.Programs {
		p.Uses = p.findUses()
		used |= p.Acts()
	}
	c.Damaged, c.Dealt = c.actIn(used, define.ActDamaged), c.actIn(used, define.ActDealt)
	c.DamageActs = Bit(c.Damaged) | Bit(c.Dealt)
	c.latest = make([]*Program, len(c.Lineages.List))
	for _, p := range c.Programs {
		c.latest[p.Compiled().Lineage-1] = p
	}
	c.findChanges(before)
	return c, nil
}

// Newest returns the version of p in c, or p itself if c has no version of p.
func (c *Catalog) Newest(p *Program) *Program {
	if c == nil || p.Catalog == c || int(p.Compiled().Lineage) > len(c.latest) || c.latest[p.Compiled().Lineage-1] == nil {
		return p
	}
	return c.latest[p.Compiled().Lineage-1]
}

// HandlerName returns the name of a handler, or "" if there is none.
func (c *Catalog) HandlerName(id define.HandlerID) string {
	if id <= 0 || int(id) > len(c.Handlers) {
		return ""
	}
	return c.Handlers[id-1]
}

// handler returns the number of a handler that a definition calls, and assigns a number to a new
// handler.
func (c *Catalog) handler(name string) define.HandlerID {
	id, ok := c.HandlerIDs[name]
	if !ok {
		c.Handlers = append(c.Handlers, name)
		id = define.HandlerID(len(c.Handlers))
		c.HandlerIDs[name] = id
	}
	c.OwnHandlers[name] = true
	return id
}

// Attr returns the attribute with that name and reports whether there is one. No attribute has the
// number 0.
func (c *Catalog) Attr(name string) (stat.Attr, bool) {
	if c.Schema == nil {
		return 0, false
	}
	return c.Schema.Attr(name)
}

// captureWords are the prefixes of the names of captured attributes.
var captureWords = [...]string{define.SnapshotCast: "cast:", define.SnapshotApply: "apply:"}

func (c *Catalog) nameCaptures() {
	if c.Schema == nil {
		return
	}
	for when, word := range captureWords {
		names := make([]string, c.Schema.Len()+1)
		for a := range c.Schema.All() {
			names[a] = word + c.Schema.At(a).Name
		}
		c.captureNames[when] = names
	}
}

// CaptureName returns the name of a captured attribute in a blob.
func (c *Catalog) CaptureName(a stat.Attr, when define.Snapshot) string {
	return c.captureNames[when][a]
}

// CaptureNamed returns the captured attribute that has this name in a blob, and reports whether
// there is one.
func (c *Catalog) CaptureNamed(name string) (a stat.Attr, when define.Snapshot, ok bool) {
	for when, word := range captureWords {
		if attr, found := strings.CutPrefix(name, word); found {
			a, ok = c.Attr(attr)
			return a, define.Snapshot(when), ok
		}
	}
	return 0, 0, false
}
