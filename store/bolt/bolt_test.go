package bolt

import (
	"path/filepath"
	"testing"

	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/storetest"
)

// TestStore runs the conformance test.
func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Open {
		path := filepath.Join(t.TempDir(), "zones.db")
		return func() (store.Store, error) { return Open(path, Options{}) }
	})
}
