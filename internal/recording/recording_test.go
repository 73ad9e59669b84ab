package recording_test

import (
	"fmt"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/internal/recording"
	"github.com/stretchr/testify/require"
)

func fingerprintOf(t *testing.T, specs ...buff.Spec) uint64 {
	cat, err := buff.NewCatalog(specs...)
	require.NoError(t, err)
	return recording.Fingerprint(cat)
}

func digestOf(e buff.Event) uint64 {
	d := recording.NewDigest()
	d.Event(&e)
	return uint64(d)
}

// TestP45_Fingerprint checks that catalogs with different behaviour have different fingerprints,
// and that catalogs that differ only in texts for people have the same fingerprint.
func TestP45_Fingerprint(t *testing.T) {
	of := func(edit func(s *buff.Spec)) uint64 {
		s := buff.Spec{ID: "venom", Duration: time.Minute, Tags: []string{"poison"}}
		edit(&s)
		return fingerprintOf(t, s, buff.Spec{ID: "mark", Kind: define.Instant}, buff.Spec{ID: "sign", Kind: define.Instant})
	}
	applies := func(name string) func(s *buff.Spec) {
		return func(s *buff.Spec) { s.On.Apply = []define.Action{{Do: define.DoApply, Name: name}} }
	}
	group := func(name string) func(s *buff.Spec) {
		return func(s *buff.Spec) { s.Group.Name = name }
	}
	seen := make(map[uint64]int)
	for i, edit := range []func(s *buff.Spec){
		func(*buff.Spec) {}, applies("mark"), applies("sign"), group("curses"), group("stings"),
		func(s *buff.Spec) { s.Duration += time.Second }, func(s *buff.Spec) { s.Tags[0] = "toxin" },
	} {
		n := of(edit)
		require.NotContains(t, seen, n, "%d is as %d", i, seen[n])
		seen[n] = i
	}
	require.Equal(t, of(func(*buff.Spec) {}), of(func(s *buff.Spec) { s.Name, s.Note = "Venom", "It bites." }))
}

// TestP45_FingerprintDeep checks that the fingerprint includes values behind pointers: a point of
// a curve, the amount by which an action changes an attribute, a number of a parameter.
func TestP45_FingerprintDeep(t *testing.T) {
	of := func(point, by, param float64) uint64 {
		curve, err := define.NewCurve("growth", define.Point{Level: 1, Value: 1}, define.Point{Level: 10, Value: point})
		require.NoError(t, err)
		cat, err := buff.Build(buff.Definitions{
			Attributes: []define.Attribute{{Attribute: stat.Attribute{Name: "health"}}},
			Specs: []buff.Spec{{
				ID: "venom", Duration: time.Minute, Params: []define.Param{{Name: "dmg", Value: define.Const(param)}, {Name: "grown", Value: define.Number{From: define.FromCurve, Curve: curve}}},
				On: define.Hooks{Apply: []define.Action{{Do: define.DoChange, Change: &define.Change{Attr: "health", By: define.Const(by)}}}},
			}},
		})
		require.NoError(t, err)
		return recording.Fingerprint(cat)
	}
	require.Equal(t, of(5, 2, 3), of(5, 2, 3))
	require.NotEqual(t, of(5, 2, 3), of(6, 2, 3), "a point")
	require.NotEqual(t, of(5, 2, 3), of(5, 4, 3), "a change")
	require.NotEqual(t, of(5, 2, 3), of(5, 2, 4), "a parameter")
}

// TestHeaderLimits checks that a recording accepts exactly the limits that the options accept.
func TestHeaderLimits(t *testing.T) {
	most := [8]int{1 << 30, 1 << 30, buff.MaxOwners, buff.MaxPerOwner, 1 << 20, 1 << 24, 1 << 24, 1 << 30}
	least := [8]int{1, 1, 1, 1, 1, 1, 1, 1}
	wrong := func(limits [8]int, uptime int64, number uint32, policy uint8) string {
		h := recording.Header{Limits: limits, Uptime: uptime, Number: number, Policy: policy}
		return h.Wrong(2)
	}
	require.Empty(t, wrong(most, math.MaxInt64, math.MaxUint32, 2))
	require.Empty(t, wrong(least, 0, 1, 0))
	for i := range most {
		over, none := most, least
		over[i], none[i] = most[i]+1, 0
		require.Contains(t, wrong(over, 0, 1, 0), fmt.Sprintf("limit %d of the options is %d", i+1, most[i]+1))
		require.Contains(t, wrong(none, 0, 1, 0), fmt.Sprintf("limit %d of the options is 0", i+1))
	}
	require.Equal(t, "an uptime of -1", wrong(least, -1, 1, 0))
	require.Equal(t, "an engine without a number", wrong(least, 0, 0, 0))
	require.Equal(t, fmt.Sprintf("the rule %d of catching up", 3), wrong(least, 0, 1, 2+1))
}

// TestP45_DigestOfEvents checks that frames whose events differ in any field except Seq have
// different digests. Without Seq, the digest of a game is the same as before events had that
// field.
func TestP45_DigestOfEvents(t *testing.T) {
	cat, err := buff.NewCatalog(buff.Spec{ID: "venom", Kind: define.Infinite}, buff.Spec{ID: "oath", Kind: define.Infinite})
	require.NoError(t, err)
	event := buff.Event{Spec: cat.Spec("venom")}
	seen := map[uint64]string{digestOf(event): "nothing"}
	for i := range reflect.TypeFor[buff.Event]().NumField() {
		other := event
		f, name := reflect.ValueOf(&other).Elem().Field(i), reflect.TypeFor[buff.Event]().Field(i).Name
		switch {
		case name == "Seq": // counts the events, and each of them is in the digest
			f.SetUint(7)
			require.Equal(t, digestOf(event), digestOf(other))
			continue
		case f.CanInt():
			f.SetInt(7)
		case f.CanUint():
			f.SetUint(7)
		case f.CanFloat():
			f.SetFloat(7)
		case f.Kind() == reflect.String:
			f.SetString("7")
		default:
			require.Equal(t, "Spec", name)
			other.Spec = cat.Spec("oath")
		}
		n := digestOf(other)
		require.NotContains(t, seen, n, "%s is as %s", name, seen[n])
		seen[n] = name
	}
	for _, text := range []string{"7\x00", "\x00", "\x00\x00", "\x00\x00\x00\x00\x00\x00\x00\x00\x00", "12345678", "123456789"} {
		other := event
		other.Name = text
		n := digestOf(other)
		require.NotContains(t, seen, n, "%q is as %s", text, seen[n])
		seen[n] = text
	}
}
