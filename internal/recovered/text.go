package recovered

import "fmt"

// Text returns the text of a panic value: of an error its message, of all else the output of
// package fmt. If that panics, Text returns the name of the type. It ends the goroutine only if
// the value does.
func Text(v any) (text string) {
	defer func() {
		if recover() != nil {
			text = fmt.Sprintf("a %T, whose text panics", v)
		}
	}()
	if err, ok := v.(error); ok {
		return err.Error()
	}
	return fmt.Sprint(v)
}
