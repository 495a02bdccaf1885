package call

import (
	"time"

	"github.com/footnotehq/footnote/adapters/internal/pace"
)

// Slack limits assistant.threads.setStatus to about one call a second per thread, and several
// hundred a minute per workspace. This is the part of the latter that is used here. Titles and
// suggested prompts are limited to 50 a minute each. Threads and channels are read 50 times a
// minute: half for waiting answers, a third for idle calls.
var (
	statusQuota  = pace.Quota{Every: 200 * time.Millisecond, Burst: 100}
	promptQuota  = pace.Quota{Every: 2 * time.Second, Burst: 10}
	sessionQuota = pace.Quota{Every: 4 * time.Second, Burst: 8} // two calls each, of 50 a minute
	readQuota    = pace.Quota{Every: 3 * time.Second, Burst: 8}
	scanQuota    = pace.Quota{Every: 5 * time.Second, Burst: 8}
	// listQuota is the share of 20 calls a minute for lists; enough for 12,000 people at once.
	listQuota  = pace.Quota{Every: 7500 * time.Millisecond, Burst: 12}
	infoQuota  = pace.Quota{Every: time.Second, Burst: 40}             // of 100 a minute
	groupQuota = pace.Quota{Every: 6 * time.Second, Burst: 8}          // of 20 a minute
	homeQuota  = pace.Quota{Every: 1700 * time.Millisecond, Burst: 14} // of 50 a minute
	// historyQuota is the rest of 50 calls a minute, after readQuota and scanQuota.
	historyQuota = pace.Quota{Every: 3500 * time.Millisecond, Burst: 4}
	// nameQuota is the rest of 100 calls a minute, after infoQuota.
	nameQuota = pace.Quota{Every: 3 * time.Second, Burst: 10}
)
