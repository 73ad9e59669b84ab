package store

// Uncopied returns the number of owners in the current cut that are not copied yet.
func Uncopied(v *Saver) int { return v.copies.Left() }
