package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/internal/snapshot"
)

// Restored reports the result of restoring a cut.
type Restored struct {
	Fresh bool          // the zone is new: it had no cut
	Frame uint64        // number of the cut's frame
	Away  time.Duration // calendar time since the cut

	Owners int // number of owners restored in the engine
	Parked int // number of parked owners
	// Left is the number of owners still to be restored. When all are restored, it is the number of
	// waiting commands still to be executed.
	Left    int
	Buffs   int // number of restored buffs
	Expired int // number of buffs that ended while the zone was not running
	// number of buffs without a definition in the catalog; they are kept in case the definition
	// returns
	Unknown  int
	Timeouts int // number of restored timeouts
	Unnamed  int // number of timeouts with an unknown handler name; they are kept
	Commands int // number of executed commands that were waiting when the cut was made

	// Older lists owners that were busy when the cut was made, so that the cut contains an
	// earlier state of them.
	Older []buff.OwnerID

	// Some buffs end, or are adopted, when their source leaves. Sources lists the sources of such
	// buffs, except sources that are in the zone, parked or not. For each listed source that will not return, the
	// game must execute buff.LoseSource. The list is complete when Left is 0.
	Sources []buff.OwnerID

	// Failed lists the owners and commands that could not be restored, with the reasons. Such an
	// owner remains unchanged in the store until another owner with the same id is saved.
	Failed []Failure

	// Zone is the result of Options.Zone.
	Zone []byte
}

// Failure is an owner or command that could not be restored.
type Failure struct {
	Owner buff.OwnerID // 0 for a command
	Err   error
}

// Error returns a description of the failure.
func (f Failure) Error() string {
	if f.Owner == 0 {
		return fmt.Sprintf("a waiting command: %v", f.Err)
	}
	return fmt.Sprintf("owner %d: %v", f.Owner, f.Err)
}

// Open acquires a zone and returns a Saver with a running engine, which is restored from the zone's
// last cut, or new if the zone has no cut. If eo.Epoch is zero, the current time is used. Uptime
// continues from the cut. The clocks of all areas and every owner with its buffs are restored. Each
// buff follows its own rule for the time away. [Saver.Restored] reports exceptions.
//
// It returns the errors of Store.Open and engine.New. After an error, at most the zone's epoch has
// changed.
func Open(ctx context.Context, s Store, zone string, eo engine.Options, o Options) (*Saver, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	c, err := take(ctx, s, zone)
	if err != nil {
		return nil, err
	}
	if eo.Epoch.IsZero() {
		if o.Now == nil {
			o.Now = time.Now
		}
		eo.Epoch = o.Now()
	}
	if c.Frame > 0 {
		eo.Uptime = time.Duration(c.Clocks.Moment.Uptime) * time.Millisecond
	}
	e, err := engine.New(eo)
	if err != nil {
		return nil, err
	}
	for _, z := range c.Clocks.Areas {
		if err := setArea(e, z); err != nil {
			return nil, errors.Join(err, e.Close(ctx))
		}
	}
	v := newSaver(e, s, c, o)
	v.data = c.Data
	v.loadParked(c)
	v.restored = Restored{
		Fresh: c.Frame == 0, Frame: c.Frame, Parked: len(v.parked), Older: c.Older, Zone: c.Data,
		Away: time.Duration(eo.Epoch.UnixMilli()-c.Clocks.Moment.Wall) * time.Millisecond,
	}
	if c.Frame == 0 {
		v.restored.Away = 0
	}
	v.restoring = &restoration{cut: c}
	v.restoreOwners(o.PerFrame)
	return v, nil
}

// take opens a zone. Unlike Store.Open, it returns no error for a zone without a cut.
func take(ctx context.Context, s Store, zone string) (*Cut, error) {
	c, err := s.Open(ctx, zone)
	if errors.Is(err, ErrEmpty) {
		return c, nil
	}
	return c, err
}

func setArea(e *engine.Engine, z AreaClock) error {
	if z.Rate != (buff.Ratio{}) {
		if err := e.Do(buff.SetAreaRate(z.Number, z.Rate)).Failure; err != nil {
			return err
		}
	}
	if z.Paused {
		return e.Do(buff.PauseArea(z.Number)).Failure
	}
	return nil
}

