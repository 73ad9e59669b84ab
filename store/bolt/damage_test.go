package bolt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	bbolt "go.etcd.io/bbolt"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/internal/long"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/record"
	"github.com/bufftick/bufftick/store/storetest"
)

var ctx = context.Background()

// damageStep is the distance between changed bytes and between lengths at which a file is
// truncated.
func damageStep() int { return max(1, 1000/long.Times(1)) }

// twoCuts creates a file with two zones and an owner in transit. It returns the states that a
// damaged file may be read as: the present state, and the state before the last transaction, in
// which no owner has moved.
func twoCuts(t *testing.T, path string) (states []*store.Cut) {
	s, err := Open(path, Options{})
	require.NoError(t, err)
	for zone, first := range map[string]buff.OwnerID{"arena": 100, "hall": 900} {
		cut, err := s.Open(ctx, zone)
		require.ErrorIs(t, err, store.ErrEmpty)
		b := &store.Batch{Head: store.Head{Zone: zone, Epoch: cut.Epoch, Frame: 1, Window: 8}, Commands: []store.CommandID{{1}, {2}}}
		for id := first; id < first+20; id++ {
			b.Owners = append(b.Owners, store.Owner{ID: id, Blob: []byte("blob"), Data: fmt.Append(nil, "owner ", id)})
		}
		// This record needs overflow pages.
		b.Owners = append(b.Owners, store.Owner{ID: first + 50, Data: bytes.Repeat([]byte("x"), 9000)})
		require.NoError(t, s.Commit(ctx, b))
	}
	before, err := s.Load(ctx, "arena")
	require.NoError(t, err)
	require.NoError(t, s.Commit(ctx, &store.Batch{
		Head: store.Head{Zone: "arena", Epoch: 1, Frame: 2, Window: 8}, Since: 1,
		Owners: []store.Owner{{ID: 105, Data: []byte("hurt")}}, Deleted: []buff.OwnerID{110}, Commands: []store.CommandID{{3}},
		Moved: []store.Move{{Owner: travels, To: "harbour"}},
	}))
	now, err := s.Load(ctx, "arena")
	require.NoError(t, err)
	hall, err := s.Load(ctx, "hall")
	require.NoError(t, err)
	require.NoError(t, s.Close())
	return []*store.Cut{now, before, hall}
}

// travels is the owner in transit in the file of twoCuts.
var travels = store.Owner{ID: 111, Frame: 2, Blob: []byte("blob"), Data: []byte("travels")}

// readDamaged opens a damaged file. The file must be read as one of the states, or cause an error
// that names the place of the damage.
func readDamaged(path string, states []*store.Cut) (whole bool, err error) {
	s, err := Open(path, Options{ReadOnly: true})
	if err != nil {
		return false, placed(err)
	}
	defer s.Close()
	present := true
	for _, zone := range []string{"arena", "hall"} {
		cut, err := s.Load(ctx, zone)
		switch {
		case err != nil:
			return false, placed(err)
		case zone == "hall":
			err = storetest.Differ(cut, states[2])
		case storetest.Differ(cut, states[0]) != nil && s.Warning() == "":
			err = storetest.Differ(cut, states[0])
		case storetest.Differ(cut, states[0]) != nil:
			present = false
			err = storetest.Differ(cut, states[1])
		}
		if err != nil {
			return false, fmt.Errorf("a wrong state: %w", err)
		}
	}
	list, err := s.Arrivals(ctx, []string{"harbour"})
	if err != nil {
		return false, placed(err)
	}
	var want []store.Arrival
	if present {
		want = []store.Arrival{{Owner: travels, Zone: "harbour", Number: 1}}
	}
	if !reflect.DeepEqual(list, want) {
		return false, fmt.Errorf("a wrong state: in transit are %+v, want %+v", list, want)
	}
	return true, nil
}

// placed returns nil if err is an acceptable error for a damaged file.
func placed(err error) error {
	damage, ok := errors.AsType[*store.DamageError](err)
	switch {
	case ok && damage.File != "" && damage.Place != "":
		return nil
	case errors.Is(err, store.ErrForeign), errors.Is(err, store.ErrFuture):
		return nil
	}
	return fmt.Errorf("an error that does not say where: %w", err)
}

