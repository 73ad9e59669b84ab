package policy

import (
	"cmp"
	"slices"
)

// least is what a zone weighs that says nothing, or hardly anything, of its load.
const least = 1.0

func weight(load float64) float64 {
	if !(load > least) { // also NaN
		return least
	}
	return min(load, 1e12)
}

// burdens returns the nodes that take zones, with what each has by the view, the least first.
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

// mostHurried is how many views in a row may have zones that are left to other nodes before this node beats at its usual pace: some
// node may be unable to claim its share.
const mostHurried = 8

// place claims the free zones that are this node's to take. All nodes that have the same view come to
// the same: each free zone goes to the one that has least by then. Where the views differ, one claim
// wins and the other is refused. A node that hears nobody takes none; but where none hears, because NATS is gone, a
// zone goes to whoever asks first, for it is better played than not.
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
	// Two nodes whose views differ may each leave a zone to the other.
	if n.hurried++; !left {
		n.hurried = 0
	}
	if claims >= n.c.Claims || left && n.hurried <= mostHurried {
		n.nextAt = min(n.nextAt, now+n.c.Every/8)
	}
}

// chosen returns where a zone is to be, by Config.Place: "" if that does not mind.
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

// balance gives one zone to the node where it is to be. If there is none such it gives one to the node that has least,
// if this one then still has no less than that: so nothing is given back and forth.
func (n *Node) balance(now Time) {
	if n.c.Balance <= 0 || n.leaving || now-n.moved < n.c.Balance {
		return
	}
	nodes := n.burdens()
	mine := slices.IndexFunc(nodes, func(b burden) bool { return b.name == n.c.Name })
	if mine < 0 {
		return
	}
	if n.c.Place != nil && n.bring(now) {
		return
	}
	gap := nodes[mine].load - nodes[0].load
	var best *zone
	for _, z := range n.sorted() {
		switch w := weight(z.load); {
		case z.state == Draining || z.state == Releasing:
			return // one at a time
		case z.state != Running || 2*w > gap || n.chosen(z.name) != "":
		case best == nil || w > weight(best.load) || w == weight(best.load) && z.since < best.since:
			best = z // of those that weigh the same the one that has been here longest
		}
	}
	if best != nil {
		n.moved = now
		n.act(Action{Verb: Wish, Zone: best.name, Epoch: best.epoch, To: nodes[0].name})
	}
}

// bring gives a zone to the node where Place wants it; it reports whether one is on its way.
func (n *Node) bring(now Time) bool {
	for _, z := range n.sorted() {
		if z.state == Draining || z.state == Releasing {
			return true // one at a time
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
