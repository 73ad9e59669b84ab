package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
)

// Restored says what came of a cut.
type Restored struct {
	Fresh bool          // the zone had no cut: it begins
	Frame uint64        // of the cut
	Away  time.Duration // from the cut until now, by the calendar

	Owners   int // that are back
	Left     int // that will come in the next frames, and then commands that wait for room in one
	Buffs    int // that are back with them
	Expired  int // buffs that ended while nobody played the zone
	Unknown  int // buffs of which the catalog has no definition: kept, for one that has
	Timeouts int // that are back
	Unnamed  int // timeouts whose handler has no name any more: kept
	Commands int // that waited when the cut was made, and have been carried out now

	// Older are owners that were busy when the cut was made: they are as they had been before.
	Older []buff.OwnerID

	// Sources are those of whom somebody carries something that ends, or is adopted, when its source
	// leaves, and that are not in the zone. Of each that is gone for good the game says so by
	// buff.LoseSource. Complete when Left is 0.
	Sources []buff.OwnerID

	// Failed is what could not be restored, and why. Such an owner stays in the store as it is, until
	// there is another one with its id.
	Failed []Failure

	// Zone is what Options.Zone gave.
	Zone []byte
}

// Failure is an owner, or a command, that could not be restored.
type Failure struct {
	Owner buff.OwnerID // 0: a command
	Err   error
}

// Error says which, and why.
func (f Failure) Error() string {
	if f.Owner == 0 {
		return fmt.Sprintf("a command that waited: %v", f.Err)
	}
	return fmt.Sprintf("owner %d: %v", f.Owner, f.Err)
}

// Open takes a zone and gives back a running engine as of its last cut, or a new one if there is none.
// The engine's Epoch, if it is zero, is the present, and its Uptime goes on where it was; every owner
// is back with what it carried, each buff by its own rule for the time away, and the times of all
// zones are as they were. See Restored for what is not.
//
// It fails as Store.Open and engine.New do; nothing has been changed then but the zone's epoch.
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
	for _, z := range c.Clocks.Zones {
		if err := setArea(e, z); err != nil {
			return nil, errors.Join(err, e.Close(ctx))
		}
	}
	v := newSaver(e, s, c, o)
	v.data = c.Data
	v.restored = Restored{
		Fresh: c.Frame == 0, Frame: c.Frame, Older: c.Older, Zone: c.Data,
		Away: time.Duration(eo.Epoch.UnixMilli()-c.Clocks.Moment.Wall) * time.Millisecond,
	}
	if c.Frame == 0 {
		v.restored.Away = 0
	}
	v.back = &comeback{cut: c}
	v.bringBack(o.PerFrame)
	return v, nil
}

// take opens a zone; it may be empty.
func take(ctx context.Context, s Store, zone string) (*Cut, error) {
	c, err := s.Open(ctx, zone)
	if errors.Is(err, ErrEmpty) {
		return c, nil
	}
	return c, err
}

func setArea(e *engine.Engine, z ZoneClock) error {
	if z.Rate != (buff.Ratio{}) {
		if err := e.Do(buff.SetZoneRate(z.Number, z.Rate)).Err; err != nil {
			return err
		}
	}
	if z.Paused {
		return e.Do(buff.PauseZone(z.Number)).Err
	}
	return nil
}

// Restored says what has come back so far. Any goroutine may call it.
func (v *Saver) Restored() Restored {
	v.mu.Lock()
	defer v.mu.Unlock()
	r := v.restored
	r.Failed, r.Sources = slices.Clone(r.Failed), slices.Clone(r.Sources)
	return r
}

// comeback is a cut of which not all is back.
type comeback struct {
	cut     *Cut
	next    int
	sources []buff.OwnerID
	read    bool           // waits has been read: all owners are back
	waits   []buff.Command // to be carried out
}

// bringBack lets owners come back: so many, or all for whom there is room. When all are there,
// the commands that waited are carried out, and the zone is saved from then on.
func (v *Saver) bringBack(most int) {
	k := v.back
	if most <= 0 {
		most = len(k.cut.Owners)
	}
	r := v.Restored()
	for ; most > 0 && k.next < len(k.cut.Owners); most-- {
		o := &k.cut.Owners[k.next]
		err := v.readmit(&r, o)
		if errors.Is(err, engine.ErrOverloaded) && v.engine.Owners() > 0 {
			break // in the next frame there is room
		}
		if err != nil {
			r.Failed = append(r.Failed, Failure{o.ID, err})
		}
		k.next++
	}
	if r.Left = len(k.cut.Owners) - k.next; r.Left == 0 {
		v.carryOut(&r)
		r.Left = len(k.waits)
	}
	if r.Left == 0 {
		slices.Sort(k.sources)
		r.Sources = slices.DeleteFunc(slices.Compact(k.sources), func(id buff.OwnerID) bool {
			_, err := v.engine.Buffs(id)
			return !errors.Is(err, engine.ErrUnknownOwner)
		})
		v.back = nil
		v.copies = v.engine.Copies(v.opts.Marshal)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.restored = r
}

// readmit lets one owner come back.
func (v *Saver) readmit(x *Restored, o *Owner) error {
	area, data, err := SplitData(o.Data)
	if err != nil {
		return err
	}
	var game any
	if v.opts.Unmarshal != nil {
		if game, err = v.unmarshal(o.ID, data); err != nil {
			return err
		}
	}
	r, err := v.engine.Readmit(o.ID, game, o.Blob, area, v.back.cut.Clocks.Moment.Uptime)
	if err != nil {
		return err
	}
	x.Owners++
	x.Buffs += r.Restored
	x.Expired += r.Expired
	x.Unknown += r.Unknown
	x.Timeouts += r.Timeouts
	x.Unnamed += r.Unnamed
	v.back.sources = append(v.back.sources, r.Sources...)
	return nil
}

// unmarshal makes the data of an owner; a panic is an error.
func (v *Saver) unmarshal(id buff.OwnerID, data []byte) (game any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("store: Unmarshal panicked: %v", p)
		}
	}()
	return v.opts.Unmarshal(id, data)
}

// carryOut carries out the commands that waited when the cut was made, as long as there is room.
func (v *Saver) carryOut(r *Restored) {
	k := v.back
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
		err := v.engine.Do(k.waits[0]).Err
		switch {
		case err == nil:
			r.Commands++
		case errors.Is(err, engine.ErrOverloaded) && v.anyUntold():
			return // in the next frame there is room
		default:
			r.Failed = append(r.Failed, Failure{Err: err})
		}
	}
}

// anyUntold reports whether calls of the loop have made events since the last Tick: the next one makes room.
func (v *Saver) anyUntold() bool {
	for range v.engine.Untold() {
		return true
	}
	return false
}
