package config

import (
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/mcp"
	"github.com/goccy/go-yaml/ast"
)

func (r *fileReader) assistants(path string, n ast.Node) {
	r.fields(path, n, field{"tools", func(path string, n ast.Node) {
		r.file.AssistantTools = make(map[string]access.ACL)
		var tools []field
		for _, name := range mcp.ToolNames() {
			tools = append(tools, field{name, func(path string, n ast.Node) {
				var acl access.ACL
				r.acl(&acl)(path, n)
				r.file.AssistantTools[name] = acl // an invalid list allows no one
			}})
		}
		r.fields(path, n, tools...)
	}})
}

func assistantKeys() []FileKey {
	return []FileKey{{
		"assistants.tools.NAME", "a list of principals", "whoever may ask",
		"who may use a tool over MCP: " + strings.Join(mcp.ToolNames(), ", ") + ". See mcp.md",
	}}
}

func mcpURL(to *string) func(string) error {
	return func(v string) error {
		if err := httpURL(to)(v); err != nil {
			return err
		}
		if u, err := url.Parse(*to); *to != "" && (err != nil || u.Path != "/mcp" || u.RawQuery+u.Fragment != "" || u.User != nil) {
			return errors.New("does not end in /mcp behind its host")
		}
		return nil
	}
}

// issuer keeps the address exactly as written, because tokens are compared with it. It must use TLS
// unless it is on this machine, because signing keys are fetched from it.
func issuer(to *string) func(string) error {
	return func(v string) error {
		u, err := url.Parse(v)
		local := err == nil && slices.Contains([]string{"127.0.0.1", "localhost", "::1"}, u.Hostname())
		if v != "" && (err != nil || u.Host == "" || u.Scheme != "https" && !(u.Scheme == "http" && local) || u.RawQuery+u.Fragment != "" || u.User != nil) {
			return errors.New("is not an address that begins with https://")
		}
		*to = v
		return nil
	}
}

// name refuses spaces, because issuers' names of audiences and claims have none.
func name(to *string) func(string) error {
	return func(v string) error {
		if strings.ContainsAny(v, " \t\r\n") {
			return errors.New("holds a blank")
		}
		*to = v
		return nil
	}
}
