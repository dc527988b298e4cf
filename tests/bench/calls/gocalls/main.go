// Command gocalls prints every static call of a module as go/types sees it:
//
//	path:line:col <tab> path:line <tab> name     columns from 0, in bytes
//
// The place of a callee that is declared elsewhere is `-`.  Conversions and
// builtins are no calls, and neither are calls of values (variables, fields,
// parameters).
package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"golang.org/x/tools/go/packages"
)

func callee(call *ast.CallExpr) *ast.Ident {
	fun := ast.Unparen(call.Fun)
	for {
		switch e := fun.(type) {
		case *ast.Ident:
			return e
		case *ast.SelectorExpr:
			return e.Sel
		case *ast.IndexExpr:
			fun = ast.Unparen(e.X)
		case *ast.IndexListExpr:
			fun = ast.Unparen(e.X)
		default:
			return nil
		}
	}
}

func main() {
	root, err := filepath.Abs(os.Args[1])
	if err == nil {
		root, err = filepath.EvalSymlinks(root)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fset := token.NewFileSet()
	pkgs, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax |
			packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports |
			packages.NeedDeps | packages.NeedModule,
		Dir: root, Fset: fset, Tests: true,
	}, "./...")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	lines := map[string]bool{}
	within := func(pos token.Position) string {
		rel, err := filepath.Rel(root, pos.Filename)
		if err != nil || strings.HasPrefix(rel, "..") {
			return ""
		}
		return filepath.ToSlash(rel)
	}
	for _, p := range pkgs {
		for _, e := range p.Errors {
			fmt.Fprintln(os.Stderr, e)
		}
		for _, file := range p.Syntax {
			from := within(fset.Position(file.Pos()))
			if from == "" || !strings.HasSuffix(from, ".go") {
				continue
			}
			ast.Inspect(file, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				id := callee(call)
				if id == nil {
					return true
				}
				fn, ok := p.TypesInfo.Uses[id].(*types.Func)
				if !ok {
					return true
				}
				at, to := fset.Position(id.Pos()), fset.Position(fn.Origin().Pos())
				place := "-"
				if path := within(to); path != "" {
					place = fmt.Sprintf("%s:%d", path, to.Line)
				}
				lines[fmt.Sprintf("%s:%d:%d\t%s\t%s", from, at.Line,
					at.Column-1, place, fn.Name())] = true
				return true
			})
		}
	}
	out := make([]string, 0, len(lines))
	for line := range lines {
		out = append(out, line)
	}
	sort.Strings(out)
	for _, line := range out {
		fmt.Println(line)
	}
}
