package budget

// Shares of the tokens available for all sections, in percent.
const (
	instructionShare = 15 // System, Tools, Agent and Reminder together
	historyShare     = 15 // earlier turns and files
	// A newest message above the share standaloneFrom is sent without history, files and project if
	// the context is too large. Its maximum share is then standaloneShare.
	standaloneFrom  = 70
	standaloneShare = 80
	// userFloor is the share below which the newest message is not shortened. Only sections that
	// must be sent can reduce it further.
	userFloor = 25
	// toolRoom is the share that must remain for later tool results if a project is sent.
	toolRoom = 10
)

const (
	// shortenedTurns is the number of newest turns whose texts may be shortened. Older turns are
	// sent whole, from the newest to the first that does not fit.
	shortenedTurns = 3
	// pairDivisor sets the limit for the texts of a shortened turn. A question and its answer each
	// get the history's share divided by pairDivisor. It is above 2 because joined texts can have
	// more tokens than their parts.
	pairDivisor = 2.2
	// resultFloor is the minimum number of tokens of a tool result, so that the model sees that its
	// call had a result.
	resultFloor = 16
	// minUsefulTokens is the smallest size in tokens to which a text of an earlier turn or a file
	// is shortened. In a very small window, it is also the smallest size of the instructions.
	minUsefulTokens = 16
)

// plan decides how many tokens each section keeps. It works only with counts. The texts are cut
// once, after all decisions.
type plan struct {
	layout
	room  int   // tokens for all sections
	level level // how far sections that are never omitted are shortened

	projectOverflow bool
	standalone      bool
	droppedTurns    int
}

// level says how far the sections that are never omitted may be shortened.
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

// solve decides how many tokens each part of the context gets. If everything fits, it shortens
// nothing. Otherwise it serves the parts in this order: newest message, tool calls of this turn,
// history, results of these calls, instructions. Later parts always keep their minimum sizes.
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

// chooseLevel sets p.level to the first level at which the sections that are never omitted fit. It
// returns [ErrTooLarge] if they fit at no level.
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

func (p *plan) minInstructions() int {
	floor := p.level.instructions
	least := p.tools.cost() + p.system.minCost(floor) + p.agents.minCost(floor)
	if p.level.reminders {
		return least + p.reminders.minCost(floor)
	}
	return least + p.reminders.cost()
}

// instructionShareSize returns the number of tokens that are reserved for the instructions. It is
// at most their share and their actual size. It is smaller if the newest message needs the tokens.
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

// projectFits reports whether the project files leave enough tokens for all other parts. Before the
// first tool call of a turn, this includes tokens for tool results, so that the project need not be
// omitted later.
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

func (p *plan) fitUser() {
	for _, s := range p.user {
		most := p.room - p.instructionShareSize()
		if p.standalone {
			most = min(most, p.percent(standaloneShare))
		}
		s.keep = min(s.count, max(most-s.fixed, min(s.count, p.level.user)))
	}
}

// fitSteps drops the oldest tool calls of this turn with their results, until the others fit in
// their shortest form.
func (p *plan) fitSteps() {
	room := p.room - p.instructionShareSize() - p.user.cost() - p.project.cost()
	for _, step := range p.steps {
		if p.minSteps() <= room {
			return
		}
		step.drop()
	}
}

// fitHistory keeps earlier turns from the newest backwards until one does not fit, so that the
// conversation has no gap.
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

// fitFiles shortens files to at most limit tokens in total. If they do not fit in their shortest
// form, it first drops files from the end.
func (p *plan) fitFiles(limit int) {
	files := p.files
	for len(files) > 0 && files.minCost(minUsefulTokens) > limit {
		files[len(files)-1].dropped = true
		files = files[:len(files)-1]
	}
	files.shrink(files.cost()-limit, minUsefulTokens)
}

// shortenTurn cuts all texts of a turn to the same size. Together they then take at most the given
// share, with a small margin. It does nothing if the texts would become too short to be useful.
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

// fitInstructions shortens the agent's prompt first and the reminders last.
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
