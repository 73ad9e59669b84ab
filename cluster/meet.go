package cluster

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/bufftick/bufftick/cluster/internal/policy"
)

// mostPayload is the maximum size of a NATS message in bytes.
func mostPayload(c *nats.Conn) int {
	if most := c.MaxPayload(); most > 0 {
		return int(most)
	}
	return 1 << 20 // the default of NATS; the limit is unknown until the connection is established
}

func (n *Node) mostPayload() int { return mostPayload(n.o.NATS) }

// publish sends a message over NATS. Errors are counted and logged.
func (n *Node) publish(zone string, epoch uint64, to string, data []byte) error {
	err := n.o.NATS.Publish(to, data)
	if err == nil {
		return nil
	}
	n.count(func(s *Stats) { s.Unsent++ })
	text := fmt.Sprintf("NATS did not accept a message: %v", err)
	if errors.Is(err, nats.ErrMaxPayload) {
		text += fmt.Sprintf(": it has %d bytes, but max_payload is %d", len(data), n.mostPayload())
	}
	n.log(zone, epoch, text)
	return err
}

// meet checks that this node receives its own messages on all subjects that nodes use, and that no
// other world uses the same prefix. The parameter "others" is the number of other live nodes of
// this world. If NATS is not connected, meet checks nothing.
func (n *Node) meet(ctx context.Context, others int) error {
	if most := n.o.NATS.Opts.MaxReconnect; most >= 0 {
		n.log("", 0, fmt.Sprintf("NATS closes its connection for good after %d attempts to reconnect, and then all zones are released: connect with nats.MaxReconnects(-1)", most))
	}
	if !n.o.NATS.IsConnected() {
		n.log("", 0, "NATS is not connected yet: permissions and conflicting prefixes are not checked")
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, n.o.TTL)
	defer cancel()
	if err := n.receiveOwn(ctx); err != nil {
		n.deny(err)
		return nil
	}
	return n.askWorlds(ctx, others)
}

// deny records whether this node receives its own messages. Until it does, the node claims no
// zones.
func (n *Node) deny(why error) {
	n.count(func(s *Stats) { s.Denied = why != nil })
	if n.denied = why != nil; n.denied {
		n.log("", 0, "claims no zones: "+why.Error())
	} else {
		n.log("", 0, "receives its own messages over NATS, and claims zones")
	}
}

// recheck checks whether NATS now permits this node to receive its own messages.
func (n *Node) recheck() {
	ctx, cancel := n.within()
	defer cancel()
	if n.receiveOwn(ctx) == nil {
		n.deny(nil)
		n.post(func(p *policy.Node) { p.Deny(false) })
	}
}

// receiveOwn sends a message to this node on each subject, and returns an error if NATS does not
// permit this. It need not wait for each message, because all earlier messages have been
// delivered when the server answers a flush.
func (n *Node) receiveOwn(ctx context.Context) error {
	zone := subject(n.o.Prefix, "\x00") // a zone that does not exist
	word := "\x00?" + strconv.FormatUint(random(), 16)
	heard, missing := make(chan *nats.Msg, 1024), map[string]bool{}
	for _, s := range []string{
		n.o.Prefix + ".free", n.o.Prefix + ".wish", n.o.Prefix + ".look", n.o.Prefix + ".arrived", n.o.Prefix + ".world",
		zone, zone + ".1", screens(n.o.Prefix, "\x00"), n.o.NATS.NewInbox(),
	} {
		sub, err := n.o.NATS.ChanSubscribe(s, heard)
		if err != nil {
			return err
		}
		defer func() { _ = sub.Unsubscribe() }() // the connection may be closed by then
		if err := n.o.NATS.Publish(s, []byte(word)); err != nil {
			return err
		}
		missing[s] = true
	}
	if err := n.o.NATS.FlushWithContext(ctx); err != nil {
		n.log("", 0, "NATS does not reply, and permissions are not checked: "+err.Error())
		return nil
	}
	for {
		select {
		case m := <-heard:
			if string(m.Data) == word {
				delete(missing, m.Subject)
			}
			continue
		default:
		}
		break
	}
	err := n.o.NATS.LastError()
	if len(missing) == 0 || !errors.Is(err, nats.ErrPermissionViolation) {
		return nil // with the option NoEcho, a connection never receives its own messages
	}
	var list []string
	for s := range missing {
		list = append(list, strings.Replace(s, zone, n.o.Prefix+".zone.*", 1))
	}
	slices.Sort(list)
	return fmt.Errorf("NATS does not deliver messages that this node publishes to %q: %w", list, err)
}

// world returns a message with the id of the node's world and the node's name.
func (n *Node) world() []byte { return fmt.Appendf(nil, "%016x\x00%s", n.leases.world, n.o.Node) }

// parseWorld decodes a message made by Node.world. ok is false if b is not such a message.
func parseWorld(b []byte) (world uint64, node string, ok bool) {
	id, node, ok := strings.Cut(string(b), "\x00")
	raw, err := hex.DecodeString(id)
	if err != nil || len(raw) != 8 || !ok {
		return 0, "", false
	}
	world, _ = strconv.ParseUint(id, 16, 64) // always 16 digits
	return world, node, true
}

// askWorlds asks all nodes with this prefix for their world, and returns ErrWorld if a node has
// another world. It waits until the other nodes of this world have answered, but at most
// mostMeet.
func (n *Node) askWorlds(ctx context.Context, others int) error {
	ctx, cancel := context.WithTimeout(ctx, mostMeet)
	defer cancel()
	box := n.o.NATS.NewInbox()
	answers, err := n.o.NATS.SubscribeSync(box)
	if err != nil {
		return err
	}
	defer func() { _ = answers.Unsubscribe() }() // the connection may be closed by then
	if err := n.o.NATS.PublishRequest(n.o.Prefix+".world", box, n.world()); err != nil {
		return err
	}
	for own := 0; ; {
		m, err := answers.NextMsgWithContext(ctx)
		if err != nil {
			return nil // no other world has answered
		}
		switch world, node, ok := parseWorld(m.Data); {
		case !ok:
		case world != n.leases.world:
			return fmt.Errorf("%w: node %q replies to %q, but has another database or schema: give each world its own Prefix", ErrWorld, node, n.o.Prefix)
		default:
			if own++; own >= others {
				return nil
			}
		}
	}
}

// mostMeet is the maximum time that Join waits for answers from other nodes.
const mostMeet = 250 * time.Millisecond

// receiveWorld processes a message made by Node.world. If the sender expects a reply, receiveWorld
// replies with the world of this node.
func (n *Node) receiveWorld(m *nats.Msg) {
	world, node, ok := parseWorld(m.Data)
	if !ok {
		return
	}
	if m.Reply != "" {
		_ = n.publish("", 0, m.Reply, n.world()) // if it is lost, n.listen publishes it again
	}
	if world != n.leases.world {
		n.count(func(s *Stats) { s.Foreign++ })
		n.log("", 0, fmt.Sprintf("another world uses the prefix %s: its node is called %q. Give each world its own Prefix", n.o.Prefix, node))
	}
}
