package confluencetest

import (
	"slices"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/servertest"
)

// scopes has the scopes of which a token needs all, by the pattern of the path. They are the
// granular scopes under "OAuth 2.0 scopes required" of each request:
// https://developer.atlassian.com/cloud/confluence/rest/v2/ and
// https://developer.atlassian.com/cloud/confluence/rest/v1/. A search also takes the classic scope
// "search:confluence".
var scopes = map[string][]string{
	"api/v2/spaces":                                   {"read:space:confluence"},
	"api/v2/spaces/*/pages":                           {"read:page:confluence"},
	"api/v2/spaces/*/blogposts":                       {"read:blogpost:confluence"},
	"api/v2/spaces/*/permissions":                     {"read:space:confluence"},
	"api/v2/spaces/*/role-assignments":                {"read:space.permission:confluence"},
	"api/v2/space-role-mode":                          {"read:configuration:confluence"},
	"api/v2/space-roles":                              {"read:space.permission:confluence"},
	"api/v2/pages":                                    {"read:page:confluence"},
	"api/v2/pages/*":                                  {"read:page:confluence"},
	"api/v2/blogposts":                                {"read:blogpost:confluence"},
	"api/v2/blogposts/*":                              {"read:blogpost:confluence"},
	"api/v2/folders/*":                                {"read:folder:confluence"},
	"api/v2/whiteboards/*":                            {"read:whiteboard:confluence"},
	"api/v2/databases/*":                              {"read:database:confluence"},
	"api/v2/embeds/*":                                 {"read:embed:confluence"},
	"api/v2/users-bulk":                               {"read:user:confluence"},
	"rest/api/content/search":                         {"read:content-details:confluence"},
	"rest/api/content/*/restriction/byOperation/read": {"read:content-details:confluence"},
	"rest/api/content/*/permission/check":             {"read:content.permission:confluence"},
	"rest/api/content/*/child/attachment/*/download":  {"read:attachment:confluence"},
	"rest/api/group":                                  {"read:group:confluence"},
	"rest/api/group/*/membersByGroupId":               {"read:group:confluence", "read:user:confluence"},
	"media/*":                                         {},
}

// scoped reports whether the token has the scopes for a path. No granular scope opens a path that
// is not in the list, such as /download/attachments.
func (s *Server) scoped(path string) bool {
	for pattern, needed := range scopes {
		if _, ok := servertest.Match(pattern, path); ok {
			return !slices.ContainsFunc(needed, func(scope string) bool { return !slices.Contains(s.Scopes, scope) })
		}
	}
	return false
}

// values has the values that Cloud documents for parameters, by the pattern of the path:
// "Valid values: …" (https://developer.atlassian.com/cloud/confluence/rest/v2/). The server answers
// 400 to all others.
var values = map[string]map[string]string{
	"api/v2/spaces":             {"status": "current archived", "type": "global collaboration knowledge_base personal"},
	"api/v2/pages":              {"status": "current archived deleted trashed", "sort": sorts + " title -title"},
	"api/v2/spaces/*/pages":     {"status": "current archived deleted trashed", "sort": sorts + " title -title"},
	"api/v2/blogposts":          {"status": "current deleted trashed", "sort": sorts},
	"api/v2/spaces/*/blogposts": {"status": "current deleted trashed", "sort": sorts},
	"api/v2/pages/*":            {"body-format": bodies, "include-labels": "true false"},
	"api/v2/blogposts/*":        {"body-format": bodies, "include-labels": "true false"},
}

const (
	sorts  = "id -id created-date -created-date modified-date -modified-date"
	bodies = "storage atlas_doc_format view export_view anonymous_export_view styled_view editor"
)

// documented reports whether every parameter with a fixed set of values has one of them.
func (q *request) documented() bool {
	for pattern, known := range values {
		if _, ok := servertest.Match(pattern, q.path); !ok {
			continue
		}
		for name, allowed := range known {
			for _, given := range q.values[name] {
				for one := range strings.SplitSeq(given, ",") {
					if !slices.Contains(strings.Fields(allowed), one) {
						return false
					}
				}
			}
		}
	}
	return true
}
