package rules

import (
	"bytes"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/state"
	"github.com/stretchr/testify/require"
)

// savedOwner returns the decoded contents of a blob.
func savedOwner(t *testing.T, blob []byte) *state.Owner {
	t.Helper()
	b, err := state.Decode(blob, &state.Memory{})
	require.NoError(t, err)
	return b
}

// TestBlob_Appliers checks that a blob has the appliers of an instance only if diminishing returns
// are counted separately for each source.
func TestBlob_Appliers(t *testing.T) {
	for scope, want := range map[define.Scope][]uint64{define.ScopeTarget: nil, define.ScopePair: {8, 9}} {
		c := mustCatalog(t, buff.Spec{ID: "stun", Duration: time.Minute, Stack: define.Stacking{By: define.ByTarget}, DR: define.DR{Group: "g", Steps: []int{100, 50, 25}, Reset: time.Minute, Scope: scope}})
		s, turn := NewOwner(7, 1, 0, 9), &Turn{Catalog: c}
		for _, source := range []buff.OwnerID{8, 9} {
			require.NoError(t, s.Do(turn, 0, buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: c.Spec("stun"), Source: source}}).Failure)
		}
		blob, _ := s.Save(nil, c, blobMoment, 0)
		require.ElementsMatch(t, want, savedOwner(t, blob).Buffs[0].Appliers, scope)
	}
}

// TestCatalog_HandlerName checks that 0 and numbers above the last handler have no name.
func TestCatalog_HandlerName(t *testing.T) {
	c := mustCatalog(t, buff.Spec{ID: "a", Kind: define.Instant, On: define.Hooks{Exec: []define.Action{{Do: define.DoCall, Name: "one"}, {Do: define.DoCall, Name: "two"}}}})
	var names []string
	for id := define.HandlerID(0); id < 4; id++ {
		names = append(names, c.HandlerName(id))
	}
	require.Equal(t, []string{"", "one", "two", ""}, names)
}

// TestBlob_WaitingCaptures checks that the captured attributes of applications that wait in a queue
// are restored and saved again. An application of the owner itself has no captured attributes.
func TestBlob_WaitingCaptures(t *testing.T) {
	c, err := buff.Build(buff.Definitions{Attributes: blobAttributes(), Specs: blobSpecs()})
	require.NoError(t, err)
	caster := NewOwner(9, 2, 0, 1)
	s, turn := NewOwner(7, 1, 0, 9), &Turn{Catalog: c}
	for k, source := range []buff.OwnerID{9, 9, 7} {
		a := buff.Application{Spec: c.Spec("turns"), Source: source, Magnitude: int64(-k)}
		if source == 9 {
			Capture(&a, nil, caster, c, define.SnapshotApply)
		}
		require.NoError(t, s.Do(turn, 0, buff.Command{Verb: verb.Apply, Application: a}).Failure)
	}
	blob, _ := s.Save(nil, c, blobMoment, 0)
	b := savedOwner(t, blob)
	require.Len(t, b.Buffs[0].Waiting, 2)
	require.Len(t, b.Buffs[0].Waiting[0].Captures, 1)
	require.Empty(t, b.Buffs[0].Waiting[1].Captures)
	again, _, _, err := restoreHere(c, blob)
	require.NoError(t, err)
	back, _ := again.Save(nil, c, blobMoment, 0)
	require.Equal(t, savedOwner(t, blob).Buffs[0].Waiting, savedOwner(t, back).Buffs[0].Waiting)
}

// TestBlob_EmptyField checks that a field that is marked as present must not be empty.
func TestBlob_EmptyField(t *testing.T) {
	b := &state.Owner{Format: state.Format, Ages: 1, Buffs: []state.Buff{{ID: "plain", Age: 1, Stacks: 1, Version: "zz"}}}
	blob := b.Append(nil)
	require.Equal(t, "zz", savedOwner(t, blob).Buffs[0].Version)
	contents := bytes.Replace(blob[:len(blob)-blobCheck], []byte("\x02zz"), []byte{0}, 1)
	_, err := state.Decode(seal(contents, 0), &state.Memory{})
	require.ErrorIs(t, err, buff.ErrBlob)
	require.Contains(t, err.Error(), `a field of the buff "plain" is marked as present, but is empty`)
}

// TestBlob_UnknownBase checks that a base of an attribute that the catalog does not have is set
// aside, and that the bases that follow it are restored.
func TestBlob_UnknownBase(t *testing.T) {
	attribute := func(name string) define.Attribute { return define.Attribute{Attribute: stat.Attribute{Name: name}} }
	all, err := buff.Build(buff.Definitions{Attributes: []define.Attribute{attribute("a"), attribute("b"), attribute("c")}})
	require.NoError(t, err)
	some, err := buff.Build(buff.Definitions{Attributes: []define.Attribute{attribute("c"), attribute("a")}})
	require.NoError(t, err)
	s, turn := NewOwner(7, 1, 0, 9), &Turn{Catalog: all}
	for k, name := range []string{"a", "b", "c"} {
		at, _ := all.Attr(name)
		require.NoError(t, s.Do(turn, 0, buff.Command{Verb: verb.SetBase, Attr: at, Value: float64(10 + k)}).Failure)
	}
	blob, _ := s.Save(nil, all, blobMoment, 0)
	s, _, _, err = restoreHere(some, blob)
	require.NoError(t, err)
	a, _ := some.Attr("a")
	last, _ := some.Attr("c")
	require.Equal(t, []float64{10, 12}, []float64{s.Attribute(some, a), s.Attribute(some, last)})
	blob, _ = s.Save(nil, some, blobMoment, 0)
	s, _, _, err = restoreHere(all, blob)
	require.NoError(t, err)
	b, _ := all.Attr("b")
	require.Equal(t, 11.0, s.Attribute(all, b))
}
