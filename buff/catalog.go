package buff

import (
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/internal/wordlist"
)

// Catalog is an immutable set of checked definitions. Any goroutine may read it.
type Catalog struct{ compiled *compile.Catalog }

// Compiled returns the form of the catalog that an engine executes.
func (c *Catalog) Compiled() any { return c.compiled }

// ErrUnknownID is the error of [Catalog.Lookup].
var ErrUnknownID = errors.New("buff: no such definition")

// NewCatalog checks the definitions and returns a catalog with copies of them. If definitions have
// errors, it returns all errors as [SpecErrors], and no catalog.
func NewCatalog(specs ...Spec) (*Catalog, error) { return Build(Definitions{Specs: specs}) }

// Build is like NewCatalog but also takes attributes, tags and acts.
func Build(d Definitions) (*Catalog, error) { return wrap(compile.Build(d)) }

func wrap(c *compile.Catalog, err error) (*Catalog, error) {
	if err != nil {
		return nil, err
	}
	return &Catalog{c}, nil
}

// Next returns a catalog of the definitions that succeeds the catalog c. It does not change c.
// Tags, acts and handlers keep their numbers. A definition is the next version of the definition in
// c with the same ID. Next fails for the same reasons as NewCatalog.
//
// Running buffs keep the rules of their version. The next refresh of a buff switches it to the new
// version, unless the two versions have different [define.Stacking].Timers. Buffs that a definition
// applies always have the newest version.
func (c *Catalog) Next(specs ...Spec) (*Catalog, error) {
	return c.Rebuild(Definitions{Attributes: c.compiled.Attributes, Dead: c.compiled.Dead, Specs: specs})
}

// Rebuild is like Next but also takes attributes, tags and acts. All attributes of c must be in d,
// unchanged, because the owners already have values for them. Otherwise Rebuild fails with an error
// that matches [ErrAttributes], and with [SpecErrors] that name each changed or missing attribute.
// The attributes of c keep their order, and new attributes follow them.
func (c *Catalog) Rebuild(d Definitions) (*Catalog, error) { return wrap(c.compiled.Rebuild(d)) }

// Spec returns the definition with that ID, or nil.
func (c *Catalog) Spec(id string) *Spec { return c.compiled.ByID[id].Definition() }

// Lookup returns the definition with that ID. Otherwise it fails with [ErrUnknownID] and suggests
// the most similar ID. Use it for IDs from outside the program, such as a chat command or a loot
// table. An unknown ID costs O(definitions).
func (c *Catalog) Lookup(id string) (*Spec, error) {
	if p := c.compiled.ByID[id]; p != nil {
		return &p.Spec, nil
	}
	return nil, fmt.Errorf("%w: %.100q%s", ErrUnknownID, id, wordlist.DidYouMean(id, c.namesOf("definition")))
}

// MustSpec is like Spec but panics if there is no such definition, and suggests the most similar
// ID. Use it at the start of a program for IDs that the program itself contains.
func (c *Catalog) MustSpec(id string) *Spec {
	s := c.Spec(id)
	return must(c, s, s != nil, "definition", id)
}

// MustAttr is like Attr but panics if there is no such attribute, as MustSpec does.
func (c *Catalog) MustAttr(name string) stat.Attr {
	a, ok := c.Attr(name)
	return must(c, a, ok, "attribute", name)
}

// MustTag is like Tag but panics if there is no such tag, as MustSpec does.
func (c *Catalog) MustTag(name string) Tag {
	t, ok := c.Tag(name)
	return must(c, t, ok, "tag", name)
}

// MustAct is like Act but panics if there is no such act, as MustSpec does.
func (c *Catalog) MustAct(name string) Act {
	a, ok := c.Act(name)
	return must(c, a, ok, "act", name)
}

func must[T any](c *Catalog, v T, ok bool, kind, name string) T {
	if !ok {
		panic(c.unknown(kind, name).Error())
	}
	return v
}

// unknown returns the error for a name that the catalog does not have. The catalog may be nil.
func (c *Catalog) unknown(kind, name string) error {
	return fmt.Errorf("%w: %s %q%s", ErrName, kind, excerpt(name), wordlist.DidYouMean(name, c.namesOf(kind)))
}

// namesOf returns the names of a kind that the catalog has, or none if the catalog is nil.
func (c *Catalog) namesOf(kind string) (names []string) {
	if c == nil {
		return nil
	}
	switch kind {
	case "definition":
		for _, p := range c.compiled.Programs {
			names = append(names, p.ID)
		}
	case "tag":
		names = c.compiled.Tags.List
	case "act":
		names = c.compiled.Acts.List
	case "attribute":
		for i := range c.compiled.Attributes {
			names = append(names, c.compiled.Attributes[i].Name)
		}
	}
	return names
}

