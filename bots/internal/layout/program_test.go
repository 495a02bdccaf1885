package layout_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// program is the type-checked code of the product: everything but tests and test kits.
type program struct {
	set      *token.FileSet
	outside  types.Importer // packages of other modules and of the standard library
	packages map[string]*checked
}

type checked struct {
	files []*ast.File
	types *types.Package
	info  *types.Info
}

// Import returns a package of the program, or one from outside it.
func (p *program) Import(of string) (*types.Package, error) {
	if c := p.packages[of]; c != nil {
		return c.types, nil
	}
	return p.outside.Import(of)
}

// check adds a package. The packages that it imports have been added.
func (p *program) check(name string, files []*ast.File) error {
	c := &checked{files: files, info: &types.Info{
		Defs: make(map[*ast.Ident]types.Object), Selections: make(map[*ast.SelectorExpr]*types.Selection),
	}}
	var err error
	c.types, err = (&types.Config{Importer: p}).Check(name, p.set, files, c.info)
	p.packages[name] = c
	return err
}

// with returns a copy of the program that also holds a package made of source, for planted faults.
func (p *program) with(t *testing.T, name, source string) *program {
	t.Helper()
	more := &program{set: p.set, outside: p.outside, packages: maps.Clone(p.packages)}
	f, err := parser.ParseFile(p.set, name+"/planted.go", source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	if err := more.check(prefix+name, []*ast.File{f}); err != nil {
		t.Fatal(err)
	}
	return more
}

var productOnce struct {
	sync.Once
	program *program
	err     error
}

// product returns the program, which is type-checked once for all tests.
func product(t *testing.T) *program {
	t.Helper()
	files, top := repository(t), root(t)
	productOnce.Do(func() { productOnce.program, productOnce.err = checkProduct(files, top) })
	if productOnce.err != nil {
		t.Fatal(productOnce.err)
	}
	return productOnce.program
}

func checkProduct(files []file, top string) (*program, error) {
	p := &program{set: token.NewFileSet(), packages: make(map[string]*checked)}
	parsed, imports, foreign := make(map[string][]*ast.File), make(map[string][]string), make(map[string]bool)
	for _, f := range files {
		if f.test {
			continue
		}
		dir, base := filepath.Split(filepath.Join(top, filepath.FromSlash(f.name)))
		if match, err := build.Default.MatchFile(dir, base); err != nil || !match {
			if err != nil {
				return nil, err
			}
			continue // for other systems
		}
		syntax, err := parser.ParseFile(p.set, dir+base, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		name := prefix + f.dir
		parsed[name] = append(parsed[name], syntax)
		imports[name] = append(imports[name], f.imports...)
		for _, imported := range f.imports {
			if !strings.HasPrefix(imported, prefix) && imported != "unsafe" {
				foreign[imported] = true
			}
		}
	}
	exported, err := exports(top, slices.Sorted(maps.Keys(foreign)))
	if err != nil {
		return nil, err
	}
	p.outside = importer.ForCompiler(p.set, "gc", func(of string) (io.ReadCloser, error) { return os.Open(exported[of]) })
	var add func(string) error
	add = func(name string) error {
		if p.packages[name] != nil || len(parsed[name]) == 0 {
			return nil
		}
		for _, imported := range imports[name] {
			if err := add(imported); err != nil {
				return err
			}
		}
		return p.check(name, parsed[name])
	}
	for _, name := range slices.Sorted(maps.Keys(parsed)) {
		if err := add(name); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// exports asks Go for what it compiled packages to, with all that they import.
func exports(top string, packages []string) (map[string]string, error) {
	command := exec.Command("go", append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}, packages...)...)
	var failed bytes.Buffer
	command.Dir, command.Stderr = top, &failed
	listed, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, failed.Bytes())
	}
	exported := make(map[string]string)
	for line := range strings.Lines(string(listed)) {
		name, compiled, _ := strings.Cut(strings.TrimSpace(line), " ")
		exported[name] = compiled
	}
	return exported, nil
}
