// Package buffs is the definitions of the arena: the files of this folder, as they travel with a
// program.
package buffs

import "embed"

// Files are the files of this folder.
//
//go:embed *.yaml
var Files embed.FS
