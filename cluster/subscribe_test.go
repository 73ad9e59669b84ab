package cluster

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nats-io/nats.go"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/cluster/internal/policy"
	"github.com/bufftick/bufftick/replicate"
	"github.com/bufftick/bufftick/replicate/client"
)

// screenOf is the client of a player. It shows one hero with a Subscription.
type screenOf struct {
	t      *testing.T
	client *client.Client
	sub    *Subscription
	want   buff.OwnerID
	shows  chan int // the stacks after each packet that changed them
	last   int
	mu     sync.Mutex // protects client
	fresh  []uint64   // epochs of the packets with Fresh
	ended  chan error
}

func (c *Client) screen(t *testing.T, zone string, owner buff.OwnerID) *screenOf {
	s := &screenOf{t: t, client: client.New(client.Options{}), want: owner, shows: make(chan int, 1<<16), ended: make(chan error, 4)}
	ready := make(chan struct{})
	sub, err := c.Subscribe(zone, owner, func(p Packet) {
		<-ready
		s.take(p)
	})
	require.NoError(t, err)
	s.sub = sub
	close(ready)
	return s
}

func (s *screenOf) take(p Packet) {
	if p.Err != nil {
		s.ended <- p.Err
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.Fresh {
		s.fresh = append(s.fresh, p.Epoch)
		s.client.Reset()
	}
	if err := s.client.Receive(p.Bytes); errors.Is(err, client.ErrGap) {
		s.sub.Receive(s.client.Missed())
	} else if err != nil {
		s.ended <- err
	}
	stacks := 0
	if o := s.client.Owner(s.want); o != nil && len(o.Buffs()) == 1 {
		stacks = o.Buffs()[0].Stacks
	}
	if stacks != s.last {
		s.last = stacks
		s.shows <- stacks
	}
}

// until waits until the screen shows the given number of coins.
func (s *screenOf) until(coins int) {
	for {
		select {
		case n := <-s.shows:
			if n == coins {
				return
			}
		case err := <-s.ended:
			require.NoError(s.t, err)
		case <-s.t.Context().Done():
			s.t.Fatalf("the screen does not show %d coins", coins)
		}
	}
}

func showing(zone string) (Zone, error) {
	z, err := play(zone)
	z.Screens = &replicate.Options{}
	return z, err
}

// joinShowing joins a node with a zone that replicates the buffs of its heroes.
func (s *servers) joinShowing(name string) *Node {
	o := s.options(name, 1)
	o.New = showing
	node, err := Join(s.t.Context(), o)
	require.NoError(s.t, err)
	s.t.Cleanup(node.Close)
	return node
}

// TestSubscribe checks that a screen shows the buffs of a hero while its zone moves between nodes,
// and ignores packets of earlier owners.
func TestSubscribe(t *testing.T) {
	s := newServers(t)
	nodes := map[string]*Node{}
	for _, name := range []string{"a", "b"} {
		nodes[name] = s.joinShowing(name)
	}
	c := s.client()
	see := c.screen(t, "z0", hero(0, 0))
	coinsPaid := 0
	pay := func() (epoch uint64) {
		r, err := c.Ask(t.Context(), "z0", coin(hero(0, 0)), Durable)
		require.NoError(t, err)
		coinsPaid++
		see.until(coinsPaid)
		return r.Epoch
	}
	epoch := pay()
	to, from := "a", "b"
	if nodes["a"].Stats().Zones == 1 {
		to, from = from, to
	}
	for range 3 {
		require.NoError(t, nodes[from].Move(t.Context(), "z0", to))
		for was := epoch; epoch == was; {
			epoch = pay()
		}
		to, from = from, to
	}
	see.sub.Close()
	c.Close()
	require.IsIncreasing(t, see.fresh)
	require.GreaterOrEqual(t, len(see.fresh), 4, "the first, and one for each move")
}

// TestSubscribe_Refused checks the error of a zone without Screens and of a subscription that ends,
// and that a zone that does not run sends no error.
func TestSubscribe_Refused(t *testing.T) {
	s := newServers(t)
	node, err := Join(t.Context(), s.options("a", 1))
	require.NoError(t, err)
	defer node.Close()
	c := s.client()
	require.NoError(t, c.Do(t.Context(), "z0", coin(hero(0, 0))))
	nothing := c.screen(t, "z0", hero(0, 0))
	require.ErrorIs(t, <-nothing.ended, ErrRefused)
	nobody := c.screen(t, "nowhere", 1)
	_, err = c.Subscribe("", 1, nil)
	require.Error(t, err)
	c.Close()
	require.ErrorIs(t, <-nobody.ended, ErrClosed)
	_, err = c.Subscribe("z0", 1, nil)
	require.ErrorIs(t, err, ErrClosed)
	nobody.sub.Close()
}

// TestSubscribe_Panics checks that a function that panics is called again.
func TestSubscribe_Panics(t *testing.T) {
	s := newServers(t)
	s.joinShowing("a")
	told := make(chan string, 64)
	c, err := NewClient(ClientOptions{NATS: s.connect(), Prefix: s.schema, Catalog: coins, Log: func(what string) {
		select {
		case told <- what:
		default:
		}
		panic("Log too")
	}})
	require.NoError(t, err)
	defer c.Close()
	_, err = c.Subscribe("z0", hero(0, 0), func(Packet) { panic("a bad function") })
	require.NoError(t, err)
	require.Contains(t, <-told, "a bad function")
	require.NoError(t, c.Do(t.Context(), "z0", coin(hero(0, 0))))
	require.Contains(t, <-told, "a bad function")
}

// TestSubscribe_Unread checks that a zone sends a limited number of packets to a subscription that
// acknowledges none, and the complete state when it acknowledges again.
func TestSubscribe_Unread(t *testing.T) {
	s := newServers(t)
	s.joinShowing("a")
	c, conn := s.client(), s.connect()
	require.NoError(t, c.Do(t.Context(), "z0", coin(hero(0, 0))))
	inbox := conn.NewInbox()
	sub, err := conn.SubscribeSync(inbox)
	require.NoError(t, err)
	say := func(l *look) {
		l.id = screenID{1}
		require.NoError(t, conn.PublishMsg(&nats.Msg{Subject: screens(s.schema, "z0"), Reply: inbox, Data: appendLook(nil, l)}))
	}
	screen := client.New(client.Options{})
	var join, number uint64
	read := func() {
		msg, err := sub.NextMsgWithContext(t.Context())
		require.NoError(t, err)
		m, err := parseShown(msg.Data)
		require.NoError(t, err)
		require.Equal(t, number+1, m.number)
		join, number = m.join, m.number
		require.NoError(t, screen.Receive(m.bytes))
	}
	say(&look{kind: isLook, owner: hero(0, 0)})
	for screen.Owner(hero(0, 0)) == nil {
		read()
	}
	paid := 1
	for range policy.MostUnread + 40 {
		require.NoError(t, c.Do(t.Context(), "z0", coin(hero(0, 0))))
		paid++
		if paid%20 == 0 { // the subscription renews but acknowledges nothing
			say(&look{kind: isLook, owner: hero(0, 0), join: join})
		}
	}
	for number < policy.MostUnread {
		read()
	}
	// Its reply arrives after all packets sent before.
	require.NoError(t, c.Do(t.Context(), "z0", coin(hero(0, 0))))
	paid++
	require.NoError(t, conn.Flush())
	pending, _, err := sub.Pending()
	require.NoError(t, err)
	require.Zero(t, pending)
	require.Less(t, screen.Owner(hero(0, 0)).Buffs()[0].Stacks, paid)
	// As a subscription that gets no packets: what it has not acknowledged counts as lost.
	say(&look{kind: isAll, join: join})
	read()
	for screen.Owner(hero(0, 0)).Buffs()[0].Stacks != paid {
		say(&look{kind: isLook, owner: hero(0, 0), join: join, number: number})
		read()
	}
}

// TestSubscribe_MissedDefinitions checks that lost packets and definitions are sent again.
func TestSubscribe_MissedDefinitions(t *testing.T) {
	s := newServers(t)
	s.joinShowing("a")
	c := s.client()
	see := c.screen(t, "z0", hero(0, 0))
	require.NoError(t, c.Do(t.Context(), "z0", coin(hero(0, 0))))
	see.until(1)
	c.mu.Lock()
	w := &see.sub.watch
	// As if a packet had been lost.
	w.Heard(0, 0, w.Epoch(), w.Join(), w.Number()+1, false)
	c.mu.Unlock()
	see.mu.Lock()
	see.client = client.New(client.Options{}) // as if the definitions had been lost
	see.mu.Unlock()
	require.NoError(t, c.Do(t.Context(), "z0", coin(hero(0, 0))))
	see.until(2)
}

// FuzzScreenWire checks that any message is decoded or rejected, and that encoding a decoded
// message yields it again.
func FuzzScreenWire(f *testing.F) {
	for _, l := range []look{{kind: isLook, owner: 7, join: 1, number: 300}, {kind: isSaid, join: 9, said: []byte{1, 2}}, {kind: isLeave}, {kind: isMissed, join: 3}} {
		f.Add(appendLook(nil, &l))
	}
	for _, m := range []shown{{kind: isPacket, epoch: 3, join: 200, number: 5, bytes: []byte("x")}, {kind: isRefused, epoch: 1, bytes: []byte("no")}, {kind: isDefined}} {
		f.Add(appendShown(nil, &m))
	}
	if _, err := parseLook(appendLook(nil, &look{kind: isSaid, said: make([]byte, mostSaid+1)})); err == nil {
		f.Fatal("what is said may be of any length: a zone keeps thousands of them")
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if l, err := parseLook(b); err == nil {
			again, err := parseLook(appendLook(nil, &l))
			require.NoError(t, err)
			require.Equal(t, l, again)
		}
		if m, err := parseShown(b); err == nil {
			again, err := parseShown(appendShown(nil, &m))
			require.NoError(t, err)
			require.Equal(t, m, again)
		}
	})
}

