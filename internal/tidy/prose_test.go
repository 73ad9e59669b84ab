package tidy

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// plain lists the packages whose comments are checked like the pages.
var plain = []string{
	"actor", "bench", "bench/flood", "bench/gauge", "bench/load", "bench/onelist", "bench/page", "bench/peers",
	"bench/rival", "bench/viewers", "bench/walk", "bench/yardstick", "cluster", "cluster/inspect",
	"cluster/internal/policy", "cluster/internal/sim", "cmd/bufftick", "cmd/bufftick/studio", "cmd/bufftick/studio/web", "conformance", "conformance/judge", "contrib/nakama",
	"contrib/protoactor", "engine", "engine/history", "engine/replay", "engine/view", "examples/arena", "examples/arena/game", "examples/arena/serve", "examples/mmo",
	"examples/observability", "examples/realm", "examples/shards", "inspect", "inspect/e2e",
	"internal/definition", "internal/long", "internal/misspelt", "internal/needs", "internal/preview", "internal/radix",
	"internal/recording", "internal/recovered", "internal/scenario", "internal/rules/clock", "internal/rules/deadline", "internal/rules/gate", "internal/rules/sheet", "internal/snapshot",
	"internal/state", "internal/wire", "internal/wordlist", "contrib/prom", "replicate", "replicate/client",
	"replicate/js", "store", "store/bolt", "store/postgres", "store/record", "store/storetest", "timer", "wheel",
}

// maxRate is the number of markers allowed in 1,000 words. Go's own packages have 1 to 2.
const maxRate = 4

// marker matches words that are rare in ordinary technical English: "who" for things, clauses that
// start with "what" instead of naming the thing, old-fashioned adverbs, vague verbs.
var marker = regexp.MustCompile(`(?i)\b(?:` + strings.Join([]string{
	"somebody", "nobody", "everybody", "whoever", "who", "whom", "whose", "what",
	"told", "tells?", "asked", "asks", "lies", "stands?", "stood", "comes", "came", "goes", "went", "begins?", "began", "begun",
	"brings?", "brought", "becomes of", "came of", "makes of", "has need of", "have need of", "knows of",
	"worked off", "works? off", "lets? go", "stands? still", "stood still", "gives? way", "takes? in", "taken in",
	"goes on", "go on", "went on", "is due to", "has to be",
	"beside", "behind", "in (?:the )?place of", "by itself", "of (?:its|their|his|one's) own", "by hand", "(?:is|was|are|were) there",
	"nothing", "once more", "anew", "afresh", "that is not", "so many", "so much", "as a rule", "in vain", "those of", "that of",
	"for ever", "thereof", "therein", "whereof", "lest", "ere", "in the midst", "at hand", "in hand",
	"as long as one likes", "one who", "those who", "he who", "dear(?:er|est)?",
}, "|") + `)\b`)

var (
	word = regexp.MustCompile(`[A-Za-z']+`)
	code = regexp.MustCompile("(?s)(?:^|\n) *```.*?\n *```|`[^`\n]*`|<!--.*?-->|\\]\\([^)]*\\)|(?:^|\n)\t[^\n]*")
)

// TestProse checks the English of all pages and of the comments of the packages in plain.
func TestProse(t *testing.T) {
	for _, page := range pages(t) {
		text, err := os.ReadFile(inRoot(page))
		require.NoError(t, err)
		checkProse(t, page, string(text))
	}
	for _, dir := range plain {
		files, err := filepath.Glob(inRoot(filepath.Join(dir, "*.go")))
		require.NoError(t, err)
		var text strings.Builder
		for _, file := range files {
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
			require.NoError(t, err)
			for _, c := range f.Comments {
				if !strings.HasSuffix(file, "_test.go") {
					text.WriteString(c.Text() + "\n")
				}
			}
		}
		require.NotZero(t, text.Len(), dir)
		checkProse(t, dir, text.String())
	}
}

func checkProse(t *testing.T, name, text string) {
	t.Helper()
	text = code.ReplaceAllString(text, " ")
	found := marker.FindAllString(text, -1)
	if words := len(word.FindAllString(text, -1)); len(found) > 1 && 1000*len(found) > maxRate*words {
		t.Errorf("%s: %d markers in %d words, more than %d in 1,000: %s", name, len(found), words, maxRate, strings.Join(found, ", "))
	}
}
