package store_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/bolt"
)

// The game's own data is saved in the same cut as the buffs. Changes by handlers to their own
// owner are tracked. Before other changes, the loop must call Touch.
func ExampleSaver_Touch() {
	dir, err := os.MkdirTemp("", "zone")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	disk, err := bolt.Open(filepath.Join(dir, "world.db"), bolt.Options{})
	if err != nil {
		panic(err)
	}
	defer disk.Close()

	type player struct{ gold uint64 }
	ctx := context.Background()
	for range 3 { // three processes
		zone, err := store.Open(ctx, disk, "town", engine.Options{}, store.Options{
			Marshal: func(id buff.OwnerID, data any, dst []byte) ([]byte, error) {
				return binary.AppendUvarint(dst, data.(*player).gold), nil
			},
			Unmarshal: func(id buff.OwnerID, data []byte) (any, error) {
				gold, n := binary.Uvarint(data)
				if n <= 0 {
					return nil, fmt.Errorf("player %d: bad gold", id)
				}
				return &player{gold}, nil
			},
		})
		if err != nil {
			panic(err)
		}
		eng := zone.Engine()
		if zone.Restored().Fresh {
			if err := eng.Spawn(7, &player{gold: 100}); err != nil {
				panic(err)
			}
		}
		fmt.Println("gold:", eng.Data(7).(*player).gold)
		if err := zone.SaveAll(ctx); err != nil {
			panic(err)
		}
		// otherwise the cut below would not contain this change
		if err := zone.Touch(7); err != nil {
			panic(err)
		}
		eng.Data(7).(*player).gold -= 10
		if err := zone.Drain(ctx); err != nil {
			panic(err)
		}
	}
	// Output:
	// gold: 100
	// gold: 90
	// gold: 80
}
