package confluence

import (
	"path"
	"strings"
)

// scopes has the scope of a token that each request on Cloud needs, by the pattern of its path. The
// pages of the requests name the scopes: https://developer.atlassian.com/cloud/confluence/rest/v2/
// and https://developer.atlassian.com/cloud/confluence/rest/v1/.
var scopes = []struct{ path, scope string }{
	{"api/v2/spaces", "read:space:confluence"},
	{"api/v2/spaces/*/permissions", "read:space:confluence"},
	{"api/v2/spaces/*/role-assignments", "read:space.permission:confluence"},
	{"api/v2/space-roles", "read:space.permission:confluence"},
	{"api/v2/space-role-mode", "read:configuration:confluence"},
	{"api/v2/pages", "read:page:confluence"},
	{"api/v2/pages/*", "read:page:confluence"},
	{"api/v2/spaces/*/pages", "read:page:confluence"},
	{"api/v2/blogposts", "read:blogpost:confluence"},
	{"api/v2/blogposts/*", "read:blogpost:confluence"},
	{"api/v2/spaces/*/blogposts", "read:blogpost:confluence"},
	{"api/v2/folders/*", "read:folder:confluence"},
	{"api/v2/whiteboards/*", "read:whiteboard:confluence"},
	{"api/v2/databases/*", "read:database:confluence"},
	{"api/v2/embeds/*", "read:embed:confluence"},
	{"api/v2/users-bulk", "read:user:confluence"},
	{"rest/api/content/search", "read:content-details:confluence"},
	{"rest/api/content/*/restriction/byOperation/read", "read:content-details:confluence"},
	{"rest/api/content/*/permission/check", "read:content.permission:confluence"},
	{"rest/api/content/*/child/attachment/*/download", "read:attachment:confluence"},
	{"rest/api/group", "read:group:confluence"},
	{"rest/api/group/*/membersByGroupId", "read:group:confluence"},
}

// scopeOf returns the scope for a request's path, or "".
func scopeOf(asked string) string {
	asked, _, _ = strings.Cut(asked, "?")
	for _, s := range scopes {
		if is, err := path.Match(s.path, asked); is && err == nil {
			return s.scope
		}
	}
	return ""
}
