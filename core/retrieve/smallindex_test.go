package retrieve_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/retrieve/retrievetest"
)

// handbook is what somebody tries a new bot with.
var handbook = []retrievetest.Document{
	retrievetest.One("vpn", "Remote access", "Connect to the company network with the VPN client. To get your VPN certificate, open a ticket with the service desk, and install it within a week."),
	retrievetest.One("leave", "Vacation", "Everybody gets thirty vacation days per year. Ask your manager for approval in the calendar two weeks before you leave."),
	retrievetest.One("expenses", "Expenses", "Hand in receipts for travel by the fifth of the month. Hotels are paid up to 150 euros per night, meals up to 40."),
	retrievetest.One("deploy", "Deploying the service", "Run make deploy and wait until the health check is green. Roll back with make rollback when the error rate rises."),
}

// Words that no document has say little in an index of a few documents, and politeness nothing; a
// name that no document has is what was asked about.
func TestEvidenceInSmallIndex(t *testing.T) {
	t.Parallel()
	for _, size := range []int{3, 4} {
		m := retrievetest.NewMemory()
		if err := m.Put(t.Context(), access.DefaultTenant, handbook[:size]...); err != nil {
			t.Fatal(err)
		}
		h := newHybrid(t, m, nil, nil)
		for question, want := range map[string]string{
			"How many vacation days do I get?":                                             "leave",
			"How many vacation days do I get? Thanks, Bob":                                 "leave",
			"How many vacation days do I get per year?\n\nCheers\nAlice Miller":            "leave",
			"Hi Bob, how many vacation days do I get?":                                     "leave",
			"Good morning team! how many vacation days are there? Many thanks in advance!": "leave",
			"@footnote hey folks, whats the number of vacation days, pls? thx":             "leave",
			"VPN key":                   "vpn",
			"how do I obtain a VPN key": "vpn",
			"Where can I get my VPN certificate on a laptop?":                "vpn",
			"who approves my vacation":                                       "leave",
			"Until when do I have to hand in receipts from a business trip?": "expenses",
			"By when must travel receipts be submitted?":                     "expenses",
			"How do I connect to Ouagadougou?":                               "",
			"How do I connect to the VPN of Globex?":                         "",
			"which ports does `kafka` need for travel?":                      "",
			"Where do I find the VPN setting max_idle_conns?":                "",
			"Is SSO required for travel?":                                    "",
			"replication of sourdough starters for meals":                    "",
			"where is the best pizza of the city?":                           "",
			"is there a sauna for managers?":                                 "",
			"zzyzx manager":                                                  "",
		} {
			r := search(t, h, ask(question))
			got := ""
			if r.Evidence {
				got = string(r.Hits[0].Document.ID)
			}
			if got != want {
				coverage := make([]string, len(r.Hits))
				for i, hit := range r.Hits {
					coverage[i] = fmt.Sprintf("%s %.2f", hit.Document.ID, hit.Scores.Coverage)
				}
				t.Errorf("%d documents, %q: %q, want %q (%s)", size, question, got, want, strings.Join(coverage, ", "))
			}
		}
	}
}
