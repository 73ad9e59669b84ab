package engine_test

import (
	"errors"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
)

// post issues a command of a producer, and reports whether it was accepted.
func (s *soak) post(k int) bool {
	in, id := s.posts[k], s.someone()
	var err error
	switch s.dice.IntN(8) {
	case 0:
		if err = in.AddTimeout(id, s.delay(s.dice), s.ring()); err == nil {
			s.rings++
		}
	case 1:
		if err = in.AddBuff(id, s.numbered(soakLoop+1+k, s.catalog.Spec("many"))); err == nil {
			s.issued++
		}
	default:
		if err = in.AddBuff(id, s.numbered(soakLoop+1+k, s.coin)); err == nil {
			s.issued++
		}
	}
	if err != nil {
		require.ErrorIs(s.t, err, engine.ErrInboxFull)
	}
	return err == nil
}

// apply applies a buff or a coin, on the loop.
func (s *soak) apply(id buff.OwnerID, spec *buff.Spec) {
	a := s.numbered(soakLoop, spec)
	if s.touched[spec] {
		a.Magnitude, a.Source = 0, buff.OwnerID(5000+s.dice.IntN(20))
	}
	r := s.eng.AddBuff(id, a)
	switch {
	case r.Failure == nil, errors.Is(r.Failure, buff.ErrFull):
		if a.Magnitude != 0 {
			s.issued++
		}
	default:
		require.True(s.t, errors.Is(r.Failure, engine.ErrOverloaded) || errors.Is(r.Failure, engine.ErrUnknownOwner), "%v", r.Failure)
	}
}

// verb makes a random call of the loop.
func (s *soak) verb() {
	id, e := s.someone(), s.eng
	switch s.dice.IntN(11) {
	case 10:
		s.dieOrRise(id)
	case 0:
		s.apply(id, s.coin)
	case 1:
		s.remind(id)
	case 2:
		s.cancel()
	case 3:
		if e.Data(id) != nil && !e.Busy(id) {
			e.Do(buff.Dispel(id, buff.Query{Type: "magic", Most: 2}))
		}
	case 4:
		if s.dice.IntN(20) == 0 {
			_ = e.Do(buff.LoseSource(buff.OwnerID(5000 + s.dice.IntN(20)))).Failure
		}
	case 5:
		if s.dice.IntN(2) == 0 {
			s.comeOrGo(id)
		}
	default:
		s.apply(id, s.all[s.dice.IntN(len(s.all))])
	}
}

// dieOrRise kills an owner, with the auras that it bears, or revives it.
func (s *soak) dieOrRise(id buff.OwnerID) {
	switch e := s.eng; {
	case e.Data(id) == nil || e.Busy(id):
	case s.dice.IntN(4) == 0:
		require.NoError(s.t, e.Do(buff.Kill(id)).Failure)
		s.deaths++
	default:
		require.NoError(s.t, e.Do(buff.Revive(id)).Failure)
	}
}

// members lists the members of an aura: possibly the bearer, its neighbours, and some owners that
// change.
func (s *soak) members(q engine.AuraQuery, found func(buff.OwnerID)) {
	s.looks++
	at := int(q.Bearer) + int(q.Due/3000)
	if at%3 > 0 {
		found(q.Bearer)
	}
	for k := range 4 {
		found(1 + buff.OwnerID((at+k*k)%soakOwners))
	}
}

// remind adds a timeout, on the loop.
func (s *soak) remind(id buff.OwnerID) {
	h, err := s.eng.AddTimeout(id, s.delay(s.dice), s.ring())
	switch {
	case errors.Is(err, buff.ErrFull):
		s.full-- // it was not accepted, although there is an event
	case err == nil:
		s.rings++
		if s.recent = append(s.recent, soakRing{id, h}); len(s.recent) > 64 {
			s.recent = s.recent[1:]
		}
	}
}

// cancel cancels a timeout. For a busy owner the Result is Queued. By now the number of the
// timeout's owner may belong to another busy owner, which then finds no such timeout.
func (s *soak) cancel() {
	if len(s.recent) == 0 {
		return
	}
	r := s.recent[s.dice.IntN(len(s.recent))]
	if r.handle == 0 || s.eng.Busy(r.owner) {
		return
	}
	switch res := s.eng.Cancel(r.handle); {
	case res.Queued:
		s.stray++
	case res.Kind == buff.Removed:
		s.undone++
	}
}

// comeOrGo removes an owner, with or without a blob, or spawns it again.
func (s *soak) comeOrGo(id buff.OwnerID) {
	switch e, blob := s.eng, s.blobs[id]; {
	case e.Data(id) == nil && s.gone[id] && e.Stats().Busy > 0: // it may not have left yet
	case e.Data(id) == nil && blob != nil:
		delete(s.blobs, id)
		_, err := e.Restore(id, s.owner(id), blob)
		require.NoError(s.t, err)
	case e.Data(id) == nil:
		delete(s.gone, id)
		require.NoError(s.t, e.Spawn(id, s.owner(id)))
	case s.dice.IntN(8) > 0: // most owners stay
	case s.dice.IntN(3) == 0:
		s.gone[id] = true
		require.NoError(s.t, e.Drop(id))
	default:
		blob, err := e.Despawn(id)
		if err != nil {
			require.ErrorIs(s.t, err, engine.ErrBusy)
			return
		}
		s.blobs[id] = blob
	}
}
