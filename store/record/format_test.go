package record_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/record"
	"github.com/bufftick/bufftick/store/storetest"
)

var writeGolden = flag.Bool("golden.write", false, "write the golden files of this version")

// golden returns the cut in testdata/cut-v1.bin. Do not change it, because a later version of the
// format needs another file.
func golden() *store.Cut {
	return &store.Cut{
		Head: store.Head{
			Zone: "arena/ü", Epoch: 3, Frame: 12345,
			Clocks: store.Clocks{
				Moment: buff.Moment{Now: 617_250, Wall: 1_795_330_800_123, Uptime: 86_400_000},
				Areas:  []store.AreaClock{{Number: 2, Paused: true}, {Number: 1 << 31, Rate: buff.Ratio{Num: 1, Den: 3}}},
			},
			Window: 3, Older: []buff.OwnerID{8, 77}, State: []byte{0, 255}, Data: []byte("rain"),
		},
		Owners: []store.Owner{
			{ID: 0, Frame: 12345},
			{ID: 7, Frame: 12345, Blob: []byte("blob of 7"), Data: []byte("health 85")},
			{ID: 8, Frame: 12001, Data: []byte("busy"), Older: true},
			{ID: 1<<64 - 1, Frame: 1, Blob: bytes.Repeat([]byte{0xA5}, 300)},
		},
		Commands: []store.CommandID{{1, 2, 3}, {15: 9}, {0xFF}},
	}
}

