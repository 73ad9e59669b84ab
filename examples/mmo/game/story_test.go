package game

import (
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"
)

// TestStory runs the transcript in testdata/story.txt, which has one command:
//
//	story FLAGS...    plays a game with these flags
//	                  wipe=SPAN makes every boss kill its whole raid at that time
//	                  colour prints the lines as a terminal gets them, with ESC as text
//
// The result is the printed story.
func TestStory(t *testing.T) {
	datadriven.RunTest(t, "testdata/story.txt", func(t *testing.T, d *datadriven.TestData) string {
		require.Equal(t, "story", d.Cmd)
		flags, wipe, colour := []string{"-sync"}, time.Duration(-1), false
		for _, a := range d.CmdArgs {
			switch a.Key {
			case "wipe":
				var err error
				wipe, err = time.ParseDuration(a.Vals[0])
				require.NoError(t, err)
			case "colour":
				colour = true
			default:
				flags = append(flags, "-"+a.Key+"="+a.Vals[0])
			}
		}
		s, err := parseFlags(flags)
		require.NoError(t, err)
		w, err := newWorld(s)
		require.NoError(t, err)
		defer func() { require.NoError(t, w.eng.Close(t.Context())) }()
		var b strings.Builder
		w.story = newStory(w, func(lines ...string) { b.WriteString(strings.Join(lines, "\n") + "\n") }, colour)
		for n := range w.frames {
			if w.at(n) == wipe {
				w.wipe()
			}
			w.act()
			w.see(w.eng.Tick(w.at(n+1) - w.at(n)))
		}
		w.story.end()
		require.NoError(t, w.err)
		return strings.ReplaceAll(b.String(), "\x1b", "ESC")
	})
}
