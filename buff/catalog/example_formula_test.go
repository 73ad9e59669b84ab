package catalog_test

import (
	"fmt"

	"github.com/bufftick/bufftick/buff/catalog"
)

// A formula is checked when it is loaded, against the attributes that there are, and tried: what
// divides by zero on a new character is an error too.
func ExampleParse_formulas() {
	const sheet = `
attributes: {health: {base: 100, min: 0}, armour: {base: 0}}
buffs:
  strike: {duration: instant, on: {exec: [{damage: {attr: health, by: {formula: %q}}}]}}
`
	for _, formula := range []string{
		"owner.health < 30 ? 60 : 20",
		"10 + source.helth / 2",
		"100 / owner.armour",
	} {
		_, err := catalog.Parse("sheet.yaml", fmt.Appendf(nil, sheet, formula))
		fmt.Println(err)
	}
	// Output:
	// <nil>
	// sheet.yaml:4:94: buff "strike": on.exec[0].damage.by.formula: no attribute "helth": did you mean "health"?
	//    4 |   strike: {duration: instant, on: {exec: [{damage: {attr: health, by: {formula: "10 + source.helth / 2"}}}]}}
	//      |                                                                                              ^
	// sheet.yaml:4:81: buff "strike": on.exec[0].damage.by.formula: gives +Inf at level 0 with all attributes at their bases: want a number within ±1e+300; is something divided by zero?
	//    4 |   strike: {duration: instant, on: {exec: [{damage: {attr: health, by: {formula: "100 / owner.armour"}}}]}}
	//      |                                                                                 ^
}
