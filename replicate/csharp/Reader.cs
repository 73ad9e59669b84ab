// SPDX-License-Identifier: MIT
using System;
using System.Text;

namespace Bufftick
{
    // Reader decodes the fields of a message. After an error it returns only zeros.
    struct Reader
    {
        readonly byte[] bytes;
        readonly int end;
        int at;

        internal Reader(byte[] bytes, int offset, int count)
        {
            this.bytes = bytes;
            at = offset;
            end = offset + count;
            Bad = false;
        }

        // Bad reports whether the message ended too early, or a number was out of range.
        internal bool Bad { get; private set; }

        internal ReceiveError Error => Bad ? ReceiveError.Format : ReceiveError.None;

        internal bool More => at < end;

        internal byte ReadByte()
        {
            if (Bad || at >= end)
            {
                Fail();
                return 0;
            }
            return bytes[at++];
        }

        // ReadNumber reads an unsigned number that must not exceed the given maximum.
        internal ulong ReadNumber(ulong max = ulong.MaxValue)
        {
            ulong v = 0;
            for (int shift = 0; shift < 70; shift += 7)
            {
                byte b = ReadByte();
                if (shift == 63 && b > 1) break;
                v |= (ulong)(b & 0x7F) << shift;
                if (b < 0x80) return v > max || Bad ? Fail() : v;
            }
            return Fail();
        }

        internal int ReadInt() => (int)ReadNumber(int.MaxValue);

        internal long ReadSigned()
        {
            ulong v = ReadNumber();
            return (long)(v >> 1) ^ -(long)(v & 1);
        }

        internal ulong ReadFixed()
        {
            ulong v = 0;
            for (int shift = 0; shift < 64; shift += 8) v |= (ulong)ReadByte() << shift;
            return Bad ? 0 : v;
        }

        internal double ReadDouble() => BitConverter.Int64BitsToDouble(unchecked((long)ReadFixed()));

        // ReadLength reads a length and returns where the bytes of that length end.
        internal int ReadLength()
        {
            ulong size = ReadNumber();
            if (size > (ulong)(end - at)) size = Fail();
            return at + (int)size;
        }

        // SkipTo continues at an offset, which must not have been passed.
        internal void SkipTo(int offset)
        {
            if (at > offset) Fail();
            else at = offset;
        }

        // Copy returns the bytes before an offset, and Matches compares them.
        internal byte[] Copy(int stop)
        {
            var copy = new byte[stop - at];
            Array.Copy(bytes, at, copy, 0, copy.Length);
            return copy;
        }

        internal bool Matches(byte[] other, int stop)
        {
            if (other.Length != stop - at) return false;
            for (int k = 0; k < other.Length; k++) if (bytes[at + k] != other[k]) return false;
            return true;
        }

        // SkipName skips a text, and reports whether it has 1 to max visible ASCII characters.
        internal bool SkipName(int max)
        {
            int stop = ReadLength(), start = at;
            at = stop;
            bool valid = stop > start && stop - start <= max;
            for (int k = start; k < stop; k++) valid &= bytes[k] > ' ' && bytes[k] <= '~';
            return valid && !Bad;
        }

        internal string ReadText() => ReadText(null);

        // ReadText returns the given text if it is the next one, which must be ASCII.
        internal string ReadText(string known)
        {
            int stop = ReadLength(), start = at;
            at = stop;
            bool same = known != null && known.Length == stop - start;
            for (int k = start; same && k < stop; k++) same = bytes[k] == known[k - start];
            return same ? known : Encoding.UTF8.GetString(bytes, start, stop - start);
        }

        internal ulong Fail()
        {
            Bad = true;
            return 0;
        }
    }
}
