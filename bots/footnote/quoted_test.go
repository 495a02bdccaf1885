package main_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// smallHandbook is what somebody tries a new bot with.
var smallHandbook = map[string]string{
	"vpn.md": "# Remote access\n\nThe VPN is an encrypted connection from your laptop to the company network. Everybody who works from home needs it.\n\n" +
		"## Setting up the VPN\n\nTo set up the VPN on a laptop, do this:\n\n1. Install the client from the software portal.\n2. Request a certificate from the service desk.\n\n" +
		"## Errors\n\nIf the client says \"certificate expired\", request a new certificate from the service desk and import it again.\n",
	"leave.md": "# Vacation\n\nEverybody gets thirty vacation days per year.\n\n## Requesting vacation\n\n" +
		"Enter the days in the calendar and ask your manager for approval at least two weeks before you leave.\n",
	"deploy.md": "# Deploying the service\n\nTo deploy a release, run this command:\n\n```sh\nmake deploy ENV=prod\n```\n\n" +
		"## Rolling back\n\nTo roll a release back, run this command:\n\n```sh\nmake rollback RELEASE=previous\n```\n\n" +
		"## Shutting down\n\nOnly for maintenance: `make shutdown` stops all servers of the service at once.\n",
}

// Without a model, what answers is quoted first, and nothing where nothing answers.
func TestQuotedAnswersOfASmallHandbook(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.run(t, "index", folder(t, smallHandbook))
	questions := []struct{ id, after, question, page, begins, holds string }{
		{"steps", "", "Hi all, how do I set up the VPN on my new laptop? Thanks, Maria", "vpn.md", "To set up the VPN on a laptop, do this", "1. Install the client from the software portal."},
		{"definition", "", "what's the VPN?", "vpn.md", "The VPN is an encrypted connection", ""},
		{"remedy", "", "the vpn client says \"certificate expired\", help!", "vpn.md", "If the client says \"certificate expired\", request a new certificate", ""},
		{"fact", "", "how many vacation days do I get per year?", "leave.md", "Everybody gets thirty vacation days per year.", ""},
		{"command", "", "Good morning! How do I roll back a bad release? Cheers", "deploy.md", "To roll a release back, run this command", "make rollback RELEASE=previous"},
		{"followup", "fact", "and how long before I leave do I ask my manager?", "leave.md", "", ""}, // the page alone: words choose the passage of the answer before,
		{"product", "", "How do I stop a running query in Snowflake?", "", "", ""},
		{"harm", "", "how do I kill one hanging request?", "", "", ""},
		{"pizza", "", "where is the best pizza in town?", "", "", ""},
	}
	var file strings.Builder
	file.WriteString("id\tkind\tquestion\tpages_regex\tafter\tanswer\n")
	for _, q := range questions {
		page := "-"
		if q.page != "" {
			page = "^" + strings.ReplaceAll(q.page, ".", "\\.") + "$"
		}
		file.WriteString(strings.Join([]string{q.id, "any", q.question, page, q.after, ""}, "\t") + "\n")
	}
	name := filepath.Join(folder(t, map[string]string{"q.tsv": file.String()}), "q.tsv")
	answers := make(map[string]string)
	report := jsonOf[interviewed](t, p.run(t, "eval", "--questions", name, "--json", "--save", filepath.Join(t.TempDir(), "run.json")))
	for _, r := range report.Results {
		answers[r.ID] = r.Answer
		if r.Outcome == "answered" && len(r.Cited) == 0 {
			t.Errorf("%s is answered without a citation:\n%s", r.ID, r.Answer)
		}
		if r.Outcome != "answered" && len(r.Cited) > 0 {
			t.Errorf("%s ended with %s and cites %v", r.ID, r.Outcome, r.Cited)
		}
	}
	for _, q := range questions {
		_, quoted, introduced := strings.Cut(answers[q.id], ":\n\n")
		if !introduced && q.page != "" { // why there are quotations is said once in a thread
			quoted = answers[q.id]
		}
		if title, below, _ := strings.Cut(quoted, "\n\n"); strings.HasPrefix(title, "**") {
			quoted = below
		}
		if !strings.HasPrefix(quoted, q.begins) || !strings.Contains(quoted, q.holds) || q.page == "" && quoted != "" {
			t.Errorf("%s: the answer is\n%s\nwant %q first and %q", q.id, answers[q.id], q.begins, q.holds)
		}
	}
	// That nothing answers is said once, and no page is named that has nothing to do with the
	// question.
	reply := p.run(t, "ask", "how do I kill one hanging request?").stdout
	if !strings.Contains(reply, "I found nothing about this") || strings.Count(reply, "I found nothing") != 1 || strings.Contains(reply, "These may help") || strings.Contains(reply, "[1]") {
		t.Errorf("the reply is\n%s", reply)
	}
}
