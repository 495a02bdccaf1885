package call_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/slack/call"
	api "github.com/slack-go/slack"
)

func TestMissingScopeNamesItsPage(t *testing.T) {
	t.Parallel()
	for scope, page := range map[string]string{"connections:write": "Basic Information → App-Level Tokens", "chat:write": "OAuth & Permissions → Bot Token Scopes", "": "OAuth & Permissions → Bot Token Scopes"} {
		err := call.Explain("chat.postMessage", api.SlackErrorResponse{Err: "missing_scope", Needed: scope})
		if !strings.Contains(err.Error(), page) || !strings.Contains(err.Error(), scope) {
			t.Errorf("of the scope %q it says %q", scope, err)
		}
	}
}
