package bolt

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"

	"github.com/bufftick/bufftick/store"
)

// The page format of bbolt, unchanged since its first version:
//
//	page      id 8, flags 2, count 2, overflow 4: 16 bytes; then the contents; numbers in native
//	          byte order
//	meta      magic 4, version 4, page size 4, flags 4, root 8, sequence 8, free list 8,
//	          number of pages 8, transaction 8, FNV-1a of these fields 8; pages 0 and 1 are meta
//	          pages, and the meta page with the higher transaction is valid
//	branch    for each child: offset of its key from this entry 4, length of key 4, id 8
//	leaf      for each key: flags 4, offset from this entry 4, length of key 4, of value 4
//	bucket    a value: root 8, sequence 8; if root is 0, its only page follows
//	free      ids, 8 bytes each; if count is 65,535, the first 8 bytes are the count
const (
	pageHead  = 16
	metaBytes = 64
	entry     = 16

	branchPage = 1
	leafPage   = 2
	metaPage   = 4
	freePage   = 16

	bboltMagic   = 0xED0CDAED
	bboltVersion = 2

	// maxDepth is more than the depth of a tree with 2^64 keys.
	maxDepth = 64
)

var native = binary.NativeEndian

// meta is the contents of a meta page, which refers to all other pages.
type meta struct {
	pageSize                       int64
	root, free, pages, transaction uint64
}

// errMeta describes an invalid meta page. The field "foreign" means that the page was not written
// by bbolt.
type errMeta struct {
	text            string
	foreign, future bool
}

func parseMeta(page []byte) (m meta, bad *errMeta) {
	if len(page) < pageHead+metaBytes {
		return m, &errMeta{text: "the file ends inside it", foreign: true}
	}
	b := page[pageHead:]
	magic, version := native.Uint32(b), native.Uint32(b[4:])
	h := fnv.New64a()
	h.Write(b[:metaBytes-8])
	sound := h.Sum64() == native.Uint64(b[56:])
	m = meta{
		pageSize: int64(native.Uint32(b[8:])), root: native.Uint64(b[16:]), free: native.Uint64(b[32:]),
		pages: native.Uint64(b[40:]), transaction: native.Uint64(b[48:]),
	}
	switch {
	case magic != bboltMagic:
		return m, &errMeta{text: "it does not start like a bbolt page", foreign: !sound}
	case !sound:
		return m, &errMeta{text: "its checksum is wrong"}
	case version > bboltVersion:
		return m, &errMeta{text: fmt.Sprintf("bbolt version %d, this program supports %d", version, bboltVersion), future: true}
	case version < bboltVersion || m.pageSize < 512 || m.pageSize > 1<<20 || m.pageSize&(m.pageSize-1) != 0:
		return m, &errMeta{text: fmt.Sprintf("version %d, pages of %d bytes", version, m.pageSize)}
	}
	return m, nil
}

// readMeta returns the valid meta page with the higher transaction, and a warning if the other
// meta page is damaged.
func readMeta(f io.ReaderAt, size int64) (m meta, warning string, err error) {
	read := func(at int64) []byte {
		b := make([]byte, pageHead+metaBytes)
		n, _ := f.ReadAt(b, at)
		return b[:n]
	}
	first, bad0 := parseMeta(read(0))
	second, bad1 := meta{}, &errMeta{text: "it is missing", foreign: true}
	if bad0 == nil {
		second, bad1 = parseMeta(read(first.pageSize))
	}
	// If the first meta page is damaged, the page size is unknown. Search for the second meta
	// page.
	for n := int64(1024); bad0 != nil && bad1 != nil && n <= 1<<15; n *= 2 {
		x, bad := parseMeta(read(n))
		if bad == nil && x.pageSize == n || bad != nil && bad.future {
			second, bad1 = x, bad
		}
	}
	switch {
	case bad0 == nil && bad1 == nil:
		if first.transaction < second.transaction {
			first = second
		}
		return first, "", nil
	case bad0 != nil && bad0.future:
		return m, "", fmt.Errorf("%w: %s", store.ErrFuture, bad0.text)
	case bad1 != nil && bad1.future:
		return m, "", fmt.Errorf("%w: %s", store.ErrFuture, bad1.text)
	case bad0 == nil:
		return first, warned(1, bad1), nil
	case bad1 == nil:
		return second, warned(0, bad0), nil
	case bad0.foreign && bad1.foreign:
		return m, "", fmt.Errorf("%w: it has %d bytes, and neither of the first two pages is a bbolt page", store.ErrForeign, size)
	}
	return m, "", &store.DamageError{Place: "pages 0 and 1", Problem: bad0.text + "; " + bad1.text}
}

