package buff

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBlobPlain: what is taken for a plain buff is in order: none of its numbers is beyond what TestBlobNumbers
// wants, and one that is plain with the last of what it may be stays so.
func TestBlobPlain(t *testing.T) {
	fields := map[string]func(b *savedBuff) any{
		"buffs.age": func(b *savedBuff) any { return &b.Age }, "buffs.stacks": func(b *savedBuff) any { return &b.Stacks },
		"buffs.level": func(b *savedBuff) any { return &b.Level }, "buffs.duration_ms": func(b *savedBuff) any { return &b.Duration },
		"buffs.left_ms": func(b *savedBuff) any { return b.Left }, "buffs.next_ms": func(b *savedBuff) any { return b.Next },
	}
	others := map[string]func(b *savedBuff){
		"no name": func(b *savedBuff) { b.ID = "" }, "a clock": func(b *savedBuff) { b.Clock = "wall" }, "dead": func(b *savedBuff) { b.Dead = true },
		"period": func(b *savedBuff) { b.Period = 50 }, "wanted": func(b *savedBuff) { b.Wanted = 50 }, "length": func(b *savedBuff) { b.Length = 50 },
		"charges": func(b *savedBuff) { b.Charges = 1 }, "owed": func(b *savedBuff) { b.Owed = 1 }, "shield": func(b *savedBuff) { b.Shield = new(int64) },
		"scale": func(b *savedBuff) { b.Scale = &savedScale{} }, "running": func(b *savedBuff) { b.Running = 1 },
		"stacks of their own": func(b *savedBuff) { b.Async = []savedStack{{}} }, "appliers": func(b *savedBuff) { b.Appliers = []OwnerID{1} },
	}
	const ages = uint64(mostAges)
	plain := func() *savedBuff {
		return &savedBuff{ID: "plain", Age: 1, Stacks: 1, Left: new(int64), Next: new(int64)}
	}
	set := func(to, value any) bool {
		switch to := to.(type) {
		case *int64:
			n, ok := value.(int64)
			*to = n
			return ok
		case *uint64:
			n, ok := value.(uint64)
			*to = n
			return ok
		}
		return false
	}
	b := plain()
	require.True(t, b.plain(ages))
	b.Left, b.Next = nil, nil
	require.True(t, b.plain(ages))
	for path, of := range fields {
		r := blobNumbers()[path]
		for _, wrong := range r.beyond() {
			b := plain()
			require.True(t, set(of(b), wrong.Interface()), path)
			require.False(t, b.plain(ages), "%s: %v", path, wrong)
		}
		for _, end := range []any{r.least, r.most} {
			b := plain()
			require.True(t, set(of(b), end), path)
			require.True(t, b.plain(ages), "%s: %v", path, end)
		}
	}
	for name, change := range others {
		b := plain()
		change(b)
		require.False(t, b.plain(ages), name)
	}
}
