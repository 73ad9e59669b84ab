package definition

// shortMap is a map that usually has few keys. While it has few keys, it searches them linearly,
// which takes less time and memory than a built-in map. The zero shortMap is empty.
type shortMap[V any] struct {
	list  []keyed[V]
	index map[string]int // nil while there are few keys
}

type keyed[V any] struct {
	key   string
	value V
}

// few is the largest number of keys that are searched linearly.
const few = 24

// at returns the index of a key in the list, and whether it is present.
func (m *shortMap[V]) at(key string) (int, bool) {
	if m.index != nil {
		i, ok := m.index[key]
		return i, ok
	}
	for i := range m.list {
		if m.list[i].key == key {
			return i, true
		}
	}
	return 0, false
}

// get returns the value of a key, and reports whether the key is present.
func (m *shortMap[V]) get(key string) (v V, ok bool) {
	i, ok := m.at(key)
	if ok {
		v = m.list[i].value
	}
	return v, ok
}

// set sets the value of a key.
func (m *shortMap[V]) set(key string, v V) {
	if i, ok := m.at(key); ok {
		m.list[i].value = v
		return
	}
	m.list = append(m.list, keyed[V]{key, v})
	switch n := len(m.list); {
	case m.index != nil:
		m.index[key] = n - 1
	case n > few:
		m.index = make(map[string]int, 2*n)
		for i := range m.list {
			m.index[m.list[i].key] = i
		}
	}
}
