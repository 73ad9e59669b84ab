// Package wordlist formats and parses the values of small enumerations: in files and logs, a value
// is a lower-case word. An enumeration has a list of words in the order of its values.
package wordlist
