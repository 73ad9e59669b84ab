package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
)

// Committed waits until what has happened up to the end of a frame is on disk: engine.Frame.Number of
// this run. Effects that must not be repeated after a crash, such as gold that is paid out, are given
// out after it. It fails with [ErrFenced] or [ErrClosed] if that will never be, or with ctx.Err(). A
// commit that fails is not an end: the next one has all that it had.
//
// Any goroutine may call it, but not the loop, and no handler: they would wait for themselves.
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

// Durable has a command carried out, as engine.Inbox.Ask does, and waits until what came of it is on
// disk. If the id is not zero and among the last Options.Window ones, the command has been done
// before, perhaps in another run: it is not done again, and the error is [ErrDone] once that is on
// disk. So who got no answer may ask again.
//
// If the owner is busy the Result says Queued: that the command waits for it is on disk. What the
// rules have refused is not waited for. It panics, as engine.Engine.Do does, in an error.
//
// Any goroutine may call it, but not the loop, and no handler.
func (v *Saver) Durable(ctx context.Context, id CommandID, c buff.Command) (r buff.Result, err error) {
	frame, again := uint64(0), false
	err = v.engine.Inbox().Run(ctx, func(e *engine.Engine) {
		if v.back != nil {
			r.Err = fmt.Errorf("%w: the zone is not all back", engine.ErrBusy)
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

// Seen reports whether the command of that id is among the last Options.Window ones that were done, and
// the frame, as in Stats.Frame, with which that is on disk, or was. With Mark it is for who gives the
// commands on the loop, and has no goroutine for each of them as Durable has.
//
// Only the loop goroutine may call it.
func (v *Saver) Seen(id CommandID) (frame uint64, seen bool) {
	frame, seen = v.window.done[id]
	return v.first + frame, seen
}

// Mark notes that the command of that id has been done just now, between two Ticks. It returns the frame,
// as in Stats.Frame, with which that will be on disk: as soon as Stats.Frame is that or higher.
//
// Only the loop goroutine may call it.
func (v *Saver) Mark(id CommandID) (frame uint64) {
	frame = v.frame + 1
	v.window.add(id, frame, v.opts.Window)
	v.ids = append(v.ids, id)
	return v.first + frame
}

// SaveAll makes a cut of all that has happened so far, and waits until it is on disk. It returns why
// it is not: then the next cut has all of it. If ctx ends first, it returns ctx.Err(), and the cut may
// be on disk or not.
//
// Only the loop goroutine may call it, between two Ticks. It waits for the disk, so it is for the
// end of a game, or for an operator.
func (v *Saver) SaveAll(ctx context.Context) error {
	if v.back != nil {
		return fmt.Errorf("store: SaveAll: %d owners or commands are not back yet, and are on disk", v.Restored().Left)
	}
	if v.cutting {
		v.step(everything)
	}
	if err := v.end(); err != nil {
		return err
	}
	if err := v.quiet(ctx); err != nil {
		return err
	}
	v.begin(true)
	v.mu.Lock()
	v.first++ // it has the number of a frame of its own
	v.mu.Unlock()
	v.step(everything)
	if err := v.quiet(ctx); err != nil {
		return err
	}
	v.note()
	return v.Stats().Err
}

// quiet waits until no commit is under way.
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

// Drain ends a zone, so that nothing is lost: it closes the engine, which takes no command any more,
// delivers what it has accepted and waits for busy owners until ctx ends; then it saves all and waits
// for the disk. If owners are busy even then, the cut has an older state of them, and the error names
// them. The last commit is not given up because ctx has ended: it takes as long as the store takes.
// The Store stays open. Owners who are not back yet come back first.
//
// Only the loop goroutine may call it, between two Ticks. After an error it may be called again.
func (v *Saver) Drain(ctx context.Context) error {
	if v.drained {
		return nil
	}
	v.opts.PerFrame = 0
	if v.back != nil {
		v.bringBack(v.opts.PerFrame)
	}
	for v.back != nil { // a Tick makes room for the events of the next ones
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

// Close ends the saving, and not the engine: a commit that runs is waited for, and what has happened
// since its cut is not saved. Committed and Durable fail with ErrClosed from then on, unless it is on
// disk. Drain saves first.
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
