package js_test

import (
	"fmt"
	"io/fs"

	"github.com/bufftick/bufftick/replicate/js"
)

func Example() {
	fmt.Println(fs.Glob(js.Files, "*.js"))
	// Output: [client.js predict.js] <nil>
}
