package policy

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const ms = time.Millisecond

// actions returns the actions that a node requests, separated by semicolons.
func actions(n *Node) string { return words(n.Take()) }

func words(list []Action) string {
	var b strings.Builder
	for _, a := range list {
		fmt.Fprint(&b, a.Verb)
		if a.Zone != "" {
			fmt.Fprintf(&b, " %s/%d", a.Zone, a.Epoch)
		}
		if a.Until != 0 {
			fmt.Fprintf(&b, " until %v", a.Until)
		}
		if a.To != "" {
			fmt.Fprintf(&b, " to %s", a.To)
		}
		if a.Failed {
			b.WriteString(" failed")
		}
		b.WriteString("; ")
	}
	return strings.TrimSuffix(b.String(), "; ")
}

func alone(zones ...ZoneView) View {
	return View{Zones: zones, Nodes: []NodeView{{Name: "a"}}}
}

// startedNode returns a node that runs zone x at epoch 7. It requested the lease at 10 ms.
func startedNode(t *testing.T) *Node {
	n := NewNode(Defaults("a"), 0)
	n.Wake(0)
	require.Equal(t, "beat", actions(n))
	n.Beaten(10*ms, 1, alone(ZoneView{Name: "x"}))
	require.Equal(t, "claim x/0", actions(n))
	n.Claimed(30*ms, 2, "x", 7)
	require.Equal(t, "load x/7 until 1.71s", actions(n))
	n.Loaded(60*ms, "x", 7, false)
	require.Empty(t, actions(n))
	return n
}

// TestNode_Claimed_Times checks that a lease counts from the time of the request, and that the zone
// stops 300 ms early.
func TestNode_Claimed_Times(t *testing.T) {
	n := startedNode(t)
	require.Equal(t, 500*ms, n.Next())
	n.Wake(500 * ms)
	require.Equal(t, "beat", actions(n))
	renewed := alone(ZoneView{Name: "x", Node: "a", Mine: true, Epoch: 7, Left: 2 * time.Second})
	renewed.Renewed = []Lease{{Zone: "x", Epoch: 7}}
	n.Beaten(900*ms, 3, renewed) // the reply took 400 ms, but the lease counts from the request
	require.Equal(t, "extend x/7 until 2.2s", actions(n))
	n.Beaten(950*ms, 3, renewed)
	require.Empty(t, actions(n), "a repeated reply")
	for at := 1000 * ms; at < 2200*ms; at += 500 * ms {
		n.Wake(at)
		require.Equal(t, "beat", actions(n))
	}
	n.Wake(2199 * ms)
	require.Empty(t, actions(n))
	n.Wake(2200 * ms)
	require.Equal(t, "stop x/7", actions(n))
	n.Beaten(2300*ms, 5, renewed)
	require.Equal(t, "release x/7", actions(n), "the lease was renewed, but the zone has stopped")
}

// TestNode_Claimed_TooLate checks that a lease that is granted too late is not used, and is
// released.
func TestNode_Claimed_TooLate(t *testing.T) {
	n := NewNode(Defaults("a"), 0)
	n.Wake(0)
	n.Beaten(0, 1, alone(ZoneView{Name: "x"}))
	require.Equal(t, "beat; claim x/0", actions(n))
	n.Claimed(1700*ms, 2, "x", 7)
	require.Empty(t, actions(n))
	n.Wake(1700 * ms)
	require.Equal(t, "beat", actions(n))
	n.Beaten(1710*ms, 3, alone(ZoneView{Name: "x", Node: "a", Mine: true, Epoch: 7, Left: 300 * ms}))
	require.Equal(t, "release x/7", actions(n))
	n.Released(4, "x")
	n.Wake(2200 * ms)
	require.Equal(t, "beat", actions(n))
	n.Beaten(2210*ms, 5, alone(ZoneView{Name: "x", Epoch: 7}))
	require.Equal(t, "claim x/0", actions(n))
}

// TestNode_Wake_AfterPause checks that after a pause longer than a lease the zone stops before
// anything else happens.
func TestNode_Wake_AfterPause(t *testing.T) {
	n := startedNode(t)
	n.Wake(9 * time.Second)
	require.Equal(t, "stop x/7; beat", actions(n))
}

// TestNode_Fenced checks that a zone stops when another node has claimed it.
func TestNode_Fenced(t *testing.T) {
	n := startedNode(t)
	n.Fenced("x", 6)
	require.Empty(t, actions(n), "an older epoch")
	n.Fenced("x", 7)
	require.Equal(t, "stop x/7", actions(n))
	leases, _ := n.Zones()
	require.Empty(t, leases)
}

