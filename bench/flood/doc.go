// Package flood measures what the commands of other goroutines cost the loop: one Tick with an
// inbox full of commands that each look at a thousand buffs, and frames at a fixed rate beside
// producers that never stop.
package flood
