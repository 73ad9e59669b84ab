// Package flood measures how much time the loop spends on commands from other goroutines. It
// measures a full Inbox, whose commands visit a thousand buffs each. It also measures frames at a
// fixed rate while producers post commands without a pause.
package flood
