package verb_test

import (
	"fmt"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/verb"
)

func Example() {
	for _, c := range []buff.Command{buff.Kill(7), buff.Pause(8)} {
		switch c.Verb {
		case verb.Kill:
			fmt.Println(c.Owner, "dies")
		case verb.Pause:
			fmt.Println(c.Verb, c.Owner)
		}
	}
	// Output:
	// 7 dies
	// pause 8
}
