// SPDX-License-Identifier: MIT
using System.Collections.Generic;

namespace Bufftick
{
    /// <summary>Whether a buff is good or bad for its owner.</summary>
    public enum Polarity
    {
        /// <summary>Neither good nor bad.</summary>
        Neutral,

        /// <summary>Good for its owner.</summary>
        Good,

        /// <summary>Bad for its owner.</summary>
        Bad,
    }

    /// <summary>Which applications of a definition join the same buff.</summary>
    public enum StackBy
    {
        /// <summary>None: each one starts a new buff.</summary>
        None,

        /// <summary>Those of the same source.</summary>
        Source,

        /// <summary>All on the same owner.</summary>
        Target,

        /// <summary>Those with the same key.</summary>
        Key,
    }

    /// <summary>The part of a buff's definition that is sent to clients.</summary>
    public sealed class Spec
    {
        const ulong MaxDuration = 9223372036854, MaxParams = 64;

        readonly byte[] encoded;

        internal Spec(ref Reader reader, byte[] encoded)
        {
            this.encoded = encoded;
            Id = reader.ReadText();
            Name = reader.ReadText();
            Icon = reader.ReadText();
            int flags = reader.ReadByte();
            Hide = (flags & 1) != 0;
            Polarity = (Polarity)(flags >> 1 & 3);
            By = (StackBy)(flags >> 3 & 3);
            Priority = reader.ReadSigned();
            Duration = (long)reader.ReadNumber(MaxDuration);
            Limit = reader.ReadInt();
            var values = new Dictionary<string, double>();
            for (ulong count = reader.ReadNumber(MaxParams); count > 0 && !reader.Bad; count--)
            {
                string name = reader.ReadText();
                values[name] = reader.ReadDouble();
            }
            Params = values;
        }

        // IsEncodedAs reports whether the definition was read from the same bytes.
        internal bool IsEncodedAs(ref Reader reader, int end) => reader.Matches(encoded, end);

        /// <summary>Id of the definition, such as "poison".</summary>
        public string Id { get; }

        /// <summary>Name for players; empty if it has none.</summary>
        public string Name { get; }

        /// <summary>Name of the icon.</summary>
        public string Icon { get; }

        /// <summary>Whether the buff is not displayed.</summary>
        public bool Hide { get; }

        /// <summary>Whether it is good or bad for its owner.</summary>
        public Polarity Polarity { get; }

        /// <summary>The highest is displayed first.</summary>
        public long Priority { get; }

        /// <summary>Duration in ms; 0 if it does not end by itself.</summary>
        public long Duration { get; }

        /// <summary>Which applications join the same buff.</summary>
        public StackBy By { get; }

        /// <summary>Maximum number of stacks.</summary>
        public int Limit { get; }

        /// <summary>Numbers for its description; NaN if the value varies between buffs.</summary>
        public IReadOnlyDictionary<string, double> Params { get; }
    }
}
