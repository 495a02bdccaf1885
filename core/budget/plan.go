package budget

// Shares of the room, in percent.
const (
	instructionShare = 15 // of System, Tools, Agent and Reminder together
	historyShare     = 15 // of earlier turns and of files
	// standaloneFrom is the share beyond which a newest message runs alone, and
	// standaloneShare what it may have then; the rest is for the reply.
	standaloneFrom  = 70
	standaloneShare = 80
	// userFloor is the least that remains of a newest message, as long as all that is never omitted
	// fits with it.
	userFloor = 25
	// toolRoom is what a project must leave to the tool results that are still to
	// come.
	toolRoom = 10
)

const (
	// shortenedTurns is how many of the newest turns are shortened when they are
	// too large; an older one that is too large ends the history.
	shortenedTurns = 3
	// pairDivisor makes the most that one side of a shortened pair may have: half
	// the share of history, less a tenth, because token arithmetic on joined texts
	// is not exact.
	pairDivisor = 2.2
	// resultFloor is what is left of a tool result at least, in tokens, as long as
	// its call is sent: enough to see that there was one.
	resultFloor = 16
	// scrap is the least that is worth sending of an earlier message, and what is
	// left of instructions in the narrowest of windows, in tokens.
	scrap = 16
)

// plan decides how many tokens each section keeps. It works on counts alone;
// texts are cut once, when it is done.
type plan struct {
	layout
	room  int   // tokens for all sections
	level level // how hard what is never omitted is shortened

	projectOverflow bool
	standalone      bool
	droppedTurns    int
}

// level is how far the parts that are never omitted may be shortened.
type level struct {
	dropTools    bool
	instructions int  // least tokens of each System and Agent section
	user         int  // least tokens of the newest message
	reminders    bool // whether reminders may be shortened, down to instructions
}

func newPlan(counter Counter, room int, sections []Section) *plan {
	return &plan{layout: newLayout(counter, sections), room: room}
}

func (p *plan) size() int { return p.all.cost() }

func (p *plan) percent(n int) int { return p.room * n / 100 }

// solve fixes the cost of each part in the order of their rights: the newest
// message, the calls of this turn, history, their results, the instructions. Each
// takes at most what the floors of those after it leave.
func (p *plan) solve() error {
	if err := p.chooseLevel(); err != nil {
		return err
	}
	if !p.projectFits() {
		p.dropProject()
	}
	if p.size() > p.room && p.user.cost() > p.percent(standaloneFrom) {
		p.standalone = true
		p.dropOlder()
	}
	if p.size() <= p.room {
		return nil
	}
	p.fitUser()
	p.fitSteps()
	p.fitHistory()
	p.fitResults()
	p.fitInstructions()
	return nil
}

// chooseLevel takes the mildest level at which what is never omitted fits.
func (p *plan) chooseLevel() error {
	quarter := p.instructionRoom() / 4
	for _, l := range []level{
		{instructions: quarter, user: p.percent(userFloor)},
		{instructions: quarter, user: p.percent(userFloor), dropTools: true},
		{instructions: scrap, user: scrap, dropTools: true, reminders: true},
		{instructions: 0, user: 0, dropTools: true, reminders: true},
	} {
		p.level = l
		if l.dropTools {
			p.tools.drop()
		}
		if p.leastInstructions()+p.user.least(l.user) <= p.room {
			return nil
		}
	}
	return ErrTooLarge
}

func (p *plan) instructionRoom() int { return p.percent(instructionShare) }

func (p *plan) instructions() int {
	return p.system.cost() + p.tools.cost() + p.agents.cost() + p.reminders.cost()
}

// leastInstructions is the size of the instructions when they are shortened as
// far as the level allows.
func (p *plan) leastInstructions() int {
	floor := p.level.instructions
	least := p.tools.cost() + p.system.least(floor) + p.agents.least(floor)
	if p.level.reminders {
		return least + p.reminders.least(floor)
	}
	return least + p.reminders.cost()
}

// promised is the size that the instructions have for certain: all of them, or
// their share, but never so much that the newest message has no place.
func (p *plan) promised() int {
	share := min(p.instructionRoom(), p.room-p.user.least(p.level.user))
	return min(p.instructions(), max(share, p.leastInstructions()))
}

func (p *plan) history() int {
	total := 0
	for _, turn := range p.turns {
		total += turn.cost()
	}
	return total
}

func (p *plan) stepCost() int {
	total := 0
	for _, step := range p.steps {
		total += step.cost()
	}
	return total
}