func warned(page int, bad *errMeta) string {
	return fmt.Sprintf("page %d: %s: if it was written last, the file is at the previous cut", page, bad.text)
}

// walk visits all pages of a file.
type walk struct {
	f    io.ReaderAt
	m    meta
	seen []bool // by page id: the page has been reached or is in the free list
}

// checkPages checks that each page of the file is well-formed and is either reached exactly
// once or free. It returns the warning of readMeta. It allocates at most as much memory as the
// file has bytes.
func checkPages(f io.ReaderAt, size int64) (warning string, err error) {
	m, warning, err := readMeta(f, size)
	if err != nil {
		return "", err
	}
	if has := uint64(size / m.pageSize); m.pages > has || m.pages < 4 {
		return "", &store.DamageError{
			Place:   fmt.Sprintf("byte %d", size),
			Problem: fmt.Sprintf("the file ends there: it has %d pages of %d bytes, want %d pages", has, m.pageSize, m.pages),
		}
	}
	w := &walk{f: f, m: m, seen: make([]bool, m.pages)}
	w.seen[0], w.seen[1] = true, true
	if err := w.tree(m.root, nil, nil, 0); err != nil {
		return "", err
	}
	if err := w.freeList(); err != nil {
		return "", err
	}
	for id, seen := range w.seen {
		if !seen {
			return "", w.damage(uint64(id), "it is neither referenced nor free")
		}
	}
	return warning, nil
}

func (w *walk) damage(id uint64, format string, args ...any) error {
	return &store.DamageError{Place: fmt.Sprintf("page %d", id), Problem: fmt.Sprintf(format, args...)}
}

// claim records that a page has been reached.
func (w *walk) claim(id uint64) error {
	switch {
	case id >= w.m.pages:
		return w.damage(id, "it is referenced, but there are only %d pages", w.m.pages)
	case w.seen[id]:
		return w.damage(id, "it is referenced twice, or both referenced and free")
	}
	w.seen[id] = true
	return nil
}

// page records that a page and its overflow pages have been reached, and returns their bytes.
func (w *walk) page(id uint64) ([]byte, error) {
	if err := w.claim(id); err != nil {
		return nil, err
	}
	var head [pageHead]byte
	at := int64(id) * w.m.pageSize
	if _, err := w.f.ReadAt(head[:], at); err != nil {
		return nil, w.damage(id, "it cannot be read: %v", err)
	}
	if self := native.Uint64(head[:]); self != id {
		return nil, w.damage(id, "its header says page %d", self)
	}
	more := uint64(native.Uint32(head[12:]))
	if more >= w.m.pages-id {
		return nil, w.damage(id, "it has %d overflow pages, but there are only %d pages in total", more, w.m.pages)
	}
	for k := range more {
		if err := w.claim(id + 1 + k); err != nil {
			return nil, err
		}
	}
	b := make([]byte, int64(more+1)*w.m.pageSize)
	if _, err := w.f.ReadAt(b, at); err != nil {
		return nil, w.damage(id, "it cannot be read: %v", err)
	}
	return b, nil
}

// tree checks the tree below a page. Its keys must be at least low and less than high; nil
// means no bound.
func (w *walk) tree(id uint64, low, high []byte, depth int) error {
	if depth > maxDepth {
		return w.damage(id, "it is at depth %d", depth)
	}
	b, err := w.page(id)
	if err != nil {
		return err
	}
	switch native.Uint16(b[8:]) {
	case leafPage:
		return w.leaf(id, b, low, high, depth)
	case branchPage:
		return w.branch(id, b, low, high, depth)
	}
	return w.damage(id, "its kind is %d, want a branch or a leaf", native.Uint16(b[8:]))
}

