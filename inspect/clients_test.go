package inspect_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// clientsOf is the environment variable that makes the test binary act as clients of a server.
// Its value is the address of the server.
const clientsOf = "BUFFTICK_TEST_CLIENTS_OF"

// clients controls a process that acts as clients.
type clients struct {
	t  testing.TB
	in io.Writer
	// The process answers each command with a line.
	out *bufio.Scanner
}

// startClients starts a process of clients, which ends with the test.
func startClients(t testing.TB, addr string) *clients {
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command("nice", "-n", "19", self)
	cmd.Env = append(os.Environ(), clientsOf+"="+addr, "GOMAXPROCS=1")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		in.Close()
		require.NoError(t, cmd.Wait())
	})
	return &clients{t: t, in: in, out: bufio.NewScanner(out)}
}

// say sends a command to the process, and waits until it is executed.
func (c *clients) say(command string) string {
	_, err := fmt.Fprintln(c.in, command)
	require.NoError(c.t, err)
	require.True(c.t, c.out.Scan(), "the clients are gone")
	return c.out.Text()
}

// beClients is the main function of the process. It executes the commands in its standard input.
func beClients(addr string) {
	b := band{addr: addr}
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		kind, n := "", 0
		_, _ = fmt.Sscan(in.Text(), &kind, &n)
		switch kind {
		case "watch":
			b.add(n, askStream, true)
		case "flood":
			b.add(n, askStream, false)
			b.add(n, askStream[:40], false)
			b.churn(8)
		case "stop":
			b.end()
		}
		fmt.Println("done", in.Text(), len(b.conns))
	}
	b.end()
}

const askStream = "GET /?stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"

// band is a group of clients.
type band struct {
	addr  string
	conns []net.Conn
	stop  chan struct{}
	at    sync.WaitGroup
}

// add adds n clients that send a text. If reads is true, they read the response.
func (b *band) add(n int, send string, reads bool) {
	for range n {
		c, err := net.Dial("tcp", b.addr)
		if err != nil {
			continue
		}
		_ = c.(*net.TCPConn).SetLinger(0)
		if !reads {
			_ = c.(*net.TCPConn).SetReadBuffer(4096)
		}
		_, _ = io.Copy(c, strings.NewReader(send))
		b.conns = append(b.conns, c)
		if reads {
			b.at.Go(func() { _, _ = io.Copy(io.Discard, c) })
		}
	}
}

// churn starts n clients that connect and disconnect 200 times a second each, until end is
// called.
func (b *band) churn(n int) {
	b.stop = make(chan struct{})
	for range n {
		b.at.Go(func() {
			tick := time.NewTicker(5 * time.Millisecond)
			defer tick.Stop()
			for {
				select {
				case <-b.stop:
					return
				case <-tick.C:
				}
				if c, err := net.Dial("tcp", b.addr); err == nil {
					_ = c.(*net.TCPConn).SetLinger(0)
					_, _ = io.WriteString(c, "GET /deb")
					c.Close()
				}
			}
		})
	}
}

// end disconnects all clients.
func (b *band) end() {
	if b.stop != nil {
		close(b.stop)
	}
	for _, c := range b.conns {
		c.Close()
	}
	b.at.Wait()
	b.conns, b.stop = nil, nil
}
