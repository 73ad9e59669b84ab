package rules

import (
	"fmt"
	"os"
	"reflect"
	"testing"
	"time"
	"unsafe"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/rules/slots"
	"github.com/bufftick/bufftick/wheel"
	"github.com/stretchr/testify/require"
)

// work holds an Owner with its Turn. The test decides when Run is called.
type work struct {
	set  *Owner
	turn Turn
	now  wheel.Time
	spec *buff.Spec
}

func newWork(t testing.TB, spec buff.Spec) *work {
	c, err := buff.NewCatalog(spec)
	require.NoError(t, err)
	w := &work{set: NewOwner(1, 1, 0, buff.MaxPerOwner), spec: c.Spec(spec.ID)}
	w.turn.Call = func(*Turn, *Call) reason.Reason { return reason.None }
	return w
}

func (w *work) do(c buff.Command) buff.Result {
	r := w.set.Do(&w.turn, w.now, c)
	w.done()
	return r
}

func (w *work) apply() buff.Handle {
	return w.do(buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: w.spec, Source: 2}}).Handle
}

// pass advances the time by ms.
func (w *work) pass(ms wheel.Time) {
	w.now += ms
	w.turn.Now = w.now
	w.set.Run(&w.turn, w.now, 1<<30)
	w.done()
}

func (w *work) done() {
	w.turn.Events = w.turn.Events[:0]
	w.turn.Deadlines = w.turn.Deadlines[:0]
}

// TestAllocations checks that no operation allocates once the memory has grown to its final size.
func TestAllocations(t *testing.T) {
	none := func(name string, f func()) {
		t.Helper()
		f() // fills the slices
		require.Zero(t, testing.AllocsPerRun(200, f), name)
	}
	poison := buff.Spec{
		ID: "p", Duration: time.Hour, Period: 100 * time.Millisecond,
		On: define.Hooks{Apply: []define.Action{{Do: define.DoCall, Name: "h"}}, Pulse: []define.Action{{Do: define.DoCall, Name: "h"}}, RemoveAny: []define.Action{{Do: define.DoCall, Name: "h"}}},
	}

	w := newWork(t, poison)
	none("apply and remove", func() {
		w.do(buff.Command{Verb: verb.Remove, Handle: w.apply()})
		w.pass(0)
	})

	w = newWork(t, poison)
	w.apply()
	none("pulse", func() { w.pass(100) })
	require.Equal(t, wheel.Time(100), w.set.Next()-w.now, "it pulsed")

	poison.Stack = define.Stacking{By: define.ByTarget}
	w = newWork(t, poison)
	w.apply()
	none("refresh", func() { w.apply() })

	poison.Stack = define.Stacking{By: define.BySource, Limit: define.MaxStacks}
	w = newWork(t, poison)
	w.apply()
	none("stack", func() { w.apply() })
	require.Greater(t, int(w.set.slot(0).describe().Stacks), 200)

	// An error for a stale handle or a full owner is one small object. Its text is formatted only
	// on request.
	gone := w.apply()
	w.do(buff.Command{Verb: verb.Remove, Handle: gone})
	var err error
	require.LessOrEqual(t, testing.AllocsPerRun(200, func() { err = w.do(buff.Command{Verb: verb.Remove, Handle: gone}).Failure }), 1.0)
	require.ErrorIs(t, err, buff.ErrStale)
	require.EqualError(t, err, buff.ErrStale.Error()+": "+gone.String())
	w.apply()
	full := newWork(t, buff.Spec{ID: "p", Duration: time.Hour})
	full.set = NewOwner(1, 1, 0, 1)
	full.apply()
	require.LessOrEqual(t, testing.AllocsPerRun(200, func() {
		err = full.do(buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: full.spec, Source: 3}}).Failure
	}), 1.0)
	require.EqualError(t, err, buff.ErrFull.Error()+": 1 buffs on owner 1")

	stacks := 0
	none("All", func() {
		for i := range w.set.All() {
			stacks += i.Stacks
		}
	})
	require.NotZero(t, stacks)

	w = newWork(t, poison)
	none("timeout", func() {
		w.do(buff.Command{Verb: verb.AddTimeout, Handler: 1, By: time.Second, Name: "t"})
		w.pass(1000)
		require.Zero(t, w.set.Timeouts())
	})
}

// TestOwner_MemorySize checks that an owner with 20 idle plain buffs takes 1.8 KB.
func TestOwner_MemorySize(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	for what, size := range map[string]uintptr{"an Owner": unsafe.Sizeof(Owner{}), "record": unsafe.Sizeof(record{}), "extra": unsafe.Sizeof(extra{})} {
		require.Contains(t, string(doc), fmt.Sprintf("%s, %d bytes", what, size))
	}
	require.Contains(t, string(doc), "keys, 10 bytes each")
	for f := range reflect.TypeFor[record]().Fields() {
		require.NotContains(t, []reflect.Kind{reflect.Pointer, reflect.Slice, reflect.Interface, reflect.String, reflect.Map, reflect.Func}, f.Type.Kind(), "%s: the collector looks for nothing in records", f.Name)
	}
	require.LessOrEqual(t, unsafe.Sizeof(magnitudes{}), uintptr(80), "as doc.go says")
	require.LessOrEqual(t, unsafe.Sizeof(buff.Event{}), uintptr(160))

	w := newWork(t, buff.Spec{ID: "p", Duration: time.Hour, Period: time.Second})
	for range 20 {
		w.apply()
	}
	s := w.set
	size := unsafe.Sizeof(*s) +
		uintptr(slots.Bytes(20)) + uintptr(cap(s.timeouts().all()))*unsafe.Sizeof(timeout{})
	require.Nil(t, s.rare)
	require.True(t, s.agenda.Empty(), "they are the Turn's")
	require.Nil(t, s.gates())
	t.Logf("a Set of 20 buffs: %d bytes", size)
	require.LessOrEqual(t, size, uintptr(1784))
}

// TestCall_Forget checks that a finished call holds no pointers, including in fields that are added
// later.
func TestCall_Forget(t *testing.T) {
	var pointing func(v reflect.Value) (fields, set []string)
	pointing = func(v reflect.Value) (fields, set []string) {
		for k := range v.NumField() {
			switch f, name := v.Field(k), v.Type().Field(k).Name; f.Kind() {
			case reflect.Struct:
				more, those := pointing(f)
				fields, set = append(fields, more...), append(set, those...)
			case reflect.Bool, reflect.Float64, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
			default:
				if fields = append(fields, name); !f.IsZero() {
					set = append(set, name)
				}
			}
		}
		return fields, set
	}
	c := waitingCall{event: buff.Event{Spec: &buff.Spec{}, Name: "storm"}, Call: Call{Event: &buff.Event{}, Do: func() {}}}
	fields, set := pointing(reflect.ValueOf(c))
	require.Equal(t, fields, set, "another field of a Call points to something: set it here, and see that it is forgotten")
	c.forget()
	_, set = pointing(reflect.ValueOf(c))
	require.Empty(t, set)
}
