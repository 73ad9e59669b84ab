package main

import (
	"fmt"

	"github.com/bufftick/bufftick/bench/flood"
)

// floodCmd measures how much time the loop spends on commands from other goroutines.
type floodCmd struct {
	flood.Options `embed:""`
	Commands      int  `default:"65536" help:"commands of each kind in the first table; 0 leaves it out"`
	Alone         bool `help:"the first table only"`
}

// Run prints two tables.
func (c *floodCmd) Run(con *console) error {
	if c.Commands > 0 {
		all, err := flood.Touches(c.Commands)
		if err != nil {
			return fmt.Errorf("a full inbox: %w", err)
		}
		flood.PrintTouches(con.out, all)
		fmt.Fprintln(con.out)
	}
	if c.Alone {
		return nil
	}
	f, err := flood.Run(c.Options)
	if err != nil {
		return fmt.Errorf("a flood: %w", err)
	}
	f.Print(con.out)
	return nil
}
