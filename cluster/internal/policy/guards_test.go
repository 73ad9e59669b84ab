package policy

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// beat wakes a node and answers its query to the database at once. It returns the actions that the
// node requests before and after the answer.
func beat(t *testing.T, n *Node, at Time, v View) (before, after string, asked Action) {
	t.Helper()
	n.Wake(at)
	out := slices.Clone(n.Take())
	k := slices.IndexFunc(out, func(a Action) bool { return a.Verb == Beat })
	require.GreaterOrEqual(t, k, 0, "no beat at %v", at)
	n.Beaten(at, out[k].Seq, v)
	return words(slices.Delete(slices.Clone(out), k, k+1)), actions(n), out[k]
}

// heldView returns the view from the database while node a holds the lease of zone x.
func heldView() View {
	v := alone(ZoneView{Name: "x", Node: "a", Mine: true, Epoch: 7, Left: 2 * time.Second})
	v.Renewed = []Lease{{Zone: "x", Epoch: 7}}
	return v
}

// runningNode returns a node that runs zones x, y and z. It is the only node.
func runningNode(t *testing.T, c Config) *Node {
	n := NewNode(c, 0)
	v := alone(ZoneView{Name: "x"}, ZoneView{Name: "y"}, ZoneView{Name: "z"})
	_, claims, _ := beat(t, n, 0, v)
	require.Equal(t, "claim x/0; claim y/0; claim z/0", claims)
	for k, zone := range []string{"x", "y", "z"} {
		n.Claimed(0, uint64(k+2), zone, 7)
		n.Loaded(0, zone, 7, false)
	}
	n.Take()
	return n
}

// TestNode_Beaten_Renews checks that a reply extends only the leases that it renewed, and only if
// it arrives in time.
func TestNode_Beaten_Renews(t *testing.T) {
	n := startedNode(t)
	v := heldView()
	v.Renewed[0].Epoch = 6
	_, after, _ := beat(t, n, 500*ms, v)
	require.Empty(t, after, "the lease of an earlier owner")
	n.Wake(1000 * ms)
	n.Wake(1500 * ms)
	beats := slices.Clone(n.Take())
	require.Equal(t, 1710*ms, n.Next(), "the end of the lease is before the next beat")
	n.Beaten(1510*ms, beats[1].Seq, heldView())
	require.Equal(t, "extend x/7 until 3.2s", actions(n))
	n.Beaten(1520*ms, beats[0].Seq, heldView())
	require.Empty(t, actions(n), "an earlier reply")

	n = startedNode(t)
	n.Wake(500 * ms)
	seq := n.Take()[0].Seq
	n.Beaten(1710*ms, seq, heldView())
	require.Empty(t, actions(n), "the lease ended before the reply arrived")
	n.Wake(1710 * ms)
	require.Equal(t, "stop x/7; beat", actions(n))
}

// TestNode_Wake_BeatTimeout checks that a pending beat without a reply is abandoned after one TTL.
func TestNode_Wake_BeatTimeout(t *testing.T) {
	n := NewNode(Defaults("a"), 0)
	for at := Time(0); at < 2000*ms; at += 500 * ms {
		n.Wake(at)
		require.Equal(t, "beat", actions(n))
	}
	n.Wake(2000 * ms)
	require.Equal(t, "beat", actions(n), "the first is abandoned")
}

// TestNode_Beaten_Twice checks that a repeated reply to a beat is ignored.
func TestNode_Beaten_Twice(t *testing.T) {
	n := startedNode(t)
	n.Wake(500 * ms)
	seq := n.Take()[0].Seq
	n.Beaten(510*ms, seq, heldView())
	n.Take()
	n.Beaten(520*ms, seq, alone(ZoneView{Name: "y"}))
	require.Empty(t, actions(n))
}

// TestNode_Wake_Timeouts checks that drains, loads and claims that take too long are abandoned.
func TestNode_Wake_Timeouts(t *testing.T) {
	n := startedNode(t)
	n.Leave(60 * ms)
	require.Equal(t, "drain x/7", actions(n))
	for at := 500 * ms; at <= 10*time.Second; at += 500 * ms {
		before, _, b := beat(t, n, at, heldView())
		require.Empty(t, before, "at %v", at)
		require.Equal(t, []Lease{{Zone: "x", Epoch: 7}}, b.Leases, "the lease is kept while the zone is saved")
		require.True(t, b.Leave)
	}
	n.Wake(10_060 * ms)
	require.Equal(t, "stop x/7; release x/7", actions(n))
	_, _, b := beat(t, n, 10_500*ms, alone())
	require.Empty(t, b.Leases, "the lease was released")

	n = NewNode(Defaults("a"), 0)
	_, claim, _ := beat(t, n, 0, alone(ZoneView{Name: "x"}))
	require.Equal(t, "claim x/0", claim)
	n.Claimed(0, 2, "x", 7)
	require.Equal(t, "load x/7 until 1.7s", actions(n))
	for at := 500 * ms; at < 10*time.Second; at += 500 * ms {
		before, _, _ := beat(t, n, at, heldView())
		require.Empty(t, before, "at %v", at)
	}
	before, _, _ := beat(t, n, 10*time.Second, heldView())
	require.Equal(t, "stop x/7; release x/7 failed", before)

	n = NewNode(Defaults("a"), 0)
	_, claim, _ = beat(t, n, 0, alone(ZoneView{Name: "x"}))
	require.Equal(t, "claim x/0", claim)
	_, after, _ := beat(t, n, 1500*ms, alone(ZoneView{Name: "x"}))
	require.Empty(t, after, "the claim is pending")
	_, after, _ = beat(t, n, 2000*ms, alone(ZoneView{Name: "x"}))
	require.Equal(t, "claim x/0", after, "the claim had no reply")
	n.Claimed(2010*ms, 2, "x", 7)
	require.Empty(t, actions(n), "that claim was abandoned")
}

