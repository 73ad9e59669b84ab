package definition

import "github.com/goccy/go-yaml/ast"

// repeats finds repeated keys in a map.
type repeats struct {
	list  []*ast.MappingValueNode
	first map[string]position // first position of each key; nil if the map has few keys
}

// before reports whether the i-th key, which has the given name, repeats an earlier key. If so, it
// returns the position of the first key with this name. before must be called for all keys in
// order.
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
