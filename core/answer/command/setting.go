package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/plural"
	"github.com/footnotehq/footnote/core/session"
)

// valueReset resets a setting to its value in the configuration file. It is not a valid value of
// any setting.
const valueReset = "reset"

// SayUnchanged is the end of a sentence. It tells a person that a setting cannot be reset, because
// it was never changed in chat.
const SayUnchanged = "has no change to undo"

func (s *Service) statusCommand(ctx context.Context, c Request, _ []string) (string, error) {
	e, err := s.policy(ctx, c.Tenant, session.PlaceOf(c.Ref))
	if err != nil {
		return "", err
	}
	var b strings.Builder
	switch {
	case !e.Enabled:
		b.WriteString("I do not answer questions in this channel.")
	case e.Paused:
		b.WriteString("Answering is paused in this channel. An administrator ends the pause with `/footnote resume`.")
	default:
		b.WriteString("I answer questions in this channel.")
	}
	if e.Agent != "" {
		fmt.Fprintf(&b, " Who answers is the agent %s.", asCode(e.Agent))
	}
	b.WriteString(" " + followWords[e.Follow])
	n, err := s.Store.Waiting(ctx, c.Tenant, session.PlaceOf(c.Ref))
	if err != nil {
		return "", err
	}
	switch n {
	case 0:
		b.WriteString(" Nothing is being answered here at the moment.")
	default:
		fmt.Fprintf(&b, " %s %s being answered or %s.", plural.Count(n, "question"), plural.Are(n), plural.Does(n, "wait"))
	}
	if c.Admin && s.Spent != nil {
		spent, err := s.Spent(ctx, c.Tenant)
		if err != nil {
			return "", err
		}
		if spent != "" {
			fmt.Fprintf(&b, " Models have cost %s.", spent)
		}
	}
	if s.Policies != nil {
		hash, err := s.Policies.Hash(ctx)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, " The configuration is %s.", asCode(hash))
	}
	return b.String(), nil
}

var followWords = map[policy.Follow]string{
	policy.FollowMention:  "In a thread I answer mentions only.",
	policy.FollowDialogue: "In a thread I answer without a mention while one person talks with me, or when I am replied to.",
	policy.FollowAlways:   "I answer all messages of threads that I take part in, and questions outside threads where the documents have an answer.",
}

func (s *Service) configCommand(ctx context.Context, c Request, words []string) (string, error) {
	at := session.PlaceOf(c.Ref)
	where := "this channel"
	if len(words) > 0 && strings.EqualFold(words[0], "workspace") {
		at.Channel, where, words = "", "all channels here", words[1:]
	}
	e, err := s.policy(ctx, c.Tenant, at)
	if err != nil {
		return "", err
	}
	if len(words) == 0 {
		return listSettings(e, where), nil
	}
	setting, known := policy.FindSetting(strings.ToLower(words[0]))
	if !known {
		return fmt.Sprintf("There is no setting %s. The settings are %s.", asCode(words[0]), settingKeys()), nil
	}
	if len(words) == 1 {
		return describeSetting(setting, e), nil
	}
	value := strings.Join(words[1:], " ")
	return s.change(ctx, c, at, setting, value)
}

func listSettings(e policy.Effective, where string) string {
	var b strings.Builder
	var silent []string
	for _, setting := range policy.Settings() {
		origins := e.Origins(setting.Key)
		if len(origins) == 0 {
			silent = append(silent, setting.Key)
			continue
		}
		fmt.Fprintf(&b, "\n- `%s`: %s (%s)", setting.Key, asCode(setting.Show(e.Policy)), policy.SayOrigins(origins))
	}
	list := b.String()
	if list == "" {
		list = " none is changed."
	}
	said := fmt.Sprintf("Settings of %s:%s", where, list)
	for _, i := range e.Ignored {
		said += fmt.Sprintf("\n\n`%s` does not count: %s is no value of it any more (%s).", i.Key, asCode(i.Value), i.Origin)
	}
	if len(silent) > 0 {
		said += "\n\nAt their defaults: " + strings.Join(silent, ", ") + "."
	}
	return said + "\n\n`/footnote config KEY` explains one, `/footnote config KEY VALUE` changes it, `/footnote config KEY reset` undoes that."
}

