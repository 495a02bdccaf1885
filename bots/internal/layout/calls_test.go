package layout_test

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"
	"testing"
)

// An interface method that the product never calls is a promise that nothing keeps. Tests and test
// kits are no callers.
func TestEveryInterfaceMethodIsCalled(t *testing.T) {
	t.Parallel()
	p := product(t)
	for _, fault := range uncalled(p) {
		t.Error(fault)
	}
	planted := p.with(t, "core/planted", `package planted
		type Port interface { Called(); Promised(string) error; sealed() }
		type vendor struct{}
		func (vendor) Called() {}
		func (vendor) Promised(string) error { return nil }
		func (vendor) sealed() {}
		type wrapper struct { Port }
		func (w wrapper) Promised(s string) error { return w.Port.Promised(s) }
		func Use() { var p Port = wrapper{vendor{}}; p.Called() }`)
	faults := uncalled(planted)
	if len(faults) == 0 || !strings.Contains(strings.Join(faults, "\n"), "core/planted.Port).Promised") {
		t.Errorf("a planted method that only a wrapper calls was not found: %q", faults)
	}
	if strings.Contains(strings.Join(faults, "\n"), "core/planted.Port).Called") {
		t.Errorf("a method that is called was found: %q", faults)
	}
}

// uncalled lists methods of named interfaces that are called only by implementations of their
// interface, or not at all. Unexported methods without parameters and results mark types.
func uncalled(p *program) []string {
	called := calledMethods(p)
	var faults []string
	for _, c := range p.packages {
		for _, f := range c.files {
			ast.Inspect(f, func(n ast.Node) bool {
				spec, ok := n.(*ast.TypeSpec)
				if !ok {
					return true
				}
				declared, ok := spec.Type.(*ast.InterfaceType)
				if !ok {
					return true
				}
				for _, field := range declared.Methods.List {
					for _, name := range field.Names {
						if m, ok := c.info.Defs[name].(*types.Func); ok && !isMark(m) && !isCalled(m, called[m.Name()]) {
							faults = append(faults, fmt.Sprintf("%s: %s is called only where it is implemented, or never: delete it", p.set.Position(name.Pos()), m.FullName()))
						}
					}
				}
				return true
			})
		}
	}
	slices.Sort(faults)
	return faults
}

func isMark(m *types.Func) bool {
	return !m.Exported() && m.Signature().Params().Len() == 0 && m.Signature().Results().Len() == 0
}

// calledMethods returns the methods that are called, by their names.
func calledMethods(p *program) map[string][]*types.Func {
	called, known := make(map[string][]*types.Func), make(map[*types.Func]bool)
	for _, c := range p.packages {
		for _, f := range c.files {
			for _, d := range f.Decls {
				within, _ := d.(*ast.FuncDecl)
				ast.Inspect(d, func(n ast.Node) bool {
					selector, ok := n.(*ast.SelectorExpr)
					if !ok || c.info.Selections[selector] == nil {
						return true
					}
					m, ok := c.info.Selections[selector].Obj().(*types.Func)
					if ok && !known[m.Origin()] && !passesOn(c, within, m) {
						known[m.Origin()] = true
						called[m.Name()] = append(called[m.Name()], m.Origin())
					}
					return true
				})
			}
		}
	}
	return called
}

// passesOn reports whether a method calls the one that it wraps: that of an interface which its
// type implements, or the same of another type.
func passesOn(c *checked, within *ast.FuncDecl, m *types.Func) bool {
	if within == nil || within.Recv == nil || within.Name.Name != m.Name() {
		return false
	}
	by, ok := c.info.Defs[within.Name].(*types.Func)
	if !ok || !types.Identical(by.Signature(), m.Signature()) {
		return false
	}
	wrapped := m.Signature().Recv().Type()
	return !types.IsInterface(wrapped) || implements(by.Signature().Recv().Type(), wrapped)
}

// isCalled reports whether one of the called methods is m, or one that a value has which is passed
// as m's interface, or as which a value of that interface is passed.
func isCalled(m *types.Func, called []*types.Func) bool {
	return slices.ContainsFunc(called, func(other *types.Func) bool {
		if other == m {
			return true
		}
		from, to := other.Signature().Recv().Type(), m.Signature().Recv().Type()
		return types.Identical(other.Signature(), m.Signature()) && (implements(from, to) || implements(to, from))
	})
}

func implements(t, wanted types.Type) bool {
	i, ok := wanted.Underlying().(*types.Interface)
	return ok && (types.Implements(t, i) || types.Implements(types.NewPointer(t), i))
}
