package webconsole_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/review"
)

// An admin sees a private question for a reason that its asker was told, and nothing else of that
// person: no other question, and no document that the admin may not read.
func TestQuestionIsShownForAReason(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.acls["d1"] = access.ACL{"group:board"}
	c.ask("t1", "private question", "private answer").Direct = true
	c.ask("t2", "another private question", "another answer").Direct = true
	c.ask("t3", "withheld question", "secret answer [[1]](https://docs.example/1)", 1).Direct = true
	c.ask("t4", "deleted question", "deleted answer").Outcome = "superseded"
	cookie := c.signIn("U1", review.Admin)
	opens := func(turn string) (int, string) {
		w := c.do(http.MethodGet, "/questions/"+turn, cookie, nil)
		return w.Code, w.Body.String()
	}
	reveal := func(turn, reason string) int {
		return c.do(http.MethodPost, "/reveal", cookie, url.Values{"ref": {turn}, "reason": {reason}}).Code
	}
	if list := c.do(http.MethodGet, "/questions", cookie, nil).Body.String(); !strings.Contains(list, `href="/reveal"`) || strings.Contains(list, "private question<") {
		t.Errorf("the list:\n%s", list)
	}
	for name, code := range map[string]int{
		"no reason": reveal("t1", ""), "a word": reveal("t1", "because"), "a long one": reveal("t1", strings.Repeat("why ", 100)), "unknown": reveal("none", "The asker reports a wrong answer."), "deleted": reveal("t4", "The asker reports a wrong answer."),
	} {
		if code != http.StatusConflict || len(c.told) > 0 {
			t.Errorf("%s: %d, told %v", name, code, c.told)
		}
	}
	if code, _ := opens("t1"); code != http.StatusNotFound {
		t.Errorf("before: %d", code)
	}
	for _, turn := range []string{"t1", "t3"} {
		if code := reveal(turn, "The asker <@U9> reports a wrong answer."); code != http.StatusSeeOther {
			t.Errorf("%s: %d", turn, code)
		}
	}
	if len(c.told) != 2 || !strings.HasPrefix(c.told[0], "Name U1 (U1) looks at your question") || !strings.HasSuffix(c.told[0], "The asker U9 reports a wrong answer.") {
		t.Errorf("told: %q", c.told)
	}
	if code, body := opens("t1"); code != http.StatusOK || !strings.Contains(body, "private answer") || !strings.Contains(body, "You see this question for a reason") || strings.Contains(body, `/remove"`) || strings.Contains(body, "another") {
		t.Errorf("after: %d\n%s", code, body)
	}
	if code, body := opens("t3"); code != http.StatusOK || strings.Contains(body, "secret answer") || !strings.Contains(body, "not shown") {
		t.Errorf("an answer that rests on hidden documents: %d\n%s", code, body)
	}
	if code, _ := opens("t2"); code != http.StatusNotFound {
		t.Errorf("another question: %d", code)
	}
	c.roles[account("U1")] = review.Moderator
	if code, _ := opens("t1"); code != http.StatusNotFound {
		t.Errorf("as a moderator: %d", code)
	}
	if code := reveal("t2", "The asker reports a wrong answer."); code != http.StatusForbidden {
		t.Errorf("a moderator reveals: %d", code)
	}
}
func TestRequestsAreLimited(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	cookie := c.signIn("U1", review.Admin)
	refused := func(target, cookie string) bool {
		for range 400 {
			if w := c.do(http.MethodGet, target, cookie, nil); w.Code == http.StatusTooManyRequests {
				return w.Header().Get("Retry-After") != ""
			}
		}
		return false
	}
	if !refused("/sign-in?link=guess", "") || !refused("/today", cookie) {
		t.Error("requests are not limited")
	}
	if w := c.do(http.MethodPost, "/sign-in", "", url.Values{"link": {c.link("U5", review.Admin)}}, func(r *http.Request) { r.RemoteAddr = "198.51.100.7:1" }); w.Code != http.StatusSeeOther {
		t.Errorf("another address is limited too: %d", w.Code)
	}
}
