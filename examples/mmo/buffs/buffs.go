// Package buffs embeds the definitions of the game, which are the YAML files in this folder.
package buffs

import "embed"

// Files holds the definition files.
//
//go:embed *.yaml
var Files embed.FS
