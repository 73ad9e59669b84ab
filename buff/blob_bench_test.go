package buff

import (
	"testing"
	"time"

	"github.com/bufftick/bufftick/wheel"
)

// twenty returns a Set of twenty plain buffs that pulse.
func twenty(b *testing.B) (*Set, *Catalog) {
	c := mustCatalog(b, Spec{ID: "poison", Duration: time.Hour, Period: 3 * time.Second})
	s, turn := NewSet(7, 3, 0, 100), &Turn{Catalog: c}
	for k := range 20 {
		s.Do(turn, wheel.Time(k), Command{Verb: Apply, Application: Application{Spec: c.Spec("poison"), Source: 9}})
	}
	return s, c
}

func BenchmarkSave(b *testing.B) {
	s, c := twenty(b)
	blob, _ := s.Save(nil, c, blobMoment)
	b.ReportAllocs()
	for b.Loop() {
		blob, _ = s.Save(blob[:0], c, blobMoment)
	}
	b.ReportMetric(float64(len(blob)), "B/blob")
}

func BenchmarkRestore(b *testing.B) {
	s, c := twenty(b)
	blob, _ := s.Save(nil, c, blobMoment)
	turn := &Turn{Catalog: c, Now: blobMoment.Now}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := NewSet(7, 3, 0, 100).Restore(turn, blobMoment, blob, nil); err != nil {
			b.Fatal(err)
		}
		turn.Events = turn.Events[:0]
	}
}
