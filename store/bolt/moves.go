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

// Buckets and keys of owners in transit. They exist only after the first move, see
// docs/format.md.
var (
	transitBucket = []byte("moves") // one bucket of records for each destination; keys from moveKey

	// Keys in aboutBucket.
	transitSumKey = []byte("moves") // record.Sum of the records of all owners in transit
	lastMoveKey   = []byte("move")  // number of the last move
)

// location is the location of an owner. In whereBucket it is stored as the name of the zone or, if
// the owner is in transit, as a zero byte, the number of the move and the name of the destination.
// No zone name contains a zero byte, so an older program, which does not know about moves, refuses
// to store the owner in any zone.
type location struct {
	zone   string
	number uint64 // number of the move; 0 if the owner is in the zone
}

func (l location) append(dst []byte) []byte {
	if l.number > 0 {
		dst = binary.BigEndian.AppendUint64(append(dst, 0), l.number)
	}
	return append(dst, l.zone...)
}

func parseLocation(value []byte) location {
	if len(value) > 1+8 && value[0] == 0 {
		return location{zone: string(value[1+8:]), number: binary.BigEndian.Uint64(value[1:])}
	}
	return location{zone: string(value)}
}

func (l location) String() string {
	if l.number > 0 {
		return fmt.Sprintf("in transit to zone %q", l.zone)
	}
	return fmt.Sprintf("in zone %q", l.zone)
}

// transit holds the owners that have left a zone and are in no other zone yet.
type transit struct {
	about, where, zones *bbolt.Bucket
	sum                 record.Sum
	last                uint64 // number of the last move
}

// openTransit returns the owners in transit. If no owner has ever moved, the field "zones" is nil.
func openTransit(tx *bbolt.Tx) (*transit, error) {
	t := &transit{about: tx.Bucket(aboutBucket), where: tx.Bucket(whereBucket), zones: tx.Bucket(transitBucket)}
	sum, last := t.about.Get(transitSumKey), t.about.Get(lastMoveKey)
	if t.zones == nil && sum == nil && last == nil {
		return t, nil
	}
	if t.zones == nil || sum == nil || last == nil {
		return nil, &store.DamageError{Place: "moves", Problem: "some of its three parts are missing"}
	}
	var err error
	if t.sum, err = record.ReadSum(sum); err == nil {
		t.last, _, err = record.ReadMark(last)
	}
	return t, record.At(err, "", "the sum of the moves")
}

// each calls do() for the moves to a zone, the oldest first, until do() returns false.
func (t *transit) each(zone string, do func(a store.Arrival, encoded []byte) bool) error {
	bucket := t.zones.Bucket([]byte(zone))
	if bucket == nil {
		return nil
	}
	c := bucket.Cursor()
	for k, encoded := c.First(); k != nil; k, encoded = c.Next() {
		a, err := t.arrival(zone, k, encoded)
		if err != nil {
			return record.At(err, "", fmt.Sprintf("move %x to zone %q", k, zone))
		}
		if !do(a, encoded) {
			return nil
		}
	}
	return nil
}

// arrival decodes and checks the entry of one owner in transit to a zone.
func (t *transit) arrival(zone string, k, encoded []byte) (a store.Arrival, err error) {
	if len(k) != 16 {
		return a, &store.DamageError{Problem: "the key is not a number and an owner"}
	}
	id := buff.OwnerID(binary.BigEndian.Uint64(k[8:]))
	a = store.Arrival{Zone: zone, Number: binary.BigEndian.Uint64(k)}
	if a.Owner, err = record.ReadOwner(id, bytes.Clone(encoded)); err != nil {
		return a, err
	}
	in := parseLocation(t.where.Get(k[8:]))
	if in != (location{zone, a.Number}) || a.Number > t.last {
		return a, &store.DamageError{Problem: fmt.Sprintf("owner %d is %v, and the last move is %d", id, in, t.last)}
	}
	return a, nil
}

// check decodes all owners in transit, and compares them with the stored Sum.
func (t *transit) check() error {
	if t.zones == nil {
		return nil
	}
	var sum record.Sum
	err := t.zones.ForEach(func(name, value []byte) error {
		if value != nil {
			return &store.DamageError{Place: "moves", Problem: fmt.Sprintf("%q is not a bucket", name)}
		}
		return t.each(string(name), func(_ store.Arrival, encoded []byte) bool {
			sum.Owners++
			sum.Total += uint64(record.Checksum(encoded))
			return true
		})
	})
	if err == nil && sum != t.sum {
		err = &store.DamageError{Place: "moves", Problem: fmt.Sprintf("got %d moves with sum %x, want %d and %x", sum.Owners, sum.Total, t.sum.Owners, t.sum.Total)}
	}
	return err
}