// TestNode_Leave_Pending checks that a leaving node claims no zones, and drains one whose load
// completes later.
func TestNode_Leave_Pending(t *testing.T) {
	n := NewNode(Defaults("a"), 0)
	_, _, _ = beat(t, n, 0, alone(ZoneView{Name: "x"}, ZoneView{Name: "y"}))
	n.Claimed(0, 2, "x", 7)
	n.Take()
	n.Leave(40 * ms) // x is being loaded, the claim of y is pending
	require.False(t, n.Gone())
	n.Hint(50*ms, "z", "a")
	require.Empty(t, actions(n))
	n.Loaded(60*ms, "x", 7, false)
	require.Equal(t, "drain x/7", actions(n))
	n.Drained(70*ms, "x", 7)
	require.Equal(t, "release x/7", actions(n))
	n.Released(4, "x")
	require.True(t, n.Gone(), "it does not wait for y")
}

// TestNode_Beaten_OtherOwner checks that a zone stops when another node has claimed it, and that a
// beat is sent when the lease of another node ends.
func TestNode_Beaten_OtherOwner(t *testing.T) {
	n := startedNode(t)
	_, after, _ := beat(t, n, 500*ms, alone(ZoneView{Name: "x", Node: "b", Epoch: 8, Left: 2 * time.Second}))
	require.Equal(t, "stop x/7", after)
	_, _, _ = beat(t, n, 1000*ms, alone(ZoneView{Name: "x", Node: "b", Epoch: 8, Left: 200 * ms}))
	require.Equal(t, 1201*ms, n.Next())

	n.Wake(1201 * ms)
	seq := n.Take()[0].Seq
	n.Beaten(1451*ms, seq, alone(ZoneView{Name: "x", Node: "b", Epoch: 8, Left: 300 * ms}))
	require.Equal(t, 1502*ms, n.Next(), "50 ms are left after a reply that took 250 ms")
	n.Wake(1502 * ms)
	seq = n.Take()[0].Seq
	n.Beaten(1602*ms, seq, alone(ZoneView{Name: "x", Node: "b", Epoch: 8, Left: 2 * ms}))
	require.Equal(t, 1602*ms, n.Next(), "the lease ended before the reply arrived")
	n.Wake(1602 * ms)
	seq = n.Take()[0].Seq
	n.Beaten(1602*ms, seq, alone(ZoneView{Name: "x", Node: "b", Epoch: 8}))
	require.Equal(t, 1603*ms, n.Next(), "less than a millisecond is left")
}

// TestNode_Beaten_OldWish checks that a wish in a view that was requested before the zone was
// loaded is ignored.
func TestNode_Beaten_OldWish(t *testing.T) {
	n := NewNode(Defaults("a"), 0)
	_, _, _ = beat(t, n, 0, alone(ZoneView{Name: "x"}))
	n.Claimed(30*ms, 2, "x", 7)
	n.Take()
	n.Wake(500 * ms)
	seq := n.Take()[0].Seq
	n.Loaded(600*ms, "x", 7, false)
	away := heldView()
	away.Zones[0].To = "b"
	away.Nodes = []NodeView{{Name: "a"}, {Name: "b"}}
	n.Beaten(610*ms, seq, away)
	require.Equal(t, "extend x/7 until 2.2s", actions(n))
	_, after, _ := beat(t, n, 1000*ms, away)
	require.Equal(t, "extend x/7 until 2.7s; drain x/7", after)

	n = startedNode(t)
	away.Nodes[1].Draining = true
	_, after, _ = beat(t, n, 500*ms, away)
	require.Equal(t, "extend x/7 until 2.2s", after)
	n.Move(510*ms, "x", "b")
	require.Empty(t, actions(n), "it accepts no zones")
}

// TestNode_Heard_Order checks that replies of NATS may arrive in any order.
func TestNode_Heard_Order(t *testing.T) {
	n := startedNode(t)
	n.Heard(900 * ms)
	n.Heard(100 * ms)
	_, _, b := beat(t, n, 1500*ms, heldView())
	require.False(t, b.Leave)
	_, _, b = beat(t, n, 2000*ms, heldView())
	require.True(t, b.Leave)
}