// Len returns the number of definitions.
func (c *Catalog) Len() int { return len(c.compiled.Programs) }

// All returns the definitions in the order passed to [NewCatalog].
func (c *Catalog) All() iter.Seq[*Spec] {
	return func(yield func(*Spec) bool) {
		for _, p := range c.compiled.Programs {
			if !yield(&p.Spec) {
				return
			}
		}
	}
}

// Place returns the position of a definition of this catalog in its source, for people, or "" if
// it is not known: see [Definitions].Places.
func (c *Catalog) Place(s *Spec) string {
	if !c.Has(s) || s.Index() >= len(c.compiled.Locations) {
		return ""
	}
	return c.compiled.Locations[s.Index()]
}

// Has reports whether s is a definition of this catalog. It returns false for a definition of a
// catalog that this catalog succeeds.
func (c *Catalog) Has(s *Spec) bool {
	p := compile.Of(s)
	return p != nil && p.Catalog == c.compiled
}

// Handlers returns the names of the Go handlers that are called by definitions of this catalog and
// of the catalogs that it succeeds, the oldest catalog first. There are no duplicates. The first
// name has the [define.HandlerID] 1.
func (c *Catalog) Handlers() []string { return slices.Clone(c.compiled.Handlers) }

// HandlerName returns the name of a handler of this catalog, or "" if there is none.
func (c *Catalog) HandlerName(id define.HandlerID) string { return c.compiled.HandlerName(id) }

// Attributes returns the attributes that every owner has, or nil if there are none.
func (c *Catalog) Attributes() *stat.Schema {
	if c.compiled.Schema == nil {
		return nil
	}
	return c.compiled.Schema.Schema
}

// Attr returns the attribute with that name and reports whether there is one. No attribute is 0.
func (c *Catalog) Attr(name string) (stat.Attr, bool) { return c.compiled.Attr(name) }

// Tag returns the tag with that name, or 0, and reports whether it exists. A tag exists if
// [Definitions].Tags or a definition mentions the tag, or a tag below it. To give an owner a tag
// that no definition mentions, list the tag in Definitions.Tags ("tags:" in a file).
func (c *Catalog) Tag(name string) (Tag, bool) { return c.compiled.TagNamed(name) }

// TagName returns the name of a tag of this catalog, or "" if it is 0 or unknown.
func (c *Catalog) TagName(t Tag) string { return c.compiled.Tags.Name(int(t)) }

// Act returns the act with that name, or 0, and reports whether it exists. An act exists if
// [Definitions].Acts or a definition mentions it.
func (c *Catalog) Act(name string) (Act, bool) { return c.compiled.ActNamed(name) }

// ActName returns the name of an act of this catalog, or "" if it is 0 or unknown.
func (c *Catalog) ActName(a Act) string { return c.compiled.Acts.Name(int(a)) }

// Changes returns the differences between c and the catalog from which [Catalog.Next] or
// [Catalog.Rebuild] made c. It lists first the new and changed definitions, in the order of c, and
// then the removed definitions. Definitions are compared by their contents, formulas by their text,
// and curves by their points. A catalog that was not made from another catalog has no changes.
func (c *Catalog) Changes() []define.SpecChange { return slices.Clone(c.compiled.Changes) }

// Succeeds reports whether c was made from the catalog `before`, by any number of calls of
// [Catalog.Next] and [Catalog.Rebuild]. It also returns true if both are the same catalog.
func (c *Catalog) Succeeds(before *Catalog) bool { return c.compiled.Succeeds(before.compiled) }

// Newest returns the version of a definition in c, or nil if c no longer has the definition. The
// result `known` reports whether s belongs to c or to a catalog that c succeeds: see
// [Catalog.Succeeds].
func (c *Catalog) Newest(s *Spec) (newest *Spec, known bool) {
	p, known := c.compiled.Version(compile.Of(s))
	return p.Definition(), known
}

// Lineages returns the number of different IDs in the catalog and in the catalogs that it succeeds.
// This is also the greatest [Spec.Lineage].
func (c *Catalog) Lineages() int { return len(c.compiled.Lineages.List) }

// Calls reports whether a definition of the catalog calls the Go handler with that name. In
// contrast, [Catalog.Handlers] includes the handlers that only earlier catalogs call.
func (c *Catalog) Calls(handler string) bool { return c.compiled.OwnHandlers[handler] }

// noCatalog has no names.
var noCatalog = &Catalog{&compile.Catalog{}}
