package inspect

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestLimits checks that the limits are those in the documentation of the package and of
// NewServer.
func TestLimits(t *testing.T) {
	s := NewServer(http.NotFoundHandler())
	for name, k := range map[string][2]any{
		"connections":              {maxConns, 512},
		"header":                   {s.MaxHeaderBytes, 16 << 10},
		"time for a header":        {s.ReadHeaderTimeout, 2 * time.Second},
		"time for a request":       {s.ReadTimeout, 10 * time.Second},
		"time without a request":   {s.IdleTimeout, time.Minute},
		"kept by the system":       {sendBuffer, 64 << 10},
		"streams":                  {maxClients, 64},
		"between two views":        {every, 100 * time.Millisecond},
		"players that are found":   {maxFound, 20},
		"searches":                 {maxSearches, 8},
		"lanes":                    {maxLanes, 400},
		"events of lanes":          {maxSteps, 8000},
		"changes of attributes":    {maxThens, 4000},
		"modifiers of one":         {maxModifiers, 50},
		"characters of a name":     {maxLine, 80},
		"owners that are stuck":    {maxStuck, 64},
		"query":                    {maxQuery, 1 << 10},
		"body":                     {maxBody, 64 << 10},
		"answer":                   {maxAnswer, 1 << 20},
		"event of a stream":        {maxEvent, 256 << 10},
		"time for a write":         {writeTime, 5 * time.Second},
		"ms in a step of the dial": {dialStep, 10},
	} {
		require.EqualValues(t, k[1], k[0], name)
	}
	require.True(t, s.Protocols.HTTP1())
	require.False(t, s.Protocols.HTTP2() || s.Protocols.UnencryptedHTTP2())
}
