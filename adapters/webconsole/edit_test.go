package webconsole_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/command"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/review"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/session/sessiontest"
	"github.com/footnotehq/footnote/core/thread"
)

// rules are the settings of channels, of which the file sets "reply".
type rules struct{ *sessiontest.Memory }

var inFile = policy.SettingValue{Key: "reply", Value: "in_place", Origin: policy.Origin{File: "footnote.yaml:4"}}

func (r rules) Policy(ctx context.Context, tenant access.TenantID, at session.Place) (policy.Effective, error) {
	said := []policy.SettingValue{inFile}
	stored, err := r.Settings(ctx, tenant, at)
	for _, s := range stored {
		said = append(said, policy.ChangedValue(s))
	}
	return policy.Resolve(said...), err
}

func (rules) Accept(_ context.Context, _ access.TenantID, _ session.Place, key, value string) error {
	if key == "agent" && value != "helper" {
		return fmt.Errorf("there is no agent %q", value)
	}
	return nil
}

func (rules) Hash(context.Context) (string, error) { return "", nil }

// editing returns how settings of channels are changed. Places are those of the setup.
func (w *world) editing() review.Editing {
	return review.Editing{
		Tenant: access.DefaultTenant, Platforms: []thread.Platform{"slack", "discord"},
		Editor: command.Editor{Settings: w.settings, Policies: rules{w.settings}, Logger: slog.New(slog.DiscardHandler), FileSays: func(_ session.Place, key string) (policy.Origin, bool) {
			return inFile.Origin, key == inFile.Key
		}},
		Places: func(context.Context) ([]session.Place, error) {
			var all []session.Place
			for _, p := range w.set.Places {
				all = append(all, p.Place)
			}
			return all, nil
		},
		Names: func(key string) []string {
			return map[string][]string{"agent": {"helper", "<b>odd"}, "project": {}}[key]
		},
		Room: func(_ context.Context, at thread.Ref) (chat.Room, error) {
			switch {
			case w.noRoom != nil:
				return chat.Room{}, w.noRoom
			case at.Channel == "C7":
				return chat.Room{Ref: thread.Ref{Platform: "slack", Workspace: "W", Channel: "C7"}, Present: access.Presence{Tenant: access.DefaultTenant}}, nil
			}
			return chat.Room{}, thread.ErrNotPermitted
		},
	}
}

const editC1 = "/setup/channels/edit?platform=slack&workspace=W&channel=C1"

// channelForm returns what a form for the channel C1 sends: keys with values, and with what the
// form showed, in turns.
func channelForm(fields ...string) url.Values {
	form := url.Values{"platform": {"slack"}, "workspace": {"W"}, "channel": {"C1"}}
	for i := 0; i < len(fields); i += 3 {
		form.Set("v."+fields[i], fields[i+1])
		form.Set("was."+fields[i], fields[i+2])
	}
	return form
}

// stored lists the settings that people changed, as "key value author".
func (c *console) stored() []string {
	c.Helper()
	all, err := c.settings.AllSettings(c.Context(), access.DefaultTenant)
	if err != nil {
		c.Fatal(err)
	}
	out := []string{}
	for _, s := range all {
		out = append(out, s.Key+" "+s.Value+" "+s.By)
	}
	return out
}

func newChannel(t testing.TB) *console {
	c := newConsole(t)
	c.set.Places = []review.Place{{}, {Place: session.Place{Platform: "slack"}}, {Place: session.Place{Platform: "slack", Workspace: "W", Channel: "C1"}}}
	return c
}

