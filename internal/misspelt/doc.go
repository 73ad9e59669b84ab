// Package misspelt finds the name that a misspelt word most likely stands for, for errors that
// ask "did you mean …?".
package misspelt
