package call

import (
	"time"

	"github.com/footnotehq/footnote/adapters/internal/pace"
)

// These are rate limits for calls that do not write answers, each within Slack's limit for the
// method. Slack allows several hundred statuses, 50 titles, 50 prompts and 50 reads of messages a
// minute. readQuota is for waiting answers, and scanQuota for background reads.
var (
	statusQuota  = pace.Quota{Every: 200 * time.Millisecond, Burst: 100}
	promptQuota  = pace.Quota{Every: 2 * time.Second, Burst: 10}
	sessionQuota = pace.Quota{Every: 4 * time.Second, Burst: 8} // two calls each, of 50 a minute
	readQuota    = pace.Quota{Every: 3 * time.Second, Burst: 8}
	scanQuota    = pace.Quota{Every: 5 * time.Second, Burst: 8}
	// listQuota limits the calls that list the workspace's people. Slack allows 20 a minute. Its
	// burst suffices for 12,000 people.
	listQuota  = pace.Quota{Every: 7500 * time.Millisecond, Burst: 12}
	infoQuota  = pace.Quota{Every: time.Second, Burst: 40}             // of 100 a minute
	groupQuota = pace.Quota{Every: 6 * time.Second, Burst: 8}          // of 20 a minute
	homeQuota  = pace.Quota{Every: 1700 * time.Millisecond, Burst: 14} // of 50 a minute
	// historyQuota is what readQuota and scanQuota leave of 50 calls a minute.
	historyQuota = pace.Quota{Every: 3500 * time.Millisecond, Burst: 4}
	// nameQuota is what infoQuota leaves of 100 calls a minute.
	nameQuota = pace.Quota{Every: 3 * time.Second, Burst: 10}
)
