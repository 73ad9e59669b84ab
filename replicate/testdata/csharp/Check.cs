// Checks of the C# client, run by csharp_test.go.
//
//   Check.exe vectors FILE          compares the client with lists of messages, one list on each line
//   Check.exe fuzz FILE N SEED      feeds N corrupted messages of the lists to the client
//   Check.exe allocations FILE N    measures the allocations of N messages of the lists
//   Check.exe collisions            counts collisions of ids chosen to have the same hash
using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Text;
using Bufftick;

static class Check
{
    static int Main(string[] args)
    {
        try
        {
            switch (args[0])
            {
                case "vectors": return Vectors(args[1]);
                case "fuzz": return Fuzz(args[1], int.Parse(args[2]), ulong.Parse(args[3]));
                case "collisions": return Collisions();
                case "allocations": return Allocations(args[1], int.Parse(args[2]));
            }
            throw new ArgumentException(args[0]);
        }
        catch (Exception e)
        {
            Console.WriteLine(e);
            return 1;
        }
    }

    const string MessageKey = "\"message\":\"";

    static int Vectors(string file)
    {
        int count = 0;
        foreach (string line in File.ReadLines(file))
        {
            var client = new BuffClient();
            for (int at = 0; (at = line.IndexOf(MessageKey, at, StringComparison.Ordinal)) >= 0; count++)
            {
                at += MessageKey.Length;
                int end = line.IndexOf('"', at);
                string hex = line.Substring(at, end - at);
                ReceiveError error = client.Receive(Bytes(hex));
                string got = "\"" + (error == ReceiveError.None ? "" : ",\"error\":\"" + error.ToString().ToLowerInvariant() + "\"")
                    + ",\"answer\":\"" + Hex(client.Missed()) + "\",\"state\":" + Screen(client) + "}";
                if (string.CompareOrdinal(line, end, got, 0, got.Length) != 0)
                    throw new Exception(hex + "\n got " + got + "\nwant " + line.Substring(end, Math.Min(line.Length - end, got.Length + 200)));
                at = end;
            }
        }
        if (count == 0) throw new Exception("no messages");
        Console.WriteLine(count + " messages");
        return 0;
    }

    // Screen writes the state of a client as encoding/json of Go does.
    static string Screen(BuffClient client)
    {
        var text = new StringBuilder();
        text.Append("{\"now\":").Append(client.Now).Append(",\"fingerprint\":\"").Append(client.Fingerprint.ToString("x16"));
        text.Append("\",\"known\":").Append(client.Known ? "true" : "false").Append(",\"owners\":[");
        string comma = "";
        foreach (Owner owner in client.Owners.OrderBy(o => o.Id))
        {
            if (!client.TryGetOwner(owner.Id, out Owner same) || same != owner) throw new Exception("owner " + owner.Id + " is not found");
            text.Append(comma).Append("{\"id\":\"").Append(owner.Id).Append("\",\"dead\":").Append(owner.Dead ? "true" : "false");
            string names = "";
            foreach (string name in client.AttributeNames.OrderBy(n => n, StringComparer.Ordinal))
            {
                if (!owner.TryGetAttribute(name, out double value)) continue;
                names += (names == "" ? ",\"attributes\":{" : ",") + Quote(name) + ":\"" + BitConverter.DoubleToInt64Bits(value).ToString("x16") + "\"";
            }
            text.Append(names == "" ? "" : names + "}").Append(",\"buffs\":[");
            comma = "";
            foreach (Buff buff in Sorted(owner))
            {
                text.Append(comma);
                Write(text, client, buff);
                comma = ",";
            }
            text.Append("]}");
            comma = ",";
        }
        return text.Append("]}").ToString();
    }

    static List<Buff> Sorted(Owner owner)
    {
        var buffs = new List<Buff>();
        foreach (Buff buff in owner.Buffs) buffs.Add(buff);
        foreach (Buff buff in buffs)
            if (!owner.Buffs.TryGet(buff.Slot, out Buff same) || !same.Equals(buff)) throw new Exception("slot " + buff.Slot + " is not found");
        if (buffs.Count != owner.Buffs.Count || owner.Buffs.TryGet(-1, out _)) throw new Exception(buffs.Count + " buffs, want " + owner.Buffs.Count);
        buffs.Sort((a, b) => a.Slot - b.Slot);
        return buffs;
    }

