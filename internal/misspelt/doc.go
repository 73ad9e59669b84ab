// Package misspelt finds the name that was probably meant by a misspelt word. Error messages
// suggest this name: "did you mean …?".
package misspelt