func TestAdminsChangeSettingsOfChannels(t *testing.T) {
	t.Parallel()
	c := newChannel(t)
	cookie := c.signIn("U1", review.Admin)
	list := c.do(http.MethodGet, "/setup/channels", cookie, nil).Body.String()
	if strings.Count(list, "/setup/channels/edit?") != 1 || !strings.Contains(list, `href="`+strings.ReplaceAll(editC1, "&", "&amp;")+`"`) {
		t.Errorf("the channels:\n%s", list)
	}
	form := c.do(http.MethodGet, editC1, cookie, nil).Body.String()
	for _, want := range []string{`<select id="f-agent" name="v.agent"`, "<option>helper</option>", `<input id="f-askers" name="v.askers"`, "set by footnote.yaml:4: change it there", "Settings: slack workspace W channel C1"} {
		if !strings.Contains(form, want) {
			t.Errorf("the form lacks %q:\n%s", want, form)
		}
	}
	if strings.Contains(form, `name="v.reply"`) || strings.Contains(form, "<b>odd") {
		t.Errorf("the form:\n%s", form)
	}
	w := c.do(http.MethodPost, "/setup/channels/edit", cookie, channelForm("agent", "helper", "", "paused", "true", "", "follow", "", ""))
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "2 settings changed") || !slices.Equal(c.stored(), []string{"agent helper U1", "paused true U1"}) {
		t.Fatalf("stored: %d, %v\n%s", w.Code, c.stored(), w.Body)
	}
	_, undo, _ := strings.Cut(w.Body.String(), `<form method="post" action="/setup/channels/edit" class="act">`)
	undo, _, _ = strings.Cut(undo, "</form>")
	for _, want := range []string{`name="v.agent" value=""`, `name="was.agent" value="helper"`, `name="v.paused" value=""`, "<button>Undo</button>"} {
		if !strings.Contains(undo, want) {
			t.Errorf("undo lacks %q:\n%s", want, undo)
		}
	}
	w = c.do(http.MethodPost, "/setup/channels/edit", cookie, channelForm("agent", "", "helper", "paused", "", "true"))
	if w.Code != http.StatusOK || len(c.stored()) > 0 {
		t.Errorf("undone: %d, %v", w.Code, c.stored())
	}
	// A channel that has no settings yet is looked up on its platform.
	if w := c.do(http.MethodGet, "/setup/channels/edit?platform=slack&channel=C7", cookie, nil); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `name="workspace" value="W"`) {
		t.Errorf("a new channel: %d\n%s", w.Code, w.Body)
	}
	for target, status := range map[string]int{
		"/setup/channels/edit": http.StatusNotFound, "/setup/channels/edit?platform=slack&channel=C9": http.StatusNotFound, "/setup/channels/edit?platform=slack&workspace=X": http.StatusNotFound,
		"/setup/channels/edit?platform=slack&channel=" + strings.Repeat("C", 300): http.StatusBadRequest, "/setup/channels/edit?%zz": http.StatusBadRequest,
	} {
		if w := c.do(http.MethodGet, target, cookie, nil); w.Code != status {
			t.Errorf("%.60s: %d, want %d", target, w.Code, status)
		}
	}
	c.noRoom = errors.New("the platform is away")
	if w := c.do(http.MethodGet, "/setup/channels/edit?platform=slack&channel=C7", cookie, nil); w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "does not answer. Try again") || strings.Contains(w.Body.String(), "away") {
		t.Errorf("while the platform is away: %d\n%s", w.Code, w.Body)
	}
}

