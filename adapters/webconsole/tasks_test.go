package webconsole_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/gaps"
	"github.com/footnotehq/footnote/core/mcp"
	"github.com/footnotehq/footnote/core/review"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/sources"
)

// operator is a person who has a keyboard alone.
type operator struct {
	*chromium
	clicks int
}

// click presses Tab until an element has the focus, and Enter.
func (o *operator) click(selector string) {
	o.Helper()
	o.clicks++
	o.reach(selector)
}

// write presses Tab until a field has the focus, and types.
func (o *operator) write(selector, text string) {
	o.Helper()
	o.focus(selector)
	o.call("Input.insertText", map[string]any{"text": text}, nil)
}

func (o *operator) focus(selector string) {
	o.Helper()
	for range 60 {
		if o.eval(fmt.Sprintf("document.activeElement?.matches(%q)", selector)) == "true" {
			return
		}
		o.press("Tab")
	}
	o.Fatalf("%s cannot be reached by keyboard", selector)
}

// holds waits until the page says something.
func (o *operator) holds(text string) {
	o.Helper()
	o.until("the page says "+text, func() bool {
		return strings.Contains(o.eval(`document.readyState === "complete" && document.body.textContent`), text)
	})
}

func page(name string) string { return fmt.Sprintf(`nav a[href="/%s"]`, name) }

// The tasks that an operator does most, each with the number of clicks that it may take from any
// page of the console. They need no mouse and no script, and every page on the way fits a phone.
//
// TRY_CONSOLE is the folder into which "make try-console" installed axe-core, which then looks for
// barriers on each page. Pictures of the pages are stored there.
func TestOperatorsTasks(t *testing.T) {
	t.Parallel()
	o := &operator{chromium: newChromium(t)}
	c := newConsole(t)
	c.furnish()
	server := httptest.NewUnstartedServer(nil)
	address := server.Listener.Addr().String()
	server.Config.Handler = c.handler(address)
	server.Start()
	t.Cleanup(server.Close)
	o.call("Page.navigate", map[string]any{"url": "http://" + address + "/sign-in?link=" + c.link("U1", review.Admin)}, nil)
	o.shows("Sign in")
	for _, task := range []struct {
		name   string
		clicks int
		do     func()
	}{
		{"sign in", 1, func() { o.click("main button"); o.shows("Today") }},
		{"see what is broken, and what it costs", 1, func() { o.click(page("today")); o.holds("nearly full") }},
		{"find a question by its words", 2, func() {
			o.click(page("questions"))
			o.shows("Questions")
			o.write(`input[name="text"]`, "vacation")
			o.click("main button")
			o.holds("How many vacation days?")
		}},
		{"see an answer next to what it cites", 3, func() {
			o.click(page("questions"))
			o.shows("Questions")
			o.click(`main a[href$="0001"]`)
			o.shows("How many vacation days?")
			o.click(`a.note[href="#c1"]`)
			o.until("the passage is shown", func() bool { return o.eval(`!!document.querySelector("li:target blockquote")`) == "true" })
		}},
		{"correct an answer", 2, func() {
			o.click(`main a[href$="/correct"]`)
			o.shows("Title")
			phone(o.chromium, "form")
			o.barriers("form")
			o.write("textarea", "Thirty-one.")
			o.click("main button")
			o.holds("takes the place of the answer")
		}},
		{"remove an answer", 2, func() {
			o.click(`main a[href$="/remove"]`)
			o.shows("Title")
			o.click("main button")
			o.holds("is removed")
		}},
		{"see what the documents lack", 2, func() {
			o.click(page("gaps"))
			o.shows("Gaps")
			o.click(`main a[href$="0001"]`)
			o.shows("How many vacation days?")
		}},
		{"see how current a source is", 2, func() {
			o.click(page("sources"))
			o.shows("Sources")
			o.click(`main a[href^="/sources/one"]`)
			o.holds("7 matched")
		}},
		{"pause a source", 1, func() { o.click(`form:has(input[value="pause"]) button`); o.holds("Pause:") }},
		{"find out why a person may read a document", 3, func() {
			o.click(page("sources"))
			o.shows("Sources")
			o.click(`main a[href="/sources/readers"]`)
			o.shows("Who may read a document")
			o.write(`input[name="for"]`, "slack:U7")
			o.write(`input[name="address"]`, "https://docs.example/1")
			o.click("main button")
			o.holds("Yes, slack:U7 may read it")
		}},
		{"try a question", 2, func() {
			o.click(page("try"))
			o.shows("Try it")
			o.write("textarea", "How many vacation days?")
			o.click("main button")
			o.holds("Thirty days.")
		}},
		{"see who owns the setting of a channel", 2, func() {
			o.click(page("setup"))
			o.shows("Agents")
			o.click(page("setup/channels"))
			o.holds("changed by U5")
		}},
		{"sign out", 1, func() { o.click(`form[action="/sign-out"] button`); o.shows("Sign in") }},
	} {
		o.clicks = 0
		task.do()
		t.Logf("%s: %d clicks", task.name, o.clicks)
		if o.clicks != task.clicks {
			t.Errorf("%s takes %d clicks, want %d", task.name, o.clicks, task.clicks)
		}
		phone(o.chromium, task.name)
		o.barriers(task.name)
	}
	if len(c.did) != 2 || len(c.acts) != 1 {
		t.Errorf("done: %+v %v", c.did, c.acts)
	}
}

