package scenario

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/engine"
)

// errNone is the error of a step that names a buff which the owner does not have. Such a step has
// no effect.
var errNone = errors.New("there is no such buff")

// do executes a step.
func (p *play) do(st *step) error {
	if st.verb.do != nil {
		return st.verb.do(p, st)
	}
	c, err := buff.ParseCommand(st.line, buff.Names{
		Catalog: p.engine.Catalog(),
		Owner:   func(name string) (buff.OwnerID, error) { return p.id(name), nil },
		Buff:    p.oldest,
	})
	switch wrong := (*buff.TextError)(nil); {
	// Only acts can be unknown here, because other unknown names were reported when the
	// step was read.
	case errors.Is(err, errNone), errors.Is(err, buff.ErrName):
		return nil
	case errors.As(err, &wrong):
		return wrong.Err
	}
	if c.Verb == verb.SetRate {
		p.quicken(c.Whose, c.Rate)
	}
	return resultError(p.engine.Do(c))
}

// oldest returns the owner's oldest instance of a definition. It fails if there is no instance, or
// if the owner is busy.
func (p *play) oldest(owner buff.OwnerID, id string) (buff.Handle, error) {
	buffs, err := p.engine.Buffs(owner)
	if err != nil && !errors.Is(err, engine.ErrUnknownOwner) {
		return 0, err
	}
	for b := range buffs.All() {
		if b.Spec.ID == id {
			return b.Handle, nil
		}
	}
	return 0, errNone
}

// resultError returns the error of a command. It returns nil if an event in the log reports the
// error.
func resultError(r buff.Result) error {
	if r.Kind == buff.Denied || r.Kind == buff.Faulted {
		return nil
	}
	return r.Failure
}

// show adds attributes and tags of the step's owner to the log.
func (p *play) show(st *step) error {
	id := p.id(st.owner)
	if p.away[id] != nil {
		return fmt.Errorf("%q has been saved and not loaded again", st.owner)
	}
	line := strconv.AppendInt(nil, int64(st.at), 10)
	line = append(line, " value"...)
	for _, n := range st.shown {
		line = append(append(append(line, ' '), n.name...), '=')
		if n.attr == 0 {
			has, err := p.engine.HasTag(id, n.tag)
			if err != nil {
				return err
			}
			line = strconv.AppendBool(line, has)
			continue
		}
		v, err := p.engine.Attribute(id, n.attr)
		if err != nil {
			return err
		}
		line = strconv.AppendFloat(line, v, 'g', 12, 64) // shows 244.99999999999997 as 245
	}
	l := &p.logs[p.place[id]]
	l.lines = append(l.lines, logLine{st.at, string(line)})
	p.lines++
	return nil
}

// save despawns the owner and keeps the blob; load restores the owner.
func (p *play) save(st *step) error {
	blob, err := p.engine.Despawn(p.id(st.owner))
	if err == nil {
		p.away[p.id(st.owner)] = blob
	}
	return err
}

func (p *play) load(st *step) error {
	id := p.id(st.owner)
	blob, ok := p.away[id]
	if !ok {
		return fmt.Errorf("%q has not been saved", st.owner)
	}
	delete(p.away, id)
	_, err := p.engine.Restore(id, nil, blob)
	return err
}

// enterAuras puts the step's owner into the range of every aura of the owner that the step names.
// Both may be the same owner. leaveAuras removes the step's owner from that range.
func (p *play) enterAuras(st *step) error {
	p.near[[2]buff.OwnerID{p.id(st.name), p.id(st.owner)}] = struct{}{}
	return nil
}

func (p *play) leaveAuras(st *step) error {
	delete(p.near, [2]buff.OwnerID{p.id(st.name), p.id(st.owner)})
	return nil
}

// members tells the engine which owners are in the range of an aura. It ignores the aura's radius.
func (p *play) members(q engine.AuraQuery, found func(id buff.OwnerID)) {
	for _, pair := range slices.SortedFunc(maps.Keys(p.near), func(a, b [2]buff.OwnerID) int { return int(a[1]) - int(b[1]) }) {
		if pair[0] == q.Bearer {
			found(pair[1])
		}
	}
}
