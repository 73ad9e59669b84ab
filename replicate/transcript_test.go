package replicate

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/replicate/client"
)

// story is a small world with a viewer for owner 1 and its client.
type story struct {
	e    *engine.Engine
	srv  *Server
	v    *Viewer
	c    *client.Client
	last buff.Handle
}

// TestTranscript prints the contents of a viewer's packets frame by frame and checks that its
// client accepts them.
func TestTranscript(t *testing.T) {
	datadriven.RunTest(t, "testdata/packets.txt", func(t *testing.T, d *datadriven.TestData) string {
		s := &story{c: client.New(client.Options{})}
		s.e = engineOf(t,
			buff.Spec{ID: "poison", Duration: 12 * time.Second, Period: 3 * time.Second, Stack: define.Stacking{By: define.ByTarget, Limit: 5}},
			buff.Spec{ID: "ward", Duration: time.Minute, Shield: define.Shield{On: true, Pool: 500}, Charges: define.Charges{N: 3}},
			buff.Spec{ID: "secret", Duration: time.Minute, Client: define.Client{Sync: define.SyncOwner}},
		)
		for id := range buff.OwnerID(3) {
			require.NoError(t, s.e.Spawn(id+1, nil))
		}
		if d.Cmd == "bars" {
			s.srv = New(s.e, Options{Attributes: attributesSent})
		} else {
			s.srv = New(s.e, Options{})
		}
		var err error
		s.v, err = s.srv.Join(1)
		require.NoError(t, err)
		var out strings.Builder
		for line := range strings.Lines(d.Input) {
			line = strings.TrimSpace(line)
			fmt.Fprintf(&out, "> %s\n%s", line, s.do(t, line))
		}
		return out.String()
	})
}

func (s *story) do(t *testing.T, line string) string {
	var verb, what string
	var id buff.OwnerID
	_, _ = fmt.Sscan(line, &verb, &id, &what) // missing arguments are zero
	switch verb {
	case "see":
		require.NoError(t, s.v.See(id))
	case "unsee":
		s.v.Unsee(id)
	case "add":
		s.last = s.e.AddBuff(id, buff.Application{Spec: s.e.Catalog().Spec(what), Source: id}).Handle
	case "damage":
		require.NoError(t, s.e.Do(buff.AddBase(id, s.e.Catalog().MustAttr("health"), -12.5)).Failure)
	case "absorb":
		require.NoError(t, s.e.Do(buff.Absorb(id, 120, 0)).Failure)
	case "pause":
		require.NoError(t, s.e.Do(buff.Pause(id)).Failure)
	case "resume":
		require.NoError(t, s.e.Do(buff.Resume(id)).Failure)
	case "remove":
		require.NoError(t, s.e.Do(buff.Remove(s.last)).Failure)
	case "kill":
		require.NoError(t, s.e.Do(buff.Kill(id)).Failure)
	case "missed":
		require.NoError(t, s.v.Receive(s.c.Missed()))
	// the argument is in milliseconds; the packet arrives, is lost, or is not taken
	case "tick", "lose", "wait":
		s.e.Tick(time.Duration(id) * time.Millisecond)
		if s.srv.Update(); verb != "wait" {
			return s.packet(t, verb == "lose")
		}
	default:
		t.Fatalf("%q is not known", line)
	}
	return ""
}

func (s *story) packet(t *testing.T, lost bool) string {
	p := s.v.Append(nil)
	if len(p) == 0 {
		return "nothing\n"
	}
	said := ""
	if lost {
		said = ", lost"
	} else if err := s.c.Receive(p); err != nil {
		said = ", client error: " + err.Error()
	}
	r := &printer{p: p}
	text := r.packet()
	require.Empty(t, r.p, "the packet is decoded to its end")
	return fmt.Sprintf("%d bytes%s: %s", len(p), said, text)
}

// printer decodes a packet as docs/protocol.md describes it.
type printer struct{ p []byte }

func (r *printer) number() uint64 {
	v, n := binary.Uvarint(r.p)
	r.p = r.p[n:]
	return v
}

func (r *printer) signed() int64 {
	v, n := binary.Varint(r.p)
	r.p = r.p[n:]
	return v
}

func (r *printer) byte() byte {
	b := r.p[0]
	r.p = r.p[1:]
	return b
}

func (r *printer) packet() string {
	var out strings.Builder
	if r.byte() == 0x11 {
		fmt.Fprintf(&out, "repair %d after %d", r.number(), r.number())
	} else {
		fmt.Fprintf(&out, "packet %d", r.number())
	}
	fmt.Fprintf(&out, " at %d ms\n", r.number())
	for len(r.p) > 0 {
		n := r.number()
		switch n & 3 {
		case 0:
			fmt.Fprintf(&out, "  local %d changes\n", n>>2)
			r.records(&out)
		case 1:
			fmt.Fprintf(&out, "  local %d is owner %d\n", n>>2, r.number())
			r.records(&out)
		case 2:
			fmt.Fprintf(&out, "  local %d leaves\n", n>>2)
		default:
			switch n >> 2 {
			case 0:
				r.p = r.p[8:]
				out.WriteString("  the fingerprint of the definitions\n")
			case 1:
				fmt.Fprintf(&out, "  %d ms later\n", r.number())
			case 3:
				size := r.number()
				fmt.Fprintf(&out, "  attribute %d is %q in steps of %v\n", r.p[0], r.p[10:size], math.Float64frombits(binary.LittleEndian.Uint64(r.p[1:])))
				r.p = r.p[size:]
			case 2:
				size := r.number()
				fmt.Fprintf(&out, "  definition of %d bytes, number %d\n", size, r.p[0])
				r.p = r.p[size:]
			}
		}
	}
	return out.String()
}

func (r *printer) records(out *strings.Builder) {
	for n := r.number(); n > 0; n-- {
		slot, mask := r.number(), r.byte()
		switch {
		case slot == 0 && mask == 2:
			fmt.Fprintf(out, "    attribute %d: %d steps\n", r.number(), r.signed())
			continue
		case slot == 0:
			fmt.Fprintf(out, "    dead %d\n", mask)
			continue
		case mask == 0:
			fmt.Fprintf(out, "    slot %d ends\n", slot-1)
			continue
		}
		fmt.Fprintf(out, "    slot %d:", slot-1)
		if mask&0x80 != 0 {
			fmt.Fprintf(out, " new, definition %d of source %d", r.number(), r.number())
		}
		if mask&0x01 != 0 {
			r.time(out)
		}
		for _, f := range []struct {
			bit  byte
			name string
		}{{0x02, "stacks"}, {0x04, "power"}, {0x08, "charges"}, {0x10, "shield"}, {0x20, "hidden"}, {0x40, "waiting"}} {
			if mask&f.bit != 0 {
				fmt.Fprintf(out, " %s %d", f.name, r.number())
			}
			if mask&f.bit == 0x04 {
				fmt.Fprintf(out, " level %d", r.number())
			}
		}
		out.WriteString("\n")
	}
}

func (r *printer) time(out *strings.Builder) {
	switch n := r.number(); n & 3 {
	case 0:
		out.WriteString(" no end")
	case 1:
		fmt.Fprintf(out, " ends in %d ms", n>>2)
	case 2:
		fmt.Fprintf(out, " ends in %d ms at rate %d/%d", int64(n>>2)-1, r.number(), r.number())
	default:
		fmt.Fprintf(out, " held by %d with %d ms left, rate %d/%d", r.byte(), int64(n>>2)-1, r.number(), r.number())
	}
}
