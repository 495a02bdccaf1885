package webconsole_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/review"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

var formKey = regexp.MustCompile(`name="key" value="([^"]{20,})"`)

// Moderators correct and remove answers that they see; a private answer is removed by its asker
// alone, and a withheld one is not corrected, since the form holds it.
func TestAnswersAreChangedByThoseWhoMay(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.acls["d1"] = access.ACL{"group:board"}
	c.ask("open", "open question", "open answer")
	c.ask("withheld", "withheld question", "secret answer [[1]](https://docs.example/1)", 1)
	c.ask("own", "own question", "own answer").Direct = true
	c.asked[2].Asker.ID = "U1"
	c.ask("other", "other question", "other answer").Direct = true
	c.ask("elsewhere", "question elsewhere", "answer elsewhere").Ref.Channel = "C2"
	c.ask("removed", "removed question", "").Removed = true
	c.held["U1"] = []access.Principal{access.Channel("slack", "C1")}
	cookie := c.signIn("U1", review.Admin)
	all := []string{"open correct", "open remove", "withheld remove", "own remove"}
	for role, may := range map[review.Role][]string{review.Admin: all, review.Moderator: all, review.GapReader: nil} {
		c.roles[account("U1")] = role
		for _, turn := range []string{"open", "withheld", "own", "other", "elsewhere", "removed"} {
			page := c.do(http.MethodGet, "/questions/"+turn, cookie, nil).Body.String()
			for _, do := range []string{"correct", "remove", "share"} {
				allowed := strings.Contains(strings.Join(may, ","), turn+" "+do)
				if offered := strings.Contains(page, `href="/questions/`+turn+"/"+do); offered != allowed {
					t.Errorf("%s is offered to %s %s: %t", role, do, turn, offered)
				}
				c.did = nil
				form := c.do(http.MethodGet, "/questions/"+turn+"/"+do, cookie, nil)
				sent := c.do(http.MethodPost, "/questions/"+turn+"/"+do, cookie, url.Values{"key": {"k1"}, "text": {"better"}})
				if (form.Code == http.StatusOK) != allowed || (sent.Code == http.StatusSeeOther) != allowed || (len(c.did) == 1) != allowed {
					t.Errorf("%s %ss %s: %d, %d, %+v", role, do, turn, form.Code, sent.Code, c.did)
				}
				if strings.Contains(form.Body.String(), "secret") {
					t.Errorf("the form shows:\n%s", form.Body)
				}
			}
		}
	}
}

func TestFormsAreSentOnce(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.ask("t1", "question", "answer")
	c.held["U1"] = []access.Principal{access.Channel("slack", "C1")}
	cookie := c.signIn("U1", review.Moderator)
	form := c.do(http.MethodGet, "/questions/t1/correct", cookie, nil).Body.String()
	key := formKey.FindStringSubmatch(form)
	if key == nil || !strings.Contains(form, "text before</textarea>") || formKey.FindStringSubmatch(c.do(http.MethodGet, "/questions/t1/correct", cookie, nil).Body.String())[1] == key[1] {
		t.Fatalf("the form is\n%s", form)
	}
	values := url.Values{"key": {key[1]}, "text": {"better"}}
	for range 2 {
		w := c.do(http.MethodPost, "/questions/t1/correct", cookie, values)
		if w.Code != http.StatusSeeOther || !strings.Contains(c.do(http.MethodGet, w.Header().Get("Location"), cookie, nil).Body.String(), `role="status"`) {
			t.Errorf("sent: %d %s", w.Code, w.Header().Get("Location"))
		}
	}
	if len(c.did) != 2 || c.did[0].Key != c.did[1].Key || !strings.HasPrefix(c.did[0].Key, "console:") || c.did[0].By.ID != "U1" || c.did[0].By.Name != "Name U1" ||
		!c.did[0].Moderator || c.did[0].Do != thread.ActionCorrect || c.did[0].Turn != "t1" || c.did[0].Text != "better" {
		t.Errorf("done: %+v", c.did)
	}
	values.Set("text", "better still")
	if w := c.do(http.MethodPost, "/questions/t1/correct", cookie, values); w.Code != http.StatusSeeOther || len(c.did) != 3 || c.did[2].Key == c.did[0].Key || c.did[2].Text != "better still" {
		t.Errorf("the form with another text: %d %+v", w.Code, c.did)
	}
	// The answer is another one by now, so the first text is a change again.
	c.saved["t1"].Runs[0].Shown = "better still"
	values.Set("text", "better")
	if w := c.do(http.MethodPost, "/questions/t1/correct", cookie, values); w.Code != http.StatusSeeOther || len(c.did) != 4 || c.did[3].Key == c.did[0].Key {
		t.Errorf("the form with the first text: %d %+v", w.Code, c.did)
	}
	stored := c.saved["t1"]
	stored.Correction = &session.Correction{Text: "better", By: thread.Person{ID: "U1", Name: "Name U1"}}
	c.saved["t1"] = stored
	if w := c.do(http.MethodPost, "/questions/t1/correct", cookie, values); w.Code != http.StatusSeeOther || len(c.did) != 4 {
		t.Errorf("the form again after its success: %d %+v", w.Code, c.did)
	}
	stored.Correction = nil // a person may confirm the answer as it is
	stored.Runs[0].Shown, c.saved["t1"] = "better", stored
	if w := c.do(http.MethodPost, "/questions/t1/correct", cookie, values); w.Code != http.StatusSeeOther || len(c.did) != 5 {
		t.Errorf("a correction that equals the answer: %d %+v", w.Code, c.did)
	}
	values.Set("text", "another text")
	c.asked[0].Removed = true
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		if w := c.do(method, "/questions/t1/remove", cookie, values); w.Code != http.StatusConflict || !strings.Contains(w.Body.String(), "The answer is removed already.") {
			t.Errorf("%s of a removal sent twice: %d\n%s", method, w.Code, w.Body)
		}
	}
	c.asked[0].Removed = false
	c.did = nil
	for name, change := range map[string]func(*http.Request){
		"cross-site": func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
		"origin":     func(r *http.Request) { r.Header.Del("Sec-Fetch-Site"); r.Header.Set("Origin", "https://evil.example") },
	} {
		if w := c.do(http.MethodPost, "/questions/t1/remove", cookie, values, change); w.Code != http.StatusForbidden {
			t.Errorf("%s: %d", name, w.Code)
		}
	}
	for name, wrong := range map[string]url.Values{"no key": {"text": {"x"}}, "too long": {"key": {"k"}, "text": {strings.Repeat("x", 1<<17)}}} {
		if w := c.do(http.MethodPost, "/questions/t1/correct", cookie, wrong); w.Code != http.StatusBadRequest {
			t.Errorf("%s: %d", name, w.Code)
		}
	}
	if w := c.do(http.MethodPost, "/questions/t1/correct", cookie, url.Values{"key": {"k"}}); w.Code != http.StatusConflict || !strings.Contains(w.Body.String(), "needs a text") {
		t.Errorf("refused: %d\n%s", w.Code, w.Body)
	}
	c.away = true
	if w := c.do(http.MethodPost, "/questions/t1/correct", cookie, values); w.Code != http.StatusServiceUnavailable || len(c.did) > 0 {
		t.Errorf("away: %d %+v", w.Code, c.did)
	}
}