func TestWrongSettingsAreNamedAndKept(t *testing.T) {
	t.Parallel()
	c := newChannel(t)
	cookie := c.signIn("U1", review.Admin)
	hostile := `"><script>alert(1)</script>`
	w := c.do(http.MethodPost, "/setup/channels/edit", cookie, channelForm("bots", "true", "", "wait", hostile, "", "stoppers", "user:slack:U5", ""))
	body := w.Body.String()
	for _, want := range []string{
		"Nothing was stored", `<a href="#f-wait">wait</a>`, `value="&#34;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"`, `aria-invalid="true"`, `id="e-wait"`, "is no value of wait", `value="user:slack:U5"`, "<option selected>true</option>",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the form lacks %q:\n%s", want, body)
		}
	}
	if w.Code != http.StatusConflict || strings.Contains(body, "<script") || strings.Count(body, "aria-invalid") != 1 || len(c.stored()) > 0 {
		t.Errorf("%d, stored: %v", w.Code, c.stored())
	}
	for name, tt := range map[string]struct {
		form   url.Values
		status int
	}{
		"what the file sets":    {channelForm("reply", "thread", ""), http.StatusConflict},
		"an unknown setting":    {channelForm("<b>none", "x", ""), http.StatusBadRequest},
		"an unknown name":       {channelForm("agent", "other", ""), http.StatusConflict},
		"a choice that is none": {channelForm("follow", "sometimes", ""), http.StatusConflict},
		"a long value":          {channelForm("helpers", strings.Repeat("x", 2000), ""), http.StatusConflict},
		"no text":               {channelForm("helpers", "\xff\x00", ""), http.StatusConflict},
		"a long form":           {channelForm("helpers", strings.Repeat("x", 1<<17), ""), http.StatusBadRequest},
		"no earlier value":      {url.Values{"platform": {"slack"}, "workspace": {"W"}, "channel": {"C1"}, "v.bots": {"true"}}, http.StatusBadRequest},
		"two values":            {url.Values{"platform": {"slack"}, "workspace": {"W"}, "channel": {"C1"}, "v.bots": {"true", "false"}, "was.bots": {""}}, http.StatusBadRequest},
		"no place":              {url.Values{"v.bots": {"true"}, "was.bots": {""}}, http.StatusNotFound},
	} {
		w := c.do(http.MethodPost, "/setup/channels/edit", cookie, tt.form)
		if w.Code != tt.status || len(c.stored()) > 0 || strings.Contains(w.Body.String(), "<b>none") || w.Body.Len() > 100_000 {
			t.Errorf("%s: %d, want %d, stored %v\n%s", name, w.Code, tt.status, c.stored(), w.Body)
		}
	}
	if body := c.do(http.MethodPost, "/setup/channels/edit", cookie, channelForm("reply", "thread", "")).Body.String(); !strings.Contains(body, "reply is set in the configuration file (footnote.yaml:4)") {
		t.Errorf("what the file sets:\n%s", body)
	}
	// The largest page: each field has a text of the greatest length, and all is refused.
	full := channelForm()
	for _, s := range policy.Settings() {
		full.Set("v."+s.Key, strings.Repeat("<", review.MaxValue))
		full.Set("was."+s.Key, "")
	}
	if w := c.do(http.MethodPost, "/setup/channels/edit", cookie, full); w.Code != http.StatusBadRequest && w.Body.Len() > 100_000 {
		t.Errorf("a full form: %d, %d bytes", w.Code, w.Body.Len())
	}
}

// Two people have the form of a channel open. The second one reads who was first, and what was
// typed is kept.
func TestTwoEditorsAtOnce(t *testing.T) {
	t.Parallel()
	c := newChannel(t)
	one, two := c.signIn("U1", review.Admin), c.signIn("U2", review.Admin)
	if w := c.do(http.MethodPost, "/setup/channels/edit", one, channelForm("follow", "always", "")); w.Code != http.StatusOK {
		t.Fatalf("the first: %d\n%s", w.Code, w.Body)
	}
	w := c.do(http.MethodPost, "/setup/channels/edit", two, channelForm("follow", "mention", "", "wait", "5m", ""))
	for _, want := range []string{"U1 set follow to always after you opened the form", "<option selected>mention</option>", `name="was.follow" value="always"`, `value="5m"`} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("the form lacks %q:\n%s", want, w.Body)
		}
	}
	if w.Code != http.StatusConflict || !slices.Equal(c.stored(), []string{"follow always U1"}) {
		t.Errorf("the second: %d, stored %v", w.Code, c.stored())
	}
	if w := c.do(http.MethodPost, "/setup/channels/edit", two, channelForm("follow", "mention", "always", "wait", "5m", "")); w.Code != http.StatusOK || !slices.Equal(c.stored(), []string{"follow mention U2", "wait 5m U2"}) {
		t.Errorf("sent again: %d, stored %v", w.Code, c.stored())
	}
}

