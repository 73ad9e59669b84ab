// Package watch reloads a folder of definitions whenever one of its files has been saved, so that
// a game server gets new definitions while it runs.
//
//	w, err := watch.Folder("buffs", eng.Catalog())
//	...
//	for { // the loop
//		select {
//		case c := <-w.Changes():
//			if c.Err != nil {
//				log.Print(c.Err) // the errors, with file, line and caret; the old catalog stays
//				break
//			}
//			report, err := eng.Reload(c.Catalog)
//			...
//		default:
//		}
//		eng.Tick(frame)
//	}
//
// A goroutine of the Watch does all the work; the loop only polls a channel. From the channel it
// receives either a complete, checked catalog that replaces the previous catalog, or an error that
// lists all mistakes. The loop never receives a part of a folder.
//
// # Time of a load
//
// The folder is loaded once at the start, because files may have changed since the first catalog
// was loaded. Later, it is loaded 100 ms after the last of a series of writes, creations, renames
// or removals, because editors save in several steps, and copying forty files counts as one change.
// If the changes do not stop, the folder is loaded every 500 ms. Files that are not definitions,
// such as an editor's swap files and a .schema.json, are ignored.
//
// A catalog that equals the previous one is not sent, nor is an error that has already been sent.
//
// The channel holds one change. A newer change replaces a change that has not been received, and is
// relative to the catalog that was received last.
//
// # When the folder is removed
//
// If the folder is removed or renamed, an error is sent and the current catalog stays. When a
// folder with that name exists again, it is loaded and watched, provided that its parent is
// readable. This also works if the folder is a symbolic link and the link is changed to another
// folder.
//
// Network file systems often do not report changes made by other machines.
package watch