// keys calls do() for each entry of a page, with the bytes of the entry, its key, and the bytes
// that follow the key. It checks that the keys are in order. posAt and lenAt are the offsets of
// the key's position and length in an entry.
func (w *walk) keys(id uint64, b, low, high []byte, posAt, lenAt int, do func(e, key, behind []byte) error) error {
	n := int(native.Uint16(b[10:]))
	if pageHead+n*entry > len(b) {
		return w.damage(id, "%d entries do not fit in it", n)
	}
	var last []byte
	for k := range n {
		at := pageHead + k*entry
		e := b[at:]
		from := uint64(at) + uint64(native.Uint32(e[posAt:]))
		to := from + uint64(native.Uint32(e[lenAt:]))
		if from == to || to > uint64(len(b)) {
			return w.damage(id, "entry %d: its key spans bytes %d to %d", k, from, to)
		}
		key := b[from:to:to]
		if k > 0 && bytes.Compare(last, key) >= 0 || low != nil && bytes.Compare(key, low) < 0 || high != nil && bytes.Compare(key, high) >= 0 {
			return w.damage(id, "entry %d: its key is out of order", k)
		}
		last = key
		if err := do(e[:entry], key, b[to:]); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) branch(id uint64, b, low, high []byte, depth int) error {
	type child struct {
		key []byte
		id  uint64
	}
	var children []child
	err := w.keys(id, b, low, high, 0, 4, func(e, key, _ []byte) error {
		children = append(children, child{key, native.Uint64(e[8:])})
		return nil
	})
	if err != nil {
		return err
	}
	if len(children) == 0 {
		return w.damage(id, "a branch without children")
	}
	for k, c := range children {
		end := high
		if k+1 < len(children) {
			end = children[k+1].key
		}
		if err := w.tree(c.id, c.key, end, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) leaf(id uint64, b, low, high []byte, depth int) error {
	return w.keys(id, b, low, high, 4, 8, func(e, key, behind []byte) error {
		n := uint64(native.Uint32(e[12:]))
		if n > uint64(len(behind)) {
			return w.damage(id, "the value of %q has %d bytes, but only %d are left", key, n, len(behind))
		}
		switch flags := native.Uint32(e); flags {
		case 0:
			return nil
		case 1:
			return w.bucket(id, key, behind[:n], depth)
		default:
			return w.damage(id, "%q has flags %d", key, flags)
		}
	})
}

// bucket checks the tree of a bucket, which is stored as the value of the given key in the page
// with the given id.
func (w *walk) bucket(id uint64, key, value []byte, depth int) error {
	if len(value) < 16 {
		return w.damage(id, "bucket %q has %d bytes", key, len(value))
	}
	root, inline := native.Uint64(value), value[16:]
	switch {
	case root != 0:
		return w.tree(root, nil, nil, depth+1)
	case depth > maxDepth:
		return w.damage(id, "bucket %q is at depth %d", key, depth)
	case len(inline) < pageHead || native.Uint16(inline[8:]) != leafPage:
		return w.damage(id, "the page of bucket %q is missing", key)
	}
	return w.leaf(id, inline, nil, nil, depth+1)
}

// freeList records that the pages in the free list have been reached.
func (w *walk) freeList() error {
	id := w.m.free
	b, err := w.page(id)
	if err != nil {
		return err
	}
	if kind := native.Uint16(b[8:]); kind != freePage {
		return w.damage(id, "its kind is %d, want the free list", kind)
	}
	n, list := uint64(native.Uint16(b[10:])), b[pageHead:]
	if n == 0xFFFF {
		n, list = native.Uint64(list), list[8:]
	}
	if n > uint64(len(list)/8) {
		return w.damage(id, "%d free pages do not fit in it", n)
	}
	for k := range n {
		if err := w.claim(native.Uint64(list[8*k:])); err != nil {
			return err
		}
	}
	return nil
}