// TestP33_EveryByte changes each byte of a file in two ways.
func TestP33_EveryByte(t *testing.T) {
	path := filepath.Join(t.TempDir(), "zones.db")
	states := twoCuts(t, path)
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	require.NoError(t, err)
	defer f.Close()
	sound, err := os.ReadFile(path)
	require.NoError(t, err)
	whole, refused := 0, 0
	for at := 0; at < len(sound); at += damageStep() {
		for _, mask := range []byte{1 << (at % 8), 0xFF} {
			_, err := f.WriteAt([]byte{sound[at] ^ mask}, int64(at))
			require.NoError(t, err)
			ok, err := readDamaged(path, states)
			require.NoError(t, err, "byte %d of page %d, by %02x", at%os.Getpagesize(), at/os.Getpagesize(), mask)
			if ok {
				whole++
			} else {
				refused++
			}
		}
		_, err := f.WriteAt(sound[at:at+1], int64(at))
		require.NoError(t, err)
	}
	t.Logf("%d bytes: %d times the exact state, %d times an error", len(sound), whole, refused)
	require.NotZero(t, whole)
	require.NotZero(t, refused)
	ok, err := readDamaged(path, states)
	require.True(t, ok && err == nil)
}

// TestP33_EveryLength truncates a file at each length.
func TestP33_EveryLength(t *testing.T) {
	path := filepath.Join(t.TempDir(), "zones.db")
	states := twoCuts(t, path)
	sound, err := os.ReadFile(path)
	require.NoError(t, err)
	for n := len(sound) - 1; n >= 0; n -= damageStep() {
		require.NoError(t, os.Truncate(path, int64(n)))
		_, err := readDamaged(path, states)
		require.NoError(t, err, n)
	}
}

// TestOpen_FailedChangesNothing compares files byte for byte after a failed Open.
func TestOpen_FailedChangesNothing(t *testing.T) {
	dir := t.TempDir()
	sound := filepath.Join(dir, "sound.db")
	twoCuts(t, sound)
	good, err := os.ReadFile(sound)
	require.NoError(t, err)
	change := func(do func(b []byte)) []byte {
		b := bytes.Clone(good)
		do(b)
		return b
	}
	for name, c := range map[string]struct {
		file []byte
		want error
	}{
		"empty":          {nil, store.ErrForeign},
		"text":           {bytes.Repeat([]byte("not a store\n"), 4000), store.ErrForeign},
		"both metas":     {change(func(b []byte) { b[20]++; b[os.Getpagesize()+20]++ }), store.ErrDamaged},
		"half of it":     {good[:len(good)/2], store.ErrDamaged},
		"a page of zero": {change(func(b []byte) { clear(b[4*os.Getpagesize() : 12*os.Getpagesize()]) }), store.ErrDamaged},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, name)
			require.NoError(t, os.WriteFile(path, c.file, 0o600))
			_, err := Open(path, Options{})
			require.ErrorIs(t, err, c.want)
			require.ErrorContains(t, err, path)
			after, err := os.ReadFile(path)
			require.NoError(t, err)
			require.True(t, bytes.Equal(c.file, after), "the file has been changed")
		})
	}
}

// TestP37_Foreign opens a bbolt file of another program and a file of a later version.
func TestP37_Foreign(t *testing.T) {
	path := filepath.Join(t.TempDir(), "zones.db")
	make := func(do func(tx *bbolt.Tx) error) []byte {
		db, err := bbolt.Open(path, 0o600, nil)
		require.NoError(t, err)
		require.NoError(t, db.Update(do))
		require.NoError(t, db.Close())
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		return b
	}
	for _, c := range []struct {
		do   func(tx *bbolt.Tx) error
		want error
	}{
		{func(tx *bbolt.Tx) error { _, err := tx.CreateBucket([]byte("other")); return err }, store.ErrForeign},
		{makeLayout, nil},
		{func(tx *bbolt.Tx) error {
			return tx.Bucket(aboutBucket).Put(formatKey, record.AppendMark(nil, layout+1, "bolt"))
		}, store.ErrFuture},
	} {
		before := make(c.do)
		s, err := Open(path, Options{})
		require.ErrorIs(t, err, c.want)
		if err != nil {
			require.ErrorContains(t, err, path)
			require.ErrorContains(t, err, "; nothing has been changed: ")
		} else {
			require.NoError(t, s.Close())
		}
		after, err := os.ReadFile(path)
		require.NoError(t, err)
		require.True(t, bytes.Equal(before, after))
	}
}

// TestP39_Locked checks that the second Open of a file is refused immediately and changes
// nothing.
func TestP39_Locked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "zones.db")
	s, err := Open(path, Options{})
	require.NoError(t, err)
	_, err = Open(path, Options{})
	require.ErrorIs(t, err, store.ErrLocked)
	require.EqualError(t, err, path+": store: locked by another process; stop that process first")
	_, err = Open(path, Options{ReadOnly: true})
	require.ErrorIs(t, err, store.ErrLocked)
	_, err = s.Open(ctx, "a")
	require.ErrorIs(t, err, store.ErrEmpty)
	require.NoError(t, s.Close())

	first, err := Open(path, Options{ReadOnly: true})
	require.NoError(t, err)
	second, err := Open(path, Options{ReadOnly: true})
	require.NoError(t, err, "two may read")
	require.NoError(t, errors.Join(first.Close(), second.Close()))
}