// add puts an owner in transit.
func (t *transit) add(m *store.Move, encoded []byte) error {
	t.last++
	bucket, err := t.zones.CreateBucketIfNotExists([]byte(m.To))
	if err != nil {
		return err
	}
	if err := bucket.Put(moveKey(t.last, m.Owner.ID), encoded); err != nil {
		return err
	}
	t.sum.Owners++
	t.sum.Total += uint64(record.Checksum(encoded))
	return t.where.Put(ownerKey(m.Owner.ID), location{m.To, t.last}.append(nil))
}

// remove removes an owner from the owners in transit. It does nothing if an earlier commit has
// removed the owner.
func (t *transit) remove(zone string, number uint64, id buff.OwnerID) error {
	if parseLocation(t.where.Get(ownerKey(id))) != (location{zone, number}) {
		return nil
	}
	bucket, k := t.zones.Bucket([]byte(zone)), moveKey(number, id)
	if bucket == nil || bucket.Get(k) == nil {
		return &store.DamageError{Place: fmt.Sprintf("owner %d", id), Problem: "its move is missing"}
	}
	t.sum.Owners--
	t.sum.Total -= uint64(record.Checksum(bucket.Get(k)))
	if err := bucket.Delete(k); err != nil {
		return err
	}
	if first, _ := bucket.Cursor().First(); first == nil {
		if err := t.zones.DeleteBucket([]byte(zone)); err != nil {
			return err
		}
	}
	return t.where.Delete(ownerKey(id))
}

func moveKey(number uint64, id buff.OwnerID) []byte {
	return binary.BigEndian.AppendUint64(key(number), uint64(id))
}

// arrive processes the arrivals of the batch: it removes them from the owners in transit.
func (w *writer) arrive(tx *bbolt.Tx) (err error) {
	if len(w.b.Moved)+len(w.b.Arrived) == 0 {
		return nil
	}
	if w.transit, err = openTransit(tx); err != nil {
		return err
	}
	if w.transit.zones == nil {
		if w.transit.zones, err = tx.CreateBucket(transitBucket); err != nil {
			return err
		}
	}
	for k := range w.b.Arrived {
		a := &w.b.Arrived[k]
		if err := w.transit.remove(w.b.Zone, a.Number, a.Owner.ID); err != nil {
			return err
		}
	}
	return nil
}

// leave puts owners of the batch's zone in transit. If the zone is already at the frame of a Move,
// an earlier commit, whose acknowledgement was lost, has applied the Move. leave then skips the
// Move, because the owner may have moved on in the meantime, or returned.
func (w *writer) leave() error {
	if w.transit == nil {
		return nil
	}
	for i := range w.b.Moved {
		m := &w.b.Moved[i]
		if m.Owner.Frame <= w.frame {
			continue
		}
		if err := w.remove(m.Owner.ID); err != nil {
			return err
		}
		if in := w.where.Get(ownerKey(m.Owner.ID)); in != nil {
			return fmt.Errorf("%w: owner %d, which leaves zone %q, is %v", store.ErrElsewhere, m.Owner.ID, w.b.Zone, parseLocation(in))
		}
		encoded := w.record(func(dst []byte) []byte { return record.AppendOwner(dst, m.Owner.Frame, &m.Owner) })
		if err := w.transit.add(m, encoded); err != nil {
			return err
		}
	}
	t := w.transit
	if err := t.about.Put(transitSumKey, w.record(func(dst []byte) []byte { return record.AppendSum(dst, t.sum) })); err != nil {
		return err
	}
	return t.about.Put(lastMoveKey, w.record(func(dst []byte) []byte { return record.AppendMark(dst, t.last, "moves") }))
}

// Arrivals implements [store.Mover].
func (s *Store) Arrivals(ctx context.Context, zones []string) (list []store.Arrival, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.open(); err != nil {
		return nil, err
	}
	for _, zone := range zones {
		if err := s.ready(ctx, zone, false); err != nil {
			return nil, err
		}
	}
	_, err = s.transact(s.db.View, func(tx *bbolt.Tx) error {
		t, err := openTransit(tx)
		if err != nil || t.zones == nil {
			return err
		}
		for _, zone := range zones {
			most := len(list) + store.MostArrivals
			err := t.each(zone, func(a store.Arrival, _ []byte) bool {
				list = append(list, a)
				return len(list) < most
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, s.at(err)
	}
	return list, ctx.Err()
}

// Where implements [store.Mover].
func (s *Store) Where(ctx context.Context, owners []buff.OwnerID) (list []store.Place, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.open(); err != nil {
		return nil, err
	}
	_, err = s.transact(s.db.View, func(tx *bbolt.Tx) error {
		where := tx.Bucket(whereBucket)
		for _, id := range owners {
			if value := where.Get(ownerKey(id)); value != nil {
				in := parseLocation(value)
				list = append(list, store.Place{Owner: id, Zone: in.zone, Arriving: in.number > 0})
			}
		}
		return nil
	})
	if err != nil {
		return nil, s.at(err)
	}
	return list, ctx.Err()
}
