// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;

namespace Bufftick
{
    /// <summary>Result of <see cref="BuffClient.Receive(byte[])"/>.</summary>
    public enum ReceiveError
    {
        /// <summary>The message was applied, or ignored because it arrived late or twice.</summary>
        None,

        /// <summary>An earlier packet was lost. The client keeps its state until the answer to
        /// <see cref="BuffClient.Missed"/> arrives.</summary>
        Gap,

        /// <summary>The message is malformed.</summary>
        Format,

        /// <summary>The message exceeds the limits of the client.</summary>
        Limit,
    }

    /// <summary>
    /// The buffs of the owners in a player's view, decoded from the messages of a bufftick server.
    /// It reads bytes from any transport, has no clock and starts no threads. All of its objects
    /// belong to one thread.
    /// </summary>
    /// <remarks>
    /// Once it has reached its final size, it allocates only in <see cref="Missed"/> and for new
    /// definitions. It does not trust the server: the limits bound its memory, and no message
    /// causes an exception.
    /// </remarks>
    public sealed class BuffClient
    {
        const byte KindPacket = 0x10, KindRepair = 0x11, KindDefinitions = 0x12, KindMissed = 0x20;
        const int PartFull = 1, PartLeave = 2, PartOther = 3;
        internal const int MaxSlots = 4096;
        internal const ulong MaxTime = 1UL << 48; // ms

        readonly int maxOwners, maxSpecs;
        readonly BuffTable buffs;
        readonly AttributeTable attributes = new AttributeTable();
        readonly IdComparer comparer = new IdComparer();
        readonly Dictionary<ulong, Owner> owners; // by id
        Owner[] locals = new Owner[64]; // by local number; an owner that is not in view is reused
        Dictionary<ulong, Spec> specs; // by number
        ulong last; // number of the last packet
        ulong specsFingerprint;

        /// <summary>Creates a client with an empty view.</summary>
        /// <param name="owners">Maximum number of owners in view.</param>
        /// <param name="buffs">Maximum number of buffs of all owners.</param>
        /// <param name="specs">Maximum number of definitions.</param>
        public BuffClient(int owners = 16384, int buffs = 65536, int specs = 131072)
        {
            if (owners < 0) throw new ArgumentOutOfRangeException(nameof(owners));
            if (buffs < 0) throw new ArgumentOutOfRangeException(nameof(buffs));
            if (specs < 0) throw new ArgumentOutOfRangeException(nameof(specs));
            maxOwners = owners;
            maxSpecs = specs;
            this.buffs = new BuffTable(buffs);
            this.owners = new Dictionary<ulong, Owner>(comparer);
            this.specs = new Dictionary<ulong, Spec>(comparer);
        }

        /// <summary>Server time of the last packet, in ms. Add the time that has passed since then
        /// on your own clock.</summary>
        public long Now { get; private set; }

        /// <summary>Fingerprint of all definitions of the server; 0 if unknown.</summary>
        public ulong Fingerprint { get; private set; }

        /// <summary>Whether the client has received all definitions in one message, and not only those
        /// of the buffs that it has seen.</summary>
        public bool Known => Fingerprint != 0 && Fingerprint == specsFingerprint;

        /// <summary>Names of the attributes that the server sends, see
        /// <see cref="Owner.TryGetAttribute"/>.</summary>
        public IReadOnlyList<string> AttributeNames => attributes.Names;

        /// <summary>Owners in view, in no particular order.</summary>
        public Dictionary<ulong, Owner>.ValueCollection Owners => owners.Values;

        /// <summary>Gets an owner in view.</summary>
        public bool TryGetOwner(ulong id, out Owner owner) => owners.TryGetValue(id, out owner);

        /// <summary>Gets the definition with the given number, see <see cref="Buff.Spec"/>.</summary>
        public bool TryGetSpec(uint number, out Spec spec) => specs.TryGetValue(number, out spec);

        /// <summary>Returns a message that requests all changes since the last packet or, if there
        /// was none, the whole state.</summary>
        public byte[] Missed()
        {
            int size = 2;
            for (ulong v = last; v >= 0x80; v >>= 7) size++;
            var message = new byte[size];
            message[0] = KindMissed;
            ulong rest = last;
            for (int k = 1; k < size; k++, rest >>= 7) message[k] = (byte)(rest & 0x7F | (k < size - 1 ? 0x80U : 0));
            return message;
        }

