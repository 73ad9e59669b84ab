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
	"github.com/bufftick/bufftick/store/record"
)

// Buckets and keys of the file: see docs/format.md.
var (
	aboutBucket = []byte("bufftick") // version of the layout, number of zones
	whereBucket = []byte("where")    // location of each owner, by id
	zonesBucket = []byte("zones")    // bucket of each zone, by name

	formatKey = []byte("format")
	countKey  = []byte("zones")

	// Keys in the bucket of a zone.
	epochKey       = []byte("epoch") // epoch and name of the zone, as a record.AppendMark record
	headKey        = []byte("head")
	sumKey         = []byte("sum")
	ownersBucket   = []byte("owners")   // record of each owner, by id
	commandsBucket = []byte("commands") // record of executed commands, by frame
)

// create writes a complete file under a temporary name and then renames it. If the process dies
// halfway, there is no file at path. If two processes create the file at the same time, the second
// process uses the file that the first process has created.
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

// syncFolder makes the names in a folder durable. Windows has no such call.
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
	if err := about.Put(formatKey, record.AppendMark(nil, layout, "bolt")); err != nil {
		return err
	}
	if err := about.Put(countKey, record.AppendMark(nil, 0, "zones")); err != nil {
		return err
	}
	_, err = tx.CreateBucket(whereBucket)
	if err != nil {
		return err
	}
	_, err = tx.CreateBucket(zonesBucket)
	return err
}

// checkLayout checks that the file belongs to this package, that the number of zones is the
// recorded number, that each zone is stored under its own name, and that the owners in transit are
// complete.
func checkLayout(tx *bbolt.Tx) error {
	about, where, zones := tx.Bucket(aboutBucket), tx.Bucket(whereBucket), tx.Bucket(zonesBucket)
	if about == nil && where == nil && zones == nil {
		return fmt.Errorf("%w: a bbolt file of another program", store.ErrForeign)
	}
	if about == nil || where == nil || zones == nil {
		return &store.DamageError{Place: "the first page", Problem: "required buckets are missing"}
	}
	version, _, err := record.ReadMark(about.Get(formatKey))
	if err != nil {
		return record.At(err, "", "the version of the layout")
	}
	if version > layout {
		return fmt.Errorf("%w: layout %d, this program supports %d", store.ErrFuture, version, layout)
	}
	want, err := countZones(about)
	if err != nil {
		return err
	}
	err = zones.ForEach(func(name, value []byte) error {
		want--
		bucket := zones.Bucket(name)
		if value != nil || bucket == nil {
			return &store.DamageError{Place: fmt.Sprintf("zone %q", name), Problem: "it is not a bucket"}
		}
		_, err := readEpoch(bucket, string(name))
		return err
	})
	if err == nil && want != 0 {
		err = &store.DamageError{Place: "zones", Problem: "their number differs from the stored one"}
	}
	if err != nil {
		return err
	}
	moves, err := openTransit(tx)
	if err != nil {
		return err
	}
	return moves.check()
}

// countZones reads the number of zones.
func countZones(about *bbolt.Bucket) (uint64, error) {
	n, _, err := record.ReadMark(about.Get(countKey))
	return n, record.At(err, "", "the number of zones")
}

// readEpoch reads the epoch of a zone, and checks the name that is stored with it.
func readEpoch(bucket *bbolt.Bucket, zone string) (uint64, error) {
	epoch, name, err := record.ReadMark(bucket.Get(epochKey))
	if err == nil && (name != zone || epoch == 0) {
		err = &store.DamageError{Problem: fmt.Sprintf("it is epoch %d of zone %q", epoch, name)}
	}
	return epoch, record.At(err, "", fmt.Sprintf("zone %q: epoch", zone))
}

func key(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

func ownerKey(id buff.OwnerID) []byte { return key(uint64(id)) }
