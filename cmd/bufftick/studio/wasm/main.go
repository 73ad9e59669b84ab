//go:build js

// Command wasm is the backend of the page without a server. It sets bufftick.call(method, request)
// in the browser, which returns a promise of the JSON result.
package main

import (
	"context"
	"encoding/json"
	"syscall/js"

	"github.com/bufftick/bufftick/cmd/bufftick/studio"
)

func main() {
	s := studio.New(studio.NewMemory(nil))
	js.Global().Set("bufftick", js.ValueOf(map[string]any{"call": js.FuncOf(func(_ js.Value, args []js.Value) any {
		method, request := args[0].String(), args[1].String()
		return js.Global().Get("Promise").New(js.FuncOf(func(_ js.Value, settle []js.Value) any {
			go func() {
				result, err := s.Call(context.Background(), method, []byte(request))
				var text []byte
				if err == nil {
					text, err = json.Marshal(result)
				}
				if err != nil {
					settle[1].Invoke(err.Error())
					return
				}
				settle[0].Invoke(string(text))
			}()
			return nil
		}))
	})}))
	select {}
}
