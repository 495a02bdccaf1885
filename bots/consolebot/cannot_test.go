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
	noAbsence   = "a question is typed while the program runs"
)

// cannot are the scenarios that a terminal cannot play.
var cannot = map[string]string{
	"a mention is answered in its thread":                       onePerson,
	"who may not ask is told so alone":                          onePerson,
	"a thread that is entered half-way is read once":            onePerson,
	"a follow-up needs no mention while it is a dialogue":       onePerson,
	"the owner of the nearest page is asked once, by the asker": onePerson,
	"the button stops": onePerson,
	"an answer that was stopped is tried again in place":                  onePerson,
	"why a message was not answered is told to whoever asks":              onePerson,
	"a follow-up of an absence is answered where nobody else has":         onePerson,
	"an administrator stops by a reaction to the answer, and nobody else": onePerson,
	"a vote is kept, with its reason":                                     onePerson,
	"an administrator corrects and removes, and nobody else":              onePerson,
	"ask about this": onePerson,
	"a mention without a question is told what to do": allForBot,
	"stop following": allForBot,
	"a quota that is used up is told to the asker alone":                 noLimits,
	"one notice tells of all that wait":                                  oneText,
	"a deep search shows its plan, and its report as a message after it": oneText,
	"a deep search that is stopped shows what was found":                 oneText,
	"a deep search is stopped by the button of its plan":                 oneText,
	"what a plain answer leaves open is looked into":                     oneText,
	"a deleted question is not answered":                                 typed,
	"an edited question is answered anew in place":                       typed,
	"a message becomes a question by being edited":                       typed,
	"an answer whose question was deleted says so":                       typed,
	"a deep search whose question is edited is done with":                typed,
	"a deep search whose question is deleted ends":                       typed,
	"whoever asked stops by a reaction to the question":                  noReactions,
	"a command's documents are listed where nothing is written":          noCommands,
	"a question by a command is answered":                                noCommands,
	"who may not ask by a command is told so":                            noCommands,
	"the commands": noCommands,
	"what was asked in an absence is answered once, and what is old is asked about": noAbsence,
}
