// The members of Unity that the page uses.
namespace UnityEngine
{
    public class MonoBehaviour { }

    public class Sprite { }

    public static class Time
    {
        public static double realtimeSinceStartupAsDouble { get; set; }
    }

    public static class Resources
    {
        public static T Load<T>(string path) where T : class => null;
    }

    public struct Color
    {
        public static Color white => new Color();
        public static Color gray => new Color();
    }
}

namespace UnityEngine.UI
{
    public class Graphic : MonoBehaviour
    {
        public bool enabled { get; set; }
        public Color color { get; set; }
    }

    public class Image : Graphic
    {
        public Sprite sprite { get; set; }
        public float fillAmount { get; set; }
    }

    public class Text : Graphic
    {
        public string text { get; set; }
    }
}
