package buff

// Param returns the value of a parameter of the buff of that handle, and reports whether
// there is one. It costs a look at each parameter of the definition.
func (s *Set) Param(h Handle, name string) (float64, bool) {
	i := s.lookup(h)
	if i == nil {
		return 0, false
	}
	for k := range i.spec.Params {
		if i.spec.Params[k].Name == name {
			return s.keptOf(i).values[k], true
		}
	}
	return 0, false
}
