package stat_test

import (
	"fmt"

	"github.com/bufftick/bufftick/buff/stat"
)

// Health has a maximum that is an attribute itself, so that a buff can raise it.
func Example() {
	schema, err := stat.NewSchema(
		stat.Attribute{Name: "health", Base: 100, Min: stat.At(0), Max: stat.By("max_health")},
		stat.Attribute{Name: "max_health", Base: 100},
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	for a, d := range schema.All() {
		fmt.Println(a, d.Name, d.Base, "from", d.Min, "to", d.Max)
	}

	_, err = stat.NewSchema(stat.Attribute{Name: "health", Base: 120, Max: stat.At(100)}, stat.Attribute{Name: "mana", Max: stat.By("max_mana")})
	fmt.Println(err)
	// Output:
	// 1 health 100 from 0 to max_health
	// 2 max_health 100 from none to none
	// attribute "health": base: 120 is above the max, 100
	// attribute "mana": max: no attribute "max_mana"
}
