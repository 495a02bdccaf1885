package budget

import (
	"math"
	"slices"
)

const (
	// shortenedTurns is how many of the newest turns are shortened when they are
	// too large; an older one that is too large ends the history.
	shortenedTurns = 3
	// pairDivisor makes the most that one side of a shortened pair may have: half
	// the share of history, less a tenth, because token arithmetic on joined texts
	// is not exact.
	pairDivisor = 2.2
)

// history returns the messages of the newest turns that fit the share of
// history, oldest first. A pair that fits is charged for its texts alone; a pair
// that had to be shortened is charged for its messages too. Among the newest three
// turns one that still does not fit is skipped, and older ones get their chance.
func (c Compressor) history(turns []Pair) []Message {
	var (
		newestFirst []Message
		used        int
		limit       = c.Limits.History
		side        = math.Floor(limit / pairDivisor)
		age         = -1
	)
	for _, turn := range slices.Backward(turns) {
		age++
		question, answer := c.Counter.Count(turn.Question), c.Counter.Count(turn.Answer)
		if float64(used+question+answer) < limit {
			newestFirst = append(newestFirst, turn.answer(), turn.question())
			used += question + answer
			continue
		}
		if age >= shortenedTurns {
			break
		}
		if float64(question) > side {
			turn.Question = c.cannonball(turn.Question, side)
		}
		if float64(answer) > side {
			turn.Answer = c.cannonball(turn.Answer, side)
		}
		size := Stats(c.Counter, []Message{turn.question(), turn.answer()})
		if float64(used+size) > limit {
			continue
		}
		newestFirst = append(newestFirst, turn.answer(), turn.question())
		used += size
	}
	slices.Reverse(newestFirst)
	return newestFirst
}

func (p Pair) question() Message { return Message{Role: RoleUser, Content: p.Question} }

func (p Pair) answer() Message { return Message{Role: RoleAssistant, Content: p.Answer} }
