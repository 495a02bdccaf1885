package discordtest

import (
	"encoding/json"
	"regexp"
	"slices"
)

var commandName = regexp.MustCompile(`^[-_'\p{Ll}\p{Lo}\p{N}]{1,32}$`)

func checkCommands(commands []map[string]any) *apiError {
	count := make(map[float64]int)
	for _, c := range commands {
		kind, ok := c["type"].(float64)
		if !ok {
			kind = 1
		}
		count[kind]++
		name, _ := c["name"].(string)
		description, _ := c["description"].(string)
		if kind != 1 {
			if n := len([]rune(name)); n < 1 || n > 32 || description != "" || c["options"] != nil {
				return errInvalidForm
			}
			continue
		}
		if problem := checkOption(name, description, c["options"]); problem != nil {
			return problem
		}
	}
	if count[1] > 100 || count[2] > 15 || count[3] > 15 {
		return &apiError{status: 400, code: 30032, text: "Maximum number of application commands reached"}
	}
	return nil
}

// Offered lists the commands that a person's client shows in a channel. A command must be allowed
// in this kind of channel. The person must have all permissions in the command's
// default_member_permissions ("represented as a bit set").
func (p *Person) Offered(channel string) []string {
	s := p.s
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []struct {
		Name     string  `json:"name"`
		Needs    *string `json:"default_member_permissions"`
		Contexts []int   `json:"contexts"`
	}
	if json.Unmarshal(s.commands[""], &all) != nil {
		return nil
	}
	g, context, held := s.guilds[s.channels[channel].guild], 1, int64(0)
	if g != nil {
		permissions, _ := s.member(g, p.ID)["permissions"].(string)
		context, held = 0, parsePermissions(permissions)
	}
	var names []string
	for _, c := range all {
		if c.Needs != nil && g != nil && parsePermissions(*c.Needs)&^held != 0 || c.Contexts != nil && !slices.Contains(c.Contexts, context) {
			continue
		}
		names = append(names, c.Name)
	}
	return names
}

func checkOption(name, description string, options any) *apiError {
	if !commandName.MatchString(name) {
		return errInvalidForm
	}
	if n := len([]rune(description)); n < 1 || n > 100 {
		return tooLong("description", 100)
	}
	list, _ := options.([]any)
	if len(list) > 25 {
		return tooLong("options", 25)
	}
	optional := false
	for _, o := range list {
		option, _ := o.(map[string]any)
		required, _ := option["required"].(bool)
		if required && optional {
			return &apiError{status: 400, code: 50035, text: "Required options must be placed before non-required options"}
		}
		optional = optional || !required
		choices, _ := option["choices"].([]any)
		autocomplete, _ := option["autocomplete"].(bool)
		if len(choices) > 25 || len(choices) > 0 && autocomplete {
			return errInvalidForm
		}
		inner, _ := option["name"].(string)
		text, _ := option["description"].(string)
		if problem := checkOption(inner, text, option["options"]); problem != nil {
			return problem
		}
	}
	return nil
}
