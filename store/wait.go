package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
)

// Committed waits until everything up to the end of a frame is on disk. The frame is an
// engine.Frame.Number of this run. Wait for Committed before effects that must not be repeated
// after a crash, such as paying out gold. It returns [ErrFenced] or [ErrClosed] if the frame will
// never be on disk, or ctx.Err(). A failed commit does not end the wait, because the next commit
// contains the same changes.
//
// Any goroutine may call it, except the loop and handlers, because a commit needs them to
// continue.
func (v *Saver) Committed(ctx context.Context, frame uint64) error {
	for {
		v.mu.Lock()
		done, err, changed := v.stats.Frame >= v.first+frame, v.ended, v.changed
		v.mu.Unlock()
		switch {
		case done:
			return nil
		case err != nil:
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Durable executes a command like engine.Inbox.Ask and waits until its result is on disk. If
// the id is not zero and is among the last Options.Window ids, the command has been executed
// before, perhaps in another run: Durable does not execute it again, and returns [ErrDone]
// once that execution is on disk. So a caller that got no answer may safely retry.
//
// If the owner is busy, the Result is Queued; the command is then on disk as one that waits for
// the owner. Durable does not wait for commands that the rules deny. A panic in the command, as in
// engine.Engine.Do, is returned as an error.
//
// Any goroutine may call it, except the loop and handlers.
func (v *Saver) Durable(ctx context.Context, id CommandID, c buff.Command) (r buff.Result, err error) {
	frame, again := uint64(0), false
	err = v.engine.Inbox().Run(ctx, func(e *engine.Engine) {
		if v.restoring != nil {
			r.Err = fmt.Errorf("%w: the zone is not completely restored", engine.ErrBusy)
			return
		}
		if frame, again = v.window.done[id]; again && id != (CommandID{}) {
			return
		}
		again = false
		if r = e.Do(c); r.Err != nil {
			return
		}
		if frame = v.frame + 1; id != (CommandID{}) {
			v.Mark(id)
		}
	})
	if err != nil || r.Err != nil {
		return r, err
	}
	if err = v.Committed(ctx, frame); err == nil && again {
		err = ErrDone
	}
	return r, err
}

// Seen reports whether the command with the id is among the last Options.Window executed commands.
// It also returns the frame of the cut that contains the command: the command is on disk as soon
// as Stats.Frame is equal or higher. Use Seen and Mark instead of Durable for commands that are
// executed on the loop.
//
// Only the loop goroutine may call it.
func (v *Saver) Seen(id CommandID) (frame uint64, seen bool) {
	frame, seen = v.window.done[id]
	return v.first + frame, seen
}

// Mark records that the command with the id has just been executed, between two Ticks. It returns
// the frame of the cut that will contain the command, which is on disk as soon as Stats.Frame is
// equal or higher.
//
// Only the loop goroutine may call it.
func (v *Saver) Mark(id CommandID) (frame uint64) {
	frame = v.frame + 1
	v.window.add(id, frame, v.opts.Window)
	v.ids = append(v.ids, id)
	return v.first + frame
}

// SaveAll makes a cut of the current state and waits until it is on disk. After an error the
// next cut contains everything. If ctx ends first, SaveAll returns ctx.Err(), and the cut may
// or may not be on disk.
//
// Only the loop goroutine may call it, between two Ticks. Because it waits for the disk, use
// it at the end of a game or on behalf of an operator.
func (v *Saver) SaveAll(ctx context.Context) error {
	if v.restoring != nil {
		return fmt.Errorf("store: SaveAll: %d owners or commands are not restored yet; they are on disk", v.Restored().Left)
	}
	if v.cutting {
		v.step(unlimited)
	}
	if err := v.end(); err != nil {
		return err
	}
	if err := v.quiet(ctx); err != nil {
		return err
	}
	v.startCut(true)
	v.mu.Lock()
	v.first++ // the cut gets its own frame number
	v.mu.Unlock()
	v.step(unlimited)
	if err := v.quiet(ctx); err != nil {
		return err
	}
	v.updateStats()
	return v.Stats().Err
}

// quiet waits until no commit is running.
func (v *Saver) quiet(ctx context.Context) error {
	for {
		v.mu.Lock()
		ended, changed := v.ended, v.changed
		v.mu.Unlock()
		switch {
		case v.commits.free():
			return nil
		case ended != nil:
			return ended
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Drain shuts a zone down without losing anything. It closes the engine to new commands,
// restores owners that are not restored yet, delivers the accepted commands, and waits for
// busy owners until ctx ends. Then it saves everything and waits for the disk. If owners are
// still busy, the cut has an earlier state of them, and the error names them. The last commit
// is not canceled when ctx ends: it takes as long as the store needs. The Store stays open.
//
// Only the loop goroutine may call it, between two Ticks. After an error it may be called
// again.
func (v *Saver) Drain(ctx context.Context) error {
	if v.drained {
		return nil
	}
	v.opts.PerFrame = 0
	if v.restoring != nil {
		v.restoreOwners(v.opts.PerFrame)
	}
	for v.restoring != nil { // each Tick makes room for more events and so for more owners
		v.After(v.engine.Tick(0))
	}
	busy := v.engine.Close(ctx, func(f *engine.Frame) { v.noteFrame(f, v.first+v.frame+1) })
	if err := v.SaveAll(context.WithoutCancel(ctx)); err != nil {
		return errors.Join(busy, err)
	}
	v.drained = true
	v.Close()
	return busy
}

// Close stops saving but not the engine. It waits for a running commit; changes since that cut
// are not saved. From then on Committed and Durable return ErrClosed for anything that is not
// on disk. To save first, use Drain.
//
// Only the loop goroutine may call it.
func (v *Saver) Close() {
	v.commits.stop(false)
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.ended == nil {
		v.ended = ErrClosed
	}
	close(v.changed)
	v.changed = make(chan struct{})
}
