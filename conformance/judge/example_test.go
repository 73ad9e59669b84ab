package judge_test

import (
	"fmt"

	"github.com/bufftick/bufftick/conformance/judge"
)

// This example plays a scenario and prints its log.
func Example() {
	all, err := judge.Decode([]byte(`{
		"buffs": {"burn": {"duration": "5s", "period": "2s", "tail": "partial"}},
		"script": [{"at": 0, "apply": "burn"}, {"at": 9000, "tick": true}]
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	log, _ := all[0].Play()
	for _, line := range log {
		fmt.Println(line)
	}

	// Output:
	// 0 apply burn x1 end=5000
	// 2000 pulse burn x1
	// 4000 pulse burn x1
	// 5000 pulse burn x1 fraction=1000/2000
	// 5000 remove burn why=expired
}