// TestNode_Beaten_Claims checks that a node claims its share of the free zones, at most four at a
// time.
func TestNode_Beaten_Claims(t *testing.T) {
	v := alone(ZoneView{Name: "x"}, ZoneView{Name: "y"})
	v.Nodes = append(v.Nodes, NodeView{Name: "b"})
	_, after, _ := beat(t, NewNode(Defaults("a"), 0), 0, v)
	require.Equal(t, "claim x/0", after)
	var many []ZoneView
	for _, name := range []string{"1", "2", "3", "4", "5", "6"} {
		many = append(many, ZoneView{Name: name})
	}
	_, after, _ = beat(t, NewNode(Defaults("a"), 0), 0, alone(many...))
	require.Equal(t, "claim 1/0; claim 2/0; claim 3/0; claim 4/0", after)
}

// TestNode_Beaten_LeftToOthers checks that a node that leaves a free zone to another node beats
// again soon, because the other node may have a different view. If the zone stays free, the node
// returns to its usual interval.
func TestNode_Beaten_LeftToOthers(t *testing.T) {
	n := NewNode(Defaults("a"), 0)
	v := alone(ZoneView{Name: "x"}, ZoneView{Name: "y"})
	v.Nodes = append(v.Nodes, NodeView{Name: "b"})
	_, claims, _ := beat(t, n, 0, v)
	require.Equal(t, "claim x/0", claims)
	n.Claimed(0, 2, "x", 7)
	n.Loaded(0, "x", 7, false)
	require.Equal(t, 500*ms/8, n.Next())
	v.Zones[0] = ZoneView{Name: "x", Node: "a", Mine: true, Epoch: 7, Left: 2 * time.Second}
	v.Nodes = v.Nodes[:1] // b has ended, so y goes to a
	n.Take()
	_, claims, _ = beat(t, n, n.Next(), v)
	require.Equal(t, "claim y/0", claims)

	n = NewNode(Defaults("a"), 0)
	n.c.Deaf = 0
	v = alone(ZoneView{Name: "x", To: "b"})
	v.Nodes = append(v.Nodes, NodeView{Name: "b"})
	var at Time
	for range mostHurried {
		_, claims, _ = beat(t, n, at, v)
		require.Empty(t, claims)
		at = n.Next()
	}
	require.Equal(t, mostHurried*500*ms/8, at)
	_, _, _ = beat(t, n, at, v)
	require.Equal(t, at+500*ms, n.Next())
}

// TestNode_Balance_Place checks that a zone that Place wants on this node does not move to a less
// loaded one.
func TestNode_Balance_Place(t *testing.T) {
	v := alone()
	for _, name := range []string{"x", "y", "z"} {
		v.Zones = append(v.Zones, ZoneView{Name: name, Node: "a", Mine: true, Epoch: 7, Left: 2 * time.Second})
		v.Renewed = append(v.Renewed, Lease{Zone: name, Epoch: 7})
	}
	v.Nodes = append(v.Nodes, NodeView{Name: "b"})
	wishes := func(c Config) (all string) {
		n := runningNode(t, c)
		for at := 500 * ms; at <= 3*time.Second; at += 500 * ms {
			n.Heard(at)
			_, _, _ = beat(t, n, at, View{Nodes: v.Nodes, Renewed: v.Renewed})
		}
		n.Wake(3500 * ms)
		seq := n.Take()[0].Seq
		n.Beaten(3500*ms, seq, v)
		for _, a := range n.Take() {
			if a.Verb == Wish {
				all += a.Zone
			}
		}
		return all
	}
	c := Defaults("a")
	require.Len(t, wishes(c), 1)
	c.Place = func(string, []string) string { return "a" }
	require.Empty(t, wishes(c))
}

// TestWindow_Judge checks the decision for repeated, new and old commands.
func TestWindow_Judge(t *testing.T) {
	w := NewWindow(4, 9)
	w.Done()
	require.EqualValues(t, 10, w.Total())
	require.Equal(t, Again, w.Judge(true, 0))
	require.Equal(t, Fresh, w.Judge(false, 10))
	require.Equal(t, Fresh, w.Judge(false, 6), "the four since then are all in the window")
	require.Equal(t, Stale, w.Judge(false, 5))
	require.Equal(t, Stale, w.Judge(false, 11), "a count from before a loss")
}

// TestAcks checks that an acknowledgement waits until its frame is committed, and is sent once.
func TestAcks(t *testing.T) {
	a := NewAcks[string](2)
	a.Wait(5, "five")
	a.Wait(6, "six")
	require.True(t, a.Full())
	var got []string
	give := func(s string) { got = append(got, s) }
	a.Committed(4, give)
	require.Empty(t, got)
	a.Committed(5, give)
	a.Committed(5, give)
	require.Equal(t, []string{"five"}, got)
	require.Equal(t, 1, a.Len())
	a.Committed(7, give)
	require.Equal(t, []string{"five", "six"}, got)
}