    static void Write(StringBuilder text, BuffClient client, Buff b)
    {
        string name = client.TryGetSpec(b.Spec, out Spec spec) ? spec.Id : "";
        text.Append("{\"slot\":").Append(b.Slot).Append(",\"spec\":").Append(b.Spec).Append(",\"name\":").Append(Quote(name));
        text.Append(",\"title\":").Append(Quote(spec == null ? "" : spec.Name));
        text.Append(",\"facts\":[");
        if (spec != null)
        {
            text.Append(spec.Hide ? 1 : 0).Append(',').Append((int)spec.Polarity).Append(',').Append(spec.Duration).Append(',').Append((int)spec.By);
            text.Append(',').Append(spec.Limit);
        }
        text.Append(']');
        text.Append(",\"source\":\"").Append(b.Source).Append("\",\"stacks\":").Append(b.Stacks).Append(",\"magnitude\":\"").Append(b.Magnitude);
        text.Append("\",\"level\":").Append(b.Level).Append(",\"charges\":").Append(b.Charges).Append(",\"shield\":\"").Append(b.Shield);
        text.Append("\",\"waiting\":").Append(b.Waiting).Append(",\"hidden\":").Append(b.Hidden ? "true" : "false").Append(",\"held\":").Append((int)b.Held);
        text.Append(",\"rate\":[").Append(b.RateNum).Append(',').Append(b.RateDen).Append("],\"left\":").Append(Number(b.Left(client.Now)));
        text.Append(",\"later\":").Append(Number(b.Left(client.Now + 1000))).Append('}');
    }

    static string Number(long? v) => v == null ? "null" : v.Value.ToString(CultureInfo.InvariantCulture);

    static string Quote(string s)
    {
        var text = new StringBuilder("\"");
        foreach (char c in s)
        {
            if (c == '"' || c == '\\') text.Append('\\').Append(c);
            else if (c == '\n') text.Append("\\n");
            else if (c == '\r') text.Append("\\r");
            else if (c == '\t') text.Append("\\t");
            else if (c == '\b') text.Append("\\b");
            else if (c == '\f') text.Append("\\f");
            else if (c < 0x20 || c == '<' || c == '>' || c == '&' || c == 0x2028 || c == 0x2029) text.Append("\\u").Append(((int)c).ToString("x4"));
            else text.Append(c);
        }
        return text.Append('"').ToString();
    }

    // Fuzz checks that corrupted messages cause only the documented errors, leave no partial state
    // and keep the client within its limits.
    static int Fuzz(string file, int count, ulong seed)
    {
        const int owners = 20, buffs = 60, specs = 30;
        List<byte[]> messages = Lists(file).SelectMany(list => list).Where(m => m.Length > 0).ToList();
        var dice = new Random((int)seed);
        var ends = new int[4];
        BuffClient client = null;
        for (int n = 0; n < count; n++)
        {
            if (n % 40 == 0) client = new BuffClient(owners, buffs, specs);
            byte[] m = Corrupt(dice, messages);
            string before = Screen(client), missed = Hex(client.Missed());
            ReceiveError error = client.Receive(m);
            ends[(int)error]++;
            string after = Screen(client);
            bool packet = m.Length > 0 && !IsDefinitions(m);
            bool same = after == before && Hex(client.Missed()) == missed;
            bool empty = client.Owners.Count == 0 && client.Fingerprint == 0 && Hex(client.Missed()) == "2000";
            if (error == ReceiveError.Gap ? !same : error != ReceiveError.None && !(packet ? empty : same))
                throw new Exception(error + " after " + Hex(m) + " left a partial state: " + after);
            int total = 0;
            foreach (Owner owner in client.Owners)
            {
                total += owner.Buffs.Count;
                foreach (Buff buff in owner.Buffs)
                    if (buff.Left(client.Now) < 0 || buff.Slot < 0 || buff.Slot >= 4096) throw new Exception(Hex(m));
            }
            if (client.Owners.Count > owners || total > buffs) throw new Exception(Hex(m));
        }
        Console.WriteLine("{0} messages: {1} accepted, {2} gaps, {3} malformed, {4} over the limits", count, ends[0], ends[1], ends[2], ends[3]);
        return 0;
    }

