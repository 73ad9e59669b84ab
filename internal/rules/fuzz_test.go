package rules_test

import (
	"math/rand/v2"
	"testing"
)

// FuzzScript reads definitions and a script from the bytes, and compares the Owner with the model.
func FuzzScript(f *testing.F) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 9))
		bytes := make([]byte, 400)
		for i := range bytes {
			bytes[i] = byte(rng.Uint32())
		}
		f.Add(bytes)
	}
	f.Fuzz(func(t *testing.T, bytes []byte) {
		s, err := randomScript(&dice{bytes: bytes})
		if err != nil {
			return // the catalog rejects the definitions
		}
		if _, wrong := compare(s, 0); wrong != "" {
			t.Fatalf("%s\nscript:\n%v", wrong, s)
		}
	})
}
