package recovered

import "fmt"

// Text returns the text of a panic value: the message of an error, or the output of package fmt
// for any other value. If a method of the value panics, Text returns the name of the type. If a
// method of the value ends the goroutine, Text does not return.
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
