package wordlist

import (
	"fmt"
	"strings"

	"github.com/bufftick/bufftick/internal/misspelt"
)

// Word returns the word of a value, or its type and number if the value has no word.
func Word[E ~uint8](words []string, e E) string {
	if int(e) < len(words) {
		return words[e]
	}
	return fmt.Sprintf("%T(%d)", e, e)
}

// Parse sets e to the value of a word. The error lists the valid words and suggests the most
// similar word.
func Parse[E ~uint8](e *E, words []string, text []byte) error {
	for i, w := range words {
		if w == string(text) {
			*e = E(i)
			return nil
		}
	}
	last := len(words) - 1
	return fmt.Errorf("unknown word %q: want %s or %s%s", text, strings.Join(words[:last], ", "), words[last], DidYouMean(string(text), words))
}

// DidYouMean returns the text `: did you mean "x"?` with the most similar name, or "" if no name is
// similar.
func DidYouMean(name string, known []string) string {
	if near := misspelt.Near(name, known); near != "" {
		return fmt.Sprintf(": did you mean %.100q?", near)
	}
	return ""
}

// All returns the words of an enumeration up to its last value.
func All[E interface {
	~uint8
	fmt.Stringer
}](last E) []string {
	words := make([]string, int(last)+1)
	for i := range words {
		words[i] = E(i).String()
	}
	return words
}
