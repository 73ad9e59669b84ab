package record

import (
	"context"

	"github.com/bufftick/bufftick/internal/snapshot"
)

// GiveWay waits while a Tick of the zone is running, so that the game has all processors during a
// Tick. A Store's Commit should call it after about every 100 µs of processor time. ctx must be
// the context passed to Commit; with any other context GiveWay is a no-op. Only the goroutine
// that received the context may call it.
func GiveWay(ctx context.Context) { snapshot.GiveWay(ctx) }
