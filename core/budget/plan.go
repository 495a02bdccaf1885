package budget

// Shares of the room, in percent.
const (
	instructionShare = 15 // System, Tools, Agent and Reminder together
	historyShare     = 15 // earlier turns and files
	// standaloneFrom is the share above which a newest message is sent without the other parts.
	// standaloneShare is the maximum share of such a message. The remainder is for the reply.
	standaloneFrom  = 70
	standaloneShare = 80
	// userFloor is the minimum share that a newest message keeps. It applies only if everything
	// that is never omitted also fits.
	userFloor = 25
	// toolRoom is the room that a project must leave for later tool results.
	toolRoom = 10
)

const (
	// shortenedTurns is the number of newest turns that are shortened if they are too large. An
	// older turn that is too large ends the history.
	shortenedTurns = 3
	// pairDivisor determines the maximum size of one side of a shortened pair. The maximum is half
	// the history share minus a tenth, because token counts of joined texts are not exact.
	pairDivisor = 2.2
	// resultFloor is the minimum number of tokens for a tool result whose call is sent. It ensures
	// that the model sees a result.
	resultFloor = 16
	// minUsefulTokens is the minimum useful size of an earlier message in tokens. It is also the
	// size of the instructions in the smallest windows.
	minUsefulTokens = 16
)

// plan decides how many tokens each section keeps. It uses only counts. Texts are cut once at the
// end.
type plan struct {
	layout
	room  int   // tokens for all sections
	level level // how far sections that are never omitted are shortened

	projectOverflow bool
	standalone      bool
	droppedTurns    int
}

// level determines how much the sections that are never omitted may be shortened.
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

// solve determines the size of each part by priority. The order is the newest message, the calls of
// this turn, history, the results of the calls, the instructions. Each part takes at most the room
// that the minimum sizes of the later parts leave.
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

// chooseLevel sets p.level to the level with the least shortening at which the sections that are
// never omitted fit. It returns ErrTooLarge if they fit at no level.
func (p *plan) chooseLevel() error {
	quarter := p.instructionRoom() / 4
	for _, l := range []level{
		{instructions: quarter, user: p.percent(userFloor)},
		{instructions: quarter, user: p.percent(userFloor), dropTools: true},
		{instructions: minUsefulTokens, user: minUsefulTokens, dropTools: true, reminders: true},
		{instructions: 0, user: 0, dropTools: true, reminders: true},
	} {
		p.level = l
		if l.dropTools {
			p.tools.drop()
		}
		if p.minInstructions()+p.user.minCost(l.user) <= p.room {
			return nil
		}
	}
	return ErrTooLarge
}

func (p *plan) instructionRoom() int { return p.percent(instructionShare) }

func (p *plan) instructions() int {
	return p.system.cost() + p.tools.cost() + p.agents.cost() + p.reminders.cost()
}

// minInstructions returns the size of the instructions after the maximum shortening that the level
// allows.
func (p *plan) minInstructions() int {
	floor := p.level.instructions
	least := p.tools.cost() + p.system.minCost(floor) + p.agents.minCost(floor)
	if p.level.reminders {
		return least + p.reminders.minCost(floor)
	}
	return least + p.reminders.cost()
}

// instructionShareSize returns the guaranteed size of the instructions. It is their full size or
// their share, whichever is less. It leaves room for the newest message.
func (p *plan) instructionShareSize() int {
	share := min(p.instructionRoom(), p.room-p.user.minCost(p.level.user))
	return min(p.instructions(), max(share, p.minInstructions()))
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

// minSteps returns the cost of the tool calls of this turn if their results are cut to the minimum.
func (p *plan) minSteps() int {
	total := 0
	for _, step := range p.steps {
		if step[0].dropped {
			continue
		}
		total += step.ofKinds(ToolCall).cost() + step.ofKinds(ToolResult).minCost(resultFloor)
	}
	return total
}

// projectFits reports whether the project leaves the other parts their guaranteed sizes. Before a
// turn's first tool call, the project must also leave room for results, so that it need not be
// omitted later in the turn.
func (p *plan) projectFits() bool {
	if len(p.project) == 0 {
		return true
	}
	steps := p.minSteps()
	if len(p.steps) == 0 && p.tools.cost() > 0 {
		steps = p.percent(toolRoom)
	}
	older := min(p.history()+p.files.cost(), p.percent(historyShare))
	return p.instructionShareSize()+p.user.cost()+p.project.cost()+steps+older <= p.room
}

func (p *plan) dropProject() {
	p.projectOverflow = len(p.project) > 0
	p.project.drop()
}

// dropOlder drops all sections except the newest message, the instructions and the tool results of
// this turn.
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

// fitUser shortens the newest message if it exceeds the room that the guaranteed instructions
// leave. A message that is sent without the other parts is shortened to at most 80 %.
func (p *plan) fitUser() {
	for _, s := range p.user {
		most := p.room - p.instructionShareSize()
		if p.standalone {
			most = min(most, p.percent(standaloneShare))
		}
		s.keep = min(s.count, max(most-s.fixed, min(s.count, p.level.user)))
	}
}

// fitSteps drops the oldest tool calls of this turn with their results. It does so only if all
// calls in their shortest form are too large.
func (p *plan) fitSteps() {
	room := p.room - p.instructionShareSize() - p.user.cost() - p.project.cost()
	for _, step := range p.steps {
		if p.minSteps() <= room {
			return
		}
		step.drop()
	}
}

// fitHistory keeps the files of this turn. Then it keeps earlier turns from the newest backwards
// until one does not fit, so that the conversation has no gap.
func (p *plan) fitHistory() {
	free := p.room - p.instructionShareSize() - p.user.cost() - p.project.cost() - p.minSteps()
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

// fitFiles drops files from the end until the remaining files fit when shortened.
func (p *plan) fitFiles(limit int) {
	files := p.files
	for len(files) > 0 && files.minCost(minUsefulTokens) > limit {
		files[len(files)-1].dropped = true
		files = files[:len(files)-1]
	}
	files.shrink(files.cost()-limit, minUsefulTokens)
}

// shortenTurn cuts each text of a turn to an equal part of the history share minus a tenth. For a
// question with its answer, each part is the share divided by 2.2.
func shortenTurn(turn pieces, share int) {
	texts := turn.ofKinds(User, History, File, ToolResult)
	if len(texts) == 0 {
		return
	}
	most := int(float64(share) / (pairDivisor / 2 * float64(len(texts))))
	if most < minUsefulTokens {
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
			results = append(results, step.ofKinds(ToolResult)...)
		}
	}
	room := p.room - p.instructionShareSize() - p.user.cost() - p.project.cost() - p.history() - p.files.cost()
	results.shrink(p.stepCost()-room, resultFloor)
}

// fitInstructions gives the instructions the remaining room, at least their guaranteed size. It
// shortens the agent's prompt first and reminders last.
func (p *plan) fitInstructions() {
	floor := p.level.instructions
	excess := p.size() - p.room
	excess = p.agents.shrink(excess, max(floor, p.instructionRoom()/4))
	excess = p.system.shrink(excess, floor)
	excess = p.agents.shrink(excess, floor)
	if p.level.reminders {
		p.reminders.shrink(excess, floor)
	}
}
