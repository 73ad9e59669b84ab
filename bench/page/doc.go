// Package page writes the measurements of the command bench, as text on the terminal and as a
// report. A report consists of run.json, bench.txt, ticks.csv, README.md and charts. README.md and
// the charts are generated from run.json alone, so they can be written again without measuring.
package page
