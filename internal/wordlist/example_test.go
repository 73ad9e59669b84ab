package wordlist_test

import (
	"fmt"

	"github.com/bufftick/bufftick/internal/wordlist"
)

type colour uint8

var colours = []string{"red", "green", "blue"}

func (c colour) String() string { return wordlist.Word(colours, c) }

func Example() {
	var c colour
	fmt.Println(wordlist.Parse(&c, colours, []byte("green")), c, colour(7))
	fmt.Println(wordlist.Parse(&c, colours, []byte("grean")))
	fmt.Println(wordlist.All(colour(2)))
	// Output:
	// <nil> green wordlist_test.colour(7)
	// unknown word "grean": want red, green or blue: did you mean "green"?
	// [red green blue]
}
