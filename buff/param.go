package buff

// supplied reports whether the application brings each parameter that has no default.
func (s *Spec) supplied(a *Application) bool {
	for k := range s.Params {
		if p := &s.Params[k].Value; p.From == FromCaller && !p.Default {
			if _, ok := a.arg(p.Caller); !ok {
				return false
			}
		}
	}
	return true
}

// params appends the values of the definition's parameters.
func (s *Spec) params(dst []float64, a *Application) []float64 {
	for k := range s.Params {
		p := &s.Params[k].Value
		value := p.Const
		if given, ok := a.arg(p.Caller); ok && p.From == FromCaller {
			value = given
		}
		dst = append(dst, value)
	}
	return dst
}

func (a *Application) arg(caller string) (float64, bool) {
	for k := range a.Params {
		if a.Params[k].Caller == caller {
			return a.Params[k].Value, true
		}
	}
	return 0, false
}

// Param returns the value of a parameter of the buff of that handle, and reports whether
// there is one. It costs a look at each parameter of the definition.
func (s *Set) Param(h Handle, name string) (float64, bool) {
	i := s.lookup(h)
	if i == nil {
		return 0, false
	}
	for k := range i.spec.Params {
		if i.spec.Params[k].Name == name {
			return s.extraOf(i).params[k], true
		}
	}
	return 0, false
}
