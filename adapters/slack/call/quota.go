package call

import (
	"time"

	"github.com/footnotehq/footnote/adapters/internal/pace"
)

// These are the rate limits for calls that do not write an answer. Slack limits
// assistant.threads.setStatus to about one call a second per thread, and to several hundred a
// minute per workspace, of which statusQuota is a part. Titles and suggested prompts are limited to
// 50 calls a minute each. Reading threads and channels is limited to 50 calls a minute. Waiting
// answers get about half of these calls, and idle calls get a third.
var (
	statusQuota  = pace.Quota{Every: 200 * time.Millisecond, Burst: 100}
	promptQuota  = pace.Quota{Every: 2 * time.Second, Burst: 10}
	sessionQuota = pace.Quota{Every: 4 * time.Second, Burst: 8} // two calls each, of 50 a minute
	readQuota    = pace.Quota{Every: 3 * time.Second, Burst: 8}
	scanQuota    = pace.Quota{Every: 5 * time.Second, Burst: 8}
	// listQuota is the part of 20 calls a minute that is used for lists. Its burst is enough for
	// 12,000 people.
	listQuota  = pace.Quota{Every: 7500 * time.Millisecond, Burst: 12}
	infoQuota  = pace.Quota{Every: time.Second, Burst: 40}             // of 100 a minute
	groupQuota = pace.Quota{Every: 6 * time.Second, Burst: 8}          // of 20 a minute
	homeQuota  = pace.Quota{Every: 1700 * time.Millisecond, Burst: 14} // of 50 a minute
	// historyQuota is the rest of 50 calls a minute after readQuota and scanQuota.
	historyQuota = pace.Quota{Every: 3500 * time.Millisecond, Burst: 4}
	// nameQuota is the rest of 100 calls a minute after infoQuota.
	nameQuota = pace.Quota{Every: 3 * time.Second, Burst: 10}
)
