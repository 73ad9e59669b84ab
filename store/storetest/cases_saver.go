package storetest

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/store"
)

// parked lets players of a store.Saver log out and in. After each cut, the process crashes, and the
// next process opens the zone. It must have each player either in the engine or parked.
func (p *play) parked() error {
	steps := []struct {
		do   func(v *store.Saver) error
		want string // players of the engine | parked players
	}{
		{func(v *store.Saver) error {
			return errors.Join(v.Engine().Spawn(1, "anna"), v.Engine().Spawn(2, "ben"), v.Engine().Spawn(3, "cleo"))
		}, "anna ben cleo |"},
		{func(v *store.Saver) error { return errors.Join(v.Park(1), v.Park(3)) }, "ben | anna cleo"},
		{func(*store.Saver) error { return nil }, "ben | anna cleo"},
		{func(v *store.Saver) error { return errors.Join(unpark(v, 1), v.Park(2)) }, "anna | ben cleo"},
		{func(v *store.Saver) error { return errors.Join(v.Park(1), unpark(v, 1), unpark(v, 3)) }, "anna cleo | ben"},
		{func(v *store.Saver) error { return errors.Join(unpark(v, 2), v.Engine().Drop(2)) }, "anna cleo |"},
	}
	for n, step := range steps {
		err := p.run(func(v *store.Saver) error { return errors.Join(step.do(v), v.SaveAll(p.ctx)) })
		if err != nil {
			return fmt.Errorf("step %d: %w", n, err)
		}
		if err := p.reopen(); err != nil {
			return err
		}
		err = p.run(func(v *store.Saver) error {
			if got := players(v); got != step.want {
				return fmt.Errorf("the zone has %q, want %q", got, step.want)
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("after step %d: %w", n, err)
		}
	}
	return nil
}

// run opens a zone in which each owner's data is a name, calls f, and ends like a process that
// crashes.
func (p *play) run(f func(v *store.Saver) error) (err error) {
	v, err := store.Open(p.ctx, p.s, "a", engine.Options{Synchronous: true}, store.Options{
		Every:     -1,
		Now:       func() time.Time { return time.Unix(0, 0) },
		Marshal:   func(_ buff.OwnerID, data any, b []byte) ([]byte, error) { return append(b, data.(string)...), nil },
		Unmarshal: func(_ buff.OwnerID, b []byte) (any, error) { return string(b), nil },
	})
	if err != nil {
		return err
	}
	defer func() {
		v.Close()
		err = errors.Join(err, v.Engine().Close(p.ctx))
	}()
	return f(v)
}

func unpark(v *store.Saver, id buff.OwnerID) error {
	_, err := v.Unpark(id)
	return err
}

// players returns the names of the owners in the engine, in the order of their ids, and of the
// parked ones.
func players(v *store.Saver) string {
	var names []string
	for id := range buff.OwnerID(4) {
		if name, is := v.Engine().Data(id).(string); is {
			names = append(names, name)
		}
	}
	names = append(names, "|")
	for _, name := range v.Parked() {
		names = append(names, string(name))
	}
	return strings.Join(names, " ")
}
