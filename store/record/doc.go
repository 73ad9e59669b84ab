// Package record helps you write a store: a type that implements store.Store. A game does not
// need it.
//
// A record is the unit of storage. It has a kind, a version and a CRC-32C, and is specified in
// docs/format.md. A store decides where its records are kept; this package encodes and decodes
// them:
//
//	record            encode            decode
//	head of a cut     AppendHead        Reader.Head
//	owner             AppendOwner       Reader.Owner, ReadOwner
//	command ids       AppendCommands    Reader.Commands, CountCommands
//	sum of a cut      AppendSum         ReadSum, Reader.Cut
//	number and name   AppendMark        ReadMark
//	whole cut         AppendCut         ParseCut
//
// A Commit checks its Batch with [Prepare] and, in the transaction that reads the zone's current
// epoch and frame, with [Follows]. Then it writes the records, and calls [GiveWay] now and then.
// An Open passes what it has read to a [Reader], which returns the cut or the location of the
// damage. [At] adds the name of the file to such an error. At the end, check your store with
// storetest.Run.
package record