    static byte[] Corrupt(Random dice, List<byte[]> messages)
    {
        var m = new List<byte>(messages[dice.Next(messages.Count)]);
        for (int k = dice.Next(6); k > 0 && m.Count > 0; k--)
        {
            switch (dice.Next(5))
            {
                case 0: m[dice.Next(m.Count)] = (byte)dice.Next(256); break;
                case 1: m[dice.Next(m.Count)] ^= (byte)(1 << dice.Next(8)); break;
                case 2:
                    int size = dice.Next(m.Count + 1);
                    m.RemoveRange(size, m.Count - size);
                    break;
                case 3: m.AddRange(messages[dice.Next(messages.Count)].Skip(dice.Next(4))); break;
                default: m[Math.Min(1, m.Count - 1)] = (byte)dice.Next(4); break; // a low packet number, so that the rest is decoded too
            }
        }
        return m.ToArray();
    }

    // Allocations replays the lists, each on a new connection. After the first pass nothing may be
    // allocated.
    static int Allocations(string file, int count)
    {
        List<List<byte[]>> lists = Lists(file);
        var client = new BuffClient();
        foreach (List<byte[]> list in lists)
        {
            foreach (byte[] m in list.Where(IsDefinitions)) client.Receive(m);
            list.RemoveAll(m => IsDefinitions(m) || client.Receive(m) == ReceiveError.Format); // a malformed definition allocates
        }
        long shown = 0;
        int received = 0;
        Replay(client, lists, ref shown);
        shown = 0;
        int collections = GC.CollectionCount(0);
        long before = GC.GetAllocatedBytesForCurrentThread();
        while (received < count) received += Replay(client, lists, ref shown);
        long bytes = GC.GetAllocatedBytesForCurrentThread() - before;
        collections = GC.CollectionCount(0) - collections;
        before = GC.GetAllocatedBytesForCurrentThread();
        GC.KeepAlive(new object());
        if (GC.GetAllocatedBytesForCurrentThread() == before) throw new Exception("the runtime does not count allocations");
        if (bytes != 0 || collections != 0) throw new Exception(bytes + " bytes allocated, " + collections + " collections");
        if (shown == 0) throw new Exception("no buff was shown");
        Console.WriteLine("{0} messages, {1} buffs shown: {2} bytes allocated", received, shown, bytes);
        return 0;
    }

    // Collisions counts the pairs of owners in one bucket of the client's dictionary, for 16,384 ids
    // which all have the same hash in .NET. They would be 134 million pairs without a hash of its own.
    static int Collisions()
    {
        const int owners = 16384, buckets = 16411;
        FieldInfo field = typeof(BuffClient).GetField("owners", BindingFlags.NonPublic | BindingFlags.Instance);
        IEqualityComparer<ulong> comparer = ((Dictionary<ulong, Owner>)field.GetValue(new BuffClient())).Comparer;
        var sizes = new int[buckets];
        long pairs = 0;
        for (ulong id = 0; id < owners; id++) pairs += sizes[(comparer.GetHashCode(id << 32 | id) & int.MaxValue) % buckets]++;
        if (pairs > 100 * owners) throw new Exception(pairs + " pairs");
        Console.WriteLine("{0} pairs of {1} owners in one bucket", pairs, owners);
        return 0;
    }

    static bool IsDefinitions(byte[] message) => message.Length > 0 && message[0] == 0x12;

    // Replay receives the lists and shows all buffs after each message. It returns the number of
    // messages.
    static int Replay(BuffClient client, List<List<byte[]>> lists, ref long shown)
    {
        int count = 0;
        foreach (List<byte[]> list in lists)
        {
            client.Reset();
            foreach (byte[] message in list)
            {
                client.Receive(message);
                count++;
                foreach (Owner owner in client.Owners)
                    foreach (Buff buff in owner.Buffs)
                        if (buff.Left(client.Now) != 0 && client.TryGetSpec(buff.Spec, out Spec spec) && !spec.Hide) shown++;
            }
        }
        return count;
    }

    static List<List<byte[]>> Lists(string file)
    {
        var lists = new List<List<byte[]>>();
        foreach (string line in File.ReadLines(file))
        {
            var list = new List<byte[]>();
            for (int at = 0; (at = line.IndexOf(MessageKey, at, StringComparison.Ordinal)) >= 0;)
            {
                at += MessageKey.Length;
                list.Add(Bytes(line.Substring(at, line.IndexOf('"', at) - at)));
            }
            lists.Add(list);
        }
        return lists;
    }

    static byte[] Bytes(string hex)
    {
        var bytes = new byte[hex.Length / 2];
        for (int k = 0; k < bytes.Length; k++) bytes[k] = Convert.ToByte(hex.Substring(2 * k, 2), 16);
        return bytes;
    }

    static string Hex(byte[] bytes) => string.Concat(bytes.Select(b => b.ToString("x2")));
}
