package definition

import (
	"cmp"
	"fmt"
	"slices"
)

// fault is an error and the source that it is about. The error has no excerpt of the source yet.
type fault struct {
	src *source
	err *Error
}

// faults is the list of reported errors. If there are very many errors, the list keeps only the
// first ones, in the order of the sources and positions.
type faults struct{ list []fault }

// add adds an error.
func (f *faults) add(s *source, e *Error) {
	if len(f.list) == 8*MaxErrors {
		f.sort()
		clear(f.list[MaxErrors+1:])
		f.list = f.list[:MaxErrors+1]
	}
	f.list = append(f.list, fault{s, e})
}

func (f *faults) sort() {
	slices.SortStableFunc(f.list, func(a, b fault) int {
		return cmp.Or(cmp.Compare(a.src.index, b.src.index),
			cmp.Compare(a.err.Line, b.err.Line), cmp.Compare(a.err.Column, b.err.Column))
	})
}

// errors returns the reported errors in order, with excerpts of their sources.
func (l *loader) errors() Errors {
	l.faults.sort()
	found := l.faults.list
	list := make(Errors, 0, min(len(found), MaxErrors+1))
	for i, f := range found {
		f.err.Source = f.src.excerpt(position{f.err.Line, f.err.Column})
		list = append(list, f.err)
		if i == MaxErrors && l.failed > MaxErrors+1 {
			f.err.Buff, f.err.Field = "", ""
			f.err.Text = fmt.Sprintf("too many %ss: this one and %d more are not shown", f.err.Severity(), l.failed-i-1)
			break
		}
	}
	return list
}
