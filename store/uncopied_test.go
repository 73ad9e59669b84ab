package store

// Uncopied returns how many owners of the cut under way nobody has copied yet.
func Uncopied(v *Saver) int { return v.copies.Left() }
