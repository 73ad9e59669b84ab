package load

import (
	"runtime"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/bufftick/bufftick/bench/gauge"
)

// parts is the number of parts into which a run is divided. Each part gives one sample of the cost.
// The spread (±) is computed from the samples.
const parts = 10

// sampleEvery is 16, because the processor time of the loop's thread is measured only in every 16th
// frame. Locking the thread costs a few µs, so not every frame is measured.
const sampleEvery = 16

// Row describes some consecutive frames. It is a line of ticks.csv.
type Row struct {
	At             int64 // end of the last frame, in ms of game time
	Frames         int
	Median, Max    int64 // median and maximum of the duration of a frame, in ns
	Events         int
	Backlog, Buffs int
}

// meter measures frames.
type meter struct {
	frames   *hdrhistogram.Histogram // durations of frames (calls and Tick), in ns
	part     *hdrhistogram.Histogram // durations of the frames of the current part, in ns
	rowSpan  int64                   // duration of one Row in ms
	rows     []Row
	row      []int64 // durations of the frames of the current row, in ns
	rowAt    int64
	rowStart Row

	callTime, tickTime time.Duration
	cpu                time.Duration // processor time of the process in Ticks
	loopCPU            time.Duration // processor time of the loop's thread in the sampled Ticks
	loopEvents         uint64
	calls, events      uint64
	ticks              uint64
	backlog            int

	total   uint64 // expected number of frames in the run; used to divide the run into parts
	partAt  part
	samples []Sample
	began   time.Time
	runtime gauge.Runtime
	done    gauge.Runtime
	wall    time.Duration
}

// part holds the totals of the run so far, read at the start of a part.
type part struct {
	call, tick    time.Duration
	cpu, loop     time.Duration
	calls, events uint64
	loopEvents    uint64
}

// Sample is the cost of one part of a run.
type Sample struct {
	Call      float64 // duration of a call to the engine in ns
	Tick      float64 // duration of Tick per event in ns
	CPU, Loop float64 // processor time per event in ns, of all threads and of the loop's thread
	P50, P99  float64 // quantiles of the duration of a frame in ns
}

// begin discards earlier measurements and starts a new measurement. The parameter "total" is the
// number of frames that follow, each of which advances the game by dt.
func (m *meter) begin(now int64, dt time.Duration, total uint64) {
	*m = meter{frames: newHistogram(), part: newHistogram(), total: max(total, 1)}
	m.rowSpan = max(dt.Milliseconds()*int64(total)/600, dt.Milliseconds(), 1)
	m.rowAt = now
	m.row = make([]int64, 0, int(total)/600+2)
	m.rows = make([]Row, 0, 640)
	m.samples = make([]Sample, 0, parts+1)
	m.began = time.Now()
	m.runtime = gauge.ReadRuntime()
}

func newHistogram() *hdrhistogram.Histogram { return hdrhistogram.New(1, int64(10*time.Minute), 3) }

// tick measures the function f, which runs one Tick.
func (m *meter) tick(f func()) {
	if m.wall > 0 {
		f()
		return
	}
	sampled := gauge.HasThreadCPU && m.ticks%sampleEvery == 0
	var thread time.Duration
	if sampled {
		runtime.LockOSThread()
		thread = gauge.ThreadCPU()
	}
	cpu, start := gauge.CPU(), time.Now()
	f()
	m.tickTime += time.Since(start)
	m.cpu += gauge.CPU() - cpu
	if sampled {
		m.loopCPU += gauge.ThreadCPU() - thread
		runtime.UnlockOSThread()
	}
}

// frame records a frame with the given game time at its end and the given real duration.
func (m *meter) frame(now int64, took time.Duration, calls, events, backlog, buffs int) {
	if m.wall > 0 {
		return // the measurement is over, and the remaining frames only let late owners catch up
	}
	if gauge.HasThreadCPU && m.ticks%sampleEvery == 0 {
		m.loopEvents += uint64(events)
	}
	m.ticks++
	m.calls += uint64(calls)
	m.events += uint64(events)
	m.backlog = max(m.backlog, backlog)
	_ = m.frames.RecordValue(int64(took)) // a frame above 10 min is not recorded
	_ = m.part.RecordValue(int64(took))
	m.row = append(m.row, int64(took))
	m.rowStart.Events += events
	m.rowStart.Backlog = max(m.rowStart.Backlog, backlog)
	m.rowStart.Buffs = buffs
	if now-m.rowAt >= m.rowSpan {
		m.endRow(now)
	}
	if m.ticks*parts/m.total > uint64(len(m.samples)) {
		m.endPart()
	}
}

func (m *meter) endRow(now int64) {
	r := m.rowStart
	r.At, r.Frames, r.Median, r.Max = now, len(m.row), median(m.row), maxOf(m.row)
	m.rows = append(m.rows, r)
	m.row, m.rowAt, m.rowStart = m.row[:0], now, Row{}
}

func (m *meter) endPart() {
	var s Sample
	if n := m.calls - m.partAt.calls; n > 0 {
		s.Call = float64(m.callTime-m.partAt.call) / float64(n)
	}
	if n := m.events - m.partAt.events; n > 0 {
		s.Tick = float64(m.tickTime-m.partAt.tick) / float64(n)
		s.CPU = float64(m.cpu-m.partAt.cpu) / float64(n)
	}
	if n := m.loopEvents - m.partAt.loopEvents; n > 0 {
		s.Loop = float64(m.loopCPU-m.partAt.loop) / float64(n)
	}
	s.P50, s.P99 = float64(m.part.ValueAtQuantile(50)), float64(m.part.ValueAtQuantile(99))
	m.part.Reset()
	m.samples = append(m.samples, s)
	m.partAt = part{m.callTime, m.tickTime, m.cpu, m.loopCPU, m.calls, m.events, m.loopEvents}
}

func (m *meter) end() {
	m.done = gauge.ReadRuntime()
	m.wall = time.Since(m.began)
}

// The following methods return the garbage collector's time and the memory use of the whole run.

func (m *meter) gcShare() float64 { return m.done.GCShare(m.runtime) }

func (m *meter) allocs() float64 {
	return float64(m.done.Objects-m.runtime.Objects) / float64(max(1, m.calls+m.events))
}
