package policy_test

import (
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/session"
	"github.com/google/go-cmp/cmp"
)

func TestDecide(t *testing.T) {
	t.Parallel()
	type (
		event    = policy.Event
		state    = policy.State
		decision = policy.Decision
	)
	tests := []struct {
		name string
		e    event
		s    state
		want decision
	}{
		{"own message", event{Own: true, Mentioned: true}, state{}, decision{Action: policy.Ignore, Reason: "own_message"}},
		{"edit by own", event{Own: true, Change: policy.Edited, Known: true}, state{}, decision{Action: policy.Ignore, Reason: "own_message"}},
		{"join", event{System: true, Mentioned: true}, state{}, decision{Action: policy.Ignore, Reason: "system_message"}},
		{"another bot", event{Bot: true, Mentioned: true}, state{}, decision{Action: policy.Ignore, Reason: "other_bot"}},
		{"another bot, enabled", event{Bot: true, Mentioned: true}, state{Bots: true, BotTurns: 2}, decision{Action: policy.Answer, Reason: "mention"}},
		{"bots in a loop", event{Bot: true, Mentioned: true}, state{Bots: true, BotTurns: 3}, decision{Action: policy.Ignore, Reason: "bot_loop"}},
		{"bots in a longer loop", event{Bot: true, Direct: true}, state{Bots: true, BotTurns: 3, BotLimit: 4}, decision{Action: policy.Answer, Reason: "direct_message"}},
		{"direct message", event{Direct: true}, state{}, decision{Action: policy.Answer, Reason: "direct_message"}},
		{"direct message that names others", event{Direct: true, OthersNamed: true}, state{}, decision{Action: policy.Answer, Reason: "direct_message"}},
		{"mention in a channel", event{Mentioned: true}, state{}, decision{Action: policy.Answer, Reason: "mention"}},
		{"mention beside others", event{Mentioned: true, OthersNamed: true}, state{}, decision{Action: policy.Answer, Reason: "mention"}},
		{"mention half-way into a thread", event{Mentioned: true, InThread: true}, state{}, decision{Action: policy.Answer, Reason: "mention", CatchUp: true}},
		{"mention in a known thread", event{Mentioned: true, InThread: true}, state{InThread: true}, decision{Action: policy.Answer, Reason: "mention"}},
		{"mention after unfollow", event{Mentioned: true, InThread: true}, state{InThread: true, Unfollowed: true}, decision{Action: policy.Answer, Reason: "mention"}},
		{"mention inside code", event{}, state{}, decision{Action: policy.Ignore, Reason: "not_addressed"}},
		{"command", event{Command: true}, state{}, decision{Action: policy.Answer, Reason: "command"}},
		{"private command", event{Command: true, Private: true}, state{}, decision{Action: policy.Answer, Reason: "command", Private: true}},
		{"reply in another thread", event{InThread: true}, state{Follow: policy.FollowAlways}, decision{Action: policy.Ignore, Reason: "other_thread"}},

		{"reply, mention only", event{InThread: true, AnswersBot: true}, state{InThread: true, Follow: policy.FollowMention, People: 1}, decision{Action: policy.Observe, Reason: "mention_only"}},
		{"reply in a dialogue", event{InThread: true}, state{InThread: true, People: 1}, decision{Action: policy.Answer, Reason: "dialogue", Dialogue: true}},
		{"reply in a thread of others, nobody has chosen", event{InThread: true, Foreign: true, AnswersBot: true}, state{InThread: true, People: 1}, decision{Action: policy.Observe, Reason: "foreign_thread"}},
		{"reply in a thread of others, chosen", event{InThread: true, Foreign: true}, state{InThread: true, People: 1, Chosen: true}, decision{Action: policy.Answer, Reason: "dialogue", Dialogue: true}},
		{"mention in a thread of others", event{Mentioned: true, InThread: true, Foreign: true}, state{InThread: true}, decision{Action: policy.Answer, Reason: "mention"}},
		{"reply among people", event{InThread: true}, state{InThread: true, People: 2}, decision{Action: policy.Observe, Reason: "people_talk"}},
		{"reply to the bot among people", event{InThread: true, AnswersBot: true}, state{InThread: true, People: 2}, decision{Action: policy.Answer, Reason: "answers_bot", Dialogue: true}},
		{"reply that names somebody else", event{InThread: true, OthersNamed: true}, state{InThread: true, People: 1}, decision{Action: policy.Observe, Reason: "others_addressed"}},
		{"reply read late", event{InThread: true, Overtaken: true}, state{InThread: true, People: 1}, decision{Action: policy.Observe, Reason: "overtaken"}},
		{"reply to the bot read late", event{InThread: true, AnswersBot: true, Overtaken: true}, state{InThread: true, People: 1}, decision{Action: policy.Answer, Reason: "answers_bot", Dialogue: true}},
		{"reply read late where all count", event{InThread: true, Overtaken: true}, state{InThread: true, People: 1, Follow: policy.FollowAlways}, decision{Action: policy.Answer, Reason: "follow_always", Dialogue: true}},
		{"mention read late", event{InThread: true, Mentioned: true, Overtaken: true}, state{InThread: true, People: 1}, decision{Action: policy.Answer, Reason: "mention"}},
		{"reply after a day", event{InThread: true}, state{InThread: true, People: 1, Idle: 24*time.Hour + 1}, decision{Action: policy.Observe, Reason: "idle"}},
		{"reply within a day", event{InThread: true}, state{InThread: true, People: 1, Idle: 24 * time.Hour}, decision{Action: policy.Answer, Reason: "dialogue", Dialogue: true}},
		{"reply after unfollow", event{InThread: true}, state{InThread: true, People: 1, Unfollowed: true}, decision{Action: policy.Observe, Reason: "unfollowed"}},
		{"reply, always", event{InThread: true}, state{InThread: true, People: 5, Follow: policy.FollowAlways}, decision{Action: policy.Answer, Reason: "follow_always", Dialogue: true}},
		{"reply to others, always", event{InThread: true, OthersNamed: true}, state{InThread: true, Follow: policy.FollowAlways}, decision{Action: policy.Observe, Reason: "others_addressed"}},
		{"stop following", event{InThread: true, Unfollow: true}, state{InThread: true, People: 1}, decision{Action: policy.Unfollow, Reason: "unfollow"}},

		{"root message", event{}, state{Follow: policy.FollowDialogue}, decision{Action: policy.Ignore, Reason: "not_addressed"}},
		{"root message, always", event{}, state{Follow: policy.FollowAlways}, decision{Action: policy.Answer, Reason: "ambient", Ambient: true}},
		{"root message to others, always", event{OthersNamed: true}, state{Follow: policy.FollowAlways}, decision{Action: policy.Observe, Reason: "others_addressed"}},
		{"remark, questions only", event{}, state{Follow: policy.FollowAlways, QuestionsOnly: true}, decision{Action: policy.Observe, Reason: "no_question"}},
		{"question, questions only", event{Question: true}, state{Follow: policy.FollowAlways, QuestionsOnly: true}, decision{Action: policy.Answer, Reason: "ambient", Ambient: true}},
		{"question while cooling down", event{Question: true}, state{Follow: policy.FollowAlways, CoolingDown: true}, decision{Action: policy.Observe, Reason: "cooling_down"}},
		{"forum post", event{Forum: true}, state{Forum: true}, decision{Action: policy.Answer, Reason: "forum_post", Ambient: true}},
		{"forum post, answered", event{Forum: true}, state{Forum: true, Answered: true}, decision{Action: policy.Observe, Reason: "forum_answered"}},
		{"forum post, not enabled", event{Forum: true}, state{}, decision{Action: policy.Ignore, Reason: "forum_off"}},
		{"mention in a forum post", event{Forum: true, Mentioned: true}, state{}, decision{Action: policy.Answer, Reason: "mention"}},

		{"thanks in a dialogue", event{InThread: true, SmallTalk: true}, state{InThread: true, People: 1}, decision{Action: policy.Observe, Reason: "small_talk"}},
		{"hello with a mention", event{Mentioned: true, SmallTalk: true}, state{}, decision{Action: policy.Answer, Reason: "mention"}},
		{"hello in a direct message", event{Direct: true, SmallTalk: true}, state{}, decision{Action: policy.Answer, Reason: "direct_message"}},
		{"hello to the channel, always", event{SmallTalk: true}, state{Follow: policy.FollowAlways}, decision{Action: policy.Observe, Reason: "small_talk"}},
		{"reply after a helper's", event{InThread: true}, state{InThread: true, People: 1, Helped: true}, decision{Action: policy.Observe, Reason: "helper_replied"}},
		{"reply to the bot after a helper's", event{InThread: true, AnswersBot: true}, state{InThread: true, People: 2, Helped: true}, decision{Action: policy.Answer, Reason: "answers_bot", Dialogue: true}},
		{"root message that waits for people", event{}, state{Follow: policy.FollowAlways, Wait: time.Minute}, decision{Action: policy.Answer, Reason: "ambient", Ambient: true, Wait: time.Minute}},
		{"forum post that waits for people", event{Forum: true}, state{Forum: true, ForumWait: time.Hour}, decision{Action: policy.Answer, Reason: "forum_post", Ambient: true, Wait: time.Hour}},
		{"forum post that a helper took", event{Forum: true}, state{Forum: true, Helped: true}, decision{Action: policy.Observe, Reason: "helper_replied"}},
		{"channel of private answers", event{Mentioned: true}, state{Private: policy.PrivateAlways}, decision{Action: policy.Answer, Reason: "mention", Private: true}},
		{"direct message is private anyway", event{Direct: true}, state{Private: policy.PrivateAlways}, decision{Action: policy.Answer, Reason: "direct_message"}},
		{"unasked in a channel of private answers", event{}, state{Private: policy.PrivateAlways, Follow: policy.FollowAlways}, decision{Action: policy.Answer, Reason: "ambient", Ambient: true}},
		{"private command where none are given", event{Command: true, Private: true}, state{Private: policy.PrivateOff}, decision{Action: policy.Refuse, Reason: "private_off", Private: true}},
		{"command where no private ones are given", event{Command: true}, state{Private: policy.PrivateOff}, decision{Action: policy.Answer, Reason: "command"}},
		{"mention in a channel that is off", event{Mentioned: true}, state{Disabled: true, Paused: true}, decision{Action: policy.Refuse, Reason: "disabled", Private: true}},
		{"mention in a channel that pauses", event{Mentioned: true}, state{Paused: true}, decision{Action: policy.Refuse, Reason: "paused", Private: true}},
		{"reply in a channel that pauses", event{InThread: true}, state{InThread: true, People: 1, Paused: true}, decision{Action: policy.Observe, Reason: "paused_unasked"}},
		{"root message in a channel that is off", event{}, state{Follow: policy.FollowAlways, Disabled: true}, decision{Action: policy.Observe, Reason: "disabled_unasked"}},
		{"stop in a channel that pauses", event{Stop: true}, state{Paused: true}, decision{Action: policy.Stop, Reason: "stop"}},

		{"stop", event{Stop: true, InThread: true}, state{InThread: true}, decision{Action: policy.Stop, Reason: "stop"}},
		{"question edited", event{Change: policy.Edited, Known: true, Mentioned: true}, state{}, decision{Action: policy.Redo, Reason: "question_edited"}},
		{"question deleted", event{Change: policy.Deleted, Known: true}, state{}, decision{Action: policy.Cancel, Reason: "question_deleted"}},
		{"another message edited", event{Change: policy.Edited, Mentioned: true}, state{}, decision{Action: policy.Ignore, Reason: "change_of_unknown_message"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.s.Permitted = true
			got := policy.Decide(tt.e, tt.s)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Decide (-want +got):\n%s", diff)
			}
			if policy.Explain(got.Reason) == "" {
				t.Errorf("the reason %q has no words", got.Reason)
			}
			if (got.Sentence() != "") != (got.Action == policy.Refuse) {
				t.Errorf("the person is told %q", got.Sentence())
			}
		})
	}
}

