package main

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
)

// Where the owners of a script are: in which zone, and near whom.

// zoneOf returns the number of the step's zone.
func zoneOf(st *step) (uint32, error) {
	if st.amount > math.MaxUint32 {
		return 0, fmt.Errorf("zones have numbers up to %d, not %d", uint32(math.MaxUint32), st.amount)
	}
	return uint32(st.amount), nil
}

func (p *play) setZone(st *step) error {
	return p.ofZone(st, func(zone uint32) buff.Command { return buff.SetZone(p.id(st.owner), zone) })
}

func (p *play) pauseZone(st *step) error { return p.ofZone(st, buff.PauseZone) }

func (p *play) resumeZone(st *step) error { return p.ofZone(st, buff.ResumeZone) }

func (p *play) setZoneRate(st *step) error {
	p.quicken(2, st.rate)
	return p.ofZone(st, func(zone uint32) buff.Command { return buff.SetZoneRate(zone, st.rate) })
}

func (p *play) ofZone(st *step, do func(zone uint32) buff.Command) error {
	zone, err := zoneOf(st)
	if err != nil {
		return err
	}
	return said(p.engine.Do(do(zone)))
}

// goNear brings the step's owner into the area of all auras that another one bears, or his own;
// goFar takes him out.
func (p *play) goNear(st *step) error {
	p.near[[2]buff.OwnerID{p.id(st.name), p.id(st.owner)}] = struct{}{}
	return nil
}

func (p *play) goFar(st *step) error {
	delete(p.near, [2]buff.OwnerID{p.id(st.name), p.id(st.owner)})
	return nil
}

// members tells the engine who is there. A script has no radius.
func (p *play) members(q engine.AuraQuery, found func(id buff.OwnerID)) {
	for _, pair := range slices.SortedFunc(maps.Keys(p.near), func(a, b [2]buff.OwnerID) int { return int(a[1]) - int(b[1]) }) {
		if pair[0] == q.Bearer {
			found(pair[1])
		}
	}
}
