// Package buffs embeds the definitions of the game: the files of this folder.
package buffs

import "embed"

// Files holds the files of this folder.
//
//go:embed *.yaml
var Files embed.FS
