package policy

import (
	"strings"
	"unicode"

	"github.com/footnotehq/footnote/core/session"
)

var reasonTexts = map[Reason]string{
	"own_message":               "The message is the bot's own.",
	"system_message":            "The platform wrote the message, no person did.",
	"stop":                      "Someone asked for a stop; who may stop what is decided by the stop rules.",
	"steering":                  "The message says how the plan of the deep search in its thread is to change.",
	"change_of_unknown_message": "A message was changed that was never a question to the bot.",
	"question_deleted":          "The question was deleted, so its answer was cancelled or marked.",
	"question_edited":           "The question was edited, so its answer was redone in place.",
	"other_bot":                 "Another bot wrote the message, and other bots are not answered here.",
	"bot_loop":                  "Bots asked several times in a row; the loop was broken until a person writes.",
	"unfollow":                  "Someone told the bot to stop following the thread.",
	"not_permitted":             "The person may not ask here, and was told so.",
	"not_permitted_unasked":     "The message would have been answered, but the person may not ask here.",
	"disabled":                  "Questions are not answered in this channel, and the person was told so.",
	"disabled_unasked":          "The message would have been answered, but questions are not answered in this channel.",
	"paused":                    "Answering was paused in this channel, and the person was told so.",
	"paused_unasked":            "The message would have been answered, but answering was paused in this channel.",
	"private_off":               "A private answer was asked for, and none are given in this channel.",
	"small_talk":                "The message is a greeting or thanks, which needs no answer from the documents.",
	"helper_replied":            "Someone whose job it is to help has replied; a mention or a reply to the bot is answered.",
	"command":                   "A command is always answered.",
	"direct_message":            "A direct message is always answered.",
	"mention":                   "The bot was mentioned.",
	"forum_off":                 "Forum posts are not answered in this channel.",
	"forum_answered":            "The forum post was answered already.",
	"forum_post":                "A new forum post is answered once, if the documents have an answer.",
	"other_thread":              "The bot does not take part in the thread.",
	"not_addressed":             "The message did not address the bot.",
	"foreign_thread":            "The bot is not set up here yet, and until then it follows only threads that it opened itself.",
	"mention_only":              "In this channel the bot answers mentions only.",
	"unfollowed":                "Someone told the bot to stop following this thread; a mention brings it back.",
	"others_addressed":          "The message addresses someone else.",
	"idle":                      "The thread was silent for more than a day; a mention brings the bot back.",
	"follow_always":             "In this channel the bot follows all threads that it takes part in.",
	"answers_bot":               "The message replies to the bot.",
	"dialogue":                  "The thread is a dialogue between one person and the bot.",
	"overtaken":                 "The bot was not running when it was written, and another person has written in the thread since.",
	"people_talk":               "Several people talk in the thread; a mention or a reply to the bot is answered.",
	"no_question":               "In this channel the bot speaks unasked only to questions.",
	"cooling_down":              "The bot spoke unasked a short while ago.",
	"ambient":                   "In this channel the bot may speak unasked, if the documents have an answer.",
}

var refusalTexts = map[Reason]string{
	"disabled":    "I do not answer questions in this channel. Ask in a channel where I am enabled, or send me a direct message.",
	"paused":      "Answering is paused in this channel. Ask again later; an administrator ends the pause with /footnote resume.",
	"private_off": "Private answers are turned off in this channel. Ask without \"private\", or send me a direct message.",
}

// Sentence returns the reply to a person whose question is refused. For other decisions it returns
// "".
func (d Decision) Sentence() string {
	switch said, ok := refusalTexts[d.Reason]; {
	case d.Action != Refuse:
		return ""
	case ok:
		return said
	default:
		return Say(session.NotPermitted)
	}
}

// Explain returns a sentence that explains a reason. For an unknown reason it returns "".
func Explain(r Reason) string { return reasonTexts[r] }

// IsStop reports whether the whole message is "stop".
func IsStop(text string) bool { return plainWords(text) == "stop" }

// IsUnfollow reports whether the whole message is "stop following".
func IsUnfollow(text string) bool { return plainWords(text) == "stop following" }

// plainWords returns a message in lower case without mentions, emphasis and punctuation. It returns
// "" for a long text, which is never a command.
func plainWords(text string) string {
	if len(text) > 200 {
		return ""
	}
	var words []string
	for _, word := range strings.Fields(text) {
		if strings.HasPrefix(word, "<@") && strings.HasSuffix(word, ">") {
			continue
		}
		word = strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if word != "" {
			words = append(words, strings.ToLower(word))
		}
	}
	return strings.Join(words, " ")
}