// TestSubscribe_Order checks that packets of an earlier owner or of a removed viewer are dropped,
// in any order and on any subject.
func TestSubscribe_Order(t *testing.T) {
	s := newServers(t)
	c := s.client()
	var got []string
	sub, err := c.Subscribe("nowhere", 1, func(p Packet) { got = append(got, fmt.Sprintf("%d %v %s", p.Epoch, p.Fresh, p.Bytes)) })
	require.NoError(t, err)
	hear := func(m shown) {
		c.hearShown(&nats.Msg{Subject: fmt.Sprintf("%s.%x", c.screenInbox, sub.id[:]), Data: appendShown(nil, &m)})
	}
	hear(shown{isPacket, 5, 2, 7, []byte("before the definitions")})
	hear(shown{isDefined, 5, 2, 1, []byte("first")})
	hear(shown{isDefined, 4, 9, 1, []byte("older owner")})
	hear(shown{isPacket, 5, 1, 2, []byte("older viewer")})
	hear(shown{kind: isRefused, epoch: 4, bytes: []byte("older owner")})
	hear(shown{isPacket, 5, 2, 2, []byte("second")})
	hear(shown{isDefined, 5, 3, 1, []byte("next viewer")})
	hear(shown{isDefined, 6, 1, 1, []byte("next owner")})
	require.Equal(t, []string{"5 true first", "5 false second", "5 true next viewer", "6 true next owner"}, got)
	for _, subject := range []string{"", ".", c.screenInbox, c.screenInbox + ".", c.screenInbox + ".xyz", c.screenInbox + ".01"} {
		c.hearShown(&nats.Msg{Subject: subject, Data: appendShown(nil, &shown{kind: isPacket, epoch: 9})})
	}
	require.Len(t, got, 4)
	sub.Close()
	hear(shown{isPacket, 7, 1, 1, []byte("after its end")})
	require.Len(t, got, 4)
}
