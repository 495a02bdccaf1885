package layout_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// maxInterfaces is how many interfaces lie between the core and the chat platforms. It only falls.
const maxInterfaces = 6

// lookalikes are interfaces that count by their methods alone, each with what it is instead.
var lookalikes = map[string]string{
	"adapters/discord/call/withFile": "between two packages of Discord's adapter",
	"core/mcp/People":                "implemented by wire for accounts; a client's Alone takes an id",
}

// platformDirs are where chat platforms are implemented.
var platformDirs = []string{
	"adapters/console", "adapters/discord", "adapters/slack", "bots/consolebot", "bots/discordbot", "bots/internal/platforms", "bots/slackbot",
}

// An interface counts when a platform package declares it, or when core declares it and a type of a
// platform package has all its methods. Methods are compared by name and by their numbers of
// parameters and results, and those of embedded types count.
func TestFewInterfacesLieBetweenCoreAndPlatforms(t *testing.T) {
	t.Parallel()
	types := make(map[string]*declared)
	for _, f := range repository(t) {
		if !f.test && !strings.HasSuffix(f.dir, "test") && (below(f.dir, "core") || isPlatform(f.dir)) {
			declare(t, f.name, types)
		}
	}
	var counted []string
	for _, name := range slices.Sorted(maps.Keys(types)) {
		wanted := types[name]
		if !wanted.isInterface || len(methodsOf(types, name)) == 0 {
			continue
		}
		implemented := func(other string) bool {
			if !isPlatform(path.Dir(other)) || types[other].isInterface {
				return false
			}
			has := methodsOf(types, other)
			for method := range methodsOf(types, name) {
				if !has[method] {
					return false
				}
			}
			return true
		}
		if lookalikes[name] == "" && (isPlatform(path.Dir(name)) || slices.ContainsFunc(slices.Collect(maps.Keys(types)), implemented)) {
			counted = append(counted, name)
		}
	}
	if len(counted) != maxInterfaces {
		t.Errorf("%d interfaces lie between core and the platforms, and maxInterfaces is %d; it only falls:\n%s", len(counted), maxInterfaces, strings.Join(counted, "\n"))
	}
}

// oneWay are calls that one package alone makes, so that a platform has no way of its own.
var oneWay = map[string]string{
	"stream.OpenReplies(": "core/answer",       // answer.Deliver
	"answer.OpenLogs(":    "core/answer",       // likewise
	"service.Take(":       "core/conversation", // Conversation.Ask and Message
}

func TestPlatformsHaveOneWay(t *testing.T) {
	t.Parallel()
	for _, f := range repository(t) {
		if f.test {
			continue
		}
		source, err := os.ReadFile(filepath.Join(root(t), f.name))
		if err != nil {
			t.Fatal(err)
		}
		for call, dir := range oneWay {
			if f.dir != dir && strings.Contains(string(source), call) {
				t.Errorf("%s calls %s…), which only %s does", f.name, call, dir)
			}
		}
	}
}

func isPlatform(dir string) bool {
	return slices.ContainsFunc(platformDirs, func(p string) bool { return below(dir, p) })
}

// declared is a named type. Types are known by their folder and name.
type declared struct {
	isInterface bool
	methods     map[string]bool
	embedded    []string
}

// methodsOf returns the methods of a type, with those of what it embeds.
func methodsOf(types map[string]*declared, name string) map[string]bool {
	all := make(map[string]bool)
	if d := types[name]; d != nil {
		maps.Copy(all, d.methods)
		for _, other := range d.embedded {
			maps.Copy(all, methodsOf(types, other))
		}
	}
	return all
}

// declare adds the types and methods of a file.
func declare(t *testing.T, name string, types map[string]*declared) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root(t), name), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	dir := path.Dir(filepath.ToSlash(name))
	imported := make(map[string]string)
	for _, i := range file.Imports {
		if value, err := strconv.Unquote(i.Path.Value); err == nil {
			local := path.Base(value)
			if i.Name != nil {
				local = i.Name.Name
			}
			imported[local] = strings.TrimPrefix(value, prefix)
		}
	}
	of := func(name string) *declared {
		if types[name] == nil {
			types[name] = &declared{methods: make(map[string]bool)}
		}
		return types[name]
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil {
				of(typeName(dir, imported, d.Recv.List[0].Type)).methods[shape(d.Name.Name, d.Type)] = true
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				spec, ok := s.(*ast.TypeSpec)
				if !ok || spec.Assign.IsValid() {
					continue
				}
				to := of(dir + "/" + spec.Name.Name)
				fields := &ast.FieldList{}
				switch kind := spec.Type.(type) {
				case *ast.InterfaceType:
					to.isInterface, fields = true, kind.Methods
				case *ast.StructType:
					fields = kind.Fields
				}
				for _, f := range fields.List {
					method, isMethod := f.Type.(*ast.FuncType)
					switch {
					case len(f.Names) == 0:
						to.embedded = append(to.embedded, typeName(dir, imported, f.Type))
					case to.isInterface && isMethod:
						to.methods[shape(f.Names[0].Name, method)] = true
					}
				}
			}
		}
	}
}

// typeName is how the type of an expression is known; empty for one without a name.
func typeName(dir string, imported map[string]string, of ast.Expr) string {
	switch of := of.(type) {
	case *ast.Ident:
		return dir + "/" + of.Name
	case *ast.StarExpr:
		return typeName(dir, imported, of.X)
	case *ast.IndexExpr:
		return typeName(dir, imported, of.X)
	case *ast.SelectorExpr:
		if from, ok := of.X.(*ast.Ident); ok {
			return imported[from.Name] + "/" + of.Sel.Name
		}
	}
	return ""
}

// shape is a method's name with the numbers of its parameters and results.
func shape(name string, f *ast.FuncType) string {
	return name + " " + strconv.Itoa(f.Params.NumFields()) + " " + strconv.Itoa(f.Results.NumFields())
}
