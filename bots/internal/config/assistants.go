package config

import (
	"strings"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/mcp"
	"github.com/goccy/go-yaml/ast"
)

// assistants reads who may use which tools of assistants.
func (r *fileReader) assistants(path string, n ast.Node) {
	r.fields(path, n, field{"tools", func(path string, n ast.Node) {
		r.file.AssistantTools = make(map[string]access.ACL)
		var tools []field
		for _, name := range mcp.ToolNames() {
			tools = append(tools, field{name, func(path string, n ast.Node) {
				var acl access.ACL
				r.acl(&acl)(path, n)
				r.file.AssistantTools[name] = acl // a list that cannot be read lets no one in
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