// TestReadOnly checks that a read-only store cannot be written to and is not created.
func TestReadOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "zones.db")
	_, err := Open(path, Options{ReadOnly: true})
	require.ErrorIs(t, err, os.ErrNotExist)
	states := twoCuts(t, path)
	s, err := Open(path, Options{ReadOnly: true})
	require.NoError(t, err)
	defer s.Close()
	_, err = s.Open(ctx, "arena")
	require.ErrorIs(t, err, store.ErrReadOnly)
	require.ErrorIs(t, s.Commit(ctx, &store.Batch{Head: store.Head{Zone: "arena", Epoch: 1, Frame: 3}}), store.ErrReadOnly)
	cut, err := s.Load(ctx, "arena")
	require.NoError(t, err)
	require.NoError(t, storetest.Differ(cut, states[0]))
	names, err := s.Zones()
	require.NoError(t, err)
	require.Equal(t, []string{"arena", "hall", "harbour"}, names)
	places, err := s.Where(ctx, []buff.OwnerID{105, 111, 1})
	require.NoError(t, err)
	require.Equal(t, []store.Place{{Owner: 105, Zone: "arena"}, {Owner: 111, Zone: "harbour", Arriving: true}}, places)
}

// FuzzPages checks that checkPages neither panics, loops forever, nor allocates more memory than
// the size of the file, whatever the file contains.
func FuzzPages(f *testing.F) {
	path := filepath.Join(f.TempDir(), "zones.db")
	s, err := Open(path, Options{})
	if err != nil {
		f.Fatal(err)
	}
	_, _ = s.Open(ctx, "a")
	_ = s.Close()
	sound, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte{}, uint32(2*os.Getpagesize()), uint64(2))
	f.Add(sound[:200], uint32(3*os.Getpagesize()+8), uint64(1))
	f.Fuzz(func(t *testing.T, b []byte, at uint32, word uint64) {
		// Use valid meta pages, so that the pages after them are read too.
		image := bytes.Clone(sound)
		copy(image[2*os.Getpagesize():], b)
		if n := int(at) % (len(image) - 8); n >= 2*os.Getpagesize() {
			native.PutUint64(image[n:], word)
		}
		for _, file := range [][]byte{b, image} {
			_, err := checkPages(bytes.NewReader(file), int64(len(file)))
			if err != nil && !errors.Is(err, store.ErrDamaged) && !errors.Is(err, store.ErrForeign) && !errors.Is(err, store.ErrFuture) {
				t.Fatal(err)
			}
		}
	})
}

// TestP33_EveryPage overwrites each page with zeros and with random bytes.
func TestP33_EveryPage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "zones.db")
	states := twoCuts(t, path)
	sound, err := os.ReadFile(path)
	require.NoError(t, err)
	whole, size := 0, os.Getpagesize()
	for at := 0; at < len(sound); at += size {
		for _, fill := range []byte{0, 0xFF, 'A'} {
			damaged := bytes.Clone(sound)
			copy(damaged[at:], bytes.Repeat([]byte{fill}, size))
			require.NoError(t, os.WriteFile(path, damaged, 0o600))
			ok, err := readDamaged(path, states)
			require.NoError(t, err, "page %d, of %#x", at/size, fill)
			if ok {
				whole++
			}
		}
	}
	require.NotZero(t, whole, "free pages and the older meta page may be overwritten")
}

// TestFileDoesNotGrow checks that rewriting owners reuses the space of their older versions, and
// that opening a file does not change its size.
func TestFileDoesNotGrow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "zones.db")
	s, err := Open(path, Options{noSync: true})
	require.NoError(t, err)
	_, err = s.Open(ctx, "a")
	require.ErrorIs(t, err, store.ErrEmpty)
	size := func() int64 {
		info, err := os.Stat(path)
		require.NoError(t, err)
		return info.Size()
	}
	frame := uint64(0)
	play := func(commits int) {
		for range commits {
			frame++
			require.NoError(t, s.Commit(ctx, goneBatch("a", frame, buff.OwnerID(frame%100), 3000)))
		}
	}
	play(100)
	before := size()
	play(3000)
	require.LessOrEqual(t, size(), 2*before)
	require.NoError(t, s.Close())
	before = size()
	for range 20 {
		s, err := Open(path, Options{})
		require.NoError(t, err)
		require.NoError(t, s.Close())
	}
	require.Equal(t, before, size())
}
