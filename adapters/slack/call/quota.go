package call

import (
	"time"

	"github.com/footnotehq/footnote/adapters/internal/pace"
)

// assistant.threads.setStatus has its own kind of limit: about one a second in each thread, as
// chat.postMessage has in each channel, and several hundred a minute in the workspace, of which
// this is the part that is counted here. Titles and suggested prompts are 50 a minute of each;
// threads and channels are read 50 times a minute, half of it for answers that wait for it and a
// third for idle calls.
var (
	statusQuota  = pace.Quota{Every: 200 * time.Millisecond, Burst: 100}
	promptQuota  = pace.Quota{Every: 2 * time.Second, Burst: 10}
	sessionQuota = pace.Quota{Every: 4 * time.Second, Burst: 8} // two calls each, of 50 a minute
	readQuota    = pace.Quota{Every: 3 * time.Second, Burst: 8}
	scanQuota    = pace.Quota{Every: 5 * time.Second, Burst: 8}
	// of 20 a minute: 12,000 people at once
	listQuota  = pace.Quota{Every: 7500 * time.Millisecond, Burst: 12}
	infoQuota  = pace.Quota{Every: time.Second, Burst: 40}             // of 100 a minute
	groupQuota = pace.Quota{Every: 6 * time.Second, Burst: 8}          // of 20 a minute
	homeQuota  = pace.Quota{Every: 1700 * time.Millisecond, Burst: 14} // of 50 a minute
	// what readQuota and scanQuota leave of 50 a minute
	historyQuota = pace.Quota{Every: 3500 * time.Millisecond, Burst: 4}
	// what infoQuota leaves of 100 a minute
	nameQuota = pace.Quota{Every: 3 * time.Second, Burst: 10}
)
