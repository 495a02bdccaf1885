package discordtest

import "regexp"

// commandName is what the name of a slash command and of its options may be.
var commandName = regexp.MustCompile(`^[-_'\p{Ll}\p{Lo}\p{N}]{1,32}$`)

// checkCommands holds commands to the platform's limits.
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
