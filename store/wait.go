package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
)

// Committed waits until everything up to the end of a frame is on disk. The frame is an
// engine.Frame.Number of this run, not a result of Move, Mark or Seen. Wait for Committed before
// effects that must not be repeated after a crash, such as paying out gold. It returns [ErrFenced]
// or [ErrClosed] if the frame will never be on disk, or ctx.Err(). A failed commit does not end the
// wait, because the next commit contains the same changes.
//
// Any goroutine may call it, except the loop and handlers, because nothing is committed while they
// are blocked.
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

// WhenCommitted calls f on the loop when everything that has been done so far is on disk: commands,
// changes after Touch, Park, Move and Arrive. Use it to answer a player, or for another effect that
// must not be repeated after a crash. It does not wait. The error is nil, or [ErrFenced] or
// [ErrClosed] if it will never be on disk. A failed commit does not call f, because the next commit
// contains the same changes. A function that is pending when the process dies is never called.
//
// At most [MaxPending] functions wait. If the disk fails for so long that there are more, f is
// called at once, with engine.ErrOverloaded: the changes may still reach the disk later.
//
// After, SaveAll, Drain and Close call the functions, in the order of the calls of WhenCommitted. f
// may call the engine and the Saver, except these four methods. If it panics, see Stats.Last.
//
// Only the loop goroutine may call it. It costs O(1).
func (v *Saver) WhenCommitted(f func(error)) {
	if len(v.pending) >= MaxPending {
		v.callPending(f, fmt.Errorf("%w: %d functions wait until zone %q is on disk", engine.ErrOverloaded, MaxPending, v.zone))
		return
	}
	v.pending = append(v.pending, pending{v.first + v.frame + 1, f})
}

// MaxPending is the maximum number of functions of [Saver.WhenCommitted] that wait for the disk.
const MaxPending = 1 << 16

// pending is a function of WhenCommitted.
type pending struct {
	frame uint64 // call the function when the cut of this frame is on disk
	call  func(error)
}

// callCommitted calls the functions whose frame is on disk. If there will be no more commits, it
// calls all functions.
func (v *Saver) callCommitted() {
	if len(v.pending) == 0 {
		return
	}
	onDisk, ended := v.Stats().Frame, v.endReason()
	for range len(v.pending) { // not the functions that these functions add
		next := v.pending[0]
		var err error
		if next.frame > onDisk {
			if err = ended; err == nil {
				return
			}
		}
		v.pending[0] = pending{}
		v.pending = v.pending[1:]
		v.callPending(next.call, err)
	}
}

func (v *Saver) callPending(f func(error), err error) {
	defer func() {
		if p := recover(); p != nil {
			v.refused(fmt.Errorf("store: a function of WhenCommitted panicked: %v", p))
		}
	}()
	f(err)
}

// Durable executes a command like engine.Inbox.Ask and waits until its result is on disk. If the
// id is not zero and is among the last Options.Window ids, the command has been executed before,
// perhaps in an earlier run of the program. Durable then does not execute it again, and returns
// [ErrDone] once the result of that execution is on disk. So a caller that got no answer may
// safely retry, but only in this zone: see Options.Window.
//
// If the owner is busy, the Result is Queued. The cut then contains the command as a command that
// waits for the owner. If the rules deny the command, Durable returns at once. If engine.Engine.Do
// panics because of the command, Durable returns the panic as an error.
//
// Any goroutine may call it, except the loop and handlers.
func (v *Saver) Durable(ctx context.Context, id CommandID, c buff.Command) (r buff.Result, err error) {
	frame, again := uint64(0), false
	err = v.engine.Inbox().Run(ctx, func(e *engine.Engine) {
		if v.restoring != nil {
			r.Failure = fmt.Errorf("%w: the zone is not completely restored", engine.ErrBusy)
			return
		}
		if frame, again = v.window.done[id]; again && id != (CommandID{}) {
			return
		}
		again = false
		if r = e.Do(c); r.Failure != nil {
			return
		}
		if frame = v.frame + 1; id != (CommandID{}) {
			v.Mark(id)
		}
	})
	if err != nil || r.Failure != nil {
		return r, err
	}
	if err = v.Committed(ctx, frame); err == nil && again {
		err = ErrDone
	}
	return r, err
}

// Seen reports whether the command with the id is among the last Options.Window executed commands
// of this zone. It does not know the commands that an owner executed before it moved here.
// It also returns the frame of the cut that contains the command. The command is on disk as soon
// as Stats.Frame is not below that frame. Use Seen and Mark instead of Durable for commands that
// are executed on the loop.
//
// Only the loop goroutine may call it.
func (v *Saver) Seen(id CommandID) (frame uint64, seen bool) {
	frame, seen = v.window.done[id]
	return v.first + frame, seen
}

// Mark records that the command with the id has just been executed, between two Ticks. It returns
// the frame of the cut that will contain the command. The command is on disk as soon as
// Stats.Frame is not below that frame.
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
	if err := v.endReason(); err != nil {
		return err
	}
	if err := v.waitIdle(ctx); err != nil {
		return err
	}
	v.startCut(true)
	v.mu.Lock()
	v.first++ // give the cut a frame number of its own
	v.mu.Unlock()
	v.step(unlimited)
	if err := v.waitIdle(ctx); err != nil {
		return err
	}
	v.updateStats()
	v.callCommitted()
	return v.Stats().Err
}

// waitIdle waits until no commit is running.
func (v *Saver) waitIdle(ctx context.Context) error {
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

// Drain shuts a zone down without losing anything. It restores owners that are not restored yet,
// closes the engine to new commands, delivers the accepted commands, and waits for busy owners
// until ctx ends. Then it saves everything and waits for the disk. If owners are still busy, the
// cut contains an earlier state of them, and the error names them. The last commit takes as long
// as the store needs; it is not canceled when ctx ends. The Store stays open.
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
	for v.restoring != nil { // each Tick delivers events, which makes room to restore more owners
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

// Close ends the saving, but does not close the engine. It waits for a running commit. Changes
// since the cut of that commit are not saved. Committed and Durable then return ErrClosed for
// everything that is not on disk, and functions of WhenCommitted get it. To save first, use Drain.
//
// Only the loop goroutine may call it.
func (v *Saver) Close() {
	v.commits.stop(false)
	v.end()
	v.callCommitted()
}

// end ends all waits for commits.
func (v *Saver) end() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.ended == nil {
		v.ended = ErrClosed
	}
	close(v.changed)
	v.changed = make(chan struct{})
}
