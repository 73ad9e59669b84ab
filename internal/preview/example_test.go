package preview_test

import (
	"fmt"

	"github.com/bufftick/bufftick/buff/catalog"
	"github.com/bufftick/bufftick/internal/preview"
)

// A poison is applied again after 4 s: the new stack extends the duration, and the pulses keep
// their schedule.
func ExampleRun() {
	defs, err := catalog.Parse("poison.yaml", []byte(`
buffs:
  poison: {duration: 10s, period: 3s, stack: {by: source, limit: 5}}
`))
	if err != nil {
		panic(err)
	}
	line, err := preview.Run(defs, preview.Script{ID: "poison", Steps: []preview.Step{
		{At: 0, Do: preview.Apply},
		{At: 4000, Do: preview.Apply},
	}})
	if err != nil {
		panic(err)
	}
	fmt.Print(line.Text(60))
	// Output:
	// poison: lasts 10s, pulses every 3s, 5 stacks by source, refresh restart
	//
	//        0s        3s        6s        9s        12s
	//        ╵         ╵         ╵         ╵         ╵
	// script A            A
	//                     ⇧
	// poison ┣━━━━━━━━━●━━━━━━━━━●━━━━━━━━━●━━━━━━━━━●━━━━━━┫
	//        1            2
	//
	// A apply   ┣ applied   ● pulse   ┫ expired
	// ⇧ more stacks, refreshed
	//
	// poison 0s to 14s, expired: 4 pulses, 7 stacks in total
}
