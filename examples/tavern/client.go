package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/bufftick/bufftick/replicate/client"
	"github.com/bufftick/bufftick/wheel"
)

// screen is the client of a player: its connection and a copy of the visible buffs.
type screen struct {
	net   net.Conn
	state *client.Client
	at    time.Time // local time of the last packet
}

// now returns the server's time, which is the time in the last packet plus the time since the
// arrival of this packet.
func (s *screen) now() wheel.Time {
	return s.state.Now() + wheel.Time(time.Since(s.at).Milliseconds())
}

func (s *screen) say(line string) error { return writeMessage(s.net, text, []byte(line)) }

// take handles one message. If the message is a line of text, "take" returns the line.
func (s *screen) take(kind byte, body []byte) (line string, err error) {
	if kind == text {
		return string(body), nil
	}
	s.at = time.Now()
	if err = s.state.Receive(body); errors.Is(err, client.ErrGap) {
		err = writeMessage(s.net, missed, s.state.Missed())
	}
	return "", err
}

// play joins under a name, sends the typed lines and prints the received lines.
func play(addr, name string, in io.Reader, out io.Writer) error {
	n, err := net.Dial("tcp", addr)
	if err != nil {
		return err
	}
	s := &screen{net: n, state: client.New(client.Options{})}
	if err := s.say("join " + name); err != nil {
		return err
	}
	defer n.Close()
	go func() {
		for lines := bufio.NewScanner(in); lines.Scan(); {
			if s.say(lines.Text()) != nil {
				break
			}
		}
		n.Close()
	}()
	for {
		kind, body, err := readMessage(n, fromServer)
		if errors.Is(err, net.ErrClosed) {
			return nil // the input has ended
		} else if err != nil {
			return err
		}
		line, err := s.take(kind, body)
		if err != nil {
			return err
		}
		if line != "" {
			fmt.Fprintln(out, line)
		}
	}
}
