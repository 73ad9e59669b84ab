package load

// lateness is a histogram of the delays of events. The delay is the time from an event to the frame
// that runs it, in ms.
type lateness struct {
	upTo  [4096]uint64 // number of events by delay in ms; the last element counts all longer delays
	count uint64
	most  int64
}

func (l *lateness) add(ms int64) {
	l.upTo[min(max(ms, 0), int64(len(l.upTo)-1))]++
	l.count++
	l.most = max(l.most, ms)
}

// at returns a quantile of the lateness, in ms.
func (l *lateness) at(share float64) int64 {
	want, sum := uint64(share*float64(l.count)), uint64(0)
	for ms, n := range l.upTo {
		if sum += n; n > 0 && sum >= want {
			return min(int64(ms), l.most)
		}
	}
	return l.most
}
