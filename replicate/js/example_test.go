package js_test

import (
	"fmt"
	"strings"

	"github.com/bufftick/bufftick/replicate/js"
)

func Example() {
	fmt.Println(strings.Contains(js.Client, "export class Client"), len(js.Client) < 10<<10)
	// Output: true true
}