func TestSettingsAreChangedByAdminsAlone(t *testing.T) {
	t.Parallel()
	c := newChannel(t)
	c.set.File = "/etc/footnote.yaml"
	c.set.Places[2].Settings = []review.PlaceSetting{{Key: "follow", Value: "always"}}
	c.set.Places = append(c.set.Places, review.Place{Place: session.Place{Platform: "slack", Workspace: "W", Channel: "CSECRET"}})
	c.held["U1"] = []access.Principal{access.Channel("slack", "C1")}
	cookie := c.signIn("U1", review.Admin)
	for _, role := range []review.Role{review.Moderator, review.GapReader, ""} {
		c.roles[account("U1")] = role // while signed in
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			target, want := editC1, http.StatusForbidden
			if role == "" {
				want = http.StatusSeeOther
			}
			if method == http.MethodPost {
				target = "/setup/channels/edit"
			}
			if w := c.do(method, target, cookie, channelForm("bots", "true", "")); w.Code != want || len(c.stored()) > 0 {
				t.Errorf("%q %s: %d, stored %v", role, method, w.Code, c.stored())
			}
		}
		if role != review.Moderator {
			continue
		}
		// Moderators see the settings of channels that they are in, as in chat, and nothing that changes one.
		for _, page := range []string{"/setup", "/setup/channels"} {
			body := c.do(http.MethodGet, page, cookie, nil).Body.String()
			if !strings.Contains(body, "channel C1") || !strings.Contains(body, "always") || strings.Contains(body, "CSECRET") || strings.Contains(body, "/edit") || strings.Contains(body, "/setup/agents") {
				t.Errorf("%s for %s:\n%s", page, role, body)
			}
		}
		for _, page := range []string{"/setup/agents", "/setup/projects", "/setup/sets"} {
			if w := c.do(http.MethodGet, page, cookie, nil); w.Code != http.StatusNotFound {
				t.Errorf("%s opens %s: %d", role, page, w.Code)
			}
		}
	}
	c.roles[account("U1")] = review.Admin
	for name, change := range map[string]func(*http.Request){
		"cross-site": func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
		"origin":     func(r *http.Request) { r.Header.Del("Sec-Fetch-Site"); r.Header.Set("Origin", "https://evil.example") },
	} {
		if w := c.do(http.MethodPost, "/setup/channels/edit", cookie, channelForm("bots", "true", ""), change); w.Code != http.StatusForbidden || len(c.stored()) > 0 {
			t.Errorf("%s: %d, stored %v", name, w.Code, c.stored())
		}
	}
	if w := c.do(http.MethodGet, editC1+"&v.bots=true&was.bots=", cookie, nil); w.Code != http.StatusOK || len(c.stored()) > 0 {
		t.Errorf("GET: %d, stored %v", w.Code, c.stored())
	}
}

// A person changes a setting in a browser, reads what was wrong, and takes the change back, with
// the keyboard alone and without scripts.
func TestSettingsInABrowser(t *testing.T) {
	t.Parallel()
	o := &operator{chromium: newChromium(t)}
	c := newChannel(t)
	server := httptest.NewUnstartedServer(nil)
	address := server.Listener.Addr().String()
	server.Config.Handler = c.handler(address)
	server.Start()
	t.Cleanup(server.Close)
	o.call("Page.navigate", map[string]any{"url": "http://" + address + "/sign-in?link=" + c.link("U1", review.Admin)}, nil)
	o.shows("Sign in")
	o.click("main button")
	o.shows("Today")
	o.click(page("setup"))
	o.shows("Agents")
	o.click(page("setup/channels"))
	o.shows("Channels")
	phone(o.chromium, "channels")
	o.barriers("channels")
	o.click(`main a[href*="channel=C1"]`)
	o.shows("Settings: slack workspace W channel C1")
	phone(o.chromium, "settings")
	o.barriers("settings")
	o.focus("#f-follow")
	o.choose("always")
	o.write("#f-wait", "soon")
	o.click("main > form > button")
	o.holds("Nothing was stored")
	if got := o.eval(`document.querySelector("#f-follow").value + " " + document.querySelector("#f-wait").value`); got != "always soon" {
		t.Errorf("what was typed is %q", got)
	}
	phone(o.chromium, "refused settings")
	o.barriers("refused settings")
	o.focus(`a[href="#f-wait"]`)
	o.press("Enter")
	o.focus("#f-wait")
	o.call("Runtime.evaluate", map[string]any{"expression": `document.querySelector("#f-wait").select()`}, nil)
	o.write("#f-wait", "2m")
	o.click("main > form > button")
	o.holds("2 settings changed")
	if got := c.stored(); !slices.Equal(got, []string{"follow always U1", "wait 2m U1"}) {
		t.Errorf("stored: %v", got)
	}
	phone(o.chromium, "changed settings")
	o.barriers("changed settings")
	o.click("form.act button")
	o.until("the change is undone", func() bool { return len(c.stored()) == 0 })
}

// choose chooses an option of the list that has the focus by its first letters.
func (o *operator) choose(option string) {
	o.Helper()
	for _, r := range option {
		o.call("Input.dispatchKeyEvent", map[string]any{"type": "char", "text": string(r)}, nil)
	}
	if got := o.eval("document.activeElement.value"); got != option {
		o.Fatalf("%q is chosen, want %q", got, option)
	}
}