func TestDecideForThoseWhoMayNotAsk(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		e    policy.Event
		s    policy.State
		want policy.Decision
	}{
		{"a mention is refused privately", policy.Event{Mentioned: true}, policy.State{}, policy.Decision{Action: policy.Refuse, Reason: "not_permitted", Private: true}},
		{"a private command privately", policy.Event{Command: true, Private: true}, policy.State{}, policy.Decision{Action: policy.Refuse, Reason: "not_permitted", Private: true}},
		{"a remark silently", policy.Event{}, policy.State{Follow: policy.FollowAlways}, policy.Decision{Action: policy.Observe, Reason: "not_permitted_unasked"}},
		{"a reply silently", policy.Event{InThread: true}, policy.State{InThread: true}, policy.Decision{Action: policy.Observe, Reason: "not_permitted_unasked"}},
		{"a stop is theirs to try", policy.Event{Stop: true}, policy.State{}, policy.Decision{Action: policy.Stop, Reason: "stop"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := policy.Decide(tt.e, tt.s)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Decide (-want +got):\n%s", diff)
			}
			if policy.Explain(got.Reason) == "" {
				t.Errorf("the reason %q has no words", got.Reason)
			}
		})
	}
}

func TestStateInAThread(t *testing.T) {
	t.Parallel()
	got := policy.State{Permitted: true, Follow: policy.FollowAlways}.In(session.Thread{
		Known: true, Unfollowed: true, Helped: true, People: 2, BotTurns: 3, Idle: time.Hour,
	})
	want := policy.State{
		Permitted: true, Follow: policy.FollowAlways, InThread: true, Unfollowed: true, Helped: true, People: 2, BotTurns: 3, Idle: time.Hour,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("In (-want +got):\n%s", diff)
	}
}

func TestStopWords(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text           string
		stop, unfollow bool
	}{
		{"stop", true, false},
		{" STOP! ", true, false},
		{"<@U123> stop.", true, false},
		{"*Stop*", true, false},
		{"/stop", true, false},
		{"stop following", false, true},
		{"Stop following.", false, true},
		{"how do I stop the server?", false, false},
		{"stop stop", false, false},
		{"wait", false, false},
		{"", false, false},
		{"<@U123>", false, false},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			t.Parallel()
			if got := policy.IsStop(tt.text); got != tt.stop {
				t.Errorf("IsStop = %v", got)
			}
			if got := policy.IsUnfollow(tt.text); got != tt.unfollow {
				t.Errorf("IsUnfollow = %v", got)
			}
		})
	}
}