// TestNode_Beaten_Wish checks that a wish in a view drains the zone, and that the release names the
// next node.
func TestNode_Beaten_Wish(t *testing.T) {
	n := startedNode(t)
	n.Wake(500 * ms)
	v := alone(ZoneView{Name: "x", Node: "a", Mine: true, Epoch: 7, To: "b", Left: time.Second})
	n.Beaten(510*ms, 3, v)
	require.Equal(t, "beat", actions(n), "b is not alive")
	n.Wake(1000 * ms)
	v.Nodes = append(v.Nodes, NodeView{Name: "b"})
	n.Beaten(1010*ms, 4, v)
	require.Equal(t, "beat; drain x/7", actions(n))
	n.Drained(1100*ms, "x", 7)
	require.Equal(t, "release x/7 to b", actions(n))
	n.Wake(1600 * ms)
	require.Equal(t, "release x/7 to b; beat", actions(n), "the first release had no reply")
	n.Released(5, "x")
	_, states := n.Zones()
	require.Equal(t, []State{Releasing}, states, "a reply to the first release")
	n.Released(6, "x")
	_, states = n.Zones()
	require.Empty(t, states)

	b := NewNode(Defaults("b"), 0)
	b.Wake(0)
	b.Hint(10*ms, "x", "b")
	b.Hint(20*ms, "x", "b")
	require.Equal(t, "beat; claim x/0", actions(b), "once")
}

// TestNode_Loaded_Quarantine checks that a zone that failed three times is not claimed.
func TestNode_Loaded_Quarantine(t *testing.T) {
	n := NewNode(Defaults("a"), 0)
	seq := uint64(0)
	for failures := range 4 {
		at := time.Duration(failures) * 500 * ms
		n.Wake(at)
		seq++
		n.Beaten(at, seq, alone(ZoneView{Name: "x", Failures: failures}, ZoneView{Name: "y", Node: "a", Epoch: 1}))
		if failures == 3 {
			require.Equal(t, "beat", actions(n))
			break
		}
		require.Equal(t, "beat; claim x/0", actions(n))
		n.Claimed(at, seq+1, "x", 7)
		n.Loaded(at, "x", 7, true)
		require.Contains(t, actions(n), "release x/7 failed")
		n.Released(seq+2, "x")
		seq += 2
	}
}

// TestNode_Beaten_NameTaken checks that a node does nothing if another node has its name.
func TestNode_Beaten_NameTaken(t *testing.T) {
	n := NewNode(Defaults("a"), 0)
	n.Wake(0)
	n.Beaten(10*ms, 1, View{NameTaken: true})
	require.True(t, n.Refused())
	n.Hint(20*ms, "x", "a")
	require.Equal(t, "beat", actions(n))
}

// TestNode_Leave checks that all zones are drained, a limited number at a time, and that none is
// claimed.
func TestNode_Leave(t *testing.T) {
	c := Defaults("a")
	c.Drains = 1
	n := NewNode(c, 0)
	n.Wake(0)
	n.Beaten(0, 1, alone(ZoneView{Name: "x"}, ZoneView{Name: "y"}))
	require.Equal(t, "beat; claim x/0; claim y/0", actions(n))
	n.Claimed(0, 2, "x", 1)
	n.Claimed(0, 3, "y", 1)
	n.Loaded(0, "x", 1, false)
	n.Loaded(0, "y", 1, false)
	actions(n)
	n.Leave(100 * ms)
	require.Equal(t, "drain x/1", actions(n))
	require.False(t, n.Gone())
	n.Drained(200*ms, "x", 1)
	require.Equal(t, "release x/1; drain y/1", actions(n))
	n.Drained(300*ms, "y", 1)
	require.Equal(t, "release y/1", actions(n))
	n.Released(4, "x")
	n.Released(5, "y")
	require.True(t, n.Gone())
	n.Wake(300 * ms)
	n.Beaten(300*ms, 6, alone(ZoneView{Name: "x"}))
	require.Equal(t, "beat", actions(n))
}

