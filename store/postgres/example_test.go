package postgres_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/postgres"
)

// Example opens a zone and commits its first frame.
func Example() {
	ctx := context.Background()
	s, err := postgres.Open(ctx, "postgres://game@db.example/world", postgres.Options{})
	if err != nil {
		fmt.Println("the database:", err)
		return
	}
	defer s.Close()
	cut, err := s.Open(ctx, "arena")
	if err != nil && !errors.Is(err, store.ErrEmpty) {
		fmt.Println("the zone:", err)
		return
	}
	err = s.Commit(ctx, &store.Batch{
		Head: store.Head{Zone: "arena", Epoch: cut.Epoch, Frame: cut.Frame + 1}, Since: cut.Frame,
		Owners: []store.Owner{{ID: 7, Data: []byte("health 85")}},
	})
	fmt.Println("committed:", err)
}