// furnish fills a console.
func (c *console) furnish() {
	c.acls["d1"], c.texts[1] = access.ACL{access.Public}, "Every employee has thirty vacation days per year."
	c.ask("00000000-0000-7000-8000-000000000001", "How many vacation days?", "Thirty. [[1]](https://docs.example/1)", 1)
	c.ask("00000000-0000-7000-8000-000000000002", "Which printer prints in colour?", "None that is known.").Down = 1
	c.held["U1"] = []access.Principal{access.Channel("slack", "C1")}
	c.today = review.Today{
		Days:     []review.Day{{Day: c.now, Asked: 7, Outcomes: map[session.Outcome]int{session.Answered: 6, session.NoEvidence: 1}, Half: time.Second, Most: 3 * time.Second}},
		Findings: []review.Finding{{Part: "disk", Text: "It is nearly full.", Broken: true}}, Costs: []review.Cost{{Day: c.now, Amount: 1_000_000_000, Currency: "EUR"}}, Waiting: 1,
	}
	c.sources = []review.Source{{
		ID: "wiki:a", Name: "Wiki", Kind: "confluence", Documents: 1200, LastSuccess: c.now, LastRun: c.now, Every: time.Hour, NextRun: "in 12m", People: "7 of 9", Matched: 7, Unmatched: 2, Late: time.Hour,
		Loops: []review.Loop{{Name: "groups", ReadAt: c.now, CountsTill: c.now}}, Offers: []sources.Act{sources.Run, sources.Pause}, Faults: []string{"Its groups cannot be read."},
	}}
	c.answer.Documents = []review.Readers{{Readers: access.ACL{"group:staff"}, Through: []access.Held{{Principal: "group:staff", From: "the role Staff"}}}}
	c.report = gaps.Report{Questions: 2, Clusters: []gaps.Cluster{{Label: "How many vacation days?", Questions: c.asked[:1], Askers: 1, Closest: []document.Ref{{Title: "Vacation policy", URL: "https://docs.example/1"}}}}}
	c.set = review.Setup{
		File:   "/etc/footnote.yaml",
		Agents: []review.Agent{{Name: "helper", Default: true, Instructions: "Answer briefly.", Model: "m", Grounding: "open"}},
		Places: []review.Place{{Settings: []review.PlaceSetting{{Key: "follow", Value: "always", Origins: []policy.Origin{{Changed: true, By: "U5"}}}}}},
	}
	c.answers = func(_ context.Context, _ access.Account, _ string, progress func(string)) (mcp.Asked, error) {
		progress("Searching: vacation days")
		return mcp.Asked{Answer: "Thirty days. [[1]](https://docs.example/1)", Outcome: "answered", Sources: []mcp.AskedSource{{Number: 1, Title: "Vacation policy", URL: "https://docs.example/1"}}}, nil
	}
}

// barriers has axe-core look at a page, in light and dark and on a narrow screen, and takes
// pictures.
func (o *operator) barriers(name string) {
	o.Helper()
	folder := os.Getenv("TRY_CONSOLE")
	if folder == "" {
		return
	}
	axe, err := os.ReadFile(filepath.Join(folder, "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		o.Fatal(err)
	}
	for _, look := range []struct {
		scheme string
		width  int
	}{{"light", 1280}, {"dark", 1280}, {"light", 360}} {
		o.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": look.scheme}}}, nil)
		o.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": look.width, "height": 900, "deviceScaleFactor": 1, "mobile": look.width < 500}, nil)
		o.call("Emulation.setScriptExecutionDisabled", map[string]any{"value": false}, nil)
		var found struct{ Result struct{ Value string } }
		o.call("Runtime.evaluate", map[string]any{"awaitPromise": true, "returnByValue": true, "expression": string(axe) + `
			;axe.run().then(r => JSON.stringify(r.violations.map(v => ({id: v.id, impact: v.impact, help: v.help, at: v.nodes.map(n => n.html)}))))`}, &found)
		o.call("Emulation.setScriptExecutionDisabled", map[string]any{"value": true}, nil)
		var violations []struct {
			ID, Impact, Help string
			At               []string
		}
		if err := json.Unmarshal([]byte(found.Result.Value), &violations); err != nil {
			o.Fatalf("axe-core says %q: %v", found.Result.Value, err)
		}
		for _, v := range violations {
			o.Errorf("%s, %s, %d wide: %s (%s, %s) at %s", name, look.scheme, look.width, v.Help, v.ID, v.Impact, strings.Join(v.At, " "))
		}
		var picture struct{ Data string }
		o.call("Page.captureScreenshot", map[string]any{"format": "png"}, &picture)
		data, err := base64.StdEncoding.DecodeString(picture.Data)
		if err != nil {
			o.Fatal(err)
		}
		file := fmt.Sprintf("%s-%s-%d.png", strings.ReplaceAll(name, " ", "-"), look.scheme, look.width)
		if err := os.WriteFile(filepath.Join(folder, file), data, 0o600); err != nil {
			o.Fatal(err)
		}
	}
	o.call("Emulation.clearDeviceMetricsOverride", nil, nil)
}
