package rival

import (
	"fmt"
	"time"

	"github.com/bufftick/bufftick/bench/gauge"
	"github.com/bufftick/bufftick/bench/load"
	"github.com/bufftick/bufftick/buff"
)

// Called is the cost of single calls to the engine, in ns of processor time, while the given number
// of buffs is active.
type Called struct {
	Buffs                int
	New, Refresh, Remove load.Spread
}

// callBatch is the number of calls measured together.
const callBatch = 3000

// Calls measures calls on random players who have ten buffs each. Each round measures the kinds of
// calls one after the other. Calls fails if a call has an unexpected result.
func Calls(buffs, rounds int, progress func(float64)) (Called, error) {
	o := newOurs(&Game{load: Fight, buffs: buffs}, 0)
	defer o.close()
	for slot := range int32(buffs) {
		o.add(slot, 0, 36_000_000)
		if slot%callBatch == 0 {
			o.eng.Tick(frame * time.Millisecond)
		}
	}
	p := &callProbe{o: o}
	slots, handles := make([]int32, callBatch), make([]buff.Handle, callBatch)
	var fresh, again, gone []float64
	for round := range rounds + 2 { // the lists reach their final size in the first two rounds
		for i := range slots {
			slots[i] = p.draw(buffs)
		}
		wrong := 0
		per := func(call func(i int) bool) float64 {
			start := gauge.CPU()
			for i := range callBatch {
				if !call(i) {
					wrong++
				}
			}
			took := gauge.CPU() - start
			o.eng.Tick(0) // removes the events
			return float64(took) / callBatch
		}
		add := per(func(i int) bool {
			r := o.eng.AddBuff(buff.OwnerID(slots[i]/each+1), buff.Application{Spec: o.plain, Source: buff.OwnerID(100 + i)})
			h := r.Handle
			handles[i] = h
			return r.Kind == buff.Applied
		})
		refresh := per(func(i int) bool { return o.again(slots[i]) == buff.Refreshed })
		remove := per(func(i int) bool { return o.eng.Remove(handles[i]).Kind == buff.Removed })
		if wrong > 0 {
			return Called{}, fmt.Errorf("%d buffs: %d calls of a round were not answered as they must be", buffs, wrong)
		}
		if round >= 2 {
			fresh, again, gone = append(fresh, add), append(again, refresh), append(gone, remove)
		}
		progress(float64(round+1) / float64(rounds+2))
	}
	return Called{buffs, load.SpreadOf(fresh), load.SpreadOf(again), load.SpreadOf(gone)}, nil
}
