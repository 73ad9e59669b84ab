// Package flood measures how much time the loop spends on commands from other goroutines: in one
// Tick with a full Inbox of commands that each visit a thousand buffs, and in frames at a fixed
// rate with producers that never stop.
package flood
