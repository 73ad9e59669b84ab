package bolt

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	bbolt "go.etcd.io/bbolt"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/store"
)

// contents is everything that a store returns from a file.
type contents struct {
	names    []string
	cuts     []*store.Cut
	arrivals []store.Arrival
}

func readContents(path string) (c contents, err error) {
	s, err := Open(path, Options{ReadOnly: true})
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if c.names, err = s.Zones(); err != nil {
		return c, err
	}
	for _, name := range c.names {
		cut, err := s.Load(ctx, name)
		if err != nil && !errors.Is(err, store.ErrEmpty) {
			return c, err
		}
		c.cuts = append(c.cuts, cut)
	}
	c.arrivals, err = s.Arrivals(ctx, c.names)
	return c, err
}

// loosePages creates a file like twoCuts does, with n KB of free pages.
func loosePages(t *testing.T, path string, n int) contents {
	twoCuts(t, path)
	s, err := Open(path, Options{})
	require.NoError(t, err)
	_, err = s.Open(ctx, "loose")
	require.ErrorIs(t, err, store.ErrEmpty)
	b, empty := goneBatch("loose", 1, 5000, 10), goneBatch("loose", 2, 5000, 20)
	for k := range buff.OwnerID(n) {
		b.Owners = append(b.Owners, store.Owner{ID: 6000 + k, Blob: make([]byte, 1000)})
		empty.Deleted = append(empty.Deleted, 6000+k)
	}
	require.NoError(t, s.Commit(ctx, b))
	require.NoError(t, s.Commit(ctx, empty))
	require.NoError(t, s.Close())
	c, err := readContents(path)
	require.NoError(t, err)
	require.Len(t, c.names, 4)
	require.Len(t, c.arrivals, 1)
	return c
}

func fileSize(t *testing.T, path string) int64 {
	info, err := os.Stat(path)
	require.NoError(t, err)
	return info.Size()
}

// TestCompact checks that a file becomes smaller, keeps its zones, epochs, cuts and owners in
// transit, and can be used as before.
func TestCompact(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "zones.db"), filepath.Join(dir, "link.db")
	want := loosePages(t, path, 4000)
	require.NoError(t, os.Chmod(path, 0o640))
	require.NoError(t, os.Symlink("zones.db", link))
	require.NoError(t, os.WriteFile(path+".compact", []byte("left by a killed process"), 0o600))
	was := fileSize(t, path)

	before, after, err := Compact(link)
	require.NoError(t, err)
	require.Equal(t, was, before)
	require.Equal(t, fileSize(t, path), after)
	require.Less(t, after, before/10)
	require.NoFileExists(t, path+".compact")
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o640), info.Mode())
	target, err := os.Readlink(link)
	require.NoError(t, err)
	require.Equal(t, "zones.db", target)
	got, err := readContents(path)
	require.NoError(t, err)
	require.Equal(t, want, got)

	s, err := Open(path, Options{})
	require.NoError(t, err)
	cut, err := s.Open(ctx, "loose")
	require.NoError(t, err)
	for frame := uint64(3); frame < 30; frame++ {
		b := goneBatch("loose", frame, 7000+buff.OwnerID(frame), 3000)
		b.Epoch = cut.Epoch
		require.NoError(t, s.Commit(ctx, b))
	}
	require.NoError(t, s.Close())
	got, err = readContents(path)
	require.NoError(t, err)
	require.Len(t, got.cuts[3].Owners, 28)

	_, after, err = Compact(path)
	require.NoError(t, err)
	again, same, err := Compact(path)
	require.NoError(t, err)
	require.Equal(t, after, again, "a file without free pages stays as it is")
	require.Equal(t, after, same)
}

// TestCompact_Refuses checks that Compact does not change a file that is open, damaged, from
// another program or missing.
func TestCompact_Refuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "zones.db")
	loosePages(t, path, 10)
	refused := func(want error) {
		t.Helper()
		sound, readErr := os.ReadFile(path)
		_, _, err := Compact(path)
		require.ErrorIs(t, err, want)
		now, err := os.ReadFile(path)
		require.Equal(t, readErr == nil, err == nil)
		require.Equal(t, sound, now)
		require.NoFileExists(t, path+".compact")
	}
	s, err := Open(path, Options{})
	require.NoError(t, err)
	refused(store.ErrLocked)
	require.NoError(t, s.Close())
	s, err = Open(path, Options{ReadOnly: true})
	require.NoError(t, err)
	refused(store.ErrLocked)
	require.NoError(t, s.Close())

	// Change one byte of a record, which is detected only when the zone is read.
	db, err := bbolt.Open(path, 0o600, nil)
	require.NoError(t, err)
	require.NoError(t, db.Update(func(tx *bbolt.Tx) error {
		owners := tx.Bucket(zonesBucket).Bucket([]byte("hall")).Bucket(ownersBucket)
		record := append([]byte(nil), owners.Get(ownerKey(905))...)
		record[9] ^= 1
		return owners.Put(ownerKey(905), record)
	}))
	require.NoError(t, db.Close())
	refused(store.ErrDamaged)
	require.NoError(t, os.WriteFile(path, []byte("not a store"), 0o600))
	refused(store.ErrForeign)
	require.NoError(t, os.Remove(path))
	refused(fs.ErrNotExist)
}

// TestSameBuckets checks that a different key, value or bucket is detected.
func TestSameBuckets(t *testing.T) {
	open := func(name string, do func(b *bbolt.Bucket) error) *bbolt.DB {
		db, err := bbolt.Open(filepath.Join(t.TempDir(), name), 0o600, nil)
		require.NoError(t, err)
		t.Cleanup(func() { db.Close() })
		require.NoError(t, db.Update(func(tx *bbolt.Tx) error {
			outer, err := tx.CreateBucket([]byte("outer"))
			if err != nil {
				return err
			}
			inner, err := outer.CreateBucket([]byte("inner"))
			return errors.Join(err, outer.Put([]byte("key"), []byte("value")), inner.Put([]byte("key"), nil), do(inner))
		}))
		return db
	}
	same := func(a, b *bbolt.DB) error {
		return a.View(func(x *bbolt.Tx) error {
			return b.View(func(y *bbolt.Tx) error { return sameBuckets(x.Cursor(), y.Cursor()) })
		})
	}
	nothing := func(*bbolt.Bucket) error { return nil }
	a := open("a", nothing)
	require.NoError(t, same(a, open("b", nothing)))
	for k, do := range []func(b *bbolt.Bucket) error{
		func(b *bbolt.Bucket) error { return b.Put([]byte("key"), []byte("other")) },
		func(b *bbolt.Bucket) error { return b.Delete([]byte("key")) },
		func(b *bbolt.Bucket) error { return b.Put([]byte("more"), nil) },
		func(b *bbolt.Bucket) error { _, err := b.CreateBucket([]byte("more")); return err },
	} {
		x := open(fmt.Sprint("x", k), do)
		require.ErrorIs(t, same(a, x), store.ErrDamaged, k)
		require.ErrorIs(t, same(x, a), store.ErrDamaged, k)
	}
}

// sameContents returns an error if a file does not have the given contents.
func sameContents(path string, want contents) error {
	got, err := readContents(path)
	if err == nil && !reflect.DeepEqual(got, want) {
		err = errors.New("the contents of the file have changed")
	}
	return err
}
