package consolebot_test

// Why a terminal cannot play a scenario.
const (
	onePerson   = "one person types at a terminal"
	allForBot   = "whatever is typed at a terminal is for the bot: there are no mentions, and it follows every line"
	noLimits    = "the person at a terminal is the operator, whom no setting holds back"
	oneText     = "what a terminal prints is one text, which is not changed and has no buttons"
	typed       = "a line that was entered cannot be edited or deleted"
	noReactions = "a terminal has no reactions: Ctrl-C stops"
	noCommands  = "the command /footnote is that of chats: the shell has verbs"
	noQueue     = "a terminal reads the next line once the last one is answered"
	noSign      = "a terminal shows nothing that says that the bot is at work"
	noAbsence   = "a question is typed while the program runs"
)

// cannot are the scenarios that a terminal cannot play.
var cannot = map[string]string{
	"a mention is answered in its thread":                       onePerson,
	"a person who may not ask alone sees the refusal":           onePerson,
	"a thread that is entered half-way is read once":            onePerson,
	"changed and deleted messages of a thread are forgotten":    onePerson,
	"a follow-up needs no mention while it is a dialogue":       onePerson,
	"the owner of the nearest page is asked once, by the asker": onePerson,
	"the button stops": onePerson,
	"an answer that was stopped is tried again in place":        onePerson,
	"why a message was not answered can be asked":               onePerson,
	"a follow-up of an absence is answered where no person has": onePerson,
	"only an administrator stops by a reaction to the answer":   onePerson,
	"a vote is kept, with its reason":                           onePerson,
	"only an administrator corrects and removes":                onePerson,
	"ask about this": onePerson,
	"a mention without a question gets a hint": allForBot,
	"stop following": allForBot,
	"only the asker sees that a quota is used up":                        noLimits,
	"one notice tells of all that wait":                                  oneText,
	"the notice about a question goes with the question":                 noQueue,
	"nothing says that the bot is at work once it has answered":          noSign,
	"a deep search shows its plan, and its report as a message after it": oneText,
	"a deep search that is stopped shows what was found":                 oneText,
	"a deep search is stopped by the button of its plan":                 oneText,
	"what a plain answer leaves open is looked into":                     oneText,
	"a deleted question is not answered":                                 typed,
	"an edited question is answered again in place":                      typed,
	"a message becomes a question by being edited":                       typed,
	"an answer whose question was deleted says so":                       typed,
	"a deep search whose question is edited is done with":                typed,
	"a deep search whose question is deleted ends":                       typed,
	"whoever asked stops by a reaction to the question":                  noReactions,
	"a command's documents are listed where nothing is written":          noCommands,
	"a question by a command is answered":                                noCommands,
	"a command of a person who may not ask is refused":                   noCommands,
	"the commands": noCommands,
	"what was asked in an absence is answered once, and what is old is asked about": noAbsence,
}
