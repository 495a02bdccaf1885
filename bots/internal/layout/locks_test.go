package layout_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What takes a context may wait for a network, or for another process: nothing of it is called
// while a lock is held, so that nobody who wants the lock waits for it too.
func TestNothingIsWaitedForUnderALock(t *testing.T) {
	t.Parallel()
	locks := 0
	for _, f := range repository(t) {
		if f.test {
			continue
		}
		positions := token.NewFileSet()
		parsed, err := parser.ParseFile(positions, filepath.Join(root(t), filepath.FromSlash(f.name)), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			var list []ast.Stmt
			switch n := n.(type) {
			case *ast.BlockStmt:
				list = n.List
			case *ast.CaseClause:
				list = n.Body
			case *ast.CommClause:
				list = n.Body
			}
			found, held := waits(list)
			locks += held
			for _, call := range found {
				t.Errorf("%s:%d: %s is called while a lock is held", f.name, positions.Position(call.Pos()).Line, types.ExprString(call.Fun))
			}
			return true
		})
	}
	if locks < 100 {
		t.Errorf("%d locks were found: the test does not see them", locks)
	}
}

// waits lists the calls that get a context between a Lock and its Unlock, in one list of
// statements; locks counts the former.
func waits(list []ast.Stmt) (found []*ast.CallExpr, locks int) {
	held := false
	for _, s := range list {
		switch {
		case calls(s, "Lock", "RLock"):
			held = true
			locks++
		case calls(s, "Unlock", "RUnlock"):
			held = false
		case held:
			ast.Inspect(s, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncLit, *ast.GoStmt, *ast.DeferStmt: // which run later
					return false
				case *ast.CallExpr:
					if method, ok := n.Fun.(*ast.SelectorExpr); ok && network[method.Sel.Name] {
						found = append(found, n)
						return true
					}
					for _, argument := range n.Args {
						if takesContext.MatchString(types.ExprString(argument)) {
							found = append(found, n)
							break
						}
					}
				}
				return true
			})
		}
	}
	return found, locks
}

// network are methods that wait for a network and take no context.
var network = map[string]bool{"RoundTrip": true, "Do": true, "ReadMessage": true, "WriteMessage": true, "WriteJSON": true, "WriteControl": true}

// takesContext matches what contexts are called here.
var takesContext = regexp.MustCompile(`^(ctx|limited|asking|saving|ending|living|looking)$|\.Context\(\)$|^context\.`)

// calls reports whether a statement is the call of a method with one of these names and without
// arguments.
func calls(s ast.Stmt, names ...string) bool {
	e, ok := s.(*ast.ExprStmt)
	if !ok {
		return false
	}
	c, ok := e.X.(*ast.CallExpr)
	if !ok || len(c.Args) > 0 {
		return false
	}
	method, ok := c.Fun.(*ast.SelectorExpr)
	return ok && strings.Contains(" "+strings.Join(names, " ")+" ", " "+method.Sel.Name+" ")
}