// leastSteps is the cost of the tool calls of this turn with their results cut
// to the floor.
func (p *plan) leastSteps() int {
	total := 0
	for _, step := range p.steps {
		if step[0].dropped {
			continue
		}
		total += step.of(ToolCall).cost() + step.of(ToolResult).least(resultFloor)
	}
	return total
}

// projectFits reports whether the project leaves the other parts what they are
// promised. Before the first tool call of a turn it must leave room for results
// as well: once the model has seen the project, it should not lose it.
func (p *plan) projectFits() bool {
	if len(p.project) == 0 {
		return true
	}
	steps := p.leastSteps()
	if len(p.steps) == 0 && p.tools.cost() > 0 {
		steps = p.percent(toolRoom)
	}
	older := min(p.history()+p.files.cost(), p.percent(historyShare))
	return p.promised()+p.user.cost()+p.project.cost()+steps+older <= p.room
}

func (p *plan) dropProject() {
	p.projectOverflow = len(p.project) > 0
	p.project.drop()
}

// dropOlder leaves the newest message alone with the instructions and what its
// tools returned.
func (p *plan) dropOlder() {
	p.dropProject()
	p.files.drop()
	for _, turn := range p.turns {
		p.dropTurn(turn)
	}
}

func (p *plan) dropTurn(turn pieces) {
	turn.drop()
	p.droppedTurns++
}

// fitUser shortens the newest message where it is larger than all the room that
// is not promised to the instructions, or, running alone, than 80 %.
func (p *plan) fitUser() {
	for _, s := range p.user {
		most := p.room - p.promised()
		if p.standalone {
			most = min(most, p.percent(standaloneShare))
		}
		s.keep = min(s.count, max(most-s.fixed, min(s.count, p.level.user)))
	}
}

// fitSteps leaves out the oldest tool calls of this turn, each with its result,
// when even the shortest form of all of them is too much.
func (p *plan) fitSteps() {
	room := p.room - p.promised() - p.user.cost() - p.project.cost()
	for _, step := range p.steps {
		if p.leastSteps() <= room {
			return
		}
		step.drop()
	}
}

// fitHistory keeps files of this turn, then earlier turns from the newest
// backwards until one does not fit, so that there is no hole in the conversation.
func (p *plan) fitHistory() {
	free := p.room - p.promised() - p.user.cost() - p.project.cost() - p.leastSteps()
	share := max(0, min(p.percent(historyShare), free))
	idle := p.room - p.instructions() - p.user.cost() - p.project.cost() - p.stepCost()
	p.fitFiles(max(share, idle))

	limit := share - p.files.cost()
	used := 0
	for age, turn := range p.turns {
		if used+turn.cost() > limit && age < shortenedTurns {
			shortenTurn(turn, share)
		}
		if used+turn.cost() > limit {
			for _, older := range p.turns[age:] {
				p.dropTurn(older)
			}
			return
		}
		used += turn.cost()
	}
}

// fitFiles leaves out the last files until the rest fits when shortened.
func (p *plan) fitFiles(limit int) {
	kept := p.files
	for len(kept) > 0 && kept.least(scrap) > limit {
		kept[len(kept)-1].dropped = true
		kept = kept[:len(kept)-1]
	}
	kept.squeeze(kept.cost()-limit, scrap)
}

// shortenTurn cuts each text of a turn to its part of the share of history, less
// a tenth; for a question with its answer that is the share by 2.2.
func shortenTurn(turn pieces, share int) {
	texts := turn.of(User, History, File, ToolResult)
	if len(texts) == 0 {
		return
	}
	most := int(float64(share) / (pairDivisor / 2 * float64(len(texts))))
	if most < scrap {
		return
	}
	for _, s := range texts {
		s.keep = min(s.keep, most)
	}
}

// fitResults trims the tool results of this turn, the largest first.
func (p *plan) fitResults() {
	var results pieces
	for _, step := range p.steps {
		if !step[0].dropped {
			results = append(results, step.of(ToolResult)...)
		}
	}
	room := p.room - p.promised() - p.user.cost() - p.project.cost() - p.history() - p.files.cost()
	results.squeeze(p.stepCost()-room, resultFloor)
}

// fitInstructions gives the instructions what is left, which is at least what
// they were promised, and shortens the agent's prompt first and reminders last.
func (p *plan) fitInstructions() {
	floor := p.level.instructions
	excess := p.size() - p.room
	excess = p.agents.squeeze(excess, max(floor, p.instructionRoom()/4))
	excess = p.system.squeeze(excess, floor)
	excess = p.agents.squeeze(excess, floor)
	if p.level.reminders {
		p.reminders.squeeze(excess, floor)
	}
}
