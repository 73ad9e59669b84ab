// SPDX-License-Identifier: MIT
using System.Collections.Generic;

namespace Bufftick
{
    // AttributeTable holds the names and steps of the attributes that the server sends.
    sealed class AttributeTable
    {
        internal const int Max = 64;
        const int MaxName = 128;

        struct Entry
        {
            internal bool Known;
            internal string Name; // also after Clear, to be used again
            internal int Index; // in names
            internal double Step;
        }

        readonly Entry[] entries = new Entry[Max]; // by number
        readonly List<string> names = new List<string>(Max); // without duplicates

        internal IReadOnlyList<string> Names => names;

        // Read reads the step and name of an attribute. Once known, they do not change until Clear.
        internal void Read(int number, ref Reader reader)
        {
            double step = reader.ReadDouble();
            Reader start = reader;
            if (!reader.SkipName(MaxName) || !(step > 0 && step <= double.MaxValue)) reader.Fail();
            if (reader.Bad || entries[number].Known) return;
            string name = start.ReadText(entries[number].Name);
            int index = names.IndexOf(name);
            if (index < 0)
            {
                index = names.Count;
                names.Add(name);
            }
            entries[number] = new Entry { Known = true, Name = name, Index = index, Step = step };
        }

        // Set sets a value in steps, and returns false if the attribute is not known.
        internal bool Set(Owner owner, int number, long steps)
        {
            Entry entry = entries[number];
            if (entry.Known) owner.SetAttribute(entry.Index, steps * entry.Step);
            return entry.Known;
        }

        // Find returns the index of a name in Names, or -1.
        internal int Find(string name) => names.IndexOf(name);

        internal void Clear()
        {
            for (int number = 0; number < Max; number++) entries[number].Known = false;
            names.Clear();
        }
    }
}
