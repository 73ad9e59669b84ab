package rules_test

import (
	"fmt"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/rules"
	"github.com/bufftick/bufftick/wheel"
)

// A poison hurts every 3 s for 10 s. The owner has no wheel, so the program calls Run in each
// frame.
func Example() {
	catalog, err := buff.NewCatalog(buff.Spec{
		ID:       "poison",
		Duration: 10 * time.Second,
		Period:   3 * time.Second,
		On:       define.Hooks{Pulse: []define.Action{{Do: define.DoCall, Name: "hurt"}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	player := rules.NewOwner(7, 0, 0, 100)
	life := 100
	turn := &rules.Turn{Call: func(_ *rules.Turn, c *rules.Call) reason.Reason {
		if catalog.HandlerName(c.Handler) == "hurt" {
			life -= 5 * int(c.Event.Stacks)
		}
		return reason.None
	}}

	player.Do(turn, 0, buff.Command{
		Verb:        verb.Apply,
		Application: buff.Application{Spec: catalog.Spec("poison"), Source: 9},
	})
	for now := wheel.Time(0); now <= 12_000; now += 50 { // the frames of the game
		turn.Now = now
		player.Run(turn, now, 1000)
		for _, e := range turn.Events {
			fmt.Println(e)
		}
		turn.Events = turn.Events[:0]
	}
	fmt.Println("life", life)
	// Output:
	// 0 apply poison x1 end=10000
	// 3000 pulse poison x1
	// 6000 pulse poison x1
	// 9000 pulse poison x1
	// 10000 remove poison why=expired
	// life 85
}

// A second application refreshes the duration and keeps the phase of the pulses.
func ExampleStacking_refresh() {
	play(buff.Spec{
		ID: "poison", Duration: 10 * time.Second, Period: 3 * time.Second,
		Stack: define.Stacking{By: define.ByTarget},
	}, 0, 4000)
	// Output:
	// 0 apply poison x1 end=10000
	// 3000 pulse poison x1
	// 4000 refresh poison x1 end=14000
	// 6000 pulse poison x1
	// 9000 pulse poison x1
	// 12000 pulse poison x1
	// 14000 remove poison why=expired
}

// Stacks accumulate up to a limit and expire one at a time.
func ExampleStacking_stacks() {
	play(buff.Spec{
		ID: "bleed", Duration: 5 * time.Second,
		Stack: define.Stacking{By: define.ByTarget, Limit: 2, Expire: define.ExpireOne},
	}, 0, 1000, 2000)
	// Output:
	// 0 apply bleed x1 end=5000
	// 1000 stack bleed x2
	// 1000 refresh bleed x2 end=6000
	// 2000 refresh bleed x2 end=7000
	// 7000 stackend bleed x1 why=expired end=12000
	// 12000 remove bleed why=expired
}

// play applies the buff at each of the instants and prints the events of the first 20 s.
func play(spec buff.Spec, instants ...wheel.Time) {
	catalog, err := buff.NewCatalog(spec)
	if err != nil {
		fmt.Println(err)
		return
	}
	player, turn := rules.NewOwner(7, 0, 0, 100), &rules.Turn{}
	for _, at := range instants {
		player.Run(turn, at, 1000)
		player.Do(turn, at, buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: catalog.Spec(spec.ID)}})
	}
	player.Run(turn, 20_000, 1000)
	for _, e := range turn.Events {
		fmt.Println(e)
	}
}

// A definition without Go code: it takes health depending on the power of its source, and slows its
// owner.
func ExampleBuild() {
	c, err := buff.Build(buff.Definitions{
		Attributes: []define.Attribute{
			{Attribute: stat.Attribute{Name: "health", Base: 100, Min: stat.At(0)}, AtMin: define.AtMinKill},
			{Attribute: stat.Attribute{Name: "power", Base: 10}},
			{Attribute: stat.Attribute{Name: "speed", Base: 5}},
		},
		Specs: []buff.Spec{{
			ID: "frostbite", Duration: 6 * time.Second, Period: 3 * time.Second,
			Modifiers: []define.Modifier{{Attr: "speed", Op: stat.MulAdd, Value: define.Const(-0.25)}},
			On: define.Hooks{Pulse: []define.Action{{Do: define.DoDamage, Change: &define.Change{
				Attr: "health", By: define.Number{From: define.FromAttr, Attr: "power", Of: define.OfSource, Coef: 1.5},
			}}}},
		}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	mage, player, turn := rules.NewOwner(9, 1, 0, 10), rules.NewOwner(7, 0, 0, 10), &rules.Turn{Catalog: c}
	bite := buff.Application{Spec: c.Spec("frostbite"), Source: 9}
	rules.Capture(&bite, nil, mage, c, define.SnapshotApply)
	player.Do(turn, 0, buff.Command{Verb: verb.Apply, Application: bite})
	speed, _ := c.Attr("speed")
	fmt.Println("speed", player.Attribute(c, speed))
	turn.Now = 6000
	player.Run(turn, 6000, 100)
	for _, e := range turn.Events {
		fmt.Println(e)
	}
	fmt.Println("speed", player.Attribute(c, speed))
	// Output:
	// speed 3.75
	// 0 apply frostbite x1 end=6000
	// 3000 pulse frostbite x1
	// 3000 change frostbite health by=-15 value=85
	// 6000 pulse frostbite x1
	// 6000 change frostbite health by=-15 value=70
	// 6000 remove frostbite why=expired
	// speed 5
}
