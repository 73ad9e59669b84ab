package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"

	bbolt "go.etcd.io/bbolt"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/record"
)

// setEpoch writes the epoch of a zone, and creates the zone if it does not exist.
func setEpoch(tx *bbolt.Tx, zone string, epoch uint64) error {
	zones := tx.Bucket(zonesBucket)
	bucket := zones.Bucket([]byte(zone))
	if bucket == nil {
		about := tx.Bucket(aboutBucket)
		n, err := countZones(about)
		if err != nil {
			return err
		}
		if err := about.Put(countKey, record.AppendMark(nil, n+1, "zones")); err != nil {
			return err
		}
		if bucket, err = zones.CreateBucket([]byte(zone)); err != nil {
			return err
		}
	}
	return bucket.Put(epochKey, record.AppendMark(nil, epoch, zone))
}

// writer writes the next cut of a zone, in one transaction.
type writer struct {
	ctx                     context.Context // context of the commit
	b                       *store.Batch
	frame                   uint64 // frame of the last cut
	records                 []byte // used by bbolt until the transaction ends
	owners, commands, where *bbolt.Bucket
	sum                     record.Sum
	transit                 *transit // nil if no owner moves
}

func (w *writer) apply(tx *bbolt.Tx) error {
	bucket, err := w.begin(tx)
	if err != nil {
		return err
	}
	if err := w.arrive(tx); err != nil {
		return err
	}
	for _, do := range []func() error{w.delete, w.put, w.leave, w.done} {
		if err := do(); err != nil {
			return err
		}
	}
	encoded := w.record(func(dst []byte) []byte { return record.AppendHead(dst, &w.b.Head) })
	if err := bucket.Put(headKey, encoded); err != nil {
		return err
	}
	return bucket.Put(sumKey, w.record(func(dst []byte) []byte { return record.AppendSum(dst, w.sum) }))
}

// begin checks that the batch may be written, and opens the buckets.
func (w *writer) begin(tx *bbolt.Tx) (bucket *bbolt.Bucket, err error) {
	bucket = tx.Bucket(zonesBucket).Bucket([]byte(w.b.Zone))
	if bucket == nil {
		return nil, fmt.Errorf("%w: zone %q has never been opened", store.ErrFenced, w.b.Zone)
	}
	epoch, err := readEpoch(bucket, w.b.Zone)
	if err != nil {
		return nil, err
	}
	if head := bucket.Get(headKey); head != nil {
		r := record.NewReader(w.b.Zone)
		if err := r.Head(head); err != nil {
			return nil, err
		}
		w.frame = r.Frame()
		if w.sum, err = record.ReadSum(bucket.Get(sumKey)); err != nil {
			return nil, record.At(err, "", "the sum")
		}
	}
	if err := record.Follows(w.b, epoch, w.frame); err != nil {
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

// clear removes all owners and commands of the zone.
func (w *writer) clear(bucket *bbolt.Bucket) error {
	w.sum = record.Sum{}
	owners := bucket.Bucket(ownersBucket)
	if owners == nil {
		return nil // a zone without an owners bucket has no commands either
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

// record calls make() to append a record to w.records, and returns the bytes of the record.
func (w *writer) record(make func(dst []byte) []byte) []byte {
	start := len(w.records)
	w.records = make(w.records)
	return w.records[start:len(w.records):len(w.records)]
}

func (w *writer) delete() error {
	for _, id := range w.b.Deleted {
		if err := w.remove(id); err != nil {
			return err
		}
	}
	return nil
}

// remove removes an owner from the zone. It does nothing if the owner is not in the zone.
func (w *writer) remove(id buff.OwnerID) error {
	k := ownerKey(id)
	old := w.owners.Get(k)
	if old == nil {
		return nil
	}
	w.sum.Owners--
	w.sum.Total -= uint64(record.Checksum(old))
	if err := w.owners.Delete(k); err != nil {
		return err
	}
	return w.where.Delete(k)
}

// giveWayEvery is the number of owners between two calls to record.GiveWay.
const giveWayEvery = 64

func (w *writer) put() error {
	old := w.owners.Cursor()
	key := make([]byte, 8)
	for i := range w.b.Owners {
		if i%giveWayEvery == giveWayEvery-1 {
			record.GiveWay(w.ctx)
		}
		o := &w.b.Owners[i]
		binary.BigEndian.PutUint64(key, uint64(o.ID))
		if at, encoded := old.Seek(key); bytes.Equal(at, key) {
			w.sum.Total -= uint64(record.Checksum(encoded))
		} else if err := w.enter(key, o.ID); err != nil {
			return err
		}
		encoded := w.record(func(dst []byte) []byte { return record.AppendOwner(dst, w.b.Frame, o) })
		w.sum.Total += uint64(record.Checksum(encoded))
		if err := w.owners.Put(key, encoded); err != nil {
			return err
		}
	}
	record.GiveWay(w.ctx) // the last call before bbolt writes the pages without a pause
	return nil
}

// enter records that an owner is in this zone. It fails if the owner is in another zone or in
// transit.
func (w *writer) enter(k []byte, id buff.OwnerID) error {
	if in := w.where.Get(k); in != nil && string(in) != w.b.Zone {
		return fmt.Errorf("%w: owner %d is %v, not in zone %q", store.ErrElsewhere, id, parseLocation(in), w.b.Zone)
	}
	w.sum.Owners++
	return w.where.Put(k, []byte(w.b.Zone))
}

// done stores the ids of the commands of the batch. They replace all ids stored after the cut that
// the batch follows. The oldest ids are dropped if there are more than fit into the window.
func (w *writer) done() error {
	c := w.commands.Cursor()
	for k, encoded := c.Last(); k != nil && binary.BigEndian.Uint64(k) > w.b.Since; k, encoded = c.Last() {
		if err := w.drop(k, encoded); err != nil {
			return err
		}
	}
	encoded := w.record(func(dst []byte) []byte { return record.AppendCommands(dst, w.b.Frame, w.b.Commands) })
	w.sum.Commands += uint64(len(w.b.Commands))
	w.sum.Total += uint64(record.Checksum(encoded))
	if err := w.commands.Put(key(w.b.Frame), encoded); err != nil {
		return err
	}
	for k, encoded := c.First(); k != nil && binary.BigEndian.Uint64(k) < w.b.Frame; k, encoded = c.First() {
		n, err := record.CountCommands(encoded)
		if err != nil {
			return err
		}
		if w.sum.Commands-n < uint64(w.b.Window) {
			break
		}
		if err := w.drop(k, encoded); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) drop(k, encoded []byte) error {
	n, err := record.CountCommands(encoded)
	if err != nil {
		return err
	}
	w.sum.Commands -= n
	w.sum.Total -= uint64(record.Checksum(encoded))
	return w.commands.Delete(k)
}
