// Package code counts what a checkout of this repository is made of: the figures of decision 77.
package code

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

var sources = []string{
	"confluence", "discord/history", "files", "gdrive", "git", "github", "gitlab", "jira", "notion", "slack/history", "web", "internal/transcript",
}

type counts struct {
	nodes, interfaces, lines int
	adapters                 map[string]int // lines
}

// Run prints code figures for the checkout in the folder args[0], or in the current folder.
func Run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("code", flag.ContinueOnError)
	if err := flags.Parse(args); err != nil {
		return err
	}
	root := "."
	if flags.NArg() > 0 {
		root = flags.Arg(0)
	}
	c := counts{adapters: make(map[string]int)}
	for _, top := range []string{"adapters", "bots", "core", "migrations"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
				return errors.Join(err, ctx.Err())
			}
			relative, err := filepath.Rel(root, name)
			if err != nil {
				return err
			}
			return c.add(name, filepath.ToSlash(relative))
		})
		if err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "product code, without tests and test kits: %d AST nodes, %d lines, %d named interfaces\n", c.nodes, c.lines, c.interfaces)
	for _, s := range sources {
		fmt.Fprintf(out, "adapters/%-20s %5d lines\n", s, c.adapters[s])
	}
	return nil
}

func (c *counts) add(name, relative string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	if strings.HasSuffix(f.Name.Name, "test") {
		return nil
	}
	lines := strings.Count(string(text), "\n")
	c.lines += lines
	for _, s := range sources {
		if dir := "adapters/" + s; path.Dir(relative) == dir || strings.HasPrefix(relative, dir+"/") {
			c.adapters[s] += lines
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if n != nil {
			c.nodes++
		}
		if spec, ok := n.(*ast.TypeSpec); ok {
			if i, ok := spec.Type.(*ast.InterfaceType); ok && i.Methods.NumFields() > 0 {
				c.interfaces++
			}
		}
		return true
	})
	return nil
}
