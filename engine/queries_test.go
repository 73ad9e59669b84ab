package engine_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
)

// TestEngine_Queries_IdleBusyUnknown checks that each query of the loop about an owner returns an
// answer while the owner is idle, and an error without an answer while it is busy or unknown. A
// handle of an unknown owner is an answer: there is no such buff.
func TestEngine_Queries_IdleBusyUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newScene(t, &verbCase{carries: []buff.Spec{
			{ID: "stun", Kind: define.Infinite, Tags: []string{"cc"}, Grants: []string{"stunned"}, Params: []define.Param{{Name: "power", Value: define.Const(2)}}},
			might,
		}}, engine.Options{Workers: 1, Budget: brief})
		power, stunned, gone := x.attr("power"), x.tag("stunned"), buff.Handle(0)
		asked := func(id buff.OwnerID, h buff.Handle) (out []string) {
			note := func(what string, err error, answer ...any) {
				if err != nil {
					answer = []any{err}
				}
				out = append(out, what+" "+strings.TrimSuffix(fmt.Sprintln(answer...), "\n"))
			}
			has, err := x.HasTag(id, stunned)
			note("HasTag", err, has)
			left, found, err := x.Remaining(id, x.tag("cc"))
			note("Remaining", err, left == 1<<63-1, found)
			buffs, err := x.Buffs(id)
			n := 0
			for range buffs.All() {
				n++
			}
			note("Buffs", err, n)
			views, err := x.Attributes(id)
			n = 0
			for range views {
				n++
			}
			note("Attributes", err, n)
			modifiers, err := x.Modifiers(id, power)
			n = 0
			for range modifiers {
				n++
			}
			note("Modifiers", err, n)
			v, err := x.Attribute(id, power)
			note("Attribute", err, v)
			v, err = x.Base(id, power)
			note("Base", err, v)
			rest, err := x.Absorb(id, 7, 0)
			note("Absorb", err, rest)
			blob, err := x.Save(id)
			note("Save", err, len(blob) > 0)
			b, found, err := x.Find(h)
			note("Find", err, b.Stacks, found)
			v, found, err = x.Param(h, "power")
			note("Param", err, v, found)
			return out
		}
		idle := []string{
			"HasTag true", "Remaining true true", "Buffs 2", "Attributes 2", "Modifiers 1", "Attribute 15", "Base 10",
			"Absorb 7", "Save true", "Find 1 true", "Param 2 true",
		}
		without := func(why string) (out []string) {
			for _, l := range idle {
				what, _, _ := strings.Cut(l, " ")
				out = append(out, what+" "+why)
			}
			return out
		}
		require.Equal(t, idle, asked(1, x.h))
		require.Equal(t, append(without("engine: unknown owner: 99")[:9], "Find 0 false", "Param 0 false"), asked(99, gone))

		gate := make(chan struct{})
		_, err := x.AddTimeout(1, 0, func(*engine.Context) { <-gate })
		require.NoError(t, err)
		x.Tick(time.Second)
		require.Equal(t, without("engine: owner is busy: 1"), asked(1, x.h))
		require.Equal(t, 1.0, testing.AllocsPerRun(100, func() { _, err = x.HasTag(1, stunned) }), "the error")
		close(gate)
		synctest.Wait()
		x.Tick(0)
		require.Equal(t, idle, asked(1, x.h))
		shut(t, x.Engine)
	})
}

// TestEngine_Methods_ReturnError checks that every method of the Engine that takes an owner or a
// handle returns an error or a Result, except those that are listed here.
func TestEngine_Methods_ReturnError(t *testing.T) {
	aside := map[string]string{"Data": "the game's own, whoever has it now", "Busy": "this is the question"}
	files, err := os.ReadDir(".")
	require.NoError(t, err)
	asked := 0
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), f.Name(), nil, 0)
		require.NoError(t, err)
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv == nil || !fn.Name.IsExported() || words(fn.Recv.List[0].Type) != "*Engine" || fn.Type.Results == nil {
				continue
			}
			about := false
			for _, p := range fn.Type.Params.List {
				switch words(p.Type) {
				case "buff.OwnerID", "buff.Handle", "buff.TimeoutHandle":
					about = true
				}
			}
			if !about || aside[fn.Name.Name] != "" {
				continue
			}
			asked++
			results := fn.Type.Results.List
			last := words(results[len(results)-1].Type)
			require.Contains(t, []string{"error", "buff.Result"}, last, "Engine.%s answers for somebody whom nobody may look at", fn.Name.Name)
		}
	}
	require.GreaterOrEqual(t, asked, 20)
}

// words returns the source text of a type, for the types that methods of Engine use.
func words(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return "*" + words(e.X)
	case *ast.SelectorExpr:
		return words(e.X) + "." + e.Sel.Name
	}
	return ""
}

// TestEngine_OwnerOf checks OwnerOf and OwnerIDs.
func TestEngine_OwnerOf(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "oath", Kind: define.Infinite})
	e := open(t, engine.Options{Catalog: cat, Synchronous: true})
	for _, id := range []buff.OwnerID{70, 30, 50} {
		spawn(t, e, id)
	}
	h := e.AddBuff(30, buff.Application{Spec: cat.Spec("oath")}).Handle
	id, found, err := e.OwnerOf(h)
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, buff.OwnerID(30), id)
	e.Remove(h)
	for _, h := range []buff.Handle{h, 0, h + 1<<60} {
		id, found, err = e.OwnerOf(h)
		require.NoError(t, err)
		require.False(t, found)
		require.Zero(t, id)
	}
	require.Equal(t, []buff.OwnerID{70, 30, 50}, slices.Collect(e.OwnerIDs()))
	for id := range e.OwnerIDs() {
		require.NoError(t, e.Drop(id))
		break
	}
	require.Equal(t, []buff.OwnerID{30, 50}, slices.Collect(e.OwnerIDs()))
}
