// Package page writes down what package main of bench has measured: lines on the terminal,
// and a report of run.json, bench.txt, ticks.csv, README.md and charts. Everything in the
// page comes from run.json, so that it can be written anew without measuring.
package page
