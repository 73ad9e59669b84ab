package policy

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const ms = time.Millisecond

// steps returns what a node wants done, one line each.
func steps(n *Node) string { return words(n.Take()) }

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

// begun returns a node that plays zone x at epoch 7, which it asked for at 10 ms.
func begun(t *testing.T) *Node {
	n := NewNode(Defaults("a"), 0)
	n.Wake(0)
	require.Equal(t, "beat", steps(n))
	n.Beaten(10*ms, 1, alone(ZoneView{Name: "x"}))
	require.Equal(t, "claim x/0", steps(n))
	n.Claimed(30*ms, 2, "x", 7)
	require.Equal(t, "load x/7 until 1.71s", steps(n))
	n.Loaded(60*ms, "x", 7, false)
	require.Empty(t, steps(n))
	return n
}

// TestLeaseTimes: the time of a lease counts from before it was asked for, and ends 300 ms early.
func TestLeaseTimes(t *testing.T) {
	n := begun(t)
	require.Equal(t, 500*ms, n.Next())
	n.Wake(500 * ms)
	require.Equal(t, "beat", steps(n))
	renewed := alone(ZoneView{Name: "x", Node: "a", Mine: true, Epoch: 7, Left: 2 * time.Second})
	renewed.Renewed = []Lease{{Zone: "x", Epoch: 7}}
	n.Beaten(900*ms, 3, renewed) // the answer was 400 ms on its way: that counts for nothing
	require.Equal(t, "extend x/7 until 2.2s", steps(n))
	n.Beaten(950*ms, 3, renewed)
	require.Empty(t, steps(n), "an answer that comes twice")
	for at := 1000 * ms; at < 2200*ms; at += 500 * ms {
		n.Wake(at)
		require.Equal(t, "beat", steps(n))
	}
	n.Wake(2199 * ms)
	require.Empty(t, steps(n))
	n.Wake(2200 * ms)
	require.Equal(t, "stop x/7", steps(n))
	n.Beaten(2300*ms, 5, renewed)
	require.Equal(t, "release x/7", steps(n), "it is renewed, and not played any more")
}

// TestClaimTooLate: an answer that comes when the lease is as good as over is not believed, and what
// the database gave nevertheless is given back.
func TestClaimTooLate(t *testing.T) {
	n := NewNode(Defaults("a"), 0)
	n.Wake(0)
	n.Beaten(0, 1, alone(ZoneView{Name: "x"}))
	require.Equal(t, "beat; claim x/0", steps(n))
	n.Claimed(1700*ms, 2, "x", 7)
	require.Empty(t, steps(n))
	n.Wake(1700 * ms)
	require.Equal(t, "beat", steps(n))
	n.Beaten(1710*ms, 3, alone(ZoneView{Name: "x", Node: "a", Mine: true, Epoch: 7, Left: 300 * ms}))
	require.Equal(t, "release x/7", steps(n))
	n.Released(4, "x")
	n.Wake(2200 * ms)
	require.Equal(t, "beat", steps(n))
	n.Beaten(2210*ms, 5, alone(ZoneView{Name: "x", Epoch: 7}))
	require.Equal(t, "claim x/0", steps(n))
}

// TestPaused: who was stopped for longer than a lease stops its zone before anything else.
func TestPaused(t *testing.T) {
	n := begun(t)
	n.Wake(9 * time.Second)
	require.Equal(t, "stop x/7; beat", steps(n))
}

// TestFencedNode: another has the zone.
func TestFencedNode(t *testing.T) {
	n := begun(t)
	n.Fenced("x", 6)
	require.Empty(t, steps(n), "an older epoch")
	n.Fenced("x", 7)
	require.Equal(t, "stop x/7", steps(n))
	leases, _ := n.Zones()
	require.Empty(t, leases)
}

// TestMoveNode: a wish in the view drains the zone, and the release says who is next.
func TestMoveNode(t *testing.T) {
	n := begun(t)
	n.Wake(500 * ms)
	v := alone(ZoneView{Name: "x", Node: "a", Mine: true, Epoch: 7, To: "b", Left: time.Second})
	n.Beaten(510*ms, 3, v)
	require.Equal(t, "beat", steps(n), "b is not alive")
	n.Wake(1000 * ms)
	v.Nodes = append(v.Nodes, NodeView{Name: "b"})
	n.Beaten(1010*ms, 4, v)
	require.Equal(t, "beat; drain x/7", steps(n))
	n.Drained(1100*ms, "x", 7)
	require.Equal(t, "release x/7 to b", steps(n))
	n.Wake(1600 * ms)
	require.Equal(t, "release x/7 to b; beat", steps(n), "no answer")
	n.Released(5, "x")
	_, states := n.Zones()
	require.Equal(t, []State{Releasing}, states, "the answer of the one before")
	n.Released(6, "x")
	_, states = n.Zones()
	require.Empty(t, states)

	b := NewNode(Defaults("b"), 0)
	b.Wake(0)
	b.Hint(10*ms, "x", "b")
	b.Hint(20*ms, "x", "b")
	require.Equal(t, "beat; claim x/0", steps(b), "once")
}

