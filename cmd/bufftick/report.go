package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
)

// mostLates is the maximum number of late ends that are printed.
const mostLates = 10

// report prints the result of a replay. Only the last line depends on the machine.
func (r *replay) report(stdout io.Writer, c *replayCmd, trace []traceLine) error {
	var b bytes.Buffer
	j := &r.judge
	fmt.Fprintf(&b, "%s: %d lines, %v, %d units; %s: %d spells\n\n",
		c.Trace, len(trace), r.engine.Now()-tolerance, len(r.ids), c.Spells, len(r.table))
	share := 0.0
	if n := j.compared(); n > 0 {
		share = 100 * float64(len(j.lates)) / float64(n)
	}
	fmt.Fprintf(&b, "%6d ends compared\n%6d match\n%6d early\n", j.compared(), j.match, j.early)
	for _, id := range slices.SortedFunc(maps.Keys(j.plain), j.byPlain) {
		fmt.Fprintf(&b, "%13d of them one duration after a refresh, where the table says %v: spell %s %q\n",
			j.plain[id], r.table[id].refresh, id.number, r.specs[id].Name)
	}
	fmt.Fprintf(&b, "%6d late, %.1f %%\n", len(j.lates), share)
	r.reportLates(&b)
	total := 0
	for _, n := range j.skipped {
		total += n
	}
	fmt.Fprintf(&b, "\n%6d ends not compared\n", total)
	for why, n := range j.skipped {
		if n > 0 {
			fmt.Fprintf(&b, "%6d %s\n", n, reasons[why])
		}
	}
	fmt.Fprintf(&b, "\n%d commands, %.0f a second\n", r.commands, float64(r.commands)/max(r.took.Seconds(), 1e-9))
	_, err := stdout.Write(b.Bytes())
	return err
}

// byPlain compares spells by their counts in j.plain. The spell with the largest count is first.
func (j *judge) byPlain(a, b spellID) int {
	return cmp.Or(cmp.Compare(j.plain[b], j.plain[a]), cmp.Compare(a.number, b.number), cmp.Compare(a.kind, b.kind))
}

func (r *replay) reportLates(b *bytes.Buffer) {
	lates := slices.Clone(r.judge.lates)
	slices.SortStableFunc(lates, func(a, b late) int { return cmp.Compare(b.by, a.by) })
	for _, l := range lates[:min(len(lates), mostLates)] {
		fmt.Fprintf(b, "%13d ms: spell %s %q, %s on %s, of line %d: ended at %d, and %s in line %d",
			l.by, l.rec.spell.number, l.rec.name, l.rec.source, l.rec.target, l.line, l.end, l.proof, l.rec.line)
		if l.first {
			fmt.Fprint(b, ", when the recorder wrote again")
		}
		fmt.Fprintln(b)
	}
}
