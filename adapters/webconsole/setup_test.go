package webconsole_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/review"
	"github.com/footnotehq/footnote/core/session"
)

// The pages of the setup say what the file owns, and name no file of a project that their reader
// may not read.
func TestSetupSaysWhoOwnsIt(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.set = review.Setup{
		File:     "/etc/footnote.yaml",
		Agents:   []review.Agent{{Name: "helper", Default: true, Instructions: "Answer briefly.", Model: "m", DocumentSets: []string{"manuals"}}},
		Projects: []review.Project{{Name: "launch", Files: []review.ProjectFile{{Path: "plan.md", Readers: access.ACL{access.Public}}, {Path: "salaries.md", Readers: access.ACL{"group:board"}}}}},
		Sets:     []review.DocumentSet{{Name: "manuals", Sources: []string{"handbook"}, Agents: []string{"helper"}}},
		Places: []review.Place{
			{Settings: []review.PlaceSetting{{Key: "follow", Value: "thread"}}},
			{Place: session.Place{Platform: "slack", Channel: "C1"}, Settings: []review.PlaceSetting{
				{Key: "follow", Value: "always", Origins: []policy.Origin{{Changed: true, By: "U5"}}}, {Key: "bots", Value: "true", Origins: []policy.Origin{{File: "line 4"}}},
				{Key: "report", Value: "false", Origins: []policy.Origin{{Changed: true, By: "U6"}}, Undo: "/footnote report on"},
			}},
		},
	}
	cookie := c.signIn("U1", review.Admin)
	for page, wants := range map[string][]string{
		"/setup":          {"Owned by <code>/etc/footnote.yaml</code>", "read-only", "<h2>helper</h2>", "Answer briefly.", "manuals"},
		"/setup/projects": {"Owned by", "plan.md", "1 file that you may not read"},
		"/setup/sets":     {"Owned by", "handbook", "helper"},
		"/setup/channels": {"read-only", "Everywhere", "slack channel C1", `<span class="mark">changed</span> changed by U5`, "; to undo it, write <code>/footnote report on</code> there", `<span class="mark">file</span> line 4`, `<span class="mark">default</span>`},
	} {
		w := c.do(http.MethodGet, page, cookie, nil)
		for _, want := range wants {
			if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), want) {
				t.Errorf("%s: %d, lacks %q:\n%s", page, w.Code, want, w.Body)
			}
		}
		if strings.Contains(w.Body.String(), "salaries") {
			t.Errorf("%s names a file of others:\n%s", page, w.Body)
		}
	}
	if w := c.do(http.MethodGet, "/setup/none", cookie, nil); w.Code != http.StatusNotFound {
		t.Errorf("a page that there is not: %d", w.Code)
	}
}
