package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/bufftick/bufftick/replicate/client"
)

// play joins under a name, sends the typed lines, and prints the answers and events. After each
// change it prints the health and buffs of all players.
func play(addr, name string, typed io.Reader) error {
	n, err := net.Dial("tcp", addr)
	if err != nil {
		return err
	}
	go func() {
		defer n.Close()
		_, _ = io.Copy(n, io.MultiReader(strings.NewReader("join "+name+"\n"), typed))
	}()
	screen := client.New(client.Options{})
	for in := json.NewDecoder(n); ; {
		var m message
		if err := in.Decode(&m); errors.Is(err, net.ErrClosed) {
			return nil // the input has ended
		} else if err != nil {
			return err
		}
		fmt.Print(m.Text)
		if m.Packet == nil {
			continue
		}
		if err := screen.Receive(m.Packet); err != nil {
			return err
		}
		for o := range screen.Owners() {
			fmt.Println(" ", o.ID(), "has", o.Attributes())
			for _, b := range o.Buffs() {
				left, _ := b.Left(screen.Now()) // a real client adds the time since the last packet
				fmt.Printf("  %d has %s x%d, %d ms left\n", o.ID(), screen.Spec(b.Spec).ID, b.Stacks, left)
			}
		}
	}
}