// TestNode_Balance checks that a node moves a zone to a less loaded node, unless that node would be
// more loaded then.
func TestNode_Balance(t *testing.T) {
	for _, c := range []struct {
		loads []float64 // of the zones of a; b has no zones
		want  string
	}{
		{[]float64{1}, ""},
		{[]float64{1, 1}, "wish z0/1 to b"},
		{[]float64{5, 1, 1}, "wish z1/1 to b"},
		{[]float64{5, 4, 3}, "wish z0/1 to b"},
	} {
		n := NewNode(Defaults("a"), 0)
		v := View{Nodes: []NodeView{{Name: "a"}, {Name: "b"}}}
		for k, load := range c.loads {
			name := fmt.Sprintf("z%d", k)
			n.zones[name] = &zone{name: name, state: Running, epoch: 1, until: time.Hour, load: load}
			v.Zones = append(v.Zones, ZoneView{Name: name, Node: "a", Mine: true, Epoch: 1, Load: load, Left: time.Second})
		}
		n.Wake(3 * time.Second)
		actions(n)
		n.Beaten(3*time.Second, 1, v)
		require.Equal(t, c.want, actions(n), "%v", c.loads)
	}
}

// TestNode_Wake_MaxBeats checks that at most four beats are pending while the database does not
// reply.
func TestNode_Wake_MaxBeats(t *testing.T) {
	n := NewNode(Defaults("a"), 0)
	for at := Time(0); at < time.Minute; at += 10 * ms {
		n.Wake(at)
		n.Hint(at, "x", "")
		require.LessOrEqual(t, len(n.beats), mostBeats)
		n.Take()
	}
}

// TestNode_Loaded_FailsLater checks that a zone that fails while it runs is released as failed.
func TestNode_Loaded_FailsLater(t *testing.T) {
	n := startedNode(t)
	n.Loaded(70*ms, "x", 6, true)
	require.Empty(t, actions(n), "an older epoch")
	n.Loaded(70*ms, "x", 7, true)
	require.Equal(t, "release x/7 failed", actions(n))
	n.Loaded(80*ms, "x", 7, true)
	require.Empty(t, actions(n), "once")
}

// deafNode returns a node that runs zone x and has heard nothing from NATS since 100 ms. The
// function beat wakes the node and answers with a view that contains another node b, which is
// connected to NATS if hears is true.
func deafNode(t *testing.T) (n *Node, beat func(at Time, hears bool) string) {
	n = startedNode(t)
	n.Heard(100 * ms)
	return n, func(at Time, hears bool) string {
		n.Wake(at)
		y := ZoneView{Name: "y"}
		if z := n.zones["y"]; z != nil {
			y.Epoch = z.epoch
		}
		v := alone(ZoneView{Name: "x", Node: "a", Mine: true, Epoch: 7, Left: 2 * time.Second}, y)
		v.Nodes = []NodeView{{Name: "a", Draining: true}, {Name: "b", Draining: !hears}}
		n.Beaten(at, n.seq, v)
		return actions(n)
	}
}

// TestNode_Deaf checks that a node that is cut off from NATS marks itself, claims no zones, and
// releases its own once it knows that another node is connected.
func TestNode_Deaf(t *testing.T) {
	n, _ := deafNode(t)
	n.Wake(1100 * ms)
	require.False(t, n.Take()[0].Leave, "exactly one second is still allowed")
	n, _ = deafNode(t)
	n.Wake(1101 * ms)
	require.True(t, n.Take()[0].Leave)

	n, beat := deafNode(t)
	n.zones["x"].until = time.Minute
	require.Equal(t, "beat", beat(1200*ms, true), "y is left to b")
	require.Equal(t, "beat", beat(1700*ms, true))
	n.Hint(2100*ms, "y", "a")
	require.Empty(t, actions(n))
	require.Equal(t, "beat; drain x/7", beat(2200*ms, true))
	n.Drained(2300*ms, "x", 7)
	require.Equal(t, "release x/7", actions(n))
}

// TestNode_Deaf_All checks that zones are kept and claimed while no node is connected to NATS, and
// that a node waits before it releases its zones if another one is connected again first.
func TestNode_Deaf_All(t *testing.T) {
	n, beat := deafNode(t)
	n.zones["x"].until = time.Minute
	require.Equal(t, "beat; claim y/0", beat(1200*ms, false))
	n.Claimed(1200*ms, n.seq, "y", 9)
	n.Loaded(1200*ms, "y", 9, false)
	require.Equal(t, "load y/9 until 2.9s", actions(n))
	n.zones["y"].until = time.Minute
	for at := 1700 * ms; at < 7*time.Second; at += 500 * ms {
		require.Equal(t, "beat", beat(at, false))
	}
	require.Equal(t, "beat", beat(7200*ms, true))
	require.Equal(t, "beat", beat(7700*ms, true))
	n.Heard(8000 * ms)
	require.Equal(t, "beat", beat(8200*ms, true))
}

