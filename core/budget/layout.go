package budget

import (
	"cmp"
	"maps"
	"slices"
)

type piece struct {
	index   int
	kind    Kind
	text    string
	fixed   int // cost in addition to the text, including the message
	count   int // tokens of the text
	keep    int // tokens of the text to keep
	dropped bool
}

func (s *piece) cost() int {
	if s.dropped {
		return 0
	}
	return s.fixed + s.keep
}

func (s *piece) minCost(floor int) int { return s.fixed + min(s.count, floor) }

type pieces []*piece

func (ps pieces) cost() int {
	total := 0
	for _, s := range ps {
		total += s.cost()
	}
	return total
}

func (ps pieces) minCost(floor int) int {
	total := 0
	for _, s := range ps {
		total += s.minCost(floor)
	}
	return total
}

func (ps pieces) drop() {
	for _, s := range ps {
		s.dropped = true
	}
}

func (ps pieces) ofKinds(kinds ...Kind) pieces {
	var found pieces
	for _, s := range ps {
		if slices.Contains(kinds, s.kind) {
			found = append(found, s)
		}
	}
	return found
}

// shrink removes at least excess tokens from ps and returns the number that it could not remove. It
// shortens the largest pieces first, until they have the same size. It leaves at least floor tokens
// of each piece.
func (ps pieces) shrink(excess, floor int) int {
	if excess <= 0 {
		return 0
	}
	saved := func(height int) int {
		total := 0
		for _, s := range ps {
			total += max(0, s.keep-height)
		}
		return total
	}
	top := floor
	for _, s := range ps {
		top = max(top, s.keep)
	}
	// The largest size that saves enough, or floor if none does.
	low, high := floor, top
	for low < high {
		middle := low + (high-low+1)/2
		if saved(middle) >= excess {
			low = middle
		} else {
			high = middle - 1
		}
	}
	excess -= saved(low)
	for _, s := range ps {
		s.keep = min(s.keep, low)
	}
	return max(0, excess)
}

type layout struct {
	all       pieces
	system    pieces
	agents    pieces
	reminders pieces
	tools     pieces
	project   pieces
	user      pieces   // the newest message; empty or one
	files     pieces   // files of the newest message
	steps     []pieces // tool calls of this turn with their results, oldest first
	turns     []pieces // earlier turns, newest first
}

func newLayout(counter Counter, sections []Section) layout {
	var l layout
	newest, current := newestUser(sections)
	turns := make(map[int]pieces)
	for i, section := range sections {
		n := counter.Count(section.Text)
		s := &piece{
			index: i, kind: section.Kind, text: section.Text,
			fixed: max(0, section.Fixed) + messageTokens, count: n, keep: n,
		}
		l.all = append(l.all, s)
		switch section.Kind {
		case System:
			l.system = append(l.system, s)
		case Agent:
			l.agents = append(l.agents, s)
		case Reminder:
			l.reminders = append(l.reminders, s)
		case Tools:
			l.tools = append(l.tools, s)
		case Project:
			l.project = append(l.project, s)
		case User, History, File, ToolCall, ToolResult:
			switch {
			case i == newest:
				l.user = append(l.user, s)
			case section.Group < current || section.Kind == User || section.Kind == History:
				turns[section.Group] = append(turns[section.Group], s)
			case section.Kind == File:
				l.files = append(l.files, s)
			default:
				l.addStep(s)
			}
		}
	}
	newestFirst := slices.SortedFunc(maps.Keys(turns), func(a, b int) int { return cmp.Compare(b, a) })
	for _, group := range newestFirst {
		l.turns = append(l.turns, turns[group])
	}
	return l
}

// addStep adds a tool call or a tool result to the steps of the turn. A call after a result begins
// a new step. Parallel calls and their results belong to one step.
func (l *layout) addStep(s *piece) {
	last := len(l.steps) - 1
	if last < 0 || s.kind == ToolCall && l.steps[last][len(l.steps[last])-1].kind == ToolResult {
		l.steps = append(l.steps, pieces{s})
		return
	}
	l.steps[last] = append(l.steps[last], s)
}

// newestUser returns the index and Section.Group of the last User section. If there is none, it
// returns -1 and the highest Group.
func newestUser(sections []Section) (index, group int) {
	index = -1
	for i, s := range sections {
		switch {
		case s.Kind == User:
			index, group = i, s.Group
		case index < 0:
			group = max(group, s.Group)
		}
	}
	return index, group
}
