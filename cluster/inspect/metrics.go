package inspect

import (
	"fmt"
	"math"
	"strings"
)

// metrics returns the metrics of a node in the text format of Prometheus. It reports only the zones
// that this node runs, so that the sum over all nodes counts each zone once.
func metrics(node Node) []byte {
	var b strings.Builder
	metric := func(name, kind, help string, value float64) {
		fmt.Fprintf(&b, "# HELP bufftick_cluster_%s %s\n# TYPE bufftick_cluster_%s %s\nbufftick_cluster_%s %v\n", name, help, name, kind, name, value)
	}
	info := node.Info()
	free, quarantined := 0, 0
	for _, z := range node.Zones() {
		if z.Quarantined {
			quarantined++
		} else if z.Node == "" {
			free++
		}
	}
	metric("nodes", "gauge", "Live nodes, as of the last beat of this node.", float64(len(node.Nodes())))
	metric("zones_free", "gauge", "Zones that no node has claimed, as of the last beat.", float64(free))
	metric("zones_quarantined", "gauge", "Zones that failed three times and are quarantined.", float64(quarantined))
	s := &info.Stats
	metric("zones", "gauge", "Zones that this node runs.", float64(s.Zones))
	metric("zones_unsaved", "gauge", "Zones of this node whose last commit was not acknowledged.", float64(s.Unsaved))
	metric("nats_closed", "gauge", "1 if the connection to NATS is closed for good and the node releases its zones.", truth(s.Closed))
	metric("nats_denied", "gauge", "1 if NATS does not permit this node to receive commands, so that it claims no zones.", truth(s.Denied))
	for _, c := range []struct {
		name, help string
		value      uint64
	}{
		{"claimed", "Leases obtained by this node.", s.Claimed},
		{"drained", "Zones released with everything on disk.", s.Drained},
		{"stopped", "Zones stopped because their lease had expired, or might have.", s.Stopped},
		{"fenced", "Commits rejected because the zone belonged to another node.", s.Fenced},
		{"failed", "Zones that could not be loaded, or panicked.", s.Failed},
		{"commands", "Commands executed.", s.Commands},
		{"commands_again", "Commands that had been executed before.", s.Again},
		{"commands_unknown", "Commands with an unknown outcome.", s.Unknown},
		{"commands_refused", "Commands rejected by the rules.", s.Refused},
		{"commands_busy", "Commands rejected with a request to retry.", s.Busy},
		{"zones_given_up", "Zones stopped before all their changes were on disk.", s.GivenUp},
		{"zones_lost", "Zones loaded again because the database had lost commits.", s.Lost},
		{"messages_unsent", "Messages that NATS did not accept: too large, or connection closed.", s.Unsent},
		{"foreign_messages", "Messages from nodes of another world with the same Prefix.", s.Foreign},
		{"beats", "Beats that the database answered.", s.Beats},
		{"beats_missed", "Beats that failed.", s.Missed},
	} {
		metric(c.name+"_total", "counter", c.help, float64(c.value))
	}
	writeZones(&b, node)
	return []byte(b.String())
}

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// writeZones appends the metrics with a zone label.
func writeZones(b *strings.Builder, node Node) {
	played := node.Info().Zones
	for _, m := range []struct {
		name, help string
		value      func(k int) float64
	}{
		{"zone_owners", "Owners in the zone.", func(k int) float64 { return float64(played[k].Owners) }},
		{"zone_epoch", "Epoch of the lease of the zone.", func(k int) float64 { return float64(played[k].Epoch) }},
		{"zone_lease_left_seconds", "Remaining time of the lease.", func(k int) float64 { return played[k].Left.Seconds() }},
		{"zone_unsaved_seconds", "Time since which no commit of the zone was acknowledged; 0 if the last one was.", func(k int) float64 { return played[k].Unsaved.Seconds() }},
		{"zone_commands_in_flight", "Commands that wait for a Tick, and replies that wait for a commit.", func(k int) float64 { return float64(played[k].Waiting) }},
	} {
		fmt.Fprintf(b, "# HELP bufftick_cluster_%s %s\n# TYPE bufftick_cluster_%s gauge\n", m.name, m.help, m.name)
		for k := range played {
			fmt.Fprintf(b, "bufftick_cluster_%s{zone=\"%s\"} %v\n", m.name, label.Replace(strings.ToValidUTF8(played[k].Zone, "\uFFFD")), number(m.value(k)))
		}
	}
}

// label escapes the value of a label.
var label = strings.NewReplacer("\\", `\\`, "\"", `\"`, "\n", `\n`)

func number(x float64) float64 { return math.Round(x*1000) / 1000 }
