// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;

namespace Bufftick
{
    // BuffTable holds the buffs of all owners in one array. An owner's buffs are a linked list in it,
    // and so are the free places. Index 0 is not used: it ends a list.
    sealed class BuffTable
    {
        readonly int limit;
        readonly Dictionary<long, int> places = new Dictionary<long, int>();
        Buff[] buffs = new Buff[64];
        int used; // the highest index that has been in use
        int free; // the first free place below it

        internal BuffTable(int limit)
        {
            this.limit = limit;
        }

        internal ref Buff this[int at] => ref buffs[at];

        static long Key(Owner owner, int slot) => (long)owner.Local * BuffClient.MaxSlots + slot;

        // Find returns the index of the buff in a slot, or 0.
        internal int Find(Owner owner, int slot) => places.TryGetValue(Key(owner, slot), out int at) ? at : 0;

        // Add appends a buff in a slot that has none, and returns its index, or 0 if the table is full.
        internal int Add(Owner owner, int slot)
        {
            if (places.Count >= limit) return 0;
            int at = free;
            if (at > 0) free = buffs[at].Next;
            else
            {
                at = ++used;
                if (at == buffs.Length) Array.Resize(ref buffs, 2 * buffs.Length);
            }
            buffs[at] = new Buff { Slot = slot, Previous = owner.Last };
            if (owner.Last > 0) buffs[owner.Last].Next = at;
            else owner.First = at;
            owner.Last = at;
            owner.Count++;
            places.Add(Key(owner, slot), at);
            return at;
        }

        internal void Remove(Owner owner, int at)
        {
            int previous = buffs[at].Previous, next = buffs[at].Next;
            if (previous > 0) buffs[previous].Next = next;
            else owner.First = next;
            if (next > 0) buffs[next].Previous = previous;
            else owner.Last = previous;
            owner.Count--;
            places.Remove(Key(owner, buffs[at].Slot));
            buffs[at] = new Buff { Next = free };
            free = at;
        }

        internal void Clear(Owner owner)
        {
            while (owner.First > 0) Remove(owner, owner.First);
        }
    }
}
