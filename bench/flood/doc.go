// Package flood measures how much time the loop spends on commands from other goroutines. It
// measures a full Inbox of commands that each visit a thousand buffs, and frames at a fixed rate
// while producers post without a pause.
package flood
