package compile

// Components returns the strongly connected components of a graph. Node k has edges to the nodes in
// to[k].
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
