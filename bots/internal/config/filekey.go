package config

import (
	"slices"

	"github.com/footnotehq/footnote/core/answer/policy"
)

// FileKey documents one key of footnote.yaml for deploy/docs/footnote-yaml.md.
type FileKey struct {
	Key     string // its path: "agents.NAME.tools", "channels[].follow"
	Values  string // allowed values
	Default string // empty: not set
	Help    string
}

// FileKeys returns every key of footnote.yaml in the order of the documentation.
func FileKeys() []FileKey {
	const (
		text = "text"
		list = "a list"
		acl  = "an access list"
	)
	keys := []FileKey{
		{"agent", "an agent's name", "", "who answers where no channel and no command says otherwise"},
		{"agents.NAME.instructions", text, "", "instructions to the agent, just above each question"},
		{"agents.NAME.replace_system_prompt", "true or false", "false", "the instructions take the place of the system prompt"},
		{"agents.NAME.tools", "internal_search, knowledge, read_file, open_url, web_search", "all but web_search", "what the agent may use"},
		{"agents.NAME.force_use_tool", "internal_search, knowledge, read_file, open_url or web_search", "", "a tool that every answer begins with, where it is of use. Unset: the model decides"},
		{"agents.NAME.use_agentic_search", "true or false", "false", "every question is searched deeply, as far as it needs it. Unset: those that begin with deep:"},
		{"agents.NAME.perform_initial_search_decomposition", "true or false", "true", "a deep search begins with one search, whose finds the planner sees"},
		{"agents.NAME.allow_refinement", "true or false", "true", "a deep search asks further where its findings do not suffice"},
		{"agents.NAME.confirm_above", "1 to 6", "", "a deep search of more sub-questions than that shows its plan and what it would take, and waits 10 minutes for a person to start it; then one search answers. Unset: every deep search starts by itself"},
		{"agents.NAME.using_tool_calling_llm", "true or false", "true", "a deep search plans and judges through the model's interface for tools. false: in text"},
		{"agents.NAME.skip_gen_ai_answer_generation", "true or false", "false", "the documents that were found are listed, and nothing is written"},
		{"agents.NAME.document_sets", list, "all documents", "names of document sets that it searches"},
		{"agents.NAME.model", text, "LLM_MODEL", "the model that writes its answers"},
		{"agents.NAME.models", list, "", "2 or 3 models that answer at once, each in its own message; replaces model"},
		{"agents.NAME.reminder", text, "", "one or two sentences at the very end of every prompt"},
		{"agents.NAME.grounding", "open or strict", "open", "strict: only what the documents support"},
		{"document_sets.NAME", list, "", "names of sources, or what footnote sources lists"},
		{"projects.NAME.files", list, "", "paths of files that every answer in the project has at hand"},
		{"projects.NAME.acl", acl, "members", "who may meet the files. Searches in every channel find them for these readers, not only in the project"},
		{"projects.NAME.files[].path", "a path", "", "a file with what holds for it alone"},
		{"projects.NAME.files[].base_url", "an address", "", "where its folder is published"},
		{"projects.NAME.files[].acl", acl, "the project's", "who may meet this file"},
		{"sources.NAME.path", "a path", "", "a folder or file; either this, url or a system below"},
		{"sources.NAME.url", "an address", "", "a site; either this, path or a system below"},
		{"sources.NAME.base_url", "an address", "", "where the folder is published"},
		{"sources.NAME.acl", acl, "members", "who may read its documents"},
		{"sources.NAME.include", list, "all files", "patterns of what is indexed"},
		{"sources.NAME.exclude", list, "", "patterns of what is not"},
		{"sources.NAME.commits", "true or false", "false", "of a Git repository: its newest 500 commits are documents too, so that answers can say who changed what, and when"},
		{"sources.NAME.every", "a length of time, such as 6h or 1d", "", "how often footnote serve reads it again; of a system that says itself who may read it, 5m where it is unset"},
		{"sources.NAME.covering", list, "", "groups of the source, such as group:NAME:all, that count as held by everybody in public channels and in those of more than 200 people. Unset: a source that has its own readers is not used there. See people.md"},
		{"identity.domains", list, "", "domains of addresses by which people of Slack and people of sources are the same. Unset: only footnote people import says who is who"},
		{"groups.NAME.slack", list, "", "ids of user groups, such as S0123ABCD: whoever is in one holds group:NAME"},
		{"groups.NAME.discord", list, "", "ids of roles: whoever has one holds group:NAME"},
		{"synonyms[]", "words and phrases", "", "they mean the same: a search for one looks for the others too, at half the weight. 2 to 12 of at most 5 words each; none stands in two sets"},
		{"channels[].platform", "slack, discord or console", "all", "where the rule holds"},
		{"channels[].workspace", "an id", "all", "of the Slack workspace or Discord server"},
		{"channels[].channel", "an id", "all", "of the channel; needs platform"},
	}
	at := slices.IndexFunc(keys, func(k FileKey) bool { return k.Key == "sources.NAME.base_url" })
	for _, s := range slices.Backward(systems) {
		keys = slices.Insert(keys, at, s.keys...)
	}
	for _, s := range policy.Settings() {
		keys = append(keys, FileKey{"channels[]." + s.Key, s.Values, s.Default(), s.Help})
	}
	keys = append(keys, reportKeys()...)
	const cost = "an amount"
	return append(append(keys, []FileKey{
		{"prices.currency", "three letters", defaultCurrency, "of all prices and caps"},
		{"prices.models.NAME.input", cost, "", "a million tokens that a language model is sent"},
		{"prices.models.NAME.cached_input", cost, "as input", "of these, a million that the provider had read before"},
		{"prices.models.NAME.output", cost, "", "a million tokens that it writes"},
		{"prices.models.NAME.embedding", cost, "", "a million tokens that an embedding model is sent"},
		{"filters.questions.words", list, "", "words and phrases that are not answered; found whole, whatever their letter case"},
		{"filters.questions.patterns", list, "", "regular expressions (RE2) of what is not answered"},
		{"filters.questions.say", text, "a sentence", "the message to the asker then"},
		{"filters.answers.words", list, "", "words and phrases that no answer shows"},
		{"filters.answers.patterns", list, "", "regular expressions of what no answer shows, within a paragraph"},
		{"filters.answers.action", "redact or stop", "redact", "mask what matches, or end the answer before it"},
		{"knowledge.entities.NAME", text, "person, team, project, system, organisation, concept", "a sort of entity that KNOWLEDGE_MODEL looks for, with what it is; those that are named here take the place of all that are built in. See knowledge.md"},
		{"knowledge.relations.NAME", text, "owns, works on, part of, supersedes, uses", "a relation that it looks for, with what it means, reading from subject to object; these, too, take the place of those built in"},
		{"knowledge.instructions", text, "", "more instructions to it: how names look here, what to leave out"},
	}...), assistantKeys()...)
}
