namespace Bufftick
{
    /// <summary>An owner of buffs that is in view. The client may reuse the object for another
    /// owner when this one has left the view, so look owners up by id after each message.</summary>
    public sealed class Owner
    {
        readonly BuffTable table;
        internal readonly int Local;
        internal bool InView;
        internal int First, Last, Count; // its buffs in the table

        internal Owner(BuffTable table, int local)
        {
            this.table = table;
            Local = local;
        }

        /// <summary>Id of the owner.</summary>
        public ulong Id { get; internal set; }

        /// <summary>Whether the owner is dead.</summary>
        public bool Dead { get; internal set; }

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
