package storetest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/record"
)

// Memory is a [store.Mover] that keeps zones in memory. It is safe for concurrent use.
type Memory struct {
	*memory
	closed bool
}

// memory is the data shared by a Memory and the Memories that Reopen returns.
type memory struct {
	mu    sync.Mutex
	zones map[string]*memoryZone
	where map[buff.OwnerID]string
	moves map[buff.OwnerID]store.Arrival
	moved uint64 // number of moves so far
}

type memoryZone struct {
	epoch uint64
	// nil if there is no cut; Owners and Commands are not set, because the fields below hold them
	cut      *store.Cut
	owners   map[buff.OwnerID]store.Owner
	commands []memoryCommands
}

type memoryCommands struct {
	frame uint64
	ids   []store.CommandID
}

// NewMemory returns an empty store.
func NewMemory() *Memory {
	return &Memory{memory: &memory{zones: map[string]*memoryZone{}, where: map[buff.OwnerID]string{}, moves: map[buff.OwnerID]store.Arrival{}}}
}

// Open implements [store.Store].
func (m *Memory) Open(ctx context.Context, zone string) (*store.Cut, error) {
	return m.read(ctx, zone, true)
}

// Load implements [store.Store].
func (m *Memory) Load(ctx context.Context, zone string) (*store.Cut, error) {
	return m.read(ctx, zone, false)
}

func (m *Memory) read(ctx context.Context, zone string, take bool) (*store.Cut, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.ready(ctx, zone); err != nil {
		return nil, err
	}
	z := m.zones[zone]
	switch {
	case z == nil && !take:
		z = &memoryZone{}
	case z == nil:
		z = &memoryZone{owners: map[buff.OwnerID]store.Owner{}}
		m.zones[zone] = z
	}
	if take {
		z.epoch++
	}
	if z.cut == nil {
		return &store.Cut{Head: store.Head{Zone: zone, Epoch: z.epoch}}, fmt.Errorf("%w: %q", store.ErrEmpty, zone)
	}
	return z.read(), nil
}

func (m *Memory) ready(ctx context.Context, zone string) error {
	if m.closed {
		return store.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return store.CheckName(zone)
}

func (z *memoryZone) read() *store.Cut {
	c := &store.Cut{Head: copyHead(&z.cut.Head)}
	c.Epoch = z.epoch
	for _, id := range slices.Sorted(maps.Keys(z.owners)) {
		o := copyOwner(z.owners[id])
		_, o.Older = slices.BinarySearch(c.Older, id)
		c.Owners = append(c.Owners, o)
	}
	for _, x := range z.commands {
		c.Commands = append(c.Commands, x.ids...)
	}
	if n := len(c.Commands) - c.Window; n > 0 {
		c.Commands = c.Commands[n:]
	}
	return c
}

// Commit implements [store.Store].
func (m *Memory) Commit(ctx context.Context, b *store.Batch) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.ready(ctx, b.Zone); err != nil {
		return err
	}
	if err := record.Prepare(b); err != nil {
		return err
	}
	z := m.zones[b.Zone]
	if z == nil {
		return fmt.Errorf("%w: nobody has opened zone %q", store.ErrFenced, b.Zone)
	}
	frame := uint64(0)
	if z.cut != nil {
		frame = z.cut.Frame
	}
	if err := record.Follows(b, z.epoch, frame); err != nil {
		return err
	}
	if err := m.elsewhere(b, frame); err != nil {
		return err
	}
	m.applyMoves(z, b, frame)
	m.apply(z, b)
	return nil
}

func (m *Memory) apply(z *memoryZone, b *store.Batch) {
	if b.Whole {
		for id := range z.owners {
			delete(m.where, id)
		}
		clear(z.owners)
		z.commands = nil
	}
	for _, id := range b.Deleted {
		if _, there := z.owners[id]; there {
			delete(z.owners, id)
			delete(m.where, id)
		}
	}
	for k := range b.Owners {
		o := copyOwner(b.Owners[k])
		o.Frame, o.Older = b.Frame, false
		z.owners[o.ID], m.where[o.ID] = o, b.Zone
	}
	z.commands = slices.DeleteFunc(z.commands, func(x memoryCommands) bool { return x.frame > b.Since })
	z.commands = append(z.commands, memoryCommands{b.Frame, slices.Clone(b.Commands)})
	for n := z.count(); n-len(z.commands[0].ids) >= b.Window && len(z.commands) > 1; n = z.count() {
		z.commands = z.commands[1:]
	}
	z.cut = &store.Cut{Head: copyHead(&b.Head)}
}

func (z *memoryZone) count() (n int) {
	for _, x := range z.commands {
		n += len(x.ids)
	}
	return n
}

// Close implements [store.Store]. The data is kept for [Memory.Reopen].
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	return nil
}

// Reopen returns another Memory with the same data, as if the server had been restarted. The first
// Memory need not be closed.
func (m *Memory) Reopen() *Memory { return &Memory{memory: m.memory} }

func copyHead(h *store.Head) store.Head {
	c := *h
	c.Clocks.Areas = slices.Clone(h.Clocks.Areas)
	c.Older = slices.Clone(h.Older)
	c.State, c.Data = slices.Clone(h.State), slices.Clone(h.Data)
	return c
}

func copyOwner(o store.Owner) store.Owner {
	o.Blob, o.Data = slices.Clone(o.Blob), slices.Clone(o.Data)
	return o
}
