// Package page writes the measurements of package main of bench: as text on the terminal, and as a
// report of run.json, bench.txt, ticks.csv, README.md and charts. The page is generated from
// run.json alone, so it can be rewritten without measuring again.
package page
