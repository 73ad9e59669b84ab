package buff

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/verb"
)

// BenchmarkRebuild compares 5,000 definitions with those before.
func BenchmarkRebuild(b *testing.B) {
	specs := make([]Spec, 5000)
	for k := range specs {
		specs[k] = Spec{
			ID: fmt.Sprint("b", k), Duration: time.Second, Period: time.Second, Tags: []string{"a.b"}, Params: []define.Param{{Name: "a", Value: define.Caller("a")}},
			On: Hooks{Pulse: []Action{{Do: define.DoCall, Name: "h"}}, Apply: []Action{{Do: define.DoApply, Name: "b0"}}},
		}
	}
	c, err := NewCatalog(specs...)
	require.NoError(b, err)
	d := Definitions{Specs: specs}
	for b.Loop() {
		if c, err = c.Rebuild(d); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDamage is one pulse that takes health off, with its change.
func BenchmarkDamage(b *testing.B) {
	c, err := Build(Definitions{Attributes: blobAttributes(), Specs: []Spec{{
		ID: "p", Kind: define.Infinite, Period: 100 * time.Millisecond,
		On: Hooks{Pulse: []Action{{Do: define.DoDamage, Change: &define.Change{Attr: "power", By: define.Const(1), PerStack: true}}}},
	}}})
	require.NoError(b, err)
	w := &work{set: NewSet(1, 1, 0, 10), spec: c.Spec("p")}
	w.turn.Catalog = c
	w.apply()
	b.ReportAllocs()
	for b.Loop() {
		w.pass(100)
	}
}

// BenchmarkModifier applies and removes a buff with a modifier, and reads the attribute both
// times.
func BenchmarkModifier(b *testing.B) {
	c, err := Build(Definitions{Attributes: blobAttributes(), Specs: []Spec{{
		ID: "p", Kind: define.Infinite, Modifiers: []define.Modifier{{Attr: "power", Value: define.Const(1)}},
	}}})
	require.NoError(b, err)
	w := &work{set: NewSet(1, 1, 0, 10), spec: c.Spec("p")}
	w.turn.Catalog = c
	b.ReportAllocs()
	for b.Loop() {
		h := w.apply()
		w.set.Attribute(c, 2)
		w.do(Command{Verb: verb.Remove, Handle: h})
		w.set.Attribute(c, 2)
	}
}