// Restored returns the state of the restoration. It is safe for concurrent use.
func (v *Saver) Restored() Restored {
	v.mu.Lock()
	defer v.mu.Unlock()
	r := v.restored
	r.Failed, r.Sources = slices.Clone(r.Failed), slices.Clone(r.Sources)
	return r
}

// restoration is a cut that is not completely restored.
type restoration struct {
	cut     *Cut
	next    int
	sources []buff.OwnerID
	read    bool           // all owners are restored, and the field "waits" has been decoded
	waits   []buff.Command // waiting commands that must still be executed
}

// restoreOwners restores at most the given number of owners. If the number is not positive, it
// restores as many owners as the engine's limit on events allows. After the last owner it executes
// the waiting commands. Then cuts can start.
func (v *Saver) restoreOwners(most int) {
	k := v.restoring
	if most <= 0 {
		most = len(k.cut.Owners)
	}
	r := v.Restored()
	for ; most > 0 && k.next < len(k.cut.Owners); most-- {
		o := &k.cut.Owners[k.next]
		err := v.restoreOwner(&r, o)
		if errors.Is(err, engine.ErrOverloaded) && v.engine.Owners() > 0 {
			break // the next frame has room for more events
		}
		if err != nil {
			r.Failed = append(r.Failed, Failure{o.ID, err})
		}
		k.next++
	}
	if r.Left = len(k.cut.Owners) - k.next; r.Left == 0 {
		v.runWaiting(&r)
		r.Left = len(k.waits)
	}
	if r.Left == 0 {
		slices.Sort(k.sources)
		r.Sources = slices.DeleteFunc(slices.Compact(k.sources), func(id buff.OwnerID) bool {
			return v.present(id) || v.isParked(id)
		})
		v.restoring = nil
		v.copies = snapshot.Of(v.engine, v.opts.Marshal)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.restored = r
}

// restoreOwner restores one owner.
func (v *Saver) restoreOwner(x *Restored, o *Owner) error {
	area, _, data, err := SplitData(o.Data)
	if err != nil {
		return err
	}
	game, err := v.unmarshal(o.ID, data)
	if err != nil {
		return err
	}
	r, err := v.engine.Readmit(o.ID, game, o.Blob, area, v.restoring.cut.Clocks.Moment.Uptime)
	if err != nil {
		return err
	}
	x.Owners++
	x.Buffs += r.Restored
	x.Expired += r.Expired
	x.Unknown += r.Unknown
	x.Timeouts += r.Timeouts
	x.Unnamed += r.Unnamed
	v.restoring.sources = append(v.restoring.sources, r.Sources...)
	return nil
}

// unmarshal calls Options.Unmarshal for an owner. It returns a panic as an error.
func (v *Saver) unmarshal(id buff.OwnerID, data []byte) (game any, err error) {
	if v.opts.Unmarshal == nil {
		return nil, nil
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("store: Unmarshal panicked: %v", p)
		}
	}()
	return v.opts.Unmarshal(id, data)
}

// runWaiting executes the waiting commands while the engine's limit on events allows it.
func (v *Saver) runWaiting(r *Restored) {
	k := v.restoring
	if !k.read {
		k.read = true
		v.parseState(k.cut.State, func(c buff.Command, err error) {
			if err != nil {
				r.Failed = append(r.Failed, Failure{Err: err})
				return
			}
			k.waits = append(k.waits, c)
		})
	}
	for ; len(k.waits) > 0; k.waits = k.waits[1:] {
		err := v.engine.Do(k.waits[0]).Failure
		switch {
		case err == nil:
			r.Commands++
		case errors.Is(err, engine.ErrOverloaded) && v.anyUnreported():
			return // the next frame has room for more events
		default:
			r.Failed = append(r.Failed, Failure{Err: err})
		}
	}
}

// anyUnreported reports whether calls by the loop since the last Tick have produced events. Such events
// count towards the limit on events until the next Tick.
func (v *Saver) anyUnreported() bool {
	for range v.engine.Unreported() {
		return true
	}
	return false
}
