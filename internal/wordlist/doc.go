// Package wordlist formats and parses the values of small enumerations: in files and logs each
// is a lower-case word, and the words of an enumeration are a list in the order of its values.
package wordlist
