// SPDX-License-Identifier: MIT
using System;

namespace Bufftick
{
    /// <summary>An owner of buffs that is in view. The client may reuse the object for another
    /// owner when this one has left the view, so look owners up by id after each message.</summary>
    public sealed class Owner
    {
        readonly BuffTable table;
        readonly AttributeTable attributes;
        double[] values = new double[4]; // by index in AttributeTable.Names
        ulong known; // a bit for each value that is known
        internal readonly int Local;
        internal bool InView;
        internal int First, Last, Count; // its buffs in the table

        internal Owner(BuffTable table, AttributeTable attributes, int local)
        {
            this.table = table;
            this.attributes = attributes;
            Local = local;
        }

        /// <summary>Id of the owner.</summary>
        public ulong Id { get; internal set; }

        /// <summary>Whether the owner is dead.</summary>
        public bool Dead { get; internal set; }

        /// <summary>Gets the value of an attribute that the server sends to this client, such as
        /// "health", or "health/max_health" for a share from 0 to 1.</summary>
        public bool TryGetAttribute(string name, out double value)
        {
            int at = attributes.Find(name);
            bool found = at >= 0 && (known >> at & 1) != 0;
            value = found ? values[at] : 0;
            return found;
        }

        internal void SetAttribute(int at, double value)
        {
            while (at >= values.Length) Array.Resize(ref values, 2 * values.Length);
            values[at] = value;
            known |= 1UL << at;
        }

        internal void ClearAttributes() => known = 0;

        /// <summary>Its buffs, in the order in which they started.</summary>
        public BuffList Buffs => new BuffList(table, this);
    }

    /// <summary>The buffs of an owner. Enumerating them with foreach does not allocate.</summary>
    public struct BuffList
    {
        readonly BuffTable table;
        readonly Owner owner;

        internal BuffList(BuffTable table, Owner owner)
        {
            this.table = table;
            this.owner = owner;
        }

        /// <summary>Number of buffs.</summary>
        public int Count => owner.Count;

        /// <summary>Gets the buff in a slot.</summary>
        public bool TryGet(int slot, out Buff buff)
        {
            int at = slot >= 0 && slot < BuffClient.MaxSlots ? table.Find(owner, slot) : 0;
            buff = table[at];
            return at > 0;
        }

        /// <summary>Returns an enumerator for foreach.</summary>
        public Enumerator GetEnumerator() => new Enumerator(table, owner);

        /// <summary>Enumerates buffs. It is valid until the client's next message.</summary>
        public struct Enumerator
        {
            readonly BuffTable table;
            int at, next;

            internal Enumerator(BuffTable table, Owner owner)
            {
                this.table = table;
                at = 0;
                next = owner.First;
            }

            /// <summary>The current buff.</summary>
            public Buff Current => table[at];

            /// <summary>Advances to the next buff, and returns false if there is none.</summary>
            public bool MoveNext()
            {
                at = next;
                if (at == 0) return false;
                next = table[at].Next;
                return true;
            }
        }
    }
}
