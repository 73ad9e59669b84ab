// The members of Godot that the page uses.
namespace Godot
{
    public enum Error
    {
        Ok,
    }

    public class Node
    {
        public virtual void _Ready() { }
        public virtual void _Process(double delta) { }
        public int GetChildCount(bool includeInternal = false) => 0;
        public T GetChild<T>(int index, bool includeInternal = false) where T : class => null;
    }

    public class HBoxContainer : Node { }

    public class TextureProgressBar : Node
    {
        public double Value { get; set; }
        public bool Visible { get; set; }
    }

    public class TlsOptions { }

    public class WebSocketPeer
    {
        public enum WriteMode
        {
            Text,
            Binary,
        }

        public Error ConnectToUrl(string url, TlsOptions tlsClientOptions = null) => Error.Ok;
        public void Poll() { }
        public int GetAvailablePacketCount() => 0;
        public byte[] GetPacket() => null;
        public Error Send(byte[] message, WriteMode writeMode = WriteMode.Binary) => Error.Ok;
    }
}
