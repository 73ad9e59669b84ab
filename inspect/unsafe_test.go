package inspect_test

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/inspect"
)

// TestUnsafe checks that a client with the token can send commands in text form if Options.Unsafe
// is set, and is refused without the option or the token.
func TestUnsafe(t *testing.T) {
	for _, o := range []inspect.Options{{Unsafe: true}, {Unsafe: true, Token: token, Remote: true}} {
		_, err := inspect.New(newGame(t, inspect.Options{}).eng, o)
		require.ErrorContains(t, err, "Options.Unsafe")
	}
	g := newGame(t, inspect.Options{Token: token, Unsafe: true})
	give := func(text string, headers ...string) (int, string) {
		t.Helper()
		resp := g.request("POST", "?act", `{"act":"command","player":"5","text":"`+text+`"}`, append(headers, "Content-Type: application/json")...)
		said, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		return resp.StatusCode, strings.TrimSpace(string(said))
	}
	auth := "Authorization: Bearer " + token
	status, _ := give("kill")
	require.Equal(t, 401, status)
	status, said := give("apply venom source=9 stacks=2", auth)
	require.Equal(t, 200, status)
	require.Regexp(t, `^\{"said":"apply 5/0/\d+`, said)
	status, said = give("extend venom by=2h", auth)
	require.Equal(t, 200, status, said)
	require.Greater(t, g.get("?player=5")["buffs"].([]any)[0].(map[string]any)["left"], 2.5*3600*1000)
	for text, want := range map[string]string{
		"aply venom":         `there is no verb "aply": did you mean "apply"?`,
		"apply venon":        `did you mean "venom"?`,
		"extend once by=1s":  `the player has no buff "once"`,
		"kill owner=nobody":  "must be a whole number",
		"dispel venom by=3s": `"by" says nothing here`,
	} {
		status, said = give(text, auth)
		require.Equal(t, 400, status, text)
		require.Contains(t, said, want)
	}
	status, _ = give("dispel venom", auth)
	require.Equal(t, 200, status)
	require.Equal(t, 0.0, g.get("?player=5")["carried"])
	status, _ = give("kill owner=9", auth)
	require.Equal(t, 200, status)
	require.Equal(t, 0.0, g.get("?player=9")["carried"])
	require.Equal(t, 401, g.request("GET", "?complete=ap&player=5", "").StatusCode)
	require.JSONEq(t, `{"lines":["apply"]}`, answer(t, g.request("GET", "?complete=ap&player=5", "", auth)))

	safe := newGame(t, inspect.Options{Token: token})
	resp := safe.request("POST", "?act", `{"act":"command","player":"5","text":"kill"}`, "Content-Type: application/json", auth)
	require.Equal(t, 403, resp.StatusCode)
	require.Equal(t, 403, safe.request("GET", "?complete=ap&player=5", "", auth).StatusCode)
}
