package catalog_test

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/catalog"
	"github.com/bufftick/bufftick/internal/definition"
)

// TestErrors: the reader's errors are errors of this package, one by one, and say the same.
func TestErrors(t *testing.T) {
	const text = "buffs: {a: {duration: 0s}, b: {perod: 1s}}"
	_, theirs := definition.Parse("a.yaml", []byte(text))
	_, err := catalog.Parse("a.yaml", []byte(text))
	require.Equal(t, theirs.Error(), err.Error())
	require.ErrorIs(t, err, buff.ErrSpec)
	var list catalog.Errors
	require.ErrorAs(t, err, &list)
	require.Len(t, list, len(theirs.(definition.Errors)))
	require.Equal(t, "a", list[0].Buff)
	require.Equal(t, "duration", list[0].Field)

	_, err = catalog.LoadFS(fstest.MapFS{}, "none.yaml")
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NotErrorIs(t, err, buff.ErrSpec)
	require.ErrorAs(t, err, new(*catalog.Error))
}

// TestPrevious: a Loader with a Previous makes the next version of it, from files as from a folder of the machine.
func TestPrevious(t *testing.T) {
	files := fstest.MapFS{"a.yaml": {Data: []byte("buffs: {a: {duration: 1s}}")}}
	first, err := catalog.LoadFS(files, "a.yaml")
	require.NoError(t, err)
	files["a.yaml"] = &fstest.MapFile{Data: []byte("buffs: {a: {duration: 2s}}")}
	next, err := catalog.Loader{Previous: first}.LoadFS(files, "a.yaml")
	require.NoError(t, err)
	require.Equal(t, "a", next.Changes()[0].ID)
	_, err = catalog.Reload(next, "testdata/none.yaml")
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// TestMustParse checks that definitions with a mistake panic with the text of the errors.
func TestMustParse(t *testing.T) {
	require.NotNil(t, catalog.MustParse("buffs.yaml", []byte("buffs: {poison: {duration: 10s}}")).Spec("poison"))
	wrong := []byte("buffs: {poison: {duration: 10}}")
	_, err := catalog.Parse("buffs.yaml", wrong)
	require.PanicsWithError(t, err.Error(), func() { catalog.MustParse("buffs.yaml", wrong) })
}
