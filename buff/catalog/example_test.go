package catalog_test

import (
	"fmt"

	"github.com/bufftick/bufftick/buff/catalog"
)

// A definition from a text.
func ExampleParse() {
	cat, err := catalog.Parse("venom.yaml", []byte(`
buffs:
  venom:
    duration: 12s
    period: 3s
    stack: {by: source, limit: 5, refresh: pandemic}
    on: {pulse: [{call: hurt}]}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	venom := cat.Spec("venom")
	fmt.Println(venom, "lives", venom.Duration, "and pulses every", venom.Period)
	fmt.Println("up to", venom.Stack.Limit, "stacks by", venom.Stack.By)
	fmt.Println("handlers to write:", cat.Handlers())
	// Output:
	// venom lives 12s and pulses every 3s
	// up to 5 stacks by source
	// handlers to write: [hurt]
}

// Every mistake is reported at once, each with a caret under its place.
func ExampleErrors() {
	_, err := catalog.Parse("venom.yaml", []byte(`buffs:
  venom:
    duration: 12
    perod: 3s
    stack: {by: sauce, limit: 0}
    on: {remove: {expired: [{apply: venon}]}}
`))
	fmt.Println(err)
	// Output:
	// venom.yaml:3:15: buff "venom": duration: "12" has no unit: want instant, infinite or a span such as 12s, 1500ms, 30m or 36h
	//    3 |     duration: 12
	//      |               ^
	// venom.yaml:4:5: buff "venom": unknown field "perod": did you mean "period"?
	//    4 |     perod: 3s
	//      |     ^
	// venom.yaml:5:17: buff "venom": stack.by: unknown word "sauce": want none, source, target or key
	//    5 |     stack: {by: sauce, limit: 0}
	//      |                 ^
	// venom.yaml:5:31: buff "venom": stack.limit: must be at least 1, not 0
	//    5 |     stack: {by: sauce, limit: 0}
	//      |                               ^
	// venom.yaml:6:37: buff "venom": on.remove.expired[0].apply: no definition "venon": did you mean "venom"?
	//    6 |     on: {remove: {expired: [{apply: venon}]}}
	//      |                                     ^
}
