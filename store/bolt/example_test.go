package bolt_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/bolt"
)

// Example runs the last frame of one process and the first frame of the next process.
func Example() {
	dir, err := os.MkdirTemp("", "world")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path, ctx := filepath.Join(dir, "world.db"), context.Background()

	for process := range 2 {
		s, err := bolt.Open(path, bolt.Options{})
		if err != nil {
			panic(err)
		}
		cut, err := s.Open(ctx, "arena")
		switch {
		case errors.Is(err, store.ErrEmpty):
			fmt.Println("process", process, "begins the zone")
		case err != nil:
			panic(err)
		default:
			fmt.Printf("process %d goes on after frame %d: owner %d, %s\n", process, cut.Frame, cut.Owners[0].ID, cut.Owners[0].Data)
		}
		err = s.Commit(ctx, &store.Batch{
			Head: store.Head{Zone: "arena", Epoch: cut.Epoch, Frame: cut.Frame + 1}, Since: cut.Frame,
			Owners: []store.Owner{{ID: 7, Data: []byte("health 85")}},
		})
		if err != nil {
			panic(err)
		}
		if err := s.Close(); err != nil {
			panic(err)
		}
	}
	// Output:
	// process 0 begins the zone
	// process 1 goes on after frame 1: owner 7, health 85
}
