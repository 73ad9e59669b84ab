package main

import "testing"

// TestTurns checks that every peer has a sample for each round. If a timer does not fire,
// keepInTurn panics.
func TestTurns(t *testing.T) {
	for _, q := range keepInTurn(1000, 2) {
		want := 2
		if q.Question == "fire" {
			want = fireRounds
		}
		if len(q.Rows) != len(peers) || q.Rows[0].Name != "wheel" {
			t.Fatalf("%s: %d rows, the first of %s", q.Question, len(q.Rows), q.Rows[0].Name)
		}
		check(t, &q, want)
	}
	for _, q := range poolsInTurn(2) {
		if q.Rows[0].Name != "pumps" {
			t.Fatalf("%s: the first is %s", q.Question, q.Rows[0].Name)
		}
		check(t, &q, 2)
	}
}

func check(t *testing.T, q *turns, samples int) {
	t.Helper()
	for _, r := range q.Rows {
		if len(r.Samples) != samples {
			t.Fatalf("%s by %s: %d samples, want %d", q.Question, r.Name, len(r.Samples), samples)
		}
		for _, ns := range r.Samples {
			if ns <= 0 {
				t.Fatalf("%s by %s: a sample of %v ns", q.Question, r.Name, ns)
			}
		}
	}
}
