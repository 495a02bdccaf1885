package review

import (
	"time"

	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/spend"
)

// Today is an overview of an installation. It counts the questions of all people and does not name
// people.
type Today struct {
	Days    []Day // the newest first
	Waiting int   // questions that are not answered yet
	// Costs and Findings are set only for people who may open PartOperation.
	Costs    []Cost
	Findings []Finding
}

// Day summarises the questions of one day, in UTC.
type Day struct {
	Day      time.Time
	Asked    int
	Outcomes map[session.Outcome]int
	// Half is the median of the time until the first words of an answer. Most is the 95th
	// percentile.
	Half, Most time.Duration
}

// Cost is the cost of models on a day.
type Cost struct {
	Day      time.Time
	Amount   spend.Amount
	Currency string
}

// Finding is a problem and its remedy.
type Finding struct {
	Part, Text string
	Broken     bool // true: it does not work; false: it works in part, or the fault is harmless
}
