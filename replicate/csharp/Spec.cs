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

    /// <summary>The part of a buff's definition that is sent to clients.</summary>
    public sealed class Spec
    {
        const ulong MaxDuration = 9223372036854, MaxParams = 64;

        internal Spec(ref Reader reader)
        {
            Id = reader.ReadText();
            Icon = reader.ReadText();
            int flags = reader.ReadByte();
            Hide = (flags & 1) != 0;
            Polarity = (Polarity)(flags >> 1 & 3);
            Priority = reader.ReadSigned();
            Duration = (long)reader.ReadNumber(MaxDuration);
            var values = new Dictionary<string, double>();
            for (ulong count = reader.ReadNumber(MaxParams); count > 0 && !reader.Bad; count--)
            {
                string name = reader.ReadText();
                values[name] = reader.ReadDouble();
            }
            Params = values;
        }

        /// <summary>Id of the definition, such as "poison".</summary>
        public string Id { get; }

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

        /// <summary>Numbers for its description; NaN if the value varies between buffs.</summary>
        public IReadOnlyDictionary<string, double> Params { get; }
    }
}
