package bolt

import (
	"encoding/binary"
	"fmt"

	bbolt "go.etcd.io/bbolt"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/record"
)

// readZone returns the cut of a zone. If the error is ErrEmpty, the cut has only Zone and Epoch.
func readZone(tx *bbolt.Tx, zone string) (*store.Cut, error) {
	empty := &store.Cut{Head: store.Head{Zone: zone}}
	bucket := tx.Bucket(zonesBucket).Bucket([]byte(zone))
	if bucket == nil {
		return empty, fmt.Errorf("%w: %q", store.ErrEmpty, zone)
	}
	epoch, err := readEpoch(bucket, zone)
	if err != nil {
		return nil, err
	}
	n, err := countKeys(bucket, zone)
	if err != nil {
		return nil, err
	}
	if n == 1 { // the zone has only an epoch
		empty.Epoch = epoch
		return empty, fmt.Errorf("%w: %q", store.ErrEmpty, zone)
	}
	cut, err := readCut(tx, bucket, zone)
	if err != nil {
		return nil, record.At(err, "", fmt.Sprintf("zone %q", zone))
	}
	cut.Epoch = epoch
	return cut, nil
}

// countKeys returns the number of keys in the bucket of a zone. The number is 5, or 1 if the zone
// has only an epoch. An unknown key means that the file is corrupt.
func countKeys(bucket *bbolt.Bucket, zone string) (n int, err error) {
	err = bucket.ForEach(func(k, _ []byte) error {
		n++
		switch string(k) {
		case string(epochKey), string(headKey), string(sumKey), string(ownersBucket), string(commandsBucket):
			return nil
		}
		return &store.DamageError{Place: fmt.Sprintf("zone %q", zone), Problem: fmt.Sprintf("unknown key %q", k)}
	})
	if err == nil && n != 1 && n != 5 {
		err = &store.DamageError{Place: fmt.Sprintf("zone %q", zone), Problem: fmt.Sprintf("it has only %d of its 5 parts", n)}
	}
	return n, err
}

func readCut(tx *bbolt.Tx, bucket *bbolt.Bucket, zone string) (*store.Cut, error) {
	owners, commands := bucket.Bucket(ownersBucket), bucket.Bucket(commandsBucket)
	if owners == nil || commands == nil {
		return nil, &store.DamageError{Problem: "its owners or its commands are not a bucket"}
	}
	sum, err := record.ReadSum(bucket.Get(sumKey))
	if err != nil {
		return nil, record.At(err, "", "the sum")
	}
	var a arena
	r := record.NewReader(zone)
	if err := r.Head(a.copy(bucket.Get(headKey))); err != nil {
		return nil, err
	}
	where := tx.Bucket(whereBucket)
	err = owners.ForEach(func(k, encoded []byte) error {
		if len(k) != 8 {
			return &store.DamageError{Place: "owners", Problem: fmt.Sprintf("%x is not an id", k)}
		}
		id := buff.OwnerID(binary.BigEndian.Uint64(k))
		if in := where.Get(k); string(in) != zone {
			return &store.DamageError{Place: fmt.Sprintf("owner %d", id), Problem: fmt.Sprintf("it is recorded in zone %q", in)}
		}
		return r.Owner(id, a.copy(encoded))
	})
	if err != nil {
		return nil, err
	}
	err = commands.ForEach(func(k, encoded []byte) error {
		if len(k) != 8 {
			return &store.DamageError{Place: "commands", Problem: fmt.Sprintf("%x is not a frame", k)}
		}
		return r.Commands(binary.BigEndian.Uint64(k), encoded)
	})
	if err != nil {
		return nil, err
	}
	return r.Cut(sum)
}

// arena copies many small values out of bbolt's memory with few allocations.
type arena struct{ rest []byte }

const arenaBytes = 1 << 20

func (a *arena) copy(b []byte) []byte {
	if len(b) > len(a.rest) {
		if len(b) > arenaBytes/4 {
			return append([]byte(nil), b...)
		}
		a.rest = make([]byte, arenaBytes)
	}
	n := copy(a.rest, b)
	out := a.rest[:n:n]
	a.rest = a.rest[n:]
	return out
}
