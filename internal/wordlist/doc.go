// Package wordlist writes and reads the values of small enumerations: in files and logs each is one
// lower-case word, and the words of one enumeration are a list in the order of its values.
package wordlist
