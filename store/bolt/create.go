package bolt

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	bbolt "go.etcd.io/bbolt"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/store"
)

// What is where: docs/format.md.
var (
	aboutBucket = []byte("bufftick") // marks: the version of the layout, how many zones there are
	whereBucket = []byte("where")    // id of an owner: name of its zone
	zonesBucket = []byte("zones")    // name of a zone: its bucket

	formatKey = []byte("format")
	countKey  = []byte("zones")

	// In the bucket of a zone.
	epochKey       = []byte("epoch") // a mark, with the name of the zone
	headKey        = []byte("head")
	sumKey         = []byte("sum")
	ownersBucket   = []byte("owners")   // id: record
	commandsBucket = []byte("commands") // frame: record
)

// create makes a file that is complete before it has its name: a process that dies halfway leaves
// none, and of two that make it at once one comes first.
func create(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new*")
	if err != nil {
		return err
	}
	name := f.Name()
	defer os.Remove(name)
	if err := f.Close(); err != nil {
		return err
	}
	db, err := bbolt.Open(name, 0o600, &bbolt.Options{Timeout: lockWait, FreelistType: bbolt.FreelistMapType})
	if err != nil {
		return err
	}
	err = errors.Join(db.Update(makeLayout), db.Close())
	if err != nil {
		return err
	}
	if err := os.Link(name, path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// syncFolder makes the name last. Windows has no such thing.
func syncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func makeLayout(tx *bbolt.Tx) error {
	about, err := tx.CreateBucket(aboutBucket)
	if err != nil {
		return err
	}
	if err := about.Put(formatKey, store.AppendMark(nil, layout, "bolt")); err != nil {
		return err
	}
	if err := about.Put(countKey, store.AppendMark(nil, 0, "zones")); err != nil {
		return err
	}
	_, err = tx.CreateBucket(whereBucket)
	if err != nil {
		return err
	}
	_, err = tx.CreateBucket(zonesBucket)
	return err
}

// checkLayout sees that the file is one of ours, and that all its zones are there, each under its
// own name.
func checkLayout(tx *bbolt.Tx) error {
	about, where, zones := tx.Bucket(aboutBucket), tx.Bucket(whereBucket), tx.Bucket(zonesBucket)
	if about == nil && where == nil && zones == nil {
		return fmt.Errorf("%w: it is a bbolt file, of another program", store.ErrForeign)
	}
	if about == nil || where == nil || zones == nil {
		return &store.DamageError{Place: "the first page", Problem: "some of what every file has is not there"}
	}
	version, _, err := store.ReadMark(about.Get(formatKey))
	if err != nil {
		return store.At(err, "", "the version of the layout")
	}
	if version > layout {
		return fmt.Errorf("%w: layout %d, this program knows %d", store.ErrFuture, version, layout)
	}
	want, err := countZones(about)
	if err != nil {
		return err
	}
	err = zones.ForEach(func(name, value []byte) error {
		want--
		bucket := zones.Bucket(name)
		if value != nil || bucket == nil {
			return &store.DamageError{Place: fmt.Sprintf("zone %q", name), Problem: "it is no bucket"}
		}
		_, err := readEpoch(bucket, string(name))
		return err
	})
	if err == nil && want != 0 {
		return &store.DamageError{Place: "zones", Problem: "there are more, or less, than there should be"}
	}
	return err
}

// countZones reads how many zones there are.
func countZones(about *bbolt.Bucket) (uint64, error) {
	n, _, err := store.ReadMark(about.Get(countKey))
	return n, store.At(err, "", "the number of zones")
}

// readEpoch reads the mark of a zone, which has its name too.
func readEpoch(bucket *bbolt.Bucket, zone string) (uint64, error) {
	epoch, name, err := store.ReadMark(bucket.Get(epochKey))
	if err == nil && (name != zone || epoch == 0) {
		err = &store.DamageError{Problem: fmt.Sprintf("it is epoch %d of zone %q", epoch, name)}
	}
	return epoch, store.At(err, "", fmt.Sprintf("zone %q: epoch", zone))
}

func key(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

func ownerKey(id buff.OwnerID) []byte { return key(uint64(id)) }
