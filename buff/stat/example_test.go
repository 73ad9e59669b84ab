package stat_test

import (
	"fmt"

	"github.com/bufftick/bufftick/buff/stat"
)

// A blessing raises the maximum, and with it there is room to heal. When the blessing
// ends, everything is as if it had never been.
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

	sheet := stat.NewSheet(schema, 0)
	blessing, err := sheet.Add(stat.Modifier{Attr: most, Op: stat.MulAdd, Value: 0.5})
	if err != nil {
		fmt.Println(err)
		return
	}
	by, _ := sheet.AddBase(health, -30)
	fmt.Println("hurt by", by)
	by, _ = sheet.AddBase(health, 500)
	fmt.Println("healed by", by)
	fmt.Println(sheet.Value(health), "of", sheet.Value(most))

	sheet.Remove(blessing)
	fmt.Println(sheet.Value(health), "of", sheet.Value(most))
	// Output:
	// hurt by -30
	// healed by 80
	// 150 of 150
	// 100 of 100
}

// Two buffs of +50 %: added together, or one on top of the other.
func ExampleOp() {
	schema, _ := stat.NewSchema(stat.Attribute{Name: "speed", Base: 100}, stat.Attribute{Name: "power", Base: 100})
	sheet := stat.NewSheet(schema, 0)
	const speed, power = 1, 2
	for buff := range uint64(2) {
		_, _ = sheet.Add(stat.Modifier{Attr: speed, Op: stat.MulAdd, Value: 0.5, Of: buff})
		_, _ = sheet.Add(stat.Modifier{Attr: power, Op: stat.MulCompound, Value: 0.5, Of: buff})
	}
	fmt.Println(sheet.Value(speed), sheet.Value(power))
	fmt.Println(sheet.RemoveAll(1), "modifiers were of buff 1")
	fmt.Println(sheet.Value(speed), sheet.Value(power))
	// Output:
	// 200 225
	// 2 modifiers were of buff 1
	// 150 150
}
