package policy

import (
	"cmp"
	"slices"
)

// minWeight is the minimum weight of a zone. The weight is the load that is used for balancing.
const minWeight = 1.0

func weight(load float64) float64 {
	if !(load > minWeight) { // true also for NaN
		return minWeight
	}
	return min(load, 1e12)
}

// burdens returns the nodes that accept zones and the total weight of the zones of each, starting
// with the least loaded node.
func (n *Node) burdens() []burden {
	var all []burden
	for _, v := range n.view.Nodes {
		if !v.Draining {
			all = append(all, burden{name: v.Name})
		}
	}
	for k := range n.view.Zones {
		if z := &n.view.Zones[k]; z.Node != "" {
			if i := slices.IndexFunc(all, func(b burden) bool { return b.name == z.Node }); i >= 0 {
				all[i].load += weight(z.Load)
			}
		}
	}
	slices.SortFunc(all, lighter)
	return all
}

type burden struct {
	name string
	load float64
}

func lighter(a, b burden) int {
	return cmp.Or(cmp.Compare(a.load, b.load), cmp.Compare(a.name, b.name))
}

// mostHurried is the maximum number of consecutive early beats that a node sends because it has
// left free zones to other nodes. The number is bounded because the other nodes may be unable to
// claim the zones for a long time.
const mostHurried = 8

// place claims the free zones that this node should run. Each free zone is assigned to the least
// loaded node, so nodes with the same view agree. If views differ and two nodes claim the same
// zone, one of the claims is rejected. A deaf node claims no zones, unless all nodes are deaf
// because NATS is down. In this case each node claims every free zone, because a zone without
// commands is better than a zone that does not run.
func (n *Node) place(now, asked Time) {
	deaf := n.deaf(now)
	if n.leaving || n.denied || deaf && n.others() {
		return
	}
	nodes := n.burdens()
	claims, left := 0, false
	for _, z := range n.zones {
		if z.state == Claiming {
			claims++
		}
	}
	for k := range n.view.Zones {
		z := &n.view.Zones[k]
		if z.Node != "" || z.Failures >= n.c.Failures || len(nodes) == 0 && !deaf {
			continue
		}
		to := z.To
		if deaf {
			to = n.c.Name
		} else if to == "" || !n.alive(to) {
			i := max(0, slices.IndexFunc(nodes, func(b burden) bool { return b.name == n.chosen(z.Name) }))
			nodes[i].load += weight(z.Load)
			to = nodes[i].name
			slices.SortFunc(nodes, lighter)
		}
		switch {
		case to != n.c.Name:
			left = true
		case n.zones[z.Name] == nil && claims < n.c.Claims:
			n.claim(now, z.Name)
			claims++
		}
	}
	// Two nodes with different views may each leave a zone to the other, so check again soon.
	if n.hurried++; !left {
		n.hurried = 0
	}
	if claims >= n.c.Claims || left && n.hurried <= mostHurried {
		n.nextAt = min(n.nextAt, now+n.c.Every/8)
	}
}

// chosen returns the node that Config.Place selects for a zone, or "" if Place is nil or does not
// select a node that accepts zones.
func (n *Node) chosen(zone string) string {
	if n.c.Place == nil {
		return ""
	}
	var names []string
	for _, v := range n.view.Nodes {
		if !v.Draining {
			names = append(names, v.Name)
		}
	}
	if to := n.c.Place(zone, names); slices.Contains(names, to) {
		return to
	}
	return ""
}

// balance requests at most one move of a zone. If Config.Place selects another node for a zone,
// that zone moves there. Otherwise a zone moves to the least loaded node if, after the move, this
// node is still at least as loaded as that node. So a zone never moves back and forth.
func (n *Node) balance(now Time) {
	if n.c.Balance <= 0 || n.leaving || now-n.moved < n.c.Balance {
		return
	}
	nodes := n.burdens()
	mine := slices.IndexFunc(nodes, func(b burden) bool { return b.name == n.c.Name })
	if mine < 0 {
		return
	}
	if n.c.Place != nil && n.moveToPlace(now) {
		return
	}
	gap := nodes[mine].load - nodes[0].load
	var best *zone
	for _, z := range n.sorted() {
		switch w := weight(z.load); {
		case z.state == Draining || z.state == Releasing:
			return // move one zone at a time
		case z.state != Running || 2*w > gap || n.chosen(z.name) != "":
		case best == nil || w > weight(best.load) || w == weight(best.load) && z.since < best.since:
			// the zone with the greatest weight and, among equals, the longest time on this node
			best = z
		}
	}
	if best != nil {
		n.moved = now
		n.act(Action{Verb: Wish, Zone: best.name, Epoch: best.epoch, To: nodes[0].name})
	}
}

// moveToPlace requests a move of one zone to the node that Config.Place selects for it. It reports
// whether a move is in progress now.
func (n *Node) moveToPlace(now Time) bool {
	for _, z := range n.sorted() {
		if z.state == Draining || z.state == Releasing {
			return true // move one zone at a time
		}
	}
	for _, z := range n.sorted() {
		if to := n.chosen(z.name); z.state == Running && to != "" && to != n.c.Name {
			n.moved = now
			n.act(Action{Verb: Wish, Zone: z.name, Epoch: z.epoch, To: to})
			return true
		}
	}
	return false
}
