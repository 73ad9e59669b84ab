package engine_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
)

// TestP45_DigestOfEvents: two frames that differ in any one thing that an event says differ in
// their digests.
func TestP45_DigestOfEvents(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "venom", Kind: buff.Infinite}, buff.Spec{ID: "oath", Kind: buff.Infinite})
	event := buff.Event{Spec: cat.Spec("venom")}
	seen := map[uint64]string{engine.DigestOf(event): "nothing"}
	for i := range reflect.TypeFor[buff.Event]().NumField() {
		other := event
		f, name := reflect.ValueOf(&other).Elem().Field(i), reflect.TypeFor[buff.Event]().Field(i).Name
		switch {
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
		n := engine.DigestOf(other)
		require.NotContains(t, seen, n, "%s is as %s", name, seen[n])
		seen[n] = name
	}
	for _, text := range []string{"7\x00", "\x00", "\x00\x00", "\x00\x00\x00\x00\x00\x00\x00\x00\x00", "12345678", "123456789"} {
		other := event
		other.Name = text
		n := engine.DigestOf(other)
		require.NotContains(t, seen, n, "%q is as %s", text, seen[n])
		seen[n] = text
	}
}
