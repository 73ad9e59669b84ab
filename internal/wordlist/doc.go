// Package wordlist formats and parses the values of small enumerations. In files and logs, each
// value is a lower-case word. An enumeration has a list of words in the order of its values.
package wordlist
