package review

import (
	"time"

	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/spend"
)

// Today is how an installation does. It counts questions of everyone and names none.
type Today struct {
	Days    []Day // the newest first
	Waiting int   // questions that are not answered yet
	// Costs and Findings are for those alone who open PartOperation.
	Costs    []Cost
	Findings []Finding
}

// Day is the questions of a day, by UTC.
type Day struct {
	Day      time.Time
	Asked    int
	Outcomes map[session.Outcome]int
	// Half and Most are when half of the answers, and 95 of 100, had their first words.
	Half, Most time.Duration
}

// Cost is what models cost on a day.
type Cost struct {
	Day      time.Time
	Amount   spend.Amount
	Currency string
}

// Finding is something to look at, and what to do about it.
type Finding struct {
	Part, Text string
	Broken     bool // it does not work; else it works in part, or is a mistake that stops nothing
}
