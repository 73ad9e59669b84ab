package engine_test

import (
	"context"
	"fmt"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
)

// New definitions take effect while the game runs. The setting reload of a definition says what
// happens to running buffs.
func ExampleEngine_Reload() {
	poison := buff.Spec{ID: "poison", Duration: 10 * time.Second, Period: 5 * time.Second, Reload: define.ReloadMigrate}
	catalog, err := buff.NewCatalog(poison)
	if err != nil {
		panic(err)
	}
	eng, err := engine.New(engine.Options{Catalog: catalog})
	if err != nil {
		panic(err)
	}
	defer eng.Close(context.Background())
	if err := eng.Spawn(7, nil); err != nil {
		panic(err)
	}
	eng.AddBuff(7, buff.Application{Spec: catalog.Spec("poison")})
	eng.Tick(time.Second)

	poison.Period = 2 * time.Second
	next, err := catalog.Next(poison) // catalog.Reload does the same for files
	if err != nil {
		panic(err)
	}
	report, err := eng.Reload(next)
	if err != nil {
		panic(err)
	}
	fmt.Println(report)
	for range 10 {
		for e := range eng.Tick(time.Second).Events() {
			fmt.Println(e)
		}
	}
	// Output:
	// changed poison, 1 live: migrate
	// 2000 refresh poison x1 end=10000
	// 5000 pulse poison x1
	// 7000 pulse poison x1
	// 9000 pulse poison x1
	// 10000 remove poison why=expired
}
