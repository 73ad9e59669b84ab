package compile_test

import "github.com/bufftick/bufftick/buff/define"

// testFormula is a formula with the given reads. The compiler evaluates no formula, so its value is
// always 0.
type testFormula struct {
	text  string
	reads []define.Read
}

func (f *testFormula) String() string { return f.text }

func (f *testFormula) Reads() []define.Read { return f.reads }

func (f *testFormula) Eval(define.Inputs) (float64, error) { return 0, nil }
