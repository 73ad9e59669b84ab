package client_test

import (
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/bufftick/bufftick/replicate/client"
)

// A packet arrives, but the previous packet was lost. The client requests the missing state.
func ExampleClient_Receive() {
	c := client.New(client.Options{})
	for _, text := range []string{
		"1001e80701050101800507", // owner 5 enters the view with one buff
		"1003d00f0001010203",     // packet 3; packet 2 was lost
	} {
		message, err := hex.DecodeString(text)
		if err != nil {
			panic(err)
		}
		err = c.Receive(message)
		if errors.Is(err, client.ErrGap) {
			fmt.Printf("send %x\n", c.Missed())
		} else if err != nil {
			panic(err)
		}
		fmt.Println(c.Now(), len(c.Owner(5).Buffs()))
	}
	// Output:
	// 00:00:01.000 1
	// send 2001
	// 00:00:01.000 1
}