// TestQuarantine: a zone that could not be loaded three times is left alone.
func TestQuarantine(t *testing.T) {
	n := NewNode(Defaults("a"), 0)
	seq := uint64(0)
	for failures := range 4 {
		at := time.Duration(failures) * 500 * ms
		n.Wake(at)
		seq++
		n.Beaten(at, seq, alone(ZoneView{Name: "x", Failures: failures}, ZoneView{Name: "y", Node: "a", Epoch: 1}))
		if failures == 3 {
			require.Equal(t, "beat", steps(n))
			break
		}
		require.Equal(t, "beat; claim x/0", steps(n))
		n.Claimed(at, seq+1, "x", 7)
		n.Loaded(at, "x", 7, true)
		require.Contains(t, steps(n), "release x/7 failed")
		n.Released(seq+2, "x")
		seq += 2
	}
}

// TestName: a node whose name is another's does nothing.
func TestName(t *testing.T) {
	n := NewNode(Defaults("a"), 0)
	n.Wake(0)
	n.Beaten(10*ms, 1, View{NameTaken: true})
	require.True(t, n.Refused())
	n.Hint(20*ms, "x", "a")
	require.Equal(t, "beat", steps(n))
}

// TestLeave: all zones are drained, so many at once, and none is claimed.
func TestLeave(t *testing.T) {
	c := Defaults("a")
	c.Drains = 1
	n := NewNode(c, 0)
	n.Wake(0)
	n.Beaten(0, 1, alone(ZoneView{Name: "x"}, ZoneView{Name: "y"}))
	require.Equal(t, "beat; claim x/0; claim y/0", steps(n))
	n.Claimed(0, 2, "x", 1)
	n.Claimed(0, 3, "y", 1)
	n.Loaded(0, "x", 1, false)
	n.Loaded(0, "y", 1, false)
	steps(n)
	n.Leave(100 * ms)
	require.Equal(t, "drain x/1", steps(n))
	require.False(t, n.Gone())
	n.Drained(200*ms, "x", 1)
	require.Equal(t, "release x/1; drain y/1", steps(n))
	n.Drained(300*ms, "y", 1)
	require.Equal(t, "release y/1", steps(n))
	n.Released(4, "x")
	n.Released(5, "y")
	require.True(t, n.Gone())
	n.Wake(300 * ms)
	n.Beaten(300*ms, 6, alone(ZoneView{Name: "x"}))
	require.Equal(t, "beat", steps(n))
}

// TestBalance: a node with more gives a zone to one with less, unless that would turn it around.
func TestBalance(t *testing.T) {
	for _, c := range []struct {
		loads []float64 // of the zones of a; b has none
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
		steps(n)
		n.Beaten(3*time.Second, 1, v)
		require.Equal(t, c.want, steps(n), "%v", c.loads)
	}
}

// TestBeatsBounded: where the database does not answer, no more than four beats wait.
func TestBeatsBounded(t *testing.T) {
	n := NewNode(Defaults("a"), 0)
	for at := Time(0); at < time.Minute; at += 10 * ms {
		n.Wake(at)
		n.Hint(at, "x", "")
		require.LessOrEqual(t, len(n.beats), mostBeats)
		n.Take()
	}
}

// TestFailsLater: a zone that fails while it is played is released as one that could not be loaded.
func TestFailsLater(t *testing.T) {
	n := begun(t)
	n.Loaded(70*ms, "x", 6, true)
	require.Empty(t, steps(n), "an older epoch")
	n.Loaded(70*ms, "x", 7, true)
	require.Equal(t, "release x/7 failed", steps(n))
	n.Loaded(80*ms, "x", 7, true)
	require.Empty(t, steps(n), "once")
}

// deafened returns a node that plays zone x, whose NATS is silent from 100 ms on, and its next beat: the database
// says that another node is there, which hears or not.
func deafened(t *testing.T) (n *Node, beat func(at Time, hears bool) string) {
	n = begun(t)
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
		return steps(n)
	}
}

// TestDeaf: a node that is cut off from NATS says so, takes no zone, and gives its own away once it knows that another
// one hears.
func TestDeaf(t *testing.T) {
	n, _ := deafened(t)
	n.Wake(1100 * ms)
	require.False(t, n.Take()[0].Leave, "it has been silent for a second, and not for longer")
	n, _ = deafened(t)
	n.Wake(1101 * ms)
	require.True(t, n.Take()[0].Leave)

	n, beat := deafened(t)
	n.zones["x"].until = time.Minute
	require.Equal(t, "beat", beat(1200*ms, true), "y is left to b")
	require.Equal(t, "beat", beat(1700*ms, true))
	n.Hint(2100*ms, "y", "a")
	require.Empty(t, steps(n))
	require.Equal(t, "beat; drain x/7", beat(2200*ms, true))
	n.Drained(2300*ms, "x", 7)
	require.Equal(t, "release x/7", steps(n))
}

