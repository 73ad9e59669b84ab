package journal_test

import (
	"fmt"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/journal"
)

func Example() {
	catalog, err := buff.NewCatalog(buff.Spec{ID: "haste", Duration: time.Minute})
	if err != nil {
		panic(err)
	}
	set, turn, changes := buff.NewSet(1, 0, 0, 8), &buff.Turn{Catalog: catalog}, journal.New(nil)
	set.SetJournal(changes)
	show := func() {
		for slot, what := range changes.Slots() {
			fmt.Println("slot", slot, "begun:", what&journal.Begun != 0, "time:", what&journal.Time != 0)
		}
		changes.Empty()
	}
	haste := set.Do(turn, 0, buff.Apply(1, buff.Application{Spec: catalog.Spec("haste")}))
	show()
	set.Do(turn, 1000, buff.Extend(haste.Handle, time.Minute))
	show()
	// Output:
	// slot 0 begun: true time: false
	// slot 0 begun: false time: true
}
