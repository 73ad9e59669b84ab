package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"

	bbolt "go.etcd.io/bbolt"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/store"
)

// setEpoch gives a zone its next owner, and makes it if there is none.
func setEpoch(tx *bbolt.Tx, zone string, epoch uint64) error {
	zones := tx.Bucket(zonesBucket)
	bucket := zones.Bucket([]byte(zone))
	if bucket == nil {
		about := tx.Bucket(aboutBucket)
		n, err := countZones(about)
		if err != nil {
			return err
		}
		if err := about.Put(countKey, store.AppendMark(nil, n+1, "zones")); err != nil {
			return err
		}
		if bucket, err = zones.CreateBucket([]byte(zone)); err != nil {
			return err
		}
	}
	return bucket.Put(epochKey, store.AppendMark(nil, epoch, zone))
}

// writer makes the next cut of a zone, within one transaction.
type writer struct {
	ctx                     context.Context // of the commit
	b                       *store.Batch
	records                 []byte // all that has been made: bbolt keeps them until the transaction ends
	owners, commands, where *bbolt.Bucket
	sum                     store.Sum
}

func (w *writer) apply(tx *bbolt.Tx) error {
	bucket, err := w.begin(tx)
	if err != nil {
		return err
	}
	for _, do := range []func() error{w.delete, w.put, w.done} {
		if err := do(); err != nil {
			return err
		}
	}
	record := w.record(func(dst []byte) []byte { return store.AppendHead(dst, &w.b.Head) })
	if err := bucket.Put(headKey, record); err != nil {
		return err
	}
	return bucket.Put(sumKey, w.record(func(dst []byte) []byte { return store.AppendSum(dst, w.sum) }))
}

// begin sees whether the batch may be written, and finds what it is written to.
func (w *writer) begin(tx *bbolt.Tx) (bucket *bbolt.Bucket, err error) {
	bucket = tx.Bucket(zonesBucket).Bucket([]byte(w.b.Zone))
	if bucket == nil {
		return nil, fmt.Errorf("%w: nobody has opened zone %q", store.ErrFenced, w.b.Zone)
	}
	epoch, err := readEpoch(bucket, w.b.Zone)
	if err != nil {
		return nil, err
	}
	frame := uint64(0)
	if head := bucket.Get(headKey); head != nil {
		r := store.NewReader(w.b.Zone)
		if err := r.Head(head); err != nil {
			return nil, err
		}
		frame = r.Frame()
		if w.sum, err = store.ReadSum(bucket.Get(sumKey)); err != nil {
			return nil, store.At(err, "", "the sum")
		}
	}
	if err := w.b.Follows(epoch, frame); err != nil {
		return nil, err
	}
	w.where = tx.Bucket(whereBucket)
	if w.b.Whole {
		if err := w.clear(bucket); err != nil {
			return nil, err
		}
	}
	if w.owners, err = bucket.CreateBucketIfNotExists(ownersBucket); err != nil {
		return nil, err
	}
	w.commands, err = bucket.CreateBucketIfNotExists(commandsBucket)
	return bucket, err
}

// clear removes all that the zone has.
func (w *writer) clear(bucket *bbolt.Bucket) error {
	w.sum = store.Sum{}
	owners := bucket.Bucket(ownersBucket)
	if owners == nil {
		return nil // and no commands
	}
	err := owners.ForEach(func(k, _ []byte) error { return w.where.Delete(k) })
	if err != nil {
		return err
	}
	if err := bucket.DeleteBucket(ownersBucket); err != nil {
		return err
	}
	return bucket.DeleteBucket(commandsBucket)
}

// record makes one, and returns its bytes.
func (w *writer) record(make func(dst []byte) []byte) []byte {
	start := len(w.records)
	w.records = make(w.records)
	return w.records[start:len(w.records):len(w.records)]
}

func (w *writer) delete() error {
	for _, id := range w.b.Deleted {
		k := ownerKey(id)
		old := w.owners.Get(k)
		if old == nil {
			continue
		}
		w.sum.Owners--
		w.sum.Total -= uint64(store.Check(old))
		if err := w.owners.Delete(k); err != nil {
			return err
		}
		if err := w.where.Delete(k); err != nil {
			return err
		}
	}
	return nil
}

// giveWayEvery is after how many owners a frame of the game comes first.
const giveWayEvery = 64

func (w *writer) put() error {
	old := w.owners.Cursor()
	key := make([]byte, 8)
	for i := range w.b.Owners {
		if i%giveWayEvery == giveWayEvery-1 {
			store.GiveWay(w.ctx)
		}
		o := &w.b.Owners[i]
		binary.BigEndian.PutUint64(key, uint64(o.ID))
		if at, record := old.Seek(key); bytes.Equal(at, key) {
			w.sum.Total -= uint64(store.Check(record))
		} else if err := w.enter(key, o.ID); err != nil {
			return err
		}
		record := w.record(func(dst []byte) []byte { return store.AppendOwner(dst, w.b.Frame, o) })
		w.sum.Total += uint64(store.Check(record))
		if err := w.owners.Put(key, record); err != nil {
			return err
		}
	}
	store.GiveWay(w.ctx) // what follows is done at one go
	return nil
}

// enter notes that an owner is in this zone, and in no other.
func (w *writer) enter(k []byte, id buff.OwnerID) error {
	if zone := w.where.Get(k); zone != nil && string(zone) != w.b.Zone {
		return fmt.Errorf("%w: owner %d is in zone %q, not %q", store.ErrElsewhere, id, zone, w.b.Zone)
	}
	w.sum.Owners++
	return w.where.Put(k, []byte(w.b.Zone))
}

// done keeps the ids of commands: those of the batch in the place of all that came after the cut
// it follows, and no more of the oldest than it takes to fill the window.
func (w *writer) done() error {
	c := w.commands.Cursor()
	for k, record := c.Last(); k != nil && binary.BigEndian.Uint64(k) > w.b.Since; k, record = c.Last() {
		if err := w.drop(k, record); err != nil {
			return err
		}
	}
	record := w.record(func(dst []byte) []byte { return store.AppendCommands(dst, w.b.Frame, w.b.Commands) })
	w.sum.Commands += uint64(len(w.b.Commands))
	w.sum.Total += uint64(store.Check(record))
	if err := w.commands.Put(key(w.b.Frame), record); err != nil {
		return err
	}
	for k, record := c.First(); k != nil && binary.BigEndian.Uint64(k) < w.b.Frame; k, record = c.First() {
		n, err := store.CountCommands(record)
		if err != nil {
			return err
		}
		if w.sum.Commands-n < uint64(w.b.Window) {
			break
		}
		if err := w.drop(k, record); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) drop(k, record []byte) error {
	n, err := store.CountCommands(record)
	if err != nil {
		return err
	}
	w.sum.Commands -= n
	w.sum.Total -= uint64(store.Check(record))
	return w.commands.Delete(k)
}
