package preview

import (
	"strings"

	"github.com/bufftick/bufftick/buff"
)

// Symbols of a timeline in text.
const (
	signStart      = '┣'
	signRuns       = '━'
	signHidden     = '╌'
	signPaused     = '·'
	signPulse      = '●'
	signPulses     = '◉'
	signPartial    = '◐'
	signSuppressed = '○'
	signExecuted   = '◆'
	signExpired    = '┫'
	signRemoved    = '╳'
	signGoesOn     = '▶'

	signStacked   = '▲'
	signRefreshed = '↻'
	signBoth      = '⇧'
	several       = '*'
)

// markSigns are the symbols above a bar, by the kind of event.
var markSigns = map[buff.EventKind]rune{
	buff.Stacked:    signStacked,
	buff.Refreshed:  signRefreshed,
	buff.StackEnded: '▼',
	buff.Denied:     '✗',
	buff.Queued:     '≡',
	buff.Hastened:   '»',
	buff.Faulted:    '!',
}

// scriptSigns are the letters of the steps.
var scriptSigns = map[Verb]rune{
	Apply: 'A', Haste: 'H', Extend: 'E', Dispel: 'D', Pause: 'P', Resume: 'R', Tag: 'T', Untag: 'U',
}

// legendOf lists the symbols in the order of the legend.
var legendOf = []struct {
	sign rune
	text string
}{
	{'A', "apply"},
	{'H', "haste"},
	{'E', "extend"},
	{'D', "dispel"},
	{'P', "pause"},
	{'R', "resume"},
	{'T', "tag"},
	{'U', "untag"},
	{signStart, "applied"},
	{signPulse, "pulse"},
	{signPulses, "several pulses"},
	{signPartial, "partial pulse"},
	{signSuppressed, "pulse without effect"},
	{signExecuted, "executed"},
	{signHidden, "without effect"},
	{signPaused, "paused"},
	{signExpired, "expired"},
	{signRemoved, "ended early"},
	{signGoesOn, "still active"},
	{signStacked, "more stacks"},
	{signRefreshed, "refreshed"},
	{signBoth, "more stacks, refreshed"},
	{'▼', "fewer stacks"},
	{'✗', "refused"},
	{'≡', "queue changed"},
	{'»', "period changed"},
	{'!', "fault"},
	{several, "several events"},
}

// legend explains the symbols that the text uses.
func (x *text) legend(width int) {
	x.write("", "")
	line := ""
	for _, l := range legendOf {
		if !x.signs[l.sign] {
			continue
		}
		item := string(l.sign) + " " + l.text
		if line != "" && columns(line)+columns(item)+3 > width {
			x.write("", line)
			line = ""
		}
		if line != "" {
			line += strings.Repeat(" ", 3)
		}
		line += item
	}
	x.write("", line)
}