        /// <summary>Discards everything but the definitions. Call it for a new connection.</summary>
        public void Reset()
        {
            for (int local = 0; local < locals.Length; local++) Drop(local);
            attributes.Clear();
            last = 0;
            Fingerprint = 0;
        }

        /// <summary>
        /// Accepts a message. If the result is not <see cref="ReceiveError.None"/>, send
        /// <see cref="Missed"/>. If it is not <see cref="ReceiveError.Gap"/> either, the client has
        /// also discarded its state.
        /// </summary>
        public ReceiveError Receive(byte[] message)
        {
            if (message == null) throw new ArgumentNullException(nameof(message));
            return Receive(message, 0, message.Length);
        }

        /// <summary>Accepts a message that is a part of a buffer. The client does not keep the
        /// buffer.</summary>
        public ReceiveError Receive(byte[] buffer, int offset, int count)
        {
            if (buffer == null) throw new ArgumentNullException(nameof(buffer));
            if (offset < 0 || offset > buffer.Length) throw new ArgumentOutOfRangeException(nameof(offset));
            if (count < 0 || count > buffer.Length - offset) throw new ArgumentOutOfRangeException(nameof(count));
            if (count == 0) return ReceiveError.Format;
            var reader = new Reader(buffer, offset, count);
            int kind = reader.ReadByte();
            if (kind == KindDefinitions) return ReadDefinitions(ref reader);
            ReceiveError error = ReadPacket(kind, ref reader);
            if (error != ReceiveError.None && error != ReceiveError.Gap) Reset();
            return error;
        }

        ReceiveError ReadPacket(int kind, ref Reader reader)
        {
            if (kind != KindPacket && kind != KindRepair) return ReceiveError.Format;
            ulong number = reader.ReadNumber();
            if (number == 0) return ReceiveError.Format;
            ulong predecessor = kind == KindRepair ? reader.ReadNumber() : number - 1;
            long now = (long)reader.ReadNumber(MaxTime);
            if (reader.Bad || predecessor >= number) return ReceiveError.Format;
            if (number <= last) return ReceiveError.None;
            if (predecessor > last) return ReceiveError.Gap;
            while (reader.More)
            {
                ReceiveError error = ReadPart(ref reader, ref now);
                if (error != ReceiveError.None) return error;
            }
            last = number;
            Now = now;
            return ReceiveError.None;
        }

        ReceiveError ReadPart(ref Reader reader, ref long now)
        {
            ulong head = reader.ReadNumber(), local = head >> 2;
            int kind = (int)(head & 3);
            if (reader.Bad) return ReceiveError.Format;
            if (kind == PartOther) return ReadOther(local, ref reader, ref now);
            if (local >= (ulong)maxOwners) return ReceiveError.Limit;
            if (kind == PartLeave)
            {
                Drop((int)local);
                return ReceiveError.None;
            }
            if (kind == PartFull) Assign((int)local, reader.ReadNumber());
            Owner owner = Find((int)local);
            if (owner == null) return ReceiveError.Format;
            ulong records = reader.ReadNumber();
            for (; records > 0 && !reader.Bad; records--)
            {
                ReceiveError error = ReadRecord(owner, ref reader, now);
                if (error != ReceiveError.None) return error;
            }
            return reader.Error;
        }

        ReceiveError ReadOther(ulong code, ref Reader reader, ref long now)
        {
            if (code == 0) Fingerprint = reader.ReadFixed();
            else if (code == 1) now += (long)reader.ReadNumber(MaxTime - (ulong)now);
            else if (code == 2) return ReadSpec(ref reader, specs);
            else if (code == 3) return ReadAttribute(ref reader);
            else reader.SkipTo(reader.ReadLength()); // a part of a later version of the protocol
            return reader.Error;
        }

        // ReadAttribute reads the name of an attribute. Once known, it does not change until a Reset.
        ReceiveError ReadAttribute(ref Reader reader)
        {
            int end = reader.ReadLength();
            var number = (int)reader.ReadNumber(AttributeTable.Max - 1);
            attributes.Read(number, ref reader);
            reader.SkipTo(end);
            return reader.Error;
        }

