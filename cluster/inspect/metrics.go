package inspect

import (
	"fmt"
	"math"
	"strings"
)

// metrics returns what a node knows, in the text format of Prometheus: of its own zones, so that what all nodes say
// adds up.
func metrics(node Node) []byte {
	var b strings.Builder
	one := func(name, kind, help string, value float64) {
		fmt.Fprintf(&b, "# HELP bufftick_cluster_%s %s\n# TYPE bufftick_cluster_%s %s\nbufftick_cluster_%s %v\n", name, help, name, kind, name, value)
	}
	info := node.Info()
	free, left := 0, 0
	for _, z := range node.Zones() {
		if z.Quarantined {
			left++
		} else if z.Node == "" {
			free++
		}
	}
	one("nodes", "gauge", "Nodes that are alive, by the last beat of this one.", float64(len(node.Nodes())))
	one("zones_free", "gauge", "Zones of the world that no node has, by the last beat.", float64(free))
	one("zones_quarantined", "gauge", "Zones of the world that have failed three times and are left alone.", float64(left))
	s := &info.Stats
	one("zones", "gauge", "Zones that this node plays.", float64(s.Zones))
	one("zones_unsaved", "gauge", "Zones of this node whose last commit was not acknowledged.", float64(s.Unsaved))
	one("nats_closed", "gauge", "Whether the connection to NATS is closed for good, and zones are given away.", truth(s.Closed))
	one("nats_denied", "gauge", "Whether NATS lets this node hear no commands, and it takes no zone.", truth(s.Denied))
	for _, c := range []struct {
		name, help string
		value      uint64
	}{
		{"claimed", "Leases that this node was given.", s.Claimed},
		{"drained", "Zones that it has given away with all on disk.", s.Drained},
		{"stopped", "Zones that it has stopped because a lease had ended, or might have.", s.Stopped},
		{"fenced", "Commits that were refused because the zone was another's.", s.Fenced},
		{"failed", "Zones that could not be loaded, or panicked.", s.Failed},
		{"commands", "Commands that were done.", s.Commands},
		{"commands_again", "Commands that came again.", s.Again},
		{"commands_unknown", "Commands of which nobody knew whether they had been done.", s.Unknown},
		{"commands_refused", "Commands that the rules have refused.", s.Refused},
		{"commands_busy", "Commands that were told to come again.", s.Busy},
		{"zones_given_up", "Zones that were stopped before all of them was on disk.", s.GivenUp},
		{"zones_lost", "Zones that were loaded again because the database had gone back.", s.Lost},
		{"messages_unsent", "Messages that NATS has not taken: too large, or its connection is closed.", s.Unsent},
		{"foreign_words", "Words of nodes of another world with the same Prefix.", s.Foreign},
		{"beats", "Answers of the database to beats.", s.Beats},
		{"beats_missed", "Beats that failed.", s.Missed},
	} {
		one(c.name+"_total", "counter", c.help, float64(c.value))
	}
	zones(&b, node)
	return []byte(b.String())
}

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// zones writes what differs by zone.
func zones(b *strings.Builder, node Node) {
	played := node.Info().Zones
	for _, m := range []struct {
		name, help string
		value      func(k int) float64
	}{
		{"zone_owners", "Owners in the zone.", func(k int) float64 { return float64(played[k].Owners) }},
		{"zone_epoch", "Epoch of its lease.", func(k int) float64 { return float64(played[k].Epoch) }},
		{"zone_lease_left_seconds", "How long it may be played without another word of the database.", func(k int) float64 { return played[k].Left.Seconds() }},
		{"zone_unsaved_seconds", "Since when none of its commits was acknowledged; 0 if the last one was.", func(k int) float64 { return played[k].Unsaved.Seconds() }},
		{"zone_commands_in_flight", "Commands that wait for a Tick, or whose replies wait for a commit.", func(k int) float64 { return float64(played[k].Waiting) }},
	} {
		fmt.Fprintf(b, "# HELP bufftick_cluster_%s %s\n# TYPE bufftick_cluster_%s gauge\n", m.name, m.help, m.name)
		for k := range played {
			fmt.Fprintf(b, "bufftick_cluster_%s{zone=\"%s\"} %v\n", m.name, label.Replace(strings.ToValidUTF8(played[k].Zone, "\uFFFD")), number(m.value(k)))
		}
	}
}

// label writes what may not stand in a label as it is.
var label = strings.NewReplacer("\\", `\\`, "\"", `\"`, "\n", `\n`)

func number(x float64) float64 { return math.Round(x*1000) / 1000 }
