package replicate

import (
	"encoding/binary"
	"hash/fnv"
	"math"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
)

// Definitions returns a message with the definitions for clients, except definitions with "sync:
// none". The caller must not modify it. Packets contain the fingerprint of the definitions that
// they refer to. A client that has kept the message with this fingerprint does not need it again.
// After the engine reloads its catalog, the next Update makes a new message.
func (s *Server) Definitions() []byte { return s.definitions }

// Fingerprint returns the fingerprint of the Definitions message.
func (s *Server) Fingerprint() uint64 { return s.fingerprint }

// define encodes the definitions of a catalog.
func (s *Server) define(c *buff.Catalog) {
	s.catalog = c
	var body []byte
	n := 0
	for spec := range c.All() {
		if spec.Client.Sync != define.SyncNone && spec.Kind != define.Instant {
			n++
			body = appendSpec(body, spec)
		}
	}
	body = append(binary.AppendUvarint(nil, uint64(n)), body...)
	h := fnv.New64a()
	h.Write(body)
	s.fingerprint = max(h.Sum64(), 1)
	s.definitions = binary.LittleEndian.AppendUint64([]byte{kindDefine}, s.fingerprint)
	s.definitions = append(s.definitions, body...)
}

func appendSpec(p []byte, s *buff.Spec) []byte {
	p = binary.AppendUvarint(p, uint64(s.Lineage()))
	p = appendString(appendString(p, s.ID), s.Client.Icon)
	flags := byte(s.Polarity) << 1
	if s.Client.Hide {
		flags |= 1
	}
	p = append(p, flags)
	p = binary.AppendVarint(p, int64(s.Client.Priority))
	p = binary.AppendUvarint(p, uint64(s.Duration.Milliseconds()))
	p = binary.AppendUvarint(p, uint64(len(s.Params)))
	for _, x := range s.Params {
		v := math.NaN() // the number varies between buffs
		if x.Value.From == define.FromConst {
			v = x.Value.Const
		}
		p = binary.LittleEndian.AppendUint64(appendString(p, x.Name), math.Float64bits(v))
	}
	return p
}

func appendString(p []byte, s string) []byte {
	return append(binary.AppendUvarint(p, uint64(len(s))), s...)
}
