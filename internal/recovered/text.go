package recovered

import "fmt"

// Text returns the text of a value of the game: of an error what it says, of all else what package
// fmt prints. If the value panics when it is asked, Text names its type. It ends its goroutine only
// if the value does.
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