func describeSetting(setting policy.Setting, e policy.Effective) string {
	value := "not set"
	if shown := setting.Show(e.Policy); shown != "" {
		value = asCode(shown)
	}
	said := fmt.Sprintf("`%s` is %s (%s). It says: %s. Write %s.", setting.Key, value, policy.SayOrigins(e.Origins(setting.Key)), setting.Help, setting.Values)
	if setting.Narrows {
		said += " What is written here can only take away from what the configuration file allows."
	}
	return said
}

func (s *Service) change(ctx context.Context, c Request, at session.Place, setting policy.Setting, value string) (string, error) {
	switch {
	case !c.Admin:
		return sentenceAdminsOnly, nil
	case s.Settings == nil || s.Policies == nil:
		return sentenceNoSettings, nil
	}
	if strings.EqualFold(value, valueReset) {
		value = ""
	}
	done, err := Editor{Settings: s.Settings, Policies: s.Policies, Logger: s.Logger}.Edit(ctx, Edit{
		Tenant: c.Tenant, At: at, By: session.Actor{Platform: at.Platform, ID: c.By.ID}, Admin: c.Admin,
		Changes: []session.SettingChange{{Key: setting.Key, Value: value}},
	})
	switch {
	case err != nil:
		return "", err
	case done.Refused[setting.Key] != "":
		return done.Refused[setting.Key], nil
	case len(done.Done) == 0:
		return fmt.Sprintf("`%s` %s.", setting.Key, SayUnchanged), nil
	}
	e, err := s.policy(ctx, c.Tenant, at)
	if err != nil {
		return "", err
	}
	now := "not set"
	if shown := setting.Show(e.Policy); shown != "" {
		now = asCode(shown)
	}
	return fmt.Sprintf("`%s` is now %s (%s).", setting.Key, now, policy.SayOrigins(e.Origins(setting.Key))), nil
}

func (s *Service) followCommand(ctx context.Context, c Request, words []string) (string, error) {
	return s.configCommand(ctx, c, append([]string{"follow"}, words...))
}

func (s *Service) pauseCommand(ctx context.Context, c Request, _ []string) (string, error) {
	return s.pausing(ctx, c, "true", "Answering is paused in this channel. `/footnote resume` ends the pause.")
}

func (s *Service) resumeCommand(ctx context.Context, c Request, _ []string) (string, error) {
	return s.pausing(ctx, c, "false", "Questions are answered in this channel again.")
}

func (s *Service) pausing(ctx context.Context, c Request, value, done string) (string, error) {
	said, err := s.change(ctx, c, session.PlaceOf(c.Ref), settingOf("paused"), value)
	if err != nil || said == sentenceAdminsOnly || said == sentenceNoSettings {
		return said, err
	}
	return done, nil
}

// reportCommand switches the weekly report on or off for the channel. The stored value still
// applies if the configuration file changes later.
func (s *Service) reportCommand(ctx context.Context, c Request, words []string) (string, error) {
	if len(words) != 1 || !slices.Contains([]string{"on", "off"}, strings.ToLower(words[0])) {
		return s.configCommand(ctx, c, []string{"report"})
	}
	value, done := "true", "The weekly report is posted to this channel again, if footnote.yaml sends one here."
	if strings.EqualFold(words[0], "off") {
		value, done = "false", "No weekly report is posted to this channel any more. `/footnote report on` undoes that."
	}
	said, err := s.change(ctx, c, session.PlaceOf(c.Ref), settingOf("report"), value)
	if err != nil || said == sentenceAdminsOnly || said == sentenceNoSettings {
		return said, err
	}
	return done, nil
}

func settingKeys() string {
	all := policy.Settings()
	keys := make([]string, len(all))
	for i, s := range all {
		keys[i] = s.Key
	}
	return strings.Join(keys, ", ")
}

// settingOf returns the setting with the given key, or the zero [policy.Setting] if there is none.
func settingOf(key string) policy.Setting {
	s, _ := policy.FindSetting(key)
	return s
}
