package definition

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/stretchr/testify/require"
)

// game returns a folder of n definitions as designers write them, a hundred in each file.
func game(n int) fstest.MapFS {
	files := fstest.MapFS{}
	for from := 0; from < n; from += 100 {
		var b strings.Builder
		b.WriteString("buffs:\n")
		for i := from; i < min(from+100, n); i++ {
			fmt.Fprintf(&b, kinds[i%len(kinds)], i)
		}
		files[fmt.Sprintf("buffs/f%03d.yaml", from/100)] = &fstest.MapFile{Data: []byte(b.String())}
	}
	return files
}

// kinds are a damage over time, a blessing, a strike and a shield.
var kinds = []string{`  # Hurts every 3 s.
  venom%[1]d:
    name: Venom of the %[1]dth Viper
    tags: [debuff.poison.dot]
    polarity: negative
    dispel: {type: poison, per: stack}
    duration: 12s
    period: 3s
    stack:
      by: source
      limit: 5
      refresh: pandemic
    on:
      pulse: [{call: hurt}]
      remove: {dispelled: [{apply: venom%[1]d}]}
`, `  might%[1]d:
    name: Might
    tags: [buff.blessing]
    duration: 30m
    polarity: positive
    stack: {by: target, refresh: max}
    group: {name: blessings%[1]d, priority: %[1]d, rule: higher}
    on: {apply: [{call: stats}], remove: {any: [{call: stats}]}}
`, `  strike%[1]d:
    duration: instant
    tags: [strike.fire]
    on: {exec: [{call: hurt}]}
`, `  ward%[1]d:
    name: Ward
    tags: [buff.ward]
    duration: 20s
    shield: {pool: 500, priority: 2}
    save: {mode: if_remaining, if_remaining: 5s}
`}

// BenchmarkLoad reads 5,000 definitions from 50 files. The part "parse" is the time of the YAML
// parser, which is not part of this project.
func BenchmarkLoad(b *testing.B) {
	const n = 5000
	files := game(n)
	bytes := int64(0)
	for _, f := range files {
		bytes += int64(len(f.Data))
	}
	b.Run("all", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(bytes)
		for b.Loop() {
			c, err := LoadFS(files, "buffs")
			require.NoError(b, err)
			require.Equal(b, n, c.Len())
		}
	})
	b.Run("check", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, warnings, err := Check(files, CheckOptions{}, "buffs")
			require.NoError(b, err)
			require.Empty(b, warnings)
		}
	})
	b.Run("parse", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for _, f := range files {
				_, err := parser.Parse(lexer.Tokenize(string(f.Data)), 0, parser.AllowDuplicateMapKey())
				require.NoError(b, err)
			}
		}
	})
}
