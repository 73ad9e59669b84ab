package snapshot

import "context"

// makerKey is the context key for the [Maker] of a commit.
type makerKey struct{}

// WithMaker returns a context with which [GiveWay] waits for the Ticks of the Maker's engine.
func WithMaker(ctx context.Context, m Maker) context.Context {
	return context.WithValue(ctx, makerKey{}, m)
}

// GiveWay calls [Maker.GiveWay] of the context's Maker. It is a no-op for a context without one.
func GiveWay(ctx context.Context) {
	if m, ok := ctx.Value(makerKey{}).(Maker); ok {
		m.GiveWay()
	}
}
