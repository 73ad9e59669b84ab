package definition

import "github.com/goccy/go-yaml/ast"

// repeats finds keys that stand twice in a map of a file.
type repeats struct {
	list  []*ast.MappingValueNode
	first map[string]position // nil while there are few
}

// before returns where the i-th key, which is that name, stands first, and reports whether
// that is before.
func (r *repeats) before(i int, name string) (position, bool) {
	if len(r.list) <= few {
		for _, f := range r.list[:i] {
			if other, ok := Text(f.Key); ok && other == name {
				return at(f.Key), true
			}
		}
		return position{}, false
	}
	if r.first == nil {
		r.first = make(map[string]position, len(r.list))
	}
	p, again := r.first[name]
	if !again {
		r.first[name] = at(r.list[i].Key)
	}
	return p, again
}
