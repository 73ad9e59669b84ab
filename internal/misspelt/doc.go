// Package misspelt finds the name that a misspelt one was most likely meant to be, for errors that
// ask "did you mean …?".
package misspelt
