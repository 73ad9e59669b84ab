// Package flood measures the cost of commands from other goroutines for the loop: one Tick with a full inbox of commands
// that each visit a thousand buffs, and frames at a fixed rate with producers that never stop.
package flood