// TestGolden checks that the bytes of version 1 stay the same and can be read.
func TestGolden(t *testing.T) {
	const file = "testdata/cut-v1.bin"
	b := record.AppendCut(nil, golden())
	if *writeGolden {
		require.NoError(t, os.WriteFile(file, b, 0o600))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	cut, err := record.ParseCut(want)
	require.NoError(t, err)
	require.NoError(t, storetest.Differ(cut, golden()))
	require.True(t, bytes.Equal(want, b), "this version writes other bytes: give them another number")
}

// TestCutDamaged flips each bit of a cut, truncates it at each length, and appends a byte. Each
// change must cause an error that names a place.
func TestCutDamaged(t *testing.T) {
	sound := record.AppendCut(nil, golden())
	refuse := func(b []byte, what string, n int) {
		_, err := record.ParseCut(b)
		damage, ok := errors.AsType[*store.DamageError](err)
		require.True(t, ok && damage.Place != "" || errors.Is(err, store.ErrForeign), "%s %d: %v", what, n, err)
	}
	for at := range sound {
		for bit := range 8 {
			b := bytes.Clone(sound)
			b[at] ^= 1 << bit
			refuse(b, "byte", at)
		}
		refuse(sound[:at], "length", at)
	}
	refuse(append(bytes.Clone(sound), 0), "length", len(sound)+1)
}

// records returns the records of a cut.
func records(b []byte) (out [][]byte) {
	b = b[len("bufftick cut\n"):]
	for len(b) > 0 {
		n := int(b[2])<<24 | int(b[3])<<16 | int(b[4])<<8 | int(b[5])
		out, b = append(out, b[:n]), b[n:]
	}
	return out
}

// TestRecordsMissing removes, duplicates and moves valid records.
func TestRecordsMissing(t *testing.T) {
	sound := record.AppendCut(nil, golden())
	list := records(sound)
	require.Len(t, list, 1+4+1+1)
	join := func(list ...[]byte) []byte { return append([]byte("bufftick cut\n"), bytes.Join(list, nil)...) }
	require.Equal(t, sound, join(list...))
	for k := range list {
		less := append(append([][]byte{}, list[:k]...), list[k+1:]...)
		_, err := record.ParseCut(join(less...))
		require.ErrorIs(t, err, store.ErrDamaged, "without record %d", k)
		twice := append(append([][]byte{}, list[:k+1]...), list[k:]...)
		_, err = record.ParseCut(join(twice...))
		require.ErrorIs(t, err, store.ErrDamaged, "record %d twice", k)
	}
	// A record of an older cut.
	old := record.AppendOwner(nil, 12000, &store.Owner{ID: 7, Data: []byte("health 90")})
	_, err := record.ParseCut(join(list[0], list[1], old, list[3], list[4], list[5], list[6]))
	require.ErrorIs(t, err, store.ErrDamaged)
	require.ErrorContains(t, err, "the sum")
}

// TestFormatLimits checks the limits that are part of the format.
func TestFormatLimits(t *testing.T) {
	require.Equal(t, [...]int{200, 16 << 20, 1 << 20}, [...]int{store.MaxName, store.MaxBytes, store.MaxWindow})
}

// TestReaderErrors checks the record and the values in errors of a Reader.
func TestReaderErrors(t *testing.T) {
	const rest = "; nothing has been changed: restore a copy, or list the intact records with: bufftick cut -verify"
	says := func(err error, text string) {
		t.Helper()
		require.EqualError(t, err, "store: damaged: "+text+rest)
		require.EqualError(t, record.At(err, "world.db", ""), "store: damaged: world.db: "+text+rest, "no file")
	}
	head := golden().Head
	says(record.NewReader("b").Head(record.AppendHead(nil, &head)), `the head: it belongs to zone "arena/ü"`)
	r := record.NewReader(head.Zone)
	require.NoError(t, r.Head(record.AppendHead(nil, &head)))
	commands := record.AppendCommands(nil, 12346, []store.CommandID{{1}})
	says(r.Commands(12345, commands), "commands up to frame 12345: it is from frame 12346, the cut from frame 12345")
	says(r.Commands(12346, commands), "commands up to frame 12346: it is from frame 12346, the cut from frame 12345")
	seven := record.AppendOwner(nil, 12, &store.Owner{ID: 7})
	says(r.Owner(8, seven), "owner 8: it belongs to owner 7")
	require.NoError(t, r.Owner(7, seven))
	_, err := r.Cut(record.Sum{Owners: 2, Commands: 3, Total: 0xABC})
	says(err, fmt.Sprintf("the sum: got 1 owners, 0 commands, sum %x; want 2, 3 and abc", record.Checksum(seven)))

	o, err := record.ReadOwner(7, seven)
	require.NoError(t, err)
	require.Equal(t, store.Owner{ID: 7, Frame: 12}, o)
	_, err = record.ReadOwner(8, seven)
	says(err, "moving owner 8: it belongs to owner 7")

	short := bytes.Clone(seven)
	short[len(short)-5] = 5 // the data length is 5, but no data follows
	_, err = record.ReadOwner(7, reseal(short))
	says(err, "moving owner 7: byte 10: data: 5 entries, but only 0 bytes are left")
	_, err = record.ParseCut([]byte(record.FileMagic + "H\x01\x00\x00\x00\x02"))
	says(err, "the record at byte 13: the record has only 2 bytes")
}

// TestFuture checks that data of a later version is reported as such and not as damage.
func TestFuture(t *testing.T) {
	list := records(record.AppendCut(nil, golden()))
	for k := range list {
		later := bytes.Clone(list[k])
		later[1] = 2
		later = reseal(later)
		var err error
		r := record.NewReader("arena/ü")
		switch later[0] {
		case 'H':
			err = r.Head(later)
		case 'O':
			err = r.Owner(7, later)
		case 'C':
			err = r.Commands(1, later)
		case 'S':
			_, err = record.ReadSum(later)
		}
		require.ErrorIs(t, err, store.ErrFuture, "%c", later[0])
		require.NotErrorIs(t, err, store.ErrDamaged)
	}
	mark := record.AppendMark(nil, 5, "name")
	n, name, err := record.ReadMark(mark)
	require.NoError(t, err)
	require.Equal(t, fmt.Sprint(5, "name"), fmt.Sprint(n, name))
	mark[1] = 9
	_, _, err = record.ReadMark(reseal(mark))
	require.ErrorIs(t, err, store.ErrFuture)
}

// TestInvalidContents checks records with a valid checksum and invalid contents.
func TestInvalidContents(t *testing.T) {
	head := func(change func(h *store.Head)) error {
		h := golden().Head
		change(&h)
		return record.NewReader(h.Zone).Head(record.AppendHead(nil, &h))
	}
	require.NoError(t, head(func(*store.Head) {}))
	for name, change := range map[string]func(h *store.Head){
		"no name":            func(h *store.Head) { h.Zone = "" },
		"epoch 0":            func(h *store.Head) { h.Epoch = 0 },
		"frame 0":            func(h *store.Head) { h.Frame = 0 },
		"areas out of order": func(h *store.Head) { h.Clocks.Areas = []store.AreaClock{{Number: 2}, {Number: 1}} },
		"older out of order": func(h *store.Head) { h.Older = []buff.OwnerID{4, 4} },
		"a window":           func(h *store.Head) { h.Window = store.MaxWindow + 1 },
	} {
		require.ErrorIs(t, head(change), store.ErrDamaged, name)
	}
	// A length that is too large must not allocate memory for the list.
	hostile := reseal(append([]byte{'C', 1, 0, 0, 0, 0, 1, 0xFF, 0xFF, 0x3F}, 0, 0, 0, 0))
	r := record.NewReader("a")
	allocs := testing.AllocsPerRun(10, func() { require.ErrorIs(t, r.Commands(1, hostile), store.ErrDamaged) })
	require.Less(t, allocs, 40.0)
	wide := reseal([]byte{'M', 1, 0, 0, 0, 0, 0x81, 0x00, 0, 0, 0, 0, 0})
	_, _, err := record.ReadMark(wide)
	require.ErrorIs(t, err, store.ErrDamaged, "a number longer than it need be")
}

// FuzzParseCut checks that no input causes a panic, and that a decoded cut encodes to the same
// bytes.
func FuzzParseCut(f *testing.F) {
	sound := record.AppendCut(nil, golden())
	f.Add(sound)
	for _, r := range records(sound) {
		f.Add(r)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		check := func(b []byte) {
			cut, err := record.ParseCut(b)
			if err != nil {
				if !errors.Is(err, store.ErrDamaged) && !errors.Is(err, store.ErrForeign) && !errors.Is(err, store.ErrFuture) {
					t.Fatal(err)
				}
				return
			}
			again, err := record.ParseCut(record.AppendCut(nil, cut))
			if err == nil {
				err = storetest.Differ(again, cut)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		check(b)
		// Correct the checksums, because a fuzzer would not find correct ones.
		if rest, ok := bytes.CutPrefix(b, []byte("bufftick cut\n")); ok {
			fixed := []byte("bufftick cut\n")
			for len(rest) >= 10 {
				n := min(len(rest), 10+int(rest[5]))
				fixed = append(fixed, reseal(bytes.Clone(rest[:n]))...)
				rest = rest[n:]
			}
			check(fixed)
		}
	})
}

// ExampleParseCut makes a copy of a cut and reads it.
func ExampleParseCut() {
	b := record.AppendCut(nil, &store.Cut{
		Head:   store.Head{Zone: "arena", Epoch: 1, Frame: 90},
		Owners: []store.Owner{{ID: 7, Frame: 88, Data: []byte("health 85")}},
	})
	cut, err := record.ParseCut(b)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s at frame %d: owner %d, %s\n", cut.Zone, cut.Frame, cut.Owners[0].ID, cut.Owners[0].Data)
	_, err = record.ParseCut(b[:60])
	fmt.Println(err)
	// Output:
	// arena at frame 90: owner 7, health 85
	// store: damaged: the record at byte 39: its length is 23 bytes, but only 21 are left in the file; nothing has been changed: restore a copy, or list the intact records with: bufftick cut -verify
}
