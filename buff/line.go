package buff

// Line returns the number of the definition's ID in its catalog, counted from 1: the same
// for all its versions in the catalogs that [Catalog.Rebuild] has made one from another.
func (s *Spec) Line() int { return int(s.line) }

// Revision counts the versions of a line that said something else than the one before. In
// two catalogs of which one [Catalog.Succeeds] the other, versions of equal revision say
// the same.
func (s *Spec) Revision() int { return int(s.revision) }

// Lines returns how many IDs there are, or were, in the catalog and those whose place it
// has taken: the greatest [Spec.Line].
func (c *Catalog) Lines() int { return len(c.lines.list) }

// Calls reports whether a definition of this very catalog calls the Go handler of that
// name; [Catalog.Handlers] also has those that only earlier ones did.
func (c *Catalog) Calls(handler string) bool { return c.called[handler] }
