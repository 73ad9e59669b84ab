package define_test

import (
	"fmt"

	"github.com/bufftick/bufftick/buff/define"
)

// A rule is written as its word, and read from it.
func Example() {
	var r define.Refresh
	fmt.Println(r.UnmarshalText([]byte("pandemic")), r == define.RefreshPandemic, r)
	fmt.Println(r.UnmarshalText([]byte("extent")))
	// Output:
	// <nil> true pandemic
	// unknown word "extent": want restart, none, extend, pandemic, max or residual_tick: did you mean "extend"?
}

// A number may go by the level of the application.
func ExampleCurve() {
	c, err := define.NewCurve("damage", define.Point{Level: 1, Value: 10}, define.Point{Level: 11, Value: 60})
	if err != nil {
		panic(err)
	}
	n := define.Number{From: define.FromCurve, Curve: c}
	fmt.Println(n.Curve.At(1), n.Curve.At(3), n.Curve.At(99))
	// Output: 10 20 60
}
