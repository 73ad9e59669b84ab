package sheet_test

import (
	"fmt"

	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/internal/rules/sheet"
)

// A blessing raises the maximum, so that there is room to heal. When the blessing ends, all values
// are as before.
func Example() {
	schema, err := stat.NewSchema(
		stat.Attribute{Name: "health", Base: 100, Min: stat.At(0), Max: stat.By("max_health")},
		stat.Attribute{Name: "max_health", Base: 100},
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	health, _ := schema.Attr("health")
	most, _ := schema.Attr("max_health")

	s := sheet.New(sheet.Compile(schema), 0)
	blessing, err := s.Add(stat.Modifier{Attr: most, Op: stat.MulAdd, Value: 0.5})
	if err != nil {
		fmt.Println(err)
		return
	}
	by, _ := s.AddBase(health, -30)
	fmt.Println("hurt by", by)
	by, _ = s.AddBase(health, 500)
	fmt.Println("healed by", by)
	fmt.Println(s.Value(health), "of", s.Value(most))

	s.Remove(blessing)
	fmt.Println(s.Value(health), "of", s.Value(most))
	// Output:
	// hurt by -30
	// healed by 80
	// 150 of 150
	// 100 of 100
}

// Two buffs of +50 % are either added together or multiplied.
func ExampleSheet_Add() {
	schema, _ := stat.NewSchema(stat.Attribute{Name: "speed", Base: 100}, stat.Attribute{Name: "power", Base: 100})
	s := sheet.New(sheet.Compile(schema), 0)
	const speed, power = 1, 2
	for buff := range uint64(2) {
		_, _ = s.Add(stat.Modifier{Attr: speed, Op: stat.MulAdd, Value: 0.5, Of: buff})
		_, _ = s.Add(stat.Modifier{Attr: power, Op: stat.MulCompound, Value: 0.5, Of: buff})
	}
	fmt.Println(s.Value(speed), s.Value(power))
	fmt.Println(s.RemoveAll(1), "modifiers were of buff 1")
	fmt.Println(s.Value(speed), s.Value(power))
	// Output:
	// 200 225
	// 2 modifiers were of buff 1
	// 150 150
}