// TestDeafAll: where no node hears NATS is gone: zones are kept, and taken. Where it is back for another sooner than for
// this one, this one waits.
func TestDeafAll(t *testing.T) {
	n, beat := deafened(t)
	n.zones["x"].until = time.Minute
	require.Equal(t, "beat; claim y/0", beat(1200*ms, false))
	n.Claimed(1200*ms, n.seq, "y", 9)
	n.Loaded(1200*ms, "y", 9, false)
	require.Equal(t, "load y/9 until 2.9s", steps(n))
	n.zones["y"].until = time.Minute
	for at := 1700 * ms; at < 7*time.Second; at += 500 * ms {
		require.Equal(t, "beat", beat(at, false))
	}
	require.Equal(t, "beat", beat(7200*ms, true))
	require.Equal(t, "beat", beat(7700*ms, true))
	n.Heard(8000 * ms)
	require.Equal(t, "beat", beat(8200*ms, true))
}

// TestPlace: a zone goes where the game wants it, and stays there; one of which it says nothing goes to who has least.
func TestPlace(t *testing.T) {
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
	require.Equal(t, "beat; claim y/0; claim z/0", steps(n))
	require.True(t, asked["x[a b]"], "of those that take zones: %v", asked)

	// b has come later: x is given to it, and y is not, though b has less.
	n = NewNode(c, 0)
	for _, name := range []string{"x", "y"} {
		n.zones[name] = &zone{name: name, state: Running, epoch: 1, until: time.Hour, load: 5}
	}
	n.Heard(6 * time.Second)
	n.Wake(3 * time.Second)
	v.Zones = []ZoneView{{Name: "x", Node: "a", Mine: true, Epoch: 1, Load: 5}, {Name: "y", Node: "a", Mine: true, Epoch: 1, Load: 5}}
	n.Beaten(3*time.Second, 1, v)
	require.Equal(t, "beat; wish x/1 to b", steps(n))
	delete(n.zones, "x")
	n.Wake(6 * time.Second)
	v.Zones[0].Node, v.Zones[0].Mine, v.Zones[0].Load = "b", false, 0
	n.Beaten(6*time.Second, n.seq, v)
	require.Equal(t, "beat", steps(n))
}

// TestNode_Lost_GoesBack: a zone whose commit finds an older cut than its predecessor stops and is released.
func TestNode_Lost_GoesBack(t *testing.T) {
	n := begun(t)
	n.Lost(60*ms, "x", 6)
	require.Empty(t, steps(n), "an earlier lease")
	n.Lost(60*ms, "x", 7)
	require.Equal(t, "stop x/7; release x/7", steps(n))
	n.Lost(61*ms, "x", 7)
	require.Empty(t, steps(n), "only once")
}

// TestNode_Unsaved_Leave: a node that leaves knows what it has not saved.
func TestNode_Unsaved_Leave(t *testing.T) {
	n := playing(t, Defaults("a"))
	n.Unsafe(10*ms, "x", 7)
	require.Empty(t, n.Unsaved(), "it does not leave")
	n.Leave(20 * ms)
	n.Drained(30*ms, "y", 7)
	require.Empty(t, n.Unsaved())
	n.Loaded(40*ms, "z", 7, true)
	require.Equal(t, []string{"z"}, n.Unsaved(), "it has panicked")

	n = playing(t, Defaults("a"))
	n.Leave(20 * ms)
	n.Wake(1700 * ms)
	require.Equal(t, []string{"x", "y", "z"}, n.Unsaved(), "the leases are over")
}

// TestNode_Deny: a node that NATS lets hear nothing takes no zone, also where no other node is there, and gives away what it has.
func TestNode_Deny(t *testing.T) {
	n := NewNode(Defaults("a"), 0)
	n.Deny(true)
	_, after, b := beat(t, n, 0, alone(ZoneView{Name: "x"}))
	require.Empty(t, after)
	require.True(t, b.Leave)
	n.Hint(100*ms, "x", "a")
	require.Empty(t, steps(n))
	n.Deny(false)
	n.Heard(500 * ms)
	_, after, _ = beat(t, n, 500*ms, alone(ZoneView{Name: "x"}))
	require.Equal(t, "claim x/0", after)

	n = begun(t)
	n.Deny(true)
	_, after, _ = beat(t, n, 500*ms, held())
	require.Contains(t, after, "drain x/7")
}
