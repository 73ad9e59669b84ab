package compile_test

import "github.com/bufftick/bufftick/buff/define"

// testFormula is the sum of its reads and of its weighted inputs.
type testFormula struct {
	text                     string
	reads                    []define.Read
	level, stacks, magnitude float64
	eval                     func(define.Inputs) (float64, error) // if not nil, used instead of the sum
}

func (f *testFormula) String() string { return f.text }

func (f *testFormula) Reads() []define.Read { return f.reads }

func (f *testFormula) Eval(in define.Inputs) (float64, error) {
	if f.eval != nil {
		return f.eval(in)
	}
	sum := float64(f.level*in.Level) + float64(f.stacks*in.Stacks) + float64(f.magnitude*in.Magnitude)
	for _, v := range in.Reads {
		sum += v
	}
	return sum, nil
}