// TestNode_Place checks that a zone goes to the node that Place selects and stays there, and that a
// zone without a selection goes to the least loaded node.
func TestNode_Place(t *testing.T) {
	c := Defaults("a")
	asked := map[string]bool{}
	c.Place = func(zone string, nodes []string) string {
		asked[fmt.Sprint(zone, nodes)] = true
		return map[string]string{"x": "b", "y": "a", "z": "gone"}[zone]
	}
	n := NewNode(c, 0)
	n.Wake(0)
	v := View{Nodes: []NodeView{{Name: "a"}, {Name: "b"}, {Name: "c", Draining: true}}, Zones: []ZoneView{{Name: "w", Node: "b", Load: 9}, {Name: "x"}, {Name: "y"}, {Name: "z"}}}
	n.Beaten(0, 1, v)
	require.Equal(t, "beat; claim y/0; claim z/0", actions(n))
	require.True(t, asked["x[a b]"], "only nodes that accept zones are given: %v", asked)

	// Node b has joined later: x moves to it, but y does not, although b is less loaded.
	n = NewNode(c, 0)
	for _, name := range []string{"x", "y"} {
		n.zones[name] = &zone{name: name, state: Running, epoch: 1, until: time.Hour, load: 5}
	}
	n.Heard(6 * time.Second)
	n.Wake(3 * time.Second)
	v.Zones = []ZoneView{{Name: "x", Node: "a", Mine: true, Epoch: 1, Load: 5}, {Name: "y", Node: "a", Mine: true, Epoch: 1, Load: 5}}
	n.Beaten(3*time.Second, 1, v)
	require.Equal(t, "beat; wish x/1 to b", actions(n))
	delete(n.zones, "x")
	n.Wake(6 * time.Second)
	v.Zones[0].Node, v.Zones[0].Mine, v.Zones[0].Load = "b", false, 0
	n.Beaten(6*time.Second, n.seq, v)
	require.Equal(t, "beat", actions(n))
}

// TestNode_Lost checks that a zone stops and is released, once, when the database has lost its
// commits.
func TestNode_Lost(t *testing.T) {
	n := startedNode(t)
	n.Lost(60*ms, "x", 6)
	require.Empty(t, actions(n), "an earlier lease")
	n.Lost(60*ms, "x", 7)
	require.Equal(t, "stop x/7; release x/7", actions(n))
	n.Lost(61*ms, "x", 7)
	require.Empty(t, actions(n), "only once")
}

// TestNode_Unsaved checks that a leaving node reports the zones that it stopped without saving
// them.
func TestNode_Unsaved(t *testing.T) {
	n := runningNode(t, Defaults("a"))
	n.Unsafe(10*ms, "x", 7)
	require.Empty(t, n.Unsaved(), "the node is not leaving")
	n.Leave(20 * ms)
	n.Drained(30*ms, "y", 7)
	require.Empty(t, n.Unsaved())
	n.Loaded(40*ms, "z", 7, true)
	require.Equal(t, []string{"z"}, n.Unsaved(), "z has failed")

	n = runningNode(t, Defaults("a"))
	n.Leave(20 * ms)
	n.Wake(1700 * ms)
	require.Equal(t, []string{"x", "y", "z"}, n.Unsaved(), "the leases have ended")
}

// TestNode_Deny checks that a node without permissions in NATS claims no zones, even as the only
// node, and releases the zones that it has.
func TestNode_Deny(t *testing.T) {
	n := NewNode(Defaults("a"), 0)
	n.Deny(true)
	_, after, b := beat(t, n, 0, alone(ZoneView{Name: "x"}))
	require.Empty(t, after)
	require.True(t, b.Leave)
	n.Hint(100*ms, "x", "a")
	require.Empty(t, actions(n))
	n.Deny(false)
	n.Heard(500 * ms)
	_, after, _ = beat(t, n, 500*ms, alone(ZoneView{Name: "x"}))
	require.Equal(t, "claim x/0", after)

	n = startedNode(t)
	n.Deny(true)
	_, after, _ = beat(t, n, 500*ms, heldView())
	require.Contains(t, after, "drain x/7")
}
