package rules

import (
	"fmt"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/stretchr/testify/require"
)

// BenchmarkRebuild compares 5,000 definitions with those of the previous catalog.
func BenchmarkRebuild(b *testing.B) {
	specs := make([]buff.Spec, 5000)
	for k := range specs {
		specs[k] = buff.Spec{
			ID: fmt.Sprint("b", k), Duration: time.Second, Period: time.Second, Tags: []string{"a.b"}, Params: []define.Param{{Name: "a", Value: define.Caller("a")}},
			On: define.Hooks{Pulse: []define.Action{{Do: define.DoCall, Name: "h"}}, Apply: []define.Action{{Do: define.DoApply, Name: "b0"}}},
		}
	}
	c, err := buff.NewCatalog(specs...)
	require.NoError(b, err)
	d := buff.Definitions{Specs: specs}
	for b.Loop() {
		if c, err = c.Rebuild(d); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDamage runs one pulse that damages health, and emits its Changed.
func BenchmarkDamage(b *testing.B) {
	c, err := buff.Build(buff.Definitions{Attributes: blobAttributes(), Specs: []buff.Spec{{
		ID: "p", Kind: define.Infinite, Period: 100 * time.Millisecond,
		On: define.Hooks{Pulse: []define.Action{{Do: define.DoDamage, Change: &define.Change{Attr: "power", By: define.Const(1), PerStack: true}}}},
	}}})
	require.NoError(b, err)
	w := &work{set: NewOwner(1, 1, 0, 10), spec: c.Spec("p")}
	w.turn.Catalog = c
	w.apply()
	b.ReportAllocs()
	for b.Loop() {
		w.pass(100)
	}
}

// BenchmarkModifier applies and removes a buff with a modifier, and reads the attribute after each
// step.
func BenchmarkModifier(b *testing.B) {
	c, err := buff.Build(buff.Definitions{Attributes: blobAttributes(), Specs: []buff.Spec{{
		ID: "p", Kind: define.Infinite, Modifiers: []define.Modifier{{Attr: "power", Value: define.Const(1)}},
	}}})
	require.NoError(b, err)
	w := &work{set: NewOwner(1, 1, 0, 10), spec: c.Spec("p")}
	w.turn.Catalog = c
	b.ReportAllocs()
	for b.Loop() {
		h := w.apply()
		w.set.Attribute(c, 2)
		w.do(buff.Command{Verb: verb.Remove, Handle: h})
		w.set.Attribute(c, 2)
	}
}