        // ReadSpec reads one definition. It skips fields of later versions of the protocol.
        ReceiveError ReadSpec(ref Reader reader, Dictionary<ulong, Spec> to)
        {
            int end = reader.ReadLength();
            if (reader.Bad) return ReceiveError.Format;
            Reader start = reader;
            ulong number = reader.ReadNumber(uint.MaxValue);
            if (to.TryGetValue(number, out Spec known) && known.IsEncodedAs(ref start, end))
            {
                reader.SkipTo(end);
                return ReceiveError.None;
            }
            var spec = new Spec(ref reader, start.Copy(end));
            reader.SkipTo(end);
            if (reader.Bad) return ReceiveError.Format;
            if (to.Count >= maxSpecs && !to.ContainsKey(number)) return ReceiveError.Limit;
            to[number] = spec;
            return ReceiveError.None;
        }

        // ReadRecord applies a change of one buff or, if its first number is 0, of the owner.
        ReceiveError ReadRecord(Owner owner, ref Reader reader, long now)
        {
            int slot = (int)reader.ReadNumber(MaxSlots) - 1;
            int mask = reader.ReadByte();
            if (reader.Bad) return ReceiveError.Format;
            if (slot < 0 && (mask & 2) != 0)
            {
                var number = (int)reader.ReadNumber(AttributeTable.Max - 1);
                long steps = reader.ReadSigned();
                return reader.Bad || !attributes.Set(owner, number, steps) ? ReceiveError.Format : ReceiveError.None;
            }
            if (slot < 0)
            {
                owner.Dead = (mask & 1) != 0;
                return ReceiveError.None;
            }
            int at = buffs.Find(owner, slot);
            if (mask == 0)
            {
                if (at > 0) buffs.Remove(owner, at);
                return ReceiveError.None;
            }
            if ((mask & Buff.HasSpec) != 0 && at == 0)
            {
                at = buffs.Add(owner, slot);
                if (at == 0) return ReceiveError.Limit;
            }
            if (at == 0) return ReceiveError.Format;
            buffs[at].Read(mask, ref reader, now);
            return reader.Error;
        }

        Owner Find(int local)
        {
            Owner owner = local < locals.Length ? locals[local] : null;
            return owner != null && owner.InView ? owner : null;
        }

        // Assign gives a local number to an owner, which loses its previous local number.
        void Assign(int local, ulong id)
        {
            Drop(local);
            if (owners.TryGetValue(id, out Owner before)) Drop(before.Local);
            if (local >= locals.Length) Array.Resize(ref locals, Math.Min(Math.Max(local + 1, 2 * locals.Length), maxOwners));
            if (locals[local] == null) locals[local] = new Owner(buffs, attributes, local);
            Owner owner = locals[local];
            owner.Id = id;
            owner.Dead = false;
            owner.InView = true;
            owners.Add(id, owner);
        }

        void Drop(int local)
        {
            Owner owner = Find(local);
            if (owner == null) return;
            buffs.Clear(owner);
            owner.ClearAttributes();
            owner.InView = false;
            owners.Remove(owner.Id);
        }

        ReceiveError ReadDefinitions(ref Reader reader)
        {
            ulong fingerprint = reader.ReadFixed(), count = reader.ReadNumber();
            if (count > (ulong)maxSpecs) return ReceiveError.Limit;
            var defined = new Dictionary<ulong, Spec>(specs, comparer);
            for (; count > 0 && !reader.Bad; count--)
            {
                ReceiveError error = ReadSpec(ref reader, defined);
                if (error != ReceiveError.None) return error;
            }
            if (reader.Bad || reader.More) return ReceiveError.Format;
            specs = defined;
            specsFingerprint = fingerprint;
            return ReceiveError.None;
        }
    }

    // IdComparer hashes ids with a secret factor, so that a server cannot choose ids whose hashes are
    // equal, which would make the client slow.
    sealed class IdComparer : IEqualityComparer<ulong>
    {
        readonly ulong factor = BitConverter.ToUInt64(Guid.NewGuid().ToByteArray(), 0) | 1;

        public bool Equals(ulong a, ulong b) => a == b;

        public int GetHashCode(ulong id) => unchecked((int)(id * factor >> 32));
    }
}
