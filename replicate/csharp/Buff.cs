// SPDX-License-Identifier: MIT
using System;

namespace Bufftick
{
    /// <summary>Reasons why a buff is paused.</summary>
    [Flags]
    public enum Held : byte
    {
        /// <summary>It is not paused.</summary>
        None = 0,

        /// <summary>The buff itself is paused.</summary>
        Buff = 1,

        /// <summary>Its owner is paused.</summary>
        Owner = 2,

        /// <summary>The area is paused.</summary>
        Area = 4,

        /// <summary>Its owner is dead.</summary>
        Death = 8,
    }

    /// <summary>The state of a buff of an owner in view after the last message.</summary>
    public struct Buff
    {
        internal const int HasTime = 0x01, HasStacks = 0x02, HasPower = 0x04, HasCharges = 0x08, HasShield = 0x10, HasHidden = 0x20,
            HasWaiting = 0x40, HasSpec = 0x80;
        const int TimeNever = 0, TimeEnds = 1, TimeRate = 2, TimeHeld = 3;
        const ulong MaxRate = 1000000000;

        internal int Previous, Next; // in a list of the BuffTable
        long? left; // if paused

        /// <summary>Slot on its owner; reused once the buff has ended.</summary>
        public int Slot { get; internal set; }

        /// <summary>Number of its definition, see <see cref="BuffClient.TryGetSpec"/>.</summary>
        public uint Spec { get; private set; }

        /// <summary>Id of its source.</summary>
        public ulong Source { get; private set; }

        /// <summary>Number of stacks.</summary>
        public int Stacks { get; private set; }

        /// <summary>Magnitude given when it was applied.</summary>
        public long Magnitude { get; private set; }

        /// <summary>Level given when it was applied.</summary>
        public int Level { get; private set; }

        /// <summary>Remaining charges.</summary>
        public int Charges { get; private set; }

        /// <summary>Remaining shield.</summary>
        public long Shield { get; private set; }

        /// <summary>Number of queued applications.</summary>
        public int Waiting { get; private set; }

        /// <summary>Whether the buff currently has no effect.</summary>
        public bool Hidden { get; private set; }

        /// <summary>Server time of its end at the current rate, in ms; null if it has no end or is
        /// paused.</summary>
        public long? End { get; private set; }

        /// <summary>Reasons why it is paused.</summary>
        public Held Held { get; private set; }

        /// <summary>Rate of its time: RateNum ms of its own time pass in <see cref="RateDen"/> ms of
        /// server time.</summary>
        public int RateNum { get; private set; }

        /// <summary>See <see cref="RateNum"/>.</summary>
        public int RateDen { get; private set; }

        /// <summary>Returns the remaining ms of the buff's own time at the given server time; null if
        /// it has no end. The remaining time of a paused buff does not change.</summary>
        public long? Left(long now)
        {
            if (Held != Held.None) return left;
            if (End == null) return null;
            const long max = 1L << 62;
            long span = Math.Max(End.Value - now, 0), whole = span / RateDen;
            return whole <= max / RateNum ? whole * RateNum + span % RateDen * RateNum / RateDen : max;
        }

        // Read decodes the fields that the mask names.
        internal void Read(int mask, ref Reader reader, long now)
        {
            if ((mask & HasSpec) != 0)
            {
                this = new Buff
                {
                    Previous = Previous, Next = Next, Slot = Slot, Spec = (uint)reader.ReadNumber(uint.MaxValue), Source = reader.ReadNumber(),
                    Stacks = 1, RateNum = 1, RateDen = 1,
                };
            }
            if ((mask & HasTime) != 0) ReadTime(ref reader, now);
            if ((mask & HasStacks) != 0) Stacks = reader.ReadInt();
            if ((mask & HasPower) != 0)
            {
                Magnitude = reader.ReadSigned();
                Level = reader.ReadInt();
            }
            if ((mask & HasCharges) != 0) Charges = reader.ReadInt();
            if ((mask & HasShield) != 0) Shield = (long)reader.ReadNumber(long.MaxValue);
            if ((mask & HasHidden) != 0) Hidden = (reader.ReadByte() & 1) != 0;
            if ((mask & HasWaiting) != 0) Waiting = reader.ReadInt();
        }

        void ReadTime(ref Reader reader, long now)
        {
            ulong v = reader.ReadNumber(BuffClient.MaxTime);
            int form = (int)(v & 3);
            var ms = (long)(v >> 2);
            End = left = null;
            Held = Held.None;
            RateNum = RateDen = 1;
            if (form == TimeNever) return;
            if (form == TimeEnds)
            {
                End = now + ms;
                return;
            }
            if (form == TimeHeld) Held = (Held)reader.ReadByte();
            if (ms > 0)
            {
                if (form == TimeHeld) left = ms - 1;
                else End = now + ms - 1;
            }
            RateNum = (int)reader.ReadNumber(MaxRate);
            RateDen = (int)reader.ReadNumber(MaxRate);
            if (RateNum == 0 || RateDen == 0) reader.Fail();
            if (RateNum == RateDen) RateNum = RateDen = 1;
        }
    }
}
