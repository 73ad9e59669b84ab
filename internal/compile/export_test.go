package compile

// Components returns the rings of nodes that lead to one another; to has where each leads.
func Components(to [][]int) (rings [][]int) {
	specs, number, edges := make([]*Program, len(to)), map[*Program]int{}, map[*Program][]edge{}
	for a := range to {
		specs[a] = &Program{}
		number[specs[a]] = a
	}
	for a, heads := range to {
		for _, b := range heads {
			edges[specs[a]] = append(edges[specs[a]], edge{to: specs[b], times: 1})
		}
	}
	for _, ring := range components(specs, edges) {
		var out []int
		for _, s := range ring {
			out = append(out, number[s])
		}
		rings = append(rings, out)
	}
	return rings
}
