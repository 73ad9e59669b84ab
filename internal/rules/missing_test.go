package rules_test

import (
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/internal/rules"
	"github.com/stretchr/testify/require"
)

// sumOf is a formula with the given reads.
type sumOf struct{ reads []define.Read }

func (sumOf) String() string { return "sum" }

func (f sumOf) Reads() []define.Read { return f.reads }

func (sumOf) Eval(in define.Inputs) (v float64, _ error) { return in.Reads[0] + in.Reads[1], nil }

// TestMissingNumber checks that an application that is denied because of a missing number names
// that number, and that an application with an unused parameter names that parameter.
func TestMissingNumber(t *testing.T) {
	reads := []define.Read{{Kind: define.ReadCaller, Name: "spice"}, {Of: define.OfSource, Name: "power"}}
	c, err := buff.Build(buff.Definitions{Attributes: []define.Attribute{{Attribute: stat.Attribute{Name: "power"}}}, Specs: []buff.Spec{
		{ID: "a", Duration: time.Second, Params: []define.Param{{Name: "x", Value: define.Caller("dmg")}}},
		{ID: "b", Duration: time.Second, Params: []define.Param{{Name: "x", Value: define.Number{From: define.FromAttr, Attr: "power", Of: define.OfSource}}}},
		{ID: "c", Duration: time.Second, Params: []define.Param{{Name: "x", Value: define.Number{From: define.FromFormula, Formula: sumOf{reads}}}}},
	}})
	require.NoError(t, err)
	for _, x := range []struct {
		id     string
		params []buff.Arg
		lacks  string
	}{
		{"a", nil, "dmg"}, {"a", []buff.Arg{{Caller: "dgm", Value: 3}}, "dgm"}, {"a", []buff.Arg{{Caller: "dmg", Value: 3}, {Caller: "spice", Value: 3}}, "spice"}, {"b", nil, "power"}, {"c", nil, "spice"}, {"c", []buff.Arg{{Caller: "spice"}}, "power"},
	} {
		turn := rules.Turn{Catalog: c}
		rules.NewOwner(1, 0, 0, 8).Do(&turn, 0, buff.Apply(1, buff.Application{Spec: c.Spec(x.id), Source: 9, Params: x.params}))
		require.Len(t, turn.Events, 1)
		require.Equal(t, reason.NoParam, turn.Events[0].Why)
		require.Equal(t, x.lacks, turn.Events[0].Name, x.id)
	}
}
